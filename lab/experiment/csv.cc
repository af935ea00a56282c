#include "experiment/csv.h"

#include <fmt/format.h>

#include <iterator>

#include "base/text.h"

namespace loa {

std::string csv_field(const std::string& given) {
  const std::string text = valid_utf8(printable(given));
  if (text.find_first_of(",\"") == std::string::npos) return text;
  std::string field = "\"";
  for (const char c : text) {
    if (c == '"') field += '"';
    field += c;
  }
  return field + '"';
}

std::string csv_number(double value) { return fmt::format("{:.17g}", value); }

std::string trace_csv(const std::vector<TraceRow>& trace) {
  std::string text = "iteration,f,grad_inf_norm,step_size,evaluations,seconds\n";
  for (const TraceRow& row : trace)
    fmt::format_to(std::back_inserter(text), "{},{},{},{},{},{}\n", row.iteration, csv_number(row.f),
                   csv_number(row.grad_inf_norm), csv_number(row.step_size), row.evaluations, csv_number(row.seconds));
  return text;
}

}  // namespace loa

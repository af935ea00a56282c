#include "experiment/principle_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

namespace loa {
namespace {

constexpr std::array<const char*, kNumPrinciples> kHeadings = {"1 dimension", "2 translation",   "3 permutation",
                                                               "orthogonal",  "4 x -> lambda x", "5 f -> lambda f"};
constexpr std::size_t kWidth = 17;

std::string tuning(const PrincipleCell& cell) { return fmt::format("gamma -> lambda^{:g} gamma", *cell.exponent); }

// One digit says enough.
std::string size_text(double value) { return value == 0.0 ? "0" : fmt::format("{:.0e}", value); }

std::string mark(const PrincipleCell& cell) {
  if (!cell.is_asked) return "-";
  return fmt::format("{} {}{}", name(cell.verdict), size_text(cell.deviation), cell.as_claimed() ? "" : " !");
}

std::size_t name_width(const std::vector<PrincipleRow>& rows) {
  std::size_t width = 0;
  for (const PrincipleRow& row : rows) width = std::max(width, row.algorithm.size());
  return width + 2;
}

// "at iteration 3 of quadratic (fixed, safeguard on), x -> 4 x: 1e-2, tolerance 1e-9"
std::string where(const PrincipleCell& cell) {
  const WorstRun& run = cell.worst;
  if (run.problem.empty()) return cell.note;
  const std::string at =
      run.first_iteration < 0 ? "nearest" : fmt::format("breaks at iteration {}", run.first_iteration);
  const std::string tolerance = run.tolerance > 0 ? "tolerance " + size_text(run.tolerance) : "bit for bit";
  return fmt::format("{}: {} ({}), {}, {}, {}", at, run.problem, run.mode, run.transform, size_text(run.deviation),
                     tolerance);
}

}  // namespace

std::string principle_table(const std::vector<PrincipleRow>& rows) {
  const std::size_t width = name_width(rows);
  std::string text = fmt::format("{:<{}}", "", width);
  for (const char* heading : kHeadings) fmt::format_to(std::back_inserter(text), "{:<{}}", heading, kWidth);
  text.erase(text.find_last_not_of(' ') + 1);
  for (const PrincipleRow& row : rows) {
    fmt::format_to(std::back_inserter(text), "\n{:<{}}", row.algorithm, width);
    for (const PrincipleCell& cell : row.cells) fmt::format_to(std::back_inserter(text), "{:<{}}", mark(cell), kWidth);
    text.erase(text.find_last_not_of(' ') + 1);
  }
  text += "\n";
  for (const PrincipleRow& row : rows)
    for (const Principle principle : kPrinciples)
      if (const PrincipleCell& cell = row.at(principle); cell.exponent)
        fmt::format_to(std::back_inserter(text), "\n{}, {}: {}", row.algorithm, name(principle), tuning(cell));
  for (const PrincipleRow& row : rows)
    for (const Principle principle : kPrinciples)
      if (const PrincipleCell& cell = row.at(principle); !cell.as_claimed())
        fmt::format_to(std::back_inserter(text), "\n! {}, {}: claimed {}, found {}; {}", row.algorithm, name(principle),
                       name(cell.claimed), name(cell.verdict), where(cell));
  if (text.back() != '\n') text += "\n";
  return text;
}

std::string principle_details(const std::vector<PrincipleRow>& rows) {
  std::string text;
  for (const PrincipleRow& row : rows) {
    fmt::format_to(std::back_inserter(text), "{}{}\n", text.empty() ? "" : "\n", row.algorithm);
    for (const Principle principle : kPrinciples) {
      const PrincipleCell& cell = row.at(principle);
      if (!cell.is_asked) {
        fmt::format_to(std::back_inserter(text), "  {:<18} {}\n", name(principle), cell.note);
        continue;
      }
      fmt::format_to(std::back_inserter(text), "  {:<18} {}, claimed {}; {} runs, {} iterations or more; {}\n",
                     name(principle), name(cell.verdict), name(cell.claimed), cell.compared, cell.iterations,
                     where(cell));
      if (cell.exponent)
        fmt::format_to(std::back_inserter(text), "  {:<18} {}; without it {}\n", "", tuning(cell),
                       size_text(cell.untuned_deviation));
      else if (!cell.note.empty() && !cell.worst.problem.empty())
        fmt::format_to(std::back_inserter(text), "  {:<18} {}\n", "", cell.note);
    }
  }
  return text;
}

}  // namespace loa

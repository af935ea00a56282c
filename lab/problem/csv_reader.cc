#include "problem/csv_reader.h"

#include <algorithm>
#include <cstddef>
#include <vector>

#include "base/text.h"
#include "problem/line_reader.h"

namespace loa {
namespace {

bool is_missing(std::string_view field) {
  constexpr std::string_view kMarks[] = {"", "na", "n/a", "null", "none", "nil", "missing", "?", "-", "."};
  std::string lower(field);
  for (char& c : lower) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return std::find(std::begin(kMarks), std::end(kMarks), lower) != std::end(kMarks);
}

void split(std::string_view line, std::vector<std::string_view>& fields) {
  fields.clear();
  for (std::size_t comma = line.find(','); comma != std::string_view::npos; comma = line.find(',')) {
    fields.push_back(trimmed(line.substr(0, comma)));
    line.remove_prefix(comma + 1);
  }
  fields.push_back(trimmed(line));
}

// A header has names in it. What begins like a number and is none is a mistake in a row of data, not a name.
bool is_header(const std::vector<std::string_view>& fields) {
  bool has_name = false;
  for (const std::string_view field : fields) {
    double ignored = 0.0;
    if (parse_real(field, ignored) != ParsedReal::kMalformed || is_missing(field)) continue;
    if (field.find_first_of("0123456789+-.") == 0) return false;
    has_name = true;
  }
  return has_name;
}

std::string wrong_field(std::string_view field, std::size_t position) {
  const std::string where = " in field " + std::to_string(position + 1);
  if (field.empty()) return "found an empty field" + where + ", expected a number: missing values are not supported";
  if (is_missing(field)) {
    return "found " + quote(field) + where + ", expected a number: missing values are not supported";
  }
  return found_instead_of_number(field) + where + ", expected a finite number";
}

// Appends the fields of one line to values, target last. Returns no error or a complaint.
Error parse_fields(const LineReader& reader, const std::vector<std::string_view>& fields, std::vector<double>& values) {
  for (std::size_t i = 0; i < fields.size(); ++i) {
    double value = 0.0;
    if (parse_real(fields[i], value) != ParsedReal::kOk) {
      return reader.complain(fields[i].data(), wrong_field(fields[i], i));
    }
    values.push_back(value);
  }
  return {};
}

}  // namespace

Error parse_csv(std::string_view text, const std::string& name, Dataset& data) {
  Dataset parsed;
  std::vector<double> targets;
  std::vector<double>& values = parsed.features.values;
  std::vector<std::string_view> fields;
  std::size_t num_fields = 0;  // in the first line, whose number is first_line
  Index first_line = 0;
  LineReader reader(text, name);
  while (reader.next()) {
    const std::size_t quote_at = reader.line().find('"');
    if (quote_at != std::string_view::npos) {
      return reader.complain(reader.line().data() + quote_at, "found a quote, expected plain fields without quotes");
    }
    split(reader.line(), fields);
    const bool is_first = num_fields == 0;
    if (is_first) {
      num_fields = fields.size();
      first_line = reader.number();
      if (num_fields < 2) {
        return reader.complain(reader.line().data(), "found one field, expected features and a target");
      }
      if (is_header(fields)) continue;
    }
    if (fields.size() != num_fields) {
      const char* end = reader.line().data() + reader.line().size();
      return reader.complain(end, "found " + std::to_string(fields.size()) + " fields, expected " +
                                      std::to_string(num_fields) + " as in line " + std::to_string(first_line));
    }
    if (const Error wrong = parse_fields(reader, fields, values)) return wrong;
    targets.push_back(values.back());
    values.pop_back();
    parsed.lines.push_back(reader.number());
  }
  if (targets.empty()) {
    return reader.complain(num_fields == 0 ? "found no rows, expected LIBSVM or CSV data"
                                           : "found a header and no rows, expected rows of numbers");
  }
  parsed.features.rows = static_cast<Index>(targets.size());
  parsed.features.cols = static_cast<Index>(num_fields) - 1;
  parsed.targets = Eigen::Map<const Vector>(targets.data(), parsed.features.rows);
  data = std::move(parsed);
  return {};
}

}  // namespace loa

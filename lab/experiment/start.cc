#include "experiment/start.h"

#include <cmath>
#include <limits>
#include <vector>

#include "base/file.h"
#include "base/text.h"
#include "loa/random.h"
#include "loa/reduction.h"
#include "problem/line_reader.h"

namespace loa {

namespace {

// What is one number a line: its name in messages, and whether an infinity is one.
struct Column {
  const char* name;
  bool has_infinities;
};
constexpr Column kStart = {"start", false}, kBound = {"bounds", true};

bool parse(std::string_view field, const Column& column, double& value) {
  return column.has_infinities ? parse_bound(field, value) : parse_real(field, value) == ParsedReal::kOk;
}

Error parse_column(const std::string& text, const std::string& name, Index n, const Column& column, Vector& numbers) {
  LineReader reader(text, name);
  std::vector<double> values;
  while (reader.next()) {
    const std::string_view field = trimmed(reader.line());
    double value = 0.0;
    if (!parse(field, column, value))
      return reader.complain(field.data(), found_instead_of_number(field) + ", expected one " +
                                               (column.has_infinities ? "number, inf or -inf" : "finite number") +
                                               " a line");
    if (static_cast<Index>(values.size()) == n)
      return reader.complain(field.data(), "found number " + std::to_string(n + 1) + " of the " + column.name +
                                               ", expected " + std::to_string(n) +
                                               " numbers, the dimension of the problem");
    values.push_back(value);
  }
  if (static_cast<Index>(values.size()) != n)
    return name + ":" + std::to_string(reader.number()) + ": found the end after " + std::to_string(values.size()) +
           " numbers, expected " + std::to_string(n) + ", the dimension of the problem";
  numbers = Eigen::Map<const Vector>(values.data(), n);
  return {};
}

Error read_column(const std::string& path, Index n, const Column& column, Vector& numbers) {
  std::string text;
  if (Error error = read_file(path, text, kStartFile)) return error;
  return parse_column(text, path, n, column, numbers);
}

}  // namespace

Error read_start(const std::string& path, Index n, Vector& start) { return read_column(path, n, kStart, start); }

Error parse_start(const std::string& text, const std::string& name, Index n, Vector& start) {
  return parse_column(text, name, n, kStart, start);
}

bool parse_bound(std::string_view text, double& bound) {
  if (parse_real(text, bound) == ParsedReal::kOk) return true;
  const bool is_negative = text == "-inf";
  if (!is_negative && text != "inf" && text != "+inf") return false;
  bound = is_negative ? -std::numeric_limits<double>::infinity() : std::numeric_limits<double>::infinity();
  return true;
}

Error read_bounds(const std::string& path, Index n, Vector& bounds) { return read_column(path, n, kBound, bounds); }

Vector perturbed_start(const Vector& start, std::uint64_t seed) {
  constexpr double kSpread = 0.5;  // far enough to change the path, near enough to stay in most problems' domains
  const Index n = start.size();
  const double rms = n > 0 ? norm(start) / std::sqrt(static_cast<double>(n)) : 0.0;
  const double scale_of_zero = rms > 0.0 ? rms : 1.0;
  Random random(seed);
  Vector x(n);
  for (Index i = 0; i < n; ++i) {
    const double scale = start[i] != 0.0 ? std::abs(start[i]) : scale_of_zero;
    x[i] = start[i] + kSpread * scale * random.normal();
  }
  return x;
}

}  // namespace loa

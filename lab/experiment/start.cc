#include "experiment/start.h"

#include <cmath>
#include <vector>

#include "base/file.h"
#include "base/text.h"
#include "loa/random.h"
#include "loa/reduction.h"
#include "problem/line_reader.h"

namespace loa {

Error read_start(const std::string& path, Index n, Vector& start) {
  std::string text;
  if (Error error = read_file(path, text, kStartFile)) return error;
  return parse_start(text, path, n, start);
}

Error parse_start(const std::string& text, const std::string& name, Index n, Vector& start) {
  LineReader reader(text, name);
  std::vector<double> values;
  while (reader.next()) {
    const std::string_view field = trimmed(reader.line());
    double value = 0.0;
    if (parse_real(field, value) != ParsedReal::kOk)
      return reader.complain(field.data(), found_instead_of_number(field) + ", expected one finite number a line");
    if (static_cast<Index>(values.size()) == n)
      return reader.complain(field.data(), "found number " + std::to_string(n + 1) + " of the start, expected " +
                                               std::to_string(n) + " numbers, the dimension of the problem");
    values.push_back(value);
  }
  if (static_cast<Index>(values.size()) != n)
    return name + ":" + std::to_string(reader.number()) + ": found the end after " + std::to_string(values.size()) +
           " numbers, expected " + std::to_string(n) + ", the dimension of the problem";
  start = Eigen::Map<const Vector>(values.data(), n);
  return {};
}

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

#include <cmath>

#include "base/text.h"
#include "fuzz/target.h"
#include "loa/problem.h"
#include "problem/spec.h"

namespace loa::fuzz {
namespace {

// Whether making the problem takes little time and no file. A size is a number without an exponent.
bool is_small(const std::string& text) {
  constexpr std::int64_t kLargestSize = 12;
  for (std::size_t equals = text.find('='); equals != text.npos; equals = text.find('=', equals + 1)) {
    const std::size_t key = text.find_last_of(":, ", equals) + 1;
    const std::string name = text.substr(key, equals - key);
    std::int64_t value = 0;
    const std::string given = text.substr(equals + 1, text.find(',', equals) - equals - 1);
    if (name == "data" || (name != "seed" && parse_integer(given, value) && value > kLargestSize)) return false;
  }
  // Other names end in a search for similar ones, which takes ten times as long as all the rest.
  const std::string name = text.substr(0, text.find(':'));
  const bool is_known = name == "quadratic" || name == "logistic" || name == "ridge" || name == "rosenbrock" ||
                        name == "chained-rosenbrock" || name == "mgh" || name == "synthetic" || name == "grid" ||
                        name == "chain" || name == "likelihood" || name == "regression" || name == "geometry";
  return is_known && (text.find('=') != text.npos || name == "mgh");
}

}  // namespace
}  // namespace loa::fuzz

// Parses the SPEC of a problem, makes it when it is small, and evaluates it at its start.
LOA_FUZZ_TARGET(spec) {
  constexpr std::size_t kLongest = 80;  // the search for similar names takes time in proportion to it
  const std::string text(bytes.substr(0, kLongest));
  loa::Spec spec;
  const std::string wrong = loa::Spec::parse(text, spec).message();
  loa::fuzz::require_error_line(wrong, "");
  if (!wrong.empty() || !loa::fuzz::is_small(text)) return false;
  loa::Problem problem;
  const std::string error = loa::make_problem(text, problem).message();
  loa::fuzz::require_error_line(error, "");
  if (!error.empty()) return false;
  constexpr loa::Index kLargestDimension = 1000;
  if (problem.objective->dimension() > kLargestDimension) return false;
  loa::Vector grad(problem.start.size());
  const double f = problem.objective->value_and_gradient(problem.start, grad);
  loa::fuzz::require(problem.start.size() == problem.objective->dimension() && std::isfinite(f),
                     "a start in the domain", text);
  return true;
}

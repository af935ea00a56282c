#include "principle/dimension.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "principle/path.h"

namespace loa {
namespace {

// Beyond this a Hessian is not factored: n^3/3 operations take minutes at n = 10000.
constexpr Index kLargestFactored = 2000;

// What must not depend on n.
struct Sizes {
  Index theta;
  std::size_t vectors, covectors;
  Index scalars;
  bool operator==(const Sizes&) const = default;
};

struct Observation {
  Sizes sizes;
  bool has_hessian;
};

// I_0, without taking a step.
Observation observe(const Algorithm& algorithm, Objective& objective, const FirstPair& pair) {
  CountedObjective f(objective);
  State state = initial_state(algorithm, f, pair);
  Input input;
  algorithm.oracle->observe(f, state, input);
  return {.sizes = {.theta = algorithm.model->theta().size(),
                    .vectors = input.vectors.size(),
                    .covectors = input.covectors.size(),
                    .scalars = input.scalars.size()},
          .has_hessian = input.hessian.size() > 0};
}

CheckedProblem problem_of(Index n) {
  if (n == 1) return checked_problem("mgh:variably-dimensioned,n=1");
  return checked_problem(fmt::format("{}:n={}", n % 2 == 0 ? "rosenbrock" : "chained-rosenbrock", n));
}

// x over and over.
Vector copies(const Vector& x, Index n) { return x.replicate(n / x.size(), 1); }

// The worst of all copies.
std::vector<double> copy_deviations(const Path& path, const Vector& x_prev, const Path& other) {
  std::vector<double> result(path.size(), 0.0);
  Path copy(other.size());
  for (Index first = 0; first < other.front().size(); first += x_prev.size()) {
    for (std::size_t k = 0; k < other.size(); ++k) copy[k] = other[k].segment(first, x_prev.size());
    const std::vector<double> one = deviations(path, x_prev, copy, nullptr);
    for (std::size_t k = 0; k < path.size(); ++k) result[k] = std::max(result[k], one[k]);
  }
  return result;
}

}  // namespace

PrincipleCell check_dimension(const CheckedAlgorithm& checked, const PrincipleOptions& options) {
  PrincipleCell cell;
  cell.verdict = Verdict::kHolds;
  cell.claimed = checked.claims.dimension;
  cell.iterations = options.dimension_iterations;
  const Algorithm algorithm = checked.make({});
  const CheckedMode mode{.line_search = algorithm.line_search};

  const CheckedProblem pair_problem = problem_of(2);
  const std::unique_ptr<Objective> pair_objective = pair_problem.make();
  const FirstPair start = make_first_pair(pair_problem, *pair_objective);
  const Path path = record_path(algorithm, *pair_objective, start, mode, options.dimension_iterations);
  const Calibration calibration(algorithm, *pair_objective, start, mode, path, options.seed);
  cell.tolerance = calibration.tolerance(calibration.horizon());
  const Sizes expected = observe(algorithm, *pair_objective, start).sizes;

  const auto fail = [&](Index n, std::int64_t iteration, double deviation, double tolerance, const char* why) {
    cell.verdict = Verdict::kFails;
    cell.note = fmt::format("n = {}: {}", n, why);
    cell.worst = {problem_of(n).name, mode.line_search, fmt::format("n = {}", n), deviation, tolerance, iteration};
  };
  for (const Index n : options.dimensions) {
    const CheckedProblem problem = problem_of(n);
    const std::unique_ptr<Objective> f = problem.make();
    const bool replicates = n % 2 == 0;
    const FirstPair pair = replicates ? FirstPair{copies(start.x_prev, n), copies(start.x, n)}
                                      : make_first_pair(problem, *f);
    const Observation observation = observe(algorithm, *f, pair);
    if (!(observation.sizes == expected)) fail(n, 0, 1.0, 0.0, "another number of parameters or features");
    if (observation.has_hessian && n > kLargestFactored) {
      cell.note = fmt::format("n = {}: input and parameters only, no step: the Hessian is not factored", n);
      continue;
    }
    const Path other = record_path(algorithm, *f, pair, mode, options.dimension_iterations);
    ++cell.compared;
    if (other.size() < 2) fail(n, 0, 1.0, 0.0, "no step was made");
    if (!replicates) continue;
    const std::vector<double> deviation = copy_deviations(path, start.x_prev, other);
    for (std::size_t k = 0; k <= calibration.horizon(); ++k) {
      cell.deviation = std::max(cell.deviation, deviation[k]);
      if (deviation[k] <= calibration.tolerance(k) || cell.verdict == Verdict::kFails) continue;
      fail(n, static_cast<std::int64_t>(k), deviation[k], calibration.tolerance(k), "copies go another way");
    }
  }
  return cell;
}

}  // namespace loa

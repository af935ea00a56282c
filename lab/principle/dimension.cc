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
  Index features;
  bool operator==(const Sizes&) const = default;
};

struct Observation {
  Sizes sizes;
  bool has_hessian;
};

// I_0, without taking a step.
Observation observe(const Algorithm& algorithm, Objective& objective, const FirstPair& pair) {
  const Input input = first_input(algorithm, objective, pair);
  return {.sizes = {.theta = algorithm.model->theta().size(),
                    .vectors = input.vectors.size(),
                    .covectors = input.covectors.size(),
                    .features = input.features.size()},
          .has_hessian = input.hessian.size() > 0};
}

// In a box, if so: it holds every second variable of Rosenbrock's function at the start, and lets go of it on the way.
CheckedProblem problem_of(Index n, bool in_box) {
  CheckedProblem problem =
      n == 1 ? checked_problem("mgh:variably-dimensioned,n=1")
             : checked_problem(fmt::format("{}:n={}", n % 2 == 0 ? "rosenbrock" : "chained-rosenbrock", n));
  if (in_box) {
    problem.lower = Vector::Constant(n, -1.25);
    problem.upper = Vector::Constant(n, 1.0);
  }
  return problem;
}

// x over and over.
Vector copies(const Vector& x, Index n) { return x.size() > 0 ? Vector(x.replicate(n / x.size(), 1)) : x; }

FirstPair copies(const FirstPair& pair, Index n) {
  return {.x_prev = copies(pair.x_prev, n),
          .x = copies(pair.x, n),
          .lower = copies(pair.lower, n),
          .upper = copies(pair.upper, n)};
}

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

// What round-off does to copies. It makes them differ from each other, and the algorithm may amplify that, so it is
// measured on five copies; a sum of n terms rounds sqrt(n) times as much as one term.
class CopyTolerance {
 public:
  CopyTolerance(const Algorithm& algorithm, const FirstPair& start, const CheckedMode& mode,
                const PrincipleOptions& options)
      : calibration_(calibrate(algorithm, start, mode, options)) {}

  // Whether anything can be seen at iteration k.
  bool is_fine(Index n, std::size_t k) const {
    return k <= calibration_.horizon() && at(n, k) <= Calibration::kCoarsest;
  }
  // REQUIRES: k is at most the horizon.
  double at(Index n, std::size_t k) const {
    const double growth = std::sqrt(static_cast<double>(n) / static_cast<double>(kN));
    return std::max(1.0, growth) * calibration_.tolerance(k);
  }

 private:
  static constexpr Index kN = 10;

  static Calibration calibrate(const Algorithm& algorithm, const FirstPair& start, const CheckedMode& mode,
                               const PrincipleOptions& options) {
    const FirstPair pair = copies(start, kN);
    const std::unique_ptr<Objective> f = make_inside(problem_of(kN, pair.lower.size() > 0));
    const Path path = record_path(algorithm, *f, pair, mode, options.dimension_iterations);
    return {algorithm, *f, pair, mode, path, options.seed};
  }

  Calibration calibration_;
};

class DimensionCheck {
 public:
  DimensionCheck(const CheckedAlgorithm& checked, const PrincipleOptions& options)
      : options_(options),
        algorithm_(checked.make({})),
        mode_{.line_search = algorithm_.line_search->name()},
        in_box_(have_bounds(options.problems)),
        objective_(make_inside(problem_of(2, in_box_))),
        start_(make_first_pair(problem_of(2, in_box_), *objective_)),
        path_(record_path(algorithm_, *objective_, start_, mode_, options.dimension_iterations)),
        tolerance_(algorithm_, start_, mode_, options),
        expected_(observe(algorithm_, *objective_, start_).sizes) {
    cell_.verdict = Verdict::kHolds;
    cell_.claimed = checked.claims.dimension;
    cell_.iterations = options.dimension_iterations;
  }

  void check(Index n) {
    const CheckedProblem problem = problem_of(n, in_box_);
    const std::unique_ptr<Objective> f = make_inside(problem);
    const bool replicates = n % 2 == 0;
    const FirstPair pair = replicates ? copies(start_, n) : make_first_pair(problem, *f);
    const Observation observation = observe(algorithm_, *f, pair);
    ++cell_.compared;
    if (!(observation.sizes == expected_)) fail({n, 0, 1.0, 0.0}, "another number of parameters or features");
    if (observation.has_hessian && n > kLargestFactored) {
      if (cell_.note.empty()) cell_.note = fmt::format("n = {}: p and n_i only, the Hessian is not factored", n);
      return;
    }
    const Path other = record_path(algorithm_, *f, pair, mode_, options_.dimension_iterations);
    if (other.size() < 2) fail({n, 0, 1.0, 0.0}, "no step was made");
    if (replicates) compare(n, copy_deviations(path_, start_.x_prev, other));
  }

  const PrincipleCell& cell() const { return cell_; }

 private:
  struct Place {
    Index n;
    std::int64_t iteration;
    double deviation, tolerance;
  };

  void compare(Index n, const std::vector<double>& deviations) {
    for (std::size_t k = 0; k < path_.size(); ++k) {
      const auto iteration = static_cast<std::int64_t>(k);
      if (!tolerance_.is_fine(n, k)) {
        cell_.iterations = std::min(cell_.iterations, iteration - 1);
        return;
      }
      const double deviation = deviations[k], tolerance = tolerance_.at(n, k);
      cell_.tolerance = std::max(cell_.tolerance, tolerance);
      cell_.deviation = std::max(cell_.deviation, deviation);
      if (!(deviation <= tolerance)) fail({n, iteration, deviation, tolerance}, "the copies go another way");
      if (cell_.verdict == Verdict::kFails || deviation / tolerance <= nearest_) continue;
      nearest_ = deviation / tolerance;
      note({n, -1, deviation, tolerance});
    }
  }

  // Remembers what failed first.
  void fail(const Place& place, const char* why) {
    if (cell_.verdict == Verdict::kFails) return;
    cell_.verdict = Verdict::kFails;
    cell_.deviation = std::max(cell_.deviation, place.deviation);
    cell_.note = fmt::format("n = {}: {}", place.n, why);
    note(place);
  }

  void note(const Place& place) {
    cell_.worst = {.problem = problem_of(place.n, in_box_).name,
                   .mode = mode_.line_search,
                   .transform = fmt::format("n = {}", place.n),
                   .deviation = place.deviation,
                   .tolerance = place.tolerance,
                   .first_iteration = place.iteration};
  }

  const PrincipleOptions& options_;
  Algorithm algorithm_;
  CheckedMode mode_;
  bool in_box_;
  std::unique_ptr<Objective> objective_;  // in two unknowns
  FirstPair start_;
  Path path_;
  CopyTolerance tolerance_;
  Sizes expected_;
  double nearest_ = -1.0;  // the largest deviation/tolerance so far
  PrincipleCell cell_;
};

}  // namespace

bool have_bounds(const std::vector<CheckedProblem>& problems) {
  return std::ranges::any_of(problems, [](const CheckedProblem& p) { return has_bound(p.lower, p.upper); });
}

PrincipleCell check_dimension(const CheckedAlgorithm& algorithm, const PrincipleOptions& options) {
  DimensionCheck check(algorithm, options);
  for (const Index n : options.dimensions) check.check(n);
  return check.cell();
}

}  // namespace loa

// The checker. In a first round every algorithm runs on every problem, in every mode and with every transformation;
// each pair of runs is one Comparison. For a scaling that failed, a second round looks for an exponent p with which the
// run that failed worst passes when gamma becomes lambda^p gamma; a third verifies p on all runs that failed.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <mutex>
#include <stdexcept>

#include "base/parallel.h"
#include "loa/principle.h"
#include "principle/dimension.h"
#include "principle/path.h"
#include "principle/scale_power.h"

namespace loa {
namespace {

// One pair of runs, original and transformed.
struct Comparison {
  std::size_t problem, mode, transform;
  Principle principle;
  std::string transform_name = {};
  bool informative = true;  // round-off did not hide everything
  double deviation = 0.0;
  double tolerance = 0.0;
  double ratio = 0.0;  // the largest deviation/tolerance; infinity when bits differ
  std::int64_t first_iteration = -1;
  std::int64_t iterations = 0;
  bool passed() const { return first_iteration < 0; }
};

bool is_power_of_two(double lambda) {
  int exponent = 0;
  return std::frexp(lambda, &exponent) == 0.5;
}

bool is_scaling(Principle principle) {
  return principle == Principle::kGeometricScaling || principle == Principle::kFunctionScaling;
}

// x^_k == lambda x_k for all k. Powers of two commute with rounding, so there is no tolerance and no end to what can be
// compared.
void compare_bits(const Path& path, const Path& other, const std::vector<double>& deviation, const Transform& transform,
                  Comparison& result) {
  result.iterations = static_cast<std::int64_t>(path.size()) - 1;
  result.informative = result.iterations > 0;
  for (std::size_t k = 0; k < path.size(); ++k) {
    if (k < other.size() && other[k] == transform.point(path[k])) continue;
    result.deviation = std::max(result.deviation, deviation[k]);
    if (!result.passed()) continue;
    result.first_iteration = static_cast<std::int64_t>(k);
    result.ratio = std::numeric_limits<double>::infinity();
  }
}

void compare_within_tolerance(const std::vector<double>& deviation, const Calibration& calibration,
                              Comparison& result) {
  result.informative = calibration.is_informative();
  result.iterations = static_cast<std::int64_t>(calibration.horizon());
  for (std::size_t k = 0; k <= calibration.horizon(); ++k) {
    result.deviation = std::max(result.deviation, deviation[k]);
    result.tolerance = calibration.tolerance(k);
    result.ratio = std::max(result.ratio, deviation[k] / calibration.tolerance(k));
    if (!(deviation[k] <= calibration.tolerance(k)) && result.passed())
      result.first_iteration = static_cast<std::int64_t>(k);
  }
}

// The transformations of one problem; the same for every algorithm.
std::vector<Transform> make_transforms(const FirstPair& pair, const PrincipleOptions& options, std::size_t problem) {
  constexpr int kOfEach = 2;
  const Index n = pair.x.size();
  Random random(options.seed + 1000 * problem);
  std::vector<Transform> transforms;
  for (int i = 0; i < kOfEach; ++i) {
    Vector v(n);
    for (double& entry : v) entry = pair.size() * random.normal();
    transforms.push_back(Transform::translation(std::move(v)));
  }
  for (int i = 0; i < kOfEach; ++i) transforms.push_back(Transform::random_permutation(n, random));
  const bool is_box = has_bound(pair.lower, pair.upper);  // which has no rotations
  for (int i = 0; i < kOfEach && !is_box; ++i) transforms.push_back(Transform::random_orthogonal(n, random));
  for (const double lambda : options.lambdas) transforms.push_back(Transform::geometric_scaling(lambda));
  for (const double lambda : options.lambdas) transforms.push_back(Transform::function_scaling(lambda));
  return transforms;
}

// gamma that the algorithm takes at x_0 when the choice is left to it.
double own_gamma(const Algorithm& algorithm, Objective& objective, const FirstPair& pair) {
  return first_input(algorithm, objective, pair).gamma;
}

// T of the bounds of one side, which move along with x.
Vector moved(const Transform& transform, const Vector& bounds) {
  return bounds.size() > 0 ? transform.point(bounds) : bounds;
}

// An algorithm on a problem.
class Bench {
 public:
  Bench(const CheckedAlgorithm& algorithm, std::size_t problem, const PrincipleOptions& options)
      : checked_(algorithm),
        problem_(problem),
        options_(options),
        objective_(make_inside(options.problems[problem])),
        pair_(make_first_pair(options.problems[problem], *objective_)),
        transforms_(make_transforms(pair_, options, problem)) {}

  // Every mode with every transformation, Gamma as it is.
  std::vector<Comparison> compare_all() {
    std::vector<Comparison> results;
    for (std::size_t mode = 0; mode < options_.modes.size(); ++mode) {
      const bool given = options_.modes[mode].gamma == CheckedMode::Gamma::kGiven;
      prepare(mode, given ? gamma() : std::numeric_limits<double>::quiet_NaN());
      for (std::size_t t = 0; t < transforms_.size(); ++t) results.push_back(compare(mode, t, gamma_));
    }
    return results;
  }

  // The same pair of runs with gamma on the original and lambda^exponent gamma on the transformed problem.
  Comparison compare_tuned(const Comparison& failed, double exponent) {
    prepare(failed.mode, gamma());
    const double lambda = transforms_[failed.transform].lambda();
    return compare(failed.mode, failed.transform, scale_power(lambda, exponent) * gamma_);
  }

 private:
  double gamma() { return own_gamma(checked_.make({}), *objective_, pair_); }

  // The original run and its tolerance.
  void prepare(std::size_t mode, double gamma) {
    if (path_.empty() || mode != mode_ || !(gamma == gamma_)) {
      mode_ = mode;
      gamma_ = gamma;
      const Algorithm algorithm = checked_.make({.step_size = gamma});
      path_ = record_path(algorithm, *objective_, pair_, options_.modes[mode], options_.iterations);
      cut_where_diverged(path_, pair_.x_prev);
      calibration_.emplace(algorithm, *objective_, pair_, options_.modes[mode], path_, options_.seed + 1000 * problem_);
    }
  }

  Comparison compare(std::size_t mode, std::size_t t, double gamma) {
    const Transform& transform = transforms_[t];
    TransformedObjective f(*objective_, transform);
    const FirstPair pair{.x_prev = transform.point(pair_.x_prev),
                         .x = transform.point(pair_.x),
                         .lower = moved(transform, pair_.lower),
                         .upper = moved(transform, pair_.upper)};
    const Path other =
        record_path(checked_.make({.step_size = gamma}), f, pair, options_.modes[mode], options_.iterations);
    const std::vector<double> deviation = deviations(path_, pair_.x_prev, other, &transform);
    Comparison result{.problem = problem_,
                      .mode = mode,
                      .transform = t,
                      .principle = transform.principle(),
                      .transform_name = transform.name()};
    if (is_scaling(transform.principle()) && is_power_of_two(transform.lambda()))
      compare_bits(path_, other, deviation, transform, result);
    else
      compare_within_tolerance(deviation, *calibration_, result);
    return result;
  }

  const CheckedAlgorithm& checked_;
  std::size_t problem_;
  const PrincipleOptions& options_;
  std::unique_ptr<Objective> objective_;
  FirstPair pair_;
  std::vector<Transform> transforms_;

  std::size_t mode_ = 0;
  double gamma_ = std::numeric_limits<double>::quiet_NaN();
  Path path_;
  std::optional<Calibration> calibration_;
};

// The worst comparison of a cell is the one that broke first or, where none did, the one nearest to its tolerance.
bool is_worse(const Comparison& a, const Comparison& b) {
  if (a.passed() != b.passed()) return !a.passed();
  if (!a.passed() && a.first_iteration != b.first_iteration) return a.first_iteration < b.first_iteration;
  return a.passed() ? a.ratio > b.ratio : a.deviation > b.deviation;
}

// The exponents of lambda that are tried: gamma may have the unit of any small power of x and f.
constexpr double kExponents[] = {1, -1, 2, -2, 0.5, -0.5, 1.5, -1.5, 3, -3, 4, -4};

// All comparisons of one algorithm and their verdicts.
class RowMaker {
 public:
  RowMaker(const CheckedAlgorithm& algorithm, const PrincipleOptions& options)
      : checked_(algorithm), options_(options), first_(options.problems.size()), tuned_(options.problems.size()) {}

  // The first round: i = 0 is Principle 1, the others are the problems; each writes to a place of its own.
  void run_task(std::size_t i) {
    if (i == 0)
      dimension_ = check_dimension(checked_, options_);
    else
      first_[i - 1] = Bench(checked_, i - 1, options_).compare_all();
  }

  // The second round, and ...
  void find_exponents() {
    for (const Principle principle : {Principle::kGeometricScaling, Principle::kFunctionScaling}) {
      const Comparison* worst = nullptr;
      for (const std::vector<Comparison>& problem : first_)
        for (const Comparison& c : problem)
          if (c.principle == principle && c.informative && !c.passed() && (!worst || c.deviation > worst->deviation))
            worst = &c;
      if (worst == nullptr) continue;
      Bench bench(checked_, worst->problem, options_);
      for (const double exponent : kExponents) {
        const Comparison tuned = bench.compare_tuned(*worst, exponent);
        if (!tuned.passed() || !tuned.informative) continue;
        exponents_[static_cast<std::size_t>(principle)] = exponent;
        break;
      }
    }
  }

  // ... the third.
  void verify(std::size_t problem) {
    std::optional<Bench> bench;
    tuned_[problem] = first_[problem];
    for (Comparison& c : tuned_[problem]) {
      const std::optional<double>& exponent = exponents_[static_cast<std::size_t>(c.principle)];
      if (!exponent || c.passed() || !c.informative) continue;
      if (!bench) bench.emplace(checked_, problem, options_);
      c = bench->compare_tuned(c, *exponent);
    }
  }

  PrincipleRow row() const {
    PrincipleRow row{.algorithm = checked_.name, .cells = {}};
    row.cells[0] = dimension_;
    for (std::size_t i = 1; i < kNumPrinciples; ++i) row.cells[i] = make_cell(kPrinciples[i]);
    return row;
  }

 private:
  PrincipleCell make_cell(Principle principle) const {
    PrincipleCell as_it_is = summarize(principle, first_);
    const std::optional<double>& exponent = exponents_[static_cast<std::size_t>(principle)];
    if (as_it_is.verdict == Verdict::kHolds || !exponent) return as_it_is;
    PrincipleCell tuned = summarize(principle, tuned_);
    if (tuned.verdict != Verdict::kHolds) return as_it_is;
    tuned.verdict = Verdict::kTuned;
    tuned.exponent = exponent;
    tuned.untuned_deviation = as_it_is.deviation;
    tuned.note = fmt::format("gamma -> lambda^{} gamma", *exponent);
    return tuned;
  }

  PrincipleCell summarize(Principle principle, const std::vector<std::vector<Comparison>>& all) const {
    PrincipleCell cell;
    cell.claimed = checked_.claims.at(principle);
    cell.iterations = std::numeric_limits<std::int64_t>::max();
    const Comparison* worst = nullptr;
    cell.is_asked = false;
    for (const std::vector<Comparison>& problem : all) {
      for (const Comparison& c : problem) {
        if (c.principle != principle) continue;
        cell.is_asked = true;
        if (!c.informative) continue;
        ++cell.compared;
        cell.iterations = std::min(cell.iterations, c.iterations);
        cell.tolerance = std::max(cell.tolerance, c.tolerance);
        if (worst == nullptr || is_worse(c, *worst)) worst = &c;
        cell.deviation = std::max(cell.deviation, c.deviation);
      }
    }
    if (worst == nullptr) {
      cell.iterations = 0;
      cell.note = !cell.is_asked ? "a box has no rotations" : "round-off hides every run, nothing could be compared";
      return cell;
    }
    cell.verdict = worst->passed() ? Verdict::kHolds : Verdict::kFails;
    cell.worst = describe(*worst);
    return cell;
  }

  WorstRun describe(const Comparison& c) const {
    const CheckedMode& mode = options_.modes[c.mode];
    return {
        .problem = options_.problems[c.problem].name,
        .mode = fmt::format("{}, safeguard {}{}", mode.line_search, mode.safeguard == Safeguard::kOff ? "off" : "on",
                            mode.gamma == CheckedMode::Gamma::kGiven ? ", gamma given" : ""),
        .transform = c.transform_name,
        .deviation = c.deviation,
        .tolerance = c.tolerance,
        .first_iteration = c.first_iteration};
  }

  const CheckedAlgorithm& checked_;
  const PrincipleOptions& options_;
  PrincipleCell dimension_;
  std::vector<std::vector<Comparison>> first_, tuned_;  // by problem
  std::array<std::optional<double>, kNumPrinciples> exponents_;
};

}  // namespace

bool PrincipleRow::as_claimed() const {
  return std::ranges::all_of(cells, [](const PrincipleCell& cell) { return cell.as_claimed(); });
}

std::vector<PrincipleRow> check_principles(const std::vector<CheckedAlgorithm>& algorithms,
                                           const PrincipleOptions& options) {
  if (have_bounds(options.problems))
    for (const CheckedAlgorithm& algorithm : algorithms)
      if (!takes_bounds(algorithm))
        throw std::invalid_argument("check_principles: expected an algorithm that takes bounds, such as bfgs, found '" +
                                    algorithm.name + "'");
  std::vector<RowMaker> makers;
  for (const CheckedAlgorithm& algorithm : algorithms) makers.emplace_back(algorithm, options);
  const std::size_t num_problems = options.problems.size();
  const std::size_t num_tasks = num_problems + 1;
  const std::size_t total = makers.size() * (num_tasks + 1 + num_problems);
  std::mutex mutex;
  std::size_t done = 0;
  const auto in_parallel = [&](std::size_t per_algorithm, const std::function<void(RowMaker&, std::size_t)>& work) {
    parallel_for(static_cast<Index>(makers.size() * per_algorithm), options.jobs, [&](Index index, int) {
      const auto i = static_cast<std::size_t>(index);
      work(makers[i / per_algorithm], i % per_algorithm);
      const std::lock_guard lock(mutex);
      ++done;
      if (options.observer) options.observer(done, total);
    });
  };
  in_parallel(num_tasks, [](RowMaker& maker, std::size_t i) { maker.run_task(i); });
  in_parallel(1, [](RowMaker& maker, std::size_t) { maker.find_exponents(); });
  in_parallel(num_problems, [](RowMaker& maker, std::size_t problem) { maker.verify(problem); });
  std::vector<PrincipleRow> rows;
  for (const RowMaker& maker : makers) rows.push_back(maker.row());
  return rows;
}

}  // namespace loa

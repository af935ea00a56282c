// From the user's start to x_0, and into the loop.
#include "loa/minimize.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <functional>
#include <sstream>
#include <stdexcept>
#include <string>
#include <typeinfo>
#include <utility>

#include "algorithm/refinement.h"
#include "algorithm/run_since.h"
#include "algorithm/stopping.h"
#include "algorithm/warm_step.h"
#include "algorithm/working_precision.h"
#include "base/text.h"
#include "core/bounds.h"
#include "core/collective.h"
#include "core/first_length.h"

namespace loa {
namespace {

void require(bool condition, const std::string& what) {
  if (!condition) throw std::invalid_argument("minimize: " + what);
}

void check(const Objective& f, const Vector& x0, const Options& options) {
  require(x0.size() == f.dimension(), "expected a start of length " + std::to_string(f.dimension()) +
                                          ", found one of " + std::to_string(x0.size()));
  require(options.gtol >= 0.0 && options.gtol_relative >= 0.0 && options.ftol >= 0.0,
          "expected tolerances of 0 or more");
  require(options.max_iterations >= 0 && options.max_evaluations > 0 && options.max_seconds >= 0.0,
          "expected limits that are not negative, and at least one evaluation");
  require(!options.first_step || (*options.first_step > 0.0 && std::isfinite(*options.first_step)),
          "expected a positive first step");
}

// A number as a person would write it: 1e-06, not 0.000001.
std::string text(double value) {
  std::ostringstream stream;
  stream << value;
  return stream.str();
}

void check_eigenvalue_range(const Algorithm& algorithm, const Options& options) {
  const HyperParameters& h = options.hyper_parameters;
  const auto positive = [](double value) { return value > 0.0 && std::isfinite(value); };
  if (options.safeguard != Safeguard::kSpectrum) {
    require(std::isnan(h.smallest_eigenvalue) && std::isnan(h.largest_eigenvalue) && !options.lipschitz,
            "expected no eigenvalues and no Lipschitz constant without the safeguard spectrum, found some");
    return;
  }
  require(std::isnan(h.smallest_eigenvalue) || positive(h.smallest_eigenvalue),
          "expected a positive smallest eigenvalue, found " + text(h.smallest_eigenvalue));
  require(std::isnan(h.largest_eigenvalue) || positive(h.largest_eigenvalue),
          "expected a positive largest eigenvalue, found " + text(h.largest_eigenvalue));
  require(!(h.smallest_eigenvalue > h.largest_eigenvalue),
          "expected a smallest eigenvalue that is at most the largest one, found " + text(h.smallest_eigenvalue) +
              " and " + text(h.largest_eigenvalue));
  require(!options.lipschitz || positive(*options.lipschitz), "expected a positive Lipschitz constant");
  require(algorithm.storage->is_incremental(),
          "expected an algorithm with an inverse Hessian (bfgs, sr1, loa-bfgs) for the "
          "safeguard spectrum, found '" +
              algorithm.name + "'");
}

bool has_bound(const Options& options) { return loa::has_bound(options.lower, options.upper); }

void check_bounds(const Algorithm& algorithm, Index n, const Options& options) {
  const std::string mistake = mistake_in_bounds(n, options.lower, options.upper);
  require(mistake.empty(), mistake);
  if (!has_bound(options)) return;
  require(algorithm.storage->takes_bounds(),
          "expected auto, bfgs+d, bfgs+, sr1+, loa, bfgs, l-bfgs+d, l-bfgs+ or l-bfgs for bounds, found '" +
              algorithm.name + "'");
  require(options.safeguard != Safeguard::kSpectrum, "expected no bounds with the safeguard spectrum, found some");
  require(!options.initial_inverse_hessian || algorithm.storage->needs_matrix(),
          "expected bfgs+d, bfgs+, sr1+, loa or bfgs for an initial inverse Hessian with bounds, found '" +
              algorithm.name + "'");
}

// What the safeguard `spectrum` starts from: the ends of [c, C] that are known before x_0. The storage fills in the
// others.
Guarantee promise(const Algorithm& algorithm, const Options& options) {
  const HyperParameters& h = options.hyper_parameters;
  Guarantee guarantee;
  guarantee.applies = true;
  guarantee.gamma = std::isnan(h.step_size) ? 1.0 : h.step_size;
  if (options.lipschitz) guarantee.lipschitz = *options.lipschitz;
  guarantee.eigenvalues = {h.smallest_eigenvalue, h.largest_eigenvalue};
  // The decrease that Theorem 2 promises along an eigenvector of C, gamma C (1 - L gamma C/2), is largest for this C.
  if (std::isnan(h.largest_eigenvalue) && options.lipschitz && line_search_for(algorithm, options)->name() == "fixed")
    guarantee.eigenvalues.largest =
        std::max(1.0 / (guarantee.gamma * *options.lipschitz), guarantee.eigenvalues.smallest);
  return guarantee;
}

void check_initial_inverse_hessian(const Algorithm& algorithm, const Options& options) {
  require(
      !options.initial_inverse_hessian || algorithm.storage->takes_initial_inverse_hessian(),
      "expected a quasi-Newton algorithm with a matrix, l-bfgs+ or l-bfgs+d for an initial inverse Hessian, found '" +
          algorithm.name + "'");
  require(!options.initial_inverse_hessian || options.safeguard != Safeguard::kSpectrum,
          "expected no initial inverse Hessian with the safeguard spectrum, found one");
}

void check_warm_start(const Algorithm& algorithm, const Vector& x0, const Options& options) {
  if (!options.warm.has_B()) return;
  require(options.safeguard != Safeguard::kSpectrum, "expected no warm start with the safeguard spectrum, found one");
  require(!options.initial_inverse_hessian, "expected either a warm start or an initial inverse Hessian, found both");
  if (const std::string mistake = mistake_in_warm_start(algorithm, options.warm, x0); !mistake.empty())
    require(false, mistake);
}

const LinearOperator* initial_inverse_hessian_of(const Options& options) {
  return options.initial_inverse_hessian ? &options.initial_inverse_hessian : nullptr;
}

// The search along -g_{-1}: weak-wolfe where the run itself has that one, since every search accepts less then.
std::shared_ptr<const LineSearch> search_of_first_step(const Algorithm& algorithm, const Options& options) {
  if (options.first_step) return make_line_search("fixed");
  std::shared_ptr<const LineSearch> own = line_search_for(algorithm, options);
  return own->name() == "weak-wolfe" ? own : make_line_search("more-thuente");
}

// A first step that a user has fixed is one along -g.
std::shared_ptr<const LineSearch> search_of_warm_step(const Algorithm& algorithm, Options options) {
  options.first_step.reset();
  return search_of_first_step(algorithm, options);
}

// Beyond this length the way along -descent, which is as long as `norm` says, moves no coordinate any more: the last
// one has come to its bound. Infinity where one has none. A first trial that is far longer meets f in a corner of the
// bounds and leaves the search a bracket of which nearly all is that corner: a parabola on [1e6, 1e6 + 1] took 12
// evaluations where it takes 4.
double length_to_last_bound(const State& state, const Vector& descent, double norm) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  constexpr double kBeyond = 1.0 + 0x1p-49;  // for the rounding of x
  if (state.bounds == nullptr) return kInfinity;
  double last = 0.0;
  for (Index i = 0; i < state.dimension(); ++i) {
    if (descent(i) == 0.0) continue;
    const double room = descent(i) > 0.0 ? state.x(i) - state.bounds->lower(i) : state.bounds->upper(i) - state.x(i);
    last = std::max(last, room / (std::abs(descent(i)) / norm));
  }
  state.reduction->max(last);
  return last > 0.0 ? kBeyond * last : kInfinity;
}

// x_0 from x_{-1} by a gradient step. Returns kRunning when it was made.
Status take_first_step(CountedObjective& f, const Algorithm& algorithm, const Options& options, State& state) {
  Vector changed_grad;  // the free gradient, H_0 g, or the free part of H_0 times the free gradient, which descends
  const bool is_changed = state.initial_inverse_hessian != nullptr || state.bounds != nullptr;
  if (is_changed) free_gradient(state, changed_grad);
  if (state.initial_inverse_hessian != nullptr) {
    const Vector free = changed_grad;
    (*state.initial_inverse_hessian)(free, changed_grad);
    set_held_to_zero(state, changed_grad);
  }
  const Vector& descent = is_changed ? changed_grad : state.grad;
  const double length = norm(descent, *state.reduction);
  const double slope =
      state.initial_inverse_hessian != nullptr ? dot(state.grad, descent, *state.reduction) / length : length;
  if (slope < 0.0) return Status::kLineSearchFailed;  // H_0 is not positive definite
  const double trial_length = std::min(first_trial_length(state, slope), length_to_last_bound(state, descent, length));
  // Divided first: the quotient of a length and a gradient may leave the range of a double where neither does.
  const Vector direction =
      options.first_step ? Vector(-*options.first_step * descent) : Vector(-trial_length * (descent / length));
  Ray ray;
  ray.start(f, state, direction, dot(state.grad, direction, *state.reduction), options.max_evaluations);
  Trial trial;
  const LineSearchOutcome outcome = search_of_first_step(algorithm, options)->search(ray, 1.0, trial);
  if (outcome != LineSearchOutcome::kAccepted) {
    note_best_trial(ray, state);
    if (outcome == LineSearchOutcome::kUnbounded) return Status::kObjectiveIsUnbounded;
    if (!(ray.best().finite && ray.best().f < state.f)) {
      if (outcome == LineSearchOutcome::kExhausted) return Status::kEvaluationLimitReached;
      if (options.first_step) return Status::kObjectiveBecameNotFinite;
      state.evidence.round_off = ray.round_off();
      FailedSearches failed;
      failed.add(ray.log(), ray.f0(), ray.slope0(), false, state);
      return failed.at_working_precision(state) ? Status::kConvergedToWorkingPrecision : Status::kLineSearchFailed;
    }
    trial = ray.best();
    ray.accept(trial);
  }
  state.evidence.round_off = ray.round_off();
  if (ray.lowest().f < ray.f()) note_best_trial(ray, state);
  const double grad_inf_norm = ray.grad_inf_norm();
  const double curvature = ray.accepted_chord(trial, norm(direction, *state.reduction)).curvature;
  state.x_prev = std::exchange(state.x, std::move(ray.x()));
  state.f_prev = std::exchange(state.f, ray.f());
  state.grad_prev = std::exchange(state.grad, std::move(ray.grad()));
  state.direction_prev = direction;
  state.step_size = trial.step;
  note_progress(state, grad_inf_norm);
  note_evidence(trial, ray.slope0(), curvature, state);
  return Status::kRunning;
}

// Whether a state has what the algorithm keeps, found out by making a first state in one dimension.
bool has_parts(const Algorithm& algorithm, const State& state, const Bounds* bounds) {
  State first;
  first.x = first.grad = Vector::Constant(1, 2.0);
  first.x_prev = first.grad_prev = Vector::Constant(1, 1.0);
  first.bounds = bounds;
  algorithm.storage->initialize(first);
  const InverseHessian *expected = first.B.get(), *found = state.B.get();
  return (expected == nullptr) == (found == nullptr) && (found == nullptr || typeid(*expected) == typeid(*found)) &&
         first.memory.size() == state.memory.size() && std::isnan(first.gamma) == std::isnan(state.gamma) &&
         first.hidden.cols() == state.hidden.cols() &&
         state.hidden.rows() == (first.hidden.cols() > 0 ? state.dimension() : 0);
}

// Refuses a state that lacks parts. With bounds a matrix may be one of the parts, as without, where the run has begun
// with one.
void check_parts(const Algorithm& algorithm, const State& state, const Options& options) {
  const Vector none;
  const Bounds bounds(none, none);
  require(has_parts(algorithm, state, nullptr) || (has_bound(options) && has_parts(algorithm, state, &bounds)),
          "expected a complete state of '" + algorithm.name + "', found one in which parts are missing or others");
}

// FNV-1a over the bits of numbers.
class Hash {
 public:
  void add(double number) { value_ = (value_ ^ std::bit_cast<std::uint64_t>(number)) * 0x100000001b3ULL; }
  std::uint64_t value() const { return value_; }

 private:
  std::uint64_t value_ = 0xcbf29ce484222325ULL;
};

// Of theta and Gamma, to tell configurations apart.
std::int64_t configuration_hash(const Algorithm& algorithm, const Options& options) {
  const HyperParameters& h = options.hyper_parameters;
  Hash hash;
  for (const double weight : algorithm.model->theta()) hash.add(weight);
  for (const double number : {h.step_size, h.momentum, h.beta1, h.beta2}) hash.add(number);
  hash.add(static_cast<double>(h.memory));
  if (options.safeguard == Safeguard::kSpectrum)
    for (const double number : {h.smallest_eigenvalue, h.largest_eigenvalue, options.lipschitz.value_or(0.0)})
      hash.add(number);
  if (options.initial_inverse_hessian) hash.add(1.0);
  return static_cast<std::int64_t>(hash.value());
}

// The same with the bounds of this slice, for states. No vector is infinite bounds, and -0 is 0: the problem is the
// same.
std::int64_t hash_with_bounds(const Algorithm& algorithm, const Options& options) {
  const std::int64_t without = configuration_hash(algorithm, options);
  if (!has_bound(options)) return without;
  const Bounds bounds(options.lower, options.upper);
  const Index n = std::max(options.lower.size(), options.upper.size());
  Hash hash;
  hash.add(static_cast<double>(without));
  for (const auto bound : {&Bounds::lower, &Bounds::upper}) {
    hash.add(static_cast<double>(n));
    for (Index i = 0; i < n; ++i) hash.add((bounds.*bound)(i) + 0.0);
  }
  return static_cast<std::int64_t>(hash.value());
}

using MakeAlgorithm = std::function<Algorithm()>;

const Reduction& reduction_of(const Options& options) {
  return options.reduction != nullptr ? *options.reduction : Reduction::serial();
}

// The processes of a distributed run meet before the first evaluation: an exception on one of them, in the check of its
// arguments, ends all, and they must be about to do the same. `purpose` is a number that stands for what this one does.
// Returns whether one of them has bounds.
bool meet(const Options& options, const PendingException& exception, double purpose) {
  if (!reduction_of(options).is_distributed()) return has_bound(options);
  std::array<double, 4> maxima = {exception.flag(), purpose, -purpose, has_bound(options) ? 1.0 : 0.0};
  reduction_of(options).reduce({}, maxima);
  exception.raise(maxima[0]);
  require(maxima[1] == -maxima[2],
          "expected the same algorithm and options on all processes of a distributed run, found different ones");
  return maxima[3] > 0.0;
}

// The algorithm, its configuration, where it goes on from, and all options that must be the same on all processes.
double purpose_of(const Algorithm& algorithm, const Options& options, double iteration) {
  Hash hash;
  hash.add(iteration);
  for (const char c : algorithm.name + "/" + line_search_for(algorithm, options)->name()) hash.add(c);
  hash.add(static_cast<double>(configuration_hash(algorithm, options)));
  for (const double number :
       {static_cast<double>(options.safeguard), options.first_step.value_or(0.0), options.gtol, options.gtol_relative,
        options.ftol, static_cast<double>(options.max_iterations), static_cast<double>(options.max_evaluations)})
    hash.add(number);
  if (options.warm.has_B()) hash.add(2.0);
  return static_cast<double>(hash.value() >> 11);  // 53 bits: exact as a double
}

void check_slices(const Algorithm& algorithm, const Options& options) {
  require(!reduction_of(options).is_distributed() || !algorithm.storage->needs_matrix(),
          "expected an algorithm for a distributed run that keeps vectors alone, such as l-bfgs+, found '" +
              algorithm.name + "', which keeps a matrix");
}

// A run that ended before the loop began. Its trace is the start.
Summary ended(Status status, CountedObjective& f, State state, const Options& options) {
  state.evaluations = f.count();
  Summary s = summarize(status, std::move(state));
  if (options.keep_trace) s.trace.push_back({0, s.f, s.grad_inf_norm, 0.0, s.evaluations.value, 0.0});
  return s;
}

// f and the gradient at the start, on all processes. Returns whether they and the start are finite. f is not
// asked at a start that is not, as it is not at such trials; NaN is outside of all bounds.
bool evaluate_start(CountedObjective& f, State& state) {
  state.grad.setConstant(state.dimension(), std::numeric_limits<double>::quiet_NaN());
  if (!std::isfinite(inf_norm(state.x, *state.reduction))) return false;
  PendingException exception;
  exception.guard(*state.reduction, [&] { state.f = f.value_and_gradient(state.x, state.grad); });
  std::array<double, 3> maxima = {state.f, projected_inf_norm(state.bounds, state.x, state.grad), exception.flag()};
  state.reduction->reduce({}, maxima);
  exception.raise(maxima[2]);
  state.f = state.f_start = state.lowest_f = state.f_at_progress = maxima[0];
  state.grad_inf_norm_start = state.lowest_grad_inf_norm = maxima[1];
  return std::isfinite(maxima[0]) && std::isfinite(maxima[1]);
}

// A state that knows what the run is, and nothing of f yet.
State unborn(const Algorithm& algorithm, const Options& options, const Bounds* bounds) {
  State state;
  state.algorithm = algorithm.name;
  state.configuration_hash = hash_with_bounds(algorithm, options);
  state.bounds = bounds;
  state.reduction = &reduction_of(options);
  state.initial_inverse_hessian = initial_inverse_hessian_of(options);
  if (options.safeguard == Safeguard::kSpectrum) state.guarantee = promise(algorithm, options);
  return state;
}

// After the verdict `status` on a start, or on the step from there: the verdict with better gradients, or the same one.
Status test_refined_start(CountedObjective& f, const Options& options, State& state, Status status) {
  if (!refine(f, options, state)) return status;
  state.grad_inf_norm_start = state.lowest_grad_inf_norm;
  return test_convergence(state, state.grad_inf_norm_start, options);
}

Status evaluate_and_test_start(CountedObjective& f, const Options& options, State& state) {
  if (!evaluate_start(f, state)) return Status::kStartIsNotFinite;
  const Status status = test_convergence(state, state.grad_inf_norm_start, options);
  return error_hides_tolerance(f, status, options, state) ? test_refined_start(f, options, state, status) : status;
}

// From x_{-1}, which has passed the tests, by a gradient step.
Summary start_cold(CountedObjective& f, const Algorithm& algorithm, const Options& options, const Clock& clock,
                   State state) {
  Status status = take_first_step(f, algorithm, options, state);
  const bool is_stuck = status == Status::kLineSearchFailed || status == Status::kConvergedToWorkingPrecision;
  if (is_stuck && is_refinable(f, options, state)) {
    status = test_refined_start(f, options, state, status);
    if (status == Status::kRunning) status = take_first_step(f, algorithm, options, state);
  }
  if (status != Status::kRunning) return ended(status, f, std::move(state), options);
  algorithm.storage->initialize(state);
  return run_since(algorithm, f, std::move(state), options, clock);
}

// Moves the start inside, and notes how many of its coordinates were not.
void move_inside(State& state) {
  if (state.bounds != nullptr) state.num_projected = project(*state.bounds, state.x);
}

// At the point of the warm start, by a step with its B, or at x0 where that leads nowhere (algorithm/warm_step.h).
Summary start_warm(CountedObjective& f, const Vector& x0, const Algorithm& algorithm, const Options& options,
                   const Bounds* bounds, const Clock& clock) {
  State cold = unborn(algorithm, options, bounds), state = cold;
  cold.x = x0;
  state.x = options.warm.x();
  move_inside(cold);
  move_inside(state);
  const bool is_elsewhere = inf_norm(state.x - cold.x, *state.reduction) != 0.0;
  Status status = evaluate_and_test_start(f, options, state);
  if (is_success(status) || (!is_elsewhere && status != Status::kRunning))
    return ended(status, f, std::move(state), options);
  const WarmStep step = status == Status::kRunning
                            ? take_warm_step(f, algorithm, *search_of_warm_step(algorithm, options), options, state)
                            : WarmStep::kRefused;
  if (step == WarmStep::kKept || (step == WarmStep::kDropped && !is_elsewhere)) {
    if (step == WarmStep::kDropped) algorithm.storage->initialize(state);
    return run_since(algorithm, f, std::move(state), options, clock);
  }
  if (is_elsewhere) {
    if (f.count().value >= options.max_evaluations)
      return ended(Status::kEvaluationLimitReached, f, std::move(state), options);
    cold.fallbacks.warm = 1;
    status = evaluate_and_test_start(f, options, cold);
    remember_lower(state, cold);
    if (status != Status::kRunning) return ended(status, f, std::move(cold), options);
    state = std::move(cold);
  }
  return start_cold(f, algorithm, options, clock, std::move(state));
}

Options without_warm_start(Options options) {
  options.warm = {};
  return options;
}

Summary start(Objective& objective, const Vector& x0, const Algorithm& algorithm, const Options& options,
              const Bounds* bounds) {
  const Clock clock;
  CountedObjective f(objective);
  if (options.warm.has_B()) return start_warm(f, x0, algorithm, options, bounds, clock);
  State state = unborn(algorithm, options, bounds);
  state.x = x0;
  move_inside(state);
  const Status status = evaluate_and_test_start(f, options, state);
  return status != Status::kRunning ? ended(status, f, std::move(state), options)
                                    : start_cold(f, algorithm, options, clock, std::move(state));
}

// The same from the start of a run that ended before x_0. That start is inside already.
Summary start_again(Objective& objective, const State& state, const Algorithm& algorithm, const Options& options,
                    const Bounds* bounds) {
  Summary summary = start(objective, state.x, algorithm, without_warm_start(options), bounds);
  summary.state.num_projected = state.num_projected;
  if (summary.bounds) summary.bounds->num_projected = state.num_projected;
  return summary;
}

// Runs `algorithm`, as run(algorithm, bounds), on all processes, after check(algorithm) on each.
template <typename Check, typename Run>
Summary run_together(const Options& options, const MakeAlgorithm& make, const Check& check, const Run& run,
                     double iteration = 0.0) {
  PendingException exception;
  Algorithm algorithm;
  double purpose = 0.0;
  exception.guard(reduction_of(options), [&] {
    algorithm = make();
    check(algorithm);
    check_slices(algorithm, options);
    purpose = purpose_of(algorithm, options, iteration);
  });
  const bool is_bounded = meet(options, exception, purpose);
  const Bounds bounds(options.lower, options.upper);
  return run(algorithm, is_bounded ? &bounds : nullptr);
}

Summary minimize_with(Objective& f, const Vector& x0, const MakeAlgorithm& make, const Options& options) {
  const auto check_all = [&](const Algorithm& algorithm) {
    check(f, x0, options);
    check_eigenvalue_range(algorithm, options);
    check_initial_inverse_hessian(algorithm, options);
    check_warm_start(algorithm, x0, options);
    check_bounds(algorithm, x0.size(), options);
  };
  return run_together(options, make, check_all, [&](const Algorithm& algorithm, const Bounds* bounds) {
    return start(f, x0, algorithm, options, bounds);
  });
}

Summary resume_with(Objective& objective, const State& state, const MakeAlgorithm& make, const Options& options) {
  // A run that ended before x_0 has nothing but its start. A slice without coordinates is known by f alone.
  const bool has_pair =
      reduction_of(options).is_distributed() ? !std::isnan(state.f_prev) : state.x_prev.size() == state.x.size();
  const auto check_state = [&](const Algorithm& algorithm) {
    require(state.dimension() == objective.dimension(), "expected a state of dimension " +
                                                            std::to_string(objective.dimension()) + ", found one of " +
                                                            std::to_string(state.dimension()));
    require(state.algorithm == algorithm.name,
            "expected a state of '" + algorithm.name + "', found one of '" + state.algorithm + "'");
    check_eigenvalue_range(algorithm, options);
    check_initial_inverse_hessian(algorithm, options);
    check_bounds(algorithm, state.dimension(), options);
    require(state.configuration_hash == hash_with_bounds(algorithm, options),
            "expected the weights, hyper-parameters, eigenvalues, initial inverse Hessian and bounds with which the "
            "state was made, found others");
    if (has_pair && state.dimension() > 0) check_parts(algorithm, state, options);
    if (!has_pair) check(objective, state.x, options);
  };
  return run_together(
      options, make, check_state,
      [&](const Algorithm& algorithm, const Bounds* bounds) {
        if (!has_pair) return start_again(objective, state, algorithm, options, bounds);
        CountedObjective f(objective);
        f.set_count(state.evaluations);
        State copy = state;
        copy.reduction = &reduction_of(options);
        copy.initial_inverse_hessian = initial_inverse_hessian_of(options);
        copy.bounds = bounds;
        return run(algorithm, f, std::move(copy), options);
      },
      static_cast<double>(state.iteration));
}

MakeAlgorithm named(const std::string& name, const Options& options) {
  return [&options, name] { return make_algorithm(name, options.hyper_parameters, options.weights); };
}

MakeAlgorithm given(const Algorithm& algorithm) {
  return [&algorithm] { return algorithm; };
}

}  // namespace

Summary minimize(Objective& f, const Vector& x0, const Algorithm& algorithm, const Options& options) {
  return minimize_with(f, x0, given(algorithm), options);
}

Summary minimize(Objective& f, const Vector& x0, const Options& options) {
  return minimize_with(f, x0, named(algorithm_for(options, x0.size()), options), options);
}

Summary minimize(const Function& f, const Vector& x0, const Options& options) {
  FunctionObjective objective(x0.size(), f);
  return minimize(objective, x0, options);
}

Summary minimize(const ValueFunction& f, const Vector& x0, const Options& options) {
  DifferenceObjective objective(x0.size(), f, {.lower = options.lower, .upper = options.upper});
  return minimize(objective, x0, options);
}

Summary resume(Objective& f, const State& state, const Options& options) {
  return resume_with(
      f, state, named(lower_case(options.algorithm) == "auto" ? state.algorithm : options.algorithm, options), options);
}

Summary resume(Objective& f, const State& state, const Algorithm& algorithm, const Options& options) {
  return resume_with(f, state, given(algorithm), options);
}

}  // namespace loa

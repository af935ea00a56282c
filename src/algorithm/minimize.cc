// From the user's start to x_0, and into the loop.
#include "loa/minimize.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <sstream>
#include <stdexcept>
#include <string>
#include <typeinfo>

#include "algorithm/run_since.h"
#include "algorithm/stopping.h"
#include "algorithm/working_precision.h"
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

// Whether the storage keeps an inverse Hessian inside bounds, found out by making a first state in one dimension.
bool keeps_bounds(const Algorithm& algorithm) {
  State first;
  first.x = first.grad = Vector::Constant(1, 2.0);
  first.x_prev = first.grad_prev = Vector::Constant(1, 1.0);
  first.guarantee.bounded = true;
  algorithm.storage->initialize(first);
  return first.B != nullptr && first.spectrum.lower >= first.guarantee.bounds.lower;
}

void check_bounds(const Algorithm& algorithm, const Options& options) {
  const HyperParameters& h = options.hyper_parameters;
  const auto positive = [](double value) { return value > 0.0 && std::isfinite(value); };
  if (options.safeguard != Safeguard::kBounded) {
    require(std::isnan(h.lower_bound) && std::isnan(h.upper_bound) && !options.lipschitz,
            "expected no bounds and no Lipschitz constant without the safeguard bounded, found some");
    return;
  }
  require(std::isnan(h.lower_bound) || positive(h.lower_bound),
          "expected a positive lower bound, found " + text(h.lower_bound));
  require(std::isnan(h.upper_bound) || positive(h.upper_bound),
          "expected a positive upper bound, found " + text(h.upper_bound));
  require(!(h.lower_bound > h.upper_bound), "expected a lower bound that is at most the upper one, found " +
                                                text(h.lower_bound) + " and " + text(h.upper_bound));
  require(!options.lipschitz || positive(*options.lipschitz), "expected a positive Lipschitz constant");
  require(keeps_bounds(algorithm),
          "expected an algorithm with an inverse Hessian (bfgs, sr1, loa-bfgs) for the "
          "safeguard bounded, found '" +
              algorithm.name + "'");
}

// What bounded mode starts from: the ends of [c, C] that are known before x_0. The storage fills in the others.
Guarantee promise(const Algorithm& algorithm, const Options& options) {
  const HyperParameters& h = options.hyper_parameters;
  Guarantee guarantee;
  guarantee.bounded = true;
  guarantee.gamma = std::isnan(h.step_size) ? 1.0 : h.step_size;
  if (options.lipschitz) guarantee.lipschitz = *options.lipschitz;
  guarantee.bounds = {h.lower_bound, h.upper_bound};
  const std::string& search = options.line_search.empty() ? algorithm.line_search : options.line_search;
  // The decrease that Theorem 2 promises along an eigenvector of C, gamma C (1 - L gamma C/2), is largest for this C.
  if (std::isnan(h.upper_bound) && options.lipschitz && search == "fixed")
    guarantee.bounds.upper = std::max(1.0 / (guarantee.gamma * *options.lipschitz), guarantee.bounds.lower);
  return guarantee;
}

// x_0 from x_{-1} by a gradient step. Returns kRunning when it was made.
Status take_first_step(CountedObjective& f, const Options& options, State& state) {
  const double grad_norm = norm(state.grad, *state.reduction);
  // Divided first: the quotient of a length and a gradient may leave the range of a double where neither does.
  const Vector direction = options.first_step ? Vector(-*options.first_step * state.grad)
                                              : Vector(-first_length(state) * (state.grad / grad_norm));
  Ray ray;
  ray.start(f, state, direction, dot(state.grad, direction, *state.reduction), options.max_evaluations);
  Trial trial;
  const std::string search = options.first_step ? "fixed" : "more-thuente";
  const LineSearchOutcome outcome = make_line_search(search)->search(ray, 1.0, trial);
  if (outcome != LineSearchOutcome::kAccepted) {
    note_best_trial(ray, state);
    if (outcome == LineSearchOutcome::kUnbounded) return Status::kObjectiveIsUnbounded;
    if (!(ray.best().finite && ray.best().f < state.f)) {
      if (outcome == LineSearchOutcome::kExhausted) return Status::kEvaluationLimitReached;
      if (options.first_step) return Status::kObjectiveBecameNotFinite;
      FailedSearches failed;
      failed.add(ray.log(), ray.f0(), ray.slope0(), false, state);
      return failed.at_working_precision(state) ? Status::kConvergedToWorkingPrecision : Status::kLineSearchFailed;
    }
    trial = ray.best();
    ray.accept(trial);
  }
  if (ray.lowest().f < ray.f()) note_best_trial(ray, state);
  state.x_prev = state.x;
  state.f_prev = state.f;
  state.grad_prev = state.grad;
  state.x = ray.x();
  state.f = ray.f();
  state.grad = ray.grad();
  state.direction_prev = direction;
  state.step_size = trial.step;
  note_progress(state, inf_norm(state.grad, *state.reduction));
  note_evidence(trial, ray.slope0(), norm(direction, *state.reduction), state);
  return Status::kRunning;
}

// Refuses a state that lacks what the algorithm keeps, found out by making a first state of the same dimension.
void check_parts(const Algorithm& algorithm, const State& state) {
  State first;
  first.x = state.x;
  first.x_prev = state.x_prev;
  first.grad = state.grad;
  first.grad_prev = state.grad_prev;
  algorithm.storage->initialize(first);
  const InverseHessian *expected = first.B.get(), *found = state.B.get();
  require((expected == nullptr) == (found == nullptr) && (found == nullptr || typeid(*expected) == typeid(*found)) &&
              first.memory.size() == state.memory.size() && first.scalars.size() == state.scalars.size() &&
              first.hidden.cols() == state.hidden.cols() && first.hidden.rows() == state.hidden.rows(),
          "expected a complete state of '" + algorithm.name + "', found one in which parts are missing or others");
}

// FNV-1a over the bits of theta and Gamma, to tell configurations apart.
std::int64_t hash(const Algorithm& algorithm, const Options& options) {
  const HyperParameters& h = options.hyper_parameters;
  std::uint64_t value = 0xcbf29ce484222325ULL;
  const auto add = [&value](double number) {
    value = (value ^ std::bit_cast<std::uint64_t>(number)) * 0x100000001b3ULL;
  };
  for (const double weight : algorithm.model->theta()) add(weight);
  for (const double number : {h.step_size, h.momentum, h.beta1, h.beta2}) add(number);
  add(static_cast<double>(h.memory));
  if (options.safeguard == Safeguard::kBounded)
    for (const double number : {h.lower_bound, h.upper_bound, options.lipschitz.value_or(0.0)}) add(number);
  return static_cast<std::int64_t>(value);
}

// A run that ended before the loop began. Its trace is the start.
Summary ended(Status status, CountedObjective& f, State state, const Options& options) {
  state.evaluations = f.count();
  Summary s = summarize(status, std::move(state));
  if (options.keep_trace) s.trace.push_back({0, s.f, s.grad_inf_norm, 0.0, s.evaluations.value, 0.0});
  return s;
}

}  // namespace

Summary minimize(Objective& objective, const Vector& x0, const Algorithm& algorithm, const Options& options) {
  const Clock clock;
  check(objective, x0, options);
  check_bounds(algorithm, options);
  CountedObjective f(objective);
  State state;
  state.algorithm = algorithm.name;
  state.configuration_hash = hash(algorithm, options);
  if (options.safeguard == Safeguard::kBounded) state.guarantee = promise(algorithm, options);
  state.x = x0;
  state.grad.setConstant(x0.size(), std::numeric_limits<double>::quiet_NaN());
  state.f = state.f_start = state.lowest_f = state.f_at_progress = f.value_and_gradient(state.x, state.grad);
  state.grad_inf_norm_start = inf_norm(state.grad, *state.reduction);
  state.lowest_grad_inf_norm = state.grad_inf_norm_start;
  if (!state.x.allFinite() || !std::isfinite(state.f) || !std::isfinite(state.grad_inf_norm_start))
    return ended(Status::kStartIsNotFinite, f, std::move(state), options);
  Status status = test_convergence(state, state.grad_inf_norm_start, options);
  if (status == Status::kRunning) status = take_first_step(f, options, state);
  if (status != Status::kRunning) return ended(status, f, std::move(state), options);
  algorithm.storage->initialize(state);
  return run_since(algorithm, f, std::move(state), options, clock);
}

Summary minimize(Objective& f, const Vector& x0, const Options& options) {
  const std::string name = algorithm_for(options, x0.size());
  return minimize(f, x0, make_algorithm(name, options.hyper_parameters, options.weights), options);
}

Summary minimize(const Function& f, const Vector& x0, const Options& options) {
  FunctionObjective objective(x0.size(), f);
  return minimize(objective, x0, options);
}

Summary resume(Objective& f, const State& state, const Options& options) {
  const std::string& name = options.algorithm == "auto" ? state.algorithm : options.algorithm;
  return resume(f, state, make_algorithm(name, options.hyper_parameters, options.weights), options);
}

Summary resume(Objective& objective, const State& state, const Algorithm& algorithm, const Options& options) {
  require(state.dimension() == objective.dimension(), "expected a state of dimension " +
                                                          std::to_string(objective.dimension()) + ", found one of " +
                                                          std::to_string(state.dimension()));
  require(state.algorithm == algorithm.name,
          "expected a state of '" + algorithm.name + "', found one of '" + state.algorithm + "'");
  check_bounds(algorithm, options);
  require(state.configuration_hash == hash(algorithm, options),
          "expected the weights, hyper-parameters and bounds with which the state was made, found others");
  if (state.x_prev.size() == state.x.size() && state.dimension() > 0) check_parts(algorithm, state);
  // A run that ended before x_0 has nothing but its start.
  if (state.x_prev.size() != state.x.size()) return minimize(objective, state.x, algorithm, options);
  CountedObjective f(objective);
  f.set_count(state.evaluations);
  return run(algorithm, f, state, options);
}

}  // namespace loa

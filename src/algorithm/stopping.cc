#include "algorithm/stopping.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "algorithm/working_precision.h"
#include "core/bounds.h"

namespace loa {
namespace {

// Restarts and all, after this many times max_idle_iterations a run has stalled: it may learn a new valley four times.
constexpr std::int64_t kPatience = 5;
constexpr double kAccident = 0x1p-26;  // sqrt(eps)

// What is visible: beyond the resolution of a double.
double spacing(const State& state) { return 4.0 * std::numeric_limits<double>::epsilon() * std::abs(state.f); }

}  // namespace

std::int64_t max_idle_iterations(Index n) { return std::clamp<std::int64_t>(n, 20, 500); }

Status test_convergence(const State& state, double grad_inf_norm, const Options& options) {
  if (grad_inf_norm <= options.gtol || grad_inf_norm == 0.0) return Status::kGradientIsSmall;
  if (options.gtol_relative > 0.0 && grad_inf_norm <= options.gtol_relative * state.grad_inf_norm_start)
    return Status::kRelativeGradientIsSmall;
  if (options.ftol > 0.0 && state.iteration > 0 &&
      std::abs(state.f - state.f_prev) <= options.ftol * std::max(std::abs(state.f), std::abs(state.f_prev)))
    return Status::kObjectiveIsFlat;
  return Status::kRunning;
}

bool begins_to_idle(const State& state) {
  const std::int64_t max_idle = max_idle_iterations(state.whole_dimension());
  return state.iterations_without_progress == max_idle || state.iterations_without_progress == kPatience * max_idle;
}

Status test_progress(const State& state) {
  const std::int64_t max_idle = max_idle_iterations(state.whole_dimension());
  const std::int64_t idle = state.iterations_without_progress;
  // An f that falls visibly, however slowly, is not at its resolution.
  const auto falls = [&] { return state.lowest_f < state.f_at_progress - resolution(state); };
  if (idle >= max_idle && !falls() && nothing_is_promised(state)) return Status::kConvergedToWorkingPrecision;
  return idle >= kPatience * max_idle ? Status::kStalled : Status::kRunning;
}

Status test_limits(const State& state, double seconds, const Options& options) {
  if (state.iteration >= options.max_iterations) return Status::kIterationLimitReached;
  if (state.evaluations.value >= options.max_evaluations) return Status::kEvaluationLimitReached;
  if (!(seconds < options.max_seconds)) return Status::kTimeLimitReached;
  return Status::kRunning;
}

void note_progress(State& state, double grad_inf_norm, double promise) {
  // Of all iterations since the last progress. Decreases add up: f_at_progress waits for their sum.
  const double accident = kAccident * static_cast<double>(state.iterations_without_progress + 1);
  const double decrease = accident * promise;
  const bool lower = state.f < state.f_at_progress - (decrease > spacing(state) ? decrease : spacing(state));
  // Beyond what the searches that need descent let pass: a step without a test went up, and progress begins anew.
  const bool rose = state.f > state.f_at_progress + state.evidence.round_off * std::abs(state.f);
  const bool smaller_gradient = grad_inf_norm < (1.0 - accident) * state.lowest_grad_inf_norm;
  state.iterations_without_progress = lower || rose || smaller_gradient ? 0 : state.iterations_without_progress + 1;
  if (lower || rose) state.f_at_progress = state.f;
  if (rose || smaller_gradient) state.lowest_grad_inf_norm = grad_inf_norm;

  state.lowest_f = std::min(state.lowest_f, state.f);
  if (state.best_is_behind) {
    state.best_is_behind = state.f > state.best_f;
  } else if (state.f > state.f_prev) {
    state.best_is_behind = true;
    state.best_f = state.f_prev;
    state.best_x = state.x_prev;
    state.best_grad = state.grad_prev;
  }
}

void note_best_trial(const Ray& ray, State& state) {
  const double lowest = ray.lowest().f;
  if (!(std::isfinite(lowest) && lowest < (state.best_is_behind ? state.best_f : state.f))) return;
  state.best_is_behind = true;
  state.best_f = lowest;
  ray.copy_lowest(state.best_x, state.best_grad);
}

namespace {

ActiveBounds active_bounds(const Bounds& bounds, const Vector& x, const Vector& grad) {
  ActiveBounds result;
  result.active.resize(static_cast<std::size_t>(x.size()));
  result.multipliers.setZero(x.size());
  for (Index i = 0; i < x.size() && i < grad.size(); ++i) {
    if (!bounds.holds(i, x(i), grad(i))) continue;
    const bool is_lower = x(i) <= bounds.lower(i) && (grad(i) >= 0.0 || !(x(i) >= bounds.upper(i)));
    result.active[static_cast<std::size_t>(i)] = is_lower ? -1 : 1;
    result.multipliers(i) = grad(i);
    ++result.num_active;
  }
  return result;
}

}  // namespace

Summary summarize(Status status, State state) {
  Summary s;
  const bool is_behind = state.best_is_behind && state.best_f < state.f;
  const bool best = is_behind && !is_success(status);
  s.x = best ? state.best_x : state.x;
  s.f = best ? state.best_f : state.f;
  s.grad = best ? state.best_grad : state.grad;
  if (is_behind && !best && best_is_visibly_lower(state))
    s.lower = EvaluatedPoint{state.best_x, state.best_f, state.best_grad};
  s.grad_inf_norm = projected_inf_norm(state.bounds, s.x, s.grad);
  state.reduction->max(s.grad_inf_norm);
  if (state.bounds != nullptr) {
    s.bounds = active_bounds(*state.bounds, s.x, s.grad);
    s.bounds->num_projected = state.num_projected;
  }
  state.bounds = nullptr;  // those of the run
  state.num_held = state.free_squares = state.num_arrived = std::numeric_limits<double>::quiet_NaN();
  s.status = status;
  s.message = message(status);
  s.iterations = state.iteration;
  s.evaluations = state.evaluations;
  s.fallbacks = state.fallbacks;
  s.state = std::move(state);
  return s;
}

}  // namespace loa

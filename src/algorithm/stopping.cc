#include "algorithm/stopping.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/first_length.h"
#include "loa/line_search.h"

namespace loa {
namespace {

// Iterations without a visibly lower f or a smaller gradient after which round-off is all that moves x. Near round-off
// f and the gradient fluctuate with no memory, so a new record after k idle iterations has probability about 1/k;
// twenty leave few. A quasi-Newton matrix may need n iterations to learn a new valley.
std::int64_t max_idle_iterations(Index n) { return std::clamp<std::int64_t>(n, 20, 500); }

// A step shorter than this part of x changes no more than the last digits.
constexpr double kSmallStep = 1e-10;

// Numbers below this may have lost digits to underflow when they are the largest of a matrix.
constexpr double kSmallestScale = std::numeric_limits<double>::min() / std::numeric_limits<double>::epsilon();

}  // namespace

Status test_convergence(const State& state, double grad_inf_norm, const Options& options) {
  if (grad_inf_norm <= options.gtol || grad_inf_norm == 0.0) return Status::kGradientIsSmall;
  if (options.gtol_relative > 0.0 && grad_inf_norm <= options.gtol_relative * state.grad_inf_norm_start)
    return Status::kRelativeGradientIsSmall;
  if (options.ftol > 0.0 && state.iteration > 0 &&
      std::abs(state.f - state.f_prev) <= options.ftol * std::max(std::abs(state.f), std::abs(state.f_prev)))
    return Status::kObjectiveIsFlat;
  return Status::kRunning;
}

bool is_idle(const State& state) { return state.iterations_without_progress >= max_idle_iterations(state.dimension()); }

Status idle_status(const State& state) {
  const double scale = first_length(state) / norm(state.grad, *state.reduction);
  return scale >= kSmallestScale ? Status::kConvergedToWorkingPrecision : Status::kLineSearchFailed;
}

Status test_limits(const State& state, double seconds, const Options& options) {
  if (state.iteration >= options.max_iterations) return Status::kIterationLimitReached;
  if (state.evaluations.value >= options.max_evaluations) return Status::kEvaluationLimitReached;
  if (!(seconds < options.max_seconds)) return Status::kTimeLimitReached;
  return Status::kRunning;
}

void note_progress(State& state, double grad_inf_norm) {
  // Visible: beyond the resolution of a double. Small decreases add up because f_at_progress waits for their sum.
  const double resolution = 4.0 * std::numeric_limits<double>::epsilon() * std::abs(state.f);
  const bool lower = state.f < state.f_at_progress - resolution;
  const bool smaller_gradient = grad_inf_norm < state.lowest_grad_inf_norm;
  state.iterations_without_progress = lower || smaller_gradient ? 0 : state.iterations_without_progress + 1;
  if (lower) state.f_at_progress = state.f;
  if (smaller_gradient) state.lowest_grad_inf_norm = grad_inf_norm;

  if (state.f < state.lowest_f) {
    state.lowest_f = state.f;
    state.best_is_behind = false;
  } else if (!state.best_is_behind && state.f > state.lowest_f) {
    state.best_is_behind = true;
    state.best_x = state.x_prev;
    state.best_grad = state.grad_prev;
  }
}

bool at_working_precision(const State& state, const Step& step, double distance_to_minimizer) {
  const double x_resolution = kSmallStep * norm(state.x, *state.reduction);
  return (step.promised > 0.0 && step.promised <= Ray::kRoundOff * std::abs(state.f)) ||
         (step.natural_length > 0.0 && step.natural_length <= x_resolution) || distance_to_minimizer <= x_resolution;
}

}  // namespace loa

#include "algorithm/stopping.h"

#include <algorithm>
#include <cmath>

#include "loa/line_search.h"

namespace loa {
namespace {

// Iterations without a lower f or a smaller gradient after which round-off is all that moves x. Near round-off f and
// the gradient fluctuate with no memory, so a new record after k idle iterations has probability about 1/k; twenty
// leave few.
constexpr std::int64_t kMaxIdleIterations = 20;

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

bool is_idle(const State& state) { return state.iterations_without_progress >= kMaxIdleIterations; }

Status test_limits(const State& state, double seconds, const Options& options) {
  if (state.iteration >= options.max_iterations) return Status::kIterationLimitReached;
  if (state.evaluations.value >= options.max_evaluations) return Status::kEvaluationLimitReached;
  if (!(seconds < options.max_seconds)) return Status::kTimeLimitReached;
  return Status::kRunning;
}

void note_progress(State& state, double grad_inf_norm) {
  // Idle means: f stays where it is as far as a double can tell, and the gradient sets no record.
  const double resolution = std::numeric_limits<double>::epsilon() * std::abs(state.f);
  const bool f_moved = !(std::abs(state.f - state.f_prev) <= 4.0 * resolution);
  const bool smaller_gradient = grad_inf_norm < state.lowest_grad_inf_norm;
  state.iterations_without_progress = f_moved || smaller_gradient ? 0 : state.iterations_without_progress + 1;
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

bool at_working_precision(const State& state, double predicted) {
  // Relative to f itself, or, when f is a difference of large numbers, to the largest f seen, which f_start stands for.
  return predicted > 0.0 && (predicted <= Ray::kRoundOff * std::abs(state.f) ||
                             predicted <= std::numeric_limits<double>::epsilon() * std::abs(state.f_start));
}

}  // namespace loa

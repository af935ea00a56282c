#include "algorithm/refinement.h"

#include <limits>

#include "core/bounds.h"

namespace loa {
namespace {

// Evaluations that refine() makes at most.
constexpr std::int64_t kNumEvaluations = 3;

GradientError* error_of(CountedObjective& f, const State& state) {
  return state.reduction->is_distributed() ? nullptr : f.gradient_error();
}

// Refined gradients know the curvature around the last step; the largest one may have been met far from here.
double bound(const GradientError& error, const State& state) {
  double curvature = state.evidence.largest_curvature;
  if (state.refined_at > 0 && state.x_prev.size() == state.x.size())
    curvature = inf_norm(state.grad - state.grad_prev) / inf_norm(state.x - state.x_prev);
  return error.bound(state.x, state.f, curvature);
}

}  // namespace

bool is_refinable(CountedObjective& f, const Options& options, const State& state) {
  return state.refined_at == 0 && error_of(f, state) != nullptr &&
         f.count().value <= options.max_evaluations - kNumEvaluations;
}

bool error_hides_tolerance(CountedObjective& f, Status status, const Options& options, const State& state) {
  const GradientError* error = error_of(f, state);
  const bool is_relative = status == Status::kRelativeGradientIsSmall;
  if (error == nullptr || !(status == Status::kGradientIsSmall || is_relative)) return false;
  const double found = projected_inf_norm(state.bounds, state.x, state.grad);
  const double tolerance = is_relative ? options.gtol_relative * state.grad_inf_norm_start : options.gtol;
  return !((state.refined_at == 0 ? found : 0.0) + bound(*error, state) <= tolerance) && found > 0.0;
}

bool error_hides_promise(CountedObjective& f, double promise, const State& state) {
  const GradientError* error = error_of(f, state);
  if (error == nullptr || state.refined_at > 0 || !(state.evidence.smallest_curvature > 0.0)) return false;
  const double e = bound(*error, state);
  return promise <= 0.5 * e * (e / state.evidence.smallest_curvature);
}

bool refine(CountedObjective& f, const Options& options, State& state) {
  if (!is_refinable(f, options, state) || !error_of(f, state)->refine()) return false;
  state.refined_at = f.count().value;
  f.value_and_gradient(state.x, state.grad);
  if (state.grad_prev.size() == state.x.size()) f.value_and_gradient(state.x_prev, state.grad_prev);
  if (state.best_is_behind) f.value_and_gradient(state.best_x, state.best_grad);
  state.lowest_grad_inf_norm = projected_inf_norm(state.bounds, state.x, state.grad);
  state.f_at_progress = state.f;
  state.iterations_without_progress = 0;
  state.evidence.f_without_promise = std::numeric_limits<double>::infinity();
  state.evidence.f_returned_to = std::numeric_limits<double>::infinity();
  // What was measured with the gradients before, as after go_back(). num_arrived is about x alone.
  state.sum_of_products = state.num_held = state.free_squares = std::numeric_limits<double>::quiet_NaN();
  return true;
}

void refine_as_before(CountedObjective& f, const State& state) {
  GradientError* error = error_of(f, state);
  if (state.refined_at > 0 && error != nullptr) error->refine();
}

}  // namespace loa

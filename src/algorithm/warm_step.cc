#include "algorithm/warm_step.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

#include "algorithm/stopping.h"
#include "algorithm/working_precision.h"
#include "base/text.h"
#include "linalg/inverse_hessian_kinds.h"

namespace loa {
namespace {

// A cosine below this is round-off.
constexpr double kEpsilon = std::numeric_limits<double>::epsilon();

// Whether a step along the direction in state.direction_prev was found and taken.
bool move_by(CountedObjective& f, const LineSearch& line_search, const Options& options, State& state) {
  const Vector direction = state.direction_prev;
  const double length = norm(direction, *state.reduction);
  const double slope = dot(state.grad, direction, *state.reduction);
  if (!(slope < -kEpsilon * norm(state.grad, *state.reduction) * length && std::isfinite(length))) return false;
  Ray ray;
  ray.start(f, state, direction, slope, std::min(options.max_evaluations, f.count().value + kWarmTrials));
  Trial trial;
  const LineSearchOutcome outcome = line_search.search(ray, 1.0, trial);
  if (outcome != LineSearchOutcome::kAccepted || ray.lowest().f < ray.f()) note_best_trial(ray, state);
  if (outcome != LineSearchOutcome::kAccepted) return false;
  const double grad_inf_norm = ray.grad_inf_norm();
  state.x_prev = std::exchange(state.x, std::move(ray.x()));
  state.f_prev = std::exchange(state.f, ray.f());
  state.grad_prev = std::exchange(state.grad, std::move(ray.grad()));
  state.step_size = trial.step;
  note_progress(state, grad_inf_norm);
  note_evidence(trial, ray.slope0(), length, state);
  return true;
}

// Whether the pair of the step is nearer to the identity than to B. REQUIRES: d = -step gamma B g_{-1}.
bool is_contradicted(double gamma, State& state) {
  const Vector d = state.x - state.x_prev, delta_g = state.grad - state.grad_prev;
  Vector B_delta_g(state.dimension());
  apply(*state.B, delta_g, B_delta_g, *state.reduction);
  std::array<double, 3> sums = {delta_g.dot(d), delta_g.dot(B_delta_g), state.grad_prev.dot(d)};
  state.reduction->sum(sums);
  if (!(sums[0] > 0.0)) return false;  // no pair
  const double d_norm = norm(d, *state.reduction), delta_g_norm = norm(delta_g, *state.reduction);
  const double of_B = sums[1] / delta_g_norm / delta_g_norm;
  const double of_inverse = -state.step_size * gamma * (sums[2] / d_norm / d_norm);
  return !(of_B * of_inverse <= 1.0);
}

}  // namespace

std::string mistake_in_warm_start(const Algorithm& algorithm, const WarmStart& warm, const Vector& x0) {
  const Index n = dimension(*warm.B());
  if (n != x0.size())
    return "expected a warm start of dimension " + std::to_string(x0.size()) + ", found one of " + std::to_string(n);
  State state;
  state.x = state.grad = x0;
  if (algorithm.storage->take_over(*warm.B(), state) != 0.0) return {};
  return "expected a warm start that " + algorithm.name + " can use, found " +
         (warm.algorithm().empty() ? std::string("a matrix") : "one of " + quote(warm.algorithm())) +
         ": limited memory begins from pairs, and first-order methods have no inverse Hessian";
}

bool take_warm_step(CountedObjective& f, const Algorithm& algorithm, const LineSearch& line_search,
                    const Options& options, State& state) {
  const double gamma = algorithm.storage->take_over(*options.warm.B(), state);
  if (!move_by(f, line_search, options, state)) {
    ++state.fallbacks.warm;
    state.B.reset();
    return false;
  }
  if (is_contradicted(gamma, state)) {
    ++state.fallbacks.warm;
    algorithm.storage->initialize(state);
    return true;
  }
  state.evidence.iterations_since_restart = 1;  // B has made the step
  return true;
}

}  // namespace loa

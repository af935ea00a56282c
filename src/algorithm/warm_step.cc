#include "algorithm/warm_step.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

#include "algorithm/bounded_step.h"
#include "algorithm/stopping.h"
#include "algorithm/working_precision.h"
#include "base/numbers.h"
#include "base/text.h"
#include "core/bounds.h"
#include "core/probation.h"
#include "linalg/inverse_hessian_kinds.h"

namespace loa {
namespace {

// Of what is to vanish, a step by a B that is right here leaves less.
constexpr double kLeft = 0.5;

// -gamma B g, or what bounds make of it.
bool find_step(double gamma, State& state, BoundedStep& bounded_step, Vector& direction) {
  apply(*state.B, state.grad, direction, *state.reduction);
  direction *= -gamma;
  return state.bounds == nullptr || bounded_step.bend(gamma, state, direction);
}

// Whether the unit step along the direction in state.direction_prev was accepted and taken.
bool move_by(CountedObjective& f, const LineSearch& line_search, const Options& options, State& state) {
  const Vector direction = state.direction_prev;
  const double length = norm(direction, *state.reduction);
  const double slope = dot(state.grad, direction, *state.reduction);
  if (!(slope < -kEpsilon * free_gradient_norm(state) * length && std::isfinite(length))) return false;
  Ray ray;
  ray.start(f, state, direction, slope, std::min(options.max_evaluations, f.count().value + 1));
  Trial trial;
  const LineSearchOutcome outcome = line_search.search(ray, 1.0, trial);
  if (outcome != LineSearchOutcome::kAccepted || ray.lowest().f < ray.f()) note_best_trial(ray, state);
  if (outcome != LineSearchOutcome::kAccepted) return false;
  const double grad_inf_norm = ray.grad_inf_norm(), curvature = ray.accepted_chord(trial, length).curvature;
  state.x_prev = std::exchange(state.x, std::move(ray.x()));
  state.f_prev = std::exchange(state.f, ray.f());
  state.grad_prev = std::exchange(state.grad, std::move(ray.grad()));
  state.step_size = trial.step;
  note_progress(state, grad_inf_norm);
  note_evidence(trial, ray.slope0(), curvature, state);
  return true;
}

// Whether the step and its pair speak against B. REQUIRES: x - x_prev = step_size direction_prev, and that direction is
// the step of gamma B from x_{-1}.
bool is_contradicted(double gamma, State& state, BoundedStep& bounded_step) {
  const Vector d = state.x - state.x_prev, delta_g = state.grad - state.grad_prev;
  Vector next(state.dimension()), B_delta_g(state.dimension());
  if (!find_step(gamma, state, bounded_step, next)) return true;
  if (state.bounds == nullptr)
    B_delta_g = (state.direction_prev - next) / gamma;
  else
    apply(*state.B, delta_g, B_delta_g, *state.reduction);
  std::array<double, 5> sums = {state.grad.dot(next), state.grad_prev.dot(state.direction_prev), delta_g.dot(B_delta_g),
                                state.grad_prev.dot(d), delta_g.dot(d)};
  state.reduction->sum(sums);
  const auto [left, slope, dg_B_dg, g_d, s] = sums;
  if (!(-left <= kLeft * -slope)) return true;
  // Divided by norms first: s^2 may leave the range of numbers.
  const double d_norm = norm(d, *state.reduction), delta_g_norm = norm(delta_g, *state.reduction);
  const double cosine = s / d_norm / delta_g_norm;
  const double ratio = (dg_B_dg / s) * (-state.step_size * gamma * g_d / s);
  return !(std::log(ratio) <= -2.0 * kLeft * std::log(cosine));
}

}  // namespace

std::string mistake_in_warm_start(const Algorithm& algorithm, const WarmStart& warm, const Vector& x0) {
  const Index n = dimension(*warm.B());
  if (n != x0.size())
    return "expected a warm start of dimension " + std::to_string(x0.size()) + ", found one of " + std::to_string(n);
  if (warm.x().size() != n)
    return "expected a warm start at a point of length " + std::to_string(n) + ", found one of " +
           std::to_string(warm.x().size());
  if (algorithm.storage->can_take_over(*warm.B())) return {};
  return "expected a warm start that " + algorithm.name + " can use, found " +
         (warm.algorithm().empty() ? std::string("a matrix") : "one of " + quote(warm.algorithm())) +
         ": limited memory begins from pairs, and first-order methods have no inverse Hessian";
}

WarmStep take_warm_step(CountedObjective& f, const Algorithm& algorithm, const LineSearch& line_search,
                        const Options& options, State& state) {
  BoundedStep bounded_step;
  const double gamma = algorithm.storage->take_over(*options.warm.B(), state);
  // Null: a memory of another size that has no pairs yet.
  const bool has_step =
      state.B != nullptr && (state.bounds == nullptr || bounded_step.bend(gamma, state, state.direction_prev));
  const bool moved = has_step && move_by(f, line_search, options, state);
  if (moved && !is_contradicted(gamma, state, bounded_step)) {
    state.evidence.iterations_since_restart = 1;  // B has made the step
    return WarmStep::kKept;
  }
  ++state.fallbacks.warm;
  state.B.reset();
  return moved ? WarmStep::kDropped : WarmStep::kRefused;
}

// By how much B must be worse than the identity. With 1 a path of ridge regressions takes 0.60 of the cold evaluations
// instead of 0.21, because at the end both are as good; a B that misleads is worse by 10 or more.
constexpr double kClearly = 4.0;

bool misleads(const Input& input, const State& state) {
  if (!is_on_probation(state) || has_arrived(state)) return false;
  const SecantProducts& p = input.products;
  const double slope_prev = p.g_d - p.dg_d;  // <g_{k-1}, d>, with the d of the oracle, divided by its ratio
  const double of_inverse = -state.step_size * input.gamma * (slope_prev / p.d_d) / input.curvature_ratio;
  return p.dg_d > 0.0 && !((p.dg_Bdg / p.dg_dg) * of_inverse <= kClearly);
}

void remember_lower(const State& other, State& state) {
  const bool is_behind = other.best_is_behind && other.best_f < other.f;
  const double f = is_behind ? other.best_f : other.f;
  if (!(std::isfinite(f) && f < state.f)) return;
  state.best_is_behind = true;
  state.best_f = f;
  state.best_x = is_behind ? other.best_x : other.x;
  state.best_grad = is_behind ? other.best_grad : other.grad;
}

}  // namespace loa

#include "algorithm/bounded_step.h"

#include <cmath>

#include "algorithm/safeguard.h"
#include "base/numbers.h"
#include "core/bounds.h"
#include "core/first_length.h"
#include "core/measured_step.h"
#include "linalg/index.h"
#include "linalg/inverse_hessian_kinds.h"
#include "loa/quasi_newton_input.h"

namespace loa {
namespace {

// A coordinate whose bound is within so many times its last way may come there by this step. In separable quadratics
// with n = 10^6, where 0.1 or 0.5 of the variables come to bounds (bench/bounded.cc), at most 0.013 or 0.066 of the
// coordinates are so near, and more than 0.9 of those that arrive are among them in 45 of 52 steps; with 1 in 24 of
// them, and with 4 half as many again are near.
constexpr double kReach = 2.0;

// How many coordinates of all slices leave the bounds with the whole step.
double num_leaving(const State& state, const Vector& direction) {
  auto num = summing_pass<1>(state.dimension(), [&](const Block& block, std::array<double, 1>& sum) {
    sum[0] += kernels().num_leaving(state.bounds->at(state.x, block.first), block.at(direction), block.size);
  });
  state.reduction->sum(num);
  return num[0];
}

// The measures of a step that a pass over it has found already.
void take(const BoxStep::Measures& found, const State& state, Step& step) {
  set_measures({found.slope, found.squares, 1.0}, state.grad, *state.reduction, step);
  step.grad_norm = free_gradient_norm(state);
}

void measure(const State& state, Step& step) {
  measured_pass(
      state.grad, *state.reduction, [](const Block&) {}, step);
  step.grad_norm = free_gradient_norm(state);
}

}  // namespace

void BoundedStep::choose(const Algorithm& algorithm, const Input& input, const State& state, Prediction& prediction,
                         Step& step) {
  constexpr double kStretched = 1e10;  // as in safeguard.cc
  const SecantProducts& p = input.products;
  std::swap(step.y, prediction.y);
  step.fallbacks = {};
  step.factor = 1.0;
  step.y_is_d = true;
  step.is_local = false;
  step.kind =
      p.dg_d / std::sqrt(p.dg_dg) / std::sqrt(p.d_d) > kEpsilon ? UpdateKind::kSecantStep : UpdateKind::kSkipped;
  if (step.kind == UpdateKind::kSecantStep) return;
  if (step_vanished(state) || state.step_size > kStretched)
    restart(algorithm, input, state, step);
  else
    ++step.fallbacks.skipped;
}

void BoundedStep::bend(const Input& input, const State& state, Step& step) {
  const bool is_restart = step.kind == UpdateKind::kRestart;
  if ((is_restart || !input.is_pair_alone) && num_leaving(state, step.direction) == 0.0) {
    if (num_held(state) == 0.0) return;  // the free gradient is g
    settle(state.grad, *state.reduction, step);
    step.grad_norm = free_gradient_norm(state);
    return;
  }
  BoxStep::Point point{state.x, state.grad, *state.bounds, *state.reduction,
                       std::isnan(state.num_held) ? nullptr : &state.held};
  // A matrix takes any y; pairs are described as those of y = d.
  const SecantPair pair{.d = input.vectors[kD],
                        .delta_g = input.covectors[kDeltaG],
                        .B_delta_g = input.vectors[kBDeltaG],
                        .y = step.y_is_d ? input.vectors[kD] : step.y};
  if (!is_restart && describe(*state.B, step.kind == UpdateKind::kSkipped ? nullptr : &pair, next_, matrix_)) {
    if (exact_box_.solve(matrix_, input.gamma, point, step.direction)) {
      measure(state, step);
      if (step.slope < 0.0) return;
    }
    model_.scale = input.gamma * matrix_.diagonal().mean();
    if (!(model_.scale > 0.0 && std::isfinite(model_.scale))) model_.scale = same_length_scale(state);
    model_.unit = 1.0;
    model_.diagonal = nullptr;
    ++step.fallbacks.box;
    return go_along_B0(point, state, step);
  }
  const bool has_pairs = !is_restart && describe(*state.B, &pair, model_);
  if (has_pairs) {
    model_.unit *= input.gamma;
    if (find_near(state)) point.near = near_.data();
    BoxStep::Measures found;
    BoxStep& box = can_take_pair_alone(*state.B) ? box_ : exact_box_;
    if (box.solve(model_, point, step.direction, found)) {
      take(found, state, step);
      if (step.slope < 0.0) return;
    }
  } else {
    // With an H_0 the scale is in units of that.
    model_.scale =
        state.initial_inverse_hessian != nullptr ? step.length / norm(state.grad, *state.reduction) : step.scale;
    model_.unit = 1.0;
    model_.diagonal = nullptr;
  }
  if (!is_restart) ++step.fallbacks.box;
  go_along_B0(point, state, step);
}

bool BoundedStep::find_near(const State& state) {
  if (state.dimension() <= kSmallestPiece) return false;
  near_.resize(at((state.dimension() + 7) / 8));
  pass(state.dimension(), [&](const Block& block) {
    kernels().within_reach(state.bounds->at(state.x, block.first), block.at(state.x_prev), kReach, block.size,
                           &near_[at(block.first / 8)]);
  });
  return true;
}

bool BoundedStep::bend(double gamma, const State& state, Vector& direction) {
  if (num_leaving(state, direction) == 0.0) return true;
  const BoxStep::Point point{state.x, state.grad, *state.bounds, *state.reduction, nullptr};
  if (describe(*state.B, nullptr, next_, matrix_)) return exact_box_.solve(matrix_, gamma, point, direction);
  if (!describe(*state.B, nullptr, model_)) return false;
  model_.unit *= gamma;
  BoxStep::Measures found;
  return exact_box_.solve(model_, point, direction, found);  // once a run: no round is left out
}

void BoundedStep::go_along_B0(const BoxStep::Point& point, const State& state, Step& step) {
  model_.d.clear();
  model_.delta_g.clear();
  model_.d_grad.clear();
  BoxStep::Measures found;
  box_.solve(model_, point, step.direction, found);
  take(found, state, step);
}

}  // namespace loa

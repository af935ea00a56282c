#include "core/first_length.h"

#include <algorithm>
#include <cmath>

#include "core/bounds.h"
#include "linalg/pass.h"
#include "linalg/safe_square.h"

namespace loa {
namespace {

// ||x_k|| over the coordinates that no bound holds.
double free_length(const State& state) {
  if (state.bounds == nullptr) return norm(state.x, *state.reduction);
  Vector x = state.x;
  set_held_to_zero(state, x);
  return norm(x, *state.reduction);
}

// ||x_k|| over the coordinates that the last step has moved: with bounds, those that are held say nothing of it.
double moved_length(const State& state) {
  if (state.bounds == nullptr) return norm(state.x, *state.reduction);
  const auto moved = (state.x.array() != state.x_prev.array()).select(state.x.array(), 0.0);
  auto squares = summing_pass<1>(state.dimension(), [&](const Block& block, std::array<double, 1>& sum) {
    sum[0] += block.of(moved).square().sum();
  });
  state.reduction->sum(squares);
  return is_safe_square(squares[0]) ? std::sqrt(squares[0]) : norm(moved.matrix(), *state.reduction);
}

}  // namespace

double first_length(const State& state) {
  const double x_norm = free_length(state);
  const double f_length = std::abs(state.f) / free_gradient_norm(state);
  for (const double length : {x_norm, f_length})
    if (length > 0.0 && std::isfinite(length)) return length;
  return 1.0;
}

double first_trial_length(const State& state, double slope) {
  constexpr double kPower = 3.0, kClearlyLess = 0.6, kLeast = 0.01;
  const double x_norm = free_length(state);
  const double to_zero = kPower * std::abs(state.f) / slope;
  const bool is_shorter = to_zero > 0.0 && to_zero < kClearlyLess * x_norm;
  return is_shorter ? std::max(to_zero, kLeast * x_norm) : first_length(state);
}

bool step_vanished(const State& state) {
  return distance(state.x, state.x_prev, *state.reduction) <=
         std::numeric_limits<double>::epsilon() * moved_length(state);
}

double same_length_scale(const State& state) {
  const double length = step_vanished(state) ? first_length(state) : distance(state.x, state.x_prev, *state.reduction);
  return length / free_gradient_norm(state);
}

}  // namespace loa

#include "core/first_length.h"

#include <algorithm>
#include <cmath>

#include "core/bounds.h"

namespace loa {

double first_length(const State& state) {
  const double x_norm = norm(state.x, *state.reduction);
  const double f_length = std::abs(state.f) / free_gradient_norm(state);
  for (const double length : {x_norm, f_length})
    if (length > 0.0 && std::isfinite(length)) return length;
  return 1.0;
}

double first_trial_length(const State& state, double slope) {
  constexpr double kPower = 3.0, kClearlyLess = 0.6, kLeast = 0.01;
  const double x_norm = norm(state.x, *state.reduction);
  const double to_zero = kPower * std::abs(state.f) / slope;
  const bool is_shorter = to_zero > 0.0 && to_zero < kClearlyLess * x_norm;
  return is_shorter ? std::max(to_zero, kLeast * x_norm) : first_length(state);
}

bool step_vanished(const State& state) {
  return distance(state.x, state.x_prev, *state.reduction) <=
         std::numeric_limits<double>::epsilon() * norm(state.x, *state.reduction);
}

double same_length_scale(const State& state) {
  const double length = step_vanished(state) ? first_length(state) : distance(state.x, state.x_prev, *state.reduction);
  return length / free_gradient_norm(state);
}

}  // namespace loa

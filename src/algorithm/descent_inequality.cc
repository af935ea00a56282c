#include "algorithm/descent_inequality.h"

#include <algorithm>
#include <cmath>

#include "loa/quasi_newton_input.h"

namespace loa {
namespace {

// What rounding can do to f(x_k) - f(x_{k+1}): (n + 16) units in the last place of both values, and of the points,
// where x + e has f within ||g|| ||e|| + L/2 ||e||^2 of f(x).
double round_off(const Input& input, const Step& step, const Trial& trial, const Vector& x, const State& state) {
  const double units = static_cast<double>(input.dimension() + 16) * std::numeric_limits<double>::epsilon();
  const double e = units * std::max(norm(x, *input.reduction), norm(state.x, *input.reduction));
  return units * (std::abs(state.f) + std::abs(trial.f)) + 2.0 * e * (step.grad_norm + state.guarantee.lipschitz * e);
}

}  // namespace

void record_descent(const Input& input, const Step& step, const Trial& trial, const Vector& x, State& state) {
  Guarantee& guarantee = state.guarantee;
  guarantee.gamma = input.gamma;
  const double cosine = -step.slope / step.length / step.grad_norm;
  guarantee.smallest_cosine = std::min(guarantee.smallest_cosine, cosine);
  if (std::isnan(guarantee.lipschitz)) return;

  // With s = trial.step and p = -gamma B g: eq::QNdescentlemma says that f falls by s gamma <g, B g> - L/2 ||s gamma B
  // g||^2 or more, eq::finaldescent that this is at least s gamma (1 - L s gamma C/2) <g, B g>.
  const double linear = -trial.step * step.slope, length = trial.step * step.length;
  const double promised = linear - 0.5 * guarantee.lipschitz * length * length;
  const double at_least =
      linear * (1.0 - 0.5 * guarantee.lipschitz * trial.step * input.gamma * guarantee.eigenvalues.largest);
  const double decrease = state.f - trial.f;
  const double noise = round_off(input, step, trial, x, state);
  ++guarantee.evaluated;
  guarantee.promised_decrease += promised;
  if (!(decrease >= promised - noise && promised >= at_least - noise)) ++guarantee.violations;
  if (promised > noise) guarantee.smallest_slack = std::min(guarantee.smallest_slack, (decrease - promised) / promised);
}

}  // namespace loa

#include "algorithm/descent_inequality.h"

#include <algorithm>
#include <cmath>

#include "loa/quasi_newton_input.h"

namespace loa {
namespace {

// What rounding can do to f(x_k) - f(x_{k+1}): (n + 16) units in the last place of both values, and of the points,
// where x + e has f within ||g|| ||e|| + L/2 ||e||^2 of f(x).
double round_off(const Input& input, const Trial& trial, const Vector& x, const State& state) {
  const double units = static_cast<double>(input.dimension() + 16) * std::numeric_limits<double>::epsilon();
  const double e = units * std::max(norm(x, *input.reduction), norm(state.x, *input.reduction));
  return units * (std::abs(state.f) + std::abs(trial.f)) +
         2.0 * e * (norm(input.covectors[kGrad], *input.reduction) + state.guarantee.lipschitz * e);
}

}  // namespace

void note_descent(const Input& input, const Step& step, const Trial& trial, const Vector& x, State& state) {
  Guarantee& guarantee = state.guarantee;
  guarantee.gamma = input.gamma;
  const double cosine =
      -step.slope / norm(step.direction, *input.reduction) / norm(input.covectors[kGrad], *input.reduction);
  guarantee.smallest_cosine = std::min(guarantee.smallest_cosine, cosine);
  if (std::isnan(guarantee.lipschitz)) return;

  // -step <g, p> = step gamma <g, B g>, so this is eq::finaldescent with step gamma in the place of gamma.
  const double step_gamma = trial.step * input.gamma;
  const double promised =
      -trial.step * step.slope * (1.0 - 0.5 * guarantee.lipschitz * step_gamma * guarantee.bounds.upper);
  const double decrease = state.f - trial.f;
  const double noise = round_off(input, trial, x, state);
  ++guarantee.evaluated;
  guarantee.promised_decrease += promised;
  if (!(decrease >= promised - noise)) ++guarantee.violations;
  if (promised > noise) guarantee.smallest_slack = std::min(guarantee.smallest_slack, (decrease - promised) / promised);
}

}  // namespace loa

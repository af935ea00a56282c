#include "algorithm/safeguard.h"

#include <cmath>
#include <utility>

#include "core/first_length.h"
#include "loa/quasi_newton_input.h"

namespace loa {
namespace {

// A cosine below this is round-off.
constexpr double kRoundOff = std::numeric_limits<double>::epsilon();
// |cos(dg, y)| below which the update would be dominated by one huge rank-one term: the usual guard of SR1, Nocedal and
// Wright (2006), Eq. (6.26).
constexpr double kSmallestCosine = 1e-8;
// A unit step that falls short by this factor has no digit in common with the step that was needed.
constexpr double kStretched = 1e10;

// Sets the slope of step.direction, and says whether it is one of descent. Comparisons with NaN are false: a NaN
// anywhere is a refusal.
bool descends(const Input& input, Step& step) {
  const Vector& grad = input.covectors[kGrad];
  step.slope = dot(grad, step.direction, *input.reduction);
  return step.slope < -kRoundOff * norm(grad, *input.reduction) * norm(step.direction, *input.reduction);
}

// Whether a == b on all slices.
bool equal(const Vector& a, const Vector& b, const Reduction& reduction) {
  double num_different = a == b ? 0.0 : 1.0;
  reduction.sum({&num_different, 1});
  return num_different == 0.0;
}

bool choose_quasi_newton(const Algorithm& algorithm, const Input& input, const Guard& guard, const State& state,
                         Step& step) {
  const Vector& d = input.vectors[kD];
  const Vector& delta_g = input.covectors[kDeltaG];
  const Reduction& reduction = *input.reduction;
  const auto is_good = [&] {
    return descends(input, step) && (guard.bounds == nullptr || guard.bounds->admits(input, state, step));
  };
  if (!equal(step.y, d, reduction)) {
    if (std::abs(cosine(delta_g, step.y, reduction)) > kSmallestCosine &&
        algorithm.update->direction(input, step.y, step) && is_good())
      return true;
    ++step.fallbacks.model;
    step.kind = UpdateKind::kSecantStep;
    step.y = d;
  }
  if (cosine(delta_g, d, reduction) > kRoundOff && algorithm.update->direction(input, step.y, step) &&
      (is_good() || (guard.bounds != nullptr && guard.bounds->damp(input, state, step))))
    return true;

  step.kind = UpdateKind::kSkipped;
  step.direction = input.vectors[kMinusGammaBGrad];
  const bool good =
      descends(input, step) && (guard.bounds == nullptr || BoundedUpdate::admits_direction(input, state, step));
  // B is far too small when the last step was lost in round-off or had to be stretched this much: keeping B would go on
  // like this.
  if (!good || step_vanished(state) || state.step_size > kStretched) return false;
  ++step.fallbacks.skipped;
  return true;
}

}  // namespace

void choose_direction(const Algorithm& algorithm, const Input& input, const Guard& guard, const State& state,
                      Prediction& prediction, Step& step) {
  std::swap(step.y, prediction.y);
  step.kind = UpdateKind::kModel;
  step.factor = 1.0;
  step.fallbacks = {};
  step.fallbacks.model += prediction.replaced;
  bool good = true;
  if (guard.safeguard == Safeguard::kOff || (state.B == nullptr && !guard.needs_descent)) {
    if (!algorithm.update->direction(input, step.y, step))
      step.direction.setConstant(input.dimension(), std::numeric_limits<double>::quiet_NaN());
    descends(input, step);
  } else if (state.B != nullptr) {
    good = choose_quasi_newton(algorithm, input, guard, state, step);
  } else {
    good = algorithm.update->direction(input, step.y, step) && descends(input, step);
  }
  step.promised = -0.5 * step.slope;
  step.natural_length = norm(step.direction, *input.reduction);
  if (!good) restart(algorithm, input, state, step);
}

void restart(const Algorithm& algorithm, const Input& input, const State& state, Step& step) {
  ++step.fallbacks.restart;
  step.kind = UpdateKind::kRestart;
  step.scale = algorithm.storage->restart_scale(state);
  step.direction = -step.scale * input.covectors[kGrad];
  descends(input, step);
}

}  // namespace loa

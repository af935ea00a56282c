#include "algorithm/safeguard.h"

#include <cmath>
#include <utility>

#include "core/first_length.h"
#include "core/quasi_newton_input.h"

namespace loa {
namespace {

// A cosine below this is round-off.
constexpr double kRoundOff = std::numeric_limits<double>::epsilon();
// |cos(dg, y)| below which the update would be dominated by one huge rank-one term: the usual guard of SR1, Nocedal and
// Wright (2006), Eq. (6.26).
constexpr double kSmallestCosine = 1e-8;
// A unit step that falls short by this factor has no digit in common with the step that was needed.
constexpr double kStretched = 1e10;

// The direction for y, and whether it descends. Comparisons with NaN are false: a NaN anywhere is a refusal.
bool descends(const Update& update, const Input& input, const Vector& y, Step& step) {
  if (!update.direction(input, y, step)) return false;
  const Vector& grad = input.covectors[kGrad];
  step.slope = dot(grad, step.direction, *input.reduction);
  return step.slope < -kRoundOff * norm(grad, *input.reduction) * norm(step.direction, *input.reduction);
}

double cosine(const Vector& a, const Vector& b, const Reduction& reduction) {
  return dot(a, b, reduction) / norm(a, reduction) / norm(b, reduction);
}

bool choose_quasi_newton(const Algorithm& algorithm, const Input& input, State& state, Step& step) {
  const Vector& d = input.vectors[kD];
  const Vector& delta_g = input.covectors[kDeltaG];
  const double cos_y = std::abs(cosine(delta_g, step.y, *input.reduction));
  const bool is_d = step.y == d;
  step.kind = UpdateKind::kModel;
  if (!is_d) {
    if (cos_y > kSmallestCosine && descends(*algorithm.update, input, step.y, step)) return true;
    ++state.fallbacks.model;
    step.kind = UpdateKind::kSecantStep;
    step.y = d;
  }
  if (cosine(delta_g, d, *input.reduction) > kRoundOff && descends(*algorithm.update, input, step.y, step)) return true;

  // B is far too small when the last step was lost in round-off or had to be stretched this much: keeping B would go on
  // like this.
  if (step_vanished(state) || state.step_size > kStretched) return false;
  ++state.fallbacks.skipped;
  step.kind = UpdateKind::kSkipped;
  step.direction = input.vectors[kMinusGammaBGrad];
  step.slope = dot(input.covectors[kGrad], step.direction, *input.reduction);
  return step.slope <
         -kRoundOff * norm(input.covectors[kGrad], *input.reduction) * norm(step.direction, *input.reduction);
}

}  // namespace

void choose_direction(const Algorithm& algorithm, const Input& input, bool needs_descent, Safeguard safeguard,
                      State& state, Prediction& prediction, Step& step) {
  std::swap(step.y, prediction.y);
  step.kind = UpdateKind::kModel;
  if (safeguard == Safeguard::kOff || (state.B == nullptr && !needs_descent)) {
    if (!algorithm.update->direction(input, step.y, step))
      step.direction.setConstant(input.dimension(), std::numeric_limits<double>::quiet_NaN());
    step.slope = dot(input.covectors[kGrad], step.direction, *input.reduction);
    return;
  }
  if (state.B != nullptr ? choose_quasi_newton(algorithm, input, state, step)
                         : descends(*algorithm.update, input, step.y, step))
    return;
  restart(algorithm, input, state, step);
}

void restart(const Algorithm& algorithm, const Input& input, State& state, Step& step) {
  ++state.fallbacks.restart;
  step.kind = UpdateKind::kRestart;
  const double scale = algorithm.storage->restart(state);
  step.direction = -scale * input.covectors[kGrad];
  step.slope = dot(input.covectors[kGrad], step.direction, *input.reduction);
}

}  // namespace loa

#include "algorithm/safeguard.h"

#include <cmath>
#include <utility>

#include "base/numbers.h"
#include "core/first_length.h"
#include "core/measured_step.h"
#include "linalg/combine.h"
#include "loa/quasi_newton_input.h"

namespace loa {
namespace {

// |cos(dg, y)| below which the update would be dominated by one huge rank-one term: the usual guard of SR1, Nocedal and
// Wright (2006), Eq. (6.26).
constexpr double kSmallestCosine = 1e-8;
// A unit step that falls short by this factor has no digit in common with the step that was needed.
constexpr double kStretched = 1e10;

// Comparisons with NaN are false: a NaN anywhere is a refusal. A step whose slope is left to its first trial descends
// by its inner products (update/secant_update.cc).
bool descends(const Step& step) { return step.is_local || step.slope < -kEpsilon * step.grad_norm * step.length; }

// step.direction = factor v.
void set_direction(const Input& input, const Vector& grad, double factor, const Vector& v, Step& step) {
  const auto make = [&](const Block& block) { combine(block.size, {{factor, block.at(v)}}, block.at(step.direction)); };
  measured_pass(grad, *input.reduction, make, step);
}

// U(I_k, y), with all that is to be known about the direction.
bool find_direction(const Algorithm& algorithm, const Input& input, const Vector& y, Step& step) {
  step.is_local = false;
  step.slope = step.cosine = std::numeric_limits<double>::quiet_NaN();
  if (!algorithm.update->direction(input, y, step)) return false;
  if (std::isnan(step.slope) && !step.is_local)
    measured_pass(
        input.covectors[kGrad], *input.reduction, [](const Block&) {}, step);
  return true;
}

// The same for a quasi-Newton method, where the angle between dg and y counts too.
bool find_secant_direction(const Algorithm& algorithm, const Input& input, const Vector& y, Step& step) {
  if (!find_direction(algorithm, input, y, step)) return false;
  if (std::isnan(step.cosine)) step.cosine = cosine(input.covectors[kDeltaG], y, *input.reduction);
  return true;
}

bool choose_quasi_newton(const Algorithm& algorithm, const Input& input, const Guard& guard, const State& state,
                         Step& step) {
  const Vector& d = input.vectors[kD];
  const auto is_good = [&] {
    return descends(step) && (guard.spectrum == nullptr || guard.spectrum->admits(input, state, step));
  };
  if (!step.y_is_d) {
    if (find_secant_direction(algorithm, input, step.y, step) && std::abs(step.cosine) > kSmallestCosine && is_good())
      return true;
    ++step.fallbacks.model;
    step.kind = UpdateKind::kSecantStep;
    step.y = d;
    step.y_is_d = true;
  }
  if (find_secant_direction(algorithm, input, d, step) && step.cosine > kEpsilon &&
      (is_good() || (guard.spectrum != nullptr && guard.spectrum->damp(input, state, step))))
    return true;

  step.kind = UpdateKind::kSkipped;
  set_direction(input, state.grad, 1.0, input.vectors[kMinusGammaBGrad], step);
  const bool good =
      descends(step) && (guard.spectrum == nullptr || SpectrumGuard::admits_direction(input, state, step));
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
  // A model that is made to predict d may not know that it does.
  step.y_is_d =
      prediction.y_is_d || (state.B != nullptr && !input.reduction->is_distributed() && step.y == input.vectors[kD]);
  step.fallbacks = {};
  step.fallbacks.model += prediction.replaced;
  bool good = true;
  if (guard.safeguard == Safeguard::kOff || (state.B == nullptr && !guard.needs_descent)) {
    if (!find_direction(algorithm, input, step.y_is_d ? input.vectors[kD] : step.y, step))
      set_direction(input, state.grad, std::numeric_limits<double>::quiet_NaN(), state.grad, step);
  } else if (state.B != nullptr) {
    good = choose_quasi_newton(algorithm, input, guard, state, step);
  } else {
    good = find_direction(algorithm, input, step.y, step) && descends(step);
  }
  if (!good) restart(algorithm, input, state, step);
}

void restart(const Algorithm& algorithm, const Input& input, const State& state, Step& step) {
  ++step.fallbacks.restart;
  step.kind = UpdateKind::kRestart;
  step.scale = algorithm.storage->restart_scale(state);
  const bool has_H0 = state.initial_inverse_hessian != nullptr;
  set_direction(input, state.grad, -step.scale, has_H0 ? input.initial.grad : state.grad, step);
}

}  // namespace loa

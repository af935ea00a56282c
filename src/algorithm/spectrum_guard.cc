#include "algorithm/spectrum_guard.h"

#include "core/measured_step.h"
#include "loa/quasi_newton_input.h"

namespace loa {
namespace {

// Every B_k of Eq. (6) has B_k dg = d, whatever y is. So ||d||/||dg|| <= C and <d,dg>/||dg||^2 >= c, or it is outside.
// Saves the tests of linalg/spectrum.h in the case that is common with a small C.
bool pair_fits(const Input& input, const EigenvalueRange& range) {
  const double delta_g_norm = norm(input.covectors[kDeltaG], *input.reduction);
  return norm(input.vectors[kD], *input.reduction) / delta_g_norm <= range.largest &&
         input.products.dg_d / delta_g_norm / delta_g_norm >= range.smallest;
}

SecantPair pair_of(const Input& input, const Step& step) {
  return {
      .d = input.vectors[kD], .delta_g = input.covectors[kDeltaG], .B_delta_g = input.vectors[kBDeltaG], .y = step.y};
}

}  // namespace

bool SpectrumGuard::admits(const Input& input, const State& state, Step& step) {
  const EigenvalueRange& range = state.guarantee.eigenvalues;
  make_secant_term(pair_of(input, step), term_);
  if (pair_fits(input, range) && test_.holds(*state.B, term_, range, state.spectrum, step.spectrum) &&
      admits_direction(input, state, step))
    return true;
  step.fallbacks.spectrum = 1;
  return false;
}

bool SpectrumGuard::damp(const Input& input, const State& state, Step& step) {
  const EigenvalueRange& range = state.guarantee.eigenvalues;
  make_secant_term(pair_of(input, step), term_);
  step.fallbacks.spectrum = 1;
  const double factor = test_.damping(*state.B, term_, range);
  if (!(factor > 0.0)) return false;
  term_.u *= factor;
  if (!test_.holds(*state.B, term_, range, state.spectrum, step.spectrum)) return false;
  // -gamma (B_{k-1} + t term) g_k, which is linear in t.
  const auto make = [&](const Block& block) {
    block.of(step.direction) =
        (1.0 - factor) * block.of(input.vectors[kMinusGammaBGrad]) + factor * block.of(step.direction);
  };
  measured_pass(input.covectors[kGrad], *input.reduction, make, step);
  if (!admits_direction(input, state, step)) return false;
  step.factor = factor;
  return true;
}

bool SpectrumGuard::admits_direction(const Input& input, const State& state, const Step& step) {
  const auto [lower, upper] = state.guarantee.eigenvalues;
  const double round_off = 4.0 * static_cast<double>(input.dimension() + 4) * std::numeric_limits<double>::epsilon();
  const double smallest = -step.slope / step.grad_norm / step.grad_norm / input.gamma;  // <g,Bg>/||g||^2
  const double largest = step.length / -step.slope * step.length / input.gamma;         // ||Bg||^2/<g,Bg>
  return smallest >= lower * (1.0 - round_off) && largest <= upper * (1.0 + round_off);
}

}  // namespace loa

// I_k of the quasi-Newton oracle with values of f, and the features of core/invariant_features.h.
#include <algorithm>
#include <cmath>

#include "core/invariant_features.h"
#include "oracle/oracles.h"

namespace loa {
namespace {

// Half the logarithm, within [-3, 3]; 0 where there is none.
double half_log(double ratio) {
  const double value = 0.5 * std::log(ratio);
  return std::isfinite(value) ? std::clamp(value, -3.0, 3.0) : 0.0;
}

double finite(double value) { return std::isfinite(value) ? value : 0.0; }

class InvariantOracle final : public Oracle {
 public:
  explicit InvariantOracle(const HyperParameters& hyper_parameters)
      : inner_(quasi_newton_oracle(hyper_parameters,
                                   SecantOptions{.equation = SecantEquation::kFunctionValues, .for_features = true})) {}

  void observe(Objective& f, State& state, Input& input) const override {
    inner_->observe(f, state, input);
    const SecantProducts& p = input.products;
    const double tau = input.curvature_ratio;
    const double k = static_cast<double>(state.iteration);
    const bool is_first = state.iteration == 0;
    const double slope = tau * p.g_d, slope_prev = tau * (p.g_d - p.dg_d);
    const auto later = [is_first](double value) { return is_first ? 0.0 : value; };
    Vector& phi = input.features;
    phi.resize(kNumInvariantFeatures);
    phi(kRatioToB) = half_log(p.dg_d / p.dg_Bdg);
    phi(kRatioToStep) = later(half_log(p.dg_d / (-state.step_size * input.gamma * slope_prev)));
    phi(kStepSize) = later(half_log(state.step_size));
    phi(kSlopes) = finite(std::clamp(slope / std::abs(slope_prev), -2.0, 2.0));
    phi(kCurvatureRatio) = tau - 1.0;
    phi(kGradientCosine) = finite(-p.g_p / std::sqrt(p.g_g) / std::sqrt(p.p_p));
    phi(kSecantCosine) = finite(p.dg_d / std::sqrt(p.dg_dg) / std::sqrt(p.d_d));
    phi(kTurn) = finite(p.d_p / std::sqrt(p.d_d) / std::sqrt(p.p_p));
    phi(kGradientRatio) = half_log(p.g_g / p.g_prev_g_prev);
    phi(kLengthRatio) = later(half_log(p.p_p / (tau * tau * p.d_d)));
    phi(kSlopeRatio) = later(half_log(p.g_p / slope_prev));
    phi(kScaleRatio) = half_log(-p.g_p / p.g_g * (std::sqrt(p.dg_dg) / std::sqrt(p.d_d)));
    phi(kProgress) = k / (k + 10.0);
    phi(kIsFirst) = is_first ? 1.0 : 0.0;
  }

 private:
  std::shared_ptr<const Oracle> inner_;
};

}  // namespace

std::shared_ptr<const Oracle> invariant_oracle(const HyperParameters& hyper_parameters) {
  return std::make_shared<InvariantOracle>(hyper_parameters);
}

}  // namespace loa

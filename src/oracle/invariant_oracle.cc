// I_k of the quasi-Newton oracle with values of f, and the scalars of core/invariant_features.h.
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>

#include "core/invariant_features.h"
#include "linalg/kernels.h"
#include "linalg/pass.h"
#include "loa/quasi_newton_input.h"
#include "oracle/oracles.h"

namespace loa {
namespace {

// Half the logarithm, within [-3, 3]; 0 where there is none.
double half_log(double ratio) {
  const double value = 0.5 * std::log(ratio);
  return std::isfinite(value) ? std::clamp(value, -3.0, 3.0) : 0.0;
}

double finite(double value) { return std::isfinite(value) ? value : 0.0; }

// The inner products behind the features.
struct Products {
  double grad_d, delta_g_d, grad_B_delta_g, delta_g_B_delta_g, grad_Bg, delta_g_Bg;  // Bg = -gamma B g
  double grad_squares, delta_g_squares, d_squares, Bg_squares, grad_prev_squares, d_Bg;
};
constexpr std::size_t kNumProducts = sizeof(Products) / sizeof(double);

class InvariantOracle final : public Oracle {
 public:
  explicit InvariantOracle(const HyperParameters& hyper_parameters)
      : inner_(quasi_newton_oracle(hyper_parameters, SecantEquation::kValuesToo)),
        gamma_(std::isnan(hyper_parameters.step_size) ? 1.0 : hyper_parameters.step_size) {}

  void observe(Objective& f, State& state, Input& input) const override {
    inner_->observe(f, state, input);
    const double tau = input.scalars(0);
    const Products p = find_products(state, input);
    const double k = static_cast<double>(state.iteration);
    const bool is_first = state.iteration == 0;
    const double slope = tau * p.grad_d, slope_prev = tau * (p.grad_d - p.delta_g_d);
    const auto later = [is_first](double value) { return is_first ? 0.0 : value; };
    input.scalars.resize(kNumInvariantScalars);
    input.scalars(kRatioToB) = half_log(p.delta_g_d / p.delta_g_B_delta_g);
    input.scalars(kRatioToStep) = later(half_log(p.delta_g_d / (-state.step_size * gamma_ * slope_prev)));
    input.scalars(kStepSize) = later(half_log(state.step_size));
    input.scalars(kSlopes) = finite(std::clamp(slope / std::abs(slope_prev), -2.0, 2.0));
    input.scalars(kCurvatureRatio) = tau - 1.0;
    input.scalars(kGradientCosine) = finite(-p.grad_Bg / std::sqrt(p.grad_squares) / std::sqrt(p.Bg_squares));
    input.scalars(kSecantCosine) = finite(p.delta_g_d / std::sqrt(p.delta_g_squares) / std::sqrt(p.d_squares));
    input.scalars(kTurn) = finite(p.d_Bg / std::sqrt(p.d_squares) / std::sqrt(p.Bg_squares));
    input.scalars(kGradientRatio) = half_log(p.grad_squares / p.grad_prev_squares);
    input.scalars(kLengthRatio) = later(half_log(p.Bg_squares / (tau * tau * p.d_squares)));
    input.scalars(kSlopeRatio) = later(half_log(p.grad_Bg / slope_prev));
    input.scalars(kScaleRatio) =
        half_log(-p.grad_Bg / p.grad_squares * (std::sqrt(p.delta_g_squares) / std::sqrt(p.d_squares)));
    input.scalars(kProgress) = k / (k + 10.0);
    input.scalars(kIsFirst) = is_first ? 1.0 : 0.0;
    input.scalars(kInverseRatioToB) = p.delta_g_B_delta_g / p.delta_g_d;
  }

 private:
  static Products find_products(const State& state, const Input& input) {
    const double* columns[] = {input.vectors[kD].data(), input.vectors[kBDeltaG].data(),
                               input.vectors[kMinusGammaBGrad].data()};
    const double* v[] = {input.covectors[kGrad].data(), input.covectors[kDeltaG].data()};
    const double* squared[] = {v[0], v[1], columns[0], columns[2], state.grad_prev.data()};
    auto sums = summing_pass<kNumProducts>(state.dimension(), [&](const Block& block, auto& sum) {
      kernels().products(columns, 3, v, 2, block.first, block.last(), sum.data());
      for (std::size_t i = 0; i < std::size(squared); ++i)
        kernels().products(&squared[i], 1, &squared[i], 1, block.first, block.last(), &sum[6 + i]);
      kernels().products(&columns[0], 1, &columns[2], 1, block.first, block.last(), &sum[11]);
    });
    state.reduction->sum(sums);
    return std::bit_cast<Products>(sums);
  }

  std::shared_ptr<const Oracle> inner_;
  double gamma_;
};

}  // namespace

std::shared_ptr<const Oracle> invariant_oracle(const HyperParameters& hyper_parameters) {
  return std::make_shared<InvariantOracle>(hyper_parameters);
}

}  // namespace loa

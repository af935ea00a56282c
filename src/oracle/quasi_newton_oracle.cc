// The oracle of Algorithm 2, with one matrix product.
//
//   I_k = (B_{k-1} dg_k, d_k, -gamma B_{k-1} g_k),   dg_k = g_k - g_{k-1},   d_k = x_k - x_{k-1}
//
// The last step was U = -gamma B_{k-1} g_{k-1}, and S_k holds it. So B_{k-1} dg_k = B_{k-1} g_k + U/gamma, and the
// single product B_{k-1} g_k gives all three features. An operator that forgets old pairs is no longer that B_{k-1},
// and makes both products itself.
//
// With values of f in the secant equation d_k is divided by tau (oracle/function_value_secant.h).
#include <array>
#include <cmath>

#include "linalg/kernels.h"
#include "linalg/large_vector.h"
#include "linalg/pass.h"
#include "loa/quasi_newton_input.h"
#include "oracle/function_value_secant.h"
#include "oracle/oracles.h"

namespace loa {
namespace {

class QuasiNewtonOracle final : public Oracle {
 public:
  QuasiNewtonOracle(double gamma, SecantEquation equation) : gamma_(gamma), equation_(equation) {}

  void observe(Objective&, State& state, Input& input) const override {
    input.gamma = gamma_;
    input.vectors.resize(kNumQuasiNewtonVectors);
    input.covectors.resize(2);
    Vector& B_delta_g = input.vectors[kBDeltaG];
    Vector& minus_gamma_B_grad = input.vectors[kMinusGammaBGrad];

    const Index n = state.dimension();
    for (Vector* v :
         {&input.covectors[kGrad], &input.covectors[kDeltaG], &input.vectors[kD], &B_delta_g, &minus_gamma_B_grad})
      resize_large(*v, n);
    pass(n, [&](const Block& block) {
      block.of(input.covectors[kGrad]) = block.of(state.grad);
      block.of(input.covectors[kDeltaG]) = block.of(state.grad) - block.of(state.grad_prev);
      block.of(input.vectors[kD]) = block.of(state.x) - block.of(state.x_prev);
    });
    if (equation_ == SecantEquation::kValuesToo) divide_by_ratio(state, input);
    const GradientChange change{.grad = state.grad,
                                .delta_g = input.covectors[kDeltaG],
                                .d = input.vectors[kD],
                                .grad_factor = -gamma_,
                                .scale_factor = state.scalars.empty() ? 1.0 : state.scalars.front(),
                                .direction_prev = &state.direction_prev};
    state.B->apply_to_change(change, minus_gamma_B_grad, B_delta_g);
  }

 private:
  static void divide_by_ratio(const State& state, Input& input) {
    Vector& d = input.vectors[kD];
    auto slopes = summing_pass<2>(d.size(), [&](const Block& block, std::array<double, 2>& sum) {
      const double *column = d.data(), *v[] = {state.grad_prev.data(), state.grad.data()};
      kernels().products(&column, 1, v, 2, block.first, block.last(), sum.data());
    });
    state.reduction->sum(slopes);
    const double ratio = curvature_ratio({state.f_prev, state.f, slopes[0], slopes[1]});
    if (input.scalars.size() == 0) input.scalars.resize(1);
    input.scalars(0) = ratio;
    if (ratio == 1.0) return;
    pass(d.size(), [&](const Block& block) { block.of(d) /= ratio; });
  }

  double gamma_;
  SecantEquation equation_;
};

}  // namespace

std::shared_ptr<const Oracle> quasi_newton_oracle(const HyperParameters& hyper_parameters, SecantEquation equation) {
  const double gamma = hyper_parameters.step_size;
  return std::make_shared<QuasiNewtonOracle>(std::isnan(gamma) ? 1.0 : gamma, equation);
}

}  // namespace loa

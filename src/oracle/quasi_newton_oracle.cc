// The oracle of Algorithm 2, with one matrix product.
//
//   I_k = (B_{k-1} dg_k, d_k, -gamma B_{k-1} g_k),   dg_k = g_k - g_{k-1},   d_k = x_k - x_{k-1}
//
// The last step was U = -gamma B_{k-1} g_{k-1}, and S_k holds it. So B_{k-1} dg_k = B_{k-1} g_k + U/gamma, and the
// single product B_{k-1} g_k gives all three features. An operator that forgets old pairs is no longer that B_{k-1},
// and makes both products itself.
#include <cmath>

#include "linalg/large_vector.h"
#include "linalg/pass.h"
#include "loa/quasi_newton_input.h"
#include "oracle/oracles.h"

namespace loa {
namespace {

class QuasiNewtonOracle final : public Oracle {
 public:
  explicit QuasiNewtonOracle(double gamma) : gamma_(gamma) {}

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
    const GradientChange change{.grad = state.grad,
                                .delta_g = input.covectors[kDeltaG],
                                .d = input.vectors[kD],
                                .grad_factor = -gamma_,
                                .direction_prev = &state.direction_prev};
    state.B->apply_to_change(change, minus_gamma_B_grad, B_delta_g);
  }

 private:
  double gamma_;
};

}  // namespace

std::shared_ptr<const Oracle> quasi_newton_oracle(const HyperParameters& hyper_parameters) {
  const double gamma = hyper_parameters.step_size;
  return std::make_shared<QuasiNewtonOracle>(std::isnan(gamma) ? 1.0 : gamma);
}

}  // namespace loa

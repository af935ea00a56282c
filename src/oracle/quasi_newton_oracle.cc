// The oracle of Algorithm 2, with one matrix product.
//
//   I_k = (B_{k-1} dg_k, d_k, -gamma B_{k-1} g_k),   dg_k = g_k - g_{k-1},   d_k = x_k - x_{k-1}
//
// The last step was U = -gamma B_{k-1} g_{k-1}, and S_k holds it. So B_{k-1} dg_k = B_{k-1} g_k + U/gamma, and the
// single product B_{k-1} g_k gives all three features. An operator that forgets old pairs is no longer that B_{k-1},
// and makes both products itself.
//
// With values of f in the secant equation d_k is divided by tau (oracle/function_value_secant.h). A filter takes some
// of the pair before out of d_k and dg_k (oracle/filtered_secant.h); then dg_k is no difference of gradients, and
// B_{k-1} dg_k takes a product of its own where B is a matrix.
#include <array>
#include <cmath>
#include <stdexcept>

#include "core/last_step.h"
#include "linalg/kernels.h"
#include "linalg/large_vector.h"
#include "linalg/pass.h"
#include "loa/quasi_newton_input.h"
#include "oracle/filtered_secant.h"
#include "oracle/function_value_secant.h"
#include "oracle/oracles.h"

namespace loa {
namespace {

class QuasiNewtonOracle final : public Oracle {
 public:
  QuasiNewtonOracle(double gamma, const SecantOptions& options) : gamma_(gamma), options_(options) {}

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
    const bool filtered = change_pair(state, input);
    const GradientChange change{.grad = state.grad,
                                .delta_g = &input.covectors[kDeltaG],
                                .d = &input.vectors[kD],
                                .grad_factor = -gamma_,
                                .scale_factor = state.scalars.empty() ? 1.0 : state.scalars.front(),
                                .direction_prev = filtered ? nullptr : &state.direction_prev};
    apply(*state.B, change, minus_gamma_B_grad, B_delta_g, *state.reduction);
  }

 private:
  // From d and dg as they came to those of the secant equation. Says whether they were filtered.
  bool change_pair(const State& state, Input& input) const {
    LastStep step = {};
    if (options_.filter != 0.0 || options_.measures_step) {
      step = measure_last_step(state, input.vectors[kD], gamma_);
      input.scalars.setOnes(options_.measures_step ? 2 : 1);
    }
    if (options_.equation == SecantEquation::kValuesToo) divide_by_ratio(state, input);
    if (options_.measures_step) input.scalars(1) = step.squared_length / step.curvature / input.scalars(0);
    return options_.filter != 0.0 && filter(step, state, input);
  }

  bool filter(const LastStep& step, const State& state, Input& input) const {
    if (state.memory.size() != kNumKeptVectors || state.scalars.size() != kNumKeptScalars)
      throw std::invalid_argument("quasi_newton_oracle: a filter expects a state of filtered_storage()");
    const double weight = filter_weight(step.squared_length, state.scalars[kKeptSquaredLength], options_.filter);
    return filter_pair({state.memory[kKeptD], state.memory[kKeptDeltaG]}, weight, *state.reduction, input.vectors[kD],
                       input.covectors[kDeltaG]);
  }

  void divide_by_ratio(const State& state, Input& input) const {
    Vector& d = input.vectors[kD];
    auto slopes = summing_pass<2>(d.size(), [&](const Block& block, std::array<double, 2>& sum) {
      const double *column = d.data(), *v[] = {state.grad_prev.data(), state.grad.data()};
      kernels().products(&column, 1, v, 2, block.first, block.last(), sum.data());
    });
    state.reduction->sum(slopes);
    const double ratio = curvature_ratio({state.f_prev, state.f, slopes[0], slopes[1]}, options_.largest_ratio);
    if (input.scalars.size() == 0) input.scalars.resize(1);
    input.scalars(0) = ratio;
    if (ratio == 1.0) return;
    pass(d.size(), [&](const Block& block) { block.of(d) /= ratio; });
  }

  double gamma_;
  SecantOptions options_;
};

}  // namespace

std::shared_ptr<const Oracle> quasi_newton_oracle(const HyperParameters& hyper_parameters, SecantEquation equation) {
  return quasi_newton_oracle(hyper_parameters, SecantOptions{.equation = equation});
}

std::shared_ptr<const Oracle> quasi_newton_oracle(const HyperParameters& hyper_parameters,
                                                  const SecantOptions& options) {
  const double gamma = hyper_parameters.step_size;
  return std::make_shared<QuasiNewtonOracle>(std::isnan(gamma) ? 1.0 : gamma, options);
}

}  // namespace loa

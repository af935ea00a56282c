// The oracle of Algorithm 2, with one matrix product.
//
//   I_k = (B_{k-1} dg_k, d_k, -gamma B_{k-1} g_k),   dg_k = g_k - g_{k-1},   d_k = x_k - x_{k-1}
//
// The last step was U = -gamma B_{k-1} g_{k-1}, and S_k holds it. So B_{k-1} dg_k = B_{k-1} g_k + U/gamma, and the
// single product B_{k-1} g_k gives all three features. An operator that forgets old pairs is no longer that B_{k-1},
// and makes both products itself.
//
// With values of f in the secant equation d_k is divided by tau (oracle/function_value_secant.h). tau takes two inner
// products of its own. A slice of a distributed vector sends them with the products that the operator needs, in the
// all-reduce of the trial point that became x_k where that is possible, and divides afterwards.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

#include "core/bounds.h"
#include "core/measured_products.h"
#include "core/probation.h"
#include "linalg/combine.h"
#include "linalg/inverse_hessian_kinds.h"
#include "linalg/kernels.h"
#include "linalg/large_vector.h"
#include "linalg/pass.h"
#include "loa/quasi_newton_input.h"
#include "oracle/function_value_secant.h"
#include "oracle/oracles.h"

namespace loa {
namespace {

using Slopes = std::array<double, 2>;  // <d,g_{k-1}>, <d,g_k>

class QuasiNewtonOracle final : public Oracle {
 public:
  QuasiNewtonOracle(double gamma, const SecantOptions& options) : gamma_(gamma), options_(options) {}

  void observe(Objective&, State& state, Input& input) const override {
    input.gamma = gamma_;
    input.reduction = state.reduction;
    input.is_pair_alone = wants_pair_alone(state);
    make_differences(state, input);
    const bool has_H0 = state.initial_inverse_hessian != nullptr;
    if (has_H0) make_initial_products(state, input);
    const GradientChange change{.grad = state.grad,
                                .delta_g = &input.covectors[kDeltaG],
                                .d = &input.vectors[kD],
                                .grad_factor = -gamma_,
                                .scale_factor = state.next_scale,
                                .direction_prev = state.bounds != nullptr ? nullptr : &state.direction_prev,
                                .is_pair_alone = input.is_pair_alone,
                                .is_of_moved = state.bounds != nullptr,
                                .H0_grad = has_H0 ? &input.initial.grad : nullptr,
                                .H0_delta_g = has_H0 ? &input.initial.delta_g : nullptr};
    if (state.reduction->is_distributed())
      observe_slice(change, state, input);
    else
      observe_whole(change, state, input);
  }

  void look_ahead(const State& state, const Vector& x, const Vector& grad, Input& input) const override {
    LookAhead& ahead = input.ahead;
    if (state.initial_inverse_hessian != nullptr) return;  // H_0 g is worth its price at accepted points alone
    for (Vector* v : {&ahead.d, &ahead.delta_g}) resize_large(*v, state.dimension());
    pass(state.dimension(), [&](const Block& block) {
      combine(block.size, {{1.0, block.at(grad)}, {-1.0, block.at(state.grad)}}, block.at(ahead.delta_g));
      combine(block.size, {{1.0, block.at(x)}, {-1.0, block.at(state.x)}}, block.at(ahead.d));
    });
    const std::span<double> of_B = state.B->products({.grad = grad,
                                                      .delta_g = &ahead.delta_g,
                                                      .d = &ahead.d,
                                                      .is_ahead = true,
                                                      .is_of_moved = state.bounds != nullptr});
    ahead.sums.clear();
    if (!of_B.empty()) take_sums(of_B, slopes(ahead.d, state.grad, grad), ahead);
  }

 private:
  bool uses_values() const { return options_.equation == SecantEquation::kFunctionValues; }

  static void make_differences(const State& state, Input& input) {
    input.vectors.resize(kNumQuasiNewtonVectors);
    input.covectors.resize(kNumQuasiNewtonCovectors);
    Vector &grad = input.covectors[kGrad], &delta_g = input.covectors[kDeltaG], &d = input.vectors[kD];
    for (Vector* v : {&grad, &delta_g, &d, &input.vectors[kBDeltaG], &input.vectors[kMinusGammaBGrad]})
      resize_large(*v, state.dimension());
    if (input.ahead.is_current) {
      delta_g.swap(input.ahead.delta_g);
      d.swap(input.ahead.d);
      if (!input.is_pair_alone) grad = state.grad;
      return;
    }
    pass(state.dimension(), [&](const Block& block) {
      if (!input.is_pair_alone) combine(block.size, {{1.0, block.at(state.grad)}}, block.at(grad));
      combine(block.size, {{1.0, block.at(state.grad)}, {-1.0, block.at(state.grad_prev)}}, block.at(delta_g));
      combine(block.size, {{1.0, block.at(state.x)}, {-1.0, block.at(state.x_prev)}}, block.at(d));
    });
  }

  // H_0 g_k, and H_0 dg_k as a difference: one product an iteration.
  static void make_initial_products(const State& state, Input& input) {
    const LinearOperator& H0 = *state.initial_inverse_hessian;
    InitialProducts& products = input.initial;
    for (Vector* v : {&products.grad, &products.grad_prev, &products.delta_g}) resize_large(*v, state.dimension());
    products.grad.swap(products.grad_prev);
    if (!products.is_current) H0(state.grad_prev, products.grad_prev);
    H0(state.grad, products.grad);
    products.is_current = true;
    pass(state.dimension(), [&](const Block& block) {
      combine(block.size, {{1.0, block.at(products.grad)}, {-1.0, block.at(products.grad_prev)}},
              block.at(products.delta_g));
    });
  }

  void observe_whole(GradientChange change, State& state, Input& input) const {
    if (uses_values() || options_.last_curvature) {
      const Slopes along_d = slopes(input.vectors[kD], state.grad_prev, state.grad);
      const double ratio = uses_values() ? find_ratio(along_d, state) : 1.0;
      change.last_curvature = last_curvature(along_d, ratio, state);
      if (uses_values()) divide(ratio, input);
    }
    state.B->products(change);
    state.B->combine(change, 1.0, *state.reduction, input.vectors[kMinusGammaBGrad], input.vectors[kBDeltaG],
                     input.products);
    if (!input.is_pair_alone) measure_products(options_.for_features ? &state.grad_prev : nullptr, input);
  }

  // From the sums of look_ahead(), or with an all-reduce of its own. The operator may need another one.
  void observe_slice(GradientChange change, State& state, Input& input) const {
    LookAhead& ahead = input.ahead;
    change.is_ahead = std::exchange(ahead.is_current, false);
    if (!change.is_ahead) {
      take_sums(state.B->products(change), slopes(input.vectors[kD], state.grad_prev, state.grad), ahead);
      state.reduction->sum(ahead.sums);
    }
    const std::size_t num_of_B = ahead.sums_of_B.size();
    std::copy_n(ahead.sums.begin(), num_of_B, ahead.sums_of_B.begin());
    const Slopes along_d = {ahead.sums[num_of_B], ahead.sums[num_of_B + 1]};
    const double ratio = uses_values() ? find_ratio(along_d, state) : 1.0;
    change.last_curvature = last_curvature(along_d, ratio, state);
    divide(ratio, input);
    input.products = {};
    state.B->combine(change, ratio, *state.reduction, input.vectors[kMinusGammaBGrad], input.vectors[kBDeltaG],
                     input.products);
    if (input.is_pair_alone) return;
    if (options_.for_features || std::isnan(input.products.g_p))
      measure_products(options_.for_features ? &state.grad_prev : nullptr, input);
  }

  static void take_sums(std::span<double> of_B, const Slopes& slopes, LookAhead& ahead) {
    ahead.sums_of_B = of_B;
    ahead.sums.assign(of_B.begin(), of_B.end());
    ahead.sums.insert(ahead.sums.end(), slopes.begin(), slopes.end());
  }

  // Over this slice.
  static Slopes slopes(const Vector& d, const Vector& grad_prev, const Vector& grad) {
    return summing_pass<2>(d.size(), [&](const Block& block, Slopes& sum) {
      const double *column = d.data(), *v[] = {grad_prev.data(), grad.data()};
      kernels().products(&column, 1, v, 2, block.first, block.last(), sum.data());
    });
  }

  double find_ratio(const Slopes& slopes, const State& state) const {
    return curvature_ratio({state.f_prev, state.f, slopes[0], slopes[1], state.evidence.round_off},
                           options_.largest_ratio);
  }

  // The last step was d = -step gamma B g_{k-1}, so that <d, B^{-1} d> = -step gamma <g_{k-1},d>, for a d that is then
  // divided by the ratio. The first step of a run was not made by B; that of a restart was made by B = scale I, which
  // has no memory of a curvature. A step on which a coordinate came to a bound was not made by B alone.
  double last_curvature(const Slopes& slopes, double ratio, const State& state) const {
    if (state.evidence.iterations_since_restart == 0 || has_arrived(state))
      return std::numeric_limits<double>::quiet_NaN();
    return -state.step_size * gamma_ * slopes[0] / (ratio * ratio);
  }

  // Where bounds hold coordinates the step is made of the pairs by another way (linalg/box_step.h). Whether the B of a
  // warm start misleads is known from products.
  bool wants_pair_alone(const State& state) const {
    if (state.bounds == nullptr || options_.for_features || !can_take_pair_alone(*state.B) || is_on_probation(state))
      return false;
    return num_held(state) > 0.0;
  }

  static void divide(double ratio, Input& input) {
    Vector& d = input.vectors[kD];
    input.curvature_ratio = ratio;
    if (ratio != 1.0) pass(d.size(), [&](const Block& block) { block.of(d) /= ratio; });
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
  return std::make_shared<QuasiNewtonOracle>(hyper_parameters.step_size_or(1.0), options);
}

}  // namespace loa

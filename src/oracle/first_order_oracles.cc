// Oracles that look at the gradient and at differences of iterates only, so that they are translation invariant
// (Section 4.1): gradient descent, heavy-ball, Nesterov, Adam, conjugate gradients.
#include <cmath>
#include <stdexcept>

#include "oracle/oracles.h"

namespace loa {
namespace {

// gamma of Gamma, or what the storage estimated from the first pair.
double resolved_gamma(double gamma, const State& state) { return std::isnan(gamma) ? state.gamma : gamma; }

class FirstOrderOracle final : public Oracle {
 public:
  explicit FirstOrderOracle(double gamma) : gamma_(gamma) {}

  void observe(Objective&, State& state, Input& input) const override {
    input.gamma = resolved_gamma(gamma_, state);
    input.vectors.resize(1);
    input.covectors.resize(1);
    input.vectors[0] = state.x - state.x_prev;
    input.covectors[0] = state.grad;
  }

 private:
  double gamma_;
};

class NesterovOracle final : public Oracle {
 public:
  explicit NesterovOracle(double gamma) : gamma_(gamma) {}

  void observe(Objective&, State& state, Input& input) const override {
    input.gamma = resolved_gamma(gamma_, state);
    input.vectors.resize(1);
    input.covectors.resize(1);
    input.vectors[0] = state.x - state.memory[0];
    input.covectors[0] = state.grad;
    // beta_k = k/(k+3), the sequence for which the O(1/k^2) rate is proved (Nesterov 1983; Chambolle and Dossal 2015).
    const double k = static_cast<double>(state.iteration);
    input.momentum = k / (k + 3.0);
  }

 private:
  double gamma_;
};

class AdamOracle final : public Oracle {
 public:
  explicit AdamOracle(const HyperParameters& h) : gamma_(h.step_size), beta1_(h.beta1), beta2_(h.beta2) {}

  void observe(Objective&, State& state, Input& input) const override {
    input.gamma = resolved_gamma(gamma_, state);
    input.covectors.resize(3);
    input.covectors[0] = state.grad;
    input.covectors[1] = beta1_ * state.memory[0] + (1.0 - beta1_) * state.grad;
    input.covectors[2] = beta2_ * state.memory[1] + (1.0 - beta2_) * state.grad.cwiseProduct(state.grad);
  }

 private:
  double gamma_, beta1_, beta2_;
};

class ConjugateGradientOracle final : public Oracle {
 public:
  void observe(Objective&, State& state, Input& input) const override {
    input.gamma = state.gamma;
    input.vectors.resize(1);
    input.covectors.resize(1);
    input.vectors[0] = state.direction_prev;
    input.covectors[0] = state.grad;
    // Polak-Ribiere+ (Gilbert and Nocedal 1992): beta = max(0, <g, g - g_prev>/||g_prev||^2); NaN gives 0. Divided
    // before multiplied, so that gradients of 1e200 do not overflow.
    const double norm_prev = norm(state.grad_prev, *state.reduction);
    double beta = (state.grad / norm_prev).dot((state.grad - state.grad_prev) / norm_prev);
    state.reduction->sum({&beta, 1});
    input.momentum = beta > 0.0 && std::isfinite(beta) ? beta : 0.0;
  }
};

class NewtonOracle final : public Oracle {
 public:
  explicit NewtonOracle(double gamma) : gamma_(gamma) {}

  void observe(Objective& f, State& state, Input& input) const override {
    input.gamma = gamma_;
    input.covectors.resize(1);
    input.covectors[0] = state.grad;
    input.hessian.resize(state.dimension(), state.dimension());
    if (!f.hessian(state.x, input.hessian))
      throw std::invalid_argument("newton: expected an objective with a Hessian, found one without");
  }

 private:
  double gamma_;
};

}  // namespace

std::shared_ptr<const Oracle> first_order_oracle(const HyperParameters& hyper_parameters) {
  return std::make_shared<FirstOrderOracle>(hyper_parameters.step_size);
}

std::shared_ptr<const Oracle> nesterov_oracle(const HyperParameters& hyper_parameters) {
  return std::make_shared<NesterovOracle>(hyper_parameters.step_size);
}

std::shared_ptr<const Oracle> adam_oracle(const HyperParameters& hyper_parameters) {
  return std::make_shared<AdamOracle>(hyper_parameters);
}

std::shared_ptr<const Oracle> conjugate_gradient_oracle() { return std::make_shared<ConjugateGradientOracle>(); }

std::shared_ptr<const Oracle> newton_oracle(const HyperParameters& hyper_parameters) {
  return std::make_shared<NewtonOracle>(hyper_parameters.step_size_or(1.0));
}

}  // namespace loa

// The oracles of l2l-gd and rnnprop. See model/recurrent_network.h for what the network makes of I_k.
#include "core/recurrent.h"
#include "oracle/oracles.h"

namespace loa {
namespace {

// Both papers scale the network's output by 0.1; it is in units of x.
constexpr double kGamma = 0.1;

class L2lGdOracle final : public Oracle {
 public:
  explicit L2lGdOracle(double gamma) : gamma_(gamma) {}

  void observe(Objective&, State& state, Input& input) const override {
    input.gamma = gamma_;
    input.covectors.resize(1);
    input.covectors[0] = state.grad;
    input.hidden = state.hidden;
  }

 private:
  double gamma_;
};

class RnnpropOracle final : public Oracle {
 public:
  explicit RnnpropOracle(double gamma) : gamma_(gamma) {}

  void observe(Objective&, State& state, Input& input) const override {
    input.gamma = gamma_;
    input.covectors.resize(3);
    input.covectors[0] = state.grad;
    input.covectors[1] = kRnnpropBeta * state.memory[0] + (1.0 - kRnnpropBeta) * state.grad;
    input.covectors[2] = kRnnpropBeta * state.memory[1] + (1.0 - kRnnpropBeta) * state.grad.cwiseProduct(state.grad);
    input.bias_correction = 1.0 - kRnnpropBeta * state.beta_power;
    input.hidden = state.hidden;
  }

 private:
  double gamma_;
};

}  // namespace

std::shared_ptr<const Oracle> l2l_gd_oracle(const HyperParameters& hyper_parameters) {
  return std::make_shared<L2lGdOracle>(hyper_parameters.step_size_or(kGamma));
}

std::shared_ptr<const Oracle> rnnprop_oracle(const HyperParameters& hyper_parameters) {
  return std::make_shared<RnnpropOracle>(hyper_parameters.step_size_or(kGamma));
}

}  // namespace loa

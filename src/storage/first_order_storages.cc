// What the first-order methods and Newton keep.
#include <algorithm>
#include <cmath>

#include "core/first_length.h"
#include "storage/storages.h"

namespace loa {
namespace {

// 1/L with L estimated from the first pair, ||d_0||/||dg_0||. Without a difference of gradients: the last length.
double estimated_gamma(const State& state) {
  const double gamma =
      distance(state.x, state.x_prev, *state.reduction) / distance(state.grad, state.grad_prev, *state.reduction);
  return gamma > 0.0 && std::isfinite(gamma) ? gamma : same_length_scale(state);
}

class FirstOrderStorage : public Storage {
 public:
  void initialize(State& state) const override { state.gamma = estimated_gamma(state); }
  // The estimate of 1/L only ever shrinks: ||d||/||dg|| >= 1/L for every pair, and a gamma that is too long to be
  // stable makes the steps turn to where the curvature is largest, which shows L.
  void store(const Input&, const Step&, State& state) const override {
    state.gamma = std::min(state.gamma, estimated_gamma(state));
  }
  double restart_scale(const State& state) const override { return same_length_scale(state); }
};

class NesterovStorage final : public FirstOrderStorage {
 public:
  void initialize(State& state) const override {
    FirstOrderStorage::initialize(state);
    state.memory = {state.x};
  }
  void store(const Input& input, const Step& step, State& state) const override {
    FirstOrderStorage::store(input, step, state);
    // After a restart u_{k+1} is x_k: the next extrapolation continues the step that is taken now.
    state.memory[0] = state.x;
    if (step.kind != UpdateKind::kRestart) state.memory[0] -= input.gamma * state.grad;
  }
  StateUnits units() const override { return {.memory = {units::kPlace}}; }
};

class AdamStorage final : public FirstOrderStorage {
 public:
  // m_{-1} = g_{-1} and v_{-1} = g_{-1}^2, so that the first step has size gamma in each coordinate. The paper leaves
  // them open; zeros would need the bias correction that the paper's Adam does not have.
  void initialize(State& state) const override {
    state.gamma = 1e-3;  // gamma as in Kingma and Ba (2015); in units of x
    state.memory = {state.grad_prev, state.grad_prev.cwiseProduct(state.grad_prev)};
  }
  void store(const Input& input, const Step& step, State& state) const override {
    if (step.kind == UpdateKind::kRestart) {
      state.memory[0] = state.grad;
      state.memory[1] = state.grad.cwiseProduct(state.grad);
    } else {
      state.memory[0] = input.covectors[1];
      state.memory[1] = input.covectors[2];
    }
  }
  // m is a covector, v the square of one, entry by entry, and gamma a length.
  StateUnits units() const override { return {.memory = {units::kCovector, {.x = -2, .f = 2}}, .gamma = {.x = 1}}; }
};

class ConjugateGradientStorage final : public Storage {
 public:
  // The first direction is -gamma g_0: the step to x_0 was not made by an exact search, so nothing is conjugate to it.
  void initialize(State& state) const override {
    state.gamma = same_length_scale(state);
    state.direction_prev.setZero(state.dimension());
  }
  void store(const Input&, const Step& step, State& state) const override {
    if (step.kind == UpdateKind::kRestart) state.gamma = step.scale;
  }
  double restart_scale(const State& state) const override { return same_length_scale(state); }
};

class NewtonStorage final : public Storage {
 public:
  bool needs_matrix() const override { return true; }
  void initialize(State&) const override {}
  void store(const Input&, const Step&, State&) const override {}
  double restart_scale(const State& state) const override { return same_length_scale(state); }
};

}  // namespace

std::shared_ptr<const Storage> first_order_storage() { return std::make_shared<FirstOrderStorage>(); }

std::shared_ptr<const Storage> nesterov_storage() { return std::make_shared<NesterovStorage>(); }

std::shared_ptr<const Storage> adam_storage() { return std::make_shared<AdamStorage>(); }

std::shared_ptr<const Storage> conjugate_gradient_storage() { return std::make_shared<ConjugateGradientStorage>(); }

std::shared_ptr<const Storage> newton_storage() { return std::make_shared<NewtonStorage>(); }

}  // namespace loa

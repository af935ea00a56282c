// S_{k+1} with the pair (d, dg) of the last step, unfiltered, and its squared length, for the oracle that filters pairs
// (oracle/filtered_secant.h). Any quasi-Newton storage can be put inside.
#include <cmath>
#include <utility>

#include "core/last_step.h"
#include "linalg/pass.h"
#include "storage/storages.h"

namespace loa {
namespace {

class FilteredStorage final : public Storage {
 public:
  FilteredStorage(double gamma, std::shared_ptr<const Storage> inner) : gamma_(gamma), inner_(std::move(inner)) {}

  void initialize(State& state) const override {
    inner_->initialize(state);
    state.memory.assign(kNumKeptVectors, Vector::Zero(state.dimension()));
    state.scalars.resize(kNumKeptScalars, 1.0);
    state.scalars[kKeptSquaredLength] = 0.0;  // no pair
  }

  // Called before x moves: x_k - x_{k-1} is still the step whose pair is in the input. Values of f divide it by tau.
  void store(const Input& input, const Step& step, State& state) const override {
    Vector &d = state.memory[kKeptD], &delta_g = state.memory[kKeptDeltaG];
    pass(state.dimension(), [&](const Block& block) {
      block.of(d) = block.of(state.x) - block.of(state.x_prev);
      block.of(delta_g) = block.of(state.grad) - block.of(state.grad_prev);
    });
    const double squared_length = measure_last_step(state, d, gamma_).squared_length;
    if (const double tau = input.scalars(0); tau != 1.0)
      pass(state.dimension(), [&](const Block& block) { block.of(d) /= tau; });
    inner_->store(input, step, state);
    state.scalars[kKeptSquaredLength] = step.kind == UpdateKind::kRestart ? 0.0 : squared_length;
  }

  double restart_scale(const State& state) const override { return inner_->restart_scale(state); }

  StateUnits units() const override {
    constexpr Units kSquaredLength{.x = 0, .f = 1};
    return {.memory = {units::kVector, units::kCovector}, .scalars = {units::kDimensionless, kSquaredLength}};
  }

 private:
  double gamma_;
  std::shared_ptr<const Storage> inner_;
};

}  // namespace

std::shared_ptr<const Storage> filtered_storage(const HyperParameters& hyper_parameters,
                                                std::shared_ptr<const Storage> inner) {
  const double gamma = hyper_parameters.step_size;
  return std::make_shared<FilteredStorage>(std::isnan(gamma) ? 1.0 : gamma, std::move(inner));
}

}  // namespace loa

// What l2l-gd and rnnprop keep: the hidden state of the network, and for rnnprop the moments of the gradient.
#include "core/first_length.h"
#include "core/recurrent.h"
#include "storage/storages.h"

namespace loa {
namespace {

class L2lGdStorage : public Storage {
 public:
  // Both papers start from a hidden state of zeros.
  void initialize(State& state) const override { state.hidden.setZero(state.dimension(), kNumRecurrentHidden); }
  void store(const Input&, const Step& step, State& state) const override {
    if (step.kind == UpdateKind::kRestart) {
      state.hidden.setZero();
    } else {
      state.hidden = step.hidden;
    }
  }
  double restart_scale(const State& state) const override { return same_length_scale(state); }
};

class RnnpropStorage final : public L2lGdStorage {
 public:
  void initialize(State& state) const override {
    L2lGdStorage::initialize(state);
    state.memory.assign(2, Vector::Zero(state.dimension()));
    state.beta_power = 1.0;
  }
  void store(const Input& input, const Step& step, State& state) const override {
    L2lGdStorage::store(input, step, state);
    if (step.kind == UpdateKind::kRestart) {
      for (Vector& moment : state.memory) moment.setZero();
      state.beta_power = 1.0;
    } else {
      state.memory[0] = input.covectors[1];
      state.memory[1] = input.covectors[2];
      state.beta_power *= kRnnpropBeta;
    }
  }
  // m is a covector, v the square of one, entry by entry.
  StateUnits units() const override { return {.memory = {units::kCovector, {.x = -2, .f = 2}}}; }
};

}  // namespace

std::shared_ptr<const Storage> l2l_gd_storage() { return std::make_shared<L2lGdStorage>(); }

std::shared_ptr<const Storage> rnnprop_storage() { return std::make_shared<RnnpropStorage>(); }

}  // namespace loa

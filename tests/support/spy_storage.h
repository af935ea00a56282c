// Looks at every B_k of a run.
#pragma once

#include <functional>
#include <memory>
#include <utility>

#include "loa/algorithm.h"

namespace loa::test {

// Called with the step and the state after B has become B_k.
using Look = std::function<void(const Step&, const State&)>;

class SpyStorage final : public Storage {
 public:
  SpyStorage(std::shared_ptr<const Storage> storage, Look look)
      : storage_(std::move(storage)), look_(std::move(look)) {}
  void initialize(State& state) const override { storage_->initialize(state); }
  void store(const Input& input, const Step& step, State& state) const override {
    storage_->store(input, step, state);
    look_(step, state);
  }
  double restart_scale(const State& state) const override { return storage_->restart_scale(state); }
  bool needs_matrix() const override { return storage_->needs_matrix(); }
  bool is_incremental() const override { return storage_->is_incremental(); }

 private:
  std::shared_ptr<const Storage> storage_;
  Look look_;
};

inline Algorithm watched(Algorithm algorithm, Look look) {
  algorithm.storage = std::make_shared<SpyStorage>(algorithm.storage, std::move(look));
  return algorithm;
}

// All of B as it stands in the state.
inline Matrix full_matrix(const InverseHessian& B, Index n) {
  Matrix lower(n, n);
  lower.setZero();
  lower_triangle(B, lower);
  return lower.selfadjointView<Eigen::Lower>();
}

}  // namespace loa::test

// Long work in C++ that Ctrl-C can stop.
#pragma once

#include <nanobind/nanobind.h>

#include <atomic>
#include <functional>
#include <memory>

#include "loa/model.h"

namespace loa::python {

// Thrown by work that was asked to stop and cannot return early.
struct Interrupted : std::exception {
  const char* what() const noexcept override { return "interrupted"; }
};

// A model that throws Interrupted once `stop` is set: runs that have no observer end there. `stop` must outlive it.
class StoppableModel final : public Model {
 public:
  StoppableModel(std::shared_ptr<const Model> model, const std::atomic<bool>& stop)
      : model_(std::move(model)), stop_(stop) {}
  void predict(const Input& input, Prediction& prediction) const override {
    if (stop_) throw Interrupted();
    model_->predict(input, prediction);
  }
  const Vector& theta() const override { return model_->theta(); }
  std::vector<ParameterBlock> blocks() const override { return model_->blocks(); }

 private:
  std::shared_ptr<const Model> model_;
  const std::atomic<bool>& stop_;
};

// Runs `work` on a thread of its own while this one waits without the GIL and looks for signals, which only Python's
// main thread can see. After a signal `stop` is set, and its exception (KeyboardInterrupt) is thrown when the work has
// ended. An exception of the work is thrown here. REQUIRES: the GIL is held.
void in_background(const std::function<void(std::atomic<bool>& stop)>& work);

}  // namespace loa::python

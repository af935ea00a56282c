// What the processes of a distributed run do together: an exception on one of them ends all.
#pragma once

#include <exception>
#include <stdexcept>

#include "loa/reduction.h"

namespace loa {

// An exception that waits for the next all-reduce, where the other processes learn of it. In a run of one process it
// does not wait.
class PendingException {
 public:
  // Calls work().
  template <typename Work>
  void guard(const Reduction& reduction, const Work& work) {
    try {
      work();
    } catch (...) {
      if (!reduction.is_distributed()) throw;
      exception_ = std::current_exception();
    }
  }

  // One of the maxima of that all-reduce.
  double flag() const { return exception_ ? 1.0 : 0.0; }

  // Called with what the all-reduce made of the flag.
  void raise(double largest_flag) const {
    if (exception_) std::rethrow_exception(exception_);
    if (largest_flag != 0.0) throw std::runtime_error("this run was ended by an exception on another of its processes");
  }

 private:
  std::exception_ptr exception_;
};

}  // namespace loa

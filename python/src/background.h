// Long work in C++ that Ctrl-C can stop.
#pragma once

#include <nanobind/nanobind.h>

#include <atomic>
#include <functional>

namespace loa::python {

// Thrown by work that was asked to stop and cannot return early.
struct Interrupted : std::exception {
  const char* what() const noexcept override { return "interrupted"; }
};

// Runs `work` on a thread of its own while this one waits without the GIL and looks for signals, which only Python's
// main thread can see. After a signal `stop` is set, and its exception (KeyboardInterrupt) is thrown when the work has
// ended. An exception of the work is thrown here. REQUIRES: the GIL is held.
void in_background(const std::function<void(std::atomic<bool>& stop)>& work);

}  // namespace loa::python

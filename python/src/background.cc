#include "background.h"

#include <chrono>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <thread>

namespace loa::python {

namespace nb = nanobind;

void in_background(const std::function<void(std::atomic<bool>& stop)>& work) {
  constexpr std::chrono::milliseconds kLook(50);  // a person does not notice
  std::atomic<bool> stop = false;
  std::mutex mutex;
  std::condition_variable changed;
  bool done = false;
  std::exception_ptr error, signal;
  {
    const nb::gil_scoped_release no_gil;
    std::thread thread([&] {
      try {
        work(stop);
      } catch (...) {
        error = std::current_exception();
      }
      const std::lock_guard lock(mutex);
      done = true;
      changed.notify_one();
    });
    std::unique_lock lock(mutex);
    while (!changed.wait_for(lock, kLook, [&] { return done; })) {
      lock.unlock();
      {
        const nb::gil_scoped_acquire gil;
        if (!stop && PyErr_CheckSignals() != 0) {
          signal = std::make_exception_ptr(nb::python_error());
          stop = true;
        }
      }
      lock.lock();
    }
    lock.unlock();
    thread.join();
  }
  if (signal) std::rethrow_exception(signal);
  if (error) std::rethrow_exception(error);
}

}  // namespace loa::python

// A run of minimize() on a stack of its own, which stops where it asks for f and goes on when the answer is there. So
// many runs share one thread, and one call of f answers all of them.
#pragma once

#include <ucontext.h>

#include <cstddef>
#include <exception>
#include <functional>
#include <memory>

namespace loa::python {

// Memory for a stack, with a page below it that may not be touched. Pages are taken when they are used.
class Stack {
 public:
  explicit Stack(std::size_t bytes);
  ~Stack();
  Stack(const Stack&) = delete;
  Stack& operator=(const Stack&) = delete;

  void* begin() const { return begin_; }
  std::size_t bytes() const { return bytes_; }

 private:
  void* memory_;
  void* begin_;
  std::size_t bytes_, guard_;
};

// Work that can be suspended by itself. All calls come from one thread. REQUIRES: an exception is not being handled
// where the work calls suspend().
class Fiber {
 public:
  // Thrown by suspend() in a fiber that is to end early, so that its destructors run.
  struct Abandoned {};

  // The work begins with the first resume().
  explicit Fiber(std::unique_ptr<Stack> stack) : stack_(std::move(stack)) {}
  ~Fiber();
  Fiber(const Fiber&) = delete;
  Fiber& operator=(const Fiber&) = delete;

  void start(std::function<void()> work);

  // Runs the work until it calls suspend() or ends. An exception of the work is thrown here. Not to be called when
  // done().
  void resume();

  // Called by the work: back to resume().
  void suspend();

  bool done() const { return done_; }

 private:
  static void enter();
  void run();

  std::unique_ptr<Stack> stack_;
  ucontext_t own_ = {}, caller_ = {};
  std::function<void()> work_;
  std::exception_ptr error_;
  bool done_ = true, abandoned_ = false;
};

}  // namespace loa::python

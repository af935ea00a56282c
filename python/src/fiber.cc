#include "fiber.h"

#include <sys/mman.h>
#include <unistd.h>

#include <new>
#include <utility>

namespace loa::python {
namespace {

#ifndef MAP_NORESERVE
#define MAP_NORESERVE 0
#endif

// The fiber that enter() belongs to: makecontext() passes no pointers.
thread_local Fiber* entering = nullptr;

}  // namespace

Stack::Stack(std::size_t bytes) : bytes_(bytes), guard_(static_cast<std::size_t>(sysconf(_SC_PAGESIZE))) {
  memory_ = mmap(nullptr, bytes_ + guard_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory_ == MAP_FAILED) throw std::bad_alloc();
  if (mprotect(memory_, guard_, PROT_NONE) != 0) {
    munmap(memory_, bytes_ + guard_);
    throw std::bad_alloc();
  }
  begin_ = static_cast<char*>(memory_) + guard_;
}

Stack::~Stack() { munmap(memory_, bytes_ + guard_); }

Fiber::~Fiber() {
  if (done_) return;
  abandoned_ = true;
  try {
    resume();
  } catch (...) {  // what the work threw on its way out is of no interest
  }
}

void Fiber::start(std::function<void()> work) {
  work_ = std::move(work);
  error_ = nullptr;
  done_ = false;
  getcontext(&own_);
  own_.uc_stack.ss_sp = stack_->begin();
  own_.uc_stack.ss_size = stack_->bytes();
  own_.uc_link = &caller_;
  makecontext(&own_, &Fiber::enter, 0);
}

void Fiber::enter() { std::exchange(entering, nullptr)->run(); }

void Fiber::run() {
  try {
    if (!abandoned_) work_();
  } catch (const Abandoned&) {
  } catch (...) {
    error_ = std::current_exception();
  }
  work_ = nullptr;
  done_ = true;
}  // to caller_, by uc_link

void Fiber::resume() {
  entering = this;
  swapcontext(&caller_, &own_);
  if (done_ && error_) std::rethrow_exception(std::exchange(error_, nullptr));
}

void Fiber::suspend() {
  swapcontext(&own_, &caller_);
  if (abandoned_) throw Abandoned();
}

}  // namespace loa::python

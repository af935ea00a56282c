#include "loa/state.h"

#include "core/counts.h"

namespace loa {
namespace {

std::unique_ptr<InverseHessian> clone(const std::unique_ptr<InverseHessian>& B) { return B ? B->clone() : nullptr; }

}  // namespace

Fallbacks& Fallbacks::operator+=(const Fallbacks& other) {
  for (const Counter<Fallbacks>& counter : kFallbackCounters) this->*counter.member += other.*counter.member;
  return *this;
}

State::State(const State& other) : StateValues(other), B(clone(other.B)) {}

State& State::operator=(const State& other) {
  if (this == &other) return *this;
  StateValues::operator=(other);
  B = clone(other.B);
  return *this;
}

}  // namespace loa

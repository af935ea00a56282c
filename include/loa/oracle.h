// C, the oracle of Algorithm 1: (f, x_k, S_k) -> I_k.
//
// Layer: oracle.
#pragma once

#include "loa/export.h"
#include "loa/input.h"
#include "loa/objective.h"
#include "loa/state.h"

LOA_EXPORT_BEGIN
namespace loa {

// Observes f at x_k. Const and without state.
class Oracle {
 public:
  virtual ~Oracle() = default;

  // Called first in every iteration. The first covector must be the gradient. Fills input from x_k (state.x, state.f,
  // state.grad) and S_k. f may be evaluated (a Hessian, say); f and the gradient at x_k are already in the state. The
  // state is not const for one reason: B may apply a queued update during the product.
  virtual void observe(Objective& f, State& state, Input& input) const = 0;

  // Called in a distributed run at every trial point x of a search from state.x, before anybody knows whether x will be
  // x_{k+1}. An oracle may begin its work there and leave sums over this slice in input.ahead.sums, which travel in the
  // all-reduce of the trial. If x is accepted, observe() finds input.ahead.is_current. I_k must stay as it is.
  virtual void look_ahead(const State& /*state*/, const Vector& /*x*/, const Vector& /*grad*/, Input& /*input*/) const {
  }
};

}  // namespace loa
LOA_EXPORT_END

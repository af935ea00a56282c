// U, the update of Algorithm 1: (I_k, y_k) -> the unit step. It never sees f.
//
// Layer: update. The paper's footnote 2 lets U read the state as well. Ours need not: with B_{k-1} g_k among the
// features of I_k, the product B_k g_k follows from the rank-two formula in O(n).
#pragma once

#include "loa/export.h"
#include "loa/input.h"

LOA_EXPORT_BEGIN
namespace loa {

// Turns y_k into a direction. Const and without state.
class Update {
 public:
  virtual ~Update() = default;

  // Called after the model, and again with another y when the safeguard refuses the first. Fills step.direction. It may
  // also set step.slope, length and grad_norm, and step.cosine, where it has them at hand; they come in as NaN, and
  // what is left so is found by another pass. Returns false when the direction cannot be computed (a zero denominator,
  // a matrix that cannot be factored).
  virtual bool direction(const Input& input, const Vector& y, Step& step) const = 0;
};

}  // namespace loa
LOA_EXPORT_END

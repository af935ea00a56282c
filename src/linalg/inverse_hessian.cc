#include "loa/inverse_hessian.h"

namespace loa {

SecantProducts apply(InverseHessian& B, const GradientChange& change, Vector& B_grad, Vector& B_delta_g,
                     const Reduction& reduction) {
  SecantProducts found;
  reduction.sum(B.products(change));
  B.combine(change, 1.0, reduction, B_grad, B_delta_g, found);
  return found;
}

void apply(InverseHessian& B, const Vector& v, Vector& out, const Reduction& reduction) {
  Vector unused;
  apply(B, GradientChange{.grad = v}, out, unused, reduction);
}

}  // namespace loa

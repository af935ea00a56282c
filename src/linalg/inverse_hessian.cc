#include "loa/inverse_hessian.h"

namespace loa {

void InverseHessian::apply_to_change(const GradientChange& change, Vector& B_grad, Vector& B_delta_g) {
  apply(change.grad, B_grad);
  B_delta_g += B_grad;
}

void InverseHessian::copy_to(Matrix& B) const {
  const std::unique_ptr<InverseHessian> copy = clone();
  const Index n = B.rows();
  Vector column(n);
  for (Index i = 0; i < n; ++i) {
    copy->apply(Vector::Unit(n, i), column);
    B.col(i) = column;
  }
}

}  // namespace loa

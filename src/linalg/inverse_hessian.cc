#include "loa/inverse_hessian.h"

namespace loa {

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

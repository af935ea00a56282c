#include "loa/inverse_hessian.h"

#include "linalg/pass.h"

namespace loa {

void InverseHessian::apply_to_change(const GradientChange& change, Vector& B_grad, Vector& B_delta_g) {
  apply(change.grad, B_grad);
  if (change.is_filtered) {
    apply(change.delta_g, B_delta_g);
    pass(B_grad.size(), [&](const Block& block) { block.of(B_grad) *= change.grad_factor; });
    return;
  }
  B_delta_g.resize(B_grad.size());
  pass(B_grad.size(), [&](const Block& block) {
    block.of(B_delta_g) = block.of(B_grad) - block.of(*change.direction_prev) / change.grad_factor;
    block.of(B_grad) *= change.grad_factor;
  });
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

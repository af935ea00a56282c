// The paper's random quadratics.
//
//   f(x) = 1/2 ||A x - b||^2,   gradient = A (A x - b),   Hessian = A^2,   A = P D P^T symmetric and invertible
//
// so the minimum is 0, and f is accurate near it: the residual A x - b is small there and its square needs no
// subtraction. Appendix "Problems and Datasets", Quadratic functions. Differs from the paper: it says that the largest
// eigenvalue of the Hessian is lambda_max^2 / 2; with f as printed it is lambda_max^2.
#pragma once

#include <memory>

#include "loa/objective.h"

namespace loa {

struct QuadraticData {
  Matrix a;  // n x n, symmetric to the last bit
  Vector b;  // n
};

class QuadraticObjective final : public Objective {
 public:
  explicit QuadraticObjective(std::shared_ptr<const QuadraticData> data);

  Index dimension() const override { return data_->b.size(); }
  double value_and_gradient(const Vector& x, Vector& grad) override;
  double value(const Vector& x) override;
  bool hessian_vector(const Vector& x, const Vector& v, Vector& out) override;
  bool hessian(const Vector& x, Matrix& hessian) override;

 private:
  std::shared_ptr<const QuadraticData> data_;
  Vector residual_;
};

}  // namespace loa

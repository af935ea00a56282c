// Ridge regression: linear least squares with a quadratic penalty.
//
//   f(x) = 1/2 ||A x - b||^2 + l2/2 ||x||^2,   gradient = A^T (A x - b) + l2 x,   Hessian = A^T A + l2 I
//
// Appendix "Problems and Datasets", Ridge regression. Differs from the paper: it prints ||A x - b||^2 without the 1/2,
// its program has the 1/2.
#pragma once

#include <memory>

#include "loa/objective.h"
#include "problem/dataset.h"
#include "problem/row_pass.h"

namespace loa {

class RidgeObjective final : public Objective {
 public:
  RidgeObjective(std::shared_ptr<const Dataset> data, double l2);

  Index dimension() const override { return data_->features.cols; }
  double value_and_gradient(const Vector& x, Vector& grad) override;
  double value(const Vector& x) override;
  bool hessian_vector(const Vector& x, const Vector& v, Vector& out) override;
  bool hessian(const Vector& x, Matrix& hessian) override;

 private:
  // The terms of RowPass: replaces A x by A x - b and returns its squares.
  auto squared_residuals() const {
    return [this](Index first, auto products) {
      products -= data_->targets.segment(first, products.size());
      return products.squaredNorm();
    };
  }

  std::shared_ptr<const Dataset> data_;
  double l2_;
  RowPass pass_;
};

}  // namespace loa

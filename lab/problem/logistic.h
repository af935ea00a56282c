// Regularized logistic regression: the loss of a linear classifier with labels b_i = +-1 on rows a_i of A.
//
//   f(x) = w sum_i log(1 + exp(-z_i)) + l2/2 ||x||^2,   z_i = b_i <a_i, x>,   w = 1 (sum) or 1/m (mean)
//   gradient = -w sum_i b_i s_i a_i + l2 x,             s_i = 1 / (1 + exp(z_i))
//   Hessian  =  w sum_i s_i (1 - s_i) a_i a_i^T + l2 I
//
// With e = exp(-|z|), which never overflows, log(1 + exp(-z)) = max(-z, 0) + log1p(e) and s (1 - s) = e / (1 + e)^2.
// Appendix "Problems and Datasets", Regularized Logistic Regression; with labels 0/1 in place of -1/+1 the paper's
// log(1 + exp(<a, x>)) - b <a, x> is the same number.
#pragma once

#include <memory>

#include "loa/error.h"
#include "loa/objective.h"
#include "problem/dataset.h"
#include "problem/row_pass.h"

namespace loa {

struct LogisticWeights {
  double loss = 1.0;  // w
  double l2 = 0.0;
};

class LogisticObjective final : public Objective {
 public:
  // REQUIRES: every target is -1 or +1.
  LogisticObjective(std::shared_ptr<const Dataset> data, LogisticWeights weights);

  Index dimension() const override { return data_->features.cols; }
  double value_and_gradient(const Vector& x, Vector& grad) override;
  double value(const Vector& x) override;
  bool hessian_vector(const Vector& x, const Vector& v, Vector& out) override;
  bool hessian(const Vector& x, Matrix& hessian) override;

 private:
  void find_curvature(const Vector& x);

  std::shared_ptr<const Dataset> data_;
  LogisticWeights weights_;
  RowPass pass_;
  Vector curvature_;  // m, only once a Hessian was asked for
};

// Maps the targets of `data` to -1 and +1: {-1, 1} stays; of {0, 1}, 0 becomes -1; of {1, 2}, 2 becomes -1. Returns no
// error, or a complaint that names the first line whose label fits none of the three together with those before
// it.
Error map_labels(Dataset& data);

}  // namespace loa

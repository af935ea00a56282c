// B_k as a matrix: one triangle, one sweep over it an iteration.
//
// The general secant update adds a rank-two term u z^T + z u^T (secant_term.h). update() only queues (u, z); the next
// apply() adds the term to each row just before the row is used for the product. So each byte of the matrix is read and
// written once an iteration.
#pragma once

#include <vector>

#include "linalg/secant_term.h"
#include "loa/inverse_hessian.h"

namespace loa {

class DenseInverseHessian final : public InverseHessian {
 public:
  // REQUIRES: n >= 0. The matrix is 0 until reset().
  explicit DenseInverseHessian(Index n);

  void reset(double scale) override;
  void apply(const Vector& v, Vector& out) override;
  void update(const SecantPair& pair) override;
  void save(TensorFile& file) const override;
  std::string load(const TensorFile& file) override;
  std::unique_ptr<InverseHessian> clone() const override { return std::make_unique<DenseInverseHessian>(*this); }
  void copy_to(Matrix& B) const override;
  std::unique_ptr<InverseHessian> congruent(const LinearMap& J, double factor) const override;

  Index dimension() const { return n_; }

  // Adds a term that was made elsewhere.
  void add(const SecantTerm& term);

  // The whole matrix, for tests and for users who want to look at it.
  Matrix matrix() const;

 private:
  void apply_queued();

  Index n_;
  std::vector<double> rows_;  // lower triangle, n (n+1)/2 values; row i starts at i (i+1)/2
  bool queued_ = false;
  SecantTerm term_;  // the queued one, valid when queued_
};

}  // namespace loa

// B_k with an initial scale that is refreshed while there are few pairs, and a matrix afterwards.
//
// BFGS scales B_{-1} = gamma I once, by the first pair, and the directions that no pair has explored yet keep that
// scale for ever. For the first `num_pairs` pairs after a start or a restart, B_k is made anew in each iteration from
// gamma_k I and all pairs, as limited memory does,
//
//   gamma_k = (<d,dg>/||dg||^2)^(1-e) (||d||^2/<d,dg>)^e = ||d||/||dg|| cos(d,dg)^(1-2e),
//
// between the two scales of Barzilai and Borwein (IMA J. Numer. Anal. 8 (1988), 141-148). Then it becomes a matrix,
// once, and is updated like any other.
//
// Layer: linalg.
#pragma once

#include <array>

#include "linalg/dense_inverse_hessian.h"
#include "linalg/limited_memory_inverse_hessian.h"

namespace loa {

struct RefreshedOptions {
  Index num_pairs = 20;
  double exponent = 0.4;  // e
  bool y_is_d = false;    // no room for y among the pairs
};

class RefreshedInverseHessian final : public InverseHessian {
 public:
  // REQUIRES: n >= 0, 1 <= num_pairs < kLargestMemory, 0 < exponent < 1. All memory is taken here. `reduction` must
  // outlive the operator.
  RefreshedInverseHessian(Index n, const RefreshedOptions& options, const Reduction& reduction = Reduction::serial());

  void reset(double scale) override;
  void apply(const Vector& v, Vector& out) override;
  void apply_to_change(const GradientChange& change, Vector& B_grad, Vector& B_delta_g) override;
  void update(const SecantPair& pair) override;
  void save(TensorFile& file) const override;
  std::string load(const TensorFile& file) override;
  std::unique_ptr<InverseHessian> clone() const override { return std::make_unique<RefreshedInverseHessian>(*this); }
  std::unique_ptr<InverseHessian> congruent(const LinearMap& J, double factor) const override;
  // While there are pairs alone B_k is not B_{k-1} plus one term.
  bool forgets() const override { return true; }

  Index dimension() const { return matrix_.dimension(); }
  bool is_matrix() const { return is_matrix_; }

 private:
  LimitedMemoryInverseHessian pairs_;  // B while is_matrix_ is false
  DenseInverseHessian matrix_;         // B afterwards
  bool is_matrix_ = false;
  std::array<Vector, 4> scratch_;
};

}  // namespace loa

// B_k as a matrix that is multiplied by a number before each update (linalg/self_scaling.h).
//
// With B/tau and the member phi of Broyden's family for the new pair (d, dg), u = B dg, v = d/s - u/b,
//
//   B_k = the BFGS update of  B' = B/tau + (phi - 1) (b/tau) v v^T,
//
// because <v,dg> = 0: the update with y = d leaves v v^T as it is, and B' dg = u/tau. So I_k holds the products of B',
// and model and update are those of BFGS. tau and phi are numbers of one iteration: B changes in update() alone, in one
// sweep as for BFGS. An iteration that ends without an update leaves B as it was before the iteration; the next one is
// not scaled, because its last step was made by B'. B takes its own member of the family whatever the y of the pair is,
// so that the last step need not be -gamma B_k g_k: B_k g_k follows from the term, in O(n), and is kept.
#pragma once

#include "linalg/dense_inverse_hessian.h"
#include "linalg/self_scaling.h"

namespace loa {

class SelfScaledInverseHessian final : public InverseHessian {
 public:
  // REQUIRES: n >= 0. The matrix is 0 until reset(). All memory is taken here.
  SelfScaledInverseHessian(Index n, SelfScalingRule rule);

  void reset(double scale) override;
  // The vectors must be whole, as for every matrix.
  std::span<double> products(const GradientChange&) override { return {}; }
  // REQUIRES: no other slices.
  void combine(const GradientChange& change, double ratio, const Reduction& reduction, Vector& B_grad,
               Vector& B_delta_g, SecantProducts& found) override;
  // Neither y nor the factor is read.
  void update(const SecantPair& pair, const Reduction& reduction = Reduction::serial()) override;
  std::unique_ptr<InverseHessian> clone() const override { return std::make_unique<SelfScaledInverseHessian>(*this); }

  // See linalg/inverse_hessian_kinds.h. Congruent is null unless J is a multiple of an orthogonal map, where an
  // iteration has begun and not been stored.
  void save(TensorFile& file) const;
  Error load(const TensorFile& file);
  std::unique_ptr<InverseHessian> congruent(const LinearMap& J, double factor) const;
  void lower_triangle(Matrix& out) const { matrix_.lower_triangle(out); }

  Index dimension() const { return matrix_.dimension(); }
  SelfScalingRule rule() const { return rule_; }

  // For a B that was something else until now: combine() was called there with this g_k and gave B g_k, and update() is
  // next, after the matrix has been set to that B.
  void continue_from(const Vector& grad, const Vector& B_grad, double grad_factor);
  DenseInverseHessian& matrix() { return matrix_; }

  // Forgets what the last iteration was, not B: the next one is the first of another run.
  void forget_iteration() { is_applied_ = was_skipped_ = knows_prev_ = false; }

 private:
  void resize_vectors();
  void take_change(const GradientChange& change, Vector& B_delta_g);
  void take_held(const GradientChange& change, Vector& B_delta_g);
  void add_term();

  SelfScalingRule rule_;
  DenseInverseHessian matrix_;

  // Of the last combine(); an iteration may be repeated from its start, or end without an update.
  bool is_applied_ = false;  // and not updated since
  Vector grad_;              // g_k
  Vector B_grad_;            // B g_k, of B as it is
  SelfScaling scaling_;
  double s_ = 1.0, b_ = 1.0;  // <d,dg>, <dg, B dg>
  // With bounds T B T stands for B/tau: T_i = tau^{-1/2} where x_i has moved, 1 where it is held. A coordinate that is
  // held gets no pair that would make its part of B smaller again. The reduced inverse Hessian of the others is divided
  // by tau all the same.
  bool holds_any_ = false;
  SelfScaling held_scaling_;
  Vector T_, part_, of_held_;  // empty until they are needed

  bool was_skipped_ = false;  // the iteration before that one ended without an update
  bool knows_prev_ = false;   // otherwise the direction of the last step must tell
  Vector B_grad_prev_;        // B g_{k-1}

  SecantTerm scratch_;
  Vector y_;
};

}  // namespace loa

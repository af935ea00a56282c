// B_k with an initial scale that is refreshed while there are few pairs, made of conjugated pairs throughout.
//
// BFGS scales B_{-1} = gamma I once, by the first pair, and the directions that no pair has explored yet keep that
// scale for ever. For the first `num_pairs` pairs after a start or a restart B_k is made anew in each iteration, as
// limited memory does, from gamma_k I with gamma_k = ||d||/||dg||, the geometric mean of the two scales of Barzilai and
// Borwein (IMA J. Numer. Anal. 8 (1988), 141-148), and from all pairs, each conjugated to the next newer one
// (linalg/conjugated_inverse_hessian.h).
//
// Then it becomes a matrix. The newest pair changes the one before it, so that the matrix H is always one pair behind:
// with (d', dg') the pair of the last update and (d, dg) that of this iteration,
//
//   B_{k-1} = H updated with (d' - c d, dg' - c dg),   c as in linalg/conjugated_pairs.h,
//
// to which U adds (d, dg). Then B_{k-1} becomes the new H. H g_{k-1} and H dg' are known from the last iteration, where
// H was made, so that H dg = H g_k - H g_{k-1} and one product with H an iteration is enough, as for BFGS. A filtered
// dg (oracle/filtered_secant.h) takes another one.
//
// Layer: linalg.
#pragma once

#include <array>

#include "linalg/conjugated_inverse_hessian.h"
#include "linalg/dense_inverse_hessian.h"
#include "loa/error.h"

namespace loa {

struct RefreshedOptions {
  Index num_pairs = 100;
  double damping = 30.0;  // of the conjugation where the Hessian changes
  // The newer pairs that each pair is conjugated to: 1, or 0 for none (bench/ablation.cc). More would make the oldest
  // pairs sums of a hundred vectors.
  Index depth = 1;
};

class RefreshedInverseHessian final : public InverseHessian {
 public:
  // REQUIRES: n >= 0, 1 <= num_pairs < kLargestMemory, depth 0 or 1. All memory is taken here. `reduction` must outlive
  // the operator.
  RefreshedInverseHessian(Index n, const RefreshedOptions& options, const Reduction& reduction = Reduction::serial());

  void reset(double scale) override;
  void apply(const Vector& v, Vector& out) override;
  void apply_to_change(const GradientChange& change, Vector& B_grad, Vector& B_delta_g) override;
  // REQUIRES: y = d and factor = 1; the pair is that of the last apply_to_change(), and nothing was called since.
  void update(const SecantPair& pair) override;
  void save(TensorFile& file) const override;
  Error load(const TensorFile& file) override;
  std::unique_ptr<InverseHessian> clone() const override { return std::make_unique<RefreshedInverseHessian>(*this); }
  std::unique_ptr<InverseHessian> congruent(const LinearMap& J, double factor) const override;
  // B_k is not B_{k-1} plus one term.
  bool forgets() const override { return true; }

  Index dimension() const { return pairs_.dimension(); }
  bool is_matrix() const { return is_matrix_; }

 private:
  // The term that brings H to B_{k-1}: the secant update with y = d of the pair (d, dg), given H dg.
  struct Term {
    Vector d, residual;                                // d, d - H dg
    double curvature = 0.0, residual_curvature = 0.0;  // <dg,d>, <dg, d - H dg>

    // The coefficients of `residual` and `d` in what it adds to H v.
    std::array<double, 2> coefficients(double d_v, double residual_v) const;
  };

  void resize_vectors(Index n);
  void take_change(const GradientChange& change);
  double conjugation(const std::array<double, 5>& products) const;

  const Reduction* reduction_;
  RefreshedOptions options_;
  ConjugatedInverseHessian pairs_;  // B while is_matrix_ is false
  DenseInverseHessian matrix_;      // H afterwards
  bool is_matrix_ = false;

  // The pair that is not in H yet.
  Vector d_, delta_g_, H_delta_g_;
  double curvature_ = 0.0;  // <d', dg'>
  Vector H_grad_;           // H g_{k-1}

  // Of the last apply_to_change(); an iteration may be repeated from its start, or end without an update.
  bool is_applied_ = false;  // and not updated since
  Vector grad_;              // g_k
  Vector next_H_grad_;       // H g_k
  Vector H_change_;          // H dg
  Vector B_grad_;            // B_{k-1} g_k
  Term term_;
  Vector conjugate_delta_g_, H_conjugate_delta_g_;  // dg' - c dg and H times it

  ConjugatedInverseHessian::Scratch scratch_;
};

}  // namespace loa

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
// H was made, so that H dg = H g_k - H g_{k-1} and one product with H an iteration is enough, as for BFGS.
#pragma once

#include <array>

#include "linalg/conjugated_inverse_hessian.h"
#include "linalg/dense_inverse_hessian.h"

namespace loa {

struct RefreshedOptions {
  // Evaluations against 100 on 339 synthetic problems (docs/loa.md): 1.066 with 20 pairs, 1.012 with 50, 0.997 with
  // 200, which take twice the memory.
  Index num_pairs = 100;
  // Of the conjugation where the Hessian changes. In the same way against 30: 1.005 with 3 and with 10, 1.008 with 100.
  double damping = 30.0;
  // The newer pairs that each pair is conjugated to: 1, or 0 for none (bench/ablation.cc), which takes 1.217 times as
  // many evaluations. More would make the oldest pairs sums of a hundred vectors.
  Index depth = 1;
};

class RefreshedInverseHessian final : public InverseHessian {
 public:
  // REQUIRES: n >= 0, 1 <= num_pairs < kLargestMemory, depth 0 or 1. All memory is taken here.
  RefreshedInverseHessian(Index n, const RefreshedOptions& options);

  void reset(double scale) override;
  // The vectors must be whole, as for every matrix.
  std::span<double> products(const GradientChange& change) override;
  // REQUIRES: ratio = 1 and no other slices.
  void combine(const GradientChange& change, double ratio, const Reduction& reduction, Vector& B_grad,
               Vector& B_delta_g, SecantProducts& found) override;
  // Takes the pair (d, dg); y is not read. REQUIRES: the pair is that of the last combine(), and nothing was called
  // since.
  void update(const SecantPair& pair, const Reduction& reduction = Reduction::serial()) override;
  std::unique_ptr<InverseHessian> clone() const override { return std::make_unique<RefreshedInverseHessian>(*this); }

  // See linalg/inverse_hessian_kinds.h. Congruent is null unless J is a multiple of an orthogonal map.
  void save(TensorFile& file) const;
  Error load(const TensorFile& file);
  std::unique_ptr<InverseHessian> congruent(const LinearMap& J, double factor) const;

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
  void apply(const Vector& v, Vector& out);
  void take_change(const GradientChange& change);
  double conjugation(const std::array<double, 5>& products) const;

  RefreshedOptions options_;
  ConjugatedInverseHessian pairs_;  // B while is_matrix_ is false
  DenseInverseHessian matrix_;      // H afterwards
  bool is_matrix_ = false;

  // The pair that is not in H yet.
  Vector d_, delta_g_, H_delta_g_;
  double curvature_ = 0.0;  // <d', dg'>
  Vector H_grad_;           // H g_{k-1}

  // Of the last combine(); an iteration may be repeated from its start, or end without an update.
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

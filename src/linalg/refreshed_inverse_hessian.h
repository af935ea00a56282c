// B_k of conjugated pairs on an initial scale or diagonal that is refreshed while there are few pairs, then a matrix
// that forgets.
//
// BFGS scales B_{-1} = gamma I once, by the first pair, and the directions that no pair has explored yet keep that
// scale for ever. For the first `num_pairs` pairs after a start or a restart B_k is made anew in each iteration, as
// limited memory does, from all pairs, each conjugated to the next newer one (linalg/conjugated_inverse_hessian.h), on
// gamma_k I with gamma_k = ||d||/||dg||, the geometric mean of the two scales of Barzilai and Borwein (IMA J. Numer.
// Anal. 8 (1988), 141-148), times what the scale remembers of the last steps; or on a diagonal in place of I, as far as
// the diagonal has proved itself (linalg/adaptive_diagonal.h).
//
// Then B_{k-1} becomes a matrix, and the run is a long one. With many variables the matrix waits for n/10 pairs, of
// which the newest `num_pairs` are kept: a sweep over the matrix takes n/400 times as long as one over 100 pairs, and a
// run that is shorter never pays for it. (4 n^2 bytes are read and written, or 400 vectors read.) On the problems
// of `tools/bench --only choice` with n = 2000 and 5000 n/5 takes 0.94 and 1.01 of the evaluations with n/10, and 0.81
// and 0.92 of the time with f as it is; n/20 takes 1.09 and 1.05, and 1.36 and 1.34 of the time. Networks want the
// matrix early: with n = 1981 and n/20, n/10, n/5, n/2 the loss of pinn:burgers,width=30 after 2000 evaluations is
// 1.8e-9, 3.2e-9, 8.8e-9, 1.0e-7, that of pinn:helmholtz,width=30 4.4e-4, 1.3e-4, 1.9e-4, 1.3e-3.
//
// Such a B is the sum of all that a long way has shown, much of it from where the Hessian was another one. So the
// matrix is self-scaled, by the member of Broyden's family that linalg/self_scaling.h gives in the limit of many
// variables: no number in the rule, and n is not in it.
#pragma once

#include <algorithm>
#include <limits>

#include "linalg/conjugated_inverse_hessian.h"
#include "linalg/self_scaled_inverse_hessian.h"

namespace loa {

struct RefreshedOptions {
  // Evaluations of bfgs+ against 100 on named, origin-small and origin-middle (results/ablation-pairs-plus.md): 1.074,
  // 1.060 and 1.162 with 20 pairs, 1.018, 1.002 and 1.046 with 50, 0.985, 1.002 and 0.981 with 200, which take twice
  // the memory.
  Index num_pairs = 100;
  // Of the conjugation where the Hessian changes. In the same way against 30: 1.014, 1.009 and 1.007 with 3, 1.004,
  // 1.000 and 1.004 with 100.
  double damping = 30.0;
  // The newer pairs that each pair is conjugated to: 1, or 0 for none (bench/ablation.cc), which takes 1.082, 1.115 and
  // 1.100 times as many evaluations. More would make the oldest pairs sums of a hundred vectors.
  Index depth = 1;
  bool diagonal = false;
  // Of the diagonal, which is judged by every pair and forgets sooner than in limited memory. Evaluations of bfgs+d
  // against the decay 0.9 and the floor 1e-4 of limited memory, two starts: expressions 0.975, middle 0.907, named
  // 1.003, origin-middle 0.993, origin-small 0.983, synthetic 0.981. With 10 pairs these values gain nothing, and the
  // chained Rosenbrock function in pieces of 20 takes up to four times as many evaluations.
  AdaptiveDiagonalOptions adaptive = {.decay = 0.8, .floor = 1e-6, .every = 1, .memory = 0.5};
  ScaleMemoryOptions scale_memory = {};
  // The matrix waits for n over this many pairs, if these are more than num_pairs; 0: for ever.
  Index variables_per_pair = 10;
  SelfScalingRule rule = SelfScalingRule::kBroydenLimit;  // of the matrix
};

class RefreshedInverseHessian final : public InverseHessian {
 public:
  // REQUIRES: n >= 0, 1 <= num_pairs < kLargestMemory, depth 0 or 1. All memory is taken here, but for that of a matrix
  // which waits for more pairs than are kept: a run that is shorter does without.
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

  // See linalg/inverse_hessian_kinds.h. Congruent is null where that of the pairs or of the matrix is.
  void save(TensorFile& file) const;
  Error load(const TensorFile& file);
  std::unique_ptr<InverseHessian> congruent(const LinearMap& J, double factor) const;

  ConjugatedInverseHessian& pairs() { return pairs_; }
  const SelfScaledInverseHessian& matrix() const { return matrix_; }

  Index dimension() const { return pairs_.dimension(); }
  bool is_matrix() const { return is_matrix_; }

  // For warm starts (linalg/inverse_hessian_kinds.h). The pairs while there is no matrix; ...
  const ConjugatedInverseHessian& pairs() const { return pairs_; }
  // ... B becomes the matrix with this lower triangle; ...
  void become_matrix(const Matrix& lower);
  // ... and whether another one is made in the same way.
  bool is_like(const RefreshedInverseHessian& other) const;
  void forget_iteration() { matrix_.forget_iteration(); }

 private:
  // Pairs before the matrix.
  Index num_awaited() const {
    if (options_.variables_per_pair == 0) return std::numeric_limits<Index>::max();
    return std::max(pairs_.capacity(), dimension() / options_.variables_per_pair);
  }

  RefreshedOptions options_;
  Index num_seen_ = 0;               // pairs since the last reset
  ConjugatedInverseHessian pairs_;   // B while is_matrix_ is false
  SelfScaledInverseHessian matrix_;  // B afterwards
  bool is_matrix_ = false;
  ConjugatedInverseHessian::Scratch scratch_;
};

}  // namespace loa

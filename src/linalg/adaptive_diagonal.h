// A diagonal for the initial matrix of limited memory, used only as far as it reduces the secant error of recent pairs.
//
// With a and b the running means of the squares of steps and of changes of the gradient, coordinate by coordinate,
//
//   a <- 0.9 a + d^2/||d||^2,   b <- 0.9 b + dg^2/||dg||^2,
//   D' = ((a + 1e-4 mean a)/(b + 1e-4 mean b))^theta,   D = <d,dg>/<dg, D' dg> D',
//
// D estimates the diagonal of the inverse Hessian: theta = 1/2 where that is diagonal, 0 is the scale of Barzilai and
// Borwein. (A diagonal initial matrix from all pairs: Gilbert and Lemarechal, Math. Program. 45 (1989), 407-435.)
// Where coordinates mean nothing it would be noise, and on coupled variables it may fit the pairs that come while the
// run gets slower, because what it knows the pairs in the memory know better. So the exponent is adapted to the pairs.
// Before every fourth pair (d, dg) is added, its error (linalg/secant_error.h) is found with two operators made of the
// newest three pairs, one from gamma I and one from gamma D_h, D_h = D' of the old a, b and theta = 1/4; with e the
// first error minus the second, in [-5, 5],
//
//   ema <- 0.75 ema + 0.25 e,   theta = clamp(4 ema, 0, 1)/2.
//
// theta stays 0, which is a scale, until D_h brings a pair that it has not seen closer to the secant equation B dg = d
// than the pairs alone do. Every fourth, because its products take half as long as the rest of an iteration; every pair
// in the dense method, which has more time (linalg/refreshed_inverse_hessian.h).
//
// Everything is without unit, so it scales as x and f do; it commutes with permutations but not with rotations.
#pragma once

#include <span>
#include <string>

#include "linalg/pass.h"
#include "linalg/secant_error.h"
#include "loa/error.h"
#include "loa/vector.h"

namespace loa {

class TensorFile;

struct AdaptiveDiagonalOptions {
  double decay = 0.9;  // of a and b; linalg/refreshed_inverse_hessian.h has other values for the dense method
  // In means of a and b: what a coordinate that has hardly moved counts. l-bfgs+d takes 1.016 [0.989, 1.043] of the
  // evaluations with 0.01 and 1.004 with 1e-6 on origin-middle (`ablation limited+d`).
  double floor = 1e-4;
  double trial = 0.25;  // the exponent of D_h
  // Pairs from one that is a judge of D_h to the next. With 1 l-bfgs+d takes 0.959 [0.941, 0.977] on origin-middle, for
  // half as much time again in an iteration.
  Index every = 4;
  double memory = 0.75;  // of ema
  // Of 2 theta by ema. In the same way 1.019 with 2 and 1.000 with 8.
  double slope = 4.0;
  double largest = 5.0;  // one pair says no more, whatever it is
};

class AdaptiveDiagonal {
 public:
  using Columns = std::span<const double* const>;

  // All memory is taken here.
  explicit AdaptiveDiagonal(Index n, const AdaptiveDiagonalOptions& options = {});

  void reset();

  // Whether there was a pair: before, there is no diagonal.
  bool is_made() const { return sum_ > 0.0; }
  double theta() const { return theta_; }
  // Whether D' is I, with the proposed pair or without.
  bool is_scale(bool with_proposed) const { return (with_proposed ? next_theta_ : theta_) == 0.0; }

  // For a new pair, with the stored ones that judge it, min(SecantError::kPairs, how many there are), all oldest first
  // and the new one last. First their products in the two metrics, block by block: as many as this, none before there
  // is a diagonal; ...
  std::size_t num_products(Index num_pairs) const;
  static constexpr std::size_t kMostProducts = 4 * 12;
  void add_products(const Block& block, Columns d, Columns delta_g, bool is_of_moved, double* sums) const;
  // ... then, from these and from <d_i,dg_j>, all over all slices, what the new pair would do to theta; ...
  struct NewPair {
    double d_d, dg_dg;       // <d,d> and <dg,dg>
    double dimension;        // the number of coordinates of all slices
    double d_divisor = 1.0;  // the d of add_products() was this times d
    // Only the coordinates that moved count (linalg/moved.h), in dg_dg too; add_products() was told the same.
    bool is_of_moved = false;
  };
  void propose(const NewPair& pair, const SecantError::Products& d_dg, const double* sums);
  // ... D' with the new pair into out, from its first place on, block by block; ...
  void propose_block(const Block& block, const double* d, const double* delta_g, double* out);
  // ... and the pair is added. REQUIRES: the three calls above, for all blocks.
  void accept();
  // Undoes the last accept(). REQUIRES: nothing was called since.
  void take_back();

  // D' without a new pair. REQUIRES: is_made().
  void make_block(const Block& block, double* out) const;

  void save(TensorFile& file) const;
  Error load(const TensorFile& file, Index n);

  // Each number to the place that `move` gives it: for a permutation of the coordinates.
  template <typename Move>
  void permute(const Move& move) {
    a_ = move(a_);
    b_ = move(b_);
  }

 private:
  // Whether the next pair is to be judged.
  bool is_due() const { return is_made() && num_added_ % options_.every == 0; }
  void swap_with_next();
  double find_gain(const SecantError::Products& d_dg, const double* sums, double d_divisor);
  double offset(double sum) const { return options_.floor * sum / dimension_; }

  AdaptiveDiagonalOptions options_;

  Vector a_, b_;
  double sum_ = 0.0;  // of a, and of b, over all coordinates
  double ema_ = 0.0, theta_ = 0.0;
  Index num_added_ = 0;  // pairs
  double dimension_ = 1.0;

  // What accept() makes of these.
  Vector next_a_, next_b_;
  double next_sum_ = 0.0, next_ema_ = 0.0, next_theta_ = 0.0;
  double inverse_d_norm_ = 0.0, inverse_delta_g_norm_ = 0.0;
  bool is_of_moved_ = false;
  SecantError error_;
};

}  // namespace loa

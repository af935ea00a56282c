// A diagonal for the initial matrix of limited memory, as far as it has proved itself.
//
// With a and b the running means of the squares of steps and of changes of the gradient, coordinate by coordinate,
//
//   a <- 0.9 a + d^2/||d||^2,   b <- 0.9 b + dg^2/||dg||^2,
//   D' = ((a + 0.01 mean a)/(b + 0.01 mean b))^theta,   D = <d,dg>/<dg, D' dg> D',
//
// D estimates the diagonal of the inverse Hessian: theta = 1/2 where that is diagonal, 0 is the scale of Barzilai and
// Borwein. (A diagonal initial matrix from all pairs: Gilbert and Lemarechal, Math. Program. 45 (1989), 407-435.)
// Where coordinates mean nothing it would be noise. So the exponent is earned: before a pair (d, dg) is added, with
// D_h = D' of the old a, b and theta = 1/2,
//
//   e = log( <d,d> <dg,dg> / (<dg, D_h dg> <d, D_h^-1 d>) )  in [-5, 5],
//   ema <- 0.8 ema + 0.2 e,   theta = clamp(0.25 + ema/2, 0, 1)/2.
//
// e compares the square of the cosine of D_h^(1/2) dg and D_h^(-1/2) d with that of dg and d: it is positive where D_h
// brings a pair that it has not seen closer to the secant equation B dg = d.
//
// Everything is without unit, so it scales as x and f do; it commutes with permutations but not with rotations.
//
// Layer: linalg.
#pragma once

#include <array>
#include <string>

#include "linalg/pass.h"
#include "loa/vector.h"

namespace loa {

class TensorFile;

struct EarnedDiagonalOptions {
  double decay = 0.9;      // of a and b
  double floor = 0.01;     // in means of a and b
  double memory = 0.8;     // of ema
  double at_start = 0.25;  // 2 theta where ema = 0
  double slope = 0.5;      // of 2 theta by ema
};

class EarnedDiagonal {
 public:
  using Products = std::array<double, 2>;  // <dg, D_h dg>, <d, D_h^-1 d>

  // All memory is taken here.
  explicit EarnedDiagonal(Index n, const EarnedDiagonalOptions& options = {});

  void reset();

  // Whether there was a pair: before, there is no diagonal.
  bool is_made() const { return sum_ > 0.0; }
  double theta() const { return theta_; }

  // For a new pair: first its products, block by block, ...
  void add_products(const Block& block, const double* d, const double* delta_g, double* sums) const;
  // ... then, from these, <d,d> and <dg,dg>, all over `dimension` coordinates, what it would do to theta; ...
  struct Squares {
    double d, delta_g;
  };
  void propose(const Squares& squares, const Products& products, double dimension);
  // ... D' with the new pair into out, from its first place on, block by block; ...
  void propose_block(const Block& block, const double* d, const double* delta_g, double* out);
  // ... and the pair is added. REQUIRES: the three calls above, for all blocks.
  void accept();

  // D' without a new pair. REQUIRES: is_made().
  void make_block(const Block& block, double* out) const;

  void save(TensorFile& file) const;
  std::string load(const TensorFile& file, Index n);

  // Each number to the place that `move` gives it: for a permutation of the coordinates.
  template <typename Move>
  void permute(const Move& move) {
    a_ = move(a_);
    b_ = move(b_);
  }

 private:
  double offset(double sum) const { return options_.floor * sum / dimension_; }

  EarnedDiagonalOptions options_;

  Vector a_, b_;
  double sum_ = 0.0;  // of a, and of b, over all coordinates
  double ema_ = 0.0, theta_ = 0.0;
  double dimension_ = 1.0;

  // What accept() makes of these.
  Vector next_a_, next_b_;
  double next_sum_ = 0.0, next_ema_ = 0.0, next_theta_ = 0.0;
  Squares inverse_norms_ = {};
};

}  // namespace loa

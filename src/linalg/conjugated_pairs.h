// Pairs made conjugate to newer ones, as combinations of the pairs themselves.
//
// A BFGS update satisfies its own secant equation B dg_i = d_i and spoils those of the older pairs, unless
// <d_i, dg_j> = 0 for i != j (on a quadratic: unless the steps are conjugate, Nocedal and Wright 2006, Thm 6.4). Steps
// of an inexact line search are not. So from the newest pair to the oldest, what a pair has in common with the `depth`
// next newer ones is taken out of it, in the manner of Gram and Schmidt: for these pairs j, newest first,
//
//   (d_i, dg_i) <- (d_i, dg_i) - c (d_j, dg_j),   c = (A + B)/(2 h_j)/(1 + damping (A - B)^2/(h_j <d_i,dg_i>)),
//   A = <d_i, dg_j>,   B = <d_j, dg_i>,   h_j = <d_j, dg_j>,
//
// where pair j is what was made of it before, and pair i what is left of it. Where f is quadratic A = B, all
// curvatures stay positive and B satisfies the secant equations of all the pairs within the depth. Elsewhere A - B
// tells how far the Hessian has changed between the two pairs, and the last factor trusts the combination less. Where
// less than `threshold` of the curvature of a pair is left, the pair is used as it is. So all h_i are positive when all
// <d_i,dg_i> are, and B stays positive definite.
//
// Only numbers are handled here: the products of the given pairs go in, the coefficients of the new ones come out, with
// O(depth m^2) operations for m pairs.
#pragma once

#include <algorithm>
#include <limits>
#include <span>
#include <vector>

#include "loa/vector.h"

namespace loa {

struct ConjugationOptions {
  // Of c where the Hessian changes. Measured with l-bfgs+ on 31 larger problems (results/ablation-limited-plus.md): 30
  // takes 0.999 and 300 takes 0.992 times as many evaluations, both within the error of the measurement.
  double damping = 100.0;
  // The least part of its curvature that a pair must keep. Not tuned: the cancellation in h_i costs at most a factor of
  // 20 in relative precision, and B is not bent to a pair that says little of its own.
  double threshold = 0.05;
  Index depth = std::numeric_limits<Index>::max();
};

class ConjugatedPairs {
 public:
  // All memory is taken here.
  explicit ConjugatedPairs(Index max_pairs, const ConjugationOptions& options = {});

  // products(i, j) = <d_i, dg_j> for i, j < num, oldest first; those on the diagonal positive.
  // REQUIRES: 0 <= num <= max_pairs.
  void conjugate(const Eigen::Ref<const Matrix>& products, Index num);

  Index size() const { return size_; }

  // <d_i, dg_j> of the new pairs. REQUIRES: i <= j, or a depth of more than 1.
  double product(Index i, Index j) const { return products_(j, i); }

  // The same for loops that write numbers, which to the compiler might be where these are. Valid until the next
  // conjugate().
  struct Products {
    const double* first;
    Index stride;
    double operator()(Index i, Index j) const { return first[i * stride + j]; }
  };
  Products products() const { return {products_.data(), products_.outerStride()}; }

  // A number for each of two vectors, so that the arithmetic of the one fills the waits of the other.
  using Two = Eigen::Array2d;

  // Products with the given vectors to products with the new ones. REQUIRES: no aliasing.
  void combine(std::span<const double> given, std::span<double> made) const;
  void combine(std::span<const Two> given, std::span<Two> made) const;

  // Coefficients of a sum of the new vectors to those of the given ones. REQUIRES: no aliasing.
  void expand(std::span<const double> made, std::span<double> given) const;
  void expand(std::span<const Two> made, std::span<Two> given) const;

 private:
  // Pair i is conjugated to the pairs i + 1, ..., last(i) - 1.
  Index last(Index i) const { return i + 1 + std::min(depth_, size_ - 1 - i); }

  template <typename T>
  void to_made(std::span<const T> given, std::span<T> made) const;
  template <typename T>
  void to_given(std::span<const T> made, std::span<T> given) const;
  void conjugate_to_next(const Eigen::Ref<const Matrix>& products);
  void take_raw(const Eigen::Ref<const Matrix>& products, Index i);
  void remove_newer(Index i);
  void find_products(const Eigen::Ref<const Matrix>& products, Index j);

  ConjugationOptions options_;
  Index depth_;
  Index size_ = 0;
  // The new pair i is the given one minus the sum of taken_(j - i - 1, i) times the new pair j.
  Matrix taken_;                      // depth x max_pairs
  Matrix products_;                   // (j, i): <d_i,dg_j> of the new pairs
  Matrix d_i_dg_j_, d_j_dg_i_;        // (i, j): of the given pair i with the newer new pair j, where depth > 1;
  Vector d_with_next_, next_with_d_;  // else of those with the new pair at hand alone
};

}  // namespace loa

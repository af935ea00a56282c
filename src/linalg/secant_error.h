// How far an operator made of a few pairs is from one more secant equation.
//
// With B > 0 made by BFGS updates with conjugated pairs (linalg/conjugated_pairs.h) from B_0 = gamma W, and a further
// pair (d, dg), s = <d,dg>,
//
//   error = log( <dg, B dg> <d, B^{-1} d> / s^2 )  >= 0,
//
// by Cauchy and Schwarz for B^{1/2} dg and B^{-1/2} d, and 0 only where B dg is a multiple of d. It does not depend on
// the coordinates: with J B J^T, J d and J^{-T} dg it is the same.
//
// Only numbers are handled: with the products of the pairs in the metrics W and W^{-1},
//
//   <v, B v>      = gamma <q,Wq> + sum_i h_i alpha_i^2        alpha_i, q: the first loop of limited memory from q = v
//   <v, B^{-1} v>   from B_0^{-1} = W^{-1}/gamma by  H <- H - H d_i d_i^T H/<d_i,H d_i> + dg_i dg_i^T/h_i
//
// (Nocedal and Wright 2006, Alg. 7.4 and Eq. (6.19)). gamma is that of the newest of the few pairs, as in
// linalg/conjugated_inverse_hessian.h.
#pragma once

#include <array>

#include "linalg/conjugated_pairs.h"
#include "loa/vector.h"

namespace loa {

class SecantError {
 public:
  static constexpr Index kPairs = 3;  // of which B is made, at most

  // For these and the further pair, which is the last.
  using Products = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::ColMajor, kPairs + 1, kPairs + 1>;
  struct Metric {
    Products delta_g;  // <dg_i, W dg_j>
    Products d;        // <d_i, W^{-1} d_j>
  };

  // d_dg(i, j) = <d_i, dg_j>, oldest first, those on the diagonal positive. REQUIRES: 1 to kPairs + 1 rows.
  void set_pairs(const Products& d_dg);
  // REQUIRES: set_pairs() with as many pairs. NaN where rounding left nothing of it.
  double operator()(const Metric& metric) const;

 private:
  ConjugatedPairs conjugated_{kPairs};
  double newest_ = 1.0;  // <d,dg> of the newest of the few pairs
  Products made_;        // row i: the coefficients of the conjugated pair i; the further pair is as it is
  Products d_dg_;        // of the conjugated pairs
  // The coefficients of the dg_i in q, for v = dg of the further pair, and the sum over i of <v, B v>.
  Eigen::Matrix<double, Eigen::Dynamic, 1, Eigen::ColMajor, kPairs + 1, 1> q_;
  double sum_of_pairs_ = 0.0;
};

}  // namespace loa

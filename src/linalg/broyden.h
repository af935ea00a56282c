// Broyden's family as the general secant update sees it, and when a member of it is positive definite.
//
// With u = B_{k-1} dg, s = <d,dg> > 0, b = <dg,u> > 0, c = <d, B_{k-1}^{-1} d> and v = d/s - u/b, the members are
//
//   B_k = B_{k-1} - u u^T/b + d d^T/s + phi b v v^T,        phi = 0: DFP, phi = 1: BFGS, phi = s/(s - b): SR1,
//
// that is (1 - phi) DFP + phi BFGS, and the general secant update (Eq. (6), eq::genBFGSupdate) with y = d - w u is the
// one with
//
//   phi = (1 - w^2 b/s)/(1 - w b/s)^2,       w = (s/b) (phi - 1)/(phi + sqrt((s + phi (b - s))/b)).
//
// w = 0 is BFGS, w = 1 SR1, w = -sqrt(s/b) DFP. The root is that of 0 for SR1: members beyond it, phi > s/(s - b) > 0
// or phi < s/(s - b) < 0, have no y. With mu = b c/s^2, which is never below 1,
//
//   det B_k/det B_{k-1} = (s/b) (1 + phi (mu - 1)),
//
// and as DFP is positive definite and phi changes it by a matrix of rank one, B_k is positive definite exactly when
//
//   1 + phi (mu - 1) > 0.
//
// For SR1 this is the case when s > b, whatever c is (mu = infinity), and when c < s < b. (Broyden, Math. Comp. 21
// (1967), 368-381, and J. Inst. Math. Appl. 6 (1970), 76-90; Dennis and More, SIAM Rev. 19 (1977), 46-89; Nocedal and
// Wright 2006, Section 6.3, where the family is that of the inverses, with phi = (1 - ours)/(1 + ours (mu - 1)).)
//
// All numbers are without unit, or ratios are taken first.
#pragma once

#include <cmath>

namespace loa {

// Not finite where y is orthogonal to dg.
inline double phi_of_weight(double w, double s, double b) {
  const double ratio = b / s, distance = 1.0 - w * ratio;
  return (1.0 - w * w * ratio) / distance / distance;
}

// y = of_d d - of_u u of the member phi, w without a division: w = of_u/of_d. <dg,y> = s (1 + root), root >= 0. NaN
// where the member has no y. REQUIRES: s > 0, b > 0.
struct CoefficientsOfY {
  double of_d, of_u;
};

inline CoefficientsOfY coefficients_of_y(double phi, double s, double b) {
  const double ratio = s / b, root = std::sqrt(ratio + phi * (1.0 - ratio));
  return {phi + root, ratio * (phi - 1.0)};
}

// REQUIRES: s > 0, b > 0. NaN anywhere is a no.
inline bool is_positive_definite(double phi, double mu) { return 1.0 + phi * (mu - 1.0) > 0.0; }

}  // namespace loa

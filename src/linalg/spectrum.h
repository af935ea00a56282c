// Keeping the eigenvalues of B in [c, C] under rank-two terms.
//
// The matrices with eigenvalues in [c, C] are a convex set, so a term u z^T + z u^T that leads out of it can be damped:
// B + t (u z^T + z u^T) is inside for all t from 0 to some t* < 1. The term has the two eigenvalues <u,z> +- ||u||
// ||z||, which gives
//
//   cheap, O(n)      bounds on the eigenvalues of the sum by Weyl's inequality, from bounds on those of B;
//   exact, O(n^3/3)  the sum minus c I, and C I minus the sum, have Cholesky factors;
//   t*, O(2 n^3/3)   with B - c I = R R^T, a = R^{-1} u and b = R^{-1} z, the sum minus c I is R (I + t (a b^T + b
//                    a^T)) R^T, so 1 + t (<a,b> - ||a|| ||b||) >= 0; and likewise from above.
//
// Round-off is part of every test. The Cholesky factorization of A in floating point succeeds only if no eigenvalue of
// A is below -(n+2) u trace(A), u = eps/2 (S. M. Rump, BIT 46, 2006, 433-452). So with the margin m = (n+4) eps trace,
// of the sum at the lower end and of C I at the upper, the factorizations are asked for c + 2 m and C - 2 m; what they
// certify is c + m and C - m, and eigenvalues computed by any method are inside [c, C]. The margin at the lower end
// does not know C: a range that is too wide costs nothing. What it does exclude is a condition number above 1/(n^2 eps)
// or so.
//
// Before it is factored a matrix is divided by the power of two in C, so that all decisions and t* are the same, bit
// for bit, for a B that is scaled by a power of two.
#pragma once

#include "linalg/secant_term.h"
#include "loa/eigenvalue_range.h"
#include "loa/inverse_hessian.h"

namespace loa {

// m above for a matrix whose eigenvalues are `upper` or less.
double eigenvalue_margin(Index n, double upper);

// The scale nearest to the given one for which scale * I may be updated inside the range: 3 margins away from its
// ends, or its middle when the ends are too close for that. A NaN becomes the lower end.
double scale_inside(double scale, Index n, const EigenvalueRange& range);

// Fills the open ends of the range, and returns scale_inside. B may then grow and shrink by 10^6 from its first scale,
// or from the end that is given where that end is not near the first scale.
double resolve_range(double scale, Index n, EigenvalueRange& range);

// The matrices and vectors that the tests work in.
class SpectrumTest {
 public:
  // Whether all eigenvalues of B + term are inside the range by the margin. `spectrum` holds the eigenvalues of B;
  // on success `after` holds those of the sum. False when anything is NaN. REQUIRES: `spectrum` is inside the range.
  bool holds(const InverseHessian& B, const SecantTerm& term, const EigenvalueRange& range,
             const EigenvalueRange& spectrum, EigenvalueRange& after);

  // A factor t in (0, 1) such that B + t term is inside, or 0 when there is none to be found. It leaves a tenth of the
  // way to where the first eigenvalue would reach an end, so that the next terms find room.
  double damping(const InverseHessian& B, const SecantTerm& term, const EigenvalueRange& range);

 private:
  bool factor(double sign, double shift);
  double rank_two_extreme(double sign, const SecantTerm& term);

  Matrix matrix_;   // B or B + term, lower triangle
  Matrix shifted_;  // its Cholesky factor after a shift
  double unit_ = 1.0;
  Vector a_, b_;
};

}  // namespace loa

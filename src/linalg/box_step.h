// The step to the minimizer of a quadratic model of f inside l <= x <= u.
//
//   minimize  <g,p> + <p,Hp>/2   where   l <= x + p <= u,
//
// H = B_k^{-1}, the direct form of the operator (linalg/pair_model.h). With H_0 = (unit scale D')^{-1}, a diagonal, and
// the pairs in the columns of S and Y, R the part of S^T Y on and above the diagonal, D its diagonal and L the rest
// below it (Byrd, Nocedal and Schnabel, Math. Program. 63 (1994), 129-156)
//
//   H = H_0 - W M^{-1} W^T,   W = (H_0 S, Y),   M = ( S^T H_0 S   L  )
//                                                   (    L^T     -D  ).
//
// With u = M^{-1} W^T p the minimizer is, coordinate by coordinate, a projection:
//
//   p = P(H_0^{-1} (W u - g)),   P onto [l - x, u - x].                                                        (1)
//
// A set of coordinates A that are at a bound, p_A = c_A, the others F free, makes (1) linear, with 2m unknowns:
//
//   ( S_A^T H_0 S_A    S_A^T Y_A - R             )      ( S_A^T H_0 c_A - S_F^T g_F       )
//   (    (.)^T        -(D + Y_F^T H_0^{-1} Y_F)  ) u  = ( Y_A^T c_A - Y_F^T H_0^{-1} g_F  ).                     (2)
//
// So p_F is the step of the inverse of the reduced Hessian H_FF, with what the way of A to its bounds does to F; it is
// not made of a submatrix of the inverse. (1) with that u tells the next A: those that P holds, whether they were free
// before (the bound is in the way) or not (the multiplier of the model has the sign to hold them), any number at once.
// This is a semismooth Newton method, or the primal-dual active set method (Hintermueller, Ito and Kunisch, SIAM J.
// Optim. 13 (2003), 865-888). It begins with the coordinates that are held at x. Multipliers of zero do no harm:
// whether such a coordinate is in A or not, p is the same. A coordinate goes from one bound to the other by way of F:
// at once, 57 of the 600 random models of tests/linalg/box_step_test.cc went round in circles.
//
// It ends when A stays, or when its last change is of no account: the sums of (2) follow A, so that the next u is known
// before the pass that makes its p, and with it by how much the slope would change where F stays,
//
//   <g, p' - p>_F = <u' - u, W_F^T H_0^{-1} g_F>,
//
// for the F before and after, so that those count that have just come to A and may go again.
//
// A round is a pass over all pairs. Where some coordinates are known to be near their bounds (BoxPoint::near), the
// first rounds are on copies of these alone, so that most of those that arrive are in A before the first such pass: a
// step takes 1.1 passes instead of 1.6 where a tenth of n = 10^6 variables come to bounds, and 1.2 instead of 2.0 where
// half of them do (bench/bounded.cc). It is another A to begin with, and nothing else. With copies for all n the
// evaluations of auto were 0.996 +- 0.002 and 1.000 +- 0.001 on the sets bounded and bounded-held-out, those of
// l-bfgs+d 1.012 +- 0.004 and 1.000 +- 0.004, with as many solved; where n is small they save nothing, and are not
// made.
//
// No constant has a unit: what is compared are steps with steps. Permutations, translations and scalings of the
// coordinates move all of it along. Pairs are those of all coordinates, so what B knows survives a change of A.
#pragma once

#include <vector>

#include "linalg/box_sums.h"

namespace loa {

class BoxStep {
 public:
  using Point = BoxPoint;

  // The part of its slope by which another round has to change the step; with 0 A has to stay. l-bfgs+d takes 0.988 +-
  // 0.005 of the evaluations that it takes with 0 on the set bounded and 1.000 +- 0.004 on bounded-held-out, and solves
  // as many. At n = 10^6 a round takes a third of the time of an unconstrained iteration.
  static constexpr double kEnough = 0.01;
  explicit BoxStep(double enough = kEnough) : enough_(enough) {}

  // <g,p> and <p,p> over all slices.
  struct Measures {
    double slope = 0.0, squares = 0.0;
  };

  // Puts p into `step`: the last projection (1). False when the equations (2) have no solution in numbers: `step` and
  // `found` are worth nothing then.
  bool solve(const PairModel& model, const Point& point, Vector& step, Measures& found);

  // The same for gamma B_k as a matrix B_k, of which the lower triangle is read. With A and c_A as above the step is
  //
  //   p = q - B_k E_A z,   q = -gamma B_k E_F g_F,   (B_k)_AA z = (q - c)_A,                                     (3)
  //
  // E_A and E_F the columns of I: p_A = c_A, and (Hp)_F = -g_F, so that p_F is made by the Schur complement of
  // (B_k)_AA. The multipliers of the model are g_A - z/gamma. g_A has no part in the step, so that a large multiplier
  // takes no digits from it. It ends when A stays. False when a system has no solution in numbers. The vectors must be
  // whole.
  bool solve(const Matrix& B, double gamma, const Point& point, Vector& step);

  // How many systems (2) the last call has solved.
  int num_rounds() const { return num_rounds_; }

 private:
  void reserve(Index num);
  bool find_coefficients(const PairModel& model);
  double change_of_slope(Index num);
  bool foresee(const PairModel& model, const Point& point);
  bool find_multipliers(const Matrix& B, const Point& point);
  bool step_for_A(const Matrix& B, double gamma, const Point& point, Vector& step);

  double enough_;
  int num_rounds_ = 0;

  // Rewritten in each call; members so that nothing is allocated.
  // Of a matrix: the vectors have n places, of which the first are in use.
  std::vector<signed char> held_, next_held_;  // -1 at l, 1 at u, 0 free: A, and what the last round makes of it
  Vector grad_, full_, z_;                     // E_F g_F, q, and z
  Matrix B_AA_;
  std::vector<Index> A_;
  // Of pairs.
  BoxSums sums_;
  Matrix S_H_S_, S_Y_, Y_B_Y_, Z_, half_;
  Vector r_s_, r_y_, g_s_, g_y_, u_s_, u_y_, column_, of_d_, of_delta_g_, of_d_before_, of_delta_g_before_, g_s_before_,
      g_y_before_;
};

}  // namespace loa

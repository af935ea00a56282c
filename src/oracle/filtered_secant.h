// Pairs filtered by the one before: a secant equation along a curve through the last three points.
//
// dg = H d holds for a mean H of the Hessian between x_{k-1} and x_k. The parabola through x_{k-2}, x_{k-1} and x_k
// that passes the last two distances in times of the ratio delta has at x_k a tangent in the direction
//
//   d - psi d',   psi = delta^2/(1 + 2 delta),   d' = x_{k-1} - x_{k-2},
//
// and the same combination dg - psi dg' of the gradients is, up to terms of third order, the Hessian at x_k times it
// (Ford and Moghrabi, J. Comput. Appl. Math. 50 (1994), 305-323). The times are lengths in the metric of B^{-1}, after
// their "Alternative parameter choices", Optim. Methods Softw. 2 (1993), 357-370:
//
//   delta^2 = <d, B^{-1} d>/<d', B'^{-1} d'>,
//
// each with the B that made the step, so that both are known (core/last_step.h). kappa psi is used in place of psi:
// kappa = 1 are their methods, 0 leaves the pair as it is. On quadratics every kappa gives a true secant equation.
//
// The first pair after a start or a restart is used as it is, and so is a pair of which the filter would leave less
// than 0.05 of the curvature <d,dg>.
//
// Layer: oracle. O(n), and nothing depends on coordinates or units.
#pragma once

#include "loa/reduction.h"
#include "loa/vector.h"

namespace loa {

// kappa psi. 0 where there is no step before or anything is not finite.
double filter_weight(double squared_length, double squared_length_prev, double kappa);

struct KeptPair {
  const Vector& d;
  const Vector& delta_g;
};

// (d, dg) <- (d, dg) - weight (d', dg'), unless too little curvature would be left. Says whether it did.
bool filter_pair(const KeptPair& before, double weight, const Reduction& reduction, Vector& d, Vector& delta_g);

}  // namespace loa

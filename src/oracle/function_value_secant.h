// Values of f in the secant equation.
//
// dg = H d holds for a mean H of the Hessian between x_{k-1} and x_k; wanted is the Hessian at x_k. Along d there is
// more to know: phi(t) = f(x_{k-1} + t d) has the values f_{k-1}, f_k and the slopes <g_{k-1},d>, <g_k,d> at t = 0, 1,
// and the cubic through them has the curvature
//
//   phi''(1) = <d,dg> + theta,   theta = 6 (f_{k-1} - f_k) + 3 <g_{k-1} + g_k, d>
//
// at x_k, where the mean curvature is <d,dg> (Biggs, J. Inst. Math. Appl. 8 (1971), 315-327; Yuan, IMA J. Numer. Anal.
// 11 (1991), 325-332). So B dg = d/tau with tau = 1 + theta/<d,dg> instead of B dg = d. On quadratics theta = 0.
//
// All of it is free of scale.
#pragma once

#include "loa/state.h"

namespace loa {

// The two ends of the last step.
struct StepEnds {
  double f_prev, f;
  double slope_prev, slope;                // <g_{k-1},d>, <g_k,d>
  double round_off = Evidence::kRoundOff;  // Evidence::round_off
};

// A curvature that changes by more than this within one step is not that of a cubic.
inline constexpr double kLargestCurvatureRatio = 3.0;

// tau, within [1/largest, largest]: where the cubic says more than that it is no model of f. 1 where the curvature
// <d,dg> is not positive, where the values agree to round-off, and where anything is not finite.
double curvature_ratio(const StepEnds& ends, double largest = kLargestCurvatureRatio);

}  // namespace loa

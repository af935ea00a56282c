// What a controller may know about an iteration: numbers without unit that no rotation changes.
//
// With s = <d,dg>, d divided by tau, b = <dg, B_{k-1} dg>, c = <d, B^{-1} d> for the undivided d and the B that made it
// (that is -step <g_{k-1},d> for gamma = 1), and all logarithms halved, of ratios of lengths rather than of squares:
//
//   log s/b      how far B_{k-1} is from the new pair
//   log s/c      how far the B of the last step was from it
//   log step     the step that the line search took
//   <g_k,d>/|<g_{k-1},d>|     the slopes at both ends of the step, in [-2, 2]
//   tau - 1      of oracle/function_value_secant.h
//   cos(g, B g), cos(d, dg)
//   log |g_k|/|g_{k-1}|
//   min(k/2n, 1), log n/4     where the run is, and how large
//   1 in the first iteration, 0 later
//
// The step before the first iteration has a length that nothing justifies: there log s/c and log step are 0. What is
// not finite is 0. Logarithms are kept within [-3, 3].
//
// Layer: core.
#pragma once

#include "loa/vector.h"

namespace loa {

// Indices into Input::scalars.
enum InvariantFeature : Index {
  kRatioToB = 0,
  kRatioToStep,
  kStepSize,
  kSlopes,
  kCurvatureRatio,
  kGradientCosine,
  kSecantCosine,
  kGradientRatio,
  kProgress,
  kLogDimension,
  kIsFirst,
};
inline constexpr Index kNumInvariantFeatures = 11;

}  // namespace loa

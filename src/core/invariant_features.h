// What a controller may know about an iteration: numbers without unit that no rotation changes, nor the dimension.
//
// With s = <d,dg>, d divided by tau, b = <dg, B_{k-1} dg>, c = <d, B^{-1} d> for the undivided d and the B that made it
// (that is -step gamma <g_{k-1},d>), Bg = B_{k-1} g_k, and all logarithms halved, of ratios of lengths rather than of
// squares:
//
//   log s/b      how far B_{k-1} is from the new pair
//   log s/c      how far the B of the last step was from it
//   log step     the step that the line search took
//   <g_k,d>/|<g_{k-1},d>|     the slopes at both ends of the step, in [-2, 2]
//   tau - 1      of oracle/function_value_secant.h
//   cos(g, Bg), cos(d, dg), cos(d, -Bg)
//   log |g_k|/|g_{k-1}|
//   log |Bg|/|d|              how long the next step would be, against the last one
//   log <g,Bg>/|<g_{k-1},d>|  how steep, likewise
//   log <g,Bg>|dg|/|g|^2|d|   whether B treats g as a direction that no pair has explored: about 0 then
//   k/(k + 10)   where the run is
//   1 in the first iteration, 0 later
//
// The step before the first iteration has a length that nothing justifies: there all that contain it, and log step, are
// 0. What is not finite is 0. Logarithms are kept within [-3, 3].
#pragma once

#include <array>

#include "loa/vector.h"

namespace loa {

// Indices into Input::features.
enum InvariantFeature : Index {
  kRatioToB = 0,
  kRatioToStep,
  kStepSize,
  kSlopes,
  kCurvatureRatio,
  kGradientCosine,
  kSecantCosine,
  kTurn,
  kGradientRatio,
  kLengthRatio,
  kSlopeRatio,
  kScaleRatio,
  kProgress,
  kIsFirst,
  kNumInvariantFeatures,
};

// Their names in weights files, in the same order.
inline constexpr std::array<const char*, kNumInvariantFeatures> kInvariantFeatureNames = {"log s/b",
                                                                                          "log s/c",
                                                                                          "log step",
                                                                                          "slopes",
                                                                                          "tau - 1",
                                                                                          "cos(g, Bg)",
                                                                                          "cos(d, dg)",
                                                                                          "cos(d, -Bg)",
                                                                                          "log |g|/|g_prev|",
                                                                                          "log |Bg|/|d|",
                                                                                          "log <g,Bg>/slope_prev",
                                                                                          "log <g,Bg>|dg|/|g|^2|d|",
                                                                                          "k/(k + 10)",
                                                                                          "is first"};

}  // namespace loa

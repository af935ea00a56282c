// The last step, measured by the B that made it, and where the pair of an earlier one is kept.
//
// With p = -gamma B g_{k-1} the last direction and d = step p, B^{-1} d = -step gamma g_{k-1}, so that
//
//   c = <d, B^{-1} d> = -step gamma <g_{k-1}, d>,   step = <g_{k-1}, d>/<g_{k-1}, p>,
//
// is known without B. step is taken as this quotient because the step before the first iteration is no multiple of a
// unit step; p is -gamma B_{-1} g_{-1} there.
//
// Layer: core.
#pragma once

#include "loa/state.h"

namespace loa {

// Both have the unit of f. Where the last step says nothing they are not positive or not finite.
struct LastStep {
  double squared_length;  // c
  double curvature;       // <d,dg>
};

// REQUIRES: d = x_k - x_{k-1}. One pass and one reduction.
LastStep measure_last_step(const State& state, const Vector& d, double gamma);

// Indices into State::memory and State::scalars of the storages that keep the pair of the step before
// (storage/storages.h, oracle/filtered_secant.h).
enum KeptVector : std::size_t { kKeptD = 0, kKeptDeltaG = 1 };
inline constexpr std::size_t kNumKeptVectors = 2;
enum KeptScalar : std::size_t { kKeptScale = 0, kKeptSquaredLength = 1 };
inline constexpr std::size_t kNumKeptScalars = 2;

}  // namespace loa

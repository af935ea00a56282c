// The columns of I_k for quasi-Newton methods: the contract between oracle, model and update.
//
//   I_k = (B_{k-1} dg_k, d_k, -gamma B_{k-1} g_k)     (Section 5.2, sec::ourL2O; Alg. 2)
//
// Layer: core.
#pragma once

#include <cstddef>

namespace loa {

// Indices into Input::vectors.
enum QuasiNewtonVector : std::size_t { kBDeltaG = 0, kD = 1, kMinusGammaBGrad = 2 };
inline constexpr std::size_t kNumQuasiNewtonVectors = 3;

// Indices into Input::covectors.
enum QuasiNewtonCovector : std::size_t { kGrad = 0, kDeltaG = 1 };
inline constexpr std::size_t kNumQuasiNewtonCovectors = 2;

}  // namespace loa

// The columns of I_k for quasi-Newton algorithms (Alg. 2): the contract between their oracle, models and update.
#pragma once

#include <cstddef>

namespace loa {

// Input::vectors, in the paper's order I_k = (B_{k-1} dg_k, d_k, -gamma B_{k-1} g_k).
enum QuasiNewtonVector : std::size_t { kBDeltaG = 0, kD = 1, kMinusGammaBGrad = 2 };
inline constexpr std::size_t kNumQuasiNewtonVectors = 3;

// Input::covectors. The gradient is the first covector of every algorithm.
enum QuasiNewtonCovector : std::size_t { kGrad = 0, kDeltaG = 1 };

}  // namespace loa

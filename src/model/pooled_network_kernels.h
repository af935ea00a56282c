// The two passes of the pooled network over the coordinates, compiled for several instruction sets
// (base/instruction_set.h). Formulas and names are those of pooled_network.h.
//
// Every set gives the same bits.
#pragma once

#include <cstddef>

namespace loa {

enum class InstructionSet;

// The sizes of the layers, and where theta holds their matrices.
namespace pooled_network {
inline constexpr std::size_t kFeatures = 3;  // also the number of averages
inline constexpr std::size_t kAverageHidden0 = 6, kAverageHidden1 = 12, kOutputHidden = 12;
inline constexpr std::size_t kJoined = 2 * kFeatures;
inline constexpr std::size_t kA0 = 0;
inline constexpr std::size_t kA1 = kA0 + kAverageHidden0 * kFeatures;
inline constexpr std::size_t kA2 = kA1 + kAverageHidden1 * kAverageHidden0;
inline constexpr std::size_t kO0 = kA2 + kFeatures * kAverageHidden1;
inline constexpr std::size_t kO1 = kO0 + kOutputHidden * kJoined;
inline constexpr std::size_t kLinear = kO1 + kOutputHidden;
}  // namespace pooled_network

struct PooledNetworkKernels {
  using Size = std::ptrdiff_t;

  // sums += sum_i relu(A1 relu(A0 z_i)) over the coordinates [first, last); z are the kFeatures columns, sums has
  // kAverageHidden1 values.
  void (*add_hidden)(const double* theta, const double* const* z, Size first, Size last, double* sums);

  // y_i = O1 relu(constants + O0 (0, z_i)) + constants[kOutputHidden] + L (0, z_i) over [first, last). The constants
  // are what the averages contribute: O0 (a, 0), then L (a, 0).
  void (*output)(const double* theta, const double* constants, const double* const* z, Size first, Size last,
                 double* y);
};

// Those of instruction_set().
const PooledNetworkKernels& pooled_network_kernels();

// REQUIRES: the machine has the set.
const PooledNetworkKernels& pooled_network_kernels(InstructionSet set);

}  // namespace loa

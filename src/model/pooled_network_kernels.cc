#include "model/pooled_network_kernels.h"

#include "base/instruction_set.h"

namespace loa {

extern const PooledNetworkKernels kBaselinePooledNetworkKernels;
#if defined(__x86_64__)
extern const PooledNetworkKernels kAvx2PooledNetworkKernels, kAvx512PooledNetworkKernels;
#endif

const PooledNetworkKernels& pooled_network_kernels(InstructionSet set) {
  switch (set) {
#if defined(__x86_64__)
    case InstructionSet::kAvx2:
      return kAvx2PooledNetworkKernels;
    case InstructionSet::kAvx512:
      return kAvx512PooledNetworkKernels;
#endif
    default:
      return kBaselinePooledNetworkKernels;
  }
}

const PooledNetworkKernels& pooled_network_kernels() {
  static const PooledNetworkKernels& chosen = pooled_network_kernels(instruction_set());
  return chosen;
}

}  // namespace loa

#include "model/pooled_network_kernels.h"

#include "base/instruction_set.h"

namespace loa {

extern const PooledNetworkKernels kBaselinePooledNetworkKernels;
#if defined(__x86_64__)
extern const PooledNetworkKernels kAvx2PooledNetworkKernels, kAvx512PooledNetworkKernels;
#endif

const PooledNetworkKernels& pooled_network_kernels([[maybe_unused]] InstructionSet set) {
#if defined(__x86_64__)
  return table_for(set, kBaselinePooledNetworkKernels, kAvx2PooledNetworkKernels, kAvx512PooledNetworkKernels);
#else
  return kBaselinePooledNetworkKernels;
#endif
}

const PooledNetworkKernels& pooled_network_kernels() {
  static const PooledNetworkKernels& chosen = pooled_network_kernels(instruction_set());
  return chosen;
}

}  // namespace loa

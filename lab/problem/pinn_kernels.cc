#include "problem/pinn_kernels.h"

#include "base/instruction_set.h"

namespace loa {

extern const PinnKernels kBaselinePinnKernels;
#if defined(__x86_64__)
extern const PinnKernels kAvx2PinnKernels, kAvx512PinnKernels;
#endif

const PinnKernels& pinn_kernels([[maybe_unused]] InstructionSet set) {
#if defined(__x86_64__)
  return table_for(set, kBaselinePinnKernels, kAvx2PinnKernels, kAvx512PinnKernels);
#else
  return kBaselinePinnKernels;
#endif
}

const PinnKernels& pinn_kernels() {
  static const PinnKernels& chosen = pinn_kernels(instruction_set());
  return chosen;
}

}  // namespace loa

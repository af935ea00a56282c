#include "problem/pinn_kernels.h"

#include "base/instruction_set.h"

namespace loa {

extern const PinnKernels kBaselinePinnKernels;
#if defined(__x86_64__)
extern const PinnKernels kAvx2PinnKernels, kAvx512PinnKernels;
#endif

const PinnKernels& pinn_kernels(InstructionSet set) {
  switch (set) {
#if defined(__x86_64__)
    case InstructionSet::kAvx2:
      return kAvx2PinnKernels;
    case InstructionSet::kAvx512:
      return kAvx512PinnKernels;
#endif
    default:
      return kBaselinePinnKernels;
  }
}

const PinnKernels& pinn_kernels() {
  static const PinnKernels& chosen = pinn_kernels(instruction_set());
  return chosen;
}

}  // namespace loa

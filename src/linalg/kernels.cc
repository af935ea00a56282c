#include "linalg/kernels.h"

#include "base/instruction_set.h"

namespace loa {

extern const Kernels kBaselineKernels;
#if defined(__x86_64__)
extern const Kernels kAvx2Kernels, kAvx512Kernels;
#endif

const Kernels& kernels(InstructionSet set) {
  switch (set) {
#if defined(__x86_64__)
    case InstructionSet::kAvx2:
      return kAvx2Kernels;
    case InstructionSet::kAvx512:
      return kAvx512Kernels;
#endif
    default:
      return kBaselineKernels;
  }
}

const Kernels& kernels() {
  static const Kernels& chosen = kernels(instruction_set());
  return chosen;
}

}  // namespace loa

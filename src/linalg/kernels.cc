#include "linalg/kernels.h"

#include "base/instruction_set.h"

namespace loa {

extern const Kernels kBaselineKernels;
#if defined(__x86_64__)
extern const Kernels kAvx2Kernels, kAvx512Kernels;
#endif

const Kernels& kernels([[maybe_unused]] InstructionSet set) {
#if defined(__x86_64__)
  return table_for(set, kBaselineKernels, kAvx2Kernels, kAvx512Kernels);
#else
  return kBaselineKernels;
#endif
}

const Kernels& kernels() {
  static const Kernels& chosen = kernels(instruction_set());
  return chosen;
}

}  // namespace loa

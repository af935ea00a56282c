#define LOA_KERNELS kBaselineKernels
#include "linalg/kernels.inc"

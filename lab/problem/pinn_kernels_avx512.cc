#if defined(__x86_64__)
#define LOA_PINN_KERNELS kAvx512PinnKernels
#include "problem/pinn_kernels.inc"
#endif

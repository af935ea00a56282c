#define LOA_PINN_KERNELS kBaselinePinnKernels
#include "problem/pinn_kernels.inc"

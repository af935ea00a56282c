#if defined(__x86_64__)
#define LOA_KERNELS kAvx512Kernels
#include "linalg/kernels.inc"
#endif

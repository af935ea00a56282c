#if defined(__x86_64__)
#define LOA_KERNELS kAvx512PooledNetworkKernels
#include "model/pooled_network_kernels.inc"
#endif

#define LOA_KERNELS kBaselinePooledNetworkKernels
#include "model/pooled_network_kernels.inc"

#include <cuda_fp16.h>

extern "C" __global__ void axpy_half(__half alpha, const __half* x, __half* y, unsigned n) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    y[i] = __hfma(alpha, x[i], y[i]);
  }
}

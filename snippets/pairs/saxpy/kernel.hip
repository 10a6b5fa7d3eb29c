#include <hip/hip_runtime.h>

extern "C" __global__ void saxpy(float alpha, const float* x, float* y, unsigned n) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    y[i] = alpha * x[i] + y[i];
  }
}

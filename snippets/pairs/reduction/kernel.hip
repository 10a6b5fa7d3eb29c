#include <hip/hip_runtime.h>

extern "C" __global__ void block_sums(const float* x, float* sums, unsigned n) {
  __shared__ float partial[32];
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned lane = threadIdx.x % warpSize, wave = threadIdx.x / warpSize;
  float value = i < n ? x[i] : 0.0f;
  for (int step = warpSize / 2; step > 0; step /= 2) {
    value += __shfl_down(value, step);
  }
  if (lane == 0) {
    partial[wave] = value;
  }
  __syncthreads();
  if (wave == 0) {
    value = lane < blockDim.x / warpSize ? partial[lane] : 0.0f;
    for (int step = warpSize / 2; step > 0; step /= 2) {
      value += __shfl_down(value, step);
    }
    if (lane == 0) {
      sums[blockIdx.x] = value;
    }
  }
}

extern "C" __global__ void block_sums(const float* x, float* sums, unsigned n) {
  __shared__ float partial[32];
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  float value = i < n ? x[i] : 0.0f;
  for (int step = 16; step > 0; step /= 2) {
    value += __shfl_down_sync(0xffffffff, value, step);
  }
  if (lane == 0) {
    partial[warp] = value;
  }
  __syncthreads();
  if (warp == 0) {
    value = lane < blockDim.x / 32 ? partial[lane] : 0.0f;
    for (int step = 16; step > 0; step /= 2) {
      value += __shfl_down_sync(0xffffffff, value, step);
    }
    if (lane == 0) {
      sums[blockIdx.x] = value;
    }
  }
}

#define BINS 16

extern "C" __global__ void histogram(const unsigned* x, unsigned* counts, unsigned n) {
  __shared__ unsigned local[BINS];
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (threadIdx.x < BINS) {
    local[threadIdx.x] = 0;
  }
  __syncthreads();
  if (i < n) {
    atomicAdd(&local[x[i]], 1u);
  }
  __syncthreads();
  if (threadIdx.x < BINS) {
    atomicAdd(&counts[threadIdx.x], local[threadIdx.x]);
  }
}

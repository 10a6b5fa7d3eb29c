extern "C" __global__ void block_scan(const int* x, int* out, unsigned n) {
  __shared__ int totals[32];
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  int sum = i < n ? x[i] : 0;
  for (unsigned step = 1; step < 32; step *= 2) {
    int below = __shfl_up_sync(0xffffffff, sum, step);
    if (lane >= step) {
      sum += below;
    }
  }
  if (lane == 31) {
    totals[warp] = sum;
  }
  __syncthreads();
  for (unsigned before = 0; before < warp; before++) {
    sum += totals[before];
  }
  if (i < n) {
    out[i] = sum;
  }
}

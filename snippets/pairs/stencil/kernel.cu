#define RADIUS 2
#define BLOCK 64

extern "C" __global__ void stencil(const int* x, int* out, unsigned n) {
  __shared__ int tile[BLOCK + 2 * RADIUS];
  int first = (int)(blockIdx.x * BLOCK) - RADIUS;  // the element that tile[0] holds
  for (unsigned t = threadIdx.x; t < BLOCK + 2 * RADIUS; t += BLOCK) {
    int from = first + (int)t;
    tile[t] = from >= 0 && from < (int)n ? x[from] : 0;
  }
  __syncthreads();
  unsigned i = blockIdx.x * BLOCK + threadIdx.x;
  if (i < n) {
    int sum = 0;
    for (unsigned step = 0; step <= 2 * RADIUS; step++) {
      sum += tile[threadIdx.x + step];
    }
    out[i] = sum;
  }
}

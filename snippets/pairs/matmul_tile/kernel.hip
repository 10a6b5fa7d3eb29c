#include <hip/hip_runtime.h>

#define TILE 16

extern "C" __global__ void matmul(const float* a, const float* b, float* c,
                                  unsigned m, unsigned n, unsigned k) {
  __shared__ float tile_a[TILE][TILE];
  __shared__ float tile_b[TILE][TILE];
  unsigned x = threadIdx.x, y = threadIdx.y;
  unsigned column = blockIdx.x * TILE + x;
  unsigned row = blockIdx.y * TILE + y;
  float sum = 0.0f;
  for (unsigned start = 0; start < k; start += TILE) {
    tile_a[y][x] = row < m && start + x < k ? a[row * k + start + x] : 0.0f;
    tile_b[y][x] = start + y < k && column < n ? b[(start + y) * n + column] : 0.0f;
    __syncthreads();
    for (unsigned i = 0; i < TILE; i++) {
      sum += tile_a[y][i] * tile_b[i][x];
    }
    __syncthreads();
  }
  if (row < m && column < n) {
    c[row * n + column] = sum;
  }
}

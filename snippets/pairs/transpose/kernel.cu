#define TILE 16

extern "C" __global__ void transpose(const float* in, float* out, unsigned rows, unsigned columns) {
  __shared__ float tile[TILE][TILE + 1];
  unsigned x = threadIdx.x, y = threadIdx.y;
  unsigned column = blockIdx.x * TILE + x, row = blockIdx.y * TILE + y;
  if (row < rows && column < columns) {
    tile[y][x] = in[row * columns + column];
  }
  __syncthreads();
  column = blockIdx.y * TILE + x;
  row = blockIdx.x * TILE + y;
  if (row < columns && column < rows) {
    out[row * rows + column] = tile[x][y];
  }
}

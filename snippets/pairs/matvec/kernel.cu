extern "C" __global__ void matvec(const float* a, const float* x, float* y,
                                  unsigned rows, unsigned columns) {
  unsigned lane = threadIdx.x % 32;
  unsigned row = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32;
  if (row >= rows) {
    return;  // the whole warp goes, and no barrier follows
  }
  float sum = 0.0f;
  for (unsigned c = lane; c < columns; c += 32) {
    sum += a[row * columns + c] * x[c];
  }
  for (int step = 16; step > 0; step /= 2) {
    sum += __shfl_down_sync(0xffffffff, sum, step);
  }
  if (lane == 0) {
    y[row] = sum;
  }
}

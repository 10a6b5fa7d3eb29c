__device__ float warp_max(float value) {
  for (int step = 16; step > 0; step /= 2) {
    value = fmaxf(value, __shfl_xor_sync(0xffffffff, value, step));
  }
  return value;
}

__device__ float warp_sum(float value) {
  for (int step = 16; step > 0; step /= 2) {
    value += __shfl_xor_sync(0xffffffff, value, step);
  }
  return value;
}

extern "C" __global__ void softmax(const float* x, float* out, unsigned columns) {
  unsigned row = blockIdx.x, lane = threadIdx.x;  // one block of 32 threads for each row
  float largest = x[row * columns];
  for (unsigned c = lane; c < columns; c += 32) {
    largest = fmaxf(largest, x[row * columns + c]);
  }
  largest = warp_max(largest);
  float total = 0.0f;
  for (unsigned c = lane; c < columns; c += 32) {
    total += expf(x[row * columns + c] - largest);
  }
  total = warp_sum(total);
  for (unsigned c = lane; c < columns; c += 32) {
    out[row * columns + c] = expf(x[row * columns + c] - largest) / total;
  }
}

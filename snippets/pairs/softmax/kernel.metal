#include <metal_stdlib>
using namespace metal;

kernel void softmax(device const float *x [[buffer(0)]],
                    device float *out [[buffer(1)]],
                    constant uint &columns [[buffer(2)]],
                    uint row [[threadgroup_position_in_grid]],  // 32 threads for each row
                    uint lane [[thread_index_in_simdgroup]]) {
  float largest = x[row * columns];
  for (uint c = lane; c < columns; c += 32) {
    largest = max(largest, x[row * columns + c]);
  }
  largest = simd_max(largest);
  float total = 0.0f;
  for (uint c = lane; c < columns; c += 32) {
    total += exp(x[row * columns + c] - largest);
  }
  total = simd_sum(total);
  for (uint c = lane; c < columns; c += 32) {
    out[row * columns + c] = exp(x[row * columns + c] - largest) / total;
  }
}

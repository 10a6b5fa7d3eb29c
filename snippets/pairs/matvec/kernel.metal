#include <metal_stdlib>
using namespace metal;

kernel void matvec(device const float *a [[buffer(0)]],
                   device const float *x [[buffer(1)]],
                   device float *y [[buffer(2)]],
                   constant uint &rows [[buffer(3)]],
                   constant uint &columns [[buffer(4)]],
                   uint group [[threadgroup_position_in_grid]],
                   uint lane [[thread_index_in_simdgroup]],
                   uint simd [[simdgroup_index_in_threadgroup]],
                   uint simds [[simdgroups_per_threadgroup]]) {
  uint row = group * simds + simd;
  if (row >= rows) {
    return;  // the whole SIMD-group goes, and no barrier follows
  }
  float sum = 0.0f;
  for (uint c = lane; c < columns; c += 32) {
    sum += a[row * columns + c] * x[c];
  }
  sum = simd_sum(sum);
  if (lane == 0) {
    y[row] = sum;
  }
}

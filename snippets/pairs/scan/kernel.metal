#include <metal_stdlib>
using namespace metal;

kernel void block_scan(device const int *x [[buffer(0)]],
                       device int *out [[buffer(1)]],
                       constant uint &n [[buffer(2)]],
                       uint i [[thread_position_in_grid]],
                       uint lane [[thread_index_in_simdgroup]],
                       uint simd [[simdgroup_index_in_threadgroup]]) {
  threadgroup int totals[32];
  int sum = simd_prefix_inclusive_sum(i < n ? x[i] : 0);
  if (lane == 31) {
    totals[simd] = sum;
  }
  threadgroup_barrier(mem_flags::mem_threadgroup);
  for (uint before = 0; before < simd; before++) {
    sum += totals[before];
  }
  if (i < n) {
    out[i] = sum;
  }
}

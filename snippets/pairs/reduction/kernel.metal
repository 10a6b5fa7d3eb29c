#include <metal_stdlib>
using namespace metal;

kernel void block_sums(device const float *x [[buffer(0)]],
                       device float *sums [[buffer(1)]],
                       constant uint &n [[buffer(2)]],
                       uint i [[thread_position_in_grid]],
                       uint group [[threadgroup_position_in_grid]],
                       uint lane [[thread_index_in_simdgroup]],
                       uint simd [[simdgroup_index_in_threadgroup]],
                       uint simds [[simdgroups_per_threadgroup]]) {
  threadgroup float partial[32];
  float value = simd_sum(i < n ? x[i] : 0.0f);
  if (lane == 0) {
    partial[simd] = value;
  }
  threadgroup_barrier(mem_flags::mem_threadgroup);
  if (simd == 0) {
    value = simd_sum(lane < simds ? partial[lane] : 0.0f);
    if (lane == 0) {
      sums[group] = value;
    }
  }
}

#include <metal_stdlib>
using namespace metal;

constant uint BINS = 16;

kernel void histogram(device const uint *x [[buffer(0)]],
                      device atomic_uint *counts [[buffer(1)]],
                      constant uint &n [[buffer(2)]],
                      uint i [[thread_position_in_grid]],
                      uint l [[thread_position_in_threadgroup]]) {
  threadgroup atomic_uint local[BINS];
  if (l < BINS) {
    atomic_store_explicit(&local[l], 0, memory_order_relaxed);
  }
  threadgroup_barrier(mem_flags::mem_threadgroup);
  if (i < n) {
    atomic_fetch_add_explicit(&local[x[i]], 1, memory_order_relaxed);
  }
  threadgroup_barrier(mem_flags::mem_threadgroup);
  if (l < BINS) {
    uint count = atomic_load_explicit(&local[l], memory_order_relaxed);
    atomic_fetch_add_explicit(&counts[l], count, memory_order_relaxed);
  }
}

#include <metal_stdlib>
using namespace metal;

constant uint TILE = 16;

kernel void matmul(device const float *a [[buffer(0)]],
                   device const float *b [[buffer(1)]],
                   device float *c [[buffer(2)]],
                   constant uint &m [[buffer(3)]],
                   constant uint &n [[buffer(4)]],
                   constant uint &k [[buffer(5)]],
                   uint2 local [[thread_position_in_threadgroup]],
                   uint2 group [[threadgroup_position_in_grid]]) {
  threadgroup float tile_a[TILE][TILE];
  threadgroup float tile_b[TILE][TILE];
  uint x = local.x, y = local.y;
  uint column = group.x * TILE + x;
  uint row = group.y * TILE + y;
  float sum = 0.0f;
  for (uint start = 0; start < k; start += TILE) {
    tile_a[y][x] = row < m && start + x < k ? a[row * k + start + x] : 0.0f;
    tile_b[y][x] = start + y < k && column < n ? b[(start + y) * n + column] : 0.0f;
    threadgroup_barrier(mem_flags::mem_threadgroup);
    for (uint i = 0; i < TILE; i++) {
      sum += tile_a[y][i] * tile_b[i][x];
    }
    threadgroup_barrier(mem_flags::mem_threadgroup);
  }
  if (row < m && column < n) {
    c[row * n + column] = sum;
  }
}

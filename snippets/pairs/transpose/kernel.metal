#include <metal_stdlib>
using namespace metal;

constant uint TILE = 16;

kernel void transpose(device const float *in [[buffer(0)]],
                      device float *out [[buffer(1)]],
                      constant uint &rows [[buffer(2)]],
                      constant uint &columns [[buffer(3)]],
                      uint2 local [[thread_position_in_threadgroup]],
                      uint2 group [[threadgroup_position_in_grid]]) {
  threadgroup float tile[TILE][TILE + 1];
  uint x = local.x, y = local.y;
  uint column = group.x * TILE + x, row = group.y * TILE + y;
  if (row < rows && column < columns) {
    tile[y][x] = in[row * columns + column];
  }
  threadgroup_barrier(mem_flags::mem_threadgroup);
  column = group.y * TILE + x;
  row = group.x * TILE + y;
  if (row < columns && column < rows) {
    out[row * rows + column] = tile[x][y];
  }
}

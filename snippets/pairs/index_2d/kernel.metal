#include <metal_stdlib>
using namespace metal;

kernel void mirror(device const uchar *image [[buffer(0)]],
                   device uchar *out [[buffer(1)]],
                   uint2 position [[thread_position_in_grid]],
                   uint2 size [[threads_per_grid]]) {
  uint column = position.x;
  uint row = position.y;
  out[row * size.x + column] = image[row * size.x + (size.x - 1 - column)];
}

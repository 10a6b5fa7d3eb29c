#include <metal_stdlib>
using namespace metal;

constant uint RADIUS = 2;
constant uint GROUP = 64;

static int load_or_zero(device const int *x, int i, int n) {
  return i >= 0 && i < n ? x[i] : 0;
}

kernel void stencil(device const int *x [[buffer(0)]],
                    device int *out [[buffer(1)]],
                    constant uint &n [[buffer(2)]],
                    uint l [[thread_position_in_threadgroup]],
                    uint group [[threadgroup_position_in_grid]]) {
  threadgroup int tile[GROUP + 2 * RADIUS];
  int first = int(group * GROUP) - int(RADIUS);  // the element that tile[0] holds
  for (uint t = l; t < GROUP + 2 * RADIUS; t += GROUP) {
    tile[t] = load_or_zero(x, first + int(t), int(n));
  }
  threadgroup_barrier(mem_flags::mem_threadgroup);
  uint i = group * GROUP + l;
  if (i < n) {
    int sum = 0;
    for (uint step = 0; step <= 2 * RADIUS; step++) {
      sum += tile[l + step];
    }
    out[i] = sum;
  }
}

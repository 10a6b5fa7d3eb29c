#include <metal_stdlib>
using namespace metal;

kernel void axpy_half(constant half &alpha [[buffer(0)]],
                      device const half *x [[buffer(1)]],
                      device half *y [[buffer(2)]],
                      constant uint &n [[buffer(3)]],
                      uint i [[thread_position_in_grid]]) {
  if (i < n) {
    y[i] = fma(alpha, x[i], y[i]);
  }
}

#include <metal_stdlib>
using namespace metal;

kernel void saxpy(constant float &alpha [[buffer(0)]],
                  device const float *x [[buffer(1)]],
                  device float *y [[buffer(2)]],
                  constant uint &n [[buffer(3)]],
                  uint i [[thread_position_in_grid]]) {
  if (i < n) {
    y[i] = alpha * x[i] + y[i];
  }
}

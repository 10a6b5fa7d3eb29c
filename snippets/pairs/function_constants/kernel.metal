#include <metal_stdlib>
using namespace metal;

constant int DEGREE [[function_constant(0)]];
constant bool CLAMP [[function_constant(1)]];

kernel void polynomial(constant float *coefficients [[buffer(0)]],
                       device const float *x [[buffer(1)]],
                       device float *out [[buffer(2)]],
                       constant uint &n [[buffer(3)]],
                       uint i [[thread_position_in_grid]]) {
  if (i >= n) {
    return;
  }
  float value = coefficients[DEGREE];
  for (int power = DEGREE - 1; power >= 0; power--) {
    value = fma(value, x[i], coefficients[power]);
  }
  if (CLAMP) {
    value = clamp(value, 0.0f, 1.0f);
  }
  out[i] = value;
}

#include <metal_stdlib>
using namespace metal;

kernel void mandelbrot(device uint *counts [[buffer(0)]],
                       constant uint &width [[buffer(1)]],
                       constant uint &height [[buffer(2)]],
                       constant float &left [[buffer(3)]],
                       constant float &top [[buffer(4)]],
                       constant float &step [[buffer(5)]],
                       constant uint &most [[buffer(6)]],
                       uint2 position [[thread_position_in_grid]]) {
  uint column = position.x, row = position.y;
  if (row >= height || column >= width) {
    return;
  }
  float cx = fma(float(column), step, left);
  float cy = fma(float(row), -step, top);
  float x = 0.0f, y = 0.0f;
  uint count = 0;
  while (count < most && fma(x, x, y * y) <= 4.0f) {
    float next = fma(x, x, -(y * y)) + cx;
    y = fma(x + x, y, cy);
    x = next;
    count++;
  }
  counts[row * width + column] = count;
}

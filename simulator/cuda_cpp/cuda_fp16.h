// A stand-in for CUDA's <cuda_fp16.h>, for ./cuda_cpu.h.
#pragma once
using __half = host::half;
using half = host::half;
struct alignas(4) __half2 { __half x, y; };
using half2 = __half2;
inline __half __float2half(float x) { return __half(x); }
inline float __half2float(__half x) { return (float)x; }
inline __half __hadd(__half a, __half b) { return a + b; }
inline __half __hmul(__half a, __half b) { return a * b; }
inline __half __hfma(__half a, __half b, __half c) {
  return __half((double)(float)a * (float)b + (float)c);
}
inline __half2 __hfma2(__half2 a, __half2 b, __half2 c) {
  return {__hfma(a.x, b.x, c.x), __hfma(a.y, b.y, c.y)};
}
inline __half2 __halves2half2(__half a, __half b) { return {a, b}; }
inline __half __low2half(__half2 a) { return a.x; }
inline __half __high2half(__half2 a) { return a.y; }

// A stand-in for what nvcc knows without an #include: CUDA C++ as C++17, run on a CPU by
// ../hosts/core.h. It has what the kernel pairs use; a missing name is the compiler's error.
#pragma once
#include "core.h"

#define __global__ static
#define __device__
#define __host__
#define __constant__ static
#define __forceinline__ inline
#define __restrict__
#define __launch_bounds__(...)

struct dim3 : host::Size {
  dim3() = default;
  dim3(host::Size size) : host::Size(size) {}
};
struct alignas(8) float2 { float x, y; };
struct alignas(16) float4 { float x, y, z, w; };
inline float2 make_float2(float x, float y) { return {x, y}; }
inline float4 make_float4(float x, float y, float z, float w) { return {x, y, z, w}; }

#define threadIdx (host::current->position)
#define blockIdx (host::launch.where)
#define blockDim (host::launch.full)
#define gridDim (host::launch.groups)
constexpr int warpSize = 32;

// ------------------------------------------------------------------ barriers and warps

#define __syncthreads() host::barrier("__syncthreads", true, __FILE__, __LINE__)
#define __syncwarp(...) host::meet("__syncwarp", "", 0, __FILE__, __LINE__, true)

namespace host {
// A lane named in the mask has to come; one that has returned cannot.
HOST_QUIET inline void check_mask(unsigned mask, const char *what, const char *file, int line) {
  if (!(mask >> current->lane & 1))
    fail(file, line, "lane %u calls %s with a mask, 0x%x, that does not name it", current->lane,
         what, mask);
}
// The lane to read from within segments of `width`, or our own where it lies outside.
template <class T>
HOST_QUIET inline T from_lane(T value, int source, bool inside) {
  return inside ? given<T>(source) : value;
}
}  // namespace host

#define SHUFFLE(name, number, source, inside)                                                \
  template <class T> T name(unsigned mask, T value, number n, int width = 32, HOST_HERE) {   \
    host::check_mask(mask, #name, file, line);                                               \
    host::meet(#name, &value, sizeof value, file, line);                                     \
    int lane = host::current->lane, first = lane / width * width, from = source;             \
    return host::from_lane(value, from, inside);                                             \
  }
SHUFFLE(__shfl_sync, int, first + (n & (width - 1)), true)
SHUFFLE(__shfl_down_sync, unsigned, lane + (int)n, from < first + width)
SHUFFLE(__shfl_up_sync, unsigned, lane - (int)n, from >= first)
SHUFFLE(__shfl_xor_sync, int, lane ^ n, from < first + width)
#undef SHUFFLE

inline unsigned __ballot_sync(unsigned mask, int predicate, HOST_HERE) {
  host::check_mask(mask, "__ballot_sync", file, line);
  host::meet("__ballot_sync", &predicate, sizeof predicate, file, line);
  unsigned votes = 0;
  for (unsigned lane = 0; lane < 32; lane++)
    if (host::takes_part(lane) && host::given<int>(lane)) votes |= 1u << lane;
  return votes;
}
inline int __all_sync(unsigned mask, int predicate, HOST_HERE) {
  return __ballot_sync(mask, predicate, file, line) == host::current->active;
}
inline int __any_sync(unsigned mask, int predicate, HOST_HERE) {
  return __ballot_sync(mask, predicate, file, line) != 0;
}

// ------------------------------------------------------------------ atomics

#define ATOMIC(name, expression)                                                             \
  template <class T> T name(T *p, std::common_type_t<T> b) {                                 \
    T a, c;                                                                                  \
    __atomic_load(p, &a, __ATOMIC_RELAXED);                                                  \
    do c = T(expression);                                                                    \
    while (!__atomic_compare_exchange(p, &a, &c, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED)); \
    return a;                                                                                \
  }
ATOMIC(atomicAdd, a + b)
ATOMIC(atomicSub, a - b)
ATOMIC(atomicMin, b < a ? b : a)
ATOMIC(atomicMax, a < b ? b : a)
ATOMIC(atomicExch, b)
#undef ATOMIC

// ------------------------------------------------------------------ mathematics

template <class T> T min(T a, T b) { return b < a ? b : a; }
template <class T> T max(T a, T b) { return a < b ? b : a; }
inline float rsqrtf(float x) { return 1 / std::sqrt(x); }
inline int __popc(unsigned x) { return __builtin_popcount(x); }
inline int __clz(int x) { return x ? __builtin_clz(x) : 32; }
inline int __ffs(int x) { return __builtin_ffs(x); }

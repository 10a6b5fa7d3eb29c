// A stand-in for what nvcc knows without an #include: CUDA C++ as C++17, run on a CPU by
// ../hosts/core.h. It has what the kernel pairs use; a missing name is the compiler's error.
#pragma once
#define HOST_SHARED_BYTES 49152  // of shared memory, without opting in to more
#include "core.h"
#include <cassert>

#define __global__ static
#define __device__
#define __host__
#define __constant__ static
#define __forceinline__ inline
#define __inline__ inline
#define __noinline__
#define __managed__
#define __align__(n) alignas(n)
// The standard output carries the buffers back.
#define printf(...) fprintf(stderr, __VA_ARGS__)
#define __restrict__
#define __launch_bounds__(...)

struct dim3 : host::Size {
  dim3() = default;
  dim3(host::Size size) : host::Size(size) {}
};
struct alignas(8) float2 { float x, y; };
struct alignas(16) float4 { float x, y, z, w; };
#define HOST_VECTOR(type, name, align)                                                       \
  struct alignas(2 * align) name##2 { type x, y; };                                          \
  struct name##3 { type x, y, z; };                                                          \
  struct alignas(4 * align <= 16 ? 4 * align : 16) name##4 { type x, y, z, w; };             \
  inline name##2 make_##name##2(type x, type y) { return {x, y}; }                           \
  inline name##3 make_##name##3(type x, type y, type z) { return {x, y, z}; }                \
  inline name##4 make_##name##4(type x, type y, type z, type w) { return {x, y, z, w}; }
HOST_VECTOR(int, int, 4)
HOST_VECTOR(unsigned, uint, 4)
HOST_VECTOR(double, double, 8)
HOST_VECTOR(unsigned char, uchar, 1)
#undef HOST_VECTOR
struct float3 { float x, y, z; };
inline float3 make_float3(float x, float y, float z) { return {x, y, z}; }
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
ATOMIC(atomicAnd, a & b)
ATOMIC(atomicOr, a | b)
ATOMIC(atomicXor, a ^ b)
ATOMIC(atomicInc, a >= b ? 0 : a + 1)
ATOMIC(atomicDec, a == 0 || a > b ? b : a - 1)
#undef ATOMIC
template <class T> T atomicCAS(T *p, std::common_type_t<T> compare, std::common_type_t<T> value) {
  T was = compare, made = value;
  __atomic_compare_exchange(p, &was, &made, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
  return was;
}
#define atomicAdd_block atomicAdd
#define atomicAdd_system atomicAdd
#define __threadfence() ((void)0)
#define __threadfence_block() ((void)0)
#define __threadfence_system() ((void)0)

inline unsigned __activemask() { return host::alive(host::current->first, host::current->lanes); }

// All threads of the block meet and each learns of all predicates.
inline int __syncthreads_count(int predicate, HOST_HERE) {
  static int count;
  host::barrier("__syncthreads_count", true, file, line);
  if (!host::current->number) __atomic_store_n(&count, 0, __ATOMIC_RELAXED);
  host::barrier("__syncthreads_count", true, file, line);
  if (predicate) __atomic_fetch_add(&count, 1, __ATOMIC_RELAXED);
  host::barrier("__syncthreads_count", true, file, line);
  return __atomic_load_n(&count, __ATOMIC_RELAXED);
}
inline int __syncthreads_or(int predicate, HOST_HERE) {
  return __syncthreads_count(predicate, file, line) > 0;
}
inline int __syncthreads_and(int predicate, HOST_HERE) {
  return __syncthreads_count(!predicate, file, line) == 0;
}

// ------------------------------------------------------------------ mathematics

template <class T> T min(T a, T b) { return b < a ? b : a; }
template <class T> T max(T a, T b) { return a < b ? b : a; }
inline float __expf(float x) { return std::exp(x); }
inline float __logf(float x) { return std::log(x); }
inline float __sinf(float x) { return std::sin(x); }
inline float __cosf(float x) { return std::cos(x); }
inline float __powf(float x, float y) { return std::pow(x, y); }
inline float __fdividef(float x, float y) { return x / y; }
inline float __frcp_rn(float x) { return 1 / x; }
inline float __fmaf_rn(float x, float y, float z) { return std::fma(x, y, z); }
inline float __saturatef(float x) { return x < 0 ? 0 : x > 1 ? 1 : x; }
inline double rsqrt(double x) { return 1 / std::sqrt(x); }
inline int __mul24(int x, int y) { return x * y; }
inline int __float2int_rd(float x) { return (int)std::floor(x); }
inline int __float2int_rn(float x) { return (int)std::nearbyint(x); }
inline int __float2int_rz(float x) { return (int)x; }
inline float __int2float_rn(int x) { return (float)x; }
inline int __float_as_int(float x) { int y; memcpy(&y, &x, 4); return y; }
inline float __int_as_float(int x) { float y; memcpy(&y, &x, 4); return y; }
inline unsigned __brev(unsigned x) {
  unsigned y = 0;
  for (int i = 0; i < 32; i++) y |= (x >> i & 1) << (31 - i);
  return y;
}
inline int __popcll(unsigned long long x) { return __builtin_popcountll(x); }
template <class T> T __ldg(const T *p) { return *p; }
inline long long clock64() { return 0; }  // times are not simulated
inline float rsqrtf(float x) { return 1 / std::sqrt(x); }
inline int __popc(unsigned x) { return __builtin_popcount(x); }
inline int __clz(int x) { return x ? __builtin_clz(x) : 32; }
inline int __ffs(int x) { return __builtin_ffs(x); }

// A stand-in for what nvcc knows without an #include: CUDA C++ as C++17, run on a CPU by
// ../hosts/core.h. It has what the kernel pairs use; a missing name is the compiler's error.
#pragma once
#define HOST_SHARED_BYTES 49152  // of shared memory, without opting in to more
#include "core.h"
#include <algorithm>
#include <cassert>
#include <utility>

#define __global__
#define __device__
#define __host__
#define __constant__
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
  dim3(unsigned a, unsigned b = 1, unsigned c = 1) { x = a, y = b, z = c; }
  dim3(host::Size size) : host::Size(size) {}
};
#define HOST_VECTOR(type, name, align)                                                       \
  struct name##1 { type x; };                                                                \
  struct alignas(2 * align) name##2 { type x, y; };                                          \
  struct name##3 { type x, y, z; };                                                          \
  struct alignas(4 * align <= 16 ? 4 * align : 16) name##4 { type x, y, z, w; };             \
  inline name##1 make_##name##1(type x) { return {x}; }                                      \
  inline name##2 make_##name##2(type x, type y) { return {x, y}; }                           \
  inline name##3 make_##name##3(type x, type y, type z) { return {x, y, z}; }                \
  inline name##4 make_##name##4(type x, type y, type z, type w) { return {x, y, z, w}; }
HOST_VECTOR(int, int, 4)
HOST_VECTOR(unsigned, uint, 4)
HOST_VECTOR(float, float, 4)
HOST_VECTOR(double, double, 8)
HOST_VECTOR(unsigned char, uchar, 1)
HOST_VECTOR(signed char, char, 1)
HOST_VECTOR(short, short, 2)
HOST_VECTOR(unsigned short, ushort, 2)
HOST_VECTOR(long, long, 8)
HOST_VECTOR(unsigned long, ulong, 8)
HOST_VECTOR(long long, longlong, 8)
HOST_VECTOR(unsigned long long, ulonglong, 8)
#undef HOST_VECTOR
#define HOST_TYPE(...) std::common_type_t<__VA_ARGS__>

#define threadIdx (host::current->position)
#define blockIdx (host::launch.where)
#define blockDim (host::launch.full)
#define gridDim (host::launch.groups)
constexpr int warpSize = host::WIDTH;

// ------------------------------------------------------------------ barriers and warps

#define __syncthreads() host::barrier("__syncthreads", true, __FILE__, __LINE__)
inline void __syncwarp(unsigned mask = ~0u, HOST_HERE) {
  host::meet("__syncwarp", "", 0, file, line, true, mask);
}

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
    host::meet(#name, &value, sizeof value, file, line, false, mask);                        \
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
  host::meet("__ballot_sync", &predicate, sizeof predicate, file, line, false, mask);
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

#define REDUCE(name, expression)                                                             \
  template <class T> T name(unsigned mask, T value, HOST_HERE) {                             \
    host::check_mask(mask, #name, file, line);                                               \
    host::meet(#name, &value, sizeof value, file, line, false, mask);                        \
    bool any = false;                                                                        \
    T a = value;                                                                             \
    for (unsigned lane = 0; lane < 32; lane++) {                                             \
      if (!host::takes_part(lane)) continue;                                                 \
      T b = host::given<T>(lane);                                                            \
      a = any ? T(expression) : b, any = true;                                               \
    }                                                                                        \
    return a;                                                                                \
  }
REDUCE(__reduce_add_sync, a + b)
REDUCE(__reduce_min_sync, b < a ? b : a)
REDUCE(__reduce_max_sync, a < b ? b : a)
REDUCE(__reduce_and_sync, a & b)
REDUCE(__reduce_or_sync, a | b)
REDUCE(__reduce_xor_sync, a ^ b)
#undef REDUCE
// The lanes that gave the same value.
template <class T> unsigned __match_any_sync(unsigned mask, T value, HOST_HERE) {
  host::check_mask(mask, "__match_any_sync", file, line);
  host::meet("__match_any_sync", &value, sizeof value, file, line, false, mask);
  unsigned same = 0;
  for (unsigned lane = 0; lane < 32; lane++)
    if (host::takes_part(lane) && host::given<T>(lane) == value) same |= 1u << lane;
  return same;
}
template <class T> unsigned __match_all_sync(unsigned mask, T value, int *all, HOST_HERE) {
  unsigned same = __match_any_sync(mask, value, file, line);
  *all = same == host::current->active;
  return *all ? same : 0;
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

// ------------------------------------------------------------------ launches from a kernel

enum cudaStream_t { host_default_stream, cudaStreamFireAndForget, cudaStreamTailLaunch };
enum cudaError_t { cudaSuccess, cudaErrorLaunchPendingCountExceeded = 69 };

namespace host {
// What a kernel launches begins here when all threads of its grid have ended, though a GPU may
// begin earlier: so a race of a parent with its child is not seen, one between children is.
struct Child {
  void (*call)(void *);
  void *what;
  Size grid, group;
  size_t shared;
  bool tail;
  Child *next, *own;  // own: what it has launched itself
};
inline Child *launched, *last_launched, *begun;
inline unsigned to_begin, most_pending = 2048;  // as many may wait to begin, by default
static Named most_pending_named("cudaLimitDevRuntimePendingLaunchCount", &most_pending, 4);
inline cudaError_t last_error;

template <class K> struct Launcher {
  K *kernel;
  Size grid, group;
  size_t shared;
  cudaStream_t stream;
  template <class... A> HOST_QUIET void operator()(A... a) {
    if (to_begin == most_pending) {
      last_error = cudaErrorLaunchPendingCountExceeded;
      return;
    }
    auto call = [kernel = kernel, a...] { kernel(a...); };
    typedef decltype(call) Call;
    Child *c = (Child *)malloc(sizeof(Child));
    c->call = [](void *what) { (*(Call *)what)(); }, c->what = new Call(call);
    c->grid = grid, c->group = group, c->shared = shared;
    c->tail = stream == cudaStreamTailLaunch, c->next = c->own = nullptr;
    (launched ? last_launched->next : launched) = c, last_launched = c, to_begin++;
  }
};
template <class K>
Launcher<K> child(K *kernel, dim3 grid, dim3 group, size_t shared = 0,
                  cudaStream_t stream = host_default_stream) {
  return {kernel, grid, group, shared, stream};
}

HOST_QUIET inline void all_before() {
#if defined(HOST_RACES)
  __tsan_acquire(&finished);
#endif
}
HOST_QUIET inline void run_child(Child *c, bool backwards) {
  begun = c, to_begin--;
  dynamic_shared[0] = c->shared;
  run_grid([] { begun->call(begun->what); }, c->grid, c->group, false, backwards);
  c->own = launched, launched = nullptr;
}
// First the children, then what those launched, then the tails, one after the other.
HOST_QUIET inline void run_launched(Child *list, bool backwards) {
  all_before();
  for (Child *c = list; c; c = c->next)
    if (!c->tail) run_child(c, backwards);
  for (Child *c = list; c; c = c->next)
    if (!c->tail) run_launched(c->own, backwards);
  for (Child *c = list; c; c = c->next)
    if (c->tail) all_before(), run_child(c, backwards), run_launched(c->own, backwards);
}
inline void run_all_launched(bool backwards) {
  Child *list = launched;
  launched = nullptr;
  run_launched(list, backwards);
}
static const bool launches = (children = run_all_launched, true);
}  // namespace host

inline cudaError_t cudaPeekAtLastError() { return host::last_error; }
inline cudaError_t cudaGetLastError() {
  cudaError_t error = host::last_error;
  return host::last_error = cudaSuccess, error;
}

// ------------------------------------------------------------------ mathematics

template <class T> constexpr T min(T a, T b) { return b < a ? b : a; }
template <class T> constexpr T max(T a, T b) { return a < b ? b : a; }
template <class A, class B> constexpr std::common_type_t<A, B> min(A a, B b) {
  using T = std::common_type_t<A, B>;
  return min<T>(T(a), T(b));
}
template <class A, class B> constexpr std::common_type_t<A, B> max(A a, B b) {
  using T = std::common_type_t<A, B>;
  return max<T>(T(a), T(b));
}
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
inline int __popc(unsigned x) { return __builtin_popcount(x); }
inline int __clz(int x) { return x ? __builtin_clz(x) : 32; }
inline int __clzll(long long x) { return x ? __builtin_clzll(x) : 64; }
inline int __ffs(int x) { return __builtin_ffs(x); }
inline int __ffsll(long long x) { return __builtin_ffsll(x); }
inline unsigned __umulhi(unsigned x, unsigned y) { return (unsigned long long)x * y >> 32; }
inline int __mulhi(int x, int y) { return (long long)x * y >> 32; }
inline unsigned __umul24(unsigned x, unsigned y) { return (x & 0xFFFFFF) * (y & 0xFFFFFF); }
inline unsigned __float_as_uint(float x) { unsigned y; memcpy(&y, &x, 4); return y; }
inline float __uint_as_float(unsigned x) { float y; memcpy(&y, &x, 4); return y; }
inline unsigned __float2uint_rn(float x) { return (unsigned)std::nearbyint(x); }
inline unsigned __float2uint_rz(float x) { return (unsigned)x; }
inline float __uint2float_rn(unsigned x) { return (float)x; }
inline float __fsqrt_rn(float x) { return std::sqrt(x); }
inline float __frsqrt_rn(float x) { return 1 / std::sqrt(x); }
inline float __fadd_rn(float x, float y) { return x + y; }
inline float __fmul_rn(float x, float y) { return x * y; }
inline float __fdiv_rn(float x, float y) { return x / y; }
inline float __log2f(float x) { return std::log2(x); }
inline float __exp10f(float x) { return std::pow(10.0f, x); }
inline float __tanf(float x) { return std::tan(x); }
inline void __sincosf(float x, float *s, float *c) { *s = std::sin(x), *c = std::cos(x); }
inline float exp10f(float x) { return std::pow(10.0f, x); }
inline float rnorm3df(float x, float y, float z) { return 1 / std::sqrt(x * x + y * y + z * z); }
// Four bytes of eight, as the four digits of the selector name them.
inline unsigned __byte_perm(unsigned x, unsigned y, unsigned s) {
  unsigned long long both = (unsigned long long)y << 32 | x;
  unsigned made = 0;
  for (int i = 0; i < 4; i++) made |= (unsigned)(both >> 8 * (s >> 4 * i & 7) & 255) << 8 * i;
  return made;
}
template <class T, class U> inline int host_dp4a(T a, U b, int c) {
  for (int i = 0; i < 4; i++)
    c += (std::is_signed_v<T> ? (int)(signed char)(a >> 8 * i) : (int)(unsigned char)(a >> 8 * i)) *
         (std::is_signed_v<U> ? (int)(signed char)(b >> 8 * i) : (int)(unsigned char)(b >> 8 * i));
  return c;
}
inline int __dp4a(int a, int b, int c) { return host_dp4a(a, b, c); }
inline unsigned __dp4a(unsigned a, unsigned b, unsigned c) { return host_dp4a(a, b, (int)c); }
// Loads and stores that say how to cache: the caches are not simulated.
#define HOST_LOAD(name) template <class T> T name(const T *p) { return *p; }
HOST_LOAD(__ldg) HOST_LOAD(__ldcs) HOST_LOAD(__ldcg) HOST_LOAD(__ldca) HOST_LOAD(__ldlu)
HOST_LOAD(__ldcv)
#undef HOST_LOAD
#define HOST_STORE(name) template <class T> void name(T *p, std::common_type_t<T> v) { *p = v; }
HOST_STORE(__stcs) HOST_STORE(__stcg) HOST_STORE(__stwb) HOST_STORE(__stwt)
#undef HOST_STORE
inline long long clock64() { return 0; }  // times are not simulated
inline float rsqrtf(float x) { return 1 / std::sqrt(x); }

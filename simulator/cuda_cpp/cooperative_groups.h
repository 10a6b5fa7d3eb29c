// A stand-in for <cooperative_groups.h>: the grid, the block and its tiles of up to 32 threads.
#pragma once
#include "cuda_cpu.h"

namespace cooperative_groups {

struct thread_block {
  void sync(HOST_HERE) const { host::barrier("thread_block::sync", true, file, line); }
  unsigned thread_rank() const { return host::current->number; }
  unsigned size() const { return host::launch.full.count(); }
  unsigned num_threads() const { return size(); }
  dim3 group_index() const { return host::launch.where; }
  dim3 thread_index() const { return host::current->position; }
  dim3 group_dim() const { return host::launch.full; }
  dim3 dim_threads() const { return host::launch.full; }
};
inline thread_block this_thread_block() { return {}; }

struct grid_group {
  void sync(HOST_HERE) const { host::grid_barrier("grid_group::sync", file, line); }
  unsigned long long size() const {
    return (unsigned long long)host::launch.groups.count() * host::launch.full.count();
  }
  unsigned long long num_threads() const { return size(); }
  unsigned long long thread_rank() const {
    const host::Size &w = host::launch.where, &n = host::launch.groups;
    return (w.x + n.x * (w.y + (unsigned long long)n.y * w.z)) * host::launch.full.count() +
           host::current->number;
  }
  dim3 group_dim() const { return host::launch.groups; }
  bool is_valid() const { return true; }
};
inline grid_group this_grid() { return {}; }

template <unsigned N, class Parent = thread_block> struct thread_block_tile {
  static_assert(N >= 1 && N <= 32 && (N & (N - 1)) == 0, "a tile has 1, 2, 4, 8, 16 or 32 threads");
  unsigned thread_rank() const { return host::current->lane % N; }
  static constexpr unsigned size() { return N; }
  static constexpr unsigned num_threads() { return N; }
  unsigned meta_group_rank() const { return host::current->number / N; }
  unsigned meta_group_size() const { return (host::launch.full.count() + N - 1) / N; }
  unsigned first() const { return host::current->lane / N * N; }
  unsigned mask() const { return N == 32 ? ~0u : ((1u << N % 32) - 1) << first(); }
  void sync(HOST_HERE) const { host::meet("tile::sync", "", 0, file, line, true, mask()); }
  template <class T> T shfl(T v, int source, HOST_HERE) const {
    return __shfl_sync(mask(), v, source, (int)N, file, line);
  }
  template <class T> T shfl_down(T v, unsigned n, HOST_HERE) const {
    return __shfl_down_sync(mask(), v, n, (int)N, file, line);
  }
  template <class T> T shfl_up(T v, unsigned n, HOST_HERE) const {
    return __shfl_up_sync(mask(), v, n, (int)N, file, line);
  }
  template <class T> T shfl_xor(T v, int n, HOST_HERE) const {
    return __shfl_xor_sync(mask(), v, n, (int)N, file, line);
  }
  unsigned ballot(int predicate, HOST_HERE) const {
    unsigned votes = __ballot_sync(mask(), predicate, file, line) >> first();
    return N == 32 ? votes : votes & ((1u << N % 32) - 1);
  }
  int any(int predicate, HOST_HERE) const { return ballot(predicate, file, line) != 0; }
  int all(int predicate, HOST_HERE) const { return ballot(!predicate, file, line) == 0; }
};
template <unsigned N, class P> thread_block_tile<N, P> tiled_partition(const P &) { return {}; }

template <class G> void sync(const G &group, HOST_HERE) { group.sync(file, line); }

template <class T> struct plus { T operator()(T a, T b) const { return a + b; } };
template <class T> struct less { T operator()(T a, T b) const { return b < a ? b : a; } };
template <class T> struct greater { T operator()(T a, T b) const { return a < b ? b : a; } };
template <class T> struct bit_and { T operator()(T a, T b) const { return a & b; } };
template <class T> struct bit_or { T operator()(T a, T b) const { return a | b; } };
template <class T> struct bit_xor { T operator()(T a, T b) const { return a ^ b; } };

// All lanes get the same: pairs at distance 1, 2, 4, ... fold their values.
template <unsigned N, class P, class T, class F>
T reduce(const thread_block_tile<N, P> &tile, T value, F f, HOST_HERE) {
  for (unsigned n = 1; n < N; n *= 2) value = f(value, tile.shfl_xor(value, n, file, line));
  return value;
}

}  // namespace cooperative_groups

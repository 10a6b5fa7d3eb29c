// What HIP's kernels use beyond CUDA's words: operations of a whole wave, of 32 or 64 lanes. Lanes
// that have returned take no part, and neither do those that are elsewhere for good.
#pragma once

inline unsigned long long __ballot(int predicate, HOST_HERE) {
  host::meet("__ballot", &predicate, sizeof predicate, file, line);
  unsigned long long votes = 0;
  for (unsigned lane = 0; lane < host::WIDTH; lane++)
    if (host::takes_part(lane) && host::given<int>(lane)) votes |= 1ull << lane;
  return votes;
}
inline int __any(int predicate, HOST_HERE) { return __ballot(predicate, file, line) != 0; }
inline int __all(int predicate, HOST_HERE) {
  return __ballot(predicate, file, line) == host::current->active;
}

#define SHUFFLE(name, number, source, inside)                                                \
  template <class T> T name(T value, number n, int width = warpSize, HOST_HERE) {            \
    host::meet(#name, &value, sizeof value, file, line);                                     \
    int lane = host::current->lane, first = lane / width * width, from = source;             \
    return host::from_lane(value, from, inside);                                             \
  }
SHUFFLE(__shfl, int, first + (n & (width - 1)), true)
SHUFFLE(__shfl_down, unsigned, lane + (int)n, from < first + width)
SHUFFLE(__shfl_up, unsigned, lane - (int)n, from >= first)
SHUFFLE(__shfl_xor, int, lane ^ n, from < first + width)
#undef SHUFFLE

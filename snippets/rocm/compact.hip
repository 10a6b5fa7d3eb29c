// Keep the numbers that are not negative, in any order: right for wavefronts of 32 and of 64.
#include <hip/hip_runtime.h>

extern "C" __global__ void compact(const float* x, unsigned n, float* kept, unsigned* count) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned lane = threadIdx.x % warpSize;
  bool keep = i < n && x[i] >= 0;
  unsigned long long votes = __ballot(keep);  // 64 bits, of which a wavefront of 32 uses half
  unsigned before = __popcll(votes & ((1ull << lane) - 1));
  unsigned first = 0;
  if (lane == 0) first = atomicAdd(count, __popcll(votes));
  first = __shfl(first, 0);
  if (keep) kept[first + before] = x[i];
}

// Codes stream past a table that should stay in L1: each code is read once, each entry often.
#ifdef PLAIN
#define LOAD "ld.global"
#else
#define LOAD "ld.global.nc.L1::no_allocate.L2::256B"
#endif

__device__ __forceinline__ uint4 load(const uint4* from) {
  uint4 v;
  asm volatile(LOAD ".v4.u32 {%0, %1, %2, %3}, [%4];"
               : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w)
               : "l"(from));
  return v;
}

extern "C" __global__ void lookup(const uint4* codes, const float* table, float* out,
                                  long long quads) {
  long long thread = blockIdx.x * (long long)blockDim.x + threadIdx.x;
  long long step = gridDim.x * (long long)blockDim.x;
  float total = 0;
  for (long long i = thread; i < quads; i += step) {
    uint4 v = load(codes + i);
    total += (table[v.x] + table[v.y]) + (table[v.z] + table[v.w]);
  }
  out[thread] = total;
}

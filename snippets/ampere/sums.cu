// Sum float32 numbers in three ways that differ in how many loads are in flight.
constexpr int STAGES = 8;  // copies in flight for each thread

__device__ unsigned shared_address(const void* p) {
    return static_cast<unsigned>(__cvta_generic_to_shared(p));
}

__device__ float sum4(float4 v) { return (v.x + v.y) + (v.z + v.w); }

// Each warp adds its total to the result; block 0 adds the last few numbers.
__device__ void finish(float total, const float* x, long long done, long long n, double* out) {
    if (blockIdx.x == 0)
        for (long long i = done + threadIdx.x; i < n; i += blockDim.x) total += x[i];
    double sum = total;
    for (int step = 16; step > 0; step /= 2) sum += __shfl_xor_sync(0xffffffff, sum, step);
    if (threadIdx.x % 32 == 0) atomicAdd(out, sum);
}

// A load, then its use: one 16-byte load in flight for each thread.
extern "C" __global__ void sum_loads(const float* x, long long n, double* out) {
    const float4* x4 = reinterpret_cast<const float4*>(x);
    float total = 0;
    long long stride = 1ll * gridDim.x * blockDim.x;
#pragma unroll 1
    for (long long i = 1ll * blockIdx.x * blockDim.x + threadIdx.x; i < n / 4; i += stride)
        total += sum4(x4[i]);
    finish(total, x, n / 4 * 4, n, out);
}

// Four loads, then their use: four in flight, and sixteen registers to hold them.
extern "C" __global__ void sum_four_loads(const float* x, long long n, double* out) {
    const float4* x4 = reinterpret_cast<const float4*>(x);
    const float4 zero = {0, 0, 0, 0};
    float total = 0;
    long long stride = 1ll * gridDim.x * blockDim.x, fours = n / 4;
#pragma unroll 1
    for (long long i = 1ll * blockIdx.x * blockDim.x + threadIdx.x; i < fours; i += 4 * stride) {
        float4 v[4];
#pragma unroll
        for (int j = 0; j < 4; ++j) v[j] = i + j * stride < fours ? x4[i + j * stride] : zero;
        total += (sum4(v[0]) + sum4(v[1])) + (sum4(v[2]) + sum4(v[3]));
    }
    finish(total, x, fours * 4, n, out);
}

// cp.async (Ampere): eight copies of 16 bytes in flight for each thread, and no registers. Each
// thread waits for its own copies and reads those alone, so no barrier is needed.
extern "C" __global__ void sum_cp_async(const float* x, long long n, double* out) {
    extern __shared__ __align__(128) float4 slots[];  // STAGES x threads
    const float4* x4 = reinterpret_cast<const float4*>(x);
    long long stride = 1ll * gridDim.x * blockDim.x, fours = n / 4;
    long long first = 1ll * blockIdx.x * blockDim.x + threadIdx.x;
    auto fetch = [&](int s, long long i) {
        unsigned to = shared_address(slots + s * blockDim.x + threadIdx.x);
        if (i < fours)
            asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to), "l"(x4 + i)
                         : "memory");
        asm volatile("cp.async.commit_group;" ::: "memory");
    };
    for (int s = 0; s < STAGES; ++s) fetch(s, first + s * stride);
    float total = 0;
    int s = 0;
#pragma unroll 1
    for (long long i = first; i < fours; i += stride) {
        asm volatile("cp.async.wait_group %0;" ::"n"(STAGES - 1) : "memory");
        total += sum4(slots[s * blockDim.x + threadIdx.x]);
        fetch(s, i + STAGES * stride);
        s = s + 1 == STAGES ? 0 : s + 1;
    }
    asm volatile("cp.async.wait_all;" ::: "memory");
    finish(total, x, fours * 4, n, out);
}

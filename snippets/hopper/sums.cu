// Sum float32 numbers that TMA fetches.
constexpr int STAGES = 8;  // slots in flight
constexpr int SLOT = 2048;  // numbers in a slot: 8 KB

__device__ unsigned shared_address(const void* p) {
    return static_cast<unsigned>(__cvta_generic_to_shared(p));
}

__device__ float sum4(float4 v) { return (v.x + v.y) + (v.z + v.w); }

// Each warp adds its total to the result; block 0 adds what is left behind the last whole slot.
__device__ void finish(float total, const float* x, long long done, long long n, double* out) {
    if (blockIdx.x == 0)
        for (long long i = done + threadIdx.x; i < n; i += blockDim.x) total += x[i];
    double sum = total;
    for (int step = 16; step > 0; step /= 2) sum += __shfl_xor_sync(0xffffffff, sum, step);
    if (threadIdx.x % 32 == 0) atomicAdd(out, sum);
}

// TMA (Hopper): one thread asks for 8 KB with one instruction, and a barrier in shared
// memory counts the bytes that have come. 64 KB are in flight, however few threads there are.
extern "C" __global__ void sum_bulk(const float* x, long long n, double* out) {
    extern __shared__ __align__(128) float4 slots[];  // STAGES x SLOT numbers
    __shared__ unsigned long long full[STAGES];
    long long chunks = n / SLOT;
    auto fetch = [&](int s, long long chunk) {
        if (chunk >= chunks) return;
        unsigned barrier = shared_address(full + s), to = shared_address(slots + s * (SLOT / 4));
        asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(barrier),
                     "r"(SLOT * 4)
                     : "memory");
        asm volatile(
            "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];"
            ::"r"(to), "l"(x + chunk * SLOT), "r"(SLOT * 4), "r"(barrier)
            : "memory");
    };
    if (threadIdx.x == 0) {
        for (int s = 0; s < STAGES; ++s)
            asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(shared_address(full + s)));
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
        for (int s = 0; s < STAGES; ++s) fetch(s, blockIdx.x + 1ll * s * gridDim.x);
    }
    __syncthreads();

    float total = 0;
    int s = 0, parity = 0;
#pragma unroll 1
    for (long long chunk = blockIdx.x; chunk < chunks; chunk += gridDim.x) {
        unsigned done = 0;
        while (!done)
            asm volatile(
                "{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2;"
                " selp.u32 %0, 1, 0, p; }"
                : "=r"(done)
                : "r"(shared_address(full + s)), "r"(parity)
                : "memory");
#pragma unroll 4
        for (int i = threadIdx.x; i < SLOT / 4; i += blockDim.x)
            total += sum4(slots[s * (SLOT / 4) + i]);
        __syncthreads();  // all have read the slot: it may be filled again
        if (threadIdx.x == 0) fetch(s, chunk + 1ll * STAGES * gridDim.x);
        s = s + 1 == STAGES ? 0 : s + 1;
        parity ^= s == 0;
    }
    finish(total, x, chunks * SLOT, n, out);
}

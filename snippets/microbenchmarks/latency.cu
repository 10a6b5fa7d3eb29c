// How long a load takes when nothing else is in flight: one thread follows a chain of pointers.
// Each load needs the one before, so the time of many, divided, is the latency of one.

typedef unsigned long long u64;

// A chain through global memory. `at` holds where to start, and gets where the chain was left, so
// that the next launch goes on from there and does not meet the lines that this one brought in.
extern "C" __global__ void chase_global(u64* at, int warm, int steps, long long* cycles) {
    u64 p = *at;
    for (int i = 0; i < warm; i++) asm volatile("ld.global.ca.u64 %0, [%0];" : "+l"(p));
    long long began = clock64();
#pragma unroll 16
    for (int i = 0; i < steps; i++) asm volatile("ld.global.ca.u64 %0, [%0];" : "+l"(p));
    *at = p;  // the clock is read when the last load has answered
    __threadfence_block();
    *cycles = clock64() - began;
}

// The same past L1: each load is answered by L2.
extern "C" __global__ void chase_l2(u64* at, int warm, int steps, long long* cycles) {
    u64 p = *at;
    for (int i = 0; i < warm; i++) asm volatile("ld.global.cg.u64 %0, [%0];" : "+l"(p));
    long long began = clock64();
#pragma unroll 16
    for (int i = 0; i < steps; i++) asm volatile("ld.global.cg.u64 %0, [%0];" : "+l"(p));
    *at = p;
    __threadfence_block();
    *cycles = clock64() - began;
}

// A chain through shared memory: each word holds the address of the next.
extern "C" __global__ void chase_shared(int steps, long long* cycles, unsigned* sink) {
    __shared__ unsigned chain[1024];
    unsigned base = (unsigned)__cvta_generic_to_shared(chain);
    for (int i = 0; i < 1024; i++) chain[i] = base + 4 * ((i + 33) % 1024);
    __syncthreads();
    unsigned p = base;
    long long began = clock64();
#pragma unroll 16
    for (int i = 0; i < steps; i++) asm volatile("ld.shared.u32 %0, [%0];" : "+r"(p));
    *sink = p;
    __threadfence_block();
    *cycles = clock64() - began;
}

// A chain through the shared memory of the other block of a cluster.
extern "C" __global__ void __cluster_dims__(2, 1, 1)
    chase_cluster(int steps, long long* cycles, unsigned* sink) {
    __shared__ unsigned chain[1024];
    unsigned rank, base = (unsigned)__cvta_generic_to_shared(chain), theirs;
    asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
    asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(theirs) : "r"(base), "r"(rank ^ 1));
    // Each block's words point into that block, by the address that the other one sees.
    unsigned mine;
    asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(mine) : "r"(base), "r"(rank));
    for (int i = 0; i < 1024; i++) chain[i] = mine + 4 * ((i + 33) % 1024);
    asm volatile("barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;" ::: "memory");
    unsigned p = theirs;
    if (rank == 0) {
        long long began = clock64();
#pragma unroll 16
        for (int i = 0; i < steps; i++) asm volatile("ld.shared::cluster.u32 %0, [%0];" : "+r"(p));
        *sink = p;
        __threadfence_block();
        *cycles = clock64() - began;
    }
    asm volatile("barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;" ::: "memory");
}

// A warp reads constant memory: all lanes one word (spread 0), or lanes that are `spread` words
// apart. Each word holds the step to the next, so a read needs the one before.
__constant__ int constants[2048];

extern "C" __global__ void chase_constant(int spread, int steps, long long* cycles, int* sink) {
    int at = threadIdx.x * spread;
    for (int i = 0; i < 64; i++) at = constants[at];
    long long began = clock64();
#pragma unroll 16
    for (int i = 0; i < steps; i++) at = constants[at];
    sink[threadIdx.x] = at;
    __threadfence_block();
    if (threadIdx.x == 0) *cycles = clock64() - began;
}

// A chain through a texture: one-dimensional, of 32-bit whole numbers.
extern "C" __global__ void chase_texture(cudaTextureObject_t words, int steps, long long* cycles,
                                         unsigned* sink) {
    unsigned at = 0;
    for (int i = 0; i < 4096; i++) at = tex1Dfetch<unsigned>(words, at);
    long long began = clock64();
#pragma unroll 16
    for (int i = 0; i < steps; i++) at = tex1Dfetch<unsigned>(words, at);
    *sink = at;
    __threadfence_block();
    *cycles = clock64() - began;
}

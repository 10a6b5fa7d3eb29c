// Count the 65,536 values of 16-bit numbers: 256 KB of counters, more than a block may have.
constexpr unsigned BINS = 65536, CLUSTER = 2, OWN = BINS / CLUSTER;  // 128 KB of counters a block

// Eight numbers with one load; the last few one by one.
template <class Count>
__device__ void for_each(const unsigned short* x, long long n, long long first, long long stride,
                         Count count) {
    const uint4* x8 = reinterpret_cast<const uint4*>(x);
    for (long long i = first; i < n / 8; i += stride) {
        uint4 v = x8[i];
        for (unsigned two : {v.x, v.y, v.z, v.w}) {
            count(two & 0xffff);
            count(two >> 16);
        }
    }
    for (long long i = n / 8 * 8 + first; i < n; i += stride) count(x[i]);
}

// Without shared memory: the counters are in global memory, and every count goes to L2.
extern "C" __global__ void histogram_global(const unsigned short* x, long long n, unsigned* counts) {
    long long first = 1ll * blockIdx.x * blockDim.x + threadIdx.x;
    for_each(x, n, first, 1ll * gridDim.x * blockDim.x,
             [&](unsigned value) { atomicAdd(counts + value, 1u); });
}

// Without a cluster: two blocks read the same numbers, and each counts half of the values.
extern "C" __global__ void histogram_halves(const unsigned short* x, long long n,
                                              unsigned* counts) {
    extern __shared__ unsigned own[];
    unsigned rank = blockIdx.x % CLUSTER;
    for (unsigned i = threadIdx.x; i < OWN; i += blockDim.x) own[i] = 0;
    __syncthreads();
    long long first = 1ll * (blockIdx.x / CLUSTER) * blockDim.x + threadIdx.x;
    for_each(x, n, first, 1ll * (gridDim.x / CLUSTER) * blockDim.x, [&](unsigned value) {
        if (value % CLUSTER == rank) atomicAdd(own + value / CLUSTER, 1u);
    });
    __syncthreads();
    for (unsigned i = threadIdx.x; i < OWN; i += blockDim.x)
        if (own[i]) atomicAdd(counts + i * CLUSTER + rank, own[i]);
}

__device__ void cluster_sync() {
    asm volatile("barrier.cluster.arrive.release.aligned;" ::: "memory");
    asm volatile("barrier.cluster.wait.acquire.aligned;" ::: "memory");
}

// A cluster: each number is read once, and counted in the shared memory of the block that owns it.
extern "C" __global__ void __cluster_dims__(CLUSTER, 1, 1)
    histogram_cluster(const unsigned short* x, long long n, unsigned* counts) {
    extern __shared__ unsigned own[];
    unsigned rank = blockIdx.x % CLUSTER;
    for (unsigned i = threadIdx.x; i < OWN; i += blockDim.x) own[i] = 0;
    cluster_sync();  // nobody counts before all counters are zero
    unsigned here = static_cast<unsigned>(__cvta_generic_to_shared(own));
    long long first = 1ll * blockIdx.x * blockDim.x + threadIdx.x;
    for_each(x, n, first, 1ll * gridDim.x * blockDim.x, [&](unsigned value) {
        unsigned there;  // the same place in the shared memory of another block of the cluster
        asm("mapa.shared::cluster.u32 %0, %1, %2;"
            : "=r"(there)
            : "r"(here + 4 * (value / CLUSTER)), "r"(value % CLUSTER));
        asm volatile("red.relaxed.cluster.shared::cluster.add.u32 [%0], 1;" ::"r"(there)
                     : "memory");
    });
    cluster_sync();  // nobody leaves, or reads its counters, while others still count
    for (unsigned i = threadIdx.x; i < OWN; i += blockDim.x)
        if (own[i]) atomicAdd(counts + i * CLUSTER + rank, own[i]);
}

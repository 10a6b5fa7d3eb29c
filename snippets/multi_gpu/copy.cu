// Copy 16 bytes a thread at a time. Where `from` and `to` lie is not in the source.
extern "C" __global__ void copy(const float4* from, float4* to, size_t n) {
    constexpr int BATCH = 4;  // loads in flight a thread
    size_t first = blockIdx.x * blockDim.x + threadIdx.x, step = (size_t)gridDim.x * blockDim.x;
    for (size_t i = first; i < n; i += BATCH * step) {
        float4 held[BATCH];
#pragma unroll
        for (int k = 0; k < BATCH; k++)
            if (i + k * step < n) held[k] = from[i + k * step];
#pragma unroll
        for (int k = 0; k < BATCH; k++)
            if (i + k * step < n) to[i + k * step] = held[k];
    }
}

// One thread follows a chain of indices: each load waits for the one before.
extern "C" __global__ void chase(const unsigned* next, unsigned hops, unsigned* end,
                                 long long* cycles) {
    unsigned at = 0;
    long long began = clock64();
    for (unsigned hop = 0; hop < hops; hop++) at = __ldcv(next + at);  // never from a cache here
    *cycles = clock64() - began;
    *end = at;
}

// Softmax of rows that are too long for one block: the logits of a vocabulary of 128,256 words.
constexpr unsigned CLUSTER = 8, WARPS = 16;  // blocks for a row, warps of a block
constexpr float LOWEST = -3.4e38f, LOG2_E = 1.44269504f;

__device__ unsigned shared_address(const void* p) {
    return static_cast<unsigned>(__cvta_generic_to_shared(p));
}

__device__ float max4(float4 v) { return fmaxf(fmaxf(v.x, v.y), fmaxf(v.z, v.w)); }

__device__ float4 exp4(float4 v, float largest) {
    return {exp2f((v.x - largest) * LOG2_E), exp2f((v.y - largest) * LOG2_E),
            exp2f((v.z - largest) * LOG2_E), exp2f((v.w - largest) * LOG2_E)};
}

__device__ float sum4(float4 v) { return (v.x + v.y) + (v.z + v.w); }

__device__ float4 scale4(float4 v, float s) { return {v.x * s, v.y * s, v.z * s, v.w * s}; }

// All threads get the largest of the block, or the sum. boxes: a place for each warp.
template <bool LARGEST>
__device__ float over_block(float mine, float* boxes) {
    for (int step = 16; step > 0; step /= 2) {
        float other = __shfl_xor_sync(0xffffffff, mine, step);
        mine = LARGEST ? fmaxf(mine, other) : mine + other;
    }
    __syncthreads();  // the boxes of the call before have been read
    if (threadIdx.x % 32 == 0) boxes[threadIdx.x / 32] = mine;
    __syncthreads();
    mine = boxes[0];
    for (unsigned w = 1; w < WARPS; ++w) mine = LARGEST ? fmaxf(mine, boxes[w]) : mine + boxes[w];
    return mine;
}

// Without a cluster: a block reads its row twice, once for the sum and once for the result.
extern "C" __global__ void __launch_bounds__(32 * WARPS)
    softmax_twice(const float4* x, float4* out, unsigned fours) {
    __shared__ float boxes[WARPS];
    x += 1ll * blockIdx.x * fours, out += 1ll * blockIdx.x * fours;
    float largest = LOWEST, total = 0;  // of this thread, corrected as the largest grows
    for (unsigned i = threadIdx.x; i < fours; i += blockDim.x) {
        float4 v = x[i];
        float grown = fmaxf(largest, max4(v));
        total = total * exp2f((largest - grown) * LOG2_E) + sum4(exp4(v, grown));
        largest = grown;
    }
    float whole = over_block<true>(largest, boxes);
    total = over_block<false>(total * exp2f((largest - whole) * LOG2_E), boxes);
    for (unsigned i = threadIdx.x; i < fours; i += blockDim.x)
        out[i] = scale4(exp4(x[i], whole), 1 / total);
}

__device__ void cluster_sync() {
    asm volatile("barrier.cluster.arrive.release.aligned;" ::: "memory");
    asm volatile("barrier.cluster.wait.acquire.aligned;" ::: "memory");
}

// A cluster holds the row in the shared memory of eight blocks: it is read once.
extern "C" __global__ void __cluster_dims__(CLUSTER, 1, 1) __launch_bounds__(32 * WARPS)
    softmax_cluster(const float4* x, float4* out, unsigned fours) {
    extern __shared__ __align__(128) float4 part[];  // this block's part of the row
    __shared__ float boxes[WARPS];
    __shared__ float2 parts[CLUSTER];  // largest and sum of every part, written by its block
    __shared__ unsigned long long full;
    unsigned rank = blockIdx.x % CLUSTER, each = (fours + CLUSTER - 1) / CLUSTER;
    unsigned first = min(rank * each, fours), count = min(each, fours - first);
    long long start = 1ll * (blockIdx.x / CLUSTER) * fours + first;

    unsigned barrier = shared_address(&full), bytes = 16 * count;
    if (threadIdx.x == 0) {
        asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(barrier));
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
        asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(barrier),
                     "r"(bytes)
                     : "memory");
        if (bytes)
            asm volatile(
                "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes"
                " [%0], [%1], %2, [%3];" ::"r"(shared_address(part)),
                "l"(x + start), "r"(bytes), "r"(barrier)
                : "memory");
    }
    cluster_sync();  // all eight blocks have started, so their shared memory may be written
    unsigned done = 0;
    while (!done)
        asm volatile(
            "{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], 0;"
            " selp.u32 %0, 1, 0, p; }"
            : "=r"(done)
            : "r"(barrier)
            : "memory");

    float largest = LOWEST, total = 0;
    for (unsigned i = threadIdx.x; i < count; i += blockDim.x)
        largest = fmaxf(largest, max4(part[i]));
    largest = over_block<true>(largest, boxes);
    for (unsigned i = threadIdx.x; i < count; i += blockDim.x) {
        part[i] = exp4(part[i], largest);
        total += sum4(part[i]);
    }
    total = over_block<false>(total, boxes);

    if (threadIdx.x < CLUSTER) {  // thread r tells block r what this block found
        unsigned there;
        asm("mapa.shared::cluster.u32 %0, %1, %2;"
            : "=r"(there)
            : "r"(shared_address(parts + rank)), "r"(threadIdx.x));
        asm volatile("st.shared::cluster.v2.f32 [%0], {%1, %2};" ::"r"(there), "f"(largest),
                     "f"(total)
                     : "memory");
    }
    cluster_sync();  // all parts are there
    float whole = LOWEST, sum = 0;
    for (unsigned r = 0; r < CLUSTER; ++r) whole = fmaxf(whole, parts[r].x);
    for (unsigned r = 0; r < CLUSTER; ++r)
        sum += parts[r].y * exp2f((parts[r].x - whole) * LOG2_E);
    float scale = exp2f((largest - whole) * LOG2_E) / sum;
    for (unsigned i = threadIdx.x; i < count; i += blockDim.x)
        out[start + i] = scale4(part[i], scale);
}

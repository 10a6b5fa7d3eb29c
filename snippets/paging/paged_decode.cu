// Attention of one new token over a paged cache: decode.py in CUDA C++.
#ifndef DIM
#define DIM 128  // numbers of a head
#define GROUP 4  // query heads of a KV head
#define PAGE 16  // tokens of a page
#define WARPS 4  // of a block
#endif
constexpr int LANES = DIM / 8, TOKENS = LANES / GROUP, THREADS = 32 * WARPS, STAGES = 2;
constexpr int STRIDE = THREADS / LANES * TOKENS;  // tokens that a block takes at a time
constexpr unsigned ALL = 0xffffffff;
constexpr float LOWEST = -1e30f;

__device__ void copy16(void* to, const void* from, bool inside) {
    unsigned place = static_cast<unsigned>(__cvta_generic_to_shared(to));
    asm volatile("cp.async.cg.shared.global.L2::256B [%0], [%1], 16, %2;"
                 :: "r"(place), "l"(from), "r"(inside ? 16 : 0) : "memory");
}

__device__ void widen(uint4 words, float* wide) {
    const unsigned bits[4] = {words.x, words.y, words.z, words.w};
#pragma unroll
    for (int i = 0; i < 4; ++i) {
        wide[2 * i] = __uint_as_float(bits[i] << 16);
        wide[2 * i + 1] = __uint_as_float(bits[i] & 0xffff0000);
    }
}

// Lane i gets the sum of number i over the lanes; each step gives half of them away.
template <int HOP>
__device__ void sum_and_scatter(float* numbers, int lane) {
    if constexpr (HOP > 0) {
        bool upper = lane & HOP;
#pragma unroll
        for (int i = 0; i < HOP; ++i) {
            float low = numbers[i], high = numbers[HOP + i];
            float other = __shfl_xor_sync(ALL, upper ? low : high, HOP);
            numbers[i] = (upper ? high : low) + other;
        }
        sum_and_scatter<HOP / 2>(numbers, lane);
    }
}

extern "C" __global__ void __launch_bounds__(THREADS)
paged_decode(const uint4* q, const uint4* keys, const uint4* values, const int* tables,
             int table_width, const int* lengths, int span, float scale, float* partial,
             float* tops, float* sums, int* done, float* out) {
    int split = blockIdx.x, head = blockIdx.y, heads = gridDim.y, sequence = blockIdx.z;
    int begin = split * span, end = min(begin + span, lengths[sequence]);
    if (begin >= end) return;
    int me = 32 * threadIdx.y + threadIdx.x, lane = me % LANES;
    int neighbor = threadIdx.x - lane;  // the first lane of those that share this one's token
    int first = begin + me / LANES * TOKENS;
    const int* table = tables + static_cast<long long>(sequence) * table_width;
    __shared__ uint4 ring[STAGES][2][TOKENS][THREADS];
    __shared__ float boxes[WARPS][GROUP][DIM], box_tops[WARPS][GROUP], box_sums[WARPS][GROUP];
    __shared__ int ticket;

    auto start = [&](int token, int stage) {
        long long row = table[min(token, end - 1) / PAGE];
        row = (row * heads + head) * PAGE + token % PAGE;
        for (int t = 0; t < TOKENS; ++t) {
            long long at = (row + t) * LANES + lane;
            copy16(&ring[stage][0][t][me], keys + at, token + t < end);
            copy16(&ring[stage][1][t][me], values + at, token + t < end);
        }
    };
    for (int stage = 0; stage < STAGES - 1; ++stage) {
        start(first + stage * STRIDE, stage);
        asm volatile("cp.async.commit_group;" ::: "memory");
    }
    float query[GROUP][8], mixed[GROUP][8] = {}, dots[LANES], wide[8];
    float top = LOWEST, total = 0;  // of the one head and token that are this lane's
    int row = (sequence * heads + head) * GROUP;
#pragma unroll
    for (int g = 0; g < GROUP; ++g) {
        widen(q[(row + g) * LANES + lane], query[g]);
        for (int i = 0; i < 8; ++i) query[g][i] *= scale;
    }

    int full = 0;  // the stage to read
    for (int here = first; here - first + begin < end; here += STRIDE) {
        int ahead = here + (STAGES - 1) * STRIDE;
        if (ahead - first + begin < end) start(ahead, (full + STAGES - 1) % STAGES);
        asm volatile("cp.async.commit_group;" ::: "memory");
        asm volatile("cp.async.wait_group %0;" :: "n"(STAGES - 1) : "memory");
#pragma unroll
        for (int t = 0; t < TOKENS; ++t) {
            widen(ring[full][0][t][me], wide);
#pragma unroll
            for (int g = 0; g < GROUP; ++g) {
                float dot = 0;
                for (int i = 0; i < 8; ++i) dot += query[g][i] * wide[i];
                dots[g * TOKENS + t] = dot;
            }
        }
        sum_and_scatter<LANES / 2>(dots, lane);
        float score = here + lane % TOKENS < end ? dots[0] : LOWEST, highest = score;
        for (int hop = TOKENS / 2; hop > 0; hop /= 2)
            highest = fmaxf(highest, __shfl_xor_sync(ALL, highest, hop));
        if (__any_sync(ALL, highest > top)) {
            highest = fmaxf(highest, top);
            float fade = exp2f(top - highest);
            top = highest;
            total *= fade;
#pragma unroll
            for (int g = 0; g < GROUP; ++g) {
                float other = __shfl_sync(ALL, fade, neighbor + g * TOKENS);
                for (int i = 0; i < 8; ++i) mixed[g][i] *= other;
            }
        }
        score = exp2f(score - top);
        total += score;
#pragma unroll
        for (int t = 0; t < TOKENS; ++t) {
            widen(ring[full][1][t][me], wide);
#pragma unroll
            for (int g = 0; g < GROUP; ++g) {
                float share = __shfl_sync(ALL, score, neighbor + g * TOKENS + t);
                for (int i = 0; i < 8; ++i) mixed[g][i] += share * wide[i];
            }
        }
        full = (full + 1) % STAGES;
    }

    // The tokens of a head meet by shuffles, first the sums, then the lanes of a warp that hold
    // the same numbers of different tokens,
    for (int hop = TOKENS / 2; hop > 0; hop /= 2) total += __shfl_xor_sync(ALL, total, hop);
    int warp = threadIdx.y;
#pragma unroll
    for (int g = 0; g < GROUP; ++g) {
        float peak = __shfl_sync(ALL, top, neighbor + g * TOKENS);
        float sum = __shfl_sync(ALL, total, neighbor + g * TOKENS);
        for (int hop = 16; hop >= LANES; hop /= 2) {
            float other = __shfl_xor_sync(ALL, peak, hop), higher = fmaxf(peak, other);
            float mine = exp2f(peak - higher), theirs = exp2f(other - higher);
            sum = mine * sum + theirs * __shfl_xor_sync(ALL, sum, hop);
            for (int i = 0; i < 8; ++i)
                mixed[g][i] = mine * mixed[g][i] + theirs * __shfl_xor_sync(ALL, mixed[g][i], hop);
            peak = higher;
        }
        if (threadIdx.x < LANES)
            for (int i = 0; i < 8; ++i) boxes[warp][g][8 * lane + i] = mixed[g][i];
        if (threadIdx.x == 0) box_tops[warp][g] = peak, box_sums[warp][g] = sum;
    }
    __syncthreads();
    // then the block's warps in shared memory,
    int splits = (lengths[sequence] + span - 1) / span;
    for (int item = me; item < GROUP * DIM; item += THREADS) {
        int g = item / DIM, d = item % DIM;
        float highest = LOWEST, sum = 0, mix = 0;
        for (int w = 0; w < WARPS; ++w) highest = fmaxf(highest, box_tops[w][g]);
        for (int w = 0; w < WARPS; ++w) {
            float share = exp2f(box_tops[w][g] - highest);
            sum += share * box_sums[w][g];
            mix += share * boxes[w][g][d];
        }
        long long place = static_cast<long long>(row + g) * gridDim.x + split;
        partial[place * DIM + d] = mix;
        if (d == 0) tops[place] = highest, sums[place] = sum;
    }
    // and the stretches of the sequence in the block that comes last.
    __threadfence();
    __syncthreads();
    if (me == 0) ticket = atomicAdd(&done[sequence * heads + head], 1);
    __syncthreads();
    if (ticket != splits - 1) return;
    __threadfence();
    for (int item = me; item < GROUP * DIM; item += THREADS) {
        long long place = static_cast<long long>(row + item / DIM) * gridDim.x;
        float highest = LOWEST, sum = 0, mix = 0;
        for (int s = 0; s < splits; ++s) highest = fmaxf(highest, tops[place + s]);
        for (int s = 0; s < splits; ++s) {
            float share = exp2f(tops[place + s] - highest);
            sum += share * sums[place + s];
            mix += share * partial[(place + s) * DIM + item % DIM];
        }
        out[row * DIM + item] = mix / sum;
    }
    if (me == 0) done[sequence * heads + head] = 0;
}

// All-reduces that read and write the memory of other GPUs. Every rank launches the same grid, no
// larger than fits the GPU at once, since block b waits for block b of the other ranks.
typedef unsigned long long word_t;

struct Peers {                     // of all ranks, in every rank's hands
    float4 *x[8], *out[8], *room[8];  // inputs, outputs, and where a ring puts what travels
    unsigned* flags[8];            // 8 for each block; flags[r] lies in the memory of rank r
};
struct Group { int rank, ranks; unsigned* calls; int* late; word_t patience; };

__device__ word_t nanoseconds() {
    word_t t;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(t));
    return t;
}

__device__ void tell(unsigned* flag, unsigned number) {  // what was written before is seen first
    asm volatile("st.release.sys.global.u32 [%0], %1;" ::"l"(flag), "r"(number) : "memory");
}

__device__ bool told(unsigned* flag, unsigned number, word_t patience) {
    unsigned seen;
    word_t until = 0;
    for (unsigned tries = 1;; tries++) {
        asm volatile("ld.acquire.sys.global.u32 %0, [%1];" : "=r"(seen) : "l"(flag) : "memory");
        if ((int)(seen - number) >= 0) return true;
        if (tries % 256 == 0) {
            if (until == 0) until = nanoseconds() + patience;
            else if (nanoseconds() > until) return false;
        }
    }
}

// A barrier between block b of all ranks: thread r tells rank r, then waits for rank r.
__device__ bool meet(const Peers& p, const Group& g, unsigned number) {
    __syncthreads();
    bool here = true;
    int r = threadIdx.x;
    if (r < g.ranks) {
        tell(p.flags[r] + 8 * blockIdx.x + g.rank, number);
        here = told(p.flags[g.rank] + 8 * blockIdx.x + r, number, g.patience);
        if (!here) *g.late = 1 + r;
    }
    return __syncthreads_and(here);
}

__device__ float4 operator+(float4 a, float4 b) {
    return make_float4(a.x + b.x, a.y + b.y, a.z + b.z, a.w + b.w);
}

constexpr int BATCH = 4;  // loads in flight a thread: a peer's answer takes a while

// Each rank reads the arrays of all ranks, whole.
extern "C" __global__ void read_all(Peers p, Group g, size_t n) {
    unsigned call = g.calls[blockIdx.x];
    size_t first = blockIdx.x * blockDim.x + threadIdx.x, step = (size_t)gridDim.x * blockDim.x;
    if (!meet(p, g, call + 1)) return;  // all inputs are there
    for (size_t i = first; i < n; i += BATCH * step) {
        float4 sum[BATCH] = {};
        for (int r = 0; r < g.ranks; r++)
#pragma unroll
            for (int k = 0; k < BATCH; k++)
                if (i + k * step < n) sum[k] = sum[k] + p.x[r][i + k * step];
#pragma unroll
        for (int k = 0; k < BATCH; k++)
            if (i + k * step < n) p.out[g.rank][i + k * step] = sum[k];
    }
    if (!meet(p, g, call + 2)) return;  // nobody reads my input any more
    if (threadIdx.x == 0) g.calls[blockIdx.x] = call + 2;
}

// Two shots: rank r adds up part r of all arrays, and writes the sums to everybody.
extern "C" __global__ void two_shot(Peers p, Group g, size_t n) {
    unsigned call = g.calls[blockIdx.x];
    size_t part = (n + g.ranks - 1) / g.ranks, end = min(n, (g.rank + 1) * part);
    size_t first = g.rank * part + blockIdx.x * blockDim.x + threadIdx.x;
    size_t step = (size_t)gridDim.x * blockDim.x;
    if (!meet(p, g, call + 1)) return;
    for (size_t i = first; i < end; i += BATCH * step) {
        float4 sum[BATCH] = {};
        for (int r = 0; r < g.ranks; r++)
#pragma unroll
            for (int k = 0; k < BATCH; k++)
                if (i + k * step < end) sum[k] = sum[k] + p.x[r][i + k * step];
        for (int r = 0; r < g.ranks; r++)
#pragma unroll
            for (int k = 0; k < BATCH; k++)
                if (i + k * step < end) p.out[(g.rank + r) % g.ranks][i + k * step] = sum[k];
    }
    if (!meet(p, g, call + 2)) return;  // all parts have arrived
    if (threadIdx.x == 0) g.calls[blockIdx.x] = call + 2;
}

// A ring: block b has its own stretch of each part, and talks to block b of its neighbors only.
extern "C" __global__ void ring(Peers p, Group g, size_t n) {
    const int right = (g.rank + 1) % g.ranks, steps = 2 * (g.ranks - 1);
    unsigned call = g.calls[blockIdx.x];
    size_t part = (n + g.ranks - 1) / g.ranks, stretch = (part + gridDim.x - 1) / gridDim.x;
    size_t from = min(part, blockIdx.x * stretch), to = min(part, from + stretch);
    if (!meet(p, g, call + 1)) return;  // the neighbors are done with the call before
    __shared__ bool here;
    for (int step = 0; step < steps; step++) {
        const bool gather = step >= g.ranks - 1, finished = step == g.ranks - 1;
        const int q = (g.rank - step + 2 * g.ranks) % g.ranks;  // the part that came last
        float4* put = gather ? p.out[right] + q * part : p.room[right] + step * part;
        const float4* base = gather && !finished ? p.out[g.rank] + q * part : p.x[g.rank] + q * part;
        const float4* more = step == 0 || (gather && !finished)
                                 ? nullptr : p.room[g.rank] + (step - 1) * part;
        const size_t last = min(to, n > q * part ? n - q * part : 0);
        for (size_t i = from + threadIdx.x; i < last; i += BATCH * blockDim.x) {
            float4 value[BATCH] = {}, came[BATCH] = {};
#pragma unroll
            for (int k = 0; k < BATCH; k++)
                if (i + k * blockDim.x < last) {
                    value[k] = base[i + k * blockDim.x];
                    if (more) came[k] = more[i + k * blockDim.x];
                }
#pragma unroll
            for (int k = 0; k < BATCH; k++)
                if (i + k * blockDim.x < last) {
                    value[k] = value[k] + came[k];
                    put[i + k * blockDim.x] = value[k];
                    if (finished) p.out[g.rank][q * part + i + k * blockDim.x] = value[k];
                }
        }
        __syncthreads();
        if (threadIdx.x == 0) {
            tell(p.flags[right] + 8 * blockIdx.x + g.rank, call + 2 + step);
            int left = (g.rank + g.ranks - 1) % g.ranks;
            here = told(p.flags[g.rank] + 8 * blockIdx.x + left, call + 2 + step, g.patience);
            if (!here) *g.late = 1 + left;
        }
        __syncthreads();
        if (!here) return;
    }
    if (threadIdx.x == 0) g.calls[blockIdx.x] = call + 1 + steps;
}

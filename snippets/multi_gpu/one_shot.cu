// One-shot all-reduce: each rank writes its values into a box in every other rank's memory. A value
// and the number of the call travel as one 64-bit word, so that whoever sees the number has the value.
typedef unsigned long long word_t;

struct Boxes { word_t* of[8]; };  // of[r]: where rank r receives, in r's own memory

__device__ void put(word_t* place, float value, unsigned call) {
    word_t word = (word_t)call << 32 | __float_as_uint(value);
    asm volatile("st.relaxed.sys.global.u64 [%0], %1;" ::"l"(place), "l"(word) : "memory");
}

__device__ word_t nanoseconds() {
    word_t t;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(t));
    return t;
}

// Wait for the word of this call. False: it did not come within `patience` nanoseconds.
__device__ bool take(const word_t* place, unsigned call, word_t patience, float& value) {
    word_t word, until = 0;
    for (unsigned tries = 1;; tries++) {
        asm volatile("ld.relaxed.sys.global.u64 %0, [%1];" : "=l"(word) : "l"(place) : "memory");
        if (word >> 32 == call) break;
        if (tries % 1024 == 0) {  // the clock is slow to read
            if (until == 0) until = nanoseconds() + patience;
            else if (nanoseconds() > until) return false;
        }
    }
    value = __uint_as_float((unsigned)word);
    return true;
}

extern "C" __global__ void one_shot(const float* x, float* out, int n, Boxes boxes, int capacity,
                                    int rank, int ranks, unsigned* calls, int* late,
                                    word_t patience) {
    unsigned call = calls[blockIdx.x] + 1;             // this block's count, so that a graph can replay
    size_t half = (size_t)(call & 1) * ranks * capacity;  // two boxes, used in turns
    int first = blockIdx.x * blockDim.x + threadIdx.x, step = gridDim.x * blockDim.x;

    for (int i = first; i < n; i += step)
        for (int other = 1; other < ranks; other++)
            put(boxes.of[(rank + other) % ranks] + half + (size_t)rank * capacity + i, x[i], call);

    for (int i = first; i < n; i += step) {
        float sum = 0, value = 0;
        for (int from = 0; from < ranks; from++) {  // in one order on every rank: the same bits
            if (from == rank) value = x[i];
            else if (!take(boxes.of[rank] + half + (size_t)from * capacity + i, call, patience, value)) {
                *late = 1 + from;
                return;
            }
            sum += value;
        }
        out[i] = sum;
    }
    __syncthreads();
    if (threadIdx.x == 0) calls[blockIdx.x] = call;
}

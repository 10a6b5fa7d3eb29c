// How fast the memories deliver when the whole GPU asks, 16 bytes a thread at a time.

#define GLOBAL extern "C" __global__ void __launch_bounds__(256)

__device__ float sum(float4 v) { return (v.x + v.y) + (v.z + v.w); }

// Read n words of 16 bytes once, four loads in flight in each thread. n is a multiple of four
// times the number of threads.
GLOBAL read_global(const float4* a, long long n, float* out) {
    long long step = (long long)gridDim.x * blockDim.x, at = blockIdx.x * blockDim.x + threadIdx.x;
    float total = 0;
    for (; at < n; at += 4 * step) {
        float4 v0 = __ldcs(a + at), v1 = __ldcs(a + at + step);
        float4 v2 = __ldcs(a + at + 2 * step), v3 = __ldcs(a + at + 3 * step);
        total += (sum(v0) + sum(v1)) + (sum(v2) + sum(v3));
    }
    out[blockIdx.x * blockDim.x + threadIdx.x] = total;
}

GLOBAL write_global(float4* a, long long n, float value) {
    long long step = (long long)gridDim.x * blockDim.x, at = blockIdx.x * blockDim.x + threadIdx.x;
    for (; at < n; at += step) a[at] = make_float4(value, value, value, value);
}

// Copy with words of 4, 8 or 16 bytes, one a thread. `off` moves the reads by so many words.
template <typename T> __device__ void copy(const T* a, T* b, long long n, int off) {
    long long at = (long long)blockIdx.x * blockDim.x + threadIdx.x;
    if (at < n) b[at] = a[at + off];
}
GLOBAL copy_4(const float* a, float* b, long long n, int off) { copy(a, b, n, off); }
GLOBAL copy_8(const float2* a, float2* b, long long n, int off) { copy(a, b, n, off); }
GLOBAL copy_16(const float4* a, float4* b, long long n, int off) { copy(a, b, n, off); }

// Read the same n words again and again, past L1: L2 answers, as long as it holds them.
GLOBAL read_l2(const float4* a, int n, int rounds, float* out) {
    int step = gridDim.x * blockDim.x, first = blockIdx.x * blockDim.x + threadIdx.x;
    float total = 0;
    for (int r = 0; r < rounds; r++) {
#pragma unroll 4
        for (int at = first; at < n; at += step) total += sum(__ldcg(a + at));
    }
    out[first] = total;
}

// Each block reads its own n words again and again: L1 answers.
GLOBAL read_l1(const float4* a, int n, int rounds, float* out) {
    const float4* mine = a + (long long)blockIdx.x * n;
    float4 v = make_float4(0, 0, 0, 0);
    for (int r = 0; r < rounds; r++) {
#pragma unroll 4
        for (int at = threadIdx.x; at < n; at += 256) {
            float4 w;  // volatile: the next round may not keep what this one read
            asm volatile("ld.global.ca.v4.f32 {%0, %1, %2, %3}, [%4];"
                         : "=f"(w.x), "=f"(w.y), "=f"(w.z), "=f"(w.w) : "l"(mine + at));
            v.x += w.x; v.y += w.y; v.z += w.z; v.w += w.w;
        }
    }
    out[blockIdx.x * blockDim.x + threadIdx.x] = sum(v);
}

GLOBAL read_shared(int rounds, float* out) {
    __shared__ float4 words[2048];
    for (int i = threadIdx.x; i < 2048; i += 256) words[i] = make_float4(i, 1, 2, 3);
    __syncthreads();
    unsigned base = (unsigned)__cvta_generic_to_shared(words) + 16 * threadIdx.x;
    float4 v = make_float4(0, 0, 0, 0);
    for (int r = 0; r < rounds; r++) {
#pragma unroll
        for (int k = 0; k < 8; k++) {
            float4 w;
            asm volatile("ld.volatile.shared.v4.f32 {%0, %1, %2, %3}, [%4];"
                         : "=f"(w.x), "=f"(w.y), "=f"(w.z), "=f"(w.w) : "r"(base + 4096 * k));
            v.x += w.x; v.y += w.y; v.z += w.z; v.w += w.w;
        }
    }
    out[blockIdx.x * blockDim.x + threadIdx.x] = sum(v);
}

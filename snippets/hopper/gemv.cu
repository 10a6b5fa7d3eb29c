// y = w x for a layer's weights in float16 or in FP8 (e4m3): what generating one token waits for.
constexpr int ROWS = 4;  // of a warp: four loads in flight, and x is read once for all of them

__device__ float2 two_halves(unsigned bits) {
    float2 two;
    asm("{ .reg .b16 low, high; mov.b32 {low, high}, %2; cvt.f32.f16 %0, low; cvt.f32.f16 %1, high; }"
        : "=f"(two.x), "=f"(two.y)
        : "r"(bits));
    return two;
}

// Two e4m3 numbers become two float16 numbers, with one instruction and without loss.
__device__ unsigned widen(unsigned short pair) {
    unsigned two;
    asm("cvt.rn.f16x2.e4m3x2 %0, %1;" : "=r"(two) : "h"(pair));
    return two;
}

__device__ float dot(float2 w, float2 x, float sum) { return fmaf(w.x, x.x, fmaf(w.y, x.y, sum)); }

// BYTES is the size of a weight. A lane takes 16 bytes of each row at a time.
template <int BYTES>
__device__ void gemv(const uint4* w, const float* scale, const uint4* x, float* y, int rows,
                     int columns) {
    int lane = threadIdx.x % 32, pieces = columns * BYTES / 16;
    int row = ROWS * ((blockIdx.x * blockDim.x + threadIdx.x) / 32);
    if (row >= rows) return;  // the whole warp
    float sums[ROWS] = {};
    for (int i = lane; i < pieces; i += 32) {
        uint4 loaded[ROWS];
#pragma unroll
        for (int r = 0; r < ROWS; ++r)
            loaded[r] = __ldcs(w + 1ll * min(row + r, rows - 1) * pieces + i);
        float2 along[8 / BYTES];  // the 16 / BYTES elements of x that these meet
#pragma unroll
        for (int j = 0; j < 2 / BYTES; ++j) {
            uint4 part = x[2 / BYTES * i + j];
            along[4 * j] = two_halves(part.x), along[4 * j + 1] = two_halves(part.y);
            along[4 * j + 2] = two_halves(part.z), along[4 * j + 3] = two_halves(part.w);
        }
#pragma unroll
        for (int r = 0; r < ROWS; ++r) {
            unsigned four[] = {loaded[r].x, loaded[r].y, loaded[r].z, loaded[r].w};
#pragma unroll
            for (int k = 0; k < 4; ++k)
                if constexpr (BYTES == 2) {
                    sums[r] = dot(two_halves(four[k]), along[k], sums[r]);
                } else {
                    sums[r] = dot(two_halves(widen(four[k] & 0xffff)), along[2 * k], sums[r]);
                    sums[r] = dot(two_halves(widen(four[k] >> 16)), along[2 * k + 1], sums[r]);
                }
        }
    }
#pragma unroll
    for (int r = 0; r < ROWS; ++r) {
        for (int step = 16; step > 0; step /= 2)
            sums[r] += __shfl_xor_sync(0xffffffff, sums[r], step);
        if (lane == 0 && row + r < rows) y[row + r] = sums[r] * scale[row + r];
    }
}

extern "C" __global__ void gemv_half(const uint4* w, const float* scale, const uint4* x, float* y,
                                     int rows, int columns) {
    gemv<2>(w, scale, x, y, rows, columns);
}

extern "C" __global__ void gemv_fp8(const uint4* w, const float* scale, const uint4* x, float* y,
                                    int rows, int columns) {
    gemv<1>(w, scale, x, y, rows, columns);
}

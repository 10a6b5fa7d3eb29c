// The Mandelbrot set three ways: all pixels, squares that launch squares, squares from a list.

// Steps until z leaves the circle of radius 2, at most `most`, which stands for never.
__device__ int escape(int x, int y, float left, float top, float pixel, int most) {
    float re = left + pixel * x, im = top - pixel * y, a = 0, b = 0;
    int n = 0;
    while (n < most && a * a + b * b <= 4) {
        float next = a * a - b * b + re;
        b = 2 * a * b + im;
        a = next;
        ++n;
    }
    return n;
}

extern "C" __global__ void all_pixels(int* out, int side, float left, float top, float pixel,
                                      int most) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < side && y < side) out[y * side + x] = escape(x, y, left, top, pixel, most);
}

// One block looks at the border of a square. Where all of it escapes at the same step, so does the
// inside. Returns false where the square has to be cut, and nothing is written yet.
__device__ bool filled(int* out, int side, float left, float top, float pixel, int most, int x0,
                       int y0, int size) {
    int first = escape(x0, y0, left, top, pixel, most), same = 1, last = size - 1;
    for (int i = threadIdx.x; i < 4 * last && same; i += blockDim.x) {
        int edge = i / last, at = i % last;  // top, right, bottom, left
        int x = edge == 0 ? at : edge == 1 ? last : edge == 2 ? last - at : 0;
        int y = edge == 0 ? 0 : edge == 1 ? at : edge == 2 ? last : last - at;
        same = escape(x0 + x, y0 + y, left, top, pixel, most) == first;
    }
    same = __syncthreads_and(same);
    if (same)
        for (int i = threadIdx.x; i < size * size; i += blockDim.x)
            out[(y0 + i / size) * side + x0 + i % size] = first;
    return same;
}

__device__ void every_pixel(int* out, int side, float left, float top, float pixel, int most,
                            int x0, int y0, int size) {
    for (int i = threadIdx.x; i < size * size; i += blockDim.x) {
        int x = x0 + i % size, y = y0 + i / size;
        out[y * side + x] = escape(x, y, left, top, pixel, most);
    }
}

constexpr int SMALLEST = 32;  // a square of this size is not cut any more

// A block for each square. One that has to be cut launches a grid of four blocks, its quarters.
extern "C" __global__ void squares(int* out, int side, float left, float top, float pixel, int most,
                                   int x0, int y0, int size, int* launches) {
    x0 += blockIdx.x * size, y0 += blockIdx.y * size;
    if (filled(out, side, left, top, pixel, most, x0, y0, size)) return;
    int launched = 0;
    if (size > SMALLEST && threadIdx.x == 0) {
        squares<<<dim3(2, 2), blockDim.x, 0, cudaStreamFireAndForget>>>(
            out, side, left, top, pixel, most, x0, y0, size / 2, launches);
        launched = cudaGetLastError() == cudaSuccess;  // not where too many wait to begin
        atomicAdd(launches + (launched ? 0 : 1), 1);
    }
    if (!__syncthreads_or(launched))
        every_pixel(out, side, left, top, pixel, most, x0, y0, size);
}

// The same without a launch: quarters go to a list, from which the host's next launch takes them.
extern "C" __global__ void listed_squares(int* out, int side, float left, float top, float pixel,
                                          int most, int size, const int2* list, int2* quarters,
                                          int* count) {
    int x0 = list[blockIdx.x].x, y0 = list[blockIdx.x].y, half = size / 2;
    if (filled(out, side, left, top, pixel, most, x0, y0, size)) return;
    if (size == SMALLEST) {
        every_pixel(out, side, left, top, pixel, most, x0, y0, size);
    } else if (threadIdx.x == 0) {
        int at = atomicAdd(count, 4);
        for (int i = 0; i < 4; ++i) quarters[at + i] = make_int2(x0 + i % 2 * half, y0 + i / 2 * half);
    }
}

import cupy

SOURCE = r"""
extern "C" __device__ __noinline__ float sum(float *x, int n) {
    volatile float kept[64];
    kept[n & 63] = x[n & 1023];
    return n ? sum(x, n - 1) + kept[n & 63] : kept[0];
}

extern "C" __global__ void add(float *x, long long n) {
    x[threadIdx.x] = sum(x, n);
}
"""
kernel = cupy.RawKernel(SOURCE, "add")
x = cupy.zeros(1024, dtype=cupy.float32)


def run(n):
    kernel((1,), (32,), (x, n))
    cupy.cuda.Device().synchronize()


def right():
    run(2)


def wrong():
    run(1000000)

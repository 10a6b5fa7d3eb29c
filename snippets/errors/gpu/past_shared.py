import cupy

SOURCE = r"""
extern "C" __global__ void pick(float *x, long long i) {
    __shared__ float tile[1024];
    tile[threadIdx.x] = threadIdx.x;
    __syncthreads();
    x[threadIdx.x] = tile[i];
}
"""
kernel = cupy.RawKernel(SOURCE, "pick")
x = cupy.zeros(1024, dtype=cupy.float32)


def run(i):
    kernel((1,), (32,), (x, i))
    cupy.cuda.Device().synchronize()


def right():
    run(31)


def wrong():
    run(100000)

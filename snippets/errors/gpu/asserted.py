import cupy

SOURCE = r"""
extern "C" __global__ void pick(float *x, long long i) {
    assert(i < 1024);
    x[i] = 1;
}
"""
kernel = cupy.RawKernel(SOURCE, "pick")
x = cupy.zeros(1024, dtype=cupy.float32)


def run(i):
    kernel((1,), (32,), (x, i))
    cupy.cuda.Device().synchronize()


def right():
    run(1023)


def wrong():
    run(1024)

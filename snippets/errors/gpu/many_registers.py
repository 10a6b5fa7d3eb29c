import cupy

mirror = cupy.RawKernel(
    r"""
extern "C" __global__ void mirror(float *x) {
    float v[96];
    for (int i = 0; i < 96; ++i) v[i] = x[i * blockDim.x + threadIdx.x];
    __syncthreads();
    for (int i = 0; i < 96; ++i)
        x[i * blockDim.x + threadIdx.x] = v[95 - i];
}
""",
    "mirror",
)
x = cupy.zeros(96 * 1024, dtype=cupy.float32)


def right():
    mirror((4,), (256,), (x,))


def wrong():
    mirror((1,), (1024,), (x,))  # times 96 registers and more

"""Three steps over an array, as three kernels and as one: y = relu(a * x + b)."""

from numba import cuda, float32, uint32


@cuda.jit
def scale_kernel(x, a, out):
    i = uint32(cuda.grid(1))
    if i < x.size:
        out[i] = x[i] * a


@cuda.jit
def shift_kernel(x, b, out):
    i = uint32(cuda.grid(1))
    if i < x.size:
        out[i] = x[i] + b


@cuda.jit
def relu_kernel(x, out):
    i = uint32(cuda.grid(1))
    if i < x.size:
        out[i] = max(x[i], float32(0))


@cuda.jit
def fused_kernel(x, a, b, out):
    i = uint32(cuda.grid(1))
    if i < x.size:
        out[i] = max(x[i] * a + b, float32(0))

"""A polynomial whose degree is known when the kernel is compiled, the Numba side of the pair."""

# --8<-- [start:imports]
import numpy as np
from numba import cuda

# --8<-- [end:imports]


# --8<-- [start:kernel]
def make_kernel(degree, clamp):
    """Compile a kernel for one degree, with or without the clamp: Numba takes both as constants."""

    @cuda.jit
    def polynomial_kernel(coefficients, x, out):
        i = cuda.grid(1)
        if i >= out.size:
            return
        value = coefficients[degree]
        for back in range(degree):
            value = cuda.fma(value, x[i], coefficients[degree - 1 - back])
        if clamp:
            value = min(max(value, np.float32(0)), np.float32(1))
        out[i] = value

    return polynomial_kernel


# --8<-- [end:kernel]


# --8<-- [start:host]
def polynomial(coefficients, x, clamp=False, threads=256):
    """Return c[0] + c[1] x + c[2] x^2 ... for each element of a float32 array.

    clamp: whether the result is limited to [0, 1].

    --8<-- [start:example]
    >>> coefficients = np.array([1, 0, 2], dtype=np.float32)
    >>> x = np.arange(5, dtype=np.float32) / 4
    >>> polynomial(coefficients, x, threads=4)
    array([1.   , 1.125, 1.5  , 2.125, 3.   ], dtype=float32)
    >>> polynomial(np.array([-0.5, 0, 2], dtype=np.float32), x, clamp=True, threads=4)
    array([0.   , 0.   , 0.   , 0.625, 1.   ], dtype=float32)

    --8<-- [end:example]
    """
    kernel = make_kernel(coefficients.size - 1, clamp)
    out = cuda.device_array_like(x)
    blocks = -(-x.size // threads)
    kernel[blocks, threads](cuda.to_device(coefficients), cuda.to_device(x), out)
    return out.copy_to_host()


# --8<-- [end:host]

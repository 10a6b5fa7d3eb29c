"""PTX by numba-cuda-mlir's own inline_ptx, and 16 bytes at a time without any PTX."""

# --8<-- [start:imports]
import re

import numpy as np
from numba_cuda_mlir import cuda
from numba_cuda_mlir.cuda import experimental
from numba_cuda_mlir.types import float32

# --8<-- [end:imports]


# --8<-- [start:kernel]
@cuda.jit
def sum_fours_kernel(x, out):
    """out[i] is the sum of four float32 that one load brings; L1 keeps no place for them."""
    i = cuda.grid(1)
    if 4 * i < x.size:
        a, b, c, d = experimental.inline_ptx(
            "ld.global.nc.L1::no_allocate.v4.f32 {%0, %1, %2, %3}, [%4];",
            "=f", 0.0, "=f", 0.0, "=f", 0.0, "=f", 0.0,
            "l", x.ctypes.data + 16 * i,
        )  # fmt: skip
        out[i] = (a + b) + (c + d)


# --8<-- [end:kernel]


# --8<-- [start:vector]
@cuda.jit
def copy_fours_kernel(x, out):
    i = cuda.grid(1)
    if 4 * i < x.size:
        four = cuda.vector.load(x, 4 * i, 4, alignment=16)
        cuda.vector.store(out, 4 * i, four, alignment=16)


# --8<-- [end:vector]


# --8<-- [start:host]
def accesses(kernel):
    """Return the loads and stores of global memory in a kernel of two float32 arrays."""
    made, _ = cuda.compile_ptx(kernel.py_func, (float32[::1], float32[::1]))
    return re.findall(r"(?:ld|st)\.global\S*", made)


def sum_fours(x):
    """Return the sums of four neighbors each, for a multiple of four float32.

    --8<-- [start:example]
    >>> sum_fours(np.arange(12))
    array([ 6., 22., 38.], dtype=float32)
    >>> x, out = cuda.to_device(np.arange(8, dtype=np.float32)), cuda.device_array(8, np.float32)
    >>> copy_fours_kernel[1, 2](x, out)
    >>> out.copy_to_host()
    array([0., 1., 2., 3., 4., 5., 6., 7.], dtype=float32)
    >>> accesses(copy_fours_kernel)  # one load and one store, of 16 bytes each
    ['ld.global.v4.f32', 'st.global.v4.f32']

    --8<-- [end:example]
    """
    d_x = cuda.to_device(np.asarray(x, dtype=np.float32))
    d_out = cuda.device_array(d_x.size // 4, np.float32)
    sum_fours_kernel[-(-d_out.size // 128), 128](d_x, d_out)
    return d_out.copy_to_host()


# --8<-- [end:host]

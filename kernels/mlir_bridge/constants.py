"""What the compiler computes: consteval, which knows the types of a kernel's arguments."""

# --8<-- [start:imports]
import re

import numpy as np
from numba_cuda_mlir import cuda
from numba_cuda_mlir.cuda import experimental
from numba_cuda_mlir.types import float32, float64

# --8<-- [end:imports]


# --8<-- [start:kernel]
@cuda.jit
def copy_sixteen_kernel(x, out):
    n = experimental.consteval(128 // x.dtype.bitwidth)  # here x is its type
    i = n * cuda.grid(1)
    if i < x.size:
        cuda.vector.store(out, i, cuda.vector.load(x, i, n, alignment=16), alignment=16)


# --8<-- [end:kernel]


# --8<-- [start:host]
def print_accesses(kernel):
    """Print the loads and stores of global memory in a kernel of two arrays, for two types."""
    for kind in (float32, float64):
        made, _ = cuda.compile_ptx(kernel.py_func, (kind[::1], kind[::1]))
        print(kind, *re.findall(r"(?:ld|st)\.global\S*", made))


def copy_sixteen(x):
    """Return a copy that a GPU made, 16 bytes a thread, of an array of whole 16 bytes.

    --8<-- [start:example]
    >>> copy_sixteen(np.arange(4.0))
    array([0., 1., 2., 3.])
    >>> print_accesses(copy_sixteen_kernel)
    float32 ld.global.v4.f32 st.global.v4.f32
    float64 ld.global.v2.f64 st.global.v2.f64

    --8<-- [end:example]
    """
    d_x, d_out = cuda.to_device(np.ascontiguousarray(x)), cuda.device_array(x.shape, x.dtype)
    copy_sixteen_kernel[-(-x.nbytes // (16 * 128)), 128](d_x, d_out)
    return d_out.copy_to_host()


# --8<-- [end:host]

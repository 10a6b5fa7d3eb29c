import numpy as np
from numba import cuda


@cuda.jit
def number_kernel(out):
    i = cuda.grid(1)
    if i < out.size:
        out[i] = i


numbers = np.zeros(64, dtype=np.int32)
number_kernel[2, 32](numbers)
assert (numbers == np.arange(64)).all()

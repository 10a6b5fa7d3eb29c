import numpy as np
from numba import cuda


@cuda.jit
def double(x, offset):
    x[cuda.grid(1) + offset] *= 2


x = cuda.to_device(np.ones(64, dtype=np.float32))


def right():
    double[1, 32](x, 32)
    cuda.synchronize()


def wrong():
    double[1, 32](x, 2**38)
    cuda.synchronize()

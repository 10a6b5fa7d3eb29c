import numpy as np
from numba import cuda, float32


def square_norm(x, out):
    out[0] = np.dot(x, x)


cuda.compile_ptx(square_norm, (float32[:], float32[:]), cc=(9, 0))

from numba import cuda, float32


def first(x):
    return x[0]


cuda.compile_ptx(first, (float32[:],), cc=(9, 0))

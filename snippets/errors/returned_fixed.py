from numba import cuda, float32


def first(x, out):
    out[0] = x[0]


cuda.compile_ptx(first, (float32[:], float32[:]), cc=(9, 0))

from numba import cuda, float32


def first(x):
    tile = cuda.shared.array(16, float32)
    tile[0] = x[0]
    x[1] = tile[0]


cuda.compile_ptx(first, (float32[:],), cc=(9, 0))

from numba import cuda, float32

LIMIT = 4


def clamp(x):
    i = cuda.grid(1)
    if i < x.size:
        x[i] = min(x[i], LIMT)


cuda.compile_ptx(clamp, (float32[:],), cc=(9, 0))

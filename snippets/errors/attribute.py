from numba import cuda, float32


def scale(x):
    i = cuda.grid(1)
    if i < x.size:
        x[i] *= 2
    cuda.syncthread()


cuda.compile_ptx(scale, (float32[:],), cc=(9, 0))

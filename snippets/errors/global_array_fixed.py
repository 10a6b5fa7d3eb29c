from numba import cuda, float32, int32


def mark(x, counts):
    i = cuda.grid(1)
    if i < x.size:
        counts[int32(x[i])] = 1


cuda.compile_ptx(mark, (float32[:], int32[:]), cc=(9, 0))

from numba import cuda, float32


def transpose(x):
    i, j = cuda.grid(2)
    x[j, i] = x[i, j]


cuda.compile_ptx(transpose, (float32[:, :],), cc=(9, 0))

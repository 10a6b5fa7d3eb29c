from numba import cuda, float32


def reverse(x):
    tile = cuda.shared.array(64, float32)
    i = cuda.threadIdx.x
    tile[i] = x[i]
    cuda.syncthreads()
    x[i] = tile[63 - i]


cuda.compile_ptx(reverse, (float32[:],), cc=(9, 0))

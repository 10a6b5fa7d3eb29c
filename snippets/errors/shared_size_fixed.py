from numba import cuda, float32, int32

N = 64  # a constant of the module, fixed when the kernel is compiled


def reverse(x, n):
    tile = cuda.shared.array(N, float32)
    i = cuda.threadIdx.x
    tile[i] = x[i]
    cuda.syncthreads()
    x[i] = tile[n - 1 - i]


cuda.compile_ptx(
    reverse,
    (
        float32[:],
        int32,
    ),
    cc=(9, 0),
)

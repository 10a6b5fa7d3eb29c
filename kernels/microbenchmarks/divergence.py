"""Divergence: the lanes of a warp take ``ways`` paths, one after the other."""

from numba import cuda, float32, int32

from kernels.microbenchmarks.clock import clock


@cuda.jit
def ways_kernel(ways, steps, cycles, out):
    """Each lane does ``steps`` multiply-adds, whatever ``ways`` is; the warp does them by path."""
    mine = cuda.laneid % ways
    x = float32(cuda.laneid)
    cuda.syncthreads()
    began = clock()
    for way in range(ways):
        if mine == way:
            for _ in range(int32(steps)):
                x = x * float32(0.999) + float32(0.5)
    cuda.syncthreads()
    if cuda.threadIdx.x == 0:
        cycles[cuda.blockIdx.x] = clock() - began
    out[cuda.grid(1)] = x

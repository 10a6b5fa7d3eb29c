from numba import cuda, int32


def tally(counts):
    cuda.atomic.add(counts, 0, 1)


cuda.compile_ptx(tally, (int32[:],), cc=(9, 0))

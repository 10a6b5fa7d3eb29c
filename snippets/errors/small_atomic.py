from numba import cuda, int8


def tally(counts):
    cuda.atomic.add(counts, 0, 1)


cuda.compile_ptx(tally, (int8[:],), cc=(9, 0))

"""Wrong: the second and the third register of a's fragment are swapped."""

import numpy as np
from numba import cuda

from kernels.tensor_cores.one_product import mma


# --8<-- [start:kernel]
@cuda.jit
def swapped_registers_kernel(a, bt, c):
    row, pair = cuda.threadIdx.x // 4, cuda.threadIdx.x % 4
    part_a = (a[row, pair], a[row, pair + 4], a[row + 8, pair], a[row + 8, pair + 4])
    part_b = (bt[row, pair], bt[row, pair + 4])
    zero = np.float32(0)
    total = mma((zero, zero, zero, zero), part_a, part_b)
    c[row, 2 * pair] = total[0]
    c[row, 2 * pair + 1] = total[1]
    c[row + 8, 2 * pair] = total[2]
    c[row + 8, 2 * pair + 1] = total[3]


# --8<-- [end:kernel]

"""What wgmma can do at most: two warpgroups multiply the same tiles, and nothing else."""

import numpy as np
from numba import cuda, uint64

from kernels.tensor_cores.tma import shared_address, show_to_engine
from kernels.tensor_cores.wgmma import (
    describe,
    multiply,
    wgmma_begin,
    wgmma_end,
    wgmma_wait,
    zeros,
)


# --8<-- [start:kernel]
@cuda.jit(launch_bounds=(256, 1))
def wgmma_ceiling_kernel(numbers, out, steps):
    """Two warpgroups multiply 128 x 64 by 64 x 256, over and over: 4,194,304 operations a step."""
    memory = cuda.shared.array(3 * 8192, np.uint16, alignment=1024)  # 48 KB
    for i in range(cuda.threadIdx.x, memory.size, cuda.blockDim.x):
        memory[i] = numbers[i]
    show_to_engine()  # what was written by ordinary stores, wgmma reads by another way
    cuda.syncthreads()
    tile_a = shared_address(memory.ctypes.data)
    a = describe(tile_a + cuda.threadIdx.x // 128 * 8192, 16, 1024)
    b = describe(tile_a + 16384, 8192, 1024)
    total = zeros()
    for _ in range(steps):
        wgmma_begin()
        total = multiply(total, a, b)
        total = multiply(total, a + uint64(2), b + uint64(128))
        total = multiply(total, a + uint64(4), b + uint64(256))
        total = multiply(total, a + uint64(6), b + uint64(384))
        wgmma_end()
        wgmma_wait()
    out[cuda.grid(1)] = total[0]


# --8<-- [end:kernel]

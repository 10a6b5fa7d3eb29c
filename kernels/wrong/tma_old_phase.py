"""Wrong: the second wait asks for a phase that is over, so nobody waits for the second box."""

import numpy as np
from numba import cuda

from kernels.tensor_cores.tma import (
    barrier_expect,
    barrier_init,
    barrier_init_done,
    barrier_wait,
    load_box,
    shared_address,
    use_map,
)


# --8<-- [start:kernel]
@cuda.jit
def old_phase_kernel(map_bytes, boxes, out):
    memory = cuda.shared.array((64, 64), np.uint16, alignment=1024)
    barrier = cuda.shared.array(1, np.uint64)
    at, box = shared_address(barrier.ctypes.data), shared_address(memory.ctypes.data)
    if cuda.threadIdx.x == 0:
        barrier_init(at, 1)
        barrier_init_done()
        use_map(map_bytes.ctypes.data)
    cuda.syncthreads()
    for i in range(boxes):
        if cuda.threadIdx.x == 0:
            barrier_expect(at, 64 * 64 * 2)
            load_box(box, map_bytes.ctypes.data, 0, 64 * i, at)
        barrier_wait(at, 0)  # the phase that ended with the first box
        if cuda.threadIdx.x == 0:
            out[i] = memory[0, 0]
        cuda.syncthreads()
    barrier_wait(at, (boxes - 1) % 2)  # no copy may be in flight when the block ends


# --8<-- [end:kernel]

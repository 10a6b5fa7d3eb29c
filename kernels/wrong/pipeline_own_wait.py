"""Asynchronous copies of which each thread waits for its own, and uses another's."""

import numpy as np
from numba import cuda

from kernels.gemm.pipeline import commit, copy4, make_instruction

# --8<-- [start:kernel]
wait_for_all = make_instruction("cp.async.wait_group 0;")


@cuda.jit
def pipeline_own_wait_kernel(a, out):
    part = cuda.shared.array((1, 256), np.float32)
    tid = cuda.threadIdx.x
    copy4(part, 0, tid, a, tid, 1)
    commit()
    wait_for_all()
    out[tid] = part[0, 255 - tid]  # WRONG: "all" are this thread's copies; this one is another's


# --8<-- [end:kernel]

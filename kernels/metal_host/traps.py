"""Kernels that are right in CUDA and fall into a trap in Metal, and what to write instead."""

# --8<-- [start:imports]
import numpy as np
from numba import cuda

# --8<-- [end:imports]


# --8<-- [start:wait-falls]
@cuda.jit
def wait_kernel(x, total, ready):
    """Divide by a sum that block 0 makes, which all other blocks wait for."""
    if cuda.blockIdx.x == 0 and cuda.threadIdx.x == 0:
        for i in range(x.size):
            total[0] += x[i]
        cuda.threadfence()
        cuda.atomic.add(ready, 0, 1)
    while cuda.atomic.add(ready, 0, 0) == 0:  # and if block 0 never gets a place?
        pass
    i = cuda.grid(1)
    if i < x.size:
        x[i] /= total[0]


# --8<-- [end:wait-falls]


# --8<-- [start:mask-falls]
@cuda.jit
def half_warp_kernel(x, out):
    """Sum 16 values, by a mask of 16 lanes."""
    lane = cuda.laneid
    if lane < 16:
        value = x[lane]
        for step in (8, 4, 2, 1):
            value += cuda.shfl_down_sync(0xFFFF, value, step)
        if lane == 0:
            out[0] = value


# --8<-- [end:mask-falls]


# --8<-- [start:mask-stands]
@cuda.jit
def whole_warp_kernel(x, out):
    """Sum 16 values, by all lanes: those without a value bring a zero."""
    lane = cuda.laneid
    value = np.float32(0)
    if lane < 16:
        value = x[lane]
    for step in (8, 4, 2, 1):
        value += cuda.shfl_down_sync(0xFFFFFFFF, value, step)
    if lane == 0:
        out[0] = value


# --8<-- [end:mask-stands]


# --8<-- [start:delta-falls]
@cuda.jit
def reverse_by_distance_kernel(x, out):
    """Reverse 32 values. How far a value travels differs from lane to lane."""
    lane = cuda.laneid
    value = x[lane]
    down = cuda.shfl_down_sync(0xFFFFFFFF, value, max(31 - 2 * lane, 0))
    up = cuda.shfl_up_sync(0xFFFFFFFF, value, max(2 * lane - 31, 0))
    out[lane] = down if lane < 16 else up


# --8<-- [end:delta-falls]


# --8<-- [start:delta-stands]
@cuda.jit
def reverse_by_lane_kernel(x, out):
    """Reverse 32 values. Each lane names the lane that it reads."""
    lane = cuda.laneid
    out[lane] = cuda.shfl_sync(0xFFFFFFFF, x[lane], 31 - lane)


# --8<-- [end:delta-stands]


# --8<-- [start:atomic-falls]
@cuda.jit
def largest_kernel(x, best):
    i = cuda.grid(1)
    if i < x.size:
        cuda.atomic.max(best, 0, x[i])  # of floats


# --8<-- [end:atomic-falls]


# --8<-- [start:run]
def run(kernel, values, size):
    """Return what a kernel leaves in ``size`` floats. One warp works on ``values``."""
    out = cuda.to_device(np.zeros(size, dtype=np.float32))
    kernel[1, 32](cuda.to_device(np.asarray(values, dtype=np.float32)), out)
    return out.copy_to_host()


# --8<-- [end:run]

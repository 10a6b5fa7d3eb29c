"""Softmax of each row, a block for a row: with three passes over it, and online with two."""

import math

from numba import cuda, float32, uint32

THREADS = 256
WARPS = THREADS // 32
MASK = 0xFFFFFFFF


@cuda.jit(device=True)
def block_max(value, box):
    for hop in (16, 8, 4, 2, 1):
        value = max(value, cuda.shfl_xor_sync(MASK, value, hop))
    cuda.syncthreads()
    box[cuda.threadIdx.x // 32] = value
    cuda.syncthreads()
    for k in range(WARPS):
        value = max(value, box[k])
    return value


@cuda.jit(device=True)
def block_sum(value, box):
    for hop in (16, 8, 4, 2, 1):
        value += cuda.shfl_xor_sync(MASK, value, hop)
    cuda.syncthreads()
    box[cuda.threadIdx.x // 32] = value
    cuda.syncthreads()
    total = float32(0)
    for k in range(WARPS):
        total += box[k]
    return total


@cuda.jit(fastmath=True)
def three_pass_kernel(a, out):
    """Read the row for its largest value, again for the sum, and again to write."""
    box = cuda.shared.array(WARPS, float32)
    row, columns = uint32(cuda.blockIdx.x), uint32(a.shape[1])
    most = float32(-3.0e38)
    for k in range(cuda.threadIdx.x, columns, THREADS):
        most = max(most, a[row, uint32(k)])
    most = block_max(most, box)
    total = float32(0)
    for k in range(cuda.threadIdx.x, columns, THREADS):
        total += math.exp(a[row, uint32(k)] - most)
    total = block_sum(total, box)
    for k in range(cuda.threadIdx.x, columns, THREADS):
        out[row, uint32(k)] = math.exp(a[row, uint32(k)] - most) / total


@cuda.jit(fastmath=True)
def online_kernel(a, out):
    """Keep the largest value so far and the sum relative to it: one pass for both."""
    box = cuda.shared.array(WARPS, float32)
    row, columns = uint32(cuda.blockIdx.x), uint32(a.shape[1])
    most, total = float32(-3.0e38), float32(0)
    for k in range(cuda.threadIdx.x, columns, THREADS):
        value = a[row, uint32(k)]
        if value > most:
            total *= math.exp(most - value)  # what was summed so far was relative to the old one
            most = value
        total += math.exp(value - most)
    whole = block_max(most, box)
    total = block_sum(total * math.exp(most - whole), box)
    for k in range(cuda.threadIdx.x, columns, THREADS):
        out[row, uint32(k)] = math.exp(a[row, uint32(k)] - whole) / total

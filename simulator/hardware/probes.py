"""Small kernels that ask for what the site's kernels avoid: bank conflicts, warp operations."""

import numpy as np
from numba import cuda


@cuda.jit
def shared_stride_kernel(x, stride, out):
    """Lane i reads word i * stride of shared memory: gcd(stride, 32) lanes share a bank."""
    words = cuda.shared.array(1024, np.float32)
    t = cuda.threadIdx.x
    for k in range(t, 1024, cuda.blockDim.x):
        words[k] = x[k]
    cuda.syncthreads()
    out[t] = words[(t * stride) % 1024]


@cuda.jit
def shared_scatter_kernel(x, stride, out):
    """The same for stores."""
    words = cuda.shared.array(1024, np.float32)
    t = cuda.threadIdx.x
    words[(t * stride) % 1024] = x[t]
    cuda.syncthreads()
    out[t] = words[(t * stride) % 1024]


@cuda.jit
def shared_double_kernel(x, stride, out):
    """Words of 8 bytes: a warp's request goes in two halves."""
    words = cuda.shared.array(1024, np.float64)
    t = cuda.threadIdx.x
    for k in range(t, 1024, cuda.blockDim.x):
        words[k] = x[k]
    cuda.syncthreads()
    out[t] = words[(t * stride) % 1024]


TILE = 32


@cuda.jit
def transpose_unpadded_kernel(a, out):
    """A transpose through a tile whose columns lie in one bank each: the conflict to avoid."""
    tile = cuda.shared.array((TILE, TILE), np.float32)
    x, y = cuda.threadIdx.x, cuda.threadIdx.y
    left = cuda.blockIdx.x * TILE
    top = cuda.blockIdx.y * TILE
    tile[y, x] = a[top + y, left + x]
    cuda.syncthreads()
    out[left + y, top + x] = tile[x, y]


@cuda.jit
def bytes_kernel(x, out):
    """One byte a lane: a warp's 32 bytes are one sector."""
    i = cuda.grid(1)
    if i < out.size:
        out[i] = x[i]


@cuda.jit
def doubles_kernel(x, out):
    """Eight bytes a lane: a warp's 256 bytes are eight sectors."""
    i = cuda.grid(1)
    if i < out.size:
        out[i] = x[i]


@cuda.jit
def shuffle_sum_kernel(x, out):
    """A warp's sum by shuffles, without shared memory."""
    i = cuda.grid(1)
    value = x[i]
    offset = 16
    while offset > 0:
        value += cuda.shfl_down_sync(0xFFFFFFFF, value, offset)
        offset //= 2
    if cuda.laneid == 0:
        out[i // 32] = value


@cuda.jit
def votes_kernel(x, out):
    """Ballot, any, all and match over whole warps."""
    i = cuda.grid(1)
    full = 0xFFFFFFFF
    out[0, i] = cuda.ballot_sync(full, x[i] > 3)
    out[1, i] = cuda.any_sync(full, x[i] > 8)
    out[2, i] = cuda.all_sync(full, x[i] < 9)
    out[3, i] = cuda.match_any_sync(full, x[i])
    out[4, i] = cuda.popc(cuda.ballot_sync(full, x[i] > 3) & ((1 << cuda.laneid) - 1))


@cuda.jit
def exchange_kernel(x, out):
    """The four shuffles."""
    i = cuda.grid(1)
    full = 0xFFFFFFFF
    out[0, i] = cuda.shfl_sync(full, x[i], 5)
    out[1, i] = cuda.shfl_up_sync(full, x[i], 3)
    out[2, i] = cuda.shfl_down_sync(full, x[i], 3)
    out[3, i] = cuda.shfl_xor_sync(full, x[i], 9)


@cuda.jit
def collatz_kernel(x, steps):
    """A loop that each lane leaves at a time of its own: no compiler can predicate it away."""
    i = cuda.grid(1)
    if i < x.size:
        n, count = x[i], 0
        while n > 1:
            n = n // 2 if n % 2 == 0 else 3 * n + 1
            count += 1
        steps[i] = count

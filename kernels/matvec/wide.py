"""Matrix times vector at the rate of a read: 16 bytes a lane, several rows at once, any shape."""

# --8<-- [start:imports]
import functools

import numpy as np
from numba import cuda, float32, uint32, uint64

# --8<-- [end:imports]
from kernels.patterns.wide import load4


# --8<-- [start:kernel]
@functools.cache
def make_matvec(lanes, rows, wide=True):
    """Return a kernel in which ``lanes`` lanes share ``rows`` rows of a flat float32 matrix.

    Row p of the grid's blocks takes the columns from p * share on, and writes out[p]. ``wide``
    reads 16 bytes at a time; without it, rows need not begin at multiples of 16 bytes.
    """
    each = 4 if wide else 1
    step, half = each * lanes, lanes // 2

    @cuda.jit
    def matvec_kernel(a, x, m, n, share, out):
        group, lane = uint32(cuda.grid(1) // lanes), uint32(cuda.threadIdx.x % lanes)
        first = uint32(group * rows)
        begin = uint32(cuda.blockIdx.y * share)
        end = min(uint32(begin + share), uint32(n))
        starts = cuda.local.array(rows, uint64)
        totals = cuda.local.array(rows, float32)
        for r in range(rows):  # past the end: the last row again, which is not written
            starts[r] = uint64(min(uint32(first + r), uint32(m - 1))) * uint64(n)
            totals[r] = float32(0)
        for column in range(begin + each * lane, end, step):
            at = uint64(column)
            if wide:
                x0, x1, x2, x3 = load4(x, at)
                for r in range(rows):
                    a0, a1, a2, a3 = load4(a, starts[r] + at)
                    totals[r] += a0 * x0 + a1 * x1 + a2 * x2 + a3 * x3
            else:
                for r in range(rows):
                    totals[r] += a[starts[r] + at] * x[at]
        for r in range(rows):
            total, hop = totals[r], half
            while hop > 0:
                total += cuda.shfl_xor_sync(0xFFFFFFFF, total, hop)
                hop //= 2
            if lane == 0 and first + r < m:
                out[cuda.blockIdx.y, first + r] = total

    return matvec_kernel


# --8<-- [end:kernel]


# --8<-- [start:parts]
@cuda.jit
def add_parts_kernel(parts, out):
    """out[i] = the sum of parts[:, i]."""
    i = cuda.grid(1)
    if i < out.size:
        total = float32(0)
        for p in range(parts.shape[0]):
            total += parts[p, i]
        out[i] = total


# --8<-- [end:parts]


# --8<-- [start:plan]
THREADS = 128
WARPS = 132 * 64  # as many as an H200 holds at once


def plan(m, n):
    """Return for m x n: the lanes of a row, rows of a group, parts, and the columns of a part."""
    lanes = 32
    while lanes > 1 and 4 * lanes >= 2 * n:  # short rows: several in a warp
        lanes //= 2
    rows = 4 if 16 < n < 1024 else 2 if n <= 16 else 1  # and several for each group
    warps = -(-m * lanes // (32 * rows))
    parts = 1
    if warps < WARPS // 4:  # few rows: cut them
        parts = max(1, min(WARPS // warps, n // (32 * lanes), 65535))
    share = 4 * -(-n // (4 * parts))
    return lanes, rows, -(-n // share), share


def matvec_launch(a, x, m, n, parts, y):
    """Launch y = a @ x on flat device arrays; ``parts`` holds plan(m, n)[2] x m float32."""
    lanes, rows, count, share = plan(m, n)
    kernel = make_matvec(lanes, rows, n % 4 == 0)
    blocks = -(-m * lanes // (rows * THREADS)), count
    kernel[blocks, THREADS](a, x, np.uint32(m), np.uint32(n), np.uint32(share), parts)
    if count > 1:
        add_parts_kernel[-(-m // THREADS), THREADS](parts, y)


# --8<-- [end:plan]


# --8<-- [start:host]
def matvec(a, x):
    """Return a @ x for a float32 matrix and vector.

    --8<-- [start:example]
    >>> random = np.random.default_rng(1)
    >>> for shape in (1000, 3), (7, 5000), (1, 100_001), (300, 512):
    ...     a = random.standard_normal(shape, dtype=np.float32)
    ...     x = random.standard_normal(shape[1], dtype=np.float32)
    ...     print(plan(*shape), np.allclose(matvec(a, x), a @ x, atol=1e-3))
    (1, 2, 1, 4) True
    (32, 1, 4, 1252) True
    (32, 1, 97, 1032) True
    (32, 4, 1, 512) True

    --8<-- [end:example]
    """
    m, n = a.shape
    count = plan(m, n)[2]
    y = cuda.device_array(m, np.float32)
    parts = cuda.device_array((count, m), np.float32) if count > 1 else y.reshape(1, m)
    flat = np.ascontiguousarray(a, dtype=np.float32).reshape(-1)
    matvec_launch(cuda.to_device(flat), cuda.to_device(x), m, n, parts, y)
    return y.copy_to_host()


# --8<-- [end:host]

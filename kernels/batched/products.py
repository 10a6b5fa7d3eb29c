"""Small matrix products, a warp for one or more: a lane for a column, the left matrix broadcast."""

# --8<-- [start:imports]
import functools

import numpy as np
from numba import cuda, float32, uint32, uint64

# --8<-- [end:imports]
from kernels.patterns.wide import load4

# --8<-- [start:kernel]
WARPS = 4  # of a block


@functools.cache
def make_products(n):
    """Return (kernel, products of a block) for out[p] = a[p] @ b[p], n x n float32, n up to 32.

    The arrays are flat. The lanes of a warp form groups of 1, 2, 4, ... or 32, at least n each,
    and a group has a product. A lane holds a column of b, and reads a's rows from shared memory.
    """
    lanes = 1 << (n - 1).bit_length()
    each = 32 // lanes  # products of a warp
    wide = -(-n // 4) * 4  # length of a row in shared memory: whole groups of four
    size = WARPS * each * wide * wide

    @cuda.jit
    def products_kernel(a, b, count, out):
        tile = cuda.shared.array(size, float32, alignment=16)
        column = cuda.local.array(wide, float32)
        totals = cuda.local.array(4, float32)
        lane = uint32(cuda.threadIdx.x)
        first = uint64(cuda.blockIdx.x * WARPS + cuda.threadIdx.y) * uint64(each)
        mine, j = uint32(lane // lanes), uint32(lane % lanes)
        base = uint32(cuda.threadIdx.y * each * wide * wide)
        here = min(uint64(each), uint64(count) - first) if first < count else uint64(0)
        for at in range(lane, each * wide * wide, 32):  # the warp's matrices lie side by side
            k, line = uint32(at) % uint32(wide), uint32(at) // uint32(wide)
            i, p = uint32(line % uint32(wide)), uint32(line // uint32(wide))
            value = float32(0)
            if p < here and i < n and k < n:
                value = a[(first + uint64(p)) * uint64(n * n) + uint64(i * n + k)]
            tile[base + at] = value
        start = (first + uint64(mine)) * uint64(n * n) + uint64(j)
        mine_here = mine < here and j < n
        for k in range(wide):
            column[k] = b[start + uint64(k * n)] if mine_here and k < n else float32(0)
        cuda.syncwarp()
        row_of_a = uint32(base + mine * wide * wide)
        for i in range(0, n, 4):
            for r in range(4):
                totals[r] = float32(0)
            for k in range(0, wide, 4):
                for r in range(4):  # all lanes of a group read the same 16 bytes
                    at = uint64(row_of_a + (i + r) * wide + k)
                    a0, a1, a2, a3 = load4(tile, at)
                    totals[r] += a0 * column[k] + a1 * column[k + 1]
                    totals[r] += a2 * column[k + 2] + a3 * column[k + 3]
            for r in range(4):
                if mine_here and i + r < n:
                    out[start + uint64((i + r) * n)] = totals[r]

    return products_kernel, WARPS * each


# --8<-- [end:kernel]


# --8<-- [start:host]
def products(a, b):
    """Return a[p] @ b[p] for all p, float32 of shape (count, n, n), n up to 32.

    --8<-- [start:example]
    >>> random = np.random.default_rng(5)
    >>> a, b = random.standard_normal((2, 11, 6, 6)).astype(np.float32)
    >>> np.allclose(products(a, b), a @ b, atol=1e-5)
    True

    --8<-- [end:example]
    """
    count, n = a.shape[:2]
    if n > 32:
        raise ValueError(f"{n} x {n}: at most 32 x 32, a lane for a column")
    kernel, each = make_products(n)
    out = cuda.device_array(a.size, np.float32)
    flat = [cuda.to_device(np.ascontiguousarray(m, dtype=np.float32).reshape(-1)) for m in (a, b)]
    kernel[-(-count // each), (32, WARPS)](*flat, np.uint64(count), out)
    return out.copy_to_host().reshape(a.shape)


# --8<-- [end:host]

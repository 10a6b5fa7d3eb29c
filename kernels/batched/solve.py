"""Small systems of equations, a warp for one or more: a lane for a row, all of it in registers."""

# --8<-- [start:imports]
import functools

import numpy as np
from numba import cuda, float32, int32, uint32, uint64

# --8<-- [end:imports]


# --8<-- [start:step]
ALL = 0xFFFFFFFF


def make_steps(n, lanes, k=0):
    """Return a device function that eliminates unknown k and those behind it.

    Each step is a function of its own, which calls the next: k is a constant in it, and so are the
    places in ``row``, which can then be registers.
    """
    if k == n:

        @cuda.jit(device=True, forceinline=True)
        def no_step(row, right, lane, base, unknown, pivot):
            return right, unknown, pivot

        return no_step
    behind = make_steps(n, lanes, k + 1)
    first_hop = lanes // 2

    @cuda.jit(device=True, forceinline=True)
    def step_from_here(row, right, lane, base, unknown, pivot):
        # The pivot: of the rows that have none yet, the one with the largest number in column k.
        size, where = float32(-1), lane
        if unknown < 0:
            size = abs(row[k])
        hop = first_hop
        while hop > 0:
            other = cuda.shfl_xor_sync(ALL, size, hop)
            its = cuda.shfl_xor_sync(ALL, where, hop)
            if other > size or (other == size and its < where):
                size, where = other, its
            hop //= 2
        source = base + where
        largest = cuda.shfl_sync(ALL, row[k], source)
        factor = float32(row[k] / largest)
        if lane == where:  # this row stays as it is, and belongs to unknown k from now on
            unknown, pivot, factor = int32(k), largest, float32(0)
        right -= factor * cuda.shfl_sync(ALL, right, source)
        for j in range(k + 1, n):
            row[j] -= factor * cuda.shfl_sync(ALL, row[j], source)
        return behind(row, right, lane, base, unknown, pivot)

    return step_from_here


# --8<-- [end:step]


# --8<-- [start:kernel]
WARPS = 4  # of a block


@functools.cache
def make_solve(n):
    """Return (kernel, systems of a block) for a[p] @ x[p] = b[p], n x n float32, n up to 32."""
    lanes = 1 << (n - 1).bit_length()
    each = 32 // lanes  # systems of a warp
    pitch = n + 1 - n % 2  # odd: lanes that read their rows find different banks
    size = each * n * pitch
    steps = make_steps(n, lanes)

    @cuda.jit
    def solve_kernel(a, b, count, x):
        tile = cuda.shared.array((WARPS, size), float32)
        row = cuda.local.array(n, float32)
        thread, warp = uint32(cuda.threadIdx.x), cuda.threadIdx.y
        first = uint64(cuda.blockIdx.x * WARPS + warp) * uint64(each)
        here = min(uint64(each), uint64(count) - first) if first < count else uint64(0)
        for at in range(thread, each * n * n, 32):  # the warp's systems lie side by side
            line = uint32(at) // uint32(n)
            if line < here * uint64(n):
                place = first * uint64(n * n) + uint64(at)
                tile[warp, line * pitch + uint32(at) % uint32(n)] = a[place]
        cuda.syncwarp()
        mine, lane = uint32(thread // lanes), int32(thread % lanes)
        solved = mine < here and lane < n
        start = (first + mine) * uint64(n)
        right = float32(0)
        for j in range(n):
            row[j] = tile[warp, (mine * n + lane) * pitch + j] if solved else float32(0)
        if solved:
            right = b[start + uint64(lane)]
        # Lanes without a row have a pivot already, as it were: nobody chooses them.
        unknown = int32(-1) if solved else int32(n)
        base, one = int32(mine * lanes), float32(1)
        right, unknown, pivot = steps(row, right, lane, base, unknown, one)
        if solved:
            x[start + uint64(unknown)] = right / pivot

    return solve_kernel, WARPS * each


# --8<-- [end:kernel]


# --8<-- [start:host]
def solve(a, b):
    """Return x with a[p] @ x[p] = b[p], float32: a is (count, n, n), b (count, n), n up to 32.

    --8<-- [start:example]
    >>> random = np.random.default_rng(6)
    >>> a, b = random.standard_normal((7, 5, 5)), random.standard_normal((7, 5))
    >>> x = solve(a, b)
    >>> np.allclose(x, np.linalg.solve(a, b[..., None])[..., 0], rtol=1e-3, atol=1e-3)
    True
    >>> swap = np.array([[[0, 1], [1, 0]]])  # a zero where the first pivot would be
    >>> solve(swap, np.array([[3, 4]]))
    array([[4., 3.]], dtype=float32)

    --8<-- [end:example]
    """
    count, n = b.shape
    if n > 32:
        raise ValueError(f"{n} unknowns: at most 32, a lane for a row")
    kernel, each = make_solve(n)
    x = cuda.device_array(count * n, np.float32)
    flat = [cuda.to_device(np.ascontiguousarray(m, dtype=np.float32).reshape(-1)) for m in (a, b)]
    kernel[-(-count // each), (32, WARPS)](*flat, np.uint64(count), x)
    return x.copy_to_host().reshape(b.shape)


# --8<-- [end:host]

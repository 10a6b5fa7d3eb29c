"""Inclusive scan in one pass: each tile looks back at what the tiles before it have published."""

import numpy as np
from numba import cuda

from kernels.elementwise.vectors import load4, store4
from kernels.scan.block import warp_scan
from kernels.scan.relaxed import load_relaxed

# --8<-- [start:look_back]
SUM, PREFIX = 1, 2  # what a tile has published: its own sum, or that of all up to it


@cuda.jit(device=True)
def publish(state, t, kind, value):
    """Write what it is and how much as one word of 64 bits, so that nobody sees half of it."""
    cuda.atomic.exch(state, 1 + t, kind << 32 | np.int64(np.uint32(value)))


@cuda.jit(device=True)
def look_back(state, t):
    """Return the sum of all tiles before tile t, which is not the first. For a whole warp."""
    before = np.int32(0)
    at = np.int32(t - 1 - cuda.threadIdx.x % 32)  # lane 0 looks at the nearest tile
    while True:
        word = PREFIX << 32  # before the first tile: nothing
        if at >= 0:
            word = load_relaxed(state, 1 + at)
            while word >> 32 == 0:  # not published yet
                word = load_relaxed(state, 1 + at)
        cuda.syncwarp()
        prefixes = cuda.ballot_sync(0xFFFFFFFF, word >> 32 == PREFIX)
        value = np.int32(word)
        if prefixes and prefixes & ((1 << cuda.threadIdx.x % 32) - 1):
            value = np.int32(0)  # a nearer tile has counted this one already
        for step in (16, 8, 4, 2, 1):
            value = np.int32(value + cuda.shfl_xor_sync(0xFFFFFFFF, value, step))
        before = np.int32(before + value)
        if prefixes:
            return before
        at -= np.int32(32)


# --8<-- [end:look_back]


# --8<-- [start:kernel]
def make_scan(threads=256, rows=8):
    """Return a kernel (x, out, state) for the running sums of an int32 array.

    A warp has ``rows`` rows of 128 elements. ``state``: int64, a ticket and a word for each tile,
    all 0 before the launch.
    """
    tile, warps = rows * 4 * threads, threads // 32

    @cuda.jit(launch_bounds=threads)
    def scan_kernel(x, out, state):
        held = cuda.local.array((rows, 4), np.int32)
        totals = cuda.shared.array(32, np.int32)
        shared = cuda.shared.array(2, np.int32)  # this block's tile, and the sum before it
        tid = cuda.threadIdx.x
        lane, warp = tid % 32, tid // 32
        if tid == 0:
            shared[0] = cuda.atomic.add(state, 0, 1)  # tiles begin in the order of tickets
        cuda.syncthreads()
        t = shared[0]
        here = np.int64(t) * tile + warp * (rows * 128) + 4 * lane
        whole = np.int64(t) * tile + tile <= x.size
        if whole:
            for k in range(rows):
                held[k, 0], held[k, 1], held[k, 2], held[k, 3] = load4(x, here + 128 * k)
        else:
            for k in range(rows):
                for j in range(4):
                    i = here + 128 * k + j
                    held[k, j] = x[i] if i < x.size else np.int32(0)

        carry = np.int32(0)  # of the rows above, in this warp
        for k in range(rows):
            for j in range(1, 4):
                held[k, j] += held[k, j - 1]
            running = warp_scan(held[k, 3])
            shift = np.int32(running - held[k, 3] + carry)
            for j in range(4):
                held[k, j] += shift
            carry = np.int32(carry + cuda.shfl_sync(0xFFFFFFFF, running, 31))
        if lane == 0:
            totals[warp] = carry
        cuda.syncthreads()
        total = totals[lane] if lane < warps else np.int32(0)
        running = warp_scan(total)
        before = cuda.shfl_sync(0xFFFFFFFF, np.int32(running - total), warp)
        if warp == 0:
            total = cuda.shfl_sync(0xFFFFFFFF, running, 31)
            earlier = np.int32(0)
            if lane == 0:
                publish(state, t, SUM if t > 0 else PREFIX, total)
            if t > 0:
                earlier = look_back(state, t)
                if lane == 0:
                    publish(state, t, PREFIX, earlier + total)
            if lane == 0:
                shared[1] = earlier
        cuda.syncthreads()
        shift = np.int32(before + shared[1])
        for k in range(rows):
            for j in range(4):
                held[k, j] += shift
        if whole:
            for k in range(rows):
                four = held[k, 0], held[k, 1], held[k, 2], held[k, 3]
                store4(out, here + 128 * k, four)
        else:
            for k in range(rows):
                for j in range(4):
                    i = here + 128 * k + j
                    if i < x.size:
                        out[i] = held[k, j]

    return scan_kernel


# --8<-- [end:kernel]


# --8<-- [start:host]
def scan_one_pass(x, threads=256, rows=8):
    """Return the running sums of an int32 array; they wrap as NumPy's do in int32.

    --8<-- [start:example]
    >>> scan_one_pass(np.array([3, 1, 4, 1, 5, 9, 2, 6], dtype=np.int32))
    array([ 3,  4,  8,  9, 14, 23, 25, 31], dtype=int32)
    >>> ones = np.ones(100_003, dtype=np.int32)
    >>> bool((scan_one_pass(ones) == np.arange(1, 100_004)).all())
    True

    --8<-- [end:example]
    """
    tiles = -(-x.size // (rows * 4 * threads))
    out = cuda.device_array(x.size, np.int32)
    state = cuda.to_device(np.zeros(1 + tiles, dtype=np.int64))
    if tiles:
        make_scan(threads, rows)[tiles, threads](cuda.to_device(x), out, state)
    return out.copy_to_host()


# --8<-- [end:host]

"""Stream compaction in one pass: keep what passes a test, in order, and say how many."""

import numpy as np
from numba import cuda

from kernels.elementwise.vectors import load4
from kernels.scan.block import warp_scan
from kernels.scan.look_back import PREFIX, SUM, look_back, publish


# --8<-- [start:kernel]
def make_compact(keep, dtype, threads=128, rows=8):
    """Return a kernel (x, out, state, kept): the elements with keep(x[i]) in order, and how many.

    ``out``: as long as x. ``state``: int64, a ticket and a word for each tile, all 0 before the
    launch. ``kept``: one int64.
    """
    tile, warps = rows * 4 * threads, threads // 32

    @cuda.jit(launch_bounds=threads)
    def compact_kernel(x, out, state, kept):
        held = cuda.local.array((rows, 4), dtype)
        place = cuda.local.array(rows, np.int32)
        stage = cuda.shared.array(tile, dtype)
        totals = cuda.shared.array(32, np.int32)
        shared = cuda.shared.array(2, np.int32)
        tid = cuda.threadIdx.x
        lane, warp = tid % 32, tid // 32
        if tid == 0:
            shared[0] = cuda.atomic.add(state, 0, 1)
        cuda.syncthreads()
        t = shared[0]
        here = np.int64(t) * tile + warp * (rows * 128) + 4 * lane
        inside = np.int32(min(x.size - here, tile))  # elements from here on
        if np.int64(t) * tile + tile <= x.size:
            for k in range(rows):
                held[k, 0], held[k, 1], held[k, 2], held[k, 3] = load4(x, here + 128 * k)
        else:
            for k in range(rows):
                for j in range(4):
                    if 128 * k + j < inside:
                        held[k, j] = x[here + 128 * k + j]

        carry = np.int32(0)
        for k in range(rows):
            count = np.int32(0)
            for j in range(4):
                if keep(held[k, j]) and 128 * k + j < inside:
                    count += np.int32(1)
            running = warp_scan(count)
            place[k] = np.int32(running - count + carry)
            carry = np.int32(carry + cuda.shfl_sync(0xFFFFFFFF, running, 31))
        if lane == 0:
            totals[warp] = carry
        cuda.syncthreads()
        total = totals[lane] if lane < warps else np.int32(0)
        running = warp_scan(total)
        before = cuda.shfl_sync(0xFFFFFFFF, np.int32(running - total), warp)
        total = cuda.shfl_sync(0xFFFFFFFF, running, 31)
        if tid == 0:
            publish(state, t, SUM if t > 0 else PREFIX, total)
        for k in range(rows):
            at = np.uint32(before + place[k])
            for j in range(4):
                if keep(held[k, j]) and 128 * k + j < inside:
                    stage[at] = held[k, j]
                    at = np.uint32(at + 1)
        if warp == 0:
            earlier = np.int32(0)
            if t > 0:
                earlier = look_back(state, t)
                if lane == 0:
                    publish(state, t, PREFIX, earlier + total)
            if lane == 0:
                shared[1] = earlier
        cuda.syncthreads()
        for i in range(tid, total, threads):  # neighbors write neighbors
            out[np.uint32(shared[1] + i)] = stage[np.uint32(i)]
        if tid == 0 and t == cuda.gridDim.x - 1:
            kept[0] = shared[1] + total

    return compact_kernel


# --8<-- [end:kernel]


# --8<-- [start:host]
@cuda.jit(device=True)
def positive(value):
    return value > 0


def compact(x, keep=positive, threads=128, rows=8):
    """Return the elements of an array of fewer than 2^31 that pass a test, in order.

    --8<-- [start:example]
    >>> compact(np.array([3, -1, 4, -1, -5, 9, 2, -6], dtype=np.float32))
    array([3., 4., 9., 2.], dtype=float32)

    --8<-- [end:example]
    """
    tiles = -(-x.size // (rows * 4 * threads))
    out = cuda.device_array(x.size, x.dtype)
    state = cuda.to_device(np.zeros(1 + tiles, dtype=np.int64))
    kept = cuda.to_device(np.zeros(1, dtype=np.int64))
    if tiles:
        kernel = make_compact(keep, x.dtype, threads, rows)
        kernel[tiles, threads](cuda.to_device(x), out, state, kept)
    return out.copy_to_host()[: kept.copy_to_host()[0]]


# --8<-- [end:host]

"""A pass of the radix sort whose warps find equal digits by masks in shared memory."""

import numpy as np
from numba import cuda

from kernels.radix_sort.one_sweep import (
    BINS,
    PASSES,
    PREFIX,
    SUM,
    digit,
    digit_before,
    sort_on_device,
)
from kernels.scan.block import block_scan


# --8<-- [start:mask]
@cuda.jit(device=True)
def lanes_with(memory, place, own):
    """Return which lanes of the warp have the same digit, one bit for each.

    ``place`` is the digit's word among the warp's, all 0 before; ``own`` is this lane's bit.
    """
    cuda.atomic.or_(memory, place, own)
    cuda.syncwarp()
    return memory[place]


# --8<-- [end:mask]

# --8<-- [start:sweep]


def make_mask_sweep(threads=384, items=23, resident=2):
    """Return a kernel (keys, out, starts, state, shift): one pass over uint32 keys, stable.

    starts: int32, where each of the 256 digits begins. state: uint32, a ticket and 256 words for
    each tile, all 0 before the launch. threads: a multiple of 32, at least 256. ``resident``: the
    blocks that shall fit a multiprocessor, which limits the registers of a thread.
    """
    tile, warps = threads * items, threads // 32
    masks_at = warps * BINS
    room = max(tile, 2 * warps * BINS)

    @cuda.jit(launch_bounds=(threads, resident))
    def sweep_kernel(keys, out, starts, state, shift):
        memory = cuda.shared.array(room, np.uint32)  # for each warp a row of counters, and of masks
        target = cuda.shared.array(BINS, np.uint32)  # where a digit begins: output less tile
        shared = cuda.shared.array(1, np.uint32)
        held = cuda.local.array(items, np.uint32)
        place = cuda.local.array(items, np.uint32)
        tid = np.uint32(cuda.threadIdx.x)
        lane, warp = np.uint32(tid % 32), np.uint32(tid // 32)
        own = np.uint32(np.uint32(1) << lane)
        below = np.uint32(own - np.uint32(1))
        row, masks = np.uint32(warp * BINS), np.uint32(masks_at + warp * BINS)
        if tid == 0:
            shared[0] = cuda.atomic.add(state, 0, np.uint32(1))
        for d in range(0, BINS, 32):
            memory[np.uint32(row + lane + d)] = 0
            memory[np.uint32(masks + lane + d)] = 0
        cuda.syncthreads()
        t = np.int32(shared[0])
        first = np.uint32(t * tile)
        inside = np.uint32(min(keys.size - first, tile))
        here = np.uint32(warp * (items * 32) + lane)
        if inside == tile:
            for k in range(items):
                held[k] = keys[np.uint32(first + here + 32 * k)]
        else:
            for k in range(items):
                held[k] = np.uint32(0xFFFFFFFF)  # past the end: behind all others
                if np.uint32(here + 32 * k) < inside:
                    held[k] = keys[np.uint32(first + here + 32 * k)]

        for k in range(items):  # count early: other tiles wait for this
            cuda.atomic.add(memory, np.uint32(row + digit(held[k], shift)), np.uint32(1))
        cuda.syncthreads()
        count = np.int32(0)
        if tid < BINS:  # a thread for each digit
            for w in range(warps):
                count += np.int32(memory[np.uint32(w * BINS + tid)])
            mark = SUM if t > 0 else PREFIX
            cuda.atomic.exch(state, np.uint32(1 + t * BINS + tid), np.uint32(mark | count))
        start = np.int32(block_scan(count) - count)
        if tid < BINS:  # a count becomes the place in the tile of the warp's first key of the digit
            running = np.uint32(start)
            for w in range(warps):
                at = np.uint32(w * BINS + tid)
                before = memory[at]
                memory[at] = running
                running = np.uint32(running + before)
        cuda.syncthreads()

        for k in range(items):  # the place of a key: behind those of its digit in this warp
            d = digit(held[k], shift)
            peers = lanes_with(memory, np.uint32(masks + d), own)
            before = memory[np.uint32(row + d)]
            cuda.syncwarp()
            rank = np.uint32(cuda.popc(np.uint32(peers & below)))
            if rank == 0:  # the first of them adds them all, and clears their mask
                memory[np.uint32(row + d)] = before + cuda.popc(peers)
                memory[np.uint32(masks + d)] = 0
            cuda.syncwarp()
            place[k] = before + rank
        cuda.syncthreads()  # the counters are read: their memory is free
        for k in range(items):
            memory[place[k]] = held[k]

        if tid < BINS:
            earlier = digit_before(state, t, tid)
            if t > 0:
                word = np.uint32(PREFIX | (earlier + count))
                cuda.atomic.exch(state, np.uint32(1 + t * BINS + tid), word)
            target[tid] = np.uint32(starts[tid] + earlier - start)
        cuda.syncthreads()
        if inside == tile:
            for k in range(items):
                i = np.uint32(tid + k * threads)
                key = memory[i]
                out[np.uint32(target[digit(key, shift)] + i)] = key
        else:
            for k in range(items):
                i = np.uint32(tid + k * threads)
                if i < inside:
                    key = memory[i]
                    out[np.uint32(target[digit(key, shift)] + i)] = key

    return sweep_kernel


# --8<-- [end:sweep]


# --8<-- [start:host]
def sort_by_masks(x, threads=384, items=23):
    """Return a sorted copy of a uint32 array of fewer than 2^30 keys.

    --8<-- [start:example]
    >>> keys = np.array([3, 1 << 31, 4, 1, 5, 9, 1 << 20, 6, 5], dtype=np.uint32)
    >>> sort_by_masks(keys, threads=256, items=1)
    array([         1,          3,          4,          5,          5,
                    6,          9,    1048576, 2147483648], dtype=uint32)

    --8<-- [end:example]
    """
    tile = threads * items
    tiles = -(-x.size // tile)
    keys, spare = cuda.to_device(x), cuda.device_array(x.size, np.uint32)
    counts = cuda.to_device(np.zeros((PASSES, BINS), dtype=np.int32))
    state = cuda.to_device(np.zeros((PASSES, 1 + BINS * tiles), dtype=np.uint32))
    if tiles:
        sweep = make_mask_sweep(threads, items)
        sort_on_device(keys, spare, counts, state, sweep, tile, threads)
    return keys.copy_to_host()


# --8<-- [end:host]

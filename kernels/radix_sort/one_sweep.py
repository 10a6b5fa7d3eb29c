"""Radix sort of 32-bit keys: count all digits once, then four passes that look back."""

import numpy as np
from numba import cuda

from kernels.scan.block import block_scan
from kernels.scan.relaxed import load_relaxed

# --8<-- [start:digits]
BINS = 256  # a digit is a byte of the key
PASSES = 4


@cuda.jit(device=True)
def digit(key, shift):
    return np.uint32(np.uint32(key >> np.uint32(shift)) & np.uint32(BINS - 1))


@cuda.jit
def digit_counts_kernel(keys, counts):
    """counts[p, d]: how many keys have the digit d in pass p."""
    local = cuda.shared.array((PASSES, BINS), np.int32)
    tid = cuda.threadIdx.x
    for d in range(tid, BINS, cuda.blockDim.x):
        for p in range(PASSES):
            local[p, d] = 0
    cuda.syncthreads()
    for i in range(cuda.grid(1), keys.size, cuda.gridsize(1)):
        for p in range(PASSES):
            cuda.atomic.add(local, (p, digit(keys[i], 8 * p)), 1)
    cuda.syncthreads()
    for d in range(tid, BINS, cuda.blockDim.x):
        for p in range(PASSES):
            cuda.atomic.add(counts, (p, d), local[p, d])


@cuda.jit
def digit_starts_kernel(counts):
    """Turn the counts of a pass into where each digit begins. A block of 256 for each pass."""
    p, d = cuda.blockIdx.x, cuda.threadIdx.x
    count = counts[p, d]
    counts[p, d] = block_scan(count) - count


# --8<-- [end:digits]


# --8<-- [start:rank]
@cuda.jit(device=True)
def same_digit(d):
    """Return which lanes of the warp have the same digit, one bit for each."""
    peers = np.uint32(0xFFFFFFFF)
    for b in range(8):
        one = np.uint32(d & np.uint32(1 << b)) != 0
        ones = np.uint32(cuda.ballot_sync(0xFFFFFFFF, one))
        peers = np.uint32(peers & (ones if one else np.uint32(~ones)))
    return peers


# --8<-- [end:rank]

# --8<-- [start:look_back]
SUM, PREFIX = 1 << 30, 2 << 30  # the two upper bits of a word say what it is
VALUE = SUM - 1
WINDOW = 8  # tiles that a thread asks for at once


@cuda.jit(device=True)
def digit_before(state, t, d):
    """Return how many keys with the digit d there are in the tiles before tile t."""
    words = cuda.local.array(WINDOW, np.uint32)
    earlier, at = np.int32(0), np.int32(t - 1)
    while at >= 0:
        for j in range(WINDOW):
            words[j] = PREFIX  # before the first tile: nothing
            if at >= j:
                words[j] = load_relaxed(state, np.uint32(1 + (at - j) * BINS + d))
        seen = np.int32(0)  # how many of them count: up to a prefix, or to what is not there yet
        going = True
        for j in range(WINDOW):
            if going and words[j] >= SUM:
                earlier += np.int32(words[j] & VALUE)
                seen += 1
                if words[j] >= PREFIX:
                    return earlier
            else:
                going = False
        at -= seen
    return earlier


# --8<-- [end:look_back]


# --8<-- [start:sweep]


def make_sweep(threads=512, items=16, resident=2):
    """Return a kernel (keys, out, starts, state, shift): one pass over uint32 keys, stable.

    starts: int32, where each of the 256 digits begins. state: uint32, a ticket and 256 words for
    each tile, all 0 before the launch. threads: a multiple of 32, at least 256. ``resident``: the
    blocks that shall fit a multiprocessor, which limits the registers of a thread.
    """
    tile, warps = threads * items, threads // 32
    room = max(tile, warps * BINS)

    @cuda.jit(launch_bounds=(threads, resident))
    def sweep_kernel(keys, out, starts, state, shift):
        memory = cuda.shared.array(room, np.uint32)  # first a row of counters for each warp
        begins = cuda.shared.array(BINS, np.uint32)  # where a digit begins in the tile
        target = cuda.shared.array(BINS, np.uint32)  # and in the output, less that
        shared = cuda.shared.array(1, np.uint32)
        held = cuda.local.array(items, np.uint32)
        place = cuda.local.array(items, np.uint32)
        tid = np.uint32(cuda.threadIdx.x)
        lane, warp = np.uint32(tid % 32), np.uint32(tid // 32)
        below = np.uint32((1 << lane) - 1)
        row = np.uint32(warp * BINS)
        if tid == 0:
            shared[0] = cuda.atomic.add(state, 0, np.uint32(1))
        for d in range(0, BINS, 32):
            memory[np.uint32(row + lane + d)] = 0
        cuda.syncthreads()
        t = np.int32(shared[0])
        first = np.uint32(t * tile)
        inside = np.uint32(min(keys.size - first, tile))
        here = np.uint32(warp * (items * 32) + lane)
        for k in range(items):
            held[k] = np.uint32(0xFFFFFFFF)  # past the end: behind all others
            if np.uint32(here + 32 * k) < inside:
                held[k] = keys[np.uint32(first + here + 32 * k)]

        for k in range(items):  # the rank of a key among those of its digit in this warp
            d = digit(held[k], shift)
            peers = same_digit(d)
            before = memory[np.uint32(row + d)]
            cuda.syncwarp()
            rank = np.uint32(cuda.popc(np.uint32(peers & below)))
            if rank == 0:  # the first of them adds them all
                memory[np.uint32(row + d)] = before + cuda.popc(peers)
            cuda.syncwarp()
            place[k] = before + rank
        cuda.syncthreads()

        count = np.int32(0)
        if tid < BINS:  # a thread for each digit: the warps one after the other
            for w in range(warps):
                at = np.uint32(w * BINS + tid)
                before = memory[at]
                memory[at] = np.uint32(count)
                count = np.int32(count + before)
            mark = SUM if t > 0 else PREFIX
            cuda.atomic.exch(state, np.uint32(1 + t * BINS + tid), np.uint32(mark | count))
        start = np.int32(block_scan(count) - count)
        if tid < BINS:
            begins[tid] = start
        cuda.syncthreads()
        for k in range(items):
            d = digit(held[k], shift)
            place[k] = place[k] + begins[d] + memory[np.uint32(row + d)]
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
        for k in range(items):
            i = np.uint32(tid + k * threads)
            if i < inside:
                key = memory[i]
                out[np.uint32(target[digit(key, shift)] + i)] = key

    return sweep_kernel


# --8<-- [end:sweep]


# --8<-- [start:host]
def sort_on_device(keys, spare, counts, state, sweep, tile, threads, blocks=264):
    """Sort uint32 keys on the GPU, in place. ``counts`` and ``state`` are 0 before.

    spare: as long as keys. counts: int32, 4 x 256. state: uint32, 4 x (1 + 256 * tiles).
    """
    tiles = -(-keys.size // tile)
    digit_counts_kernel[blocks, 512](keys, counts)
    digit_starts_kernel[PASSES, BINS](counts)
    for p in range(PASSES):
        sweep[tiles, threads](keys, spare, counts[p], state[p], 8 * p)
        keys, spare = spare, keys


def sort(x, threads=512, items=16):
    """Return a sorted copy of a uint32 array of fewer than 2^30 keys.

    --8<-- [start:example]
    >>> sort(np.array([3, 1 << 31, 4, 1, 5, 9, 1 << 20, 6, 5], dtype=np.uint32))
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
        sort_on_device(keys, spare, counts, state, make_sweep(threads, items), tile, threads)
    return keys.copy_to_host()


# --8<-- [end:host]

"""Attention of one new token over a paged cache of keys and values: a split, then a merge."""

# --8<-- [start:imports]
import math

import numpy as np
from numba import cuda, float32, int32, int64, uint32, uint64

# --8<-- [end:imports]
from kernels.paging.copies import commit, copy16, load16, waiting
from kernels.patterns.wide import exp2
from kernels.quantization.words import as_float


# --8<-- [start:widen]
@cuda.jit(device=True, forceinline=True)
def widen8(words, floats):
    """Turn the eight bfloat16 numbers of four words into float32."""
    for i in range(4):
        floats[2 * i] = as_float(uint32(words[i] << uint32(16)))
        floats[2 * i + 1] = as_float(uint32(words[i] & uint32(0xFFFF0000)))


# --8<-- [end:widen]


# --8<-- [start:kernel]
LOWEST = float32(-1e30)  # below every score; its power of two is 0


def make_paged_decode(dim=128, group=4, page=16, width=8, tokens=4, warps=4, stages=2):
    """Return a kernel that gives a block one stretch of one sequence's cache for one KV head.

    ``dim // width`` lanes share a token, for all ``group`` query heads of a KV head. They take
    ``tokens`` keys and values at a time, neighbors in one page of ``page`` tokens. Each lane
    copies its own words ``stages - 1`` steps ahead, and reads no other's: no barrier needed.
    """
    lanes, words, threads = dim // width, dim // 2, 32 * warps
    pieces = width // 8  # of 16 bytes: a lane's part of a token
    sharers = 32 // lanes  # tokens of a warp at a time, times ``tokens``
    stride = warps * sharers * tokens
    inner = tuple(hop for hop in (16, 8, 4, 2, 1) if hop < lanes)
    outer = tuple(hop for hop in (16, 8, 4, 2, 1) if hop >= lanes)
    half = tokens * pieces * threads * 4  # words of a stage's keys, and of its values
    stage_words = 2 * half
    room = stages * stage_words
    wait = waiting(stages - 1)

    @cuda.jit(device=True, forceinline=True)
    def start(keys, values, tables, first, end, lane, at_ring, ring):
        """Start the copies of a lane's part of some tokens, from ``first`` on, to a stage."""
        sequence, head, heads = cuda.blockIdx.z, uint32(cuda.blockIdx.y), uint32(cuda.gridDim.y)
        known = uint32(tables[sequence, uint32(min(first, uint32(end - 1)) // uint32(page))])
        row = uint32(uint32(known * heads + head) * page + first % uint32(page))
        at = uint64(row) * uint64(words) + uint64(4 * lane)
        for t in range(tokens):
            inside = int32(uint32(first + t) < end)
            for piece in range(pieces):
                place = uint32(at_ring + uint32((t * pieces + piece) * threads * 4))
                source = at + uint64(t * words + piece * 4 * lanes)
                copy16(ring, place, keys, source, inside)
                copy16(ring, uint32(place + uint32(half)), values, source, inside)

    @cuda.jit(device=True, forceinline=True)
    def read(ring, place, wide):
        """Read a lane's part of a token as float32."""
        for piece in range(pieces):
            four = load16(ring, uint32(place + uint32(piece * threads * 4)))
            widen8(four, wide[8 * piece : 8 * piece + 8])

    @cuda.jit(launch_bounds=threads)
    def paged_decode_kernel(q, keys, values, tables, lengths, span, scale, partial, tops, sums):
        split, head, sequence = cuda.blockIdx.x, cuda.blockIdx.y, cuda.blockIdx.z
        begin = uint32(split * span)
        end = uint32(min(int64(split * span + span), int64(lengths[sequence])))
        if begin >= end:
            return
        me = uint32(32 * cuda.threadIdx.y + cuda.threadIdx.x)
        lane = uint32(me % uint32(lanes))
        first = uint32(begin + me // uint32(lanes) * uint32(tokens))  # of the tokens of this lane
        ring = cuda.shared.array(room, uint32, alignment=16)
        query = cuda.local.array((group, width), float32)
        mixed = cuda.local.array((group, width), float32)
        top, total = cuda.local.array(group, float32), cuda.local.array(group, float32)
        score = cuda.local.array((group, tokens), float32)
        wide = cuda.local.array(width, float32)

        for stage in range(stages - 1):
            place = uint32(4 * me + uint32(stage * stage_words))
            start(keys, values, tables, uint32(first + stage * stride), end, lane, place, ring)
            commit()
        for g in range(group):
            at = ((sequence * cuda.gridDim.y + head) * group + g) * words + 4 * lane
            for piece in range(pieces):
                four = q[at], q[at + 1], q[at + 2], q[at + 3]
                widen8(four, wide[8 * piece : 8 * piece + 8])
                at += 4 * lanes
            for i in range(width):
                query[g, i] = wide[i] * scale
                mixed[g, i] = float32(0)
            top[g], total[g] = LOWEST, float32(0)

        full, empty = uint32(0), uint32(stages - 1)  # the stage to read, and the one to fill
        for done in range(begin, end, uint32(stride)):
            here = uint32(done - begin + first)
            if uint32(done + uint32((stages - 1) * stride)) < end:
                ahead = uint32(here + uint32((stages - 1) * stride))
                place = uint32(4 * me + empty * uint32(stage_words))
                start(keys, values, tables, ahead, end, lane, place, ring)
            commit()
            wait()  # for this step's copies, not for those of the steps ahead
            base = uint32(4 * me + full * uint32(stage_words))
            full = uint32(0) if full == uint32(stages - 1) else uint32(full + 1)
            empty = uint32(0) if empty == uint32(stages - 1) else uint32(empty + 1)
            for t in range(tokens):
                read(ring, uint32(base + uint32(t * pieces * threads * 4)), wide)
                for g in range(group):
                    dot = query[g, 0] * wide[0]
                    for i in range(1, width):
                        dot += query[g, i] * wide[i]
                    for hop in inner:
                        dot += cuda.shfl_xor_sync(0xFFFFFFFF, dot, hop)
                    score[g, t] = dot if uint32(here + t) < end else LOWEST
            for g in range(group):
                highest = top[g]
                for t in range(tokens):
                    highest = max(highest, score[g, t])
                if highest > top[g]:
                    fade = exp2(top[g] - highest)
                    top[g] = highest
                    total[g] *= fade
                    for i in range(width):
                        mixed[g, i] *= fade
                for t in range(tokens):
                    score[g, t] = exp2(score[g, t] - highest)
                    total[g] += score[g, t]
            for t in range(tokens):
                read(ring, uint32(base + uint32(half + t * pieces * threads * 4)), wide)
                for g in range(group):
                    for i in range(width):
                        mixed[g, i] += score[g, t] * wide[i]

        # The lanes of a warp that hold the same numbers of different tokens meet by shuffles,
        for hop in outer:
            for g in range(group):
                other = cuda.shfl_xor_sync(0xFFFFFFFF, top[g], hop)
                highest = max(top[g], other)
                mine, theirs = exp2(top[g] - highest), exp2(other - highest)
                total[g] = mine * total[g] + theirs * cuda.shfl_xor_sync(0xFFFFFFFF, total[g], hop)
                for i in range(width):
                    far = cuda.shfl_xor_sync(0xFFFFFFFF, mixed[g, i], hop)
                    mixed[g, i] = mine * mixed[g, i] + theirs * far
                top[g] = highest
        # and those of the block's warps in shared memory.
        boxes = cuda.shared.array((warps, group, dim), float32)
        box_tops = cuda.shared.array((warps, group), float32)
        box_sums = cuda.shared.array((warps, group), float32)
        warp = cuda.threadIdx.y
        if cuda.threadIdx.x < lanes:
            for g in range(group):
                for i in range(width):
                    boxes[warp, g, i // 8 * 8 * lanes + 8 * lane + i % 8] = mixed[g, i]
                if lane == 0:
                    box_tops[warp, g], box_sums[warp, g] = top[g], total[g]
        cuda.syncthreads()
        for item in range(32 * warp + cuda.threadIdx.x, group * dim, 32 * warps):
            g, d = item // dim, item % dim
            highest = LOWEST
            for w in range(warps):
                highest = max(highest, box_tops[w, g])
            sum, mix = float32(0), float32(0)
            for w in range(warps):
                share = exp2(box_tops[w, g] - highest)
                sum += share * box_sums[w, g]
                mix += share * boxes[w, g, d]
            place = (sequence * cuda.gridDim.y + head) * group + g
            partial[place, split, d] = mix
            if d == 0:
                tops[place, split], sums[place, split] = highest, sum

    return paged_decode_kernel


# --8<-- [end:kernel]


# --8<-- [start:merge]
@cuda.jit
def merge_splits_kernel(partial, tops, sums, lengths, span, heads, out):
    """Add the stretches of a row, one for each query head of a sequence, as softmax wants it."""
    row, d = cuda.blockIdx.x, cuda.threadIdx.x
    splits = -(-int64(lengths[row // heads]) // span)
    highest = LOWEST
    for split in range(splits):
        highest = max(highest, tops[row, split])
    sum, mix = float32(0), float32(0)
    for split in range(splits):
        share = exp2(tops[row, split] - highest)
        sum += share * sums[row, split]
        mix += share * partial[row, split, d]
    out[row, d] = mix / sum


# --8<-- [end:merge]


# --8<-- [start:host]
def bfloat16(x):
    """Return float32 numbers rounded to bfloat16, as uint16."""
    bits = np.ascontiguousarray(x, dtype=np.float32).view(np.uint32)
    return (bits + 0x7FFF + (bits >> 16 & 1) >> 16).astype(np.uint16)


def paged_attention(q, keys, values, tables, lengths, span=256):
    """Return the attention of one token of each sequence over its pages, as float32.

    q is (sequences, heads, dim); keys and values are (pages, KV heads, tokens of a page, dim), all
    of bfloat16 as uint16. tables (sequences, pages of a sequence) says where each page lies.

    --8<-- [start:example]
    >>> random = np.random.default_rng(7)
    >>> q, keys, values = (
    ...     bfloat16(random.standard_normal(shape))
    ...     for shape in ((2, 4, 32), (9, 2, 16, 32), (9, 2, 16, 32))
    ... )
    >>> tables = np.array([[4, 0, 7], [2, 8, 8]], np.int32)  # pages anywhere, in any order
    >>> lengths = np.array([40, 17], np.int32)
    >>> out = paged_attention(q, keys, values, tables, lengths, span=32)
    >>> right = plain_attention(q, keys, values, tables, lengths)
    >>> np.allclose(out, right, rtol=1e-4, atol=1e-5)
    True

    --8<-- [end:example]
    """
    sequences, heads, dim = q.shape
    _, kv_heads, page, _ = keys.shape
    group, splits = heads // kv_heads, -(-int(lengths.max()) // span)
    d_q, d_keys, d_values = (
        cuda.to_device(np.ascontiguousarray(a).view(np.uint32).reshape(-1))
        for a in (q, keys, values)
    )
    d_tables, d_lengths = cuda.to_device(tables), cuda.to_device(lengths)
    rows = sequences * heads
    partial = cuda.device_array((rows, splits, dim), np.float32)
    tops, sums = (cuda.device_array((rows, splits), np.float32) for _ in range(2))
    out = cuda.device_array((rows, dim), np.float32)
    scale = np.float32(math.log2(math.e) / math.sqrt(dim))
    kernel = make_paged_decode(dim, group, page)
    kernel[(splits, kv_heads, sequences), (32, 4)](
        d_q, d_keys, d_values, d_tables, d_lengths, span, scale, partial, tops, sums
    )
    merge_splits_kernel[rows, dim](partial, tops, sums, d_lengths, span, heads, out)
    return out.copy_to_host().reshape(q.shape)


# --8<-- [end:host]


# --8<-- [start:plain]
def plain_attention(q, keys, values, tables, lengths):
    """Return the same in NumPy and float64: gather the pages of a sequence, then attend."""
    wide = [
        (a.astype(np.uint32) << 16).view(np.float32).astype(np.float64) for a in (q, keys, values)
    ]
    q, keys, values = wide
    dim, group = q.shape[2], q.shape[1] // keys.shape[1]
    out = np.empty(q.shape)
    for s, length in enumerate(lengths):
        for h in range(q.shape[1]):
            k, v = (
                cache[tables[s], h // group].reshape(-1, dim)[:length] for cache in (keys, values)
            )
            scores = k @ q[s, h] / math.sqrt(dim)
            weights = np.exp(scores - scores.max())
            out[s, h] = weights @ v / weights.sum()
    return out


# --8<-- [end:plain]

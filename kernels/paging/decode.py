"""Attention of one new token over a paged cache of keys and values, split and merged at once."""

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


# --8<-- [start:scatter]
def sum_and_scatter(lanes):
    """Return a device function for as many numbers as lanes: lane i gets the sum of number i.

    In each step a lane gives away the half of its sums that belongs to its partner.
    """

    def step(hop, rest):
        @cuda.jit(device=True, forceinline=True)
        def halve(numbers, lane):
            upper = lane & uint32(hop)
            for i in range(hop):
                low, high = numbers[i], numbers[hop + i]
                other = cuda.shfl_xor_sync(0xFFFFFFFF, low if upper else high, hop)
                numbers[i] = (high if upper else low) + other
            rest(numbers, lane)

        return halve

    @cuda.jit(device=True, forceinline=True)
    def scatter(numbers, lane):
        pass

    hop = 1
    while hop < lanes:
        scatter, hop = step(hop, scatter), 2 * hop
    return scatter


# --8<-- [end:scatter]


# --8<-- [start:merge]
LOWEST = float32(-1e30)  # below every score; its power of two is 0


@cuda.jit(device=True)
def merged(partial, row_max, row_sum, row, splits, d):
    """Return a number of a row's result: its stretches brought to one maximum, and weighed."""
    highest = LOWEST
    for split in range(splits):
        highest = max(highest, row_max[row, split])
    sum, mix = float32(0), float32(0)
    for split in range(splits):
        share = exp2(row_max[row, split] - highest)
        sum += share * row_sum[row, split]
        mix += share * partial[row, split, d]
    return mix / sum


# --8<-- [end:merge]


# --8<-- [start:kernel]
def warps_for(dim, group):
    """Return how many warps a block has, so that its 32 KB of keys and values fit."""
    return max(1, min(4, 128 * group // dim))


def make_paged_decode(dim=128, group=4, page=16, warps=4, stages=2):
    """Return a kernel that gives a block one stretch of one sequence's cache for one KV head.

    ``dim // 8`` lanes share a token, for all ``group`` query heads of a KV head. They take as many
    tokens at a time, neighbors in one page of ``page`` tokens, as make one score for each lane.
    Each lane copies its own words ``stages - 1`` steps ahead, and reads no other's: no barrier.
    The block that finishes last of a sequence's stretches merges them; ``done``, one number for
    each sequence and KV head, is zero before and after.
    """
    lanes, words, threads = dim // 8, dim // 2, 32 * warps
    tokens = lanes // group
    if tokens * group != lanes or page % tokens:
        raise ValueError(f"{group} query heads do not divide {lanes} lanes, or a page {page}")
    sharers = 32 // lanes  # of a warp, each with ``tokens`` tokens
    stride = warps * sharers * tokens
    half = tokens * threads * 4  # words of a stage's keys, and of its values
    stage_words = 2 * half
    room = stages * stage_words
    wait = waiting(stages - 1)
    scatter = sum_and_scatter(lanes)

    @cuda.jit(device=True, forceinline=True)
    def start(keys, values, tables, first, end, lane, at_ring, ring):
        """Start the copies of a lane's part of some tokens, from ``first`` on, to a stage."""
        sequence, head, heads = cuda.blockIdx.z, uint32(cuda.blockIdx.y), uint32(cuda.gridDim.y)
        known = uint32(tables[sequence, uint32(min(first, uint32(end - 1)) // uint32(page))])
        row = uint32(uint32(known * heads + head) * page + first % uint32(page))
        at = uint64(row) * uint64(words) + uint64(4 * lane)
        for t in range(tokens):
            inside = int32(uint32(first + t) < end)
            place, source = uint32(at_ring + uint32(t * threads * 4)), at + uint64(t * words)
            copy16(ring, place, keys, source, inside)
            copy16(ring, uint32(place + uint32(half)), values, source, inside)

    @cuda.jit(launch_bounds=threads)
    def paged_decode_kernel(
        q, keys, values, tables, lengths, span, scale, partial, row_max, row_sum, done, out
    ):
        split, head, sequence = cuda.blockIdx.x, cuda.blockIdx.y, cuda.blockIdx.z
        begin = uint32(split * span)
        end = uint32(min(int64(split * span + span), int64(lengths[sequence])))
        if begin >= end:
            return
        me = uint32(32 * cuda.threadIdx.y + cuda.threadIdx.x)
        lane = uint32(me % uint32(lanes))
        neighbor = cuda.laneid - lane  # the first lane of those that share this one's token
        first = uint32(begin + me // uint32(lanes) * uint32(tokens))  # of the tokens of this lane
        ring = cuda.shared.array(room, uint32, alignment=16)
        query = cuda.local.array((group, 8), float32)
        acc = cuda.local.array((group, 8), float32)
        max_of, sum_of = cuda.local.array(group, float32), cuda.local.array(group, float32)
        dots, wide = cuda.local.array(lanes, float32), cuda.local.array(8, float32)
        top, total = LOWEST, float32(0)  # of the one head and token that are this lane's

        for stage in range(stages - 1):
            place = uint32(4 * me + uint32(stage * stage_words))
            start(keys, values, tables, uint32(first + stage * stride), end, lane, place, ring)
            commit()
        for g in range(group):
            at = ((sequence * cuda.gridDim.y + head) * group + g) * words + 4 * lane
            widen8((q[at], q[at + 1], q[at + 2], q[at + 3]), wide)
            for i in range(8):
                query[g, i] = wide[i] * scale
                acc[g, i] = float32(0)

        full, empty = uint32(0), uint32(stages - 1)  # the stage to read, and the one to fill
        for at in range(begin, end, uint32(stride)):
            here = uint32(at - begin + first)
            if uint32(at + uint32((stages - 1) * stride)) < end:
                ahead = uint32(here + uint32((stages - 1) * stride))
                place = uint32(4 * me + empty * uint32(stage_words))
                start(keys, values, tables, ahead, end, lane, place, ring)
            commit()
            wait()  # for this step's copies, not for those of the steps ahead
            base = uint32(4 * me + full * uint32(stage_words))
            full = uint32(0) if full == uint32(stages - 1) else uint32(full + 1)
            empty = uint32(0) if empty == uint32(stages - 1) else uint32(empty + 1)
            for t in range(tokens):
                widen8(load16(ring, uint32(base + uint32(t * threads * 4))), wide)
                for g in range(group):
                    dot = query[g, 0] * wide[0]
                    for i in range(1, 8):
                        dot += query[g, i] * wide[i]
                    dots[g * tokens + t] = dot
            scatter(dots, lane)  # now each lane has one whole score, of its head and token
            score = dots[0] if uint32(here + lane % uint32(tokens)) < end else LOWEST
            highest = score
            hop = tokens // 2
            while hop > 0:
                highest = max(highest, cuda.shfl_xor_sync(0xFFFFFFFF, highest, hop))
                hop //= 2
            if cuda.any_sync(0xFFFFFFFF, highest > top):  # seldom, after the first steps
                highest = max(highest, top)
                alpha = exp2(top - highest)
                top, total = highest, total * alpha
                for g in range(group):
                    other = cuda.shfl_sync(0xFFFFFFFF, alpha, neighbor + g * tokens)
                    for i in range(8):
                        acc[g, i] *= other
            score = exp2(score - top)
            total += score
            for t in range(tokens):
                widen8(load16(ring, uint32(base + uint32(half + t * threads * 4))), wide)
                for g in range(group):
                    share = cuda.shfl_sync(0xFFFFFFFF, score, neighbor + g * tokens + t)
                    for i in range(8):
                        acc[g, i] += share * wide[i]

        hop = tokens // 2
        while hop > 0:
            total += cuda.shfl_xor_sync(0xFFFFFFFF, total, hop)
            hop //= 2
        for g in range(group):
            max_of[g] = cuda.shfl_sync(0xFFFFFFFF, top, neighbor + g * tokens)
            sum_of[g] = cuda.shfl_sync(0xFFFFFFFF, total, neighbor + g * tokens)
        # The lanes of a warp that hold the same numbers of different tokens meet by shuffles,
        hop = 16
        while hop >= lanes:
            for g in range(group):
                other = cuda.shfl_xor_sync(0xFFFFFFFF, max_of[g], hop)
                highest = max(max_of[g], other)
                mine, theirs = exp2(max_of[g] - highest), exp2(other - highest)
                far = cuda.shfl_xor_sync(0xFFFFFFFF, sum_of[g], hop)
                max_of[g], sum_of[g] = highest, mine * sum_of[g] + theirs * far
                for i in range(8):
                    far = cuda.shfl_xor_sync(0xFFFFFFFF, acc[g, i], hop)
                    acc[g, i] = mine * acc[g, i] + theirs * far
            hop //= 2
        # and those of the block's warps in shared memory.
        warp_acc = cuda.shared.array((warps, group, dim), float32)
        warp_max = cuda.shared.array((warps, group), float32)
        warp_sum = cuda.shared.array((warps, group), float32)
        warp = cuda.threadIdx.y
        if cuda.threadIdx.x < lanes:
            for g in range(group):
                for i in range(8):
                    warp_acc[warp, g, 8 * lane + i] = acc[g, i]
                if lane == 0:
                    warp_max[warp, g], warp_sum[warp, g] = max_of[g], sum_of[g]
        cuda.syncthreads()
        place = (sequence * cuda.gridDim.y + head) * group
        for item in range(me, group * dim, threads):
            g, d = item // dim, item % dim
            highest = LOWEST
            for w in range(warps):
                highest = max(highest, warp_max[w, g])
            sum, mix = float32(0), float32(0)
            for w in range(warps):
                share = exp2(warp_max[w, g] - highest)
                sum += share * warp_sum[w, g]
                mix += share * warp_acc[w, g, d]
            partial[place + g, split, d] = mix
            if d == 0:
                row_max[place + g, split], row_sum[place + g, split] = highest, sum

        # Who comes last finds the other stretches written, and merges them.
        ticket = cuda.shared.array(1, int32)
        cuda.threadfence()
        cuda.syncthreads()
        if me == 0:
            ticket[0] = cuda.atomic.add(done, sequence * cuda.gridDim.y + head, 1)
        cuda.syncthreads()
        splits = -(-int64(lengths[sequence]) // span)
        if ticket[0] == splits - 1:
            cuda.threadfence()
            for item in range(me, group * dim, threads):
                row, d = place + item // dim, item % dim
                out[row, d] = merged(partial, row_max, row_sum, row, splits, d)
            if me == 0:
                done[sequence * cuda.gridDim.y + head] = 0

    return paged_decode_kernel


# --8<-- [end:kernel]


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
    row_max, row_sum = (cuda.device_array((rows, splits), np.float32) for _ in range(2))
    out = cuda.device_array((rows, dim), np.float32)
    done = cuda.to_device(np.zeros(sequences * kv_heads, np.int32))
    scale = np.float32(math.log2(math.e) / math.sqrt(dim))
    warps = warps_for(dim, group)
    kernel = make_paged_decode(dim, group, page, warps)
    kernel[(splits, kv_heads, sequences), (32, warps)](
        d_q, d_keys, d_values, d_tables, d_lengths, span, scale, partial, row_max, row_sum,
        done, out,
    )  # fmt: skip
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

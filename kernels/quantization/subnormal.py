"""Matrix times vector with weights of 4 bits that are floats already: masked, and nothing else."""

# --8<-- [start:imports]
import numpy as np
from numba import cuda, float32, uint32, uint64

# --8<-- [end:imports]
from kernels.quantization.matvec import widen
from kernels.quantization.pairs import times2
from kernels.quantization.words import as_float, load_once, load_shared

# --8<-- [start:scaled]
SMALL = 64  # the sums are 2^64 times too small: half of what the weights lack, the vector has


def power(n):
    """Return the bits of the bfloat16 number 2^n."""
    return n + 127 << 7


def lift(bit):
    """Return n: a weight w at ``bit``, the float w · 2^(bit - 149), times 2^n is w / 2^64."""
    return 149 - SMALL - bit


def pair(first, second):
    """Return the bits of two bfloat16 numbers in one word, 2^lift for two places of a weight."""
    return power(lift(first)) | power(lift(second)) << 16


# Numbers 0 to 3 of the vector meet the weights at bits 0, 8, 16 and, shifted by 20, 4.
LOW, LOW2 = pair(0, 8), pair(16, 4)
# Numbers 64 to 67 meet those at bits 4, 12 and, shifted by 20, 0 and 8.
HIGH, HIGH2 = pair(4, 12), pair(0, 8)
# From such a number back to 8 / 2^64 times what it was: what the weights are too large.
EIGHT = tuple(2.0 ** (3 - SMALL - lift(bit)) for bit in (0, 4, 8, 12, 16))


@cuda.jit(device=True, forceinline=True)
def scale4(first, second, factors, factors2):
    """Return the four bfloat16 numbers of two words, scaled, as float32."""
    first, second = times2(first, factors), times2(second, factors2)
    top = uint32(0xFFFF0000)
    return (
        widen(first),
        as_float(uint32(first & top)),
        widen(second),
        as_float(uint32(second & top)),
    )


@cuda.jit(device=True, forceinline=True)
def eight_times(low, high, total):
    """Return total + 8 / 2^64 times the sum of the 8 numbers that ``scale4`` has scaled."""
    total = cuda.fma(low[0], float32(EIGHT[0]), total)
    total = cuda.fma(high[0], float32(EIGHT[1]), total)
    total = cuda.fma(low[1], float32(EIGHT[2]), total)
    total = cuda.fma(high[1], float32(EIGHT[3]), total)
    total = cuda.fma(low[2], float32(EIGHT[4]), total)
    total = cuda.fma(high[2], float32(EIGHT[0]), total)
    total = cuda.fma(low[3], float32(EIGHT[1]), total)
    return cuda.fma(high[3], float32(EIGHT[2]), total)


# --8<-- [end:scaled]


# --8<-- [start:dot]
@cuda.jit(device=True, forceinline=True)
def weight(word, mask):
    """Return the weight under ``mask`` as a float: w · 2^(its first bit - 149), a subnormal one."""
    return as_float(uint32(word & mask))


@cuda.jit(device=True, forceinline=True)
def dot8(word, low, high, total):
    """Return total + the 8 weights of a word times the 8 scaled numbers that they meet."""
    top = uint32(word >> uint32(20))
    total = cuda.fma(weight(word, uint32(0xF)), low[0], total)
    total = cuda.fma(weight(word, uint32(0xF0)), high[0], total)
    total = cuda.fma(weight(word, uint32(0xF00)), low[1], total)
    total = cuda.fma(weight(word, uint32(0xF000)), high[1], total)
    total = cuda.fma(weight(word, uint32(0xF0000)), low[2], total)
    total = cuda.fma(weight(top, uint32(0xF)), high[2], total)
    total = cuda.fma(weight(top, uint32(0xF0)), low[3], total)
    return cuda.fma(weight(top, uint32(0xF00)), high[3], total)


# --8<-- [end:dot]


# --8<-- [start:kernel]
SLICE = 8  # chunks of 1,024 numbers of the vector in shared memory at once: 32 KiB


def make_matvec(k, rows=2, warps=16):
    """Return a kernel for rows of ``k`` weights, a multiple of 128; a warp makes ``rows`` results.

    The arrays are flat: words of 8 weights, their scales, the vector as words of 2 bfloat16, and
    float32 results, at least ``rows``. A block has (32, ``warps``) threads.
    """
    assert k > 0 and k % 128 == 0, f"rows of {k} weights: groups have 128"
    chunks = -(-k // 1024)  # of 32 weights a lane
    words_in_row, scales_in_row, lanes_in_row = k // 8, k // 128, k // 32
    whole = k % 1024 == 0  # no lane stands beyond a row's end: the compiler drops that question

    @cuda.jit(device=True, forceinline=True)
    def fetch(words, scales, first, part, held, steps):
        """Start the loads of part ``part`` of each row: 32 weights and their scale."""
        for r in range(rows):
            row = first + uint64(r)
            at = row * uint64(words_in_row) + uint64(4) * part
            held[r, 0], held[r, 1], held[r, 2], held[r, 3] = load_once(words, at)
            steps[r] = uint32(scales[row * uint64(scales_in_row) + part // uint64(4)])

    @cuda.jit(device=True, forceinline=True)
    def prepare(x, part, numbers, eights):
        """Scale the 32 numbers that a lane's weights meet, and add them up, into shared memory."""
        at, lane = part // uint64(4) * uint64(64) + part % uint64(4) * uint64(8), part % uint64(32)
        chunk = part // uint64(32) % uint64(SLICE)
        total = float32(0)
        for half in range(2):  # words 0 and 1, then 2 and 3
            low = load_shared(x, at + uint64(4 * half))
            high = load_shared(x, at + uint64(32 + 4 * half))  # 64 numbers further
            for odd in range(2):
                a = scale4(low[2 * odd], low[2 * odd + 1], uint32(LOW), uint32(LOW2))
                b = scale4(high[2 * odd], high[2 * odd + 1], uint32(HIGH), uint32(HIGH2))
                total = eight_times(a, b, total)
                for n in range(4):
                    numbers[chunk, 2 * half + odd, 0, lane, n] = a[n]
                    numbers[chunk, 2 * half + odd, 1, lane, n] = b[n]
        eights[chunk, lane] = total

    @cuda.jit
    def int4_subnormal_kernel(words, scales, x, y):
        numbers = cuda.shared.array((SLICE, 4, 2, 32, 4), float32)
        eights = cuda.shared.array((SLICE, 32), float32)
        lane, warp = cuda.threadIdx.x, cuda.threadIdx.y
        first = (cuda.blockIdx.x * warps + warp) * rows
        first = uint64(min(first, y.size - rows))  # the last warps may repeat another's rows
        totals, steps = cuda.local.array(rows, float32), cuda.local.array(rows, uint32)
        held, ahead = cuda.local.array((rows, 4), uint32), cuda.local.array((rows, 4), uint32)
        steps_ahead = cuda.local.array(rows, uint32)
        for r in range(rows):
            totals[r] = float32(0)
        if whole or lane < lanes_in_row:  # in flight while the vector is prepared
            fetch(words, scales, first, uint64(lane), held, steps)
        for start in range(0, chunks, SLICE):
            if start > 0:
                cuda.syncthreads()  # nobody reads the slice before
            for chunk in range(start + warp, min(start + SLICE, chunks), warps):
                if whole or 32 * chunk + lane < lanes_in_row:
                    prepare(x, uint64(32 * chunk + lane), numbers, eights)
            cuda.syncthreads()
            for chunk in range(start, min(start + SLICE, chunks)):
                part = 32 * chunk + lane
                more = chunk + 1 < chunks and (whole or part + 32 < lanes_in_row)
                if more:  # in flight during this chunk's arithmetic
                    fetch(words, scales, first, uint64(part + 32), ahead, steps_ahead)
                if whole or part < lanes_in_row:
                    here = chunk - start
                    sums = cuda.local.array(rows, float32)
                    for r in range(rows):
                        sums[r] = -eights[here, lane]
                    for w in range(4):
                        low = numbers[here, w, 0, lane]
                        high = numbers[here, w, 1, lane]
                        low4 = (low[0], low[1], low[2], low[3])
                        high4 = (high[0], high[1], high[2], high[3])
                        for r in range(rows):
                            sums[r] = dot8(held[r, w], low4, high4, sums[r])
                    for r in range(rows):
                        totals[r] = cuda.fma(sums[r], widen(steps[r]), totals[r])
                if more:
                    for r in range(rows):
                        steps[r] = steps_ahead[r]
                        for w in range(4):
                            held[r, w] = ahead[r, w]
        for r in range(rows):
            total = totals[r]
            for hop in (16, 8, 4, 2, 1):
                total += cuda.shfl_xor_sync(0xFFFFFFFF, total, hop)
            if lane == 0:
                y[first + uint64(r)] = total * float32(2.0**SMALL)

    return int4_subnormal_kernel


# --8<-- [end:kernel]


# --8<-- [start:host]
ROWS, WARPS = 2, 16  # results of a warp, and warps of a block


def matvec_subnormal(words, scales, x):
    """Return the float32 product of packed weights and a vector of bfloat16 bits.

    The numbers of the vector have sizes from 2^-60 to 2^42, or are zero: beyond, the scaled ones
    leave the range of a float32.

    --8<-- [start:example]
    >>> random = np.random.default_rng(7)
    >>> weights, x = random.standard_normal((10, 384)), random.standard_normal(384)
    >>> words, scales = pack_int4(weights.astype(np.float32))
    >>> x = bfloat16(x)
    >>> exact = unpack_int4(words, scales) @ (x.astype(np.uint32) << 16).view(np.float32)
    >>> np.allclose(matvec_subnormal(words, scales, x), exact, rtol=1e-4, atol=1e-4)
    True

    --8<-- [end:example]
    """
    count, k = len(words), 8 * words.shape[1]
    rows = min(ROWS, count)
    y = cuda.device_array(count, np.float32)
    blocks = -(-count // (rows * WARPS))
    arrays = [cuda.to_device(np.ascontiguousarray(a).reshape(-1)) for a in (words, scales)]
    kernel = make_matvec(k, rows, WARPS)
    kernel[blocks, (32, WARPS)](*arrays, cuda.to_device(x.view(np.uint32)), y)
    return y.copy_to_host()


# --8<-- [end:host]

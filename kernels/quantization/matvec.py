"""Matrix times vector with weights of 4 bits, which the kernel unpacks in registers."""

# --8<-- [start:imports]
import numpy as np
from numba import cuda, float32, uint32, uint64

# --8<-- [end:imports]
from kernels.quantization.words import as_float, load_once, load_shared

# --8<-- [start:pack]
GROUP = 128  # weights that share a scale


def bfloat16(x):
    """Return float32 numbers rounded to bfloat16, as uint16."""
    bits = np.ascontiguousarray(x, dtype=np.float32).view(np.uint32)
    return (bits + 0x7FFF + (bits >> 16 & 1) >> 16).astype(np.uint16)


def pack_int4(weights):
    """Return words of 8 weights (rows, k / 8) and bfloat16 scales (rows, k / 128).

    Byte b of a group holds weight b in its low half and weight b + 64 in its high half.
    """
    rows, k = weights.shape
    groups = weights.reshape(rows, k // GROUP, GROUP)
    scales = bfloat16(np.abs(groups).max(axis=2) / 7)
    wide = (scales.astype(np.uint32) << 16).view(np.float32)
    steps = np.rint(groups / np.where(wide == 0, 1, wide)[:, :, None])
    q = (np.clip(steps, -8, 7) + 8).astype(np.uint8)
    low, high = q[:, :, : GROUP // 2], q[:, :, GROUP // 2 :]
    return (low | high << 4).reshape(rows, k // 2).view(np.uint32), scales


def unpack_int4(words, scales):
    """Return the float32 weights that the words and scales stand for."""
    rows = len(words)
    pairs = np.ascontiguousarray(words).view(np.uint8).reshape(rows, -1, GROUP // 2)
    q = np.concatenate([pairs & 15, pairs >> 4], axis=2).astype(np.float32) - 8
    wide = (scales.astype(np.uint32) << 16).view(np.float32)
    return (q * wide[:, :, None]).reshape(rows, -1)


# --8<-- [end:pack]


# --8<-- [start:unpack]
MAGIC = np.uint32(0x4B000000)  # the bits of the float 2^23, whose last bit is worth 1


@cuda.jit(device=True, forceinline=True)
def weight(word, mask, magic, scale, offset):
    """Return the 4-bit weight under ``mask`` as a float: 2^23 + its bits, scaled, minus offset."""
    return as_float(uint32(word & mask | magic)) * scale - offset


@cuda.jit(device=True, forceinline=True)
def dot8(word, x_low, x_high, magic):
    """Return the sum of the 8 weights of a word times 4 + 4 numbers of the vector."""
    top = uint32(word >> uint32(20))
    sum = weight(word, uint32(0xF), magic, float32(1), float32(2**23 + 8)) * x_low[0]
    sum += weight(word, uint32(0xF0), magic, float32(2**-4), float32(2**19 + 8)) * x_high[0]
    sum += weight(word, uint32(0xF00), magic, float32(2**-8), float32(2**15 + 8)) * x_low[1]
    sum += weight(word, uint32(0xF000), magic, float32(2**-12), float32(2**11 + 8)) * x_high[1]
    sum += weight(word, uint32(0xF0000), magic, float32(2**-16), float32(2**7 + 8)) * x_low[2]
    sum += weight(top, uint32(0xF), magic, float32(1), float32(2**23 + 8)) * x_high[2]
    sum += weight(top, uint32(0xF0), magic, float32(2**-4), float32(2**19 + 8)) * x_low[3]
    sum += weight(top, uint32(0xF00), magic, float32(2**-8), float32(2**15 + 8)) * x_high[3]
    return sum


@cuda.jit(device=True, forceinline=True)
def widen(bits):
    """Return a bfloat16 number, in the low half of a word, as float32."""
    return as_float(uint32(bits << uint32(16)))


@cuda.jit(device=True, forceinline=True)
def widen4(low, high):
    """Return the four bfloat16 numbers of two words as float32."""
    top = uint32(0xFFFF0000)
    return (
        widen(low),
        as_float(uint32(low & top)),
        widen(high),
        as_float(uint32(high & top)),
    )


# --8<-- [end:unpack]


# --8<-- [start:kernel]
def make_matvec(k, rows=4):
    """Return a kernel for rows of ``k`` weights, a multiple of 128; a warp makes ``rows`` results.

    The arrays are flat: words of 8 weights, their scales, the vector as words of 2 bfloat16, and
    float32 results, at least ``rows``. ``magic`` is MAGIC; as an argument it stays in a register.
    """
    chunks, rest = k // 1024, k % 1024  # a warp reads 1,024 weights of a row at once
    words_in_row, scales_in_row = k // 8, k // 128

    @cuda.jit(device=True, forceinline=True)
    def fetch(words, scales, at, at_scale, held, steps):
        """Start the loads of 32 weights of each row and of their scales."""
        for r in range(rows):
            four = load_once(words, at + uint64(r * words_in_row))
            held[r, 0], held[r, 1], held[r, 2], held[r, 3] = four
            steps[r] = uint32(scales[at_scale + uint64(r * scales_in_row)])

    @cuda.jit(device=True, forceinline=True)
    def add(held, steps, x, at_x, magic, totals):
        """Add the products of 32 weights of each row with their part of the vector."""
        for half in range(2):  # words 0 and 1, then 2 and 3
            low = load_shared(x, at_x + uint64(4 * half))
            high = load_shared(x, at_x + uint64(32 + 4 * half))  # 64 numbers further
            low0, low1 = widen4(low[0], low[1]), widen4(low[2], low[3])
            high0, high1 = widen4(high[0], high[1]), widen4(high[2], high[3])
            for r in range(rows):
                sum = dot8(held[r, 2 * half], low0, high0, magic)
                sum += dot8(held[r, 2 * half + 1], low1, high1, magic)
                totals[r] += sum * widen(steps[r])

    @cuda.jit
    def int4_matvec_kernel(words, scales, x, magic, y):
        lane = uint64(cuda.threadIdx.x)
        first = (cuda.blockIdx.x * cuda.blockDim.y + cuda.threadIdx.y) * rows
        if first >= y.size:
            return
        first = uint64(min(first, y.size - rows))  # the last warp may repeat another's rows
        totals = cuda.local.array(rows, float32)
        held, ahead = cuda.local.array((rows, 4), uint32), cuda.local.array((rows, 4), uint32)
        steps, steps_ahead = cuda.local.array(rows, uint32), cuda.local.array(rows, uint32)
        for r in range(rows):
            totals[r] = float32(0)
        at = first * uint64(words_in_row) + lane * uint64(4)
        at_scale = first * uint64(scales_in_row) + lane // uint64(4)
        at_x = lane // uint64(4) * uint64(64) + lane % uint64(4) * uint64(8)
        if chunks > 0:
            fetch(words, scales, at, at_scale, held, steps)
        for chunk in range(chunks):
            if chunk + 1 < chunks:  # the next loads are in flight during this arithmetic
                fetch(words, scales, at + uint64(128), at_scale + uint64(8), ahead, steps_ahead)
            add(held, steps, x, at_x, magic, totals)
            if chunk + 1 < chunks:
                for r in range(rows):
                    steps[r] = steps_ahead[r]
                    for word in range(4):
                        held[r, word] = ahead[r, word]
            at += uint64(128)
            at_scale += uint64(8)
            at_x += uint64(512)
        if rest > 0 and 32 * cuda.threadIdx.x < rest:  # fewer than 1,024 at a row's end
            fetch(words, scales, at, at_scale, held, steps)
            add(held, steps, x, at_x, magic, totals)
        for r in range(rows):
            total = totals[r]
            for hop in (16, 8, 4, 2, 1):
                total += cuda.shfl_xor_sync(0xFFFFFFFF, total, hop)
            if lane == 0:
                y[first + uint64(r)] = total

    return int4_matvec_kernel


# --8<-- [end:kernel]


# --8<-- [start:host]
WARPS = 4  # of a block


def matvec_int4(words, scales, x):
    """Return the float32 product of packed weights and a vector.

    --8<-- [start:example]
    >>> random = np.random.default_rng(7)
    >>> weights, x = random.standard_normal((10, 384)), random.standard_normal(384)
    >>> words, scales = pack_int4(weights.astype(np.float32))
    >>> words.shape, scales.shape
    ((10, 48), (10, 3))
    >>> x = bfloat16(x)
    >>> exact = unpack_int4(words, scales) @ (x.astype(np.uint32) << 16).view(np.float32)
    >>> np.allclose(matvec_int4(words, scales, x), exact, rtol=1e-4, atol=1e-4)
    True

    --8<-- [end:example]
    """
    count, k = len(words), 8 * words.shape[1]
    rows = min(4, count)
    y = cuda.device_array(count, np.float32)
    blocks = -(-count // (rows * WARPS))
    arrays = [cuda.to_device(np.ascontiguousarray(a).reshape(-1)) for a in (words, scales)]
    make_matvec(k, rows)[blocks, (32, WARPS)](*arrays, cuda.to_device(x.view(np.uint32)), MAGIC, y)
    return y.copy_to_host()


# --8<-- [end:host]

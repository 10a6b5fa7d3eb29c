"""Batched Fourier transforms in place: a row is an array of two or three axes, a stage for each.

The arrays are flat float32, a real and an imaginary part in turn, as complex64 lies in memory. A
row of n points takes 16 n bytes of memory traffic and up to 128 KiB of shared memory.
"""

# --8<-- [start:imports]
import functools
import math

import numpy as np
from numba import cuda, float32, uint32, uint64

# --8<-- [end:imports]
from kernels.fft.stockham import alone, butterfly4, butterfly8, then
from kernels.patterns.shared import launch
from kernels.patterns.wide import load2, load4, store2


# --8<-- [start:butterfly]
def make_turns(radix, j):
    """Return a device function that turns result j of each butterfly of four by its root."""
    q = radix // 4
    angles = [2 * math.pi * i * j / radix for i in range(q)]
    cos = tuple(np.float32(math.cos(angle)) for angle in angles)
    sin = tuple(np.float32(-math.sin(angle)) for angle in angles)

    @cuda.jit(device=True, forceinline=True)
    def turns(re, im, at):
        for i in range(1, q):
            k = at + j * q + i
            x, y, c, s = re[k], im[k], float32(cos[i]), float32(sin[i])
            re[k], im[k] = x * c - y * s, x * s + y * c

    return turns


def make_butterfly(radix):
    """Return a device function: a transform of 4, 8, 16 or 32 points in place, from ``at`` on.

    With 4 or 8 points the results stand in order. With 16 or 32 they are q = radix // 4 butterflies
    of four, turns, and four butterflies of q; result r stands at r % 4 * q + r // 4.
    """
    if radix == 4:

        @cuda.jit(device=True, forceinline=True)
        def butterfly(re, im, at):
            butterfly4(re, im, at, at + 1, at + 2, at + 3)

        return butterfly
    if radix == 8:
        return butterfly8
    q, inner = radix // 4, make_butterfly(radix // 4)
    turns1, turns2, turns3 = (make_turns(radix, j) for j in (1, 2, 3))

    @cuda.jit(device=True, forceinline=True)
    def butterfly(re, im, at):
        for i in range(q):
            butterfly4(re, im, at + i, at + i + q, at + i + 2 * q, at + i + 3 * q)
        turns1(re, im, at)
        turns2(re, im, at)
        turns3(re, im, at)
        inner(re, im, at)
        inner(re, im, at + q)
        inner(re, im, at + 2 * q)
        inner(re, im, at + 3 * q)

    return butterfly


# --8<-- [end:butterfly]


# --8<-- [start:twiddle]
def twiddles(radices):
    """Return w and w^4 of each place p behind each stage but the last, as flat float32.

    A stage of radix R transforms rows of N points; w is e^(-2 pi i p / N), p from 0 to N / R - 1.
    """
    parts, n = [], math.prod(radices)
    for radix in radices[:-1]:
        angles = 2 * np.pi * np.arange(n // radix)[:, None] / n * [1, 4]
        parts.append(np.stack([np.cos(angles), -np.sin(angles)], axis=2).reshape(-1))
        n //= radix
    return np.concatenate(parts).astype(np.float32)


def make_twiddle(radix):
    """Return a device function that multiplies result r of a butterfly by w^r; radix 16 or 32.

    It is given w and w^4, and makes the others by products: w^2, w^3, then w^8, w^12 and so on.
    """
    q = radix // 4

    @cuda.jit(device=True, forceinline=True)
    def twiddle(re, im, at, w):
        a, b, fr, fi = w
        wr = cuda.local.array(4, float32)
        wi = cuda.local.array(4, float32)
        wr[1], wi[1] = a, b
        wr[2], wi[2] = a * a - b * b, float32(2) * a * b
        wr[3], wi[3] = wr[2] * a - wi[2] * b, wr[2] * b + wi[2] * a
        for s in range(1, 4):  # results 1, 2 and 3
            k = at + s * q
            x, y = re[k], im[k]
            re[k], im[k] = x * wr[s] - y * wi[s], x * wi[s] + y * wr[s]
        gr, gi = fr, fi
        for h in range(1, q):  # results 4 h to 4 h + 3; g is w^(4 h)
            k = at + h
            x, y = re[k], im[k]
            re[k], im[k] = x * gr - y * gi, x * gi + y * gr
            for s in range(1, 4):
                ur, ui = wr[s] * gr - wi[s] * gi, wr[s] * gi + wi[s] * gr
                k = at + s * q + h
                x, y = re[k], im[k]
                re[k], im[k] = x * ur - y * ui, x * ui + y * ur
            gr, gi = gr * fr - gi * fi, gr * fi + gi * fr

    return twiddle


# --8<-- [end:twiddle]


# --8<-- [start:place]
def strides(radices):
    """Return how far neighbors along each axis stand apart in shared memory, in points.

    The row is an array of the shape ``radices``, with one place of padding behind each of the
    slices along its first axis, so that lanes that walk along that axis come to different banks.
    """
    steps = [1]
    for radix in radices[:0:-1]:
        steps.insert(0, radix * steps[0])
    return [steps[0] + 1, *steps[1:]]


def make_place(radices, stage):
    """Return a device function: where butterfly j of a stage begins in shared memory, in points.

    j counts along all axes but the stage's own. The last axis runs fastest, so that a stage's
    twiddle factor is entry j % (N / R); in the last stage the first does, and j is the place in
    the result.
    """
    axes = [axis for axis in range(len(radices)) if axis != stage]
    if stage < len(radices) - 1:
        axes.reverse()
    steps = strides(radices)
    bits = radices[axes[0]].bit_length() - 1
    near, far = steps[axes[0]], steps[axes[1]] if len(axes) > 1 else 0

    @cuda.jit(device=True, forceinline=True)
    def place(j):
        return (j & ((1 << bits) - 1)) * near + (j >> bits) * far

    return place


# --8<-- [end:place]


# --8<-- [start:stage]
def repeat(step, radix, count):
    """Return a device function that takes ``count`` butterflies, without a loop over them."""
    if count == 1:
        return step
    half, middle = repeat(step, radix, count // 2), radix * (count // 2)

    @cuda.jit(device=True, forceinline=True)
    def both(re, im, at, w):
        half(re, im, at, w)
        half(re, im, at + middle, w)

    return both


def make_stage_in_place(radices, stage):
    """Return a stage: butterflies along one axis of the row and, but for the last, their factors.

    All butterflies of a thread have the same factors: a thread takes radices[0] points, so that
    the number of threads is a multiple of the number of factors.
    """
    radix, rest = radices[stage], math.prod(radices[stage + 1 :])
    before = [math.prod(radices[i + 1 :]) for i in range(stage)]
    begin = sum(before)  # where this stage's factors begin in the table
    butterfly, count = make_butterfly(radix), radices[0] // radix

    if stage == len(radices) - 1:

        @cuda.jit(device=True, forceinline=True)
        def plain(re, im, at, w):
            butterfly(re, im, at)

        butterflies = repeat(plain, radix, count)

        @cuda.jit(device=True, forceinline=True)
        def last(re, im, table, thread):
            butterflies(re, im, 0, 0)

        return last

    twiddle = make_twiddle(radix)

    @cuda.jit(device=True, forceinline=True)
    def turned(re, im, at, w):
        butterfly(re, im, at)
        twiddle(re, im, at, w)

    butterflies = repeat(turned, radix, count)

    @cuda.jit(device=True, forceinline=True)
    def work(re, im, table, thread):
        w = load4(table, uint64(4 * (begin + (thread & (rest - 1)))))
        butterflies(re, im, 0, w)

    return work


# --8<-- [end:stage]


# --8<-- [start:exchange]
def make_spot(radix):
    """Return a device function: which register holds result r of butterfly b."""
    q = radix // 4

    @cuda.jit(device=True, forceinline=True)
    def spot(b, r):
        return b * radix + (r if radix < 16 else r % 4 * q + r // 4)

    return spot


def make_exchange_in_place(radices, stage):
    """Return a device function: store the results of a stage, load the points of the next.

    A stage stores where it loaded: those places are the thread's own, and nobody else needs them
    before the barrier. So one barrier is enough.
    """
    points, steps = radices[0], strides(radices)
    threads = math.prod(radices) // points
    old, new = radices[stage : stage + 2]
    step, next_step = steps[stage : stage + 2]
    olds, news, spot = points // old, points // new, make_spot(old)
    put, get = make_place(radices, stage), make_place(radices, stage + 1)

    @cuda.jit(device=True, forceinline=True)
    def exchange(re, im, room, offset, thread):
        at = uint64(2 * (offset + put(thread)))
        for b in range(olds):
            for r in range(old):
                k = spot(b, r)
                store2(room, at + uint64(2 * (put(b * threads) + r * step)), (re[k], im[k]))
        cuda.syncthreads()
        at = uint64(2 * (offset + get(thread)))
        for b in range(news):
            for r in range(new):
                k = b * new + r
                re[k], im[k] = load2(room, at + uint64(2 * (get(b * threads) + r * next_step)))

    return exchange


# --8<-- [end:exchange]


# --8<-- [start:kernel]
def make_fft_in_place(radices, together=1, blocks=1):
    """Return a kernel that transforms rows of n = prod(radices) points, ``together`` in a block.

    The largest radix comes first, and a thread takes as many points. ``blocks`` is how many blocks
    must fit on a multiprocessor: it limits the registers of a thread.
    """
    assert len(radices) in (2, 3), "two or three axes"
    assert all(a >= b for a, b in zip(radices, radices[1:], strict=False)), "the largest first"
    assert all(radix in (16, 32) for radix in radices[:-1]), "radix 16 or 32 before the last"
    assert radices[-1] in (4, 8, 16, 32), "the last radix: 4, 8, 16 or 32"
    n, points, final = math.prod(radices), radices[0], radices[-1]
    threads, size = n // points, n + points
    stages = alone(make_stage_in_place(radices, 0))
    for i in range(1, len(radices)):
        stages = then(
            stages, make_exchange_in_place(radices, i - 1), make_stage_in_place(radices, i)
        )
    spot = make_spot(final)

    @cuda.jit(launch_bounds=(threads * together, blocks))
    def fft_kernel(x, table, rows, out):
        room = cuda.shared.array(0, float32)
        re = cuda.local.array(points, float32)
        im = cuda.local.array(points, float32)
        thread = uint32(cuda.threadIdx.x)
        row = uint32(cuda.blockIdx.x * together + cuda.threadIdx.y)
        at = uint64(2) * (uint64(row) * uint64(n) + uint64(thread))
        for k in range(points):
            re[k], im[k] = float32(0), float32(0)
        if row < rows:
            for r in range(points):
                re[r], im[r] = load2(x, at + uint64(2 * r * threads))
        stages(re, im, table, thread, room, uint32(cuda.threadIdx.y * size))
        if row < rows:
            for b in range(points // final):
                for r in range(final):
                    k = spot(b, r)
                    store2(out, at + uint64(2 * (b * threads + r * (n // final))), (re[k], im[k]))

    return fft_kernel


# --8<-- [end:kernel]


# --8<-- [start:host]
make_fft_in_place = functools.cache(make_fft_in_place)

RADICES = {
    64: (16, 4),
    128: (16, 8),
    256: (16, 16),
    512: (32, 16),
    1024: (32, 32),
    2048: (16, 16, 8),
    4096: (16, 16, 16),
    8192: (32, 16, 16),
    16384: (32, 32, 16),
}


def plan_in_place(n):
    """Return the radices of rows of n points, the rows of a block, and blocks to a multiprocessor.

    A block has 128 threads or more, and a multiprocessor 16,384 points: 4 registers a point.
    """
    radices = RADICES[n]
    together = max(1, 128 * radices[0] // n)
    return radices, together, max(1, 16384 // (n * together))


def fft_in_place_rows(x, table, rows, n, out, shape=None):
    """Launch the transform of each row of a flat array on the device, into ``out``.

    ``table`` is twiddles(radices). ``shape`` is (radices, together, blocks).
    """
    radices, together, blocks = shape or plan_in_place(n)
    kernel = make_fft_in_place(radices, together, blocks)
    threads, shared = (n // radices[0], together), 8 * together * (n + radices[0])
    launch(kernel, -(-rows // together), threads, shared, x, table, np.uint32(rows), out)


def fft_in_place(x):
    """Return the Fourier transform of each row of a complex64 matrix of 2^k columns, 64 to 16384.

    --8<-- [start:example]
    >>> wave = np.exp(2j * np.pi * 5 * np.arange(64) / 64).astype(np.complex64)
    >>> spectrum = fft_in_place(np.stack([wave, np.ones(64, np.complex64)]))
    >>> abs(spectrum).argmax(axis=1), abs(spectrum).max(axis=1).round(3)
    (array([5, 0]), array([64., 64.], dtype=float32))

    --8<-- [end:example]
    """
    rows, n = x.shape
    if n not in RADICES:
        raise ValueError(f"{n} columns: this takes powers of two from 64 to 16384")
    d_x = cuda.to_device(np.ascontiguousarray(x, dtype=np.complex64).reshape(-1).view(np.float32))
    out = cuda.device_array_like(d_x)
    fft_in_place_rows(d_x, cuda.to_device(twiddles(RADICES[n])), rows, n, out)
    return out.copy_to_host().view(np.complex64).reshape(x.shape)


# --8<-- [end:host]

"""Batched Fourier transforms of 2^k points, radix 2, 4 or 8: in registers and shared memory.

The arrays are flat float32, a real and an imaginary part in turn, as complex64 lies in memory.
"""

# --8<-- [start:imports]
import functools
import math

import numpy as np
from numba import cuda, float32, uint32

# --8<-- [end:imports]
from kernels.patterns.shared import launch
from kernels.patterns.wide import load2, store2

# --8<-- [start:butterflies]
HALF = float32(math.sqrt(0.5))


@cuda.jit(device=True)
def butterfly2(re, im, a, b):
    """Transform two points in place, at a and b."""
    ar, ai, br, bi = re[a], im[a], re[b], im[b]
    re[a], im[a], re[b], im[b] = ar + br, ai + bi, ar - br, ai - bi


@cuda.jit(device=True)
def butterfly4(re, im, a, b, c, d):
    """Transform four points in place; the results stand in their order."""
    butterfly2(re, im, a, c)
    butterfly2(re, im, b, d)
    re[d], im[d] = im[d], -re[d]  # times -i
    butterfly2(re, im, a, b)
    butterfly2(re, im, c, d)
    # a, c, b, d hold the results 0, 1, 2, 3
    br, bi = re[b], im[b]
    re[b], im[b] = re[c], im[c]
    re[c], im[c] = br, bi


@cuda.jit(device=True)
def butterfly8(re, im, at):
    """Transform eight points in place, from ``at`` on."""
    butterfly4(re, im, at, at + 2, at + 4, at + 6)
    butterfly4(re, im, at + 1, at + 3, at + 5, at + 7)
    r, i = re[at + 3], im[at + 3]
    re[at + 3], im[at + 3] = HALF * (r + i), HALF * (i - r)  # times (1 - i) / sqrt(2)
    re[at + 5], im[at + 5] = im[at + 5], -re[at + 5]  # times -i
    r, i = re[at + 7], im[at + 7]
    re[at + 7], im[at + 7] = HALF * (i - r), -HALF * (r + i)  # times (-1 - i) / sqrt(2)
    for k in range(0, 8, 2):
        butterfly2(re, im, at + k, at + k + 1)
    # now 0, 4, 1, 5, 2, 6, 3, 7
    r, i = re[at + 1], im[at + 1]
    re[at + 1], im[at + 1] = re[at + 2], im[at + 2]
    re[at + 2], im[at + 2] = re[at + 4], im[at + 4]
    re[at + 4], im[at + 4] = r, i
    r, i = re[at + 3], im[at + 3]
    re[at + 3], im[at + 3] = re[at + 6], im[at + 6]
    re[at + 6], im[at + 6] = re[at + 5], im[at + 5]
    re[at + 5], im[at + 5] = r, i


# --8<-- [end:butterflies]


# --8<-- [start:stage]
def make_stage(n, done, radix, points):
    """Return a stage: it makes transforms of done * radix points of those of ``done`` points.

    A thread has ``points`` points, which are points // radix butterflies. Of ``table`` it uses the
    ``done`` entries from ``done`` on: cos and -sin of 2 pi k / (done * radix).
    """
    threads = n // points

    @cuda.jit(device=True, forceinline=True)
    def stage(re, im, table, thread):
        wr = cuda.local.array(radix, float32)
        wi = cuda.local.array(radix, float32)
        for b in range(points // radix):
            at = b * radix
            if done > 1:
                place = uint32(done) + uint32(thread + b * threads) % uint32(done)
                wr[1], wi[1] = load2(table, 2 * place)
                for r in range(2, radix):  # each power is the product of two near the middle
                    p, q = r // 2, r - r // 2
                    wr[r] = wr[p] * wr[q] - wi[p] * wi[q]
                    wi[r] = wr[p] * wi[q] + wi[p] * wr[q]
                for r in range(1, radix):
                    x, y = re[at + r], im[at + r]
                    re[at + r], im[at + r] = x * wr[r] - y * wi[r], x * wi[r] + y * wr[r]
            if radix == 2:
                butterfly2(re, im, at, at + 1)
            elif radix == 4:
                butterfly4(re, im, at, at + 1, at + 2, at + 3)
            else:
                butterfly8(re, im, at)

    return stage


# --8<-- [end:stage]


# --8<-- [start:exchange]
def make_places(n, done, radix, points):
    """Return where a thread's point k is read before a stage, and where it belongs behind it."""
    threads, apart = n // points, n // radix

    @cuda.jit(device=True, forceinline=True)
    def before(thread, k):
        return uint32(thread + k // radix * threads + k % radix * apart)

    @cuda.jit(device=True, forceinline=True)
    def behind(thread, k):
        j = uint32(thread + k // radix * threads)
        rest = uint32(j % uint32(done))
        return uint32((j - rest) * radix + rest + k % radix * done)

    return before, behind


@cuda.jit(device=True)
def swizzle(i):
    """Return the place of point i, so that the 32 lanes of a warp always use 32 banks."""
    return uint32(i ^ (i >> 5 & 1) * 4 ^ (i >> 6 & 1) * 9 ^ (i >> 7 & 1) * 18)


def make_exchange(behind, before, points):
    """Return a device function that hands the points on by shared memory, room for n floats.

    Imaginary parts go after the real ones, so it takes half the shared memory and four barriers.
    """

    @cuda.jit(device=True, forceinline=True)
    def exchange(re, im, room, offset, thread):
        for k in range(points):
            room[uint32(offset + swizzle(behind(thread, k)))] = re[k]
        cuda.syncthreads()
        for k in range(points):
            re[k] = room[uint32(offset + swizzle(before(thread, k)))]
        cuda.syncthreads()
        for k in range(points):
            room[uint32(offset + swizzle(behind(thread, k)))] = im[k]
        cuda.syncthreads()
        for k in range(points):
            im[k] = room[uint32(offset + swizzle(before(thread, k)))]
        cuda.syncthreads()

    return exchange


# --8<-- [end:exchange]


# --8<-- [start:kernel]
def radices(n, radix):
    """Return the radix of each stage: the largest first, and one smaller where it must be."""
    stages = []
    while n > 1:
        while n % radix:
            radix //= 2
        stages.append(radix)
        n //= radix
    return stages


def then(first, exchange, second):
    """Return a device function that does two things, and exchanges the points between them."""

    @cuda.jit(device=True, forceinline=True)
    def both(re, im, table, thread, room, offset):
        first(re, im, table, thread, room, offset)
        exchange(re, im, room, offset, thread)
        second(re, im, table, thread)

    return both


def make_fft(n, radix=8, points=8, together=1, blocks=1):
    """Return a kernel that transforms rows of n points, ``together`` of them in a block.

    n is a power of two and a multiple of ``points``, which is a multiple of ``radix``. ``blocks``
    is how many blocks must fit on a multiprocessor: it limits the registers of a thread.
    """
    threads = n // points
    stages, done, behind = None, 1, None
    for number in radices(n, radix):
        stage = make_stage(n, done, number, points)
        before, after = make_places(n, done, number, points)
        if stages is None:
            first_place = before
            stages = alone(stage)
        else:
            stages = then(stages, make_exchange(behind, before, points), stage)
        done, behind = done * number, after
    last_place = behind

    @cuda.jit(launch_bounds=(threads * together, blocks))
    def fft_kernel(x, table, rows, out):
        room = cuda.shared.array(0, float32)
        re = cuda.local.array(points, float32)
        im = cuda.local.array(points, float32)
        thread = uint32(cuda.threadIdx.x)
        row = uint32(cuda.blockIdx.x * together + cuda.threadIdx.y)
        start = row * uint32(n)
        for k in range(points):
            re[k], im[k] = float32(0), float32(0)
        if row < rows:
            for k in range(points):
                re[k], im[k] = load2(x, 2 * (start + first_place(thread, k)))
        stages(re, im, table, thread, room, uint32(cuda.threadIdx.y * n))
        if row < rows:
            for k in range(points):
                store2(out, 2 * (start + last_place(thread, k)), (re[k], im[k]))

    return fft_kernel


def alone(stage):
    """Return a stage that takes room for an exchange, and does not use it."""

    @cuda.jit(device=True, forceinline=True)
    def first(re, im, table, thread, room, offset):
        stage(re, im, table, thread)

    return first


# --8<-- [end:kernel]


# --8<-- [start:host]
make_fft = functools.cache(make_fft)


def roots(n, radix=8):
    """Return the factors of each stage, cos and -sin in turn, as float32: those of a stage of
    ``done`` points stand side by side from ``done`` on, so that neighbors read neighbors."""
    table, done = np.zeros((n, 2)), 1
    for number in radices(n, radix):
        angles = 2 * np.pi * np.arange(done) / (done * number)
        if done > 1:
            table[done : 2 * done] = np.stack([np.cos(angles), -np.sin(angles)], axis=1)
        done *= number
    return table.astype(np.float32).reshape(-1)


def fft_rows(x, table, rows, n, out, shape=(8, 8, 1, 1)):
    """Launch the transform of each row of a flat array on the device, into ``out``.

    ``shape`` is radix, points of a thread, rows of a block and blocks to a multiprocessor.
    """
    radix, points, together, blocks = shape
    kernel = make_fft(n, radix, points, together, blocks)
    threads, shared = (n // points, together), 4 * together * n
    launch(kernel, -(-rows // together), threads, shared, x, table, np.uint32(rows), out)


def fft(x):
    """Return the Fourier transform of each row of a complex64 matrix of 2^k columns, 8 to 8192.

    --8<-- [start:example]
    >>> wave = np.exp(2j * np.pi * 5 * np.arange(64) / 64).astype(np.complex64)
    >>> spectrum = fft(np.stack([wave, np.ones(64, np.complex64)]))
    >>> abs(spectrum).argmax(axis=1), abs(spectrum).max(axis=1).round(3)
    (array([5, 0]), array([64., 64.], dtype=float32))

    --8<-- [end:example]
    """
    rows, n = x.shape
    if n & (n - 1) or not 8 <= n <= 8192:
        raise ValueError(f"{n} columns: this takes powers of two from 8 to 8192")
    d_x = cuda.to_device(np.ascontiguousarray(x, dtype=np.complex64).reshape(-1).view(np.float32))
    out = cuda.device_array_like(d_x)
    fft_rows(d_x, cuda.to_device(roots(n)), rows, n, out)
    return out.copy_to_host().view(np.complex64).reshape(x.shape)


# --8<-- [end:host]

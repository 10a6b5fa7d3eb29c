"""Stars that pull on each other: several a thread, and the inverse root in one instruction."""

# --8<-- [start:imports]
import functools

import numpy as np
from numba import cuda, float32, uint64

# --8<-- [end:imports]
from kernels.matvec.wide import add_parts_kernel
from kernels.nbody.root import rsqrtf
from kernels.patterns.wide import load4, store4


# --8<-- [start:kernel]
@functools.cache
def make_pull(per=4, threads=128):
    """Return a kernel (stars, n, share, soft, pull), ``per`` stars a thread, for flat arrays.

    Of each star, stars has x, y, z and mass. Row p of the grid's blocks takes those that pull from
    p * share on, a multiple of ``threads``, and writes row p of pull: (parts, 4 n) float32.
    """
    size = 4 * threads

    @cuda.jit(device=True, forceinline=True, fastmath=True)
    def add_pull(tile, at, soft, place, acc):
        x, y, z, mass = load4(tile, at)  # 16 bytes, for ``per`` stars
        for p in range(per):
            dx, dy, dz = x - place[p, 0], y - place[p, 1], z - place[p, 2]
            inverse = rsqrtf(dx * dx + (dy * dy + (dz * dz + soft)))
            strength = mass * inverse * (inverse * inverse)
            acc[p, 0] += strength * dx
            acc[p, 1] += strength * dy
            acc[p, 2] += strength * dz

    @cuda.jit(fastmath=True)
    def pull_kernel(stars, n, share, soft, pull):
        tile = cuda.shared.array(size, float32, alignment=16)
        place = cuda.local.array((per, 3), float32)
        acc = cuda.local.array((per, 3), float32)
        t = cuda.threadIdx.x
        first = cuda.blockIdx.x * per * threads + t
        for p in range(per):
            i = min(first + p * threads, n - 1)
            place[p, 0], place[p, 1], place[p, 2], _ = load4(stars, uint64(4 * i))
            for c in range(3):
                acc[p, c] = float32(0)
        begin = cuda.blockIdx.y * share
        for start in range(begin, min(begin + share, n), threads):
            four = float32(0), float32(0), float32(0), float32(0)  # no mass, no pull
            if start + t < n:
                four = load4(stars, uint64(4 * (start + t)))
            cuda.syncthreads()  # all have read the tile before it is overwritten
            store4(tile, uint64(4 * t), four)
            cuda.syncthreads()
            for j in range(0, threads, 4):
                add_pull(tile, uint64(4 * j), soft, place, acc)
                add_pull(tile, uint64(4 * j + 4), soft, place, acc)
                add_pull(tile, uint64(4 * j + 8), soft, place, acc)
                add_pull(tile, uint64(4 * j + 12), soft, place, acc)
        for p in range(per):
            i = first + p * threads
            if i < n:
                place4 = uint64(4 * (cuda.blockIdx.y * n + i))
                store4(pull, place4, (acc[p, 0], acc[p, 1], acc[p, 2], float32(0)))

    return pull_kernel


# --8<-- [end:kernel]


# --8<-- [start:host]
THREADS, PER = 128, 4
WARPS = 132 * 32  # of all blocks together: enough to hide the waiting of each


def cut(n):
    """Return into how many parts the stars that pull are cut, and how many each part has."""
    blocks = -(-n // (PER * THREADS))
    parts = max(1, min(WARPS * 32 // (blocks * THREADS), n // (4 * THREADS)))
    share = THREADS * -(-n // (THREADS * parts))
    return -(-n // share), share


def pull_launch(stars, n, soft, parts, pull):
    """Launch on flat device arrays; ``parts`` holds cut(n)[0] x 4 n float32."""
    count, share = cut(n)
    blocks = -(-n // (PER * THREADS)), count
    make_pull(PER, THREADS)[blocks, THREADS](stars, n, share, np.float32(soft), parts)
    add_parts_kernel[-(-4 * n // 128), 128](parts.reshape(count, 4 * n), pull)


def pulls_registers(stars, soft=0.01):
    """Return the accelerations (n, 3) of stars (n, 4).

    --8<-- [start:example]
    >>> cloud = np.random.default_rng(8).standard_normal((1000, 4), dtype=np.float32)
    >>> np.allclose(pulls_registers(cloud), pulls(pull_plain_kernel, cloud), rtol=1e-3, atol=1e-2)
    True

    --8<-- [end:example]
    """
    n = len(stars)
    parts = cuda.device_array(cut(n)[0] * 4 * n, np.float32)
    pull = cuda.device_array(4 * n, np.float32)
    d_stars = cuda.to_device(np.ascontiguousarray(stars, dtype=np.float32).reshape(-1))
    pull_launch(d_stars, n, soft, parts, pull)
    return pull.copy_to_host().reshape(n, 4)[:, :3]


# --8<-- [end:host]

"""Loads from global memory with and without a tile in shared memory, counted by the stepper."""

from functools import cache

import numpy as np

from snippets.diagrams.observed import observe
from snippets.diagrams.panels import Panel, Picture

N, REACH = 64, 2  # elements, neighbors to each side
WIDE = N + 2 * REACH


@cache
def loads(tiled):
    """Return how many elements of x the threads ask global memory for."""

    def direct(cuda):
        @cuda.jit
        def kernel(x, out):
            i = cuda.threadIdx.x
            total = x[i]
            for k in range(1, REACH * 2 + 1):
                total += x[i + k]
            out[i] = total

        return kernel

    def staged(cuda):
        @cuda.jit
        def kernel(x, out):
            tile = cuda.shared.array(WIDE, np.float32)
            i = cuda.threadIdx.x
            tile[i] = x[i]
            if i < REACH * 2:
                tile[N + i] = x[N + i]
            cuda.syncthreads()
            total = tile[i]
            for k in range(1, REACH * 2 + 1):
                total += tile[i + k]
            out[i] = total

        return kernel

    x = np.ones(WIDE, np.float32)
    launch = observe(staged if tiled else direct, (1, N), x, np.zeros(N, np.float32))
    return sum(len(e) for array, kind, _, e in launch.accesses if (array, kind) == ("x", "load"))


def panel(tiled):
    drawn = Panel(f"{'With' if tiled else 'Without'}: {loads(tiled)} loads from global")
    drawn.text(0, 42, "x", "kx", "start")
    drawn.cells(26, 30, ["tc"] * 12, 26, 18, 2)
    top = 140
    drawn.text(0, top + 13, "thread", "ks km", "start")
    if tiled:
        drawn.lines([(38 + 26 * k, 48, 38 + 26 * k, 78) for k in range(12)], "lb")
        drawn.cells(26, 80, ["fa"] * 12, 26, 18, 2)
        drawn.text(24, 94, "tile", "kx km", "end")
        ends = [(90 + 26 * t, top, 38 + 26 * (t + k), 98) for t in range(8) for k in range(5)]
        drawn.lines(ends, "la")
    else:
        ends = [(90 + 26 * t, top, 38 + 26 * (t + k), 48) for t in range(8) for k in range(5)]
        drawn.lines(ends, "lb")
    drawn.cells(78, top, ["fs"] * 8, 26, 18, 2, words=range(8), look="kw km")
    drawn.key(178, ("fb", "global"), ("fa", "shared, inside the multiprocessor"))
    return drawn


def draw():
    return Picture(
        panel(False),
        panel(True),
        alt="Each thread sums five neighbors. Left, all lines go up to the array in global "
        "memory. Right, each element is copied once into a tile in shared memory, and the lines "
        "of the threads end there.",
        see="Every thread adds five neighbors of x. Left, each fetches its own five: "
        f"{loads(False)} loads for a block of {N}. Right, the block fetches each element once, "
        f"{loads(True)} loads, waits, and reads the rest out of shared memory. The stepper "
        "counted both.",
    )

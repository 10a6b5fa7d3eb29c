"""Kernels that launch kernels, by way of CuPy: the Mandelbrot set, and the levels of a search."""

import numpy as np

# isort: split

# --8<-- [start:set]
import cupy as cp

# -rdc=true: relocatable code, which is linked with the launcher for kernels, cudadevrt.
LAUNCHES = ("-std=c++17", "-rdc=true")
SET = cp.RawModule(code=open("mandelbrot.cu").read(), options=(*LAUNCHES, "--fmad=false"))
SMALLEST = 32  # as in mandelbrot.cu


def mandelbrot(way, out, most, left=-2.0, top=1.25, width=2.5, start=256):
    """Return a function that fills a square image, and (launches, refused ones) of the squares."""
    kernel, side = SET.get_function(way), len(out)
    counts, count = cp.zeros(2, np.int32), cp.zeros(1, np.int32)
    pixel = np.float32(width / side)
    view = out, np.int32(side), np.float32(left), np.float32(top), pixel, np.int32(most)
    many = side // start
    y, x = cp.divmod(cp.arange(many * many, dtype=np.int32), np.int32(many))
    squares = cp.stack([x, y], axis=1) * np.int32(start)
    lists = [cp.empty(((side // SMALLEST) ** 2, 2), np.int32) for _ in range(2)]

    def all_pixels():
        kernel((side // 16, side // 16), (16, 16), view)

    def launched_squares():
        kernel((many, many), (128,), (*view, *np.int32([0, 0, start]), counts))

    def listed_squares():
        here, there, length, size = squares, lists[0], len(squares), start
        while length:
            count.data.memset_async(0, 4)
            kernel((length,), (128,), (*view, np.int32(size), here, there, count))
            length = int(count[0]) if size > SMALLEST else 0  # waits for the GPU
            here, there, size = there, lists[there is lists[0]], size // 2

    return {
        "all_pixels": all_pixels,
        "squares": launched_squares,
        "listed_squares": listed_squares,
    }[way], counts


# --8<-- [end:set]


# --8<-- [start:levels]
LEVELS = cp.RawModule(code=open("levels.cu").read(), options=LAUNCHES)


def search_by(who, starts, targets, first, most=2**31 - 1):
    """Return a function that searches, and its levels; ``who`` launches them: "host" or "gpu".

    A vertex with more than ``most`` neighbors launches a grid for them. Behind the n levels stand
    the lengths of two frontiers, and whether a launch was refused.
    """
    expand, search = map(LEVELS.get_function, ("expand", "search"))
    n = len(starts) - 1
    at_start = cp.full(n + 4, -1, np.int32)
    at_start[first], at_start[n:] = 0, cp.asarray([1, 0, 0, first], np.int32)
    state = cp.empty(3 * n + 3, np.int32)
    level, counts, *frontiers = cp.split(state, [n, n + 3, 2 * n + 3])
    graph, most = (starts, targets, level), np.int32(most)

    def by_gpu():
        state[: n + 4] = at_start
        search((1,), (1,), (*graph, np.int32(0), *frontiers, counts, most))

    def by_host():
        state[: n + 4] = at_start
        length, depth = 1, 0
        while length:
            here, there = frontiers[depth % 2], frontiers[1 - depth % 2]
            count = counts[1 - depth % 2 : 2 - depth % 2]
            count.data.memset_async(0, 4)
            sizes = (*graph, np.int32(depth), here, np.int32(length), there, count, most)
            expand((-(-length // 128),), (128,), sizes)
            length, depth = int(count[0]), depth + 1  # waits for the GPU

    return {"gpu": by_gpu, "host": by_host}[who], state[: n + 3]


# --8<-- [end:levels]


def _examples():
    """
    --8<-- [start:set_example]
    >>> images = [cp.zeros((512, 512), np.int32) for _ in range(3)]
    >>> for way, image in zip(("all_pixels", "squares", "listed_squares"), images):
    ...     draw, counts = mandelbrot(way, image, most=1000)
    ...     draw()
    ...     print(way, bool((image == images[0]).all()), counts.tolist())
    all_pixels True [0, 0]
    squares True [80, 0]
    listed_squares True [0, 0]
    >>> int((images[1].get() != escape_steps(512, 1000)).sum())
    0

    --8<-- [end:set_example]

    --8<-- [start:levels_example]
    >>> starts = cp.asarray([0, 2, 3, 5, 6, 6, 7, 8], np.int32)
    >>> targets = cp.asarray([1, 2, 3, 3, 4, 5, 0, 4], np.int32)
    >>> for who, most in (("host", 9), ("gpu", 9), ("gpu", 1)):
    ...     run, found = search_by(who, starts, targets, first=0, most=most)
    ...     run()
    ...     print(who, found.get()[:7], "refused:", found.get()[9])
    host [ 0  1  1  2  2  3 -1] refused: 0
    gpu [ 0  1  1  2  2  3 -1] refused: 0
    gpu [ 0  1  1  2  2  3 -1] refused: 0

    --8<-- [end:levels_example]
    """

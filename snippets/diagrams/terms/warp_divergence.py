"""Which lanes run each line, when a condition splits a warp and when it does not."""

from functools import cache

import numpy as np

from snippets.diagrams.observed import observe
from snippets.diagrams.panels import Panel, Picture


@cache
def masks(split):
    """Return ([(line, lanes that ran it)], how many instructions' worth of lanes were off)."""
    if split:

        def make(cuda):
            @cuda.jit
            def kernel(x):
                i = cuda.threadIdx.x
                if i % 2 == 0:
                    x[i] = x[i] * 3
                else:
                    x[i] = x[i] + 7

            return kernel

    else:

        def make(cuda):
            @cuda.jit
            def kernel(x):
                i = cuda.threadIdx.x
                if i // 32 == 0:
                    x[i] = x[i] * 3
                else:
                    x[i] = x[i] + 7

            return kernel

    return observe(make, (1, 64), np.ones(64, np.float32)).masks


def panel(split):
    rows = masks(split)
    drawn = Panel(f"Warp 0 runs {len(rows)} lines")
    for k, (line, lanes) in enumerate(rows):
        y = 36 + 36 * k
        drawn.text(10, y, line, "km", "start")
        drawn.warp(y + 5, ["fa" if lane in lanes else "d" for lane in range(32)], height=13)
    return drawn


def draw():
    both, one = panel(True), panel(False)
    both.height = one.height = max(both.lowest, one.lowest) + 26
    both.key(both.height - 6, ("fa", "lane runs the line"), ("d", "switched off"), x=10)
    one.text(10, one.height - 6, "Warp 1 runs the else, and only that.", "ks km", "start")
    return Picture(
        both,
        one,
        alt="Rows of 32 lanes, one for each line of a kernel. With a condition on even and odd "
        "threads, the warp runs both branches, each with half of its lanes. With a condition "
        "that is the same for the whole warp, it runs one branch, with all of them.",
        see="The same two branches. Left, neighbors disagree: the warp runs both, "
        f"{len(masks(True))} lines, and half of the lanes are off in two of them. Right, the "
        f"condition changes only from warp to warp: {len(masks(False))} lines, every lane at "
        "work. Read off the stepper.",
    )

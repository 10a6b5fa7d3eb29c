"""shfl_down and the sum of a warp, with the values as the stepper has them."""

from functools import cache

import numpy as np

from snippets.diagrams.observed import observe
from snippets.diagrams.panels import Panel, Picture

STEPS = (16, 8, 4, 2, 1)


@cache
def sums():
    """Return lane 0's value after each step of the sum of 32 ones to thirty-twos."""

    def make(cuda):
        @cuda.jit
        def kernel(x, out):
            lane = cuda.threadIdx.x
            total = x[lane]
            for step in range(5):
                total += cuda.shfl_down_sync(0xFFFFFFFF, total, 16 >> step)
                out[step, lane] = total

        return kernel

    start = np.arange(1, 33, dtype=np.float32)
    out = observe(make, (1, 32), start, np.zeros((5, 32), np.float32)).arrays[1]
    return [int(row[0]) for row in out]


def draw():
    one = Panel("shfl_down by 4: lane i gets lane i + 4's")
    one.text(2, 48, "have", "ks km", "start")
    one.cells(36, 34, ["fc"] * 12, 25, 20, 2, words=[f"v{k}" for k in range(12)])
    one.lines([(48 + 25 * (k + 4), 56, 48 + 25 * k, 90) for k in range(8)], "la")
    one.text(2, 107, "get", "ks km", "start")
    kinds = ["fa"] * 8 + ["n"] * 4
    one.cells(36, 93, kinds, 25, 20, 2, words=[f"v{k + 4}" for k in range(8)] + ["…"] * 4)
    one.rows(
        2,
        140,
        "Register to register, no memory between,",
        "no barrier: one instruction.",
        kind="km",
        anchor="start",
    )

    tree = Panel(f"Five of them add 32 numbers: {sums()[-1]}")
    for k, (step, total) in enumerate(zip(STEPS, sums(), strict=True)):
        y = 34 + 30 * k
        tree.text(0, y + 11, f"by {step}", "km", "start")
        tree.cells(40, y, ["fa"] * step + ["ga"] * step + ["n"] * (32 - 2 * step), 7.6, 14)
        tree.text(338, y + 11, total, "kx km", "end")
    tree.text(338, 26, "lane 0", "ks km", "end")
    tree.key(194, ("fa", "sums still needed"), ("ga", "added to them"), x=40)
    return Picture(
        one,
        tree,
        alt="Left, a row of lanes from which each value goes four lanes to the left. Right, five "
        "rows of 32 lanes: by 16, 8, 4, 2 and 1, half of the remaining lanes are added to the "
        f"other half, and lane 0 ends with {sums()[-1]}.",
        see="Lanes read each other's registers. Halving the distance five times adds 32 numbers, "
        "here 1 to 32; the column on the right is lane 0's sum after each step, as the stepper "
        "has it.",
    )

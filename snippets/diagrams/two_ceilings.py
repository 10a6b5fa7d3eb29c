"""The two ceilings of each rung: what issue slots allow, and what the data pipe of L1 allows.

Counted from the loops' machine code and by the profiler: multiply-adds, instructions, wavefronts.
"""

from kernels.gemm.two_limits import limits
from snippets.diagrams import common

RUNGS = (
    ("naive, x down", 4, 144, 132),
    ("naive, Numba", 4, 144, 8),
    ("naive, CUDA C++", 16, 73, 32),
    ("tiled, Numba", 16, 93, 30),
    ("tiled, CUDA C++", 16, 69, 32.5),
    ("column, Numba", 16, 52, 18.25),
    ("8 x 8, Numba", 64, 99, 19.5),
)
MOST = 66.0


def draw(theme):
    shapes, y, left, width = [], 20, 120, 296
    title = "What two limits allow, TFLOP/s"
    shapes.append(common.text(4, y, title, theme["ink"], 13, "start", "bold"))
    y += 12
    for name, *counts in RUNGS:
        issue, reads = limits(*counts)
        shapes.append(common.text(4, y + 20, name, theme["ink"], 12, "start"))
        for k, (value, fill) in enumerate(((issue, theme["accent"]), (reads, theme["amber"]))):
            long = width * value / MOST
            binding = value == min(issue, reads)
            shapes.append(
                common.rect(left, y + 4 + k * 14, long, 12, fill if binding else "none", fill)
            )
            end = left + long + 6
            shapes.append(
                common.text(
                    min(end, 408), y + 14 + k * 14, f"{value:.1f}", theme["ink"], 11, "start",
                    "bold" if binding else "normal",
                )
            )  # fmt: skip
        y += 40
    for place, fill, words in (
        (4, theme["accent"], "four instructions a cycle"),
        (190, theme["amber"], "one wavefront of L1 a cycle"),
    ):
        shapes.append(common.rect(place, y, 12, 12, fill, radius=1))
        shapes.append(common.text(place + 18, y + 10, words, theme["ink"], 12, "start"))
    y += 30
    words = "the filled bar is the lower ceiling, which binds"
    shapes.append(common.text(4, y, words, theme["ink"], 12, "start"))
    label = "Ceilings by issue slots and by wavefronts: " + "; ".join(
        f"{name} {limits(*counts)[0]:.1f} and {limits(*counts)[1]:.1f}" for name, *counts in RUNGS
    )
    return common.svg(440, y + 8, *shapes, label=label)

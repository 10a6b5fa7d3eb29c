"""A read of one address by all lanes, and of two, counted by the stepper."""

from functools import cache

import numpy as np

from snippets.diagrams.observed import observe
from snippets.diagrams.panels import Panel, Picture


@cache
def addresses(count):
    """Return how many different elements a warp's lanes ask for."""

    def make(cuda):
        @cuda.jit
        def kernel(table, out, count):
            i = cuda.threadIdx.x
            out[i] = table[i % count]

        return kernel

    launch = observe(make, (1, 32), np.ones(32, np.float32), np.zeros(32, np.float32), count)
    elements = next(
        e for array, kind, _, e in launch.accesses if (array, kind) == ("table", "load")
    )
    return elements


def panel(count):
    elements = addresses(count)
    different = sorted(set(elements.values()))
    name = "table[0]" if count == 1 else f"table[i % {count}]"
    words = "one answer for all" if len(different) == 1 else f"{len(different)} answers, in turn"
    drawn = Panel(f"{name}: {words}")
    kinds = ("fa", "fb", "fc", "fv")
    drawn.warp(30, [kinds[elements[lane]] for lane in range(32)], height=16)
    for k, element in enumerate(different):
        x = 170 + 80 * (k - (len(different) - 1) / 2)
        lanes = [lane for lane in range(32) if elements[lane] == element]
        drawn.lines(
            [(x, 100, 15 + 10 * lane, 47) for lane in lanes[:: 1 if count > 1 else 2]],
            f"l{kinds[k][1]}",
        )
        drawn.box(x - 34, 100, 68, 26, kinds[k], f"table[{element}]", "kw km")
        drawn.text(x, 144, f"turn {k + 1}", "ks km")
    return drawn


def draw():
    return Picture(
        panel(1),
        panel(4),
        alt="Left, all 32 lanes read table[0] and one line of the constant cache answers them. "
        "Right, they read four different elements, which are answered in four turns.",
        see="The constant cache answers one address at a time, for as many lanes as want it. The "
        "same element for the whole warp costs one turn; four elements cost four.",
    )

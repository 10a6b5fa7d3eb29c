"""Turns that shared memory takes for all exchanges of a row, counted with the kernel's places."""

from collections import Counter
from itertools import pairwise
from types import SimpleNamespace

from snippets.diagrams.common import line, rect, run_section, svg, text

N, BANKS = 1024, 32
STAGES = {2: [2] * 10, 4: [4] * 5, 8: [8, 8, 8, 2]}


def turns(radix, swizzled):
    """Return the turns of a row's exchanges of one part, real or imaginary, and the fewest.

    A thread has ``radix`` points, as in the table of the page. A warp's access takes as many turns
    as lanes meet in the fullest bank.
    """
    plain = SimpleNamespace(jit=lambda **_: lambda function: function)
    code = run_section("fft/stockham.py", "exchange", cuda=plain, uint32=int)
    place = code["swizzle"] if swizzled else int
    stages, done, taken, fewest = [], 1, 0, 0
    for number in STAGES[radix]:
        stages.append(code["make_places"](N, done, number, radix))
        done *= number
    assert done == N
    for (_, behind), (before, _) in pairwise(stages):
        for where in (behind, before):
            for k in range(radix):
                for first in range(0, N // radix, 32):
                    lanes = range(first, first + 32)
                    taken += max(Counter(place(where(t, k)) % BANKS for t in lanes).values())
                    fewest += 1
    return taken, fewest


def draw(theme):
    ink, shapes, wide = theme["ink"], [], 250
    shapes.append(text(8, 14, "turns of shared memory, 1,024 points", ink, 12, "start", "bold"))
    at = 34
    for radix in STAGES:
        shapes.append(text(8, at + 16, f"radix {radix}", ink, 11, "start"))
        for swizzled, fill in ((False, theme["amber"]), (True, theme["accent"])):
            taken, fewest = turns(radix, swizzled)
            long = taken / 736 * wide
            shapes.append(rect(64, at, long, 16, fill))
            shapes.append(text(70 + long, at + 12, taken, ink, 11, "start"))
            at += 19
        end = 64 + fewest / 736 * wide
        shapes.append(line(end, at - 40, end, at, ink, 1.5, "3 2"))
        at += 12
    for x, fill, words in ((8, theme["amber"], "in order"), (90, theme["accent"], "swizzled")):
        shapes += [rect(x, at, 11, 11, fill), text(x + 16, at + 10, words, ink, 11, "start")]
    shapes += [line(180, at, 180, at + 12, ink, 1.5, "3 2")]
    shapes += [text(187, at + 10, "no conflict: 32 banks each time", ink, 11, "start")]
    label = "Turns of shared memory for radix 2, 4 and 8, with and without the swizzle."
    return svg(372, at + 20, *shapes, label=label)

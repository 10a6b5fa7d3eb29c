"""A warp's read, line by line, at strides 1, 2 and 8 and from element 1: read off the kernels."""

from snippets.diagrams.sectors import ROWS, warp_reads
from snippets.motion import count, span

LINE, SECTOR, LINES = 32, 8, 8  # words in a line and in a sector; lines that are drawn


def case(stride, offset):
    """Return the frames of one read, and how many sectors they bring."""
    _, elements = warp_reads(stride, offset)
    title = f"Stride {stride}" + (f" from element {offset}" if offset else "")
    memory, lanes, sectors = ["."] * (LINE * LINES), ["w"] * 32, 0
    words = f"{title}: the 32 lanes of a warp ask for one number each, in one request."
    frames = [{"words": words, "cells": ["".join(lanes), "".join(memory)]}]
    touched = sorted({element // LINE for element in elements})
    for line in touched:
        mine = [lane for lane, element in enumerate(elements) if element // LINE == line]
        new = sorted({elements[lane] // SECTOR for lane in mine})
        for sector in new:
            memory[sector * SECTOR : (sector + 1) * SECTOR] = "o" * SECTOR
        for lane in mine:
            memory[elements[lane]] = "a"
        sectors += len(new)
        now = ["a" if lane in mine else state for lane, state in enumerate(lanes)]
        lanes = ["d" if lane in mine else state for lane, state in enumerate(lanes)]
        words = (
            f"{title}, line {line}: {count(len(new), 'sector')} for {span(mine, 'lane')}. "
            f"Until now {count(sectors, 'sector')}."
        )
        if line == touched[-1]:
            share = 100 * len(elements) / (SECTOR * sectors)
            words += f" Of what came, {share:g} in 100 was asked for."
        links = [[0, lane, 1, elements[lane]] for lane in mine]
        frames.append({"words": words, "cells": ["".join(now), "".join(memory)], "links": links})
    return frames, sectors


def record():
    frames = []
    for row in ROWS:
        frames += case(*row)[0]
    return {
        "title": "Which sectors a warp's read brings",
        "caption": "Memory answers in sectors of eight numbers, however few of them a warp has "
        "asked for. Neighbors that read neighbors use all of four sectors. At stride 8 every lane "
        "brings a sector of its own, and seven eighths of each came for nothing.",
        "step": "request",
        "panels": [
            {"name": "A warp", "rows": [""], "columns": 32, "ends": ["lane 0", "lane 31"]},
            {
                "name": "Memory, in lines of four sectors",
                "rows": [f"line {n}" for n in range(LINES)],
                "columns": LINE,
                "group": SECTOR,
            },
        ],
        "legend": [
            ["w", "a lane that waits"],
            ["a", "asked for"],
            ["o", "moved, not asked for"],
            ["d", "a lane that has its number"],
        ],
        "frames": frames,
    }

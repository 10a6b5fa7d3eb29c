"""A warp at the 32 banks, turn by turn: the accesses of the lesson's transpose to its tile."""

from functools import cache

import numpy as np

from simulator.loading import stepping
from simulator.stepper import Stepper
from snippets.motion import count

BANKS = 32
# What is shown: columns of padding, the access, and what the page calls it.
CASES = (
    (0, "store", "It writes a row of the tile"),
    (0, "load", "It reads a column of the tile, 32 columns wide"),
    (1, "load", "It reads a column of the padded tile, 33 columns wide"),
)


@cache
def accesses(padding):
    """Return {kind: the words that the lanes of the first warp touch}, and the stepper's turns."""
    stepper = Stepper(mode="record")
    with stepping(stepper) as load:
        kernel = load("kernels.memory_access.transpose").make_transpose(32, padding)
        places = [stepper.cuda.to_device(np.zeros((32, 32), dtype=np.float32)) for _ in range(2)]
        kernel[(1, 1), (32, 32)](*places)
    done = stepper.launches[0]
    trace, words = done.trace.as_dict(), {}
    for _, warp, _, _, touched in trace["steps"]:
        for number, _, _, items, *_ in touched:
            site = trace["sites"][str(number)]
            if warp == 0 and site["array"] == "tile":
                words.setdefault(site["kind"], tuple(items))
    turns = {a.kind: max(a.ways) for a in done.counts.merged() if a.array == "tile"}
    return words, turns


def case(padding, kind, title):
    """Return the frames of one access, one for each turn after the first."""
    words = accesses(padding)[0][kind]
    waiting, served, frames, turn = list(range(32)), [], [], 0
    said = f"{title}: the lanes have their addresses."
    frames.append({"words": said, "cells": ["w" * 32, "." * BANKS]})
    while waiting:
        turn += 1
        taken = {}  # bank -> the word that it gives in this turn
        for lane in waiting:
            taken.setdefault(words[lane] % BANKS, words[lane])
        now = [lane for lane in waiting if taken[words[lane] % BANKS] == words[lane]]
        waiting = [lane for lane in waiting if lane not in now]
        lanes = "".join("a" if n in now else "d" if n in served else "w" for n in range(32))
        served += now
        rest = f"{count(len(waiting), 'lane')} wait{'s' if len(waiting) == 1 else ''}"
        said = f"{title}. Turn {turn}: {count(len(taken), 'bank')} at work, {rest}."
        if not waiting:
            said += f" Done in {count(turn, 'turn')}."
        frames.append(
            {
                "words": said,
                "cells": [lanes, "".join("a" if b in taken else "." for b in range(BANKS))],
                "links": [[0, lane, 1, words[lane] % BANKS] for lane in now],
            }
        )
    return frames


def record():
    return {
        "title": "A warp at the 32 banks of shared memory",
        "caption": "Each bank answers one address in a turn. A row of the tile keeps all 32 banks "
        "at work for one turn. A column of it lies in a single bank, so 31 banks idle while the "
        "lanes queue. One column of padding spreads the same column over all banks.",
        "step": "turn",
        "panels": [
            {"name": "A warp", "rows": [""], "columns": 32, "ends": ["lane 0", "lane 31"]},
            {"name": "Shared memory", "rows": [""], "columns": 32, "ends": ["bank 0", "bank 31"]},
        ],
        "legend": [
            ["a", "served in this turn"],
            ["w", "a lane that waits"],
            ["d", "a lane that has been served"],
            [".", "a bank that idles"],
        ],
        "frames": [frame for row in CASES for frame in case(*row)],
    }

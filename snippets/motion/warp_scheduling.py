"""One warp scheduler, cycle by cycle, with 1, 4 and 8 warps: a schedule that is simulated here.

The lesson's latencies are too long for a picture, so these are shorter: a load takes 12 cycles.
Then come four multiply-adds, each of which needs the one before and takes 4. In each cycle the
scheduler issues one instruction of one warp that is ready, the one with the lowest number.
"""

from snippets.motion import count

LATENCY, WORK, EACH, CYCLES = 12, 4, 4, 52
WARPS = (1, 4, 8)


def schedule(warps, cycles=CYCLES):
    """Return a letter for each warp and cycle, and the warp that issues in each cycle, or None."""
    ready, at = [0] * warps, [0] * warps  # when the next instruction can go; 0 is the load
    rows, issued = [[] for _ in range(warps)], []
    for cycle in range(cycles):
        able = [warp for warp in range(warps) if ready[warp] <= cycle]
        picked = able[0] if able else None
        issued.append(picked)
        for warp in range(warps):
            waits = "." if at[warp] == 1 else "d"  # for memory, or for its own last result
            rows[warp].append("a" if warp == picked else "o" if warp in able else waits)
        if picked is not None:
            ready[picked] = cycle + (EACH if at[picked] else LATENCY)
            at[picked] = (at[picked] + 1) % (WORK + 1)
    return ["".join(row) for row in rows], issued


def record():
    panels, slots = [], []
    for warps in WARPS:
        rows, issued = schedule(warps)
        slots.append(issued)
        slot = "".join("." if warp is None else "a" for warp in issued)
        panels.append(
            {
                "name": count(warps, "warp"),
                "rows": [*(f"warp {n}" for n in range(warps)), "slot"],
                "columns": CYCLES,
                "cells": "".join([*rows, slot]),
            }
        )
    frames = [{"words": "Nothing has been issued. All warps are ready to ask for their data."}]
    for cycle in range(CYCLES):
        used = [sum(warp is not None for warp in issued[: cycle + 1]) for issued in slots]
        picks = [
            f"of {warps}, {'none is ready' if issued[cycle] is None else f'warp {issued[cycle]}'}"
            for warps, issued in zip(WARPS, slots, strict=True)
        ]
        frames.append(
            {
                "words": f"Slot {cycle + 1}: {'; '.join(picks)}. "
                f"Filled so far: {used[0]}, {used[1]} and {used[2]} of {cycle + 1}."
            }
        )
    return {
        "title": "A warp scheduler with one, four and eight warps",
        "caption": "One scheduler picks one warp that is ready in each cycle. Alone, a warp leaves "
        "most slots empty: it waits for memory, or for its own last result. Four warps fill each "
        "other's gaps until all of them wait for memory at once. With eight some are always ready "
        "after the first wait, and have to wait for their turn. The latencies are scaled down to "
        "fit the picture.",
        "step": "cycle",
        "panels": panels,
        "legend": [
            ["a", "issues"],
            [".", "waits for memory"],
            ["d", "waits for its own last result"],
            ["o", "is ready, another is picked"],
        ],
        "frames": frames,
    }

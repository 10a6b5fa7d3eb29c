"""One scheduler's issue slots with one warp and with four: who waits, who works."""

from snippets.diagrams.panels import Panel, Picture

WAIT, WORK, SLOT = 6, 2, 10  # a load's latency and the work after it, in slots; units a slot
SLOTS = 28


def run(warps):
    """Return the slots in which each warp issues, when the scheduler takes whoever is ready."""
    issued = [[] for _ in range(warps)]
    ready, left = [0] * warps, [WORK] * warps
    for slot in range(SLOTS):
        able = [w for w in range(warps) if ready[w] <= slot]
        if able:
            warp = able[0]
            issued[warp].append(slot)
            left[warp] -= 1
            ready[warp] = slot + 1
            if not left[warp]:
                left[warp], ready[warp] = WORK, slot + 1 + WAIT
    return issued


def panel(warps):
    issued = run(warps)
    busy = {slot: w for w in range(warps) for slot in issued[w]}
    drawn = Panel(f"{warps} warp{'s' * (warps > 1)}: {len(busy)} of {SLOTS} issue slots used")
    colors = ("fa", "fc", "fv", "fb")
    for warp in range(4):
        y = 28 + warp * 22
        if warp >= warps:
            drawn.text(54, y + 12, "empty", "ks km", "start")
            continue
        drawn.text(0, y + 12, f"warp {warp}", "km", "start")
        kinds = [colors[warp] if slot in issued[warp] else "n" for slot in range(SLOTS)]
        drawn.cells(54, y, kinds, SLOT, 16)
    y = 28 + 4 * 22 + 8
    drawn.text(0, y + 14, "issues", "kx km", "start")
    drawn.cells(54, y, [colors[busy[s]] if s in busy else "o" for s in range(SLOTS)], SLOT, 20)
    drawn.time(y + 32, 54)
    return drawn


def draw():
    used = [sum(map(len, run(n))) for n in (1, 4)]
    return Picture(
        panel(1),
        panel(4),
        alt="Two time lines of one warp scheduler. With one warp the issue slots are used for "
        "two steps and then stand empty while the warp waits for memory. With four warps another "
        "one issues in each slot, and none stays empty.",
        see="Gray is a warp that waits for its load: it takes as long in both pictures. With one "
        f"warp the scheduler has nothing to do meanwhile ({used[0]} of {SLOTS} slots used); with "
        f"four it issues from another one, and the wait costs nothing ({used[1]} of {SLOTS}). A "
        f"model: {WORK} instructions, then a load that takes {WAIT} slots.",
    )

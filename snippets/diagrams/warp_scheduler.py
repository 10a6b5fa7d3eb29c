"""One scheduler over time with 1, 4 and 16 warps: when each warp waits for memory, when it works.

A model with the lesson's numbers: a load takes 670 cycles, then 64 multiply-adds follow, each of
which needs the one before and takes 4 cycles. In each cycle the scheduler issues for one warp.
"""

from functools import cache

from snippets.diagrams import common

LATENCY, WORK, EACH = 670, 64, 4
CYCLES = 2600  # that the picture shows
LONG = 60 * (LATENCY + WORK * EACH)  # over which the share is taken
WARPS = (1, 4, 16)


@cache
def schedule(warps, cycles=LONG):
    """Return (issues, work, share): cycles with an issue, work as (warp, first, last), the share.

    Of the warps that are ready, the one with the lowest number goes first.
    """
    ready = [LATENCY + 9 * warp for warp in range(warps)]  # their first loads, one after another
    began, done, issues, work = list(ready), [0] * warps, [], []
    for cycle in range(cycles):
        able = [warp for warp in range(warps) if ready[warp] <= cycle]
        if not able:
            continue
        warp = min(able)
        issues.append(cycle)
        done[warp] += 1
        ready[warp] = cycle + EACH
        if done[warp] == WORK:
            work.append((warp, began[warp], ready[warp]))
            began[warp] = ready[warp] = ready[warp] + LATENCY
            done[warp] = 0
    work += [(warp, began[warp], cycles) for warp in range(warps) if began[warp] < cycles]
    return issues, work, len(issues) / (cycles - LATENCY)


def draw(theme):
    left, width, y = 66, 366, 18
    shapes = []

    def x(cycle):
        return left + width * min(cycle, CYCLES) / CYCLES

    for warps in WARPS:
        share = schedule(warps)[2]
        issues, work, _ = schedule(warps, CYCLES)
        words = "1 warp" if warps == 1 else f"{warps} warps"
        title = f"{words}: an instruction in {100 * share:.0f} % of the cycles"
        shapes.append(common.text(4, y, title, theme["ink"], 12, "start", "bold"))
        y += 8
        high = 12 if warps <= 4 else 6
        for warp in range(warps):
            row = y + warp * (high + 2)
            if warps <= 4:
                name = f"warp {warp}"
                shapes.append(common.text(4, row + high - 2, name, theme["ink"], 11, "start"))
            elif warp in (0, warps - 1):
                name = f"warp {warp}"
                shapes.append(common.text(4, row + high, name, theme["ink"], 11, "start"))
            shapes.append(common.rect(left, row, width, high, theme["faint"], "none", radius=1))
        for warp, first, last in work:
            row = y + warp * (high + 2)
            shapes.append(
                common.rect(x(first), row, x(last) - x(first), high, theme["accent"], radius=1)
            )
        y += warps * (high + 2) + 4
        shapes.append(common.text(4, y + 13, "issue slot", theme["ink"], 11, "start"))
        shapes.append(common.rect(left, y, width, 16, theme["faint"], theme["grid"], radius=1))
        bins = 100
        for k in range(bins):
            lowest, highest = k * CYCLES // bins, (k + 1) * CYCLES // bins
            full = sum(lowest <= c < highest for c in issues) / (highest - lowest)
            if full:
                shapes.append(
                    common.rect(
                        x(lowest), y + 16 - 16 * full, x(highest) - x(lowest) + 0.2, 16 * full,
                        theme["amber"], radius=0,
                    )
                )  # fmt: skip
        y += 38
    for place, fill, words in (
        (4, theme["faint"], "waits for memory"),
        (140, theme["accent"], "has work"),
        (232, theme["amber"], "share of cycles with an issue"),
    ):
        shapes.append(common.rect(place, y - 11, 12, 12, fill, theme["grid"], radius=1))
        shapes.append(common.text(place + 18, y - 1, words, theme["ink"], 12, "start"))
    y += 18
    shapes.append(common.text(4, y, "time", theme["ink"], 12, "start"))
    shapes.append(common.arrow(36, y - 4, 120, y - 4, theme["ink"]))
    shapes.append(common.text(436, y, f"{CYCLES:,} cycles", theme["ink"], 12, "end"))
    shares = ", ".join(f"{w}: {100 * schedule(w)[2]:.0f} %" for w in WARPS)
    label = (
        f"One warp scheduler over {CYCLES} cycles. Share of cycles with an issue by warps: {shares}"
    )
    return common.svg(440, y + 6, *shapes, label=label)

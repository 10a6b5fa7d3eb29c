"""Eight multiplications of four cycles: in one chain, and in four."""

from snippets.diagrams import common

LATENCY, COUNT, UNIT, LEFT = 4, 8, 10, 66


def draw(theme):
    shapes, y = [], 16
    for chains in (1, 4):
        words = f"{chains} chain{'s' if chains > 1 else ''}"
        free = [0] * chains
        ends = []
        rows = []
        for k in range(COUNT):
            chain = k % chains
            start = max(free[chain], k)  # one starts in each cycle, at best
            free[chain] = start + LATENCY
            ends.append(start + LATENCY)
            rows.append((chain, start))
        shapes.append(
            common.text(4, y, f"{words}: {max(ends)} cycles", theme["ink"], 12, "start", "bold")
        )
        y += 8
        for chain in range(chains):
            name = "abcd"[chain]
            shapes.append(common.text(4, y + 14, f"{name} = {name} * x", theme["ink"], 11, "start"))
            for k, (where, start) in enumerate(rows):
                if where == chain:
                    x = LEFT + start * UNIT
                    shapes.append(
                        common.rect(x, y + 2, LATENCY * UNIT - 2, 17, theme["accent"], "none")
                    )
                    middle = x + LATENCY * UNIT / 2 - 1
                    shapes.append(common.text(middle, y + 14, k, theme["on_accent"], 11))
            y += 22
        y += 24
    shapes.append(
        common.text(4, y - 10, "A box is a multiplication that takes 4 cycles.", theme["ink"], 11,
                    "start")
    )  # fmt: skip
    label = (
        "Eight multiplications of four cycles each. In one chain each waits for the one before: 32 "
        "cycles. In four chains one starts in each cycle: 11 cycles"
    )
    return common.svg(392, y, *shapes, label=label)

"""The ring of slots over time: a producer runs ahead of two consumers, until every slot is full."""

from snippets.diagrams import common

SLOTS, STEPS = 4, 8
ASK, ARRIVE, MULTIPLY = 5, 26, 30  # lengths in the picture; nothing is measured


def schedule():
    """Return for each step (asked, full, used up) by the rules of the kernel's barriers."""
    rows, free, asked, busy = [], [0] * SLOTS, 0, 0
    for step in range(STEPS):
        slot = step % SLOTS
        asked = max(asked, free[slot])  # the producer waits for the slot's empty barrier
        full = max(asked + ARRIVE, rows[-1][1] + ASK if rows else 0)
        begin = max(full, busy)  # the consumers wait for its full barrier
        busy = free[slot] = begin + MULTIPLY
        rows.append((asked, full, begin, busy))
        asked += ASK
    return rows


def draw(theme):
    shapes, top = [], 22
    names = ["producer asks", *(f"slot {s}" for s in range(SLOTS)), "wgmma"]
    for row, name in enumerate(names):
        y = top + row * 24
        shapes.append(common.text(4, y + 13, name, theme["ink"], anchor="start"))
        shapes.append(common.line(84, y + 18, 358, y + 18, theme["grid"]))
    for step, (asked, full, begin, used) in enumerate(schedule()):
        slot, left = step % SLOTS, 86
        if left + used > 360:
            break
        y = top + (1 + slot) * 24
        last = top + (SLOTS + 1) * 24
        shapes.append(common.rect(left + asked, top, ASK - 1, 16, theme["ink"], radius=1))
        shapes.append(common.rect(left + asked, y, full - asked, 16, theme["faint"], theme["grid"]))
        shapes.append(common.rect(left + full, y, used - full, 16, theme["accent"], radius=1))
        shapes.append(common.rect(left + begin, last, used - begin - 1, 16, theme["amber"]))
        shapes.append(
            common.text(left + (begin + used) / 2, last + 12, step, theme["on_accent"], size=10)
        )
    y = top + (SLOTS + 2) * 24 + 10
    for x, fill, words in (
        (4, theme["faint"], "on its way"),
        (104, theme["accent"], "full"),
        (164, theme["amber"], "multiplied, by step"),
    ):
        shapes.append(common.rect(x, y, 14, 14, fill, theme["grid"], radius=1))
        shapes.append(common.text(x + 20, y + 11, words, theme["ink"], anchor="start"))
    shapes.append(common.text(4, 14, "time", theme["ink"], anchor="start", weight="bold"))
    shapes.append(common.arrow(40, 10, 120, 10, theme["ink"]))
    label = "The producer, four slots and the tensor cores over time"
    return common.svg(362, y + 22, *shapes, label=label)

"""The bytes on each rank's link: everybody to rank 0, and a ring."""

from snippets.diagrams import common

RANKS = 4


def traffic(ring):
    """Return the bytes that each rank receives for an array of one unit, in arrays."""
    if ring:
        return [2 * (RANKS - 1) / RANKS] * RANKS
    return [RANKS - 1] + [1] * (RANKS - 1)  # all send to rank 0, which sends the sum back


def draw(theme):
    shapes, y = [], 20
    for ring, title in ((False, "all send to rank 0, and it sends the sum back"), (True, "a ring")):
        shapes.append(common.text(4, y, title, theme["ink"], 13, "start", "bold"))
        y += 10
        for rank, size in enumerate(traffic(ring)):
            shapes.append(common.text(4, y + 14, f"rank {rank}", theme["ink"], 12, "start"))
            busiest = size == max(traffic(ring)) and not ring
            fill = theme["amber"] if busiest else theme["accent"]
            shapes.append(common.rect(60, y + 2, 110 * size, 15, fill))
            shapes.append(
                common.text(66 + 110 * size, y + 14, f"{size:g} S", theme["ink"], 12, "start")
            )
            y += 21
        y += 26
    words = "received by each rank, for an array of S bytes; the longest bar is the time"
    shapes.append(common.text(4, y - 8, words, theme["ink"], 12, "start"))
    label = "With a root, rank 0 receives three arrays; in a ring of four each receives 1.5"
    return common.svg(440, y, *shapes, label=label)

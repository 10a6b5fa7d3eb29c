"""The blocks of c that run at once, along rows and in groups of rows, and what they need."""

from snippets.diagrams import common

SIDE, AT_ONCE, GROUP = 16, 32, 4


def place(number, grouped):
    """Return (row, column) of a block of a SIDE x SIDE grid."""
    if not grouped:
        return divmod(number, SIDE)
    band, rest = divmod(number, GROUP * SIDE)
    return band * GROUP + rest % GROUP, rest // GROUP


def needs(grouped):
    """Return (rows of blocks of a, columns of blocks of b) that the first blocks need."""
    places = [place(n, grouped) for n in range(AT_ONCE)]
    return len({r for r, _ in places}), len({c for _, c in places})


def draw(theme):
    shapes = []
    for k, (grouped, title) in enumerate(((False, "along rows"), (True, "in groups of 4 rows"))):
        left, top, cell = 24 + k * 218, 44, 11.5
        shapes.append(common.text(left, 16, title, theme["ink"], 13, "start", "bold"))
        rows, columns = needs(grouped)
        running = {place(n, grouped) for n in range(AT_ONCE)}
        for r in range(SIDE):
            used = any(a == r for a, _ in running)
            fill = theme["amber"] if used else theme["faint"]
            shapes.append(common.rect(left - 16, top + r * cell, 10, cell - 1.5, fill, radius=1))
            for c in range(SIDE):
                fill = theme["accent"] if (r, c) in running else theme["faint"]
                shapes.append(
                    common.rect(
                        left + c * cell, top + r * cell, cell - 1.5, cell - 1.5, fill, radius=1
                    )
                )
        for c in range(SIDE):
            used = any(b == c for _, b in running)
            fill = theme["amber"] if used else theme["faint"]
            shapes.append(common.rect(left + c * cell, top - 16, cell - 1.5, 10, fill, radius=1))
        words = f"{rows} strips of a + {columns} of b = {rows + columns}"
        shapes.append(common.text(left, top + SIDE * cell + 18, words, theme["ink"], 12, "start"))
    y = 44 + SIDE * 11.5 + 40
    for x, fill, words in (
        (8, theme["accent"], "blocks that run at once"),
        (200, theme["amber"], "strips that they need, from L2"),
    ):
        shapes.append(common.rect(x, y - 10, 12, 12, fill, radius=1))
        shapes.append(common.text(x + 18, y, words, theme["ink"], 12, "start"))
    label = (
        f"32 blocks along rows need {sum(needs(False))} strips of the matrices, in groups of four"
        f" rows {sum(needs(True))}"
    )
    return common.svg(440, y + 8, *shapes, label=label)

"""Four ranks exchange pieces: a transpose over the ranks."""

from snippets.diagrams.panels import Panel, Picture

COLORS = ("fa", "fb", "fc", "fv")


def panel(after):
    drawn = Panel(
        "After: each has one piece of everybody" if after else "Before: a piece for everybody"
    )
    for rank in range(4):
        y = 40 + 34 * rank
        drawn.text(0, y + 16, f"rank {rank}", "km", "start")
        for k in range(4):
            source, to = (k, rank) if after else (rank, k)
            drawn.box(56 + 70 * k, y, 64, 26, COLORS[source], f"{source} for {to}", "kw km")
    return drawn


def draw():
    return Picture(
        panel(False),
        panel(True),
        alt="Left, four ranks with four pieces each, named by who sends them and to whom. Right, "
        "each rank has the four pieces that were meant for it, one of each color.",
        see="Rows become columns: piece k of rank r goes to rank k. Nothing is added, and every "
        "pair of ranks exchanges something. Experts of a model get their tokens this way.",
    )

"""Four ranks before and after an all-reduce, and the two halves that it is made of."""

from snippets.diagrams.panels import Panel, Picture

RANKS = 4
COLORS = ("a", "b", "c", "v")


def own(panel, x, y, rank, words):
    panel.cells(x, y, [f"t{COLORS[rank]}"] * RANKS, 30, 22, 2, words=words, look="km")


def draw():
    whole = Panel("Before and after")
    whole.text(82, 34, "each has its own", "ks km")
    whole.text(258, 34, "each has the sums", "ks km")
    values = [[(3 * rank + 2 * k) % 7 for k in range(RANKS)] for rank in range(RANKS)]
    sums = [sum(row[k] for row in values) for k in range(RANKS)]
    for rank in range(RANKS):
        y = 42 + 32 * rank
        whole.text(0, y + 14, rank, "kx km", "start")
        own(whole, 22, y, rank, values[rank])
        whole.arrow(148, y + 10, 192, y + 10, "ls")
        whole.cells(198, y, ["fa"] * RANKS, 30, 22, 2, words=sums)
    whole.text(0, 188, "the number on the left is the rank", "ks km", "start")

    halves = Panel("In two halves")
    halves.text(62, 34, "reduce-scatter", "kx km")
    halves.text(258, 34, "all-gather", "kx km")
    for rank in range(RANKS):
        y = 42 + 32 * rank
        kinds = ["fa" if k == rank else "n" for k in range(RANKS)]
        halves.cells(
            2, y, kinds, 30, 22, 2, words=[sums[k] if k == rank else "" for k in range(RANKS)]
        )
        halves.arrow(132, y + 10, 190, y + 10, "ls")
        halves.cells(198, y, ["fa"] * RANKS, 30, 22, 2, words=sums)
    halves.text(0, 188, "first each owns one sum, then all get all", "ks km", "start")
    return Picture(
        whole,
        halves,
        alt="Left, four ranks with four numbers each; after the all-reduce each has the four "
        "sums. Right, the same in two halves: after the reduce-scatter each rank has one of the "
        "sums, after the all-gather each has all.",
        see="All-reduce adds arrays of all ranks element by element and gives everyone the "
        "result. Large ones run as two halves, each of which moves (n − 1) / n of the array out "
        "of every rank. In training the arrays are gradients.",
    )

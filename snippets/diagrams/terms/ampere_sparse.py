"""A row of 2:4 sparse weights: what is stored, and which elements of b each product takes."""

from kernels.ampere.sparse import prune
from snippets.diagrams.panels import Panel, Picture

ROW = (3, -1, 0, 7, 2, 5, -8, 1)


def draw():
    kept, places = prune([ROW])
    where = [4 * g + (int(p) >> 2 * k & 3) for g, p in enumerate(places[0]) for k in range(2)]

    store = Panel("Stored: two of each four, and where")
    store.text(0, 34, "a row of weights", "km", "start")
    kinds = ["fa" if i in where else "n" for i in range(8)]
    store.cells(0, 40, kinds, 40, 26, 3, ROW)
    store.text(170, 116, "kept", "km", "start")
    store.cells(0, 98, ["fa"] * 4, 40, 26, 3, [int(v) for v in kept[0]])
    store.text(0, 150, "places, 2 bits each", "km", "start")
    store.cells(0, 156, ["tb"] * 4, 40, 26, 3, [f"{w % 4:02b}" for w in where])
    for k, w in enumerate(where):
        store.line(18 + 40 * w, 66, 18 + 40 * k, 98, "la")

    multiply = Panel("Multiplied: the places pick from b")
    multiply.text(0, 34, "a column of b", "km", "start")
    multiply.cells(0, 40, ["fc" if i in where else "n" for i in range(8)], 40, 26, 3,
                   [f"b{i}" for i in range(8)])  # fmt: skip
    for k, w in enumerate(where):
        multiply.line(18 + 40 * w, 66, 18 + 40 * k, 120, "lc")
    multiply.cells(0, 120, ["fc"] * 4, 40, 26, 3, [f"b{w}" for w in where])
    multiply.text(170, 138, "times", "km", "start")
    multiply.cells(0, 156, ["fa"] * 4, 40, 26, 3, [int(v) for v in kept[0]])
    multiply.text(170, 174, "four products, not eight", "km", "start")
    return Picture(
        store,
        multiply,
        alt="Left, a row of eight weights: of each four the two largest are kept, and two bits "
        "each say where they stood. Right, the places pick four of eight elements of a column "
        "of b, which are multiplied with the kept weights.",
        see="A step of eight along k becomes four products. Which four elements of b take part is "
        "looked up while they are read, so it takes no instruction of its own.",
    )

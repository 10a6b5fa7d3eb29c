"""How often a number is read for a product, element by element and tile by tile."""

from snippets.diagrams.panels import Panel, Picture

N, TILE = 8, 4
CELL = 15


def grid(panel, x, y, kinds, name):
    panel.cells(x, y, kinds, CELL, CELL, columns=N)
    panel.text(x + N * CELL / 2, y - 6, name, "kx km")


def panel(tile):
    reads = 2 * N**3 // tile
    drawn = Panel(f"{'One element' if tile == 1 else 'A tile of 4 × 4'}: {reads:,} reads in all")
    rows = range(tile)
    a = ["fa" if k // N in rows else "ga" for k in range(N * N)]
    b = ["fc" if k % N in rows else "gc" for k in range(N * N)]
    c = ["fb" if k // N in rows and k % N in rows else "gb" for k in range(N * N)]
    grid(drawn, 0, 154 + 20, a, "A")
    grid(drawn, 140, 36, b, "B")
    grid(drawn, 140, 154 + 20, c, "C")
    drawn.rows(
        276, 200, "for", f"{tile * tile} of C", f"{2 * tile * N} reads", kind="km", anchor="start"
    )
    return drawn


def draw():
    return Picture(
        panel(1),
        panel(TILE),
        alt="Matrices A, B and C of 8 by 8. For one element of C a row of A and a column of B "
        "are read. For a tile of 4 by 4 elements four rows and four columns are.",
        see=f"One element needs a row and a column, {2 * N} numbers. A tile of {TILE} × {TILE} "
        f"shares its rows and columns: {2 * TILE * N} numbers for {TILE * TILE} elements, so each "
        f"number that was read is used {TILE} times.",
    )

"""Which elements of A, B and C lie in the registers of one lane, for mma.m16n8k16.

The places are those of the PTX ISA, and of kernels/tensor_cores/one_product.py:
https://docs.nvidia.com/cuda/parallel-thread-execution/
"""

from snippets.diagrams.panels import Panel, Picture

LANE = 5
ROW, PAIR = divmod(LANE, 4)
A = [(ROW + 8 * (k % 2), 2 * PAIR + 8 * (k // 2)) for k in range(4)]  # of each register, two wide
B = [(2 * PAIR + 8 * k, ROW) for k in range(2)]  # two high
C = [(ROW + 8 * (k // 2), 2 * PAIR + k % 2) for k in range(4)]
COLORS = ("fa", "fb", "fc", "fv")


def grid(panel, left, top, columns, cell, kind):
    """Draw 16 rows of elements."""
    panel.box(left, top, columns * cell, 168, kind, radius=0)
    down = [(left + k * cell, top, left + k * cell, top + 168) for k in range(columns + 1)]
    across = [(left, top + 10.5 * k, left + columns * cell, top + 10.5 * k) for k in range(17)]
    panel.lines(down + across, "ll")


def draw():
    a = Panel(f"A, 16 × 16: lane {LANE} has 4 registers")
    cell, left, top = 19, 22, 34
    for column in (0, 4, 8, 12):
        a.text(left + cell * (column + 0.5), top - 4, column, "ks km")
    for row in (0, 4, 8, 12):
        a.text(left - 5, top + 10.5 * row + 9, row, "ks km", "end")
    grid(a, left, top, 16, cell, "ga")
    for k, (row, column) in enumerate(A):
        a.box(left + cell * column, top + 10.5 * row - 1.5, 2 * cell - 1, 13, COLORS[k], radius=1)
        a.text(left + cell * (column + 1), top + 10.5 * row + 9, f"R{8 + k}", "kw km")
    a.text(left, top + 183, "each register: two neighbors in bfloat16", "ks km", "start")

    rest = Panel("B, 16 × 8: 2.   The sums, 16 × 8: 4")
    for x, name in ((16, "B"), (186, "sums")):
        rest.text(x + 68, top - 4, name, "kx km")
        grid(rest, x, top, 8, 17, "gc" if name == "B" else "gb")
    for k, (row, column) in enumerate(B):
        rest.box(16 + 17 * column - 4, top + 10.5 * row - 0.5, 24, 21, COLORS[k], radius=1)
        rest.text(16 + 17 * column + 8, top + 10.5 * row + 14, f"R{12 + k}", "kw km")
    for k, (row, column) in enumerate(C):
        rest.box(186 + 17 * column, top + 10.5 * row - 0.5, 16, 10.5, COLORS[k], radius=1)
    rest.text(324, top + 10.5 * C[0][0] - 4, "R8, R9", "km", "end")
    rest.text(324, top + 10.5 * C[2][0] - 4, "R10, R11", "km", "end")
    rest.text(16, top + 183, "a sum is a float32: a register each", "ks km", "start")
    return Picture(
        a,
        rest,
        alt=f"The three matrices of an mma instruction with what lane {LANE} holds: of A four "
        f"pairs in rows {ROW} and {ROW + 8}, of B two pairs in column {ROW}, of the sums four "
        f"elements in rows {ROW} and {ROW + 8}.",
        see=f"The same product, as lane {LANE} sees it. The other 31 lanes hold the rest in the "
        "same pattern. HMMA reads the registers of all lanes, and no lane alone could multiply "
        "anything: that is what .sync in its name is about.",
    )

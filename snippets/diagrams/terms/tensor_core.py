"""What one instruction of a warp multiplies: on the ordinary units and on a tensor core."""

from snippets.diagrams.panels import Panel, Picture

M, N, K = 16, 8, 16  # mma.sync.aligned.m16n8k16
CELL = 9


def matrix(panel, x, y, rows, columns, kinds, name, size):
    panel.cells(x, y, kinds, CELL, CELL, columns=columns)
    panel.text(x + columns * CELL / 2, y - 7, name, "kx")
    panel.text(x + columns * CELL / 2, y + rows * CELL + 14, size, "ks km")


def draw():
    plain = Panel("FFMA: 32 multiply-adds")
    plain.text(10, 40, "one instruction, 32 lanes", "ks km", "start")
    names = (("a", "fa"), ("b", "fc"), ("c", "fb"))
    for k, (name, kind) in enumerate(names):
        y = 52 + k * 34
        plain.text(2, y + 11, name, "kx km", "start")
        plain.warp(y, kind, x=16, height=14)
        if k < 2:
            plain.text(175, y + 28, "×" if k == 0 else "+", "kx")
    plain.text(10, 160, "Each lane fetches three numbers for", "km", "start")
    plain.text(10, 175, "one product. 96 registers are read.", "km", "start")

    mma = Panel(f"HMMA: {M * N * K:,} multiply-adds")
    mma.text(0, 40, "one instruction, the same 32 lanes", "ks km", "start")
    row, column = 5, 3
    top = 72
    matrix(
        mma, 0, top, M, K, ["fa" if k // K == row else "ga" for k in range(M * K)], "A", "16 × 16"
    )
    mma.text(157, top + 76, "×", "kx")
    kinds = ["fc" if k % N == column else "gc" for k in range(K * N)]
    matrix(mma, 170, top, K, N, kinds, "B", "16 × 8")
    mma.text(255, top + 76, "+", "kx")
    kinds = ["fb" if (k // N, k % N) == (row, column) else "gb" for k in range(M * N)]
    matrix(mma, 267, top, M, N, kinds, "C", "16 × 8")
    return Picture(
        plain,
        mma,
        alt="Left, a multiply-add of a warp: three rows of 32 lanes, one product each. Right, "
        "one tensor core instruction: a matrix A of 16 by 16, a matrix B of 16 by 8 and a matrix "
        "C of 16 by 8; a row of A and a column of B meet in one element of C.",
        see="The same warp, one instruction each. FFMA makes 32 products, one in each lane. HMMA "
        f"makes {M} × {N} × {K} = {M * N * K:,}: each element of C takes a row of A and a column "
        "of B, so every number that was fetched is used 8 or 16 times.",
    )

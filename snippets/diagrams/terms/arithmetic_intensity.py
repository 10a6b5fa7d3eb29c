"""Operations for each byte of three kernels, by counting."""

from fractions import Fraction

from snippets.diagrams.panels import Panel, Picture

N = 8  # of the picture's matrices


def panel(name, ops, numbers, per, words):
    drawn = Panel(name)
    drawn.text(0, 38, f"{numbers} numbers moved", "kb km", "start")
    drawn.cells(0, 44, ["fb"] * numbers, 10, 10, 1, columns=32)
    rows = -(-numbers // 32)
    y = 44 + 10 * rows + 18
    drawn.text(0, y, f"{ops:,} operations", "ka km", "start")
    shown = min(ops, 256)
    drawn.cells(0, y + 6, ["fa"] * shown, 10, 10, 1, columns=32)
    y += 6 + 10 * -(-shown // 32) + 16
    if ops > shown:
        drawn.text(
            0, y, f"… and {ops - shown:,} more, {ops // shown} such fields", "ks km", "start"
        )
        y += 18
    drawn.text(0, y + 2, f"{per} operations a byte", "kx", "start")
    return drawn


def draw():
    add = Fraction(N * N, 3 * N * N * 4)
    mul = Fraction(2 * N**3, 3 * N * N * 4)
    left = panel(f"Sum of two {N} × {N} matrices", N * N, 3 * N * N, add, "")
    right = panel(
        f"Product of two {N} × {N} matrices", 2 * N**3, 3 * N * N, f"{float(mul):.2g}", ""
    )
    return Picture(
        left,
        right,
        alt=f"The sum of two {N} by {N} matrices moves {3 * N * N} numbers for {N * N} "
        f"operations. Their product moves as many and does {2 * N**3:,} operations.",
        see="Both read two matrices and write one. The sum does one operation for each element "
        f"it writes; the product does {2 * N}, and with n by n matrices 2n. So a product gets "
        "denser as it grows (n / 6 operations a byte in float32), and a sum never does.",
    )

"""One definition of a product, three schedules, and the loops that each one says."""

from snippets.diagrams import common

COLUMNS = [
    ("as defined", ["for i", "for j", "for r"], []),
    ("for a CPU", ["i0 in parallel", "for j0", "for r", "i1 unrolled", "lanes of j"], [0, 3, 4]),
    (
        "for a GPU",
        ["blockIdx", "threadIdx", "for r0", "A, B to shared", "for r1", "8 x 8 unrolled"],
        [0, 1, 3, 5],
    ),
]


def draw(theme):
    shapes = [
        common.rect(60, 4, 252, 28, theme["accent"], theme["grid"], radius=4),
        common.text(186, 23, "C[i, j] = sum over r of A[i, r] * B[r, j]", theme["on_accent"]),
    ]
    for column, (title, loops, added) in enumerate(COLUMNS):
        left = 4 + column * 124
        shapes.append(common.arrow(186, 34, left + 58, 52, theme["ink"]))
        shapes.append(common.text(left + 58, 68, title, theme["ink"], size=12, weight="bold"))
        for row, loop in enumerate(loops):
            indent = 5 * row
            top = 76 + row * 25
            fill = theme["amber"] if row in added else theme["faint"]
            ink = theme["on_accent"] if row in added else theme["ink"]
            shapes.append(common.rect(left + indent, top, 116 - indent, 21, fill, theme["grid"]))
            shapes.append(common.text(left + indent + 6, top + 15, loop, ink, anchor="start"))
    shapes.append(
        common.text(4, 246, "Amber: what a schedule added.", theme["ink"], anchor="start")
    )
    label = "One definition of a matrix product and the loops of three schedules of it"
    return common.svg(372, 254, *shapes, label=label)

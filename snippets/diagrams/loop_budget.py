"""What the inner loop of a matmul rung issues for 16 multiply-adds, in cycles of a multiprocessor.

The counts are those that the page's records hold for 4096 x 4096 on an H200, read off the machine
code: instructions and multiply-adds of the loop.
"""

from snippets.diagrams import common

# name, instructions of the loop, multiply-adds in it
LOOPS = (
    ("naive, Numba", 144, 4),
    ("naive, CUDA C++", 73, 16),
    ("tiled, Numba", 93, 16),
    ("tiled, CUDA C++", 69, 16),
    ("8 x 8 a thread, Numba", 99, 64),
)


def draw(theme):
    shapes, y, left, width = [], 20, 4, 432
    title = "Of 100 issue slots, how many hold a multiply-add?"
    shapes.append(common.text(left, y, title, theme["ink"], 13, "start", "bold"))
    y += 14
    for name, instructions, multiply_adds in LOOPS:
        share = multiply_adds / instructions
        shapes.append(common.text(left, y + 14, name, theme["ink"], 12, "start"))
        words = f"{multiply_adds} of {instructions}: {100 * share:.0f} %"
        shapes.append(common.text(left + width, y + 14, words, theme["ink"], 12, "end"))
        y += 20
        shapes.append(common.rect(left, y, width, 16, theme["faint"], theme["grid"]))
        shapes.append(common.rect(left, y, width * share, 16, theme["accent"]))
        y += 26
    shapes.append(common.rect(4, y - 2, 12, 12, theme["accent"], radius=1))
    shapes.append(common.text(22, y + 8, "multiply-adds", theme["ink"], 12, "start"))
    shapes.append(common.rect(134, y - 2, 12, 12, theme["faint"], theme["grid"], radius=1))
    words = "indices, loads, comparisons, jumps"
    shapes.append(common.text(152, y + 8, words, theme["ink"], 12, "start"))
    found = ", ".join(f"{n}: {100 * m / i:.0f} %" for n, i, m in LOOPS)
    return common.svg(
        440, y + 18, *shapes, label=f"Multiply-adds among a loop's instructions: {found}"
    )

"""The index picture: a grid of blocks of threads over 10 elements, and over an image of 3 x 5."""

from snippets.diagrams.common import rect, svg, text

LABEL = (
    "Above: 3 blocks of 4 threads over 10 elements; index = block x 4 + thread; threads 10 and 11 "
    "have no element. Below: 2 by 2 blocks of 4 by 2 threads over an image of 3 rows, 5 columns; "
    "threads outside the image do nothing."
)
N, THREADS = 10, 4  # the launch of whoami.py
ROWS, COLUMNS, BLOCK = 3, 5, (4, 2)  # the launch of image.py


def draw(theme):
    """Return the picture as SVG, with every number computed from the launch."""
    ink, accent, amber = theme["ink"], theme["accent"], theme["amber"]
    shapes = []

    def cell(x, y, width, height, words, used):
        shapes.append(rect(x, y, width, height, accent if used else theme["faint"], theme["grid"]))
        color = theme["on_accent"] if used else amber
        shapes.append(text(x + width / 2, y + height / 2 + 4, words, color))

    # One dimension: blocks side by side.
    blocks = -(-N // THREADS)
    width, gap = 26, 10
    shapes.append(text(4, 14, "[3, 4]: grid(1) is the number in the box", ink, 12, "start", "bold"))
    for block in range(blocks):
        left = 6 + block * (THREADS * width + gap)
        shapes.append(rect(left - 3, 44, THREADS * width + 6, 34, "none", ink, 3))
        shapes.append(text(left + THREADS * width / 2, 34, f"blockIdx.x = {block}", ink))
        for thread in range(THREADS):
            index = block * THREADS + thread
            cell(left + thread * width, 48, width, 26, index, index < N)
            shapes.append(text(left + (thread + 0.5) * width, 92, thread, ink))
    shapes.append(
        text(4, 108, "threadIdx.x, below each box, starts again in each block.", ink, 11, "start")
    )

    # Two dimensions: blocks in rows.
    top, width, height, gap = 150, 38, 26, 8
    grid = (-(-COLUMNS // BLOCK[0]), -(-ROWS // BLOCK[1]))
    words = f"[({grid[0]}, {grid[1]}), {BLOCK}]: grid(2) is x, y in the box"
    shapes.append(text(4, top - 12, words, ink, 12, "start", "bold"))
    for by in range(grid[1]):
        for bx in range(grid[0]):
            left = 8 + bx * (BLOCK[0] * width + gap)
            upper = top + by * (BLOCK[1] * height + gap)
            shapes.append(
                rect(
                    left - 3, upper - 3, BLOCK[0] * width + 6, BLOCK[1] * height + 6, "none", ink, 3
                )
            )
            for ty in range(BLOCK[1]):
                for tx in range(BLOCK[0]):
                    x, y = bx * BLOCK[0] + tx, by * BLOCK[1] + ty
                    inside = x < COLUMNS and y < ROWS
                    cell(left + tx * width, upper + ty * height, width, height, f"{x}, {y}", inside)
    bottom = top + grid[1] * (BLOCK[1] * height + gap) + 14
    shapes.append(rect(6, bottom - 9, 12, 12, accent))
    shapes.append(text(24, bottom + 1, "has an element", ink, 11, "start"))
    shapes.append(rect(126, bottom - 9, 12, 12, theme["faint"], theme["grid"]))
    shapes.append(text(144, bottom + 1, "has none: the guard stops it", ink, 11, "start"))
    return svg(360, bottom + 12, *shapes, label=LABEL)

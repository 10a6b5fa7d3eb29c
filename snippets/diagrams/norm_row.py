"""A row of 32 columns in the registers of four threads, and how its sum reaches each of them."""

from snippets.diagrams.common import arrow, rect, svg, text

THREADS, WIDTH = 4, 8
CELL, LEFT = 21, 14


def owner(column):
    """Return (thread, number among its elements) of a column, as ``place`` of the kernel does."""
    for thread in range(THREADS):
        for k in range(0, WIDTH, 4):
            first = k * THREADS + 4 * thread
            if first <= column < first + 4:
                return thread, k + column - first
    raise ValueError(column)


def draw(theme):
    ink, accent, amber, shapes = theme["ink"], theme["accent"], theme["amber"], []
    shapes.append(text(LEFT, 14, "a row of 32 columns in memory", ink, 12, "start", "bold"))
    half = THREADS * 4
    for column in range(2 * half):
        thread, _ = owner(column)
        x, y = LEFT + column % half * CELL, 22 + column // half * 26
        edge = amber if thread == 1 else theme["grid"]
        fill = theme["faint"]
        shapes.append(rect(x, y, CELL - 2, 20, fill, edge, 2))
        shapes.append(text(x + CELL / 2 - 1, y + 14, column, ink, 10))
    shapes.append(text(LEFT, 96, "registers of the threads", ink, 12, "start", "bold"))
    wide = 4 * CELL
    for thread in range(THREADS):
        x = LEFT + thread * wide
        edge = amber if thread == 1 else accent
        shapes.append(rect(x, 104, wide - 4, 58, theme["faint"], edge, 3))
        shapes.append(text(x + wide / 2 - 2, 119, f"thread {thread}", ink, 11, weight="bold"))
        own = [c for c in range(2 * half) if owner(c)[0] == thread]
        for row in range(2):
            four = own[4 * row : 4 * row + 4]
            words = f"{four[0]} to {four[-1]}"
            shapes.append(text(x + wide / 2 - 2, 136 + 16 * row, words, ink, 11))
        shapes.append(arrow(x + wide / 2 - 2, 164, x + wide / 2 - 2, 184, edge))
    shapes.append(rect(LEFT, 186, THREADS * wide - 4, 22, "none", accent, 3))
    words = "one sum of squares for the row, known to each thread"
    shapes.append(text(LEFT + 2 * wide - 2, 201, words, ink, 11))
    for thread in range(THREADS):
        x = LEFT + thread * wide + wide / 2 - 2
        shapes.append(arrow(x, 210, x, 228, amber if thread == 1 else accent))
    words = "each scales its own eight and writes them"
    shapes.append(text(LEFT + 2 * wide - 2, 243, words, ink, 11))
    label = "Thread 1 of four holds columns 4 to 7 and 20 to 23 of a row of 32, in registers."
    return svg(2 * LEFT + THREADS * wide - 4, 252, *shapes, label=label)

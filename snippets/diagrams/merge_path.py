"""The merge of two sorted arrays as a path through a grid, cut into equal parts by diagonals."""

from snippets.diagrams.common import line, rect, svg, text

A = [1, 4, 6, 7, 11]
B = [2, 3, 5, 8, 9, 10, 12]
CELL, LEFT, TOP = 30, 60, 50
STEPS = 4  # of a thread


def path():
    """Return the corners (i, j) that the merge goes through: i of A taken and j of B."""
    i = j = 0
    corners = [(0, 0)]
    while i < len(A) or j < len(B):
        if j == len(B) or (i < len(A) and A[i] <= B[j]):
            i += 1
        else:
            j += 1
        corners.append((i, j))
    return corners


def at(i, j):
    return LEFT + j * CELL, TOP + i * CELL


def draw(theme):
    shapes = [
        rect(LEFT + j * CELL, TOP + i * CELL, CELL, CELL, theme["faint"], theme["grid"], 0)
        for i in range(len(A))
        for j in range(len(B))
    ]
    shapes.append(
        text(LEFT - 46, TOP + len(A) * CELL / 2 + 4, "a", theme["ink"], 12, weight="bold")
    )
    shapes.append(text(LEFT + len(B) * CELL / 2, 14, "b", theme["ink"], 12, weight="bold"))
    for i, value in enumerate(A):
        shapes.append(text(LEFT - 18, TOP + i * CELL + 20, value, theme["ink"]))
    for j, value in enumerate(B):
        shapes.append(text(LEFT + j * CELL + 15, TOP - 10, value, theme["ink"]))
    corners = path()
    for s in range(STEPS, len(corners) - 1, STEPS):
        top, bottom = max(0, s - len(B)), min(s, len(A))
        start, end = at(top, s - top), at(bottom, s - bottom)
        shapes.append(line(*start, *end, theme["ink"], 1, dash="4 3"))
    for s, (start, end) in enumerate(zip(corners, corners[1:], strict=False)):
        color = (theme["accent"], theme["amber"])[s // STEPS % 2]
        shapes.append(line(*at(*start), *at(*end), color, 4))
    for s in range(0, len(corners), STEPS):
        x, y = at(*corners[s])
        shapes.append(rect(x - 4, y - 4, 8, 8, theme["ink"], "none", 4))
    for t in range((len(corners) - 1) // STEPS):
        first, last = corners[STEPS * t], corners[STEPS * (t + 1)]
        taken = sorted(A[first[0] : last[0]] + B[first[1] : last[1]])
        color = (theme["accent"], theme["amber"])[t % 2]
        y = TOP + 32 + 44 * t
        shapes.append(text(LEFT + len(B) * CELL + 16, y, f"thread {t}", color, 11, "start", "bold"))
        words = ", ".join(map(str, taken))
        shapes.append(text(LEFT + len(B) * CELL + 16, y + 15, words, theme["ink"], 11, "start"))
    label = "Three threads walk four steps each along one path from corner to corner."
    return svg(376, TOP + len(A) * CELL + 12, *shapes, label=label)

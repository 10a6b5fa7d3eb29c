"""Radix select on eight keys of two decimal digits: which are in, out, and still in question."""

from snippets.diagrams.common import rect, svg, text

KEYS, K = [71, 35, 92, 78, 16, 75, 94, 33], 4
CELL, GAP, LEFT = 38, 6, 6


def rounds():
    """Return (title, keys that are in, keys in question) of each state."""
    inside, question = set(), set(KEYS)
    found = [(f"the {K} largest of eight", set(), set(question))]
    for place, name in ((10, "tens"), (1, "ones")):
        counts = [sum(key // place % 10 == d for key in question) for d in range(10)]
        left, digit, said = K - len(inside), 9, []
        while True:
            if counts[digit]:
                said.append(f"{counts[digit]} with {digit}")
            if counts[digit] >= left:
                break
            left -= counts[digit]
            digit -= 1
        inside |= {key for key in question if key // place % 10 > digit}
        question = {key for key in question if key // place % 10 == digit}
        if place == 1:
            inside, question = inside | question, set()
        words = f"{name}, from the top: {', '.join(said)}. So the {K}th largest has a {digit}"
        found.append((words, set(inside), set(question)))
    return found


def draw(theme):
    shapes = []
    for r, (title, inside, question) in enumerate(rounds()):
        top = 4 + r * 66
        shapes.append(text(LEFT, top + 12, title, theme["ink"], 11, "start"))
        for i, key in enumerate(KEYS):
            fill, color = theme["faint"], theme["ink"]
            if key in inside:
                fill, color = theme["accent"], theme["on_accent"]
            elif key in question:
                fill, color = theme["amber"], theme["on_accent"]
            x = LEFT + i * (CELL + GAP)
            shapes.append(rect(x, top + 20, CELL, 28, fill, theme["grid"], 3))
            shapes.append(text(x + CELL / 2, top + 39, key, color, 12))
    return svg(362, 190, *shapes, label="Two rounds of counting digits find the four largest keys.")

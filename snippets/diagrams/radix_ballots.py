"""Which lanes have the same digit: two ballots over eight lanes, and the ranks that follow."""

from snippets.diagrams.common import rect, svg, text

DIGITS = [2, 1, 2, 3, 1, 2, 0, 2]
ASKED = 2  # the digit whose peers are shown
CELL, LEFT, ROW = 32, 108, 34


def peers(lane):
    """Return the lanes with the same digit, as same_digit finds them: by votes."""
    found = set(range(len(DIGITS)))
    for bit in range(2):
        ones = {i for i, d in enumerate(DIGITS) if d >> bit & 1}
        found &= ones if DIGITS[lane] >> bit & 1 else set(range(len(DIGITS))) - ones
    return sorted(found)


def draw(theme):
    group = peers(DIGITS.index(ASKED))
    rows = [
        ("lane", range(len(DIGITS)), ()),
        ("digit", DIGITS, group),
        ("ballot of bit 0", [d & 1 for d in DIGITS], ()),
        ("ballot of bit 1", [d >> 1 & 1 for d in DIGITS], ()),
        (f"peers of digit {ASKED}", [int(i in group) for i in range(len(DIGITS))], group),
        ("rank", [group.index(i) if i in group else "" for i in range(len(DIGITS))], group),
    ]
    shapes = []
    for number, (name, values, marked) in enumerate(rows):
        y = 4 + number * ROW
        shapes.append(text(0, y + 19, name, theme["ink"], 11, "start"))
        for lane, value in enumerate(values):
            x = LEFT + lane * CELL
            on = lane in marked
            if number:
                fill = theme["accent"] if on else theme["faint"]
                shapes.append(rect(x, y, CELL - 4, 28, fill, theme["grid"], 3))
            ink = theme["on_accent"] if on else theme["ink"]
            shapes.append(text(x + CELL / 2 - 2, y + 19, value, ink))
    label = "Two ballots give the peers of digit 2: lanes 0, 2, 5 and 7, with the ranks 0 to 3."
    return svg(364, 4 + len(rows) * ROW, *shapes, label=label)

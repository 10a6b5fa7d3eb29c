"""One histogram against a column for each lane: which bank each of four lanes goes to."""

from snippets.diagrams.common import arrow, rect, svg, text

VALUES = [5, 37, 101, 69]  # of lanes 0 to 3
BANKS, SHOWN = 32, 8
CELL, LEFT, SPLIT = 21, 6, 200


def banks(values, columns):
    """Return the bank of each lane's counter, as the two kernels lay them out."""
    width = 32 if columns else 1
    return [(v * width + lane * (width > 1)) % BANKS for lane, v in enumerate(values)]


def half(theme, left, title, columns):
    shapes = [text(left, 14, title, theme["ink"], 11, "start", "bold")]
    for lane, value in enumerate(VALUES):
        x = left + lane * 44
        shapes.append(rect(x, 24, 40, 32, theme["faint"], theme["grid"], 3))
        shapes.append(text(x + 20, 37, f"lane {lane}", theme["ink"], 9))
        shapes.append(text(x + 20, 51, value, theme["ink"], 11, weight="bold"))
    goes = banks(VALUES, columns)
    for bank in range(SHOWN):
        x, count = left + bank * CELL, goes.count(bank)
        fill = theme["faint"] if not count else theme["accent"] if count == 1 else theme["amber"]
        ink = theme["on_accent"] if count else theme["ink"]
        shapes.append(rect(x, 112, CELL - 2, 24, fill, theme["grid"], 2))
        shapes.append(text(x + CELL / 2 - 1, 128, bank, ink, 10))
    for lane, bank in enumerate(goes):
        end = left + bank * CELL + CELL / 2 - 1
        shapes.append(arrow(left + lane * 44 + 20, 58, end, 110, theme["ink"], 1))
    turns = max(goes.count(b) for b in goes)
    words = f"{turns} turns" if turns > 1 else "1 turn"
    words = f"banks 0 to {SHOWN - 1} of 32: {words}"
    shapes.append(text(left, 154, words, theme["ink"], 10, "start"))
    return shapes


def draw(theme):
    shapes = half(theme, LEFT, "one histogram", False)
    shapes += half(theme, LEFT + SPLIT, "a column for each lane", True)
    label = "In one histogram four lanes queue at bank 5; with columns each goes to its own bank."
    return svg(388, 160, *shapes, label=label)

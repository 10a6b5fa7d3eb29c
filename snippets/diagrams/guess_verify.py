"""Two passes of speculative decoding: rows that go in, answers that come out, and what is kept."""

from snippets.diagrams import common

CELL = 30
# The last certain letter and four guesses; what the model answers to each of them.
PASSES = (("L", "ETTE", "ETTER"), ("R", " SIG", " WIGN"))


def kept(guesses, answers):
    """Return how many of the answers count: one more than the guesses that are right."""
    right = 0
    while right < len(guesses) and guesses[right] == answers[right]:
        right += 1
    return right + 1


def draw(theme):
    ink, shapes, y = theme["ink"], [], 14
    for number, (last, guesses, answers) in enumerate(PASSES, 1):
        count = kept(guesses, answers)
        letters = "1 letter" if count == 1 else f"{count} letters"
        shapes.append(common.text(8, y, f"pass {number}", ink, 11, "start", "bold"))
        shapes.append(common.text(352, y, letters, ink, anchor="end"))
        for i, letter in enumerate(last + guesses):
            x = 96 + i * (CELL + 18)
            fill = theme["faint"]
            shapes.append(common.rect(x, y + 10, CELL, 24, fill, theme["grid"]))
            shapes.append(common.text(x + CELL / 2, y + 26, letter.replace(" ", "_"), ink))
            counts = i < count
            fill = theme["accent"] if counts else theme["faint"]
            color = theme["on_accent"] if counts else theme["amber"]
            shapes.append(common.line(x + CELL / 2, y + 34, x + CELL / 2, y + 48, theme["grid"]))
            shapes.append(common.rect(x, y + 48, CELL, 24, fill, theme["grid"]))
            shapes.append(common.text(x + CELL / 2, y + 64, answers[i].replace(" ", "_"), color))
        shapes.append(common.text(8, y + 26, "last, guesses", ink, anchor="start"))
        shapes.append(common.text(8, y + 64, "answers", ink, anchor="start"))
        y += 98
    words = "filled: kept; the first answer after a wrong guess still counts"
    shapes.append(common.text(8, y - 4, words, ink, anchor="start"))
    label = "Two passes with four guesses each: all right, and the first right and the second wrong"
    return common.svg(360, y + 4, *shapes, label=label)

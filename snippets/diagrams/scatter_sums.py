"""Four lanes, four sums: in each step a lane gives away the half that belongs to its partner."""

from snippets.diagrams import common

LANES, CELL, HIGH = 4, 24, 26
SUMS = "abcd"


def kept(step):
    """Return for each lane which of its sums it still has after ``step`` steps."""
    have = [list(range(LANES)) for _ in range(LANES)]
    hop = LANES // 2
    for _ in range(step):
        have = [[n for n in have[lane] if n & hop == lane & hop] for lane in range(LANES)]
        hop //= 2
    return have


def draw(theme):
    ink, shapes = theme["ink"], []
    titles = ("own products", "after hop 2", "after hop 1")
    under = ("each of 1 lane", "each of 2 lanes", "each of all 4")
    lefts = (50, 196, 330)
    for step, (left, title) in enumerate(zip(lefts, titles, strict=True)):
        middle = left + 2 * CELL
        shapes.append(common.text(middle, 16, title, ink, 12, weight="bold"))
        shapes.append(common.text(middle, 32, under[step], ink, 11))
        following = kept(step + 1) if step < 2 else kept(step)
        for lane, numbers in enumerate(kept(step)):
            y = 44 + lane * (HIGH + 6)
            if not step:
                shapes.append(common.text(4, y + 17, f"lane {lane}", ink, 11, "start"))
            for n in range(LANES):
                x = left + n * CELL
                if n not in numbers:
                    continue
                stays = n in following[lane]
                fill = theme["accent"] if stays else theme["faint"]
                color = theme["on_accent"] if stays else ink
                shapes.append(common.rect(x, y, CELL - 2, HIGH, fill, theme["grid"]))
                shapes.append(common.text(x + CELL / 2 - 1, y + 17, SUMS[n], color, 12))
    for left, hop in ((150, 2), (287, 1)):
        for lane in range(LANES):
            y = 44 + lane * (HIGH + 6) + HIGH / 2
            to = 44 + (lane ^ hop) * (HIGH + 6) + HIGH / 2
            shapes.append(common.arrow(left, y, left + 38, to, theme["amber"]))
    y = 44 + LANES * (HIGH + 6) + 6
    shapes.append(common.rect(4, y, 14, 14, theme["accent"], theme["grid"]))
    shapes.append(common.text(24, y + 11, "kept", ink, 11, "start"))
    shapes.append(common.rect(74, y, 14, 14, theme["faint"], theme["grid"]))
    shapes.append(common.text(94, y + 11, "given to the partner, who adds it", ink, 11, "start"))
    label = "Each lane begins with four sums of its own and ends with one that is complete"
    return common.svg(432, y + 22, *shapes, label=label)

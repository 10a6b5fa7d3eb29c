"""One long sum in the tensor core, or short ones that are added up in float32 registers."""

from snippets.diagrams import common

PARTS, WIDE, GAP = 6, 44, 6  # stretches of 128 along k that are drawn


def draw(theme):
    ink, amber, accent, shapes = theme["ink"], theme["amber"], theme["accent"], []
    left, right = 62, 62 + PARTS * (WIDE + GAP) - GAP

    def title(y, words):
        shapes.append(common.text(8, y, words, ink, 12, "start", "bold"))

    title(16, "Fast: one sum, inside the tensor core")
    shapes.append(common.text(8, 47, "k", ink, 11, "start"))
    for part in range(PARTS):  # the longer the sum, the more of each new product is cut off
        x, lost = left + part * (WIDE + GAP), 4 * part
        shapes.append(common.rect(x, 30, WIDE, 26, accent))
        if lost:
            shapes.append(common.rect(x, 56 - lost, WIDE, lost, amber, radius=0))
    shapes.append(common.arrow(left, 66, right, 66, ink, 1))
    title(98, "Promoted: a new sum each 128, added in float32")
    shapes.append(common.text(8, 129, "k", ink, 11, "start"))
    for part in range(PARTS):
        x = left + part * (WIDE + GAP)
        shapes.append(common.rect(x, 112, WIDE, 26, accent))
        shapes.append(common.text(x + WIDE / 2, 129, "128", theme["on_accent"], 11))
        shapes.append(common.arrow(x + WIDE / 2, 138, x + WIDE / 2, 156, ink))
    shapes.append(common.rect(left, 158, right - left, 24, theme["faint"], accent))
    words = "float32 sum, in ordinary registers"
    shapes.append(common.text((left + right) / 2, 174, words, ink, 11))
    for x, fill, words in (
        (8, accent, "bits that count"),
        (150, amber, "bits that fall off the end of a long sum"),
    ):
        shapes.append(common.rect(x, 198, 12, 12, fill))
        shapes.append(common.text(x + 18, 208, words, ink, 11, "start"))
    label = "In one long sum more and more bits of each product are lost; short sums lose none"
    return common.svg(390, 218, *shapes, label=label)

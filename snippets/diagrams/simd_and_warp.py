"""The end of an array: a mask in an AVX-512 register, and the idle lanes of a warp."""

from snippets.diagrams import common

COUNT = 45  # elements: neither 16 nor 32 divides it
CELL = 11.5


def lanes(theme, x, y, width, first):
    """Draw the lanes of one register or warp whose first element is ``first``."""
    shapes = []
    for lane in range(width):
        inside = first + lane < COUNT
        fill = theme["accent"] if inside else theme["faint"]
        at = x + lane * CELL
        shapes.append(common.rect(at, y, CELL - 1.5, 18, fill, theme["grid"], radius=1))
        if not inside:
            shapes.append(common.text(at + (CELL - 1.5) / 2, y + 13, 0, theme["amber"], 10))
    return shapes


def draw(theme):
    shapes = [
        common.text(4, 14, "AVX-512: three registers, one after the other", theme["ink"], 12,
                    "start", "bold"),
    ]  # fmt: skip
    y = 22
    for first in range(0, COUNT, 16):
        shapes += lanes(theme, 4, y, 16, first)
        words = "mask: 16 bits, set by your code" if first + 16 > COUNT else "all 16 lanes"
        color = theme["amber"] if first + 16 > COUNT else theme["ink"]
        shapes.append(common.text(4 + 16 * CELL + 8, y + 13, words, color, 11, "start"))
        y += 24
    y += 22
    shapes.append(
        common.text(4, y, "GPU: two warps, whichever is ready", theme["ink"], 12, "start", "bold")
    )
    y += 8
    for first in range(0, COUNT, 32):
        shapes += lanes(theme, 4, y, 32, first)
        y += 24
    shapes.append(
        common.text(4, y + 10, "mask: 32 bits, set by the hardware from if i < n", theme["amber"],
                    11, "start")
    )  # fmt: skip
    label = (
        f"{COUNT} elements. In AVX-512 they take three registers of 16 lanes, and the last has a "
        "mask with 3 bits off. On a GPU they take two warps of 32 lanes, and the second has 19 off"
    )
    return common.svg(384, y + 18, *shapes, label=label)

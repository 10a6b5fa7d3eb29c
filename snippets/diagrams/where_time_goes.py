"""A photo on the GPU: the bytes on each part of the way, and how wide that part is."""

from snippets.diagrams import common

VALUES = 36_000_000  # color values of 12 megapixels
# Peaks that a specification states: PCIe 5.0 x16 in one direction, and HBM3e of an H200, bytes/s
PCIE, HBM = 63e9, 4.8e12


def milliseconds():
    """Return the least times: a copy to the GPU, what the kernel moves, a copy back."""
    size = 4 * VALUES
    return 1e3 * size / PCIE, 1e3 * 2 * size / HBM, 1e3 * size / PCIE


def draw(theme):
    there, kernel, back = milliseconds()
    whole = there + kernel + back
    left, width, y = 4, 432, 20
    shapes = [
        common.text(4, y, "A 12-megapixel photo, there and back", theme["ink"], 13, "start", "bold")
    ]
    y += 14
    x = left
    parts = (
        (there, theme["amber"], "copy to the GPU"),
        (kernel, theme["accent"], ""),
        (back, theme["amber"], "copy back"),
    )
    for time, fill, words in parts:
        wide = width * time / whole
        shapes.append(common.rect(x, y, max(wide, 3) - 1, 34, fill, radius=1))
        if words:
            shapes.append(
                common.text(x + wide / 2, y + 22, words, theme["on_accent"], 12, weight="bold")
            )
        else:
            shapes.append(common.line(x + wide / 2, y + 36, x + wide / 2, y + 52, theme["ink"]))
            shapes.append(
                common.text(x + wide / 2, y + 66, f"the kernel: {kernel:.2f} ms", theme["ink"], 12)
            )
        x += wide
    shapes.append(common.text(left, y + 54, f"{there:.1f} ms", theme["ink"], 12, "start"))
    shapes.append(common.text(left + width, y + 54, f"{back:.1f} ms", theme["ink"], 12, "end"))
    y += 94
    words = "at best, by PCIe 5.0 x16 (63 GB/s) and HBM3e (4.8 TB/s)"
    shapes.append(common.text(4, y, words, theme["ink"], 12, "start"))
    label = (
        f"At best a copy of 144 MB over PCIe takes {there:.1f} ms each way; reading and writing the"
        f" photo in the GPU's own memory takes {kernel:.2f} ms"
    )
    return common.svg(440, y + 10, *shapes, label=label)

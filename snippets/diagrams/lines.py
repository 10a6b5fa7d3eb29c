"""One read of a warp at five offsets: which 32-byte sectors and which 128-byte lines it touches."""

from kernels.memory_access.lines import touched
from snippets.diagrams import common

OFFSETS = (0, 1, 8, 16, 32)
LINES, SECTORS = 3, 4  # lines in the picture, sectors of each


def draw(theme):
    shapes, y, left, wide = [], 20, 4, 34.5
    for line in range(LINES):
        x = left + line * (SECTORS * wide + 6)
        shapes.append(
            common.text(x + 2 * wide, y, f"line {line}, 128 bytes", theme["ink"], 12, weight="bold")
        )
    y += 8
    for offset in OFFSETS:
        sectors, lines = touched(1, offset)
        first, last = offset * 4, (offset + 32) * 4  # bytes
        for line in range(LINES):
            x = left + line * (SECTORS * wide + 6)
            hit = first < 128 * (line + 1) and last > 128 * line
            for s in range(SECTORS):
                begin = 128 * line + 32 * s
                inside = max(0, min(last, begin + 32) - max(first, begin))
                fill = theme["amber"] if inside else theme["faint"]
                place = x + s * wide
                shapes.append(common.rect(place, y, wide - 1.5, 20, fill, theme["grid"], radius=1))
                if inside:
                    start = place + (max(first, begin) - begin) / 32 * (wide - 1.5)
                    shapes.append(
                        common.rect(
                            start, y, inside / 32 * (wide - 1.5), 20, theme["accent"], radius=1
                        )
                    )
            if hit:
                shapes.append(
                    common.rect(
                        x - 1.5, y - 1.5, SECTORS * wide + 1.5, 23, "none", theme["ink"], radius=3
                    )
                )
        y += 36
        words = f"offset {offset}: {sectors} sectors in {lines} line{'s' if lines > 1 else ''}"
        shapes.append(common.text(left, y, words, theme["ink"], 12, "start"))
        y += 18
    for place, fill, words in (
        (4, theme["accent"], "asked for"),
        (94, theme["amber"], "moved, not asked for"),
    ):
        shapes.append(common.rect(place, y - 9, 12, 12, fill, radius=1))
        shapes.append(common.text(place + 18, y + 1, words, theme["ink"], 12, "start"))
    shapes.append(common.rect(252, y - 9, 18, 12, "none", theme["ink"], radius=3))
    shapes.append(common.text(276, y + 1, "a line that is looked up", theme["ink"], 12, "start"))
    counts = ", ".join(f"{o}: {touched(1, o)[0]} and {touched(1, o)[1]}" for o in OFFSETS)
    label = f"Sectors and lines that a warp's read of 32 floats touches, by offset: {counts}"
    return common.svg(440, y + 10, *shapes, label=label)

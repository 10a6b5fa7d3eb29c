"""A roof of round numbers: slope, ridge and flat part, with the kernels of the page's examples."""

from math import log2

from kernels.roofline.model import attainable, ridge, tiled_intensity
from snippets.diagrams.common import arrow, line, rect, svg, text

PEAK, BANDWIDTH = 60e12, 4e12  # those of the page's example
LEFT, RIGHT, TOP, BOTTOM = 44, 428, 50, 254
LEAST, MOST = 1 / 16, 2048  # operations a byte
LOW, HIGH = 1 / 16, 128  # TFLOP/s
REUSED = (1, 16, 128, 4096)


def x(intensity):
    return LEFT + (RIGHT - LEFT) * log2(intensity / LEAST) / log2(MOST / LEAST)


def y(rate):
    return BOTTOM - (BOTTOM - TOP) * log2(rate / LOW) / log2(HIGH / LOW)


def roof(intensity):
    return attainable(intensity, PEAK, BANDWIDTH) / 1e12


def dot(intensity, fill, edge):
    return (
        f'<circle cx="{x(intensity):.1f}" cy="{y(roof(intensity)):.1f}" r="4.5" '
        f'fill="{fill}" stroke="{edge}"/>'
    )


def draw(theme):
    ink, amber, accent = theme["ink"], theme["amber"], theme["accent"]
    corner = ridge(PEAK, BANDWIDTH)
    shapes = [
        rect(LEFT, TOP, x(corner) - LEFT, BOTTOM - TOP, theme["faint"], radius=0),
        line(LEFT, TOP - 14, LEFT, BOTTOM, ink, 1),
        arrow(LEFT, BOTTOM, RIGHT + 8, BOTTOM, ink, 1),
        text(6, 14, "TFLOP/s, at most", ink, 12, "start"),
        text(RIGHT + 8, BOTTOM + 34, "operations for each byte that is moved", ink, 12, "end"),
    ]
    for at, words in ((1 / 8, "1/8"), (1, "1"), (64, "64"), (512, "512")):
        shapes.append(text(x(at), BOTTOM + 16, words, ink, 11))
    shapes.append(text(x(corner), BOTTOM + 16, f"{corner:g}", ink, 11, weight="bold"))
    for rate in (0.25, 1, 4, 16, 60):
        shapes.append(text(LEFT - 6, y(rate) + 4, f"{rate:g}", ink, 11, "end"))
        shapes.append(line(LEFT - 3, y(rate), LEFT, y(rate), ink, 1))
    shapes += [
        line(x(corner), y(roof(corner)), x(corner), BOTTOM, ink, 1, "3 3"),
        line(x(LEAST), y(roof(LEAST)), x(corner), y(roof(corner)), amber, 2.5),
        line(x(corner), y(roof(corner)), RIGHT, y(roof(MOST)), accent, 2.5),
        text(x(corner), TOP - 16, "ridge", ink, 12, weight="bold"),
        text((x(corner) + RIGHT) / 2 + 10, TOP - 6, "flat: all units are busy", accent, 12),
        text(LEFT + 8, y(26), "slope: memory is busy", amber, 12, "start"),
        text((LEFT + x(corner)) / 2 + 16, BOTTOM - 10, "left: memory-bound", ink, 12),
        text((x(corner) + RIGHT) / 2, BOTTOM - 10, "right: compute-bound", ink, 12),
    ]
    add = 1 / 12
    shapes += [
        dot(add, ink, ink),
        text(x(add) + 9, y(roof(add)) + 5, "adding two vectors", ink, 11, "start"),
    ]
    for reused in REUSED:
        at = tiled_intensity(4096, reused)
        shapes.append(dot(at, theme["on_accent"], ink))
        words = f"{reused:,}"
        if at < corner:
            shapes.append(text(x(at) + 9, y(roof(at)) + 5, words, ink, 11, "start"))
        else:
            shapes.append(text(x(at), y(roof(at)) + 18, words, ink, 11))
    shapes += [
        f'<circle cx="12" cy="{BOTTOM + 54}" r="4.5" fill="{theme["on_accent"]}" stroke="{ink}"/>',
        text(
            22, BOTTOM + 58, "matrix product, by how often each fetched number is used", ink, 11,
            "start",
        ),
    ]  # fmt: skip
    return svg(
        440,
        BOTTOM + 68,
        *shapes,
        label="A roof of 4 TB/s and 60 TFLOP/s. Its slope and its flat part meet at the ridge, at "
        "15 operations a byte. The addition of vectors stands on the slope at 0.33 TFLOP/s; a "
        "matrix product stands at 1, 16, 60 and 60 TFLOP/s if each fetched number is used 1, 16, "
        "128 and 4,096 times.",
    )

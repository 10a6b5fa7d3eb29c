"""The pictures that a link to a page shows elsewhere: one for each kind of page, as PNG.

Drawn from the site's own logo and font, in NumPy: who shows a link takes no SVG, and neither a
browser nor an imaging library is needed to build. Lines are filled exactly, by the area of each
pixel that lies to their right; where that sums to one, a pixel is inside.
"""

import io
import re
import struct
import xml.etree.ElementTree as ET
import zlib
from collections.abc import Iterator
from pathlib import Path

import numpy as np

SIZE = WIDTH, HEIGHT = 1200, 630  # what Open Graph's users show whole
PAPER, INK, MARK = (255, 255, 255), (28, 32, 36), (18, 133, 142)
KINDS = {
    "lesson": "Lesson",
    "pattern": "Pattern",
    "term": "Glossary",
    "map": "CUDA to Metal",
    "lab": "Lab",
    "puzzle": "Puzzle",
    "other": "Lockstep",
}
SAID = ("GPU programming from Python,", "taught with code that ran.")
Line = tuple[tuple[float, float], tuple[float, float]]


def cover(lines: list[Line]) -> np.ndarray:
    """Return how much of each pixel lies inside of closed outlines, from 0 to 1."""
    area = np.zeros((HEIGHT, WIDTH + 2))
    for (x0, y0), (x1, y1) in lines:
        if y0 == y1:
            continue
        way = 1.0 if y1 > y0 else -1.0
        if way < 0:
            x0, y0, x1, y1 = x1, y1, x0, y0
        slope = (x1 - x0) / (y1 - y0)
        for row in range(max(int(y0), 0), min(int(np.ceil(y1)), HEIGHT)):
            top, bottom = max(y0, row), min(y1, row + 1)
            a, b = x0 + (top - y0) * slope, x0 + (bottom - y0) * slope
            left, right = min(a, b), max(a, b)
            full = way * (bottom - top)
            for column in range(int(left), int(np.ceil(right)) or 1):
                start, end = max(left, column), min(right, column + 1)
                share = full * ((end - start) / (right - left) if right > left else 1.0)
                inside = share * (column + 1 - (start + end) / 2)
                area[row, column] += inside
                area[row, column + 1] += share - inside
            if right == left and right == int(right):  # on the border of two pixels
                area[row, int(left)] += full
    return np.clip(np.abs(np.cumsum(area, axis=1)), 0, 1)[:, :WIDTH]


def closed(points: list[tuple[float, float]]) -> Iterator[Line]:
    yield from zip(points, [*points[1:], points[0]], strict=True)


def text(font, words: str, x: float, baseline: float, size: float) -> list[Line]:
    """Return the outlines of some words: curves as eight lines each."""
    from fontTools.pens.recordingPen import DecomposingRecordingPen

    glyphs, names = font.getGlyphSet(), font.getBestCmap()
    scale, lines = size / font["head"].unitsPerEm, []
    for letter in words:
        glyph = glyphs[names[ord(letter)]]
        pen = DecomposingRecordingPen(glyphs)
        glyph.draw(pen)
        points: list[tuple[float, float]] = []
        for step, given in pen.value:
            placed = [(x + px * scale, baseline - py * scale) for px, py in given]
            if step == "qCurveTo":
                points += quadratic(points[-1], placed)
            elif step == "curveTo":
                points += bezier([points[-1], *placed])
            elif step in ("closePath", "endPath"):
                lines += closed(points)
                points = []
            else:
                points += placed
        x += glyph.width * scale
    return lines


def quadratic(start, placed) -> list[tuple[float, float]]:
    """Return TrueType's chain of curves: between two points off the line lies one on it."""
    found, *off = [], *placed[:-1]
    for number, control in enumerate(off):
        last = number == len(off) - 1
        after = off[number + 1] if not last else None
        end = placed[-1] if last else ((control[0] + after[0]) / 2, (control[1] + after[1]) / 2)
        found += bezier([start, control, end])
        start = end
    return found or [placed[-1]]


def bezier(points, steps: int = 8) -> list[tuple[float, float]]:
    """Return points of a curve, the last one included, by de Casteljau's construction."""
    found = []
    for step in range(1, steps + 1):
        t, row = step / steps, points
        while len(row) > 1:
            row = [
                ((1 - t) * ax + t * bx, (1 - t) * ay + t * by)
                for (ax, ay), (bx, by) in zip(row, row[1:], strict=False)
            ]
        found.append(row[0])
    return found


def logo(file: Path, x: float, y: float, width: float) -> Iterator[tuple[list[Line], float]]:
    """Yield the shapes of the logo, and how opaque each is: polygons of M, h, l and z."""
    tree = ET.parse(file).getroot()
    scale = width / float(tree.attrib["viewBox"].split()[2])
    for path in tree.iter("{http://www.w3.org/2000/svg}path"):
        lines: list[Line] = []
        for polygon in path.attrib["d"].split("z"):
            points: list[tuple[float, float]] = []
            for command, given in re.findall(r"([Mhl])([^Mhlz]*)", polygon):
                numbers = [float(n) for n in re.findall(r"-?\d*\.?\d+", given)]
                if command == "h":
                    numbers.append(0)
                dx, dy = (0.0, 0.0) if command == "M" else points[-1]
                points.append((dx + numbers[0], dy + numbers[1]))
            if points:
                lines += closed([(x + px * scale, y + py * scale) for px, py in points])
        yield lines, float(path.attrib.get("opacity", 1))


def png(pixels: np.ndarray) -> bytes:
    """Return an image as PNG: at most 256 colors, each row as its difference from the one above."""
    colors, index = np.unique(pixels.reshape(-1, 3), axis=0, return_inverse=True)
    if len(colors) > 256:
        raise ValueError(f"{len(colors)} colors, and a palette has 256")
    rows = np.zeros((HEIGHT, WIDTH + 1), np.uint8)
    rows[:, 1:] = index.reshape(HEIGHT, WIDTH)

    def chunk(name: bytes, data: bytes) -> bytes:
        check = zlib.crc32(name + data)
        return struct.pack(">I", len(data)) + name + data + struct.pack(">I", check)

    head = struct.pack(">IIBBBBB", WIDTH, HEIGHT, 8, 3, 0, 0, 0)
    body = zlib.compress(rows.tobytes(), 9)
    palette = colors.astype(np.uint8).tobytes()
    parts = (b"IHDR", head), (b"PLTE", palette), (b"IDAT", body), (b"IEND", b"")
    return b"\x89PNG\r\n\x1a\n" + b"".join(chunk(*part) for part in parts)


def card(title: str, bold, regular, file: Path) -> bytes:
    """Return the picture of one kind of page."""
    image = np.empty((HEIGHT, WIDTH, 3))
    image[:] = PAPER

    def paint(lines: list[Line], color: tuple, opacity: float = 1.0) -> None:
        # 32 steps of a shade are smooth, and keep the palette small
        share = np.round(cover(lines) * 32)[..., None] / 32 * opacity
        image[:] = image * (1 - share) + np.array(color) * share

    for lines, opacity in logo(file, 780, 130, 370):
        paint(lines, MARK, opacity)
    paint(text(bold, title, 80, 300, 104 if len(title) < 10 else 84), INK)
    for number, words in enumerate(SAID):
        paint(text(regular, words, 82, 390 + 52 * number, 38), INK)
    if title != "Lockstep":
        paint(text(bold, "Lockstep", 82, 150, 40), MARK)
    return png(np.round(image).astype(np.uint8))


def cards(root: Path, fonts: dict[int, bytes]) -> dict[str, bytes]:
    """Return the pictures of all kinds, by name; ``fonts``: woff2, by weight."""
    from fontTools.ttLib import TTFont

    bold, regular = (TTFont(io.BytesIO(fonts[weight])) for weight in (700, 400))
    file = root / "docs/assets/logo.svg"
    return {f"{kind}.png": card(title, bold, regular, file) for kind, title in KINDS.items()}

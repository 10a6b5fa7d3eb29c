"""The pictures that a link to a page shows elsewhere: its title, and a drawing of its kind, as PNG.

Drawn from the site's own drawings and font, in NumPy: who shows a link takes no SVG, and neither a
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

from tools import drawing

SIZE = WIDTH, HEIGHT = 1200, 630  # what Open Graph's users show whole
# --ls-ground, --ls-ink and --ls-gpu of docs/assets/css/lockstep.css
PAPER, INK, MARK = (253, 251, 246), (25, 23, 20), (10, 100, 103)
KINDS = {
    "lesson": "Lesson",
    "pattern": "Pattern",
    "term": "Glossary",
    "map": "CUDA to Metal",
    "lab": "Lab",
    "puzzle": "Puzzle",
    "other": "Lockstep",
}
# What stands beside the title: for each kind one of the site's drawings, for others the logo.
DRAWINGS = {
    "Lesson": "tiled-matmul",
    "Pattern": "reduction-one-pass",
    "Glossary": "warp-slots",
    "CUDA to Metal": "threads-and-blocks",
    "Lab": "lattice-moves",
    "Puzzle": "blur-edge",
}
FOLDER = "docs/assets/diagrams"
SAID = ("GPU programming from Python,", "taught with code that ran.")
LEFT, ROOM = 80, 690  # where the title stands, and how wide it may be
LOGO = 800, 150, 330  # x, y, width
AREA = 790, 120, 370, 390  # of a drawing: x, y, width, height
SHADED = 33 * 2  # colors of what is written: steps from paper to INK, and to MARK
SIZES = (72, 4), (60, 5), (50, 6), (42, 7)  # of a title, and how many lines it may have
TEAL, ORANGE = (18, 133, 142), (224, 123, 44)  # of the logo
# Of text, and then of the logo.
SHADES = (INK, 1.0), (MARK, 1.0), (TEAL, 1.0), (TEAL, 0.62), (TEAL, 0.38), (ORANGE, 1.0)
Line = tuple[tuple[float, float], tuple[float, float]]


def cover(lines: list[Line], height: int = HEIGHT, width: int = WIDTH) -> np.ndarray:
    """Return how much of each pixel lies inside of closed outlines, from 0 to 1."""
    area = np.zeros((height, width + 2))
    for (x0, y0), (x1, y1) in lines:
        if y0 == y1:
            continue
        way = 1.0 if y1 > y0 else -1.0
        if way < 0:
            x0, y0, x1, y1 = x1, y1, x0, y0
        slope = (x1 - x0) / (y1 - y0)
        for row in range(max(int(y0), 0), min(int(np.ceil(y1)), height)):
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
    return np.clip(np.abs(np.cumsum(area, axis=1)), 0, 1)[:, :width]


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


def logo(file: Path, x: float, y: float, width: float) -> Iterator[tuple[list[Line], int]]:
    """Yield the shapes of the logo, polygons of M, h, l and z, and which of SHADES each has."""
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
        color = tuple(bytes.fromhex(path.attrib["fill"][1:]))
        yield lines, SHADES.index((color, float(path.attrib.get("opacity", 1))))


def png(index: np.ndarray, colors: np.ndarray) -> bytes:
    """Return an image as PNG: the number of each pixel's color, and those colors."""
    rows = np.zeros((HEIGHT, WIDTH + 1), np.uint8)
    rows[:, 1:] = index

    def chunk(name: bytes, data: bytes) -> bytes:
        check = zlib.crc32(name + data)
        return struct.pack(">I", len(data)) + name + data + struct.pack(">I", check)

    head = struct.pack(">IIBBBBB", WIDTH, HEIGHT, 8, 3, 0, 0, 0)
    body = zlib.compress(rows.tobytes(), 6)
    palette = colors.astype(np.uint8).tobytes()
    parts = (b"IHDR", head), (b"PLTE", palette), (b"IDAT", body), (b"IEND", b"")
    return b"\x89PNG\r\n\x1a\n" + b"".join(chunk(*part) for part in parts)


def shaded(share: np.ndarray, shade: int) -> np.ndarray:
    """Return the numbers of colors: of paper, and of steps towards a shade."""
    step = np.round(share * 32).astype(np.uint8)
    return np.where(step, step + 33 * shade, 0).astype(np.uint8)


class Painter:
    """Draws cards: the logo and each letter of a size are drawn once, and then copied.

    Colors have numbers: from 0, paper, 32 steps to each of ``SHADES``.
    """

    def __init__(self, fonts: dict[int, bytes], file: Path):
        from fontTools.ttLib import TTFont

        self.fonts = {weight: TTFont(io.BytesIO(data)) for weight, data in fonts.items()}
        self.known = {weight: font.getBestCmap() for weight, font in self.fonts.items()}
        self.glyphs = {weight: font.getGlyphSet() for weight, font in self.fonts.items()}
        self.letters: dict[tuple[int, int, str], np.ndarray] = {}
        self.widths: dict[tuple[int, str], float] = {}
        self.file = file
        self.drawn: dict[str, tuple[np.ndarray, np.ndarray]] = {}
        self.logo = np.zeros((HEIGHT, WIDTH), np.uint8)
        for lines, number in logo(file, *LOGO):
            np.maximum(self.logo, shaded(cover(lines), number), out=self.logo)
        self.colors = np.array(
            [
                PAPER + (np.array(color) - PAPER) * opacity * step / 32
                for color, opacity in SHADES
                for step in range(33)
            ]
        ).round()

    def letter(self, weight: int, size: int, letter: str) -> np.ndarray:
        """Return how a letter covers a box around it, in which it begins at (size, 2 size)."""
        key = weight, size, letter
        if key not in self.letters:
            lines = text(self.fonts[weight], letter, size, 2 * size, size)
            self.letters[key] = cover(lines, 3 * size, 3 * size)
        return self.letters[key]

    def width(self, weight: int, size: int, words: str) -> float:
        total = 0.0
        for letter in words:
            if (weight, letter) not in self.widths:
                name = self.known[weight][ord(letter)]
                units = self.fonts[weight]["head"].unitsPerEm
                self.widths[weight, letter] = self.glyphs[weight][name].width / units
            total += self.widths[weight, letter]
        return total * size

    def write(self, image, weight: int, size: int, words: str, x: float, y: int, shade=0) -> None:
        """Write words from x on the baseline y: each letter on the nearest whole pixel."""
        for letter in words:
            box = shaded(self.letter(weight, size, letter), shade)
            left, top = round(x) - size, y - 2 * size
            cut = box[max(-top, 0) :, max(-left, 0) :]
            place = image[max(top, 0) : top + len(box), max(left, 0) : left + len(box)]
            np.maximum(place, cut[: place.shape[0], : place.shape[1]], out=place)
            x += self.width(weight, size, letter)

    def lines(self, title: str) -> tuple[int, list[str]]:
        """Return the largest size at which a title fits, and its lines."""
        for size, most in SIZES:
            lines = [""]
            for word in title.split():
                longer = f"{lines[-1]} {word}".strip()
                if lines[-1] and self.width(700, size, longer) > ROOM:
                    lines.append(word)
                else:
                    lines[-1] = longer
            widest = max(self.width(700, size, line) for line in lines)
            if len(lines) <= most and widest <= ROOM:
                break
        return size, lines[:most]

    def drawing(self, kind: str) -> tuple[np.ndarray, np.ndarray]:
        """Return what stands beside the title of a kind of page: its pixels, and their colors."""
        if kind not in DRAWINGS:
            return self.logo, self.colors
        if kind not in self.drawn:
            image = np.full((HEIGHT, WIDTH, 3), PAPER, float)
            file = self.file.parent / f"diagrams/{DRAWINGS[kind]}-light.svg"
            drawing.paint(file, image, AREA, cover, bezier)
            # Eight steps of each channel are more than the eye asks of a small picture.
            steps = np.minimum((image / 36.4).round(), 7)
            paper = (steps == 7).all(axis=2)
            found, index = np.unique(steps.reshape(-1, 3), axis=0, return_inverse=True)
            if len(found) > 256 - SHADED:
                raise ValueError(f"{file.name}: {len(found)} colors, more than a card has")
            pixels = (index.reshape(HEIGHT, WIDTH) + SHADED).astype(np.uint8)
            pixels[paper] = 0
            self.drawn[kind] = pixels, np.vstack([self.colors[:SHADED], found * 255 / 7])
        return self.drawn[kind]

    def card(self, kind: str, title: str) -> bytes:
        """Return the picture of a page."""
        picture, colors = self.drawing(kind)
        image = picture.copy()
        head = "Lockstep" if kind == "Lockstep" else f"Lockstep · {kind}"
        if head != title:
            self.write(image, 700, 36, head, LEFT, 110, 1)
        for number, words in enumerate(SAID):
            self.write(image, 400, 32, words, LEFT, 530 + 44 * number)
        size, lines = self.lines(title)
        top = 300 - round((len(lines) - 1) * size * 0.6) + size // 3
        for number, line in enumerate(lines):
            self.write(image, 700, size, line, LEFT, top + round(number * size * 1.2))
        return png(image, colors)


def titles(root: Path) -> dict[str, tuple[str, str]]:
    """Return kind and title of each page, by the name of its picture: from its front matter."""
    found = {}
    docs = root / "docs"
    for file in sorted(docs.rglob("*.md")):
        head = file.read_text(encoding="utf-8").partition("\n---\n")[0]
        said = dict(re.findall(r"^(kind|title): *(.+?) *$", head, re.MULTILINE))
        if said.keys() == {"kind", "title"}:
            name = file.relative_to(docs).with_suffix("").as_posix()
            title = said["title"].strip("\"'").replace("''", "'").replace('\\"', '"')
            found[name] = KINDS.get(said["kind"], "Lockstep"), title
    found["index"] = "Lockstep", "Lockstep"
    return found

"""One of the site's own drawings as pixels: what snippets/diagrams writes, and no more of SVG.

Rectangles, lines, polygons, and text as outlines of letters that a group places. Whatever else a
drawing has is refused by name, so that no card lacks a part of it.
"""

import re
import xml.etree.ElementTree as ET
from collections.abc import Callable
from pathlib import Path

import numpy as np

SVG = "{http://www.w3.org/2000/svg}"
PLACED = re.compile(r"translate\((\S+) (\S+)\) scale\((\S+) (\S+)\)")
Point = tuple[float, float]
Cover = Callable[[list, int, int], np.ndarray]  # of closed outlines, by a height and a width


class Sheet:
    """An image to paint on, and where a drawing stands on it."""

    def __init__(self, image: np.ndarray, cover: Cover, place: Callable[[float, float], Point]):
        self.image, self.cover, self.place = image, cover, place

    def fill(self, outlines: list[list[Point]], color: str, opacity: float = 1) -> None:
        """Fill closed outlines, given in the drawing's own units."""
        rows = [[self.place(*point) for point in outline] for outline in outlines]
        xs, ys = zip(*(point for row in rows for point in row), strict=True)
        left, top = int(min(xs)) - 1, int(min(ys)) - 1
        right, bottom = int(max(xs)) + 2, int(max(ys)) + 2
        moved = [[(x - left, y - top) for x, y in row] for row in rows]
        lines = [edge for row in moved for edge in zip(row, [*row[1:], row[0]], strict=True)]
        share = self.cover(lines, bottom - top, right - left)[..., None] * opacity
        part = self.image[top:bottom, left:right]
        part[:] = part * (1 - share) + np.array(rgb(color)) * share


def rgb(color: str) -> tuple[int, int, int]:
    if not re.fullmatch(r"#[0-9a-f]{6}", color):
        raise ValueError(f"the color {color!r}: a card knows #rrggbb alone")
    return int(color[1:3], 16), int(color[3:5], 16), int(color[5:7], 16)


def outlines(d: str, curve: Callable[[list[Point]], list[Point]]) -> list[list[Point]]:
    """Return the outlines of a letter: M, L, H, V, Q and Z, in absolute numbers."""
    found: list[list[Point]] = []
    for command, given in re.findall(r"([A-Za-z])([^A-Za-z]*)", d):
        numbers = [float(n) for n in re.findall(r"-?\d*\.?\d+", given)]
        if command == "Z":
            continue
        if command == "M":
            found.append([])
        elif command not in "LHVQ":
            raise ValueError(f"a path with {command}: a card knows M, L, H, V, Q and Z")
        row = found[-1]
        if command == "H":
            row += [(x, row[-1][1]) for x in numbers]
        elif command == "V":
            row += [(row[-1][0], y) for y in numbers]
        else:
            points = list(zip(numbers[::2], numbers[1::2], strict=True))
            if command == "Q":
                for control, end in zip(points[::2], points[1::2], strict=True):
                    row += curve([row[-1], control, end])
            else:
                row += points
    return found


def box(x: float, y: float, width: float, height: float) -> list[Point]:
    return [(x, y), (x + width, y), (x + width, y + height), (x, y + height)]


def stroke(a: Point, b: Point, width: float) -> list[Point]:
    """Return the outline of a straight line of some width."""
    along = np.subtract(b, a)
    across = np.array([-along[1], along[0]]) / (np.hypot(*along) or 1) * width / 2
    return [tuple(np.add(p, s * across)) for p, s in ((a, 1), (b, 1), (b, -1), (a, -1))]


def paint(file: Path, image: np.ndarray, area: tuple[int, int, int, int], cover, curve) -> None:
    """Paint a drawing into an area (x, y, width, height) of an image, as large as it fits."""
    root = ET.parse(file).getroot()
    *_, wide, high = map(float, root.attrib["viewBox"].split())
    x, y, width, height = area
    scale = min(width / wide, height / high)
    left, top = x + (width - wide * scale) / 2, y + (height - high * scale) / 2
    sheet = Sheet(image, cover, lambda px, py: (left + px * scale, top + py * scale))
    letters = {p.attrib["id"]: p.attrib["d"] for p in root.iter(f"{SVG}path") if "id" in p.attrib}
    for element in root:
        kind, has = element.tag.removeprefix(SVG), element.attrib
        number = {k: float(has.get(k, 0)) for k in ("x", "y", "width", "height")}
        if kind == "defs":
            continue
        if kind == "g":
            _words(sheet, element, letters, curve)
        elif kind == "rect":
            corners = box(**number)
            if has.get("fill", "#000000") != "none":
                sheet.fill([corners], has.get("fill", "#000000"), float(has.get("opacity", 1)))
            if has.get("stroke", "none") != "none":
                sides = zip(corners, [*corners[1:], corners[0]], strict=True)
                thick = float(has.get("stroke-width", 1))
                for a, b in sides:
                    sheet.fill([stroke(a, b, thick)], has["stroke"])
        elif kind == "line":
            a, b = ((float(has[f"x{n}"]), float(has[f"y{n}"])) for n in "12")
            sheet.fill([stroke(a, b, float(has.get("stroke-width", 1)))], has["stroke"])
        elif kind == "polygon":
            numbers = [float(n) for n in re.findall(r"-?\d*\.?\d+", has["points"])]
            sheet.fill([list(zip(numbers[::2], numbers[1::2], strict=True))], has["fill"])
        else:
            raise ValueError(f"{file.name}: <{kind}>, which a card cannot draw")


def _words(sheet: Sheet, group: ET.Element, letters: dict[str, str], curve) -> None:
    """Paint a group of letters, each an outline that is placed, turned over and made smaller."""
    placed = PLACED.fullmatch(group.attrib["transform"])
    if not placed:
        raise ValueError(f"the transform {group.attrib['transform']!r}, which a card cannot do")
    dx, dy, sx, sy = map(float, placed.groups())
    for use in group:
        at = float(use.attrib.get("x", 0))
        shapes = outlines(letters[use.attrib["href"].removeprefix("#")], curve)
        moved = [[(dx + (px + at) * sx, dy + py * sy) for px, py in shape] for shape in shapes]
        if moved:
            sheet.fill(moved, group.attrib["fill"])

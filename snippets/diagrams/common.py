"""What every picture shares: two themes, a few shapes, and where the files go.

A picture is a module of this package with ``draw(theme) -> str``, which returns one SVG.
``python -m snippets.diagrams`` writes docs/assets/diagrams/NAME-light.svg and NAME-dark.svg for
each. Pictures are 360 to 440 units wide, so that text of 11 or 12 units stays readable on a phone;
the page makes them as wide as its text. Words are outlines of the site's font, because a picture
in an <img> cannot use the fonts of its page.
"""

import re
from functools import cache
from html import escape
from pathlib import Path
from types import SimpleNamespace

from fontTools.pens.svgPathPen import SVGPathPen
from fontTools.pens.transformPen import TransformPen
from fontTools.ttLib import TTFont

from simulator.loading import stepping
from simulator.stepper import Stepper

LIGHT = {
    "name": "light",
    "ink": "#1f2328",
    "accent": "#0f766e",
    "amber": "#b45309",
    "grid": "#d0d7de",
    "faint": "#f1f5f9",
    "on_accent": "#ffffff",
}
DARK = {
    "name": "dark",
    "ink": "#e6edf3",
    "accent": "#5eead4",
    "amber": "#fbbf24",
    "grid": "#30363d",
    "faint": "#161b22",
    "on_accent": "#0d1117",
}
THEMES = (LIGHT, DARK)
ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "docs" / "assets" / "diagrams"
COARSE = 4  # units of the font to one of an outline: shorter files, and no eye sees it
FONTS = ROOT / "node_modules" / "@fontsource" / "inter" / "files"


def svg(width, height, *shapes, label=""):
    """Return a whole picture. ``label`` is its text alternative for those who open the file."""
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:g} {height:g}" '
        f'width="{width:g}" height="{height:g}" font-family="sans-serif" role="img" '
        f'aria-label="{escape(label)}">'
    )
    body = "\n".join(shapes)
    used = sorted(set(re.findall(r'href="#(\w+)"', body)))
    defs = "".join(f'<path id="{name}" d="{_outline(name)}"/>' for name in used)
    return "\n".join([head, f"<defs>{defs}</defs>", body, "</svg>"]) + "\n"


@cache
def _font(weight):
    file = FONTS / f"inter-latin-{weight}-normal.woff"
    if not file.is_file():
        raise FileNotFoundError(
            f"{file} is not there. To mend: make site, which installs the fonts"
        )
    return TTFont(file)


@cache
def _outline(name):
    """Return the path of a glyph, by a name such as r61: the weight and the code point."""
    font = _font(700 if name[0] == "b" else 400)
    pen = SVGPathPen(font.getGlyphSet(), ntos=lambda number: str(round(number)))
    small = TransformPen(pen, (1 / COARSE, 0, 0, 1 / COARSE, 0, 0))
    font.getGlyphSet()[font.getBestCmap()[int(name[1:], 16)]].draw(small)
    return pen.getCommands()


def measure(words, size=11, weight="normal"):
    """Return how wide words are."""
    font = _font(700 if weight == "bold" else 400)
    units = font["head"].unitsPerEm
    return sum(font["hmtx"][font.getBestCmap()[ord(c)]][0] for c in str(words)) * size / units


def rect(x, y, width, height, fill="none", stroke="none", radius=2, dash=None):
    """Return a rectangle with its corner at (x, y)."""
    dashed = f' stroke-dasharray="{dash}"' if dash else ""
    return (
        f'<rect x="{x:g}" y="{y:g}" width="{width:g}" height="{height:g}" rx="{radius}" '
        f'fill="{fill}" stroke="{stroke}"{dashed}/>'
    )


def text(x, y, words, fill, size=11, anchor="middle", weight="normal"):
    """Return words whose baseline is at y. ``anchor``: start, middle or end."""
    words, bold = str(words), weight == "bold"
    font = _font(700 if bold else 400)
    letters, units = font.getBestCmap(), font["head"].unitsPerEm
    if lacking := [c for c in words if ord(c) not in letters]:
        raise ValueError(f"{words!r}: the site's font has no {' '.join(lacking)}")
    left = x - {"start": 0, "middle": 0.5, "end": 1}[anchor] * measure(words, size, weight)
    at, glyphs = 0, []
    for letter in words:
        if letter.strip():
            place = f' x="{at / COARSE:.0f}"' if at else ""
            glyphs.append(f'<use href="#{"rb"[bold]}{ord(letter):x}"{place}/>')
        at += font["hmtx"][letters[ord(letter)]][0]
    scale = COARSE * size / units
    return (
        f'<g fill="{fill}" transform="translate({left:.1f} {y:g}) scale({scale:.5f} {-scale:.5f})">'
        + "".join(glyphs)
        + "</g>"
    )


def line(x1, y1, x2, y2, stroke, width=1, dash=None):
    """Return a straight line."""
    dashed = f' stroke-dasharray="{dash}"' if dash else ""
    return (
        f'<line x1="{x1:g}" y1="{y1:g}" x2="{x2:g}" y2="{y2:g}" stroke="{stroke}" '
        f'stroke-width="{width}"{dashed}/>'
    )


def arrow(x1, y1, x2, y2, stroke, width=1.5):
    """Return a line with a head at (x2, y2)."""
    length = ((x2 - x1) ** 2 + (y2 - y1) ** 2) ** 0.5
    dx, dy = (x2 - x1) / length, (y2 - y1) / length
    left = (x2 - 7 * dx - 4 * dy, y2 - 7 * dy + 4 * dx)
    right = (x2 - 7 * dx + 4 * dy, y2 - 7 * dy - 4 * dx)
    points = " ".join(f"{x:.1f},{y:.1f}" for x, y in ((x2, y2), left, right))
    return line(x1, y1, x2 - 5 * dx, y2 - 5 * dy, stroke, width) + (
        f'<polygon points="{points}" fill="{stroke}"/>'
    )


def write(name, draw, folder=FOLDER):
    """Write one picture in both themes and return the paths."""
    folder.mkdir(parents=True, exist_ok=True)
    paths = []
    for theme in THEMES:
        path = folder / f"{name}-{theme['name']}.svg"
        path.write_text(draw(theme), encoding="utf-8")
        paths.append(path)
    return paths


def watch(file, kernel, config, *arguments, **constants):
    """Run one launch of a kernel of kernels/``file`` in the stepper, and say what its warps did.

    What a picture shows of a kernel is read off here, so that the two cannot disagree. NumPy arrays
    among the arguments are copied to the device. ``constants`` replace those of the module, such as
    TILE=4. The result has ``counts``; ``accesses``, a list of (array, kind, block, {lane: element})
    in the order of the run; and ``masks``, a list of (line of source, lanes that ran it) for the
    first warp.
    """
    stepper = Stepper(mode="record")
    with stepping(stepper) as load:
        module = load("kernels." + file.removesuffix(".py").replace("/", "."))
        vars(module).update(constants)
        places = [stepper.cuda.to_device(a) if getattr(a, "shape", ()) else a for a in arguments]
        getattr(module, kernel)[config](*places)
        source = Path(module.__file__).read_text(encoding="utf-8").splitlines()
    done = stepper.launches[0]
    trace = done.trace.as_dict()
    accesses, masks = [], []
    for block, warp, place, mask, touched in trace["steps"]:
        if warp < 0:  # a barrier
            continue
        lanes = [lane for lane in range(32) if mask >> lane & 1]
        if (block, warp) == (0, 0):
            line = trace["statements"][str(place)]["line"]
            masks.append((source[line - 1].split("  #")[0].strip(), lanes))
        for number, _, own, items, *_ in touched:
            site = trace["sites"][str(number)]
            elements = dict(zip(own or lanes, items, strict=True))
            accesses.append((site["array"], site["kind"], tuple(trace["blocks"][block]), elements))
    return SimpleNamespace(counts=done.counts, accesses=accesses, masks=masks)


def run_section(file, name, **stand_ins):
    """Run a section of kernels/``file`` as plain Python, with stand-ins, and return its names.

    For kernels with instructions that no simulator has: their index arithmetic is still read off.
    """
    path = Path(__file__).resolve().parents[2] / "kernels" / file
    text = path.read_text(encoding="utf-8")
    body = text.split(f"[start:{name}]\n")[1].split(f"# --8<-- [end:{name}]")[0]
    exec(compile(body, str(path), "exec"), stand_ins)
    return stand_ins

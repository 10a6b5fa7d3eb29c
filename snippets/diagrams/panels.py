"""The kit of the pictures of terms: panels of 340 units, with a warp, cells, boxes and time lines.

A picture of a term is a module of ``snippets/diagrams/terms/`` with ``draw() -> Picture``.
``python -m snippets.diagrams`` writes it to docs/assets/diagrams/terms/ as one SVG, and
``[[picture:NAME]]`` puts its panels into a page: side by side where there is room, below one
another on a phone. A panel has the width of a phone's text, so its words keep their size on both.

Colors are classes of docs/assets/css/pictures.css, for the page's light and dark: shapes are
filled (fa fb fc fv fr), tinted (ta ...; ga ... without an edge), neutral (n), outlined (o) or
dashed (d); lines are la lb ... ls li ll; words ks (soft), kw (on a filled shape), ka kb kr, kx
(bold) and km (small). a is what a picture is about, b what costs, r what goes wrong; c and v are
two more.

A panel refuses words that leave it or cover other words, so most mistakes show when it is drawn.
"""

import re
from dataclasses import dataclass, field
from html import escape
from pkgutil import iter_modules

from snippets.diagrams import common

WIDTH = 340
TEXT, SMALL = 12.5, 11.5  # the sizes of pictures.css
SHEET = common.ROOT / "docs/assets/css/pictures.css"
# A file that is opened alone has no page whose colors it could take: (light, dark).
COLORS = {
    "ground": ("#fdfbf6", "#141210"),
    "wash": ("#f5f1e8", "#1f1c18"),
    "line": ("#ddd6c7", "#3b352d"),
    "ink": ("#191714", "#ece6da"),
    "soft": ("#5a544b", "#b8ae9f"),
    "accent": ("#a3450a", "#f5a767"),
    "simulator": ("#5a3f9e", "#c0a9f5"),
    "cpu": ("#1d5fa8", "#8cbcf3"),
    "compiled": ("#735000", "#e2b45e"),
    "awaiting": ("#b0203a", "#ff93a3"),
}
GAP = 20  # between two panels of a file that is opened alone


KIT = {"common", "observed", "palette", "panels", "__main__"}


def names(package):
    """Return the names of the modules of a package that draw a picture."""
    return [m.name for m in iter_modules(package.__path__) if not m.ispkg and m.name not in KIT]


def size_of(kind):
    return SMALL if "km" in kind.split() else TEXT


def width_of(words, kind=""):
    weight = "bold" if "kx" in kind.split() else "normal"
    return common.measure(words, size_of(kind), weight)


def number(value):
    return f"{round(value, 1):g}"


@dataclass
class Panel:
    """Shapes and words, from the top down. ``height`` is found when it is not given."""

    title: str = ""
    height: float = 0
    shapes: list = field(default_factory=list)
    taken: list = field(default_factory=list)  # (left, top, right, bottom, words)
    lowest: float = 0

    def __post_init__(self):
        if self.title:
            self.text(0, 12, self.title, "kx", "start")

    def _down(self, y):
        self.lowest = max(self.lowest, y)

    def _inside(self, left, right):
        if left < -1 or right > WIDTH + 1:
            raise ValueError(f"a shape leaves the panel: {left:.0f} to {right:.0f}")

    def _take(self, x, y, words, kind, anchor):
        """Take the place of words, or say what they cover."""
        wide, size = width_of(words, kind), size_of(kind)
        left = x - {"start": 0, "middle": wide / 2, "end": wide}[anchor]
        if left < -0.5 or left + wide > WIDTH + 0.5:
            raise ValueError(f"{words!r} leaves the panel: {left:.0f} to {left + wide:.0f}")
        box = (left, y - 0.72 * size, left + wide, y + 0.2 * size, words)
        for other in self.taken:
            if box[0] < other[2] and other[0] < box[2] and box[1] < other[3] and other[1] < box[3]:
                raise ValueError(f"{words!r} covers {other[4]!r}")
        self.taken.append(box)

    def text(self, x, y, words, kind="", anchor="middle"):
        """Write words whose baseline is at y."""
        words = str(words)
        self._take(x, y, words, kind, anchor)
        at = "" if anchor == "start" else f' text-anchor="{anchor}"'
        look = f' class="{kind}"' if kind else ""
        place = f'x="{number(x)}" y="{number(y)}"'
        self.shapes.append(f"<text {place}{at}{look}>{escape(words, quote=False)}</text>")
        self._down(y + 4)

    def rows(self, x, y, *words, kind="", anchor="middle", step=15):
        """Write several lines, the first with its baseline at y."""
        for k, line in enumerate(words):
            self.text(x, y + step * k, line, kind, anchor)

    def box(self, x, y, width, height, kind="n", words=None, look=None, radius=3):
        """Draw a rectangle, with words in its middle: a text, or lines of it."""
        self._inside(x, x + width)
        self.shapes.append(
            f'<rect x="{number(x)}" y="{number(y)}" width="{number(width)}" '
            f'height="{number(height)}" rx="{radius}" class="{kind}"/>'
        )
        self._down(y + height)
        if words is None:
            return
        if look is None:
            look = "kw" if kind.startswith("f") else ""
        lines = [words] if isinstance(words, str | int) else list(words)
        first = y + height / 2 + 4.2 - 7.5 * (len(lines) - 1)
        for k, line in enumerate(lines):
            if width_of(line, look) > width - 2:
                wide = width_of(line, look)
                raise ValueError(f"{line!r} is {wide:.0f} wide, and its box {width:.0f}")
            self.text(x + width / 2, first + 15 * k, line, look)

    def cells(self, x, y, kinds, width=10, height=12, gap=1, words=(), look="", columns=None):
        """Draw a row of cells, one for each of ``kinds``; with ``columns``, several rows."""
        columns = columns or len(kinds)
        self._inside(x, x + min(columns, len(kinds)) * width - gap)
        paths, last = {}, {}
        between = min(gap, 2)  # rows
        wide, high = number(width - gap), number(height - between)
        for k, kind in enumerate(kinds):
            if not kind:
                continue
            left, top = x + k % columns * width, y + k // columns * height
            if kind in last:  # from where the last one began: shorter
                go = f"m{number(left - last[kind][0])} {number(top - last[kind][1])}"
            else:
                go = f"M{number(left)} {number(top)}"
            last[kind] = (left, top)
            paths[kind] = f"{paths.get(kind, '')}{go}h{wide}v{high}h-{wide}z"
        for kind, path in paths.items():
            self.shapes.append(f'<path d="{path}" class="{kind}"/>')
        said = {}
        for k, word in enumerate(words):
            if word == "":
                continue
            middle = x + k % columns * width + (width - gap) / 2
            base = y + k // columns * height + (height - between) / 2 + 4.2
            shade = look or ("kw km" if (kinds[k] or "").startswith("f") else "km")
            self._take(middle, base, str(word), shade, "middle")
            pieces = said.setdefault((base, shade), [])
            pieces.append(f'<tspan x="{number(middle)}">{escape(str(word), quote=False)}</tspan>')
        for (base, shade), pieces in said.items():
            head = f'<text y="{number(base)}" text-anchor="middle" class="{shade}">'
            self.shapes.append(f"{head}{''.join(pieces)}</text>")
        self._down(y + height * -(-len(kinds) // columns))

    def warp(self, y, kinds="fa", x=10, lanes=32, height=12):
        """Draw the 32 lanes of a warp in one row. ``kinds``: one for all, or a list."""
        kinds = [kinds] * lanes if isinstance(kinds, str) else kinds
        self.cells(x, y, kinds, 10, height)

    def line(self, x1, y1, x2, y2, kind="ls"):
        place = f'x1="{number(x1)}" y1="{number(y1)}" x2="{number(x2)}" y2="{number(y2)}"'
        self.shapes.append(f'<line {place} class="{kind}"/>')
        self._down(max(y1, y2))

    def lines(self, ends, kind="ls"):
        """Draw many straight lines, (x1, y1, x2, y2) each, as one path."""
        d = "".join(f"M{number(a)} {number(b)}L{number(c)} {number(e)}" for a, b, c, e in ends)
        self.shapes.append(f'<path d="{d}" class="{kind}"/>')
        self._down(max(max(b, e) for _, b, _, e in ends))

    def curve(self, points, kind="la"):
        """Draw a line through points."""
        path = " ".join(f"{number(x)},{number(y)}" for x, y in points)
        self.shapes.append(f'<polyline points="{path}" class="{kind}"/>')
        self._down(max(y for _, y in points))

    def arrow(self, x1, y1, x2, y2, kind="ls"):
        """Draw a line with a head at (x2, y2)."""
        length = ((x2 - x1) ** 2 + (y2 - y1) ** 2) ** 0.5
        dx, dy = (x2 - x1) / length, (y2 - y1) / length
        self.line(x1, y1, x2 - 4 * dx, y2 - 4 * dy, kind)
        self.head(x2, y2, dx, dy, kind)

    def head(self, x, y, dx, dy, kind="ls"):
        points = ((x, y), (x - 7 * dx - 3.5 * dy, y - 7 * dy + 3.5 * dx))
        points += ((x - 7 * dx + 3.5 * dy, y - 7 * dy - 3.5 * dx),)
        d = "L".join(f"{number(a)} {number(b)}" for a, b in points)
        self.shapes.append(f'<path d="M{d}z" class="f{kind.split()[0][1]}"/>')
        self._down(y + 3)

    def bend(self, points, kind="ls"):
        """Draw a line through points, with a head at the last."""
        (x1, y1), (x2, y2) = points[-2:]
        length = ((x2 - x1) ** 2 + (y2 - y1) ** 2) ** 0.5
        dx, dy = (x2 - x1) / length, (y2 - y1) / length
        self.curve([*points[:-1], (x2 - 4 * dx, y2 - 4 * dy)], kind)
        self.head(x2, y2, dx, dy, kind)

    def dot(self, x, y, radius=3, kind="fa"):
        place = f'cx="{number(x)}" cy="{number(y)}" r="{number(radius)}"'
        self.shapes.append(f'<circle {place} class="{kind}"/>')
        self._down(y + radius)

    def key(self, y, *entries, x=0, gap=14):
        """Explain colors: (kind, words) each, in a row."""
        for kind, words in entries:
            self.box(x, y - 9, 10, 10, kind, radius=2)
            self.text(x + 15, y, words, "km", "start")
            x += 15 + width_of(words, "km") + gap

    def time(self, y, x1=0, x2=WIDTH, words="time"):
        """Draw the axis of time."""
        wide = width_of(words, "ks km")
        self.arrow(x1, y, x2 - wide - 6, y)
        self.text(x2, y + 4, words, "ks km", "end")

    def svg(self, x=0):
        height = self.height or self.lowest + 2
        box = f'viewBox="0 0 {WIDTH} {number(height)}"'
        place = f'x="{x}" width="{WIDTH}" height="{number(height)}" ' if x else ""
        return f"<svg {place}{box}>{''.join(self.shapes)}</svg>"


class Picture:
    """Panels, the words that stand for them, and what a reader should see in them."""

    def __init__(self, *panels, alt, see):
        self.panels, self.alt, self.see = panels, alt, see

    def render(self):
        """Return the file: it can be opened alone, and lockstep_site/pictures.py reads it."""
        width = len(self.panels) * (WIDTH + GAP) - GAP
        height = max(panel.height or panel.lowest + 2 for panel in self.panels)
        head = (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {number(height)}" '
            f'role="img" aria-label="{escape(self.alt)}" class="picture">'
        )
        parts = [head, f"<desc>{escape(self.see, quote=False)}</desc>", _style(self.panels)]
        parts += [panel.svg(k * (WIDTH + GAP)) for k, panel in enumerate(self.panels)]
        return "\n".join([*parts, "</svg>"]) + "\n"


def _style(panels):
    """Return the rules that these panels need, out of the site's own style sheets."""
    used = {"text"}
    for panel in panels:
        for names in re.findall(r'class="([^"]*)"', "".join(panel.shapes)):
            used |= {f".{name}" for name in names.split()}
    rules = []
    for rule in SHEET.read_text(encoding="utf-8").split("drawn with ---- */")[1].splitlines():
        names = set(re.findall(r"\.(?!picture\b)[a-z]+|text", rule.partition("{")[0]))
        if names & used:
            rules.append(rule.replace("; }", "}").replace(" {", "{").replace(": ", ":"))
    wanted = sorted(set(re.findall(r"--ls-(\w+)", "".join(rules))))
    light, dark = (";".join(f"--ls-{name}:{COLORS[name][k]}" for name in wanted) for k in (0, 1))
    return (
        f"<style>.picture{{font-family:Inter,sans-serif;{light}}}"
        f"@media(prefers-color-scheme:dark){{.picture{{{dark}}}}}{''.join(rules)}</style>"
    )


def write(name, picture, folder=common.FOLDER / "terms"):
    """Write one picture and return its path."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{name}.svg"
    path.write_text(picture.render(), encoding="utf-8")
    return path

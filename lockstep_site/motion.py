"""Figures that move: what a script of ``snippets/motion/`` recorded, stepped through in the page.

``[[motion:NAME]]`` on a line of its own becomes the figure. Without JavaScript its frames fold open
in words. ``docs/assets/js/motion.js`` plays it.
"""

import html
import json
import re
from pathlib import Path

from lockstep.page import Mistake, PageError
from lockstep.parts import Part

FOLDER = "docs/assets/motion"
SCRIPTS = "snippets/motion"
MARKER = re.compile(r"^\[\[motion:(?P<name>[a-z][a-z0-9-]*)\]\][ \t]*$")


def load(name: str, root: Path) -> dict:
    """Return a recording. Raises PageError where there is none."""
    file = root / FOLDER / f"{name}.json"
    if not file.is_file():
        known = ", ".join(sorted(path.stem for path in (root / FOLDER).glob("*.json")))
        what = f"[[motion:{name}]]: there is no such figure (there are: {known})"
        mend = f"write {SCRIPTS}/{name.replace('-', '_')}.py, and run python -m snippets.motion"
        raise PageError([Mistake(f"{FOLDER}/{name}.json", 1, what, mend)])
    return json.loads(file.read_text(encoding="utf-8"))


def told(name: str, root: Path) -> list[str]:
    """Return the frames in words; what two frames in a row say alike, once."""
    words = [frame["words"] for frame in load(name, root)["frames"]]
    return [line for n, line in enumerate(words) if n == 0 or line != words[n - 1]]


def figure(name: str, root: Path) -> str:
    """Return the HTML of a figure."""
    data, lines = load(name, root), told(name, root)
    items = "".join(f"<li>{html.escape(line)}</li>" for line in lines)
    rows = sum(len(panel["rows"]) for panel in data["panels"])
    return (
        f'<figure class="motion" data-motion="{name}" data-search-exclude>\n'
        f'<div class="motion__stage" style="--lines: {rows}"></div>\n'
        f'<details class="motion__words"><summary>{html.escape(data["title"])}: '
        f"{len(lines)} frames, in words</summary><ol>{items}</ol></details>\n"
        f"<figcaption>{html.escape(data['caption'], quote=False)}</figcaption>\n</figure>"
    )


class MotionPart(Part):
    """A figure that moves."""

    name = "motion"
    marker = MARKER

    def render(self, marker: re.Match, site, folder: str, plain: bool) -> str:
        if plain:
            return "\n".join(f"- {line}" for line in told(marker["name"], site.root))
        return figure(marker["name"], site.root)

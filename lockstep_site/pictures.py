"""Pictures of terms, as SVG inside the page: they take its colors and its font.

``[[picture:NAME]]``, on a line of its own, becomes the figure of
``docs/assets/diagrams/terms/NAME.svg``, which a script of ``snippets/diagrams/terms/`` drew. The
file holds its panels, the text that stands for them, and the caption.
"""

import html
import posixpath
import re
from pathlib import Path

from lockstep.page import Mistake, PageError
from lockstep.parts import Part

FOLDER = "docs/assets/diagrams/terms"
MARKER = re.compile(r"^\[\[picture:(?P<name>[a-z0-9-]+)\]\][ \t]*$")
PANEL = re.compile(r'<svg (?:x="\d+" width="\d+" height="[\d.]+" )?viewBox=.*?</svg>', re.DOTALL)
STACKED = {
    "Left,": "Above,",
    "Right,": "Below,",
    "On the left": "Above,",
    "On the right": "Below,",
}
SIDES = re.compile("|".join(STACKED))


def read(name: str, root: Path) -> tuple[str, str, list[str]]:
    """Return what a picture shows in words, its caption, and its panels."""
    path = f"{FOLDER}/{name}.svg"
    file = root / path
    script = f"snippets/diagrams/terms/{name.replace('-', '_')}.py"
    if not file.is_file():
        mend = f"correct the name, or write {script} and run python -m snippets.diagrams {name}"
        raise PageError([Mistake(path, 1, f"there is no picture {name!r}", mend)])
    text = file.read_text(encoding="utf-8")
    alt = re.search(r'aria-label="([^"]*)"', text)
    see = re.search(r"<desc>(.*?)</desc>", text, re.DOTALL)
    panels = PANEL.findall(text)
    if not (alt and alt[1] and see and see[1] and panels):
        mend = f"give Picture its panels, alt and see in {script}"
        what = "a picture without a text alternative, a caption or a panel"
        raise PageError([Mistake(path, 1, what, mend)])
    return html.unescape(alt[1]), html.unescape(see[1]), panels


def render(name: str, root: Path, folder: str, plain: bool = False) -> str:
    """Return the figure as Markdown. ``plain``: an image and its caption."""
    alt, see, panels = read(name, root)
    if plain:
        place = posixpath.relpath(f"{FOLDER}/{name}.svg".removeprefix("docs/"), folder)
        return f"![{alt}]({place})\n\n*{see}*"
    drawn = "".join(re.sub(r"^<svg [^>]*(viewBox=)", r"<svg \1", panel) for panel in panels)
    one = " picture--one" if len(panels) == 1 else ""
    return (
        f'<figure class="picture{one}"><div class="picture__panels" role="img" '
        f'aria-label="{html.escape(alt)}" data-search-exclude="">{drawn}</div>'
        f"<figcaption>{_caption(see, len(panels))}</figcaption></figure>"
    )


def _caption(see: str, panels: int) -> str:
    """Return a caption whose words "Left" and "Right" are others where two panels are stacked.

    The style sheet shows one of the two; copied and searched is the first.
    """
    text = html.escape(see, quote=False)
    if panels != 2:
        return text
    return SIDES.sub(
        lambda found: (
            f'<span class="beside-word">{found[0]}</span>'
            f'<span class="below-word" data-search-exclude="">{STACKED[found[0]]}</span>'
        ),
        text,
    )


class PicturesPart(Part):
    """Pictures of terms."""

    name = "pictures"
    marker = MARKER

    def render(self, marker: re.Match, site, folder: str, plain: bool) -> str:
        return render(marker["name"], site.root, folder, plain)

"""One page that holds all pages of a section, for paper and for a reader without a network.

It is put together from the finished HTML of the pages. Each page's ids get a prefix, so that they
stay apart, and its links are turned to lead to the same places from where this page stands. A link
to a page of the same section leads to its place on this one.
"""

import posixpath
import re

FOLDER = "print"
# Attributes that hold an id, or ids, of the page; and those that hold an address.
IDS = "id|for|name|headers|aria-labelledby|aria-describedby|aria-controls"
ATTRIBUTE = re.compile(rf'(?<= )(?P<key>{IDS}|href|src)="(?P<value>[^"]*)"')
SCROLLS = re.compile(r"<table(?=>)|(?<=<pre><span></span>)<code(?=>)|(?<=<pre>)<code(?=>)")
ELSEWHERE = re.compile(r"[a-z][a-z0-9+.-]*:|//|/")


def address(folder: str, directories: bool = True) -> str:
    """Return where the print page of the section in ``folder`` stands."""
    return f"{FOLDER}/{folder}/" + ("" if directories else "index.html")


def prefix(url: str) -> str:
    """Return what comes before the ids of the page at this address."""
    return re.sub(r"[^a-z0-9]+", "-", url.removesuffix(".html").lower()).strip("-") + "--"


def render(pages: list[tuple[str, str]], at: str) -> str:
    """Return pages, each (address, HTML of its content), as one piece of HTML for ``at``."""
    here = {_clean(url): prefix(url) for url, _ in pages}
    return "\n".join(
        f'<section class="sheet" id="{prefix(url)}top">{_moved(content, url, at, here)}</section>'
        for url, content in pages
    )


def _clean(url: str) -> str:
    return posixpath.normpath(url.removesuffix("index.html") or ".")


def _moved(content: str, url: str, at: str, here: dict[str, str]) -> str:
    own = prefix(url)

    def turn(match: re.Match) -> str:
        key, value = match["key"], match["value"]
        if key not in {"href", "src"}:
            return f'{key}="{" ".join(own + name for name in value.split())}"'
        if not value or ELSEWHERE.match(value):
            return match[0]
        path, mark, anchor = value.partition("#")
        if not path:
            return f'{key}="#{own}{anchor or "top"}"'
        base = url if url.endswith("/") else posixpath.dirname(url)
        target = posixpath.normpath(posixpath.join(base, path))
        if key == "href" and (other := here.get(_clean(target))):
            return f'{key}="#{other}{anchor or "top"}"'
        start = at if at.endswith("/") else posixpath.dirname(at)
        turned = posixpath.relpath(target, start) + ("/" if path.endswith("/") else "")
        return f'{key}="{turned}{mark}{anchor}"'

    content = ATTRIBUTE.sub(turn, content)
    # No script runs here that gives a tab stop to what may scroll sideways.
    content = SCROLLS.sub(r'\g<0> tabindex="0"', content)
    # Nor one that names what is empty: the corner of a table heads nothing.
    content = re.sub(r"<th((?:\s[^>]*)?)></th>", r"<td\1></td>", content)
    # On paper nothing can be unfolded.
    return re.sub(r"<details(?![^>]*\bopen\b)", "<details open", content)

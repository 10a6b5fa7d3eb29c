"""The last look at a built site: what lies in its folder is what was checked, and nothing more.

A page is checked when its Markdown has become HTML (``lockstep.finished``). MkDocs then hands it
on: to other extensions, to other plugins, to a template. So the text that was approved is held to
what reaches us next, what we hand on to what lies in the folder in the end, and nobody may come
after that. What stands around the text, of a template or of a plugin, shows no code, no stamp and
no number that looks measured.
"""

import functools
import html
import os
import re
from collections.abc import Iterator
from pathlib import Path

from mkdocs.exceptions import PluginError

from lockstep import numbers, rendered
from lockstep.source import digest

LAST = -1000  # of plugins, those with the lowest priority come last
AFTER = ("page_content", "post_page", "post_template", "post_build")
TRUSTED = ("mkdocs.", "material.", "lockstep.")  # who may do something at the very end
MEND = "take it out, or do it in a Part, which the core calls before its check"

CLASSES = re.compile(r"\bclass\s*=\s*(?:\"([^\"]*)\"|'([^']*)'|([^\s>\"']+))", re.IGNORECASE)
CODE = re.compile(r"<(?:pre|iframe|object|embed|textarea|plaintext|xmp)\b", re.IGNORECASE)
HANDLER = re.compile(r"<[^>]*\son\w+\s*=", re.IGNORECASE)
# A theme may set its colors and fonts; a style that writes or hides is none of its.
STYLE = re.compile(r"<style\b[^>]*>[^<]*(?:content|display|visibility|opacity|clip)", re.IGNORECASE)
SILENT = re.compile(r"<script\b.*?</script\s*>|<!--.*?-->", re.DOTALL | re.IGNORECASE)
TAG = re.compile(r"<[^>]*>")
PIECES = re.compile(r"(<[^<>]*>)")
OPEN = re.compile(r"\bclass\s*=\s*(?:\"[^\"]*$|'[^']*$)", re.IGNORECASE)
LINK = re.compile(r"<a(\s[^<>]*)>")
SEARCH = re.compile(r"\sdata-search-[\w-]+(?:=\"[^\"]*\")?")  # Material's search takes them out


def nobody_after(config, ours: object) -> None:
    """Refuse hooks, and plugins that would change a page after our last look."""
    for name in config.hooks or {}:
        raise PluginError(
            f"mkdocs.yml: the hook {name} changes pages after they were checked. To mend: {MEND}."
        )
    events = config.plugins.events
    for event in AFTER:
        last = events[event][-1] if events[event] else None
        if last is not None and getattr(last, "__self__", None) is not ours:
            _refuse(last, f"on_{event}")
    for method in events["shutdown"]:
        if not str(getattr(method, "__module__", "")).startswith(TRUSTED):
            _refuse(method, "on_shutdown")


def _refuse(method, event: str) -> None:
    who = type(getattr(method, "__self__", method))
    name = f"{who.__module__}.{who.__qualname__}"
    what = f"the plugin {name} comes after the last check of a page, with {event}"
    raise PluginError(f"mkdocs.yml: {what}. To mend: give it a priority above {LAST}; or {MEND}.")


def same(path: str, approved: str | None, there: str) -> None:
    """Refuse a page whose HTML is not the one that was approved."""
    if approved is None:
        what = "this page comes here without a check"
        mend = "build again if its file changed meanwhile, or take the extension out that "
        mend += "keeps lockstep.markdown from it"
        raise PluginError(f"{path}:1: {what}. To mend: {mend}.")
    if approved.strip() == there.strip():
        return
    a, b = approved.strip(), there.strip()
    at = len(os.path.commonprefix([a, b]))
    what = f"something changed this page after its check: {b[at : at + 60]!r}"
    mend = "take the extension or the plugin out that does so"
    raise PluginError(f"{path}:1: {what}. To mend: {mend}.")


def _link(found: re.Match) -> str:
    return _written(found[1])


@functools.lru_cache(maxsize=1 << 14)  # the navigation has the same on most pages
def _written(attributes: str) -> str:
    """Write a link in one way. Where it opens a plugin may say, such as Material's privacy."""
    there = {name: html.unescape(value) for name, value in rendered.ATTRIBUTE.findall(attributes)}
    kept = [f' {k}="{v}"' for k, v in sorted(there.items()) if k not in {"target", "rel"}]
    return f"<a{''.join(kept)}>"


def around(path: str, content: str, page: str) -> None:
    """Refuse a whole page that does not hold the checked text once, or shows more than that."""
    if page.count(content) != 1 or not content.strip() or _twice(content, page):
        content, page = (LINK.sub(_link, SEARCH.sub("", text)) for text in (content, page))
    if content.strip() and page.count(content) != 1:
        what = "the page does not hold its checked text, or holds it twice"
        mend = "take the plugin or the template out that changes {{ page.content }}"
        raise PluginError(f"{path}:1: {what}. To mend: {mend}.")
    before, _, after = page.partition(content)
    for what in shown(before, after):
        mend = "take it out of the template, or the plugin that brings it"
        raise PluginError(f"{path}:1: around the text of this page stands {what}. To mend: {mend}.")


def _twice(content: str, page: str) -> bool:
    """Whether a page may hold a text once more, with its links written in another way."""
    words = max((piece.partition(">")[2] for piece in content.split("<")), key=len)
    return page.count(words) != content.count(words)


def shown(*texts: str) -> Iterator[str]:
    """Yield what may not stand around the text of a page."""
    for text in texts:
        text = SILENT.sub("", text)
        # What stands around one page stands around most of them: the navigation.
        pieces = [piece for piece in set(PIECES.split(text)) if piece not in _clean]
        open_ = any(map(OPEN.search, pieces))  # a value that goes on in the next piece
        found = list(_shown(text, *pieces)) if open_ else list(_shown(*pieces))
        if "<style" in text.lower() and STYLE.search(text):
            found.append("a <style> that hides or writes")
        if not found and not open_:
            _clean.update(pieces)
        yield from found


def _shown(*pieces: str) -> Iterator[str]:
    for piece in pieces:
        for found in CLASSES.finditer(piece):
            for name in html.unescape(next(filter(None, found.groups()), "")).split():
                if rendered.RESERVED.match(name):
                    yield f"the class {name}, which is the core's"
        if code := CODE.search(piece):
            yield f"{code[0]}>, which the core alone may show"
        if handler := HANDLER.search(piece):
            yield f"{' '.join(handler[0].split())[-60:]!r}, a script in an attribute"
        for row in TAG.sub("\n", piece).split("\n"):
            if said := numbers.typed(html.unescape(row.strip())):
                yield f"{said[0]!r}, which looks measured and is typed"


_clean: set[str] = set()  # the pieces that were looked at and show nothing of that


def untouched(site: Path, written: dict[str, str]) -> None:
    """Refuse a folder in which a page is not as it was handed on. ``written``: hash by file."""
    for name, sha256 in written.items():
        file = site / name
        there = digest(file.read_text(encoding="utf-8")) if file.is_file() else None
        if there != sha256:
            what = "is gone" if there is None else "was changed after its last check"
            mend = "take the plugin out that does so"
            raise PluginError(f"{site.name}/{name}:1: this page {what}. To mend: {mend}.")

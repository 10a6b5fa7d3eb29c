"""Numbers in data files and front matter: YAML whose words and figures come onto pages.

A number that looks measured stands there with its source in the same entry, or in one around it:
``url``, ``source`` or ``cites`` with an address, or ``sources`` with addresses or with names that
the head of the file gives an address. Else it is a key, or ``[[worked:NUMBER; how]]``.
"""

import re
from collections.abc import Iterator
from pathlib import Path

import yaml

from lockstep import figures, numbers
from lockstep.mistakes import Mistake
from lockstep.project import LOADER
from lockstep.source import text_of, yaml_line

ADDRESS = re.compile(r"https?://[^\s/]+")
LINK = re.compile(r"\[[^\]]*\]\(https?://[^)]*\)")
# A bare number under such a key is a measured quantity: bandwidth_gbs, latency-ns.
QUANTITY = re.compile(
    r"(?:^|[_-])(?:[gmtk]i?b(?:ps|s)|[gmt]?flop(?:s|_s)|t?ops|[numµ]s|[gm]hz|percent|watts?|cycles)$",
    re.IGNORECASE,
)
BESIDE = ("url", "source", "cites")
MEND = (
    "give its source in the same entry, url: or sources:; or write a key, [[bench:ID.FIELD]] or "
    "[[micro:ID]]; or [[worked:NUMBER; how it follows]]"
)


def check(root: Path, file: Path) -> list[Mistake]:
    """Return the typed numbers of a data file that have no source beside them."""
    path = file.relative_to(root).as_posix()
    text = text_of(file, path)
    try:
        return [Mistake(path, line, what, MEND) for line, what in typed(text)]
    except yaml.YAMLError as error:
        problem = str(getattr(error, "problem", error))
        return [Mistake(path, yaml_line(error), "this is not YAML", problem)]


def typed(text: str) -> Iterator[tuple[int, str]]:
    """Yield (line, what is wrong) of the numbers of some YAML."""
    for top in yaml.compose_all(text, LOADER):
        if top is not None:
            yield from _typed(top, _declared(top), "", False, True)


def _declared(top: yaml.Node) -> set[str]:
    """Return the names to which the head of a file gives an address."""
    found = _entries(top).get("sources")
    return {name for name, source in _entries(found).items() if _addressed(source)}


def _entries(node: yaml.Node | None) -> dict[str, yaml.Node]:
    if not isinstance(node, yaml.MappingNode):
        return {}
    return {key.value: value for key, value in node.value if isinstance(key, yaml.ScalarNode)}


def _addressed(node: yaml.Node) -> bool:
    """Whether an entry, or a text, is an address or has one."""
    if isinstance(node, yaml.ScalarNode):
        return bool(ADDRESS.match(node.value))
    return any(_addressed(v) for k, v in _entries(node).items() if k in BESIDE)


def _sourced(node: yaml.Node, declared: set[str]) -> bool:
    """Whether an entry names its source."""
    entries = _entries(node)
    if _addressed(node):
        return True
    sources = entries.get("sources")
    if isinstance(sources, yaml.MappingNode):
        return any(name in declared for name in _entries(sources))
    if isinstance(sources, yaml.SequenceNode):
        return any(_addressed(s) or getattr(s, "value", None) in declared for s in sources.value)
    return False


def _typed(
    node: yaml.Node, declared: set[str], key: str, sourced: bool, top: bool
) -> Iterator[tuple[int, str]]:
    if isinstance(node, yaml.MappingNode):
        sourced = sourced or (not top and _sourced(node, declared))
        for name, value in node.value:
            if isinstance(name, yaml.ScalarNode) and not sourced:
                for number in numbers.typed(name.value):  # such as a page's name in the navigation
                    yield name.start_mark.line + 1, f"{number!r} is typed, without a source"
            yield from _typed(value, declared, str(name.value), sourced, False)
    elif isinstance(node, yaml.SequenceNode):
        for value in node.value:
            yield from _typed(value, declared, key, sourced, False)
    elif not sourced and not ADDRESS.match(node.value):
        line = node.start_mark.line + 1
        if node.tag.endswith((":int", ":float")):
            if QUANTITY.search(key):
                yield line, f"{node.value} is typed under {key!r}, without a source"
            return
        text = figures.KEY.sub("", numbers.WORKED.sub("", LINK.sub("", node.value)))
        for number in numbers.typed(text):
            yield line, f"{number!r} is typed, without a source"

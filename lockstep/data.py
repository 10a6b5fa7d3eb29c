"""Numbers in data files and front matter: YAML whose words and figures come onto pages.

A number that looks measured stands there with its source in the same entry, or in one around it:
``url``, ``source`` or ``cites`` with an address, or ``sources`` with addresses or with names that
the head of the file gives an address. Else it is a key, or ``[[worked:NUMBER; how]]``.
"""

import re
from collections.abc import Iterator
from pathlib import Path

import yaml

from lockstep import figures, forged, numbers, reported, told, verdicts, worked
from lockstep.english import SENTENCE
from lockstep.mistakes import Mistake
from lockstep.project import LOADER
from lockstep.source import text_of, yaml_line

LINK = re.compile(r"\[[^\]]*\]\((https?://[^)]*)\)")
BESIDE = ("url", "source", "cites")
STAMPED = "take it out: the page's own stamp says what ran, and where"
MEND = (
    "give its source in the same entry, url: or sources:; or write a key, [[bench:ID.FIELD]] or "
    "[[micro:ID]]; or [[worked:NUMBER; how it follows]]"
)


def check(root: Path, file: Path, code: bool = False) -> list[Mistake]:
    """Return the typed numbers of a data file that have no source beside them.

    ``code``: it stands beside the sources, and a text of several lines is a program.
    """
    path = file.relative_to(root).as_posix()
    text = text_of(file, path)
    try:
        return [Mistake(path, line, what, mend(what)) for line, what in typed(text, code)]
    except yaml.YAMLError as error:
        problem = str(getattr(error, "problem", error))
        return [Mistake(path, yaml_line(error), "this is not YAML", problem)]


def mend(what: str) -> str:
    if "compares two" in what:
        return "link the page that measured it, in these very words, or leave the number out"
    return STAMPED if "like a stamp" in what else MEND


def typed(text: str, code: bool = False) -> Iterator[tuple[int, str]]:
    """Yield (line, what is wrong) of the numbers of some YAML."""
    for top in yaml.compose_all(text, LOADER):
        if top is None:
            continue
        if around := _loop(top, ()):
            yield around.start_mark.line + 1, "an anchor that holds itself"
            continue
        programs = set(_programs(top)) if code else set()
        for line, what in _typed(top, _declared(top), "", False, True):
            if line not in programs:
                yield line, what


def _programs(node: yaml.Node) -> Iterator[int]:
    """Yield the lines on which a text begins that keeps its own lines, as a program does."""
    if isinstance(node, yaml.ScalarNode) and node.style == "|":
        yield node.start_mark.line + 1
    inner = node.value if isinstance(node, yaml.MappingNode | yaml.SequenceNode) else []
    for part in inner:
        for one in part if isinstance(part, tuple) else (part,):
            yield from _programs(one)


def _loop(node: yaml.Node, outer: tuple[yaml.Node, ...]) -> yaml.Node | None:
    """Return an entry that is inside of itself, which YAML can say by an anchor."""
    if any(node is other for other in outer):
        return node
    inner: list[yaml.Node] = []
    if isinstance(node, yaml.MappingNode):
        inner = [part for pair in node.value for part in pair]
    elif isinstance(node, yaml.SequenceNode):
        inner = node.value
    return next(filter(None, (_loop(part, (*outer, node)) for part in inner)), None)


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
        return numbers.elsewhere(node.value)
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


def _beside(node: yaml.MappingNode) -> Iterator[tuple[int, str]]:
    """Find a number whose unit is the value of another key of its entry."""
    said = {k: v.value for k, v in _entries(node).items() if isinstance(v, yaml.ScalarNode)}
    unit = next((v for k, v in said.items() if k in {"unit", "units"}), None)
    if unit and numbers.typed(f"2 {unit}"):
        for key, value in said.items():
            if re.fullmatch(r"[~<>≈]?\s?[-+]?\d[\d.,_]*(?:e[-+]?\d+)?", value.strip()):
                line = _entries(node)[key].start_mark.line + 1
                yield line, f"{value} is typed beside its unit {unit!r}, without a source"


def _stamped(node: yaml.ScalarNode) -> Iterator[tuple[int, str]]:
    """Words that read like a stamp come onto pages, lists and search results as any others do."""
    text = re.sub(r"<[^<>]*>", "", node.value) if "<" in node.value else node.value
    if stamp := forged.stamp(text) or forged.label(text):
        line = node.start_mark.line + 1
        yield line, f"{stamp!r} reads like a stamp, which a run alone can give"


def _typed(
    node: yaml.Node, declared: set[str], key: str, sourced: bool, top: bool
) -> Iterator[tuple[int, str]]:
    if isinstance(node, yaml.MappingNode):
        sourced = sourced or (not top and _sourced(node, declared))
        for name, value in node.value:
            if isinstance(name, yaml.ScalarNode):  # such as a page's name in the navigation
                for what in _says(name.value, name.value) if not sourced else ():
                    yield name.start_mark.line + 1, what
                yield from _stamped(name)
            yield from _typed(value, declared, str(name.value), sourced, False)
        if not sourced:
            yield from _beside(node)
        return
    if isinstance(node, yaml.SequenceNode):
        for value in node.value:
            yield from _typed(value, declared, key, sourced, False)
        return
    assert isinstance(node, yaml.ScalarNode), "YAML has three kinds of entries"
    yield from _stamped(node)
    if not sourced and not numbers.PLACE.match(node.value):
        line = node.start_mark.line + 1
        for found in numbers.WORKED.finditer(node.value):
            if wrong := worked.unfounded(found["number"], found["how"]):
                yield line, f"{wrong} in {found[0]}"
        if node.tag.endswith((":int", ":float")):
            if numbers.QUANTITY.search(key):
                yield line, f"{node.value} is typed under {key!r}, without a source"
            return
        written = re.sub(r"</?[a-z][^<>]*>", "", node.value)
        text = LINK.sub(lambda link: "" if numbers.elsewhere(link[1]) else link[0], written)
        text = figures.KEY.sub("", numbers.WORKED.sub("", text))
        for said in _says(text, written):
            yield line, said
    elif sourced and key not in {"title", "url"} and not numbers.PLACE.match(node.value):
        for said in _compares(node.value, node.value):
            yield node.start_mark.line + 1, said
        for said in reported.ours(node.value):
            yield node.start_mark.line + 1, f"{said!r} tells of a run here, which no source has"


# Who is faster than whom, by how much: of two that run, which no source of a whole entry says.
_RATIO = re.compile(
    r"(?i)\b(?:faster|slower|quicker|times|half|twice|third|quarter|fifth|tenth|fold|double)\b|%|\d\s?[x×]"
)
_RIVAL = re.compile(
    rf"\b(?:{verdicts.LIBRARY}|nvcc|nvrtc|clang|gcc|hipcc|ptxas|Numba|Mojo|Julia|Rust|OpenCL|SYCL)",
    re.VERBOSE,
)


def _compares(text: str, written: str) -> Iterator[str]:
    """Yield the comparisons of an entry with a source, which that source is not known to make."""
    for sentence in () if LINK.search(written) or not _RIVAL.search(text) else SENTENCE.split(text):
        for said in (*numbers.typed(sentence), *told.find(sentence)):
            if _RATIO.search(said) and _RIVAL.search(sentence):
                yield f"{said!r} compares two that run, and the entry's source is of all of it"


def _says(text: str, written: str) -> Iterator[str]:
    """Yield what some words say of a run. ``written``: with their links and keys."""
    for number in (*numbers.typed(text), *told.find(text)):
        yield f"{number!r} is typed, without a source"
    for said in verdicts.find(written) if not LINK.search(written) else ():
        yield f"{said!r} tells how a run came out, without a source"
    for said in reported.told(written):
        yield f"{said!r} tells of a run, without a source"

"""Versions, machines and their counts that a sentence calls ours, against what records say.

A run notes what it ran under: device, driver, packages, Python. So a version beside "our", or in
the column of what we use, is that of the package that its clause or its row names, or stands in
what a block of the page shows. A processor that our figures are of is one of those that the
records of the page's figures name, and so are how many cores and GPUs it had.
"""

import functools
import json
import re
from collections.abc import Iterable, Iterator, Set
from pathlib import Path

_VERSION = r"(?<![\w.<>=-])\d+(?:\.\d+)+(?:\.?\w+)?(?![\w%]|\.\d)"
_NAME = r"[A-Za-z][\w+-]*(?:\ MPI)?"
_OURS = (
    r"(?:machine|GPU|card|H\d00|A\d00|B\d00|server|box|environment|system|setup|runs?|figures?"
    r"|numbers?|records?)s?"
)
# Our driver, 580; ours was that of CUDA 13.5; Open MPI 4.1.6 of our machine; PyTorch 2.11 on ours.
_SAID = re.compile(
    rf"\b(?:[Oo]urs?|[Ww]e\ (?:use|used|ran|run|took|take|have|had|installed|pin"
    rf"|compiled?\ (?:with|by|under)"
    rf"|built\ (?:with"
    rf"|by)))\b(?P<between>[^.;:()?]{{0,30}}?)\b(?P<name>{_NAME})(?:'s)?,?\ (?:version\ "
    rf"|release\ )?"
    rf"(?P<version>\d+(?:\.\d+)+|(?<=driver,\ )\d{{3}}|(?<=driver\ )\d{{3}})(?![\w%]|\.\d)"
    rf"|\b(?P<name2>[A-Z][\w+-]*(?:\ MPI)?|driver|nvcc|ptxas|gcc"
    rf"|clang)\ (?P<version2>\d+(?:\.\d+)+)[^.;:()?]{{0,30}}?"
    rf"\ (?:of|on|in|from)\ our(?:s\b|\ (?:own\ )?{_OURS}\b)"
)
_HEAD = re.compile(
    r"(?i)\W*(?:ours|we (?:use|run|ran|have)|our versions?|what we (?:use|run|ran|have)|here"
    r"|(?:version )?(?:that we|we) (?:use|ran)|on our \w+|installed here)\W*"
)
_CODE = re.compile(r"`[^`]*`|\[[^\]]*\]\([^)]*\)")
_ASIDE = re.compile(r"\([^()]*\)")
# Names of no software: a compute capability, a figure, a chapter.
_NOT_SOFTWARE = frozenset(
    "about over under than of at to by is are was from for in capability version release"
    " figure rung"
    " table section chapter step part and or only least most nearly cc python's a the with some"
    " factor times minus plus less costs on rate".split()
)


def versions(root: Path) -> dict[str, frozenset[str]]:
    """Return all versions that runs were made under, by the names of what has them."""
    files = sorted((root / "evidence/environments").glob("*.json"))
    return _versions(tuple((file, file.stat().st_mtime_ns) for file in files))


@functools.lru_cache(maxsize=4)
def _versions(files: tuple[tuple[Path, int], ...]) -> dict[str, frozenset[str]]:
    found: dict[str, set[str]] = {}
    for file, _ in files:
        try:
            under = json.loads(file.read_text(encoding="utf-8"))
            packages = {**under["packages"], "python": under["python"]}
            packages |= {k: under["device"][k] for k in ("driver", "cuda") if k in under["device"]}
        except (ValueError, KeyError, OSError):
            continue  # whoever reads the records says so
        for name, version in packages.items():
            plain = re.sub(r"-(?:cu|cuda)\d+x?$", "", name)
            names = {name, plain, plain.removeprefix("nvidia-")}
            names |= {"cuda", "cuda-toolkit"} if name in {"cuda", "cuda-bindings"} else set()
            for one in names:
                found.setdefault(one, set()).add(str(version))
    found["pytorch"] = found.get("torch", set())
    return {name: frozenset(some) for name, some in found.items()}


def _begins(said: str, known: Iterable[str]) -> bool:
    """Whether a version is the first parts of one that is known, or all of it."""
    parts = said.split(".")
    return any(one.split(".")[: len(parts)] == parts for one in known)


def unknown(text: str, place: str, shown: str, root: Path) -> Iterator[str]:
    """Yield the versions that a sentence, or a cell, calls ours, and no run was made under.

    ``place``: the row's label and the column's head of a cell; ``shown``: what the page's blocks
    and records say.
    """
    label, _, head = place.partition(" , ")
    if head and _HEAD.fullmatch(head):
        plain = _ASIDE.sub(" ", _CODE.sub(" ", text))
        name = re.sub(r"[*_`]|\]\([^)]*\)", "", label).strip()
        for version in re.findall(_VERSION, plain):
            yield from _one(name, version, shown, root)
        return
    row = re.sub(r"[*_`\[]|\]\([^)]*\)", "", label).strip() if head else ""
    plain = _CODE.sub(" ", text)
    if row and (found := re.search(rf"({_VERSION}) (?:on|of|in) our {_OURS}\b", plain)):
        yield from _one(row, found[1], shown, root)
        return
    for found in _SAID.finditer(plain):
        name, version = found["name"] or found["name2"], found["version"] or found["version2"]
        if name.lower() in _NOT_SOFTWARE or re.search(r"\d", name):
            continue
        yield from _one(name, version, shown, root)
        rest = re.split(r"[.;:]\s|[?()]", plain[found.end() :], maxsplit=1)[0]
        if more := re.match(
            rf",? (?:is|was|comes|which is) (?:of|with|from|for) (?:CUDA )?({_VERSION})", rest
        ):
            yield from _one("cuda", more[1], shown, root)


def _one(name: str, version: str, shown: str, root: Path) -> Iterator[str]:
    known = versions(root).get(
        name.lower().rstrip("'s") if name.lower() not in versions(root) else name.lower()
    )
    if known:
        if not _begins(version, known):
            have = ", ".join(sorted(known))
            yield f"{name} {version} is called ours, and runs were made under {have}"
    elif version not in shown:
        yield f"{name} {version} is called ours, and nothing on this page has printed that"


# ---------------------------------------------------------------- machines

_FEW = {"a": 1, "an": 1, "one": 1, "two": 2, "both": 2, "three": 3, "four": 4, "six": 6, "eight": 8,
        "sixteen": 16, "thirty-two": 32, "sixty-four": 64}  # fmt: skip
_COUNT = rf"(?P<count>\d+|{'|'.join(_FEW)})"
_CPU = re.compile(
    r"\b(?:Xeon|EPYC|Ryzen|Threadripper|Opteron|Core\ (?:i\d|Ultra)|Graviton\d?|Altra"
    r"|Grace\ CPU|Neoverse"
    r"|ThunderX\d?|POWER\d+|Intel|AMD|Arm)\b(?!'s)"
)
_OF_OURS = re.compile(
    r"(?i)\b(?:our|ours|we|figures?|numbers|rows|measured|timed|ran|run|times|rates|tables?|here)\b"
)
_CORES = re.compile(
    rf"\b{_COUNT}\ (?:\w+\ )?cores?\ of\b|\b{_COUNT.replace('count', 'count2')}(?:-core|\ cores?)\b"
)
_MEASURED = re.compile(
    r"\b(?:figures?|numbers|rates|times|tables?|rows|records?|it|this|that|they|these|all"
    r"|everything|page)"
    r"\b[^.;:?]{0,30}?\b(?:measured|timed|taken|ran|run|recorded|made|are|were|is|was|come"
    r"|came)\b[^.;:?]{0,20}?"
    rf"\b(?:on|of|from|with|by)\ (?:our\ )?(?:{_COUNT}\ )?(?:of\ (?:our"
    rf"|these)\ )?(?P<name>%s)(?:s\b|\b)(?!')"
)
WORD = re.compile(r"Xeon|EPYC|Ryzen|cores|Intel|AMD|Threadripper|Graviton|Opteron")


_WHOSE = frozenset("our ours we".split())
_OUR = re.compile(r"(?i)\b(?:ours?|we|here)\b")
_NOT = re.compile(r"(?i)\b(?:not|nothing|none|nobody|never|if|would|should)\b")
_DIGIT = re.compile(r"\d")
_CPU_SAID = re.compile(r"xeon|epyc|ryzen|threadripper|graviton|opteron|intel|amd\b")


@functools.lru_cache(maxsize=4)
def _gpus(devices: str) -> re.Pattern[str]:
    return re.compile(_MEASURED.pattern % f"(?:{devices})")


class Ours:
    """What the runs behind a page's figures were made under, and what its sentences say of that."""

    def __init__(self, root: Path, devices: str, shown: str, known: str, made: list[dict]):
        """``devices``: the pattern of the project's; ``known``: the names that records have;

        ``shown``: what the page's blocks and records say; ``made``: its rows and runs.
        """
        self.root, self.shown, self.known, self.made = root, shown, known, made
        self.gpus = _gpus(devices) if devices else None
        self.most = max((run.get("device", {}).get("count", 0) for run in made), default=0)

    def ask(self, words: Set[str], named: Set[str], processors: bool) -> None:
        """Look at what a page says: its words, the devices it names, whether processors, too."""
        self.versions = not _WHOSE.isdisjoint(words)
        # One of another name, or several of one.
        named = named if self.made else frozenset()
        self.named = [name if name not in self.known else f"{name}s" for name in named]
        said = (str(run.get("method", "")) for run in self.made) if processors else ()
        self.told = " ".join(said).lower()
        self.cpu = _CPU_SAID.search(self.told) is not None
        self.asked = self.versions or bool(self.named) or self.cpu

    def wrong(self, text: str, place: str) -> Iterator[str]:
        """Yield what a sentence, or a cell, says of our versions and machines, and no run has."""
        if self.versions and _DIGIT.search(text) and _OUR.search(f"{text} {place}"):
            yield from unknown(text, place, self.shown, self.root)
        if any(name in text for name in self.named) and not _NOT.search(text):
            yield from self._others(text)
        if self.cpu and WORD.search(text) and _OF_OURS.search(text):
            yield from self._processors(text)

    def _others(self, text: str) -> Iterator[str]:
        assert self.gpus
        for found in self.gpus.finditer(re.sub(r"(?<=\d)s\b", "", text)):
            count = found["count"]
            said = f"{found[0]!r} is said of what was measured, and its records"
            if found["name"] not in self.known:
                yield f"{said} are of {self.known}"
            elif count and self.most and (_FEW.get(count) or int(count)) > self.most:
                yield f"{said} are of {self.most}"

    def _processors(self, text: str) -> Iterator[str]:
        for found in _CPU.finditer(text):
            if found[0].lower() not in self.told:
                yield f"{found[0]!r} is said of our figures, and their records have none"
                return
        for found in _CORES.finditer(text):
            count = found["count"] or found["count2"]
            number = _FEW.get(count) or int(count)
            if _CPU.search(text) and number > 1 and f"{number} core" not in self.told:
                yield f"{found[0]!r} is said of our figures, and their records have other counts"
                return

"""The files that pages show: their text, their sections, their hashes."""

import hashlib
import re
from collections.abc import Iterable
from importlib.util import find_spec
from pathlib import Path
from textwrap import dedent

from lockstep import shown
from lockstep.mistakes import Mistake, PageError

MARKER = re.compile(r"--8<-- \[(?P<kind>start|end):(?P<name>[\w-]+)\]")


def digest(text: str) -> str:
    """Return the SHA-256 of a text, as 64 hexadecimal digits."""
    return hashlib.sha256(text.encode("utf-8")).hexdigest()


def file_digest(path: Path) -> str:
    """Return the SHA-256 of a text file of the repository."""
    return digest(Path(path).read_text(encoding="utf-8"))


def source_file(root: Path, name: str) -> Path:
    """Return where a record's source is: in the repository, or in an installed package."""
    here, top = root / name, name.split("/")[0]
    if not here.is_file() and top.isidentifier() and (spec := find_spec(top)):
        for folder in spec.submodule_search_locations or ():
            return Path(folder).parent / name
    return here


def find_root(start: Path | None = None) -> Path:
    """Return the nearest folder at or above ``start`` that holds mkdocs.yml."""
    start = (start or Path.cwd()).resolve()
    for folder in (start, *start.parents):
        if (folder / "mkdocs.yml").is_file():
            return folder
    raise FileNotFoundError(f"no mkdocs.yml at or above {start}: run this inside the repository")


def yaml_line(error: Exception) -> int:
    """Return the line that a reader of YAML complains about, from 1."""
    mark = getattr(error, "problem_mark", None)
    return mark.line + 1 if mark else 1


def text_of(file: Path, path: str) -> str:
    """Return the text of a file. Raises ``PageError`` where it is not plain UTF-8."""
    if file.is_symlink():
        what = "a link to another file, which is not the one that is checked"
        raise PageError([Mistake(path, 1, what, "put the file itself there")])
    try:
        text = file.read_text(encoding="utf-8")
    except OSError as error:
        raise PageError(
            [Mistake(path, 1, f"cannot be read: {error.strerror}", "mend it")]
        ) from None
    except UnicodeDecodeError as error:
        line = file.read_bytes()[: error.start].count(b"\n") + 1
        raise PageError([Mistake(path, line, "this is not UTF-8", "save it as UTF-8")]) from None
    if text.startswith("\ufeff"):
        what = "the file begins with a byte order mark"
        raise PageError([Mistake(path, 1, what, "save it as UTF-8 without one")])
    if path.endswith(".md"):
        found: list[Mistake] = []
        shown.characters(text, lambda n, *what: found.append(Mistake(path, n + 1, *what)), True)
        if found:  # a line means something else to each reader of such a file
            raise PageError(found)
    return text


def _is_file(file: Path) -> bool:
    try:
        return file.is_file()
    except (OSError, ValueError):  # no name of a file
        return False


def section(root: Path, path: str, name: str | None) -> list[tuple[int, str]]:
    """Return the numbered lines of one section, or of the whole file, without markers.

    Raises ``Mistake`` inside ``PageError`` for a file or section that is not there,
    or whose markers are not one start and one end.
    """
    file = root / path
    if not _is_file(file):
        raise PageError(
            [Mistake(path, 1, "there is no such file", "create it or correct the path")]
        )
    lines = list(enumerate(text_of(file, path).split("\n"), start=1))
    if name is not None:
        edges: dict[str, list[int]] = {"start": [], "end": []}
        for number, text in lines:
            if (marker := MARKER.search(text)) and marker["name"] == name:
                edges[marker["kind"]].append(number)
        starts, ends = edges["start"], edges["end"]
        if not starts:
            known = sorted({m["name"] for _, text in lines if (m := MARKER.search(text))})
            what = f"there is no section {name!r} (there are: {', '.join(known) or 'none'})"
            raise PageError(
                [Mistake(path, 1, what, f"add # --8<-- [start:{name}] and [end:{name}]")]
            )
        if len(starts) != 1 or len(ends) != 1 or starts[0] > ends[0]:
            what = f"section {name!r} starts at lines {starts} and ends at lines {ends}"
            mend = f"give it one [start:{name}] and, after it, one [end:{name}]"
            raise PageError([Mistake(path, starts[0], what, mend)])
        lines = lines[starts[0] : ends[0] - 1]
    for number, text in lines:
        if (marker := MARKER.search(text)) and re.search(r"\w", MARKER.sub("", text)):
            what = f"code beside the marker of {marker['name']!r}, which no page shows"
            raise PageError([Mistake(path, number, what, "give the marker a line of its own")])
    lines = [(number, text) for number, text in lines if not MARKER.search(text)]
    if not lines:
        what = f"section {name!r} is empty" if name is not None else "the file is empty"
        at = starts[0] if name is not None else 1
        raise PageError([Mistake(path, at, what, "write code between its marks")])
    if name is None:  # a whole file stays as it is: the first column of a recorded output counts
        return lines
    flat = dedent("\n".join(text for _, text in lines)).split("\n")
    return [(number, text) for (number, _), text in zip(lines, flat, strict=True)]


def sections(root: Path, folders: Iterable[str]) -> dict[str, list[str]]:
    """Return the names of the sections of each file in some folders, by its path from the root.

    A start marker with nothing after it begins none.
    """
    found = {}
    for folder in folders:
        for file in sorted((root / folder).rglob("*")):
            if file.is_file() and file.suffix not in {".pyc", ".png", ".svg"}:
                text = file.read_text(encoding="utf-8", errors="replace")
                starts = [m for m in MARKER.finditer(text) if m["kind"] == "start"]
                names = [m["name"] for m in starts if text[m.end() :].strip()]
                found[file.relative_to(root).as_posix()] = names
    return found

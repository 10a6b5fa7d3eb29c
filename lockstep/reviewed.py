"""Files that a browser gets as they are: each is known by its hash, because somebody read it.

Pages are checked as they are rendered. A script, a style sheet, a drawing or a template could show
anything beside them, so ``reviewed.json`` in the root lists those, path by path, with the SHA-256
of the text that was read. ``python -m lockstep review`` shows what is new and writes the list.

Drawings and recordings that a script of the repository makes are listed, too: a hand can change
what a script has made. Data in YAML has schemas of its own. Packages under ``vendor`` come with the
hashes of a lock file. Without a list, no such file was reviewed.
"""

import hashlib
import json
from pathlib import Path

from lockstep import project
from lockstep.evidence.schema import parse
from lockstep.mistakes import Mistake, PageError

LIST = "reviewed.json"
TEMPLATES = "overrides"
VENDOR = "docs/assets/vendor/"  # as a lock file has it
APART = {".md", ".yml", ".yaml"}  # pages, and data with schemas
PAGES = {".html", ".htm", ".xhtml", ".markdown", ".mdown", ".mkdn", ".mkd"}


def known(root: Path) -> dict:
    file = root / LIST
    try:
        found = parse(file.read_text(encoding="utf-8")) if file.is_file() else {}
    except ValueError:
        found = None
    listed = found.get("files", {}) if isinstance(found, dict) else None
    if (
        not isinstance(found, dict)
        or not isinstance(listed, dict)
        or not {*map(type, listed.values())} <= {str}
    ):
        mend = "restore it, or write it anew: python -m lockstep review"
        raise PageError([Mistake(LIST, 1, "this is not the list of reviewed files", mend)])
    return found


def files(root: Path) -> dict[str, str]:
    """Return the hash of each file that is published as it is, by its path."""
    found = {}
    for folder in (project.of(root).docs, TEMPLATES):
        for file in sorted((root / folder).rglob("*")):
            path = file.relative_to(root).as_posix()
            skipped = file.suffix in APART or path.startswith(VENDOR) or not file.is_file()
            if skipped or file.suffix == ".pyc":
                continue
            found[path] = hashlib.sha256(file.read_bytes()).hexdigest()
    return found


def check(root: Path) -> list[Mistake]:
    """Return a mistake for each file that nobody reviewed as it is now, or that is gone."""
    listed, there = known(root).get("files", {}), files(root)
    found = []
    for path, sha256 in there.items():
        if listed.get(path) == sha256:
            continue
        if Path(path).suffix in PAGES and not path.startswith("overrides/"):
            what = f"a page that ends in {Path(path).suffix}"
            found.append(Mistake(path, 1, what, "write it as .md; raw HTML is not reviewed"))
            continue
        what = (
            "this file was changed since its review"
            if path in listed
            else "nobody reviewed this file"
        )
        mend = "read it, then run: python -m lockstep review"
        found.append(Mistake(path, 1, what, mend))
    for path in listed.keys() - there.keys():
        mend = "run: python -m lockstep review"
        found.append(Mistake(LIST, 1, f"{path} is listed and not there", mend))
    return found


def write(root: Path) -> list[str]:
    """Take all files into the list, and return what changed."""
    before, there = known(root), files(root)
    listed = before.get("files", {})
    changed = [path for path in there if listed.get(path) != there[path]]
    changed += [f"{path} (gone)" for path in listed.keys() - there.keys()]
    text = json.dumps({"files": dict(sorted(there.items()))}, indent=1) + "\n"
    (root / LIST).write_text(text, encoding="utf-8")
    return changed

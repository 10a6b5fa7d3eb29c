"""Files that a browser gets as they are: each is known by its hash, because somebody read it.

Pages are checked as they are rendered. A script, a style sheet, a drawing or a template could show
anything beside them, so ``reviewed.json`` in the root lists those, path by path, with the SHA-256
of the text that was read. ``python -m lockstep review`` shows what is new and writes the list.

A drawing that a script of the repository makes needs no line: ``drawn`` in the list maps a folder
of drawings to that of their scripts. Data in YAML has schemas of its own. Packages under
``vendor`` come with the hashes of a lock file.
"""

import hashlib
import json
import re
from pathlib import Path

from lockstep.mistakes import Mistake

LIST = "reviewed.json"
FOLDERS = ("docs", "overrides")
APART = {".md", ".yml", ".yaml", ".json"}  # pages, and data that no browser runs
PAGES = {".html", ".htm", ".xhtml", ".markdown", ".mdown", ".mkdn", ".mkd"}


def known(root: Path) -> dict:
    file = root / LIST
    return json.loads(file.read_text(encoding="utf-8")) if file.is_file() else {}


def files(root: Path, folders: tuple[str, ...] = FOLDERS) -> dict[str, str]:
    """Return the hash of each file that is published as it is, by its path."""
    drawn = known(root).get("drawn", {})
    found = {}
    for folder in folders:
        for file in sorted((root / folder).rglob("*")):
            path = file.relative_to(root).as_posix()
            skipped = file.suffix in APART or "vendor" in file.parts or not file.is_file()
            if skipped or "__pycache__" in file.parts or _is_drawn(root, path, drawn):
                continue
            found[path] = hashlib.sha256(file.read_bytes()).hexdigest()
    return found


def _is_drawn(root: Path, path: str, drawn: dict[str, str]) -> bool:
    folder, _, name = path.rpartition("/")
    stem = re.sub(r"(-light|-dark)?\.svg$", "", name).replace("-", "_")
    return (
        folder in drawn
        and name.endswith(".svg")
        and (root / drawn[folder] / f"{stem}.py").is_file()
    )


def check(root: Path, folders: tuple[str, ...] = FOLDERS) -> list[Mistake]:
    """Return a mistake for each file that nobody reviewed as it is now, or that is gone."""
    listed, there = known(root).get("files", {}), files(root, folders)
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
    text = json.dumps(before | {"files": dict(sorted(there.items()))}, indent=1) + "\n"
    (root / LIST).write_text(text, encoding="utf-8")
    return changed

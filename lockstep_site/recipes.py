"""The contributors' recipes, on record: what each took when ``make recipes`` followed it.

``tests.recipes`` hands over what it found, as JSON, to ``python -m lockstep_site.recipes``.
``[[recipes]]``, by itself between empty lines, becomes the table of it. A record is bound to the
script that followed the recipe, and names the commit that was cloned.
"""

import json
import re
import sys
from collections.abc import Iterable

from lockstep import evidence, figures
from lockstep.evidence import file_digest
from lockstep.parts import Part
from lockstep.source import find_root
from lockstep.targets import Cpu

FOLDER = "evidence/cpu/recipes"
SCRIPT = "tests/recipes.py"
MEND = "make recipes"
PAGE = "docs/contribute/recipes.md"


def main() -> int:
    """Write the record of one recipe."""
    root, found = find_root(), json.load(sys.stdin)
    record = {
        "schema": evidence.SCHEMA,
        "tool": "tests.recipes",
        **found,
        **Cpu().describe(),
        "sources": {SCRIPT: file_digest(root / SCRIPT)},
    }
    evidence.write(root / FOLDER / f"{found['name']}.json", record)
    return 0


class RecipesPart(Part):
    """The table of the recipes' times."""

    name = "recipes"
    marker = re.compile(r"^\[\[recipes\]\][ \t]*$")

    def render(self, marker: re.Match, site, folder: str, plain: bool) -> str:
        text = (site.root / PAGE).read_text(encoding="utf-8")
        return table(re.findall(r"^## (.+)$", text, re.MULTILINE), site.records.others["recipes"])


def table(titles: list[str], records: dict[str, dict]) -> str:
    """Return the times of the recipes with these titles, as Markdown."""
    found = {row["recipe"]: row for row in records.values() if row["fresh"]}
    rows = []
    for title in titles:
        if not (row := found.get(title)):
            rows.append([title, "awaiting a run", "", "", ""])
            continue
        left_out = f" ({row['left_out']})" if row["left_out"] else ""
        rows.append([title + left_out, *_took(row), f"{row['load']}", f"`{row['commit'][:7]}`"])
    head = ["Recipe", "From clone to done", "Of that, clone and install", "Load", "Commit"]
    text = figures.table(head, rows, [False, True, True, True, False])
    if not found:
        return text
    cores = _all(f"{row['cores']}" for row in found.values())
    dates = _all(row["date"] for row in found.values())
    return f"On {cores} CPU cores, {dates}:\n\n{text}"


def _all(words: Iterable[str]) -> str:
    return " and ".join(sorted(set(words)))


def _took(row: dict) -> tuple[str, str]:
    """Return the whole time and the part of it before the recipe; where that was spared, say so."""
    if row["install"] is None:
        return f"{_clock(row['seconds'])}, and `make install`", "installed before"
    return _clock(row["install"] + row["seconds"]), _clock(row["install"])


def _clock(seconds: float) -> str:
    """Return a time by the clock, to the second, such as 2 min 05 s."""
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes} min {rest:02} s" if minutes else f"{rest} s"


if __name__ == "__main__":
    sys.exit(main())

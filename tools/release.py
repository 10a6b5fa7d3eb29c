"""python tools/release.py TAG: refuse a tag that is not the version.

The version stands in pyproject.toml; the changelog and CITATION.cff must have it too, and both the
same date.
"""

import re
import sys
import tomllib
from pathlib import Path

import yaml

ROOT = Path(__file__).resolve().parent.parent


def version(root: Path) -> str:
    """Return the version of a tree."""
    return tomllib.loads((root / "pyproject.toml").read_text("utf-8"))["project"]["version"]


def wrong(tag: str, root: Path = ROOT) -> list[str]:
    """Return what keeps a tag from being a release, each with how to mend it."""
    here, found = version(root), []
    if tag != f"v{here}":
        found.append(f"the tag is {tag}, pyproject.toml says {here}: tag v{here}")
    changes = (root / "CHANGELOG.md").read_text("utf-8")
    heading = re.search(rf"^## {re.escape(here)}, (\d{{4}}-\d\d-\d\d)$", changes, re.MULTILINE)
    if not heading:
        found.append(f"CHANGELOG.md has no heading '## {here}, YEAR-MONTH-DAY': add it")
    cited = yaml.safe_load((root / "CITATION.cff").read_text("utf-8"))
    if cited.get("version") != here:
        found.append(f"CITATION.cff says version {cited.get('version')}: write {here}")
    if heading and str(cited.get("date-released")) != heading[1]:
        date = cited.get("date-released", "nothing")
        found.append(f"CITATION.cff says date-released {date}: write {heading[1]}, as CHANGELOG.md")
    return found


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__.splitlines()[0])
    if found := wrong(sys.argv[1]):
        sys.exit("\n".join(found))

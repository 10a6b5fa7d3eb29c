"""Tiny repositories that are set up as this one is."""

import functools
import shutil
import tempfile
from pathlib import Path

from lockstep import judge
from lockstep.source import find_root

ROOT = find_root(Path(__file__).parent)
_kept = tempfile.TemporaryDirectory(prefix="lockstep-house-")


def settle(folder: Path) -> Path:
    """Give a folder this project's languages, targets and parts, and no page. Returns it."""
    (folder / "mkdocs.yml").write_text("site_name: x\n", encoding="utf-8")
    shutil.copy(ROOT / "pyproject.toml", folder)
    judge.same_settings[folder] = _first()
    return folder


@functools.cache
def _first() -> Path:
    """Return the folder whose process runs the pages of all of these."""
    folder = Path(_kept.name)
    (folder / "mkdocs.yml").write_text("site_name: x\n", encoding="utf-8")
    shutil.copy(ROOT / "pyproject.toml", folder)
    return folder

"""Tiny repositories that are set up as this one is."""

import shutil
from pathlib import Path

from lockstep.source import find_root

ROOT = find_root(Path(__file__).parent)


def settle(folder: Path) -> Path:
    """Give a folder this project's languages, targets and parts, and no page. Returns it."""
    (folder / "mkdocs.yml").write_text("site_name: x\n", encoding="utf-8")
    shutil.copy(ROOT / "pyproject.toml", folder)
    return folder

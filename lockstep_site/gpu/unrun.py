"""Which benchmarks no machine has run yet.

A page may wait for a machine that nobody lends at the moment, so this is told and refuses nothing.
"""

import json
from importlib import import_module
from pathlib import Path


def notes(root: Path) -> list[str]:
    """Return a headline and a line for each benchmark that has no record, or nothing."""
    if not (root / "benchmarks" / "__main__.py").exists():
        return []  # a project without benchmarks of our kind
    scripts = import_module("benchmarks.__main__").scripts  # the project's own, where there are any
    files = root.glob("evidence/*/*benchmarks/*.json")
    ran = {json.loads(file.read_text(encoding="utf-8")).get("script") for file in files}
    never = [row for row in scripts(root / "benchmarks").values() if row["path"] not in ran]
    if not never:
        return []
    lines = [f"  {row['path']}, for {_gpus(row['gpus'])}" for row in never]
    what = "benchmark" if len(never) == 1 else "benchmarks"
    return [f"\n{len(never)} {what} never run", *lines]


def _gpus(count: int) -> str:
    return "one GPU" if count == 1 else f"{count} GPUs"

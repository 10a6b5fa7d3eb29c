"""What the last whole runs found, in ``counts.json``: each command keeps its part (--record)."""

import json
import platform
from importlib.metadata import version
from pathlib import Path

import numpy as np

FILE = Path(__file__).with_name("counts.json")


def read() -> dict:
    return json.loads(FILE.read_text(encoding="utf-8")) if FILE.is_file() else {}


def record(part: str, found: dict) -> None:
    """Keep what a command found, in place of what it found before."""
    made_with = {"python": platform.python_version(), "numpy": np.__version__,
                 "numba": version("numba"), "numba-cuda": version("numba-cuda")}  # fmt: skip
    whole = {**read(), part: {**found, "made_with": made_with}}
    text = json.dumps(dict(sorted(whole.items())), indent=1)
    FILE.write_text(text + "\n", encoding="utf-8")

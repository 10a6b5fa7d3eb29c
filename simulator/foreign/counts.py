"""What a whole run found, and what it ran with: each command writes it to the file of --record."""

import json
import platform
from importlib.metadata import version
from pathlib import Path


def write(file: Path, found: dict) -> None:
    packages = {name: version(name) for name in ("numpy", "numba", "numba-cuda")}
    made = {"found": found, "packages": packages, "python": platform.python_version()}
    file.write_text(json.dumps(made, indent=1) + "\n", encoding="utf-8")

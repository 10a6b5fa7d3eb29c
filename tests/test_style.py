"""What ruff and a type checker say of the code."""

import subprocess
import sys
from pathlib import Path

import pytest

from lockstep.source import find_root

ROOT = find_root(Path(__file__).parent)


@pytest.mark.parametrize("command", [["check"], ["format", "--check"]], ids=" ".join)
def test_ruff_has_nothing_to_say(command):
    done = subprocess.run(
        [sys.executable, "-m", "ruff", *command, "--quiet", "."],
        cwd=ROOT, capture_output=True, text=True,
    )  # fmt: skip
    assert done.returncode == 0, f"{done.stdout}{done.stderr}\nTo mend: make fmt"


def test_the_types_of_the_core_fit(tmp_path):
    """The settings are those of pyproject.toml: every function of the core is looked into."""
    command = [sys.executable, "-m", "mypy", "--cache-dir", str(tmp_path)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr

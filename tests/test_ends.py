"""ends.py, by which pages show what a lost rank does: it holds a command to words and a time."""

import subprocess
import sys

import pytest


@pytest.mark.parametrize(
    ("command", "seconds", "right"),
    [
        ("import sys; print('gave up'); sys.exit(3)", 20, "gave up; exit status 3 after"),
        ("print('gave up')", 20, None),  # it had to fail
        ("import sys; sys.exit(3)", 20, None),  # without a word
        ("import time; print('gave up', flush=True); time.sleep(20)", 1, None),  # too late
    ],
)
def test_what_has_to_fail_is_held_to_its_words_and_its_time(command, seconds, right):
    program = [sys.executable, "snippets/nccl/ends.py", str(seconds), "gave up"]
    done = subprocess.run([*program, sys.executable, "-c", command], capture_output=True, text=True)
    assert done.returncode == (0 if right else 1)
    assert right is None or right in done.stdout

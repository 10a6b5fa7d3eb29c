"""Every known-wrong kernel is caught: here by its result or by the simulator, on a GPU by a tool.

On a GPU these launches would do harm in this process: `make gpu` runs them in processes of their
own, under compute-sanitizer (tests/wrong_kernels.py).
"""

import os
from pathlib import Path

import pytest

from tests import wrong_kernels

SIMULATOR = os.environ.get("NUMBA_ENABLE_CUDASIM") == "1"
WRONG = Path(__file__).resolve().parent.parent / "kernels/wrong"
OUT_OF_BOUNDS = [name for name, case in wrong_kernels.CASES.items() if case[2] == "memcheck"]


@pytest.mark.parametrize("name", OUT_OF_BOUNDS)
def test_an_access_outside_is_caught(name):
    if SIMULATOR:
        with pytest.raises(IndexError, match="out of bounds"):
            wrong_kernels.launch(name)
    else:  # here the file only has to be there; the tool does the rest
        assert (WRONG / f"{name}.py").is_file()


def test_each_wrong_kernel_has_a_test_that_names_it():
    tests = "\n".join(p.read_text(encoding="utf-8") for p in WRONG.parents[1].glob("tests/*.py"))
    names = {p.stem for p in WRONG.glob("*.py")} - {"__init__"}
    assert not [name for name in names if name not in tests]

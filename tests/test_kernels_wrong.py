"""Every known-wrong kernel is caught: here by its result or by the simulator, on a GPU by a tool.

On a GPU these launches would do harm in this process: `make gpu` runs them in processes of their
own, under compute-sanitizer (tests/wrong_kernels.py).
"""

import os
import re
from pathlib import Path
from types import SimpleNamespace

import pytest

from lockstep_site.gpu import languages
from tests import wrong_kernels

SIMULATOR = os.environ.get("NUMBA_ENABLE_CUDASIM") == "1"
WRONG = Path(__file__).resolve().parent.parent / "kernels/wrong"
OUT_OF_BOUNDS = [
    name
    for name, case in wrong_kernels.CASES.items()
    if case[2] == "memcheck" and name not in wrong_kernels.CUDA_CPP
]

if SIMULATOR:

    @pytest.mark.parametrize("name", OUT_OF_BOUNDS)
    def test_an_access_outside_is_caught(name):
        with pytest.raises(IndexError, match="out of bounds"):
            wrong_kernels.launch(name)


@pytest.mark.parametrize("name", wrong_kernels.CUDA_CPP)
def test_planted_cuda_cpp_compiles(name):
    """What the tool must catch is the launch, not the compiler's refusal."""
    code, symbol = wrong_kernels.planted(name)
    cubin = languages.compile_cuda(SimpleNamespace(text=code, where=name))
    assert f".text.{symbol}\0".encode() in cubin


def test_each_wrong_kernel_is_launched_by_a_test():
    tests = "\n".join(
        p.read_text(encoding="utf-8") for p in WRONG.parents[1].glob("tests/test_*.py")
    )
    imported = set(re.findall(r"^from kernels\.wrong\.(\w+) import", tests, re.M))
    imported |= set(re.findall(r'load\("kernels\.wrong\.(\w+)"\)', tests))
    names = {p.stem for p in WRONG.glob("*.py")} - {"__init__"}
    assert names == imported | (wrong_kernels.CASES.keys() - set(wrong_kernels.CUDA_CPP))

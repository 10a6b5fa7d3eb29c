"""Kernel tests in the stepper: tests/stepped.py."""

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent

KERNELS = """
import numpy as np
from numba import cuda

@cuda.jit
def put(out, both):
    i = cuda.threadIdx.x
    if i < 32 or both:
        out[i % 32] = i

def test_each_has_its_place():
    out = np.zeros(32)
    put[1, 64](out, False)
    assert out.tolist() == list(range(32)) and "stepper" in type(put).__module__

def test_two_write_one_place():
    out = np.zeros(32)
    put[1, 64](out, True)
"""


def test_a_race_fails_a_kernel_test_and_other_files_keep_numbas_simulator(tmp_path):
    """One process has both: what one of them imported is not the other's."""
    folder = tmp_path / "tests"
    folder.mkdir()
    (folder / "test_kernels_race.py").write_text(KERNELS)
    (folder / "test_other.py").write_text(KERNELS.replace('"stepper" in', '"stepper" not in'))
    (tmp_path / "pytest.ini").write_text("[pytest]\n")
    command = [sys.executable, "-m", "pytest", "-p", "simulator.stepper.pytest_plugin"]
    command += ["-p", "tests.stepped", "-rA", folder]
    env = os.environ | {"NUMBA_ENABLE_CUDASIM": "1", "PYTHONPATH": str(ROOT)}
    done = subprocess.run(command, cwd=tmp_path, env=env, capture_output=True, text=True)
    said = done.stdout
    assert "PASSED tests/test_kernels_race.py::test_each_has_its_place" in said, said
    assert "FAILED tests/test_kernels_race.py::test_two_write_one_place" in said, said
    assert "global-race" in said and "test_kernels_race.py:9" in said, said
    assert "PASSED tests/test_other.py::test_each_has_its_place" in said, said
    assert "PASSED tests/test_other.py::test_two_write_one_place" in said, said

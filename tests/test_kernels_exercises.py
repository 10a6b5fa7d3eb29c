"""The reference solutions of the exercises, on this machine's target, at their graded sizes."""

import contextlib
import importlib
import inspect
from pathlib import Path

import numpy as np
import pytest

from tests import wide

FOLDER = "kernels/exercises"
NAMES = sorted(file.stem for file in Path(FOLDER).glob("*.py") if file.stem != "__init__")


@contextlib.contextmanager
def loaded(name):
    """The module of an exercise. The stepper runs what Numba's simulator lacks: warp shuffles."""
    path = f"{FOLDER.replace('/', '.')}.{name}"
    if wide.SIMULATOR and "cuda.shfl_" in Path(FOLDER, f"{name}.py").read_text(encoding="utf-8"):
        with wide.loading() as (load, _):
            yield load(path)
    else:
        yield importlib.import_module(path)


def on_host(array):
    return array.copy_to_host() if hasattr(array, "copy_to_host") else array


@pytest.mark.parametrize("name", NAMES)
def test_a_solution_is_right_on_every_case(name):
    with loaded(name) as exercise:
        check(exercise, name)


def check(exercise, name):
    asked = [n for n in inspect.signature(exercise.test).parameters if hasattr(exercise, n)]
    assert asked
    for case in exercise.CASES:
        case = case if isinstance(case, tuple) else (case,)
        results = list(exercise.test(*(getattr(exercise, n) for n in asked), *case))
        assert results
        for array, got, want, *tolerance in results:
            allowed = tolerance[0] if tolerance else 1e-5
            message = f"{name}{case}: {array}"
            np.testing.assert_allclose(
                on_host(got), want, rtol=allowed, atol=allowed, err_msg=message
            )

"""The reference solutions of the puzzles at their graded sizes: on a GPU, or in the stepper."""

import inspect
from pathlib import Path

import numpy as np
import pytest

from tests.wide import loading

NAMES = sorted(f.stem for f in Path("kernels/puzzles").glob("*.py") if f.stem != "__init__")


@pytest.mark.parametrize("name", NAMES)
def test_a_solution_is_right_on_every_case(name):
    with loading() as (load, _):
        puzzle = load(f"kernels.puzzles.{name}")
        asked = [n for n in inspect.signature(puzzle.test).parameters if hasattr(puzzle, n)]
        for case in puzzle.CASES:
            rows = list(
                puzzle.test(*(getattr(puzzle, n) for n in asked), *np.atleast_1d(case).tolist())
            )
            assert rows
            for array, got, want, *allowed in rows:
                most = allowed[0] if allowed else 1e-5
                got = got.copy_to_host() if hasattr(got, "copy_to_host") else got
                np.testing.assert_allclose(got, want, most, most, err_msg=f"{case}: {array}")

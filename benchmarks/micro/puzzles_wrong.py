"""The puzzles' tempting wrong answers on a GPU, in turns with the solution, where they do no harm.

Which of them run, lockstep_site.puzzles says: not what may write outside its array or never end.
"""

import numpy as np
from numba import cuda

from benchmarks.harness import ROOT, TIMES, BenchmarkError, rounded
from benchmarks.micro.common import WARM, Events
from benchmarks.micro.puzzles import FOLDER, SIZES, TOLERANCE, programs
from lockstep_site.puzzles import answers
from simulator import grade


class Launch:
    """A launch of one kernel, on arrays that can be put back to what they held before it."""

    def __init__(self, kernel, shape, arguments):
        self.again = lambda: kernel[shape](*arguments)
        self.arrays = [array for array in arguments if hasattr(array, "copy_to_host")]
        self.held = [cuda.to_device(array.copy_to_host()) for array in self.arrays]

    def __call__(self):
        self.again()

    def restore(self):
        for array, held in zip(self.arrays, self.held, strict=True):
            array.copy_to_device(held)


class Fresh(Events):
    """Time a launch by events, on arrays as they were: a place that an answer counts in would
    otherwise lead past the end of the array in the next launch."""

    def __call__(self, launch):
        launch.restore()
        return super().__call__(launch)


class Each:
    """Stands for a kernel: launches each of some kernels, {name: kernel}, on the same arrays.

    ``launches`` has what was launched, and ``left`` what it left, {name: {id of an array: its
    elements}}.
    """

    def __init__(self, kernels):
        self.kernels, self.launches, self.left = kernels, {}, {}

    def __getitem__(self, shape):
        def launch(*arguments):
            for name, kernel in self.kernels.items():
                one = self.launches[name] = Launch(kernel, shape, arguments)
                one()
                self.left[name] = {id(array): array.copy_to_host() for array in one.arrays}
                one.restore()

        return launch


def run(bench):
    for name in sorted(SIZES):
        with bench.part(name):
            puzzle(bench, name)


def puzzle(bench, name):
    path = f"{FOLDER}/{name}.py"
    exercise = grade.read((ROOT / path).read_text(encoding="utf-8"))
    asked = answers(exercise, name)
    solution, *_ = asked
    measured = programs(exercise).values()  # by benchmarks/micro/puzzles.py
    tried = [
        key
        for key, (_, program, _, runs) in asked.items()
        if key == solution or (runs and program not in measured)
    ]
    each = Each({key: kernel(asked[key][1], exercise.names) for key in tried})
    grading: dict = {}
    exec(compile(exercise.text, path, "exec"), grading)  # its own imports, and `test`
    wrong = dict.fromkeys(tried, 0)
    for _, out, want, *_ in grading["test"](each, *SIZES[name]):
        for key in tried:
            got = each.left[key][id(out)]
            same = np.isclose(got, want, TOLERANCE, TOLERANCE, equal_nan=True)
            wrong[key] += int(np.count_nonzero(~same))
    if wrong[solution]:
        raise BenchmarkError(f"{name}: {wrong[solution]} elements of the solution are wrong")
    times = bench.samples(each.launches, Fresh())
    size = " x ".join(map(str, SIZES[name]))
    for key in tried[1:]:
        bench.micro(
            key,
            f"Puzzle “{exercise.title}”, wrong answer: {asked[key][0]}, {size}",
            times[key],
            unit="us",
            kernel=path,
            method=f"{WARM}; the launch of the puzzle's own test; median of {times[key].repeats}",
            extra={
                "wrong": wrong[key],
                "solution_us": rounded(times[solution].median * TIMES["us"]),
            },
        )


def kernel(program, names):
    """Return the one kernel that a program defines."""
    space: dict = {}
    exec(compile(program, "<program>", "exec"), space)
    (name,) = names
    return space[name]

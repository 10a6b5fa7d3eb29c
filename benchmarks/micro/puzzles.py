"""The puzzles on a GPU: each solution, and the answers that are right and above par, at a size."""

import re

import numpy as np

from benchmarks.harness import ROOT, BenchmarkError
from benchmarks.micro.common import WARM, Events
from simulator import grade

FOLDER = "kernels/puzzles"
# What `test` of each puzzle is called with: the graded cases are of a few warps. A puzzle of one
# block keeps its size.
SIZES = {
    "attend": (64, 1024),
    "balance": (2**20,),
    "brighten": (2**20,),
    "certainty": (64, 2048),
    "daily_high": (2**20,),
    "distances": (1000, 1000),
    "every_third": (2**20,),
    "exposure": (1024, 1024),
    "from_the_base": (2**20,),
    "gray": (1000, 1000),
    "keep_warm": (64,),
    "likeness": (512, 512),
    "odometer": (64,),
    "one_layer": (2048, 2048),
    "portrait": (1000, 1000),
    "profit": (2**20,),
    "quarter_turn": (1,),
    "receipt": (2**16,),
    "relative": (1024, 1024),
    "relay": (1024, 1024),
    "reverb": (2**18, 16),
    "ring_mean": (2**20,),
    "tallest": (2**12,),
    "votes": (2**20,),
}
TOLERANCE = 1e-3  # of float32 sums of a thousand times the graded sizes


class Last:
    """Stands for a kernel: launches it, and keeps the last launch to be timed again."""

    def __init__(self, kernel):
        self.kernel = kernel

    def __getitem__(self, shape):
        def launch(*arguments):
            self.again = lambda: self.kernel[shape](*arguments)
            self.again()

        return launch


def run(bench):
    found = sorted(file.stem for file in (ROOT / FOLDER).glob("[!_]*.py"))
    if found != sorted(SIZES):
        raise BenchmarkError(f"no size for the puzzles {set(found) ^ set(SIZES)}: add it to SIZES")
    for name in found:
        with bench.part(name):
            puzzle(bench, name)


def programs(exercise):
    """Return what is timed: {words for an id: program}, the solution first."""
    above = {
        re.sub(r"\W+", "-", label.lower()).strip("-"): code
        for label, (code, says) in exercise.wrong.items()
        if says == "above par"
    }
    return {"": exercise.solution} | above


def puzzle(bench, name):
    path = f"{FOLDER}/{name}.py"
    exercise = grade.read((ROOT / path).read_text(encoding="utf-8"))
    grading: dict = {}
    exec(compile(exercise.text, path, "exec"), grading)  # its own imports, and `test`
    size = SIZES[name]
    calls = {}
    for words, program in programs(exercise).items():
        calls["-".join(filter(None, ("puzzle", name.replace("_", "-"), words)))] = checked(
            program, exercise.names, grading["test"], size
        )
    written = " x ".join(map(str, size))
    for id, summary in bench.samples(calls, Events()).items():
        words = id.removeprefix(f"puzzle-{name.replace('_', '-')}").strip("-").replace("-", " ")
        bench.micro(
            id,
            f"Puzzle “{exercise.title}”: {words or 'the solution'}, {written}",
            summary,
            unit="us",
            kernel=path,
            method=f"{WARM}; the launch of the puzzle's own test; median of {summary.repeats}",
        )


def checked(program, names, test, size):
    """Run a program on a size, hold its results against the test's, and return its launch."""
    space: dict = {}
    exec(compile(program, "<program>", "exec"), space)
    *helpers, kernel = (space[name] for name in names)
    last = Last(kernel)
    for array, got, want, *_ in test(*helpers, last, *size):
        got = got.copy_to_host() if hasattr(got, "copy_to_host") else got
        np.testing.assert_allclose(got, want, TOLERANCE, TOLERANCE, err_msg=array)
    return last.again

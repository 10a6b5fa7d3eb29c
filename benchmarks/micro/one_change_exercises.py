"""Exercises at launches and sizes that show what their par counts, one change each.

At the launch of its own test a solution may be no faster than the start: one warp, an array that
lies in L2, blocks so small that all of them wait for a place. Here each has what its lesson is
about: a multiprocessor full of warps, or more bytes than L2 holds.
"""

from functools import partial

import cupy as cp
import numpy as np
from numba import cuda, float32

from benchmarks.harness import ROOT, BenchmarkError, rounded
from benchmarks.micro.common import WARM, Events
from benchmarks.micro.puzzles_wrong import kernel
from lockstep_site.puzzles import answers
from simulator import grade

FOLDER = "kernels/exercises"
HERE = "benchmarks/micro/one_change_exercises.py"
PAIRS = "two steps a turn"  # a kernel of our own
MASKED = {"the index masked": [("(k + t) % 32", "(k + t) & 31")]}
WIDE = "the solution, blocks of 256"
WIDER = [("array(68", "array(260"), ("array(66", "array(258"), ("68, 64", "260, 256"),
         ("66, 64", "258, 256"), ("blockIdx.x * 64", "blockIdx.x * 256")]  # fmt: skip


def run(bench):
    small = bench.quick
    full = bench.device.multiprocessors * (1 if small else 256)
    with bench.part("rows of a tile in shared memory, many warps"):
        tiles(bench, "skewed", full, lambda tile: tile.sum(axis=1))
    with bench.part("a tile transposed in shared memory, many warps"):
        tiles(bench, "swizzle", full, lambda tile: tile.T)
    with bench.part("a picture by many warps"):
        brighten(bench, 2**20 if small else 2**27)
    with bench.part("one pass, blocks of 64 and of 256"):
        fuse(bench, 2**20 if small else 2**24)
    with bench.part("few elements are wrong"):
        few_wrong(bench, 2**20 if small else 2**24)
    with bench.part("two steps of smoothing, from memory"):
        smooth(bench, 2**20 if small else 2**27)
    with bench.part("steps of a ring without a choice of two arrays"):
        rings(bench, 64 if small else 2**14)


def programs(name, edits=None):
    """Return the kernels of an exercise that may run on a GPU, {label: kernel}: solution first.

    ``edits``: {label: [(text, other), ...]}, further kernels, each the solution with these changes.
    """
    exercise = grade.read((ROOT / FOLDER / f"{name}.py").read_text(encoding="utf-8"))
    made = answers(exercise, name, "exercise").values()
    texts = {label: text for label, text, _, runs in made if runs}
    for label, changes in (edits or {}).items():
        text = texts["the solution"]
        for old, new in changes:
            if old not in text:
                raise BenchmarkError(f"{name}: the solution has no {old!r}")
            text = text.replace(old, new)
        texts[label] = text
    return {label: kernel(text, exercise.names) for label, text in texts.items()}


def timed(bench, name, calls, output, wanted, what, tolerance=1e-5, amount=0.0, **extra):
    """Check each call, and add a row for each: {id behind the exercise's name: (label, call)}."""
    first = f"one-change-exercise-{name.replace('_', '-')}"
    calls = {f"{first}-{id}" if id else first: row for id, row in calls.items()}
    for id, (_, call) in calls.items():
        bench.check(id, call, output, wanted, tolerance)
    times = bench.samples({id: call for id, (_, call) in calls.items()}, Events())
    for id, summary in times.items():
        rate = {"gbps": rounded(amount / summary.median / 1e9)} if amount else {}
        bench.micro(
            id, f"Exercise {name.replace('_', ' ')}, {what}: {calls[id][0]}", summary, unit="us",
            kernel=HERE if calls[id][0] == PAIRS else f"{FOLDER}/{name}.py", method=WARM,
            extra=rate | extra,
        )  # fmt: skip


def tiles(bench, name, blocks, result):
    """One warp a block as before, and enough blocks that shared memory is what they wait for."""
    labels = {"skewed": ["all in one column", *MASKED], "swizzle": ["no swizzle"]}[name]
    known, tile = programs(name, MASKED if name == "skewed" else None), bench.random((32, 32))
    wanted = result(tile.astype(cp.float64))
    output = bench.output(wanted.shape)
    d_tile, d_out = bench.device.numba(tile), bench.device.numba(output.array)

    def call(label):
        return label, partial(known[label][blocks, 32], d_tile, d_out)

    calls = {"": call("the solution")}
    calls |= {label.replace(" ", "-"): call(label) for label in labels}
    timed(bench, name, calls, output, wanted, f"{blocks} blocks of a warp", blocks=blocks)


def brighten(bench, n):
    """Enough warps to hide the waits: eight blocks of 256 on each multiprocessor."""
    known, pixels, output = programs("share_the_work"), bench.random(n) * 255, bench.output(n)
    d_pixels, d_out = bench.device.numba(pixels), bench.device.numba(output.array)
    blocks, run_of = 8 * bench.device.multiprocessors, "a run of neighbors for each thread"
    calls = {
        id: (label, partial(known[label][blocks, 256], d_pixels, np.float32(40), d_out))
        for id, label in (("", "the solution"), ("run-of-neighbors", run_of))
    }
    wanted = cp.minimum(pixels + cp.float32(40), cp.float32(255))
    what = f"{n} pixels, {blocks} blocks of 256"
    timed(bench, "share_the_work", calls, output, wanted, what, amount=8 * n)


def fuse(bench, n):
    """Whether blocks of 256 threads end the wait for places that blocks of 64 have."""
    known, x, output = programs("fuse"), bench.random(n) - cp.float32(0.5), bench.output(n)
    d_x, d_out = bench.device.numba(x), bench.device.numba(output.array)
    two, half = np.float32(2), np.float32(0.5)
    calls = {
        f"{id}{threads}": (
            f"{label}, blocks of {threads}",
            partial(known[label][n // threads, threads], d_x, two, half, d_out),
        )
        for threads in (64, 256)
        for id, label in (("", "the solution"), ("two-passes-", "two passes"))
    }
    wanted = cp.maximum(x * two + half, cp.float32(0))
    timed(bench, "fuse", calls, output, wanted, f"{n} float32", amount=8 * n)


def few_wrong(bench, n):
    """One element of 65,536 is off, so nearly all updates are those of right ones."""
    known, want = programs("count_wrong"), bench.random(n)
    got = want.copy()
    got[:: 2**16] += cp.float32(1)
    d_got, d_want = bench.device.numba(got), bench.device.numba(want)
    wrong, expected = cp.zeros(1, cp.int32), len(range(0, n, 2**16))
    d_wrong = bench.device.numba(wrong)
    calls = {
        f"{id}{threads}": (
            f"{label}, blocks of {threads}",
            partial(known[label][n // threads, threads], d_got, d_want, np.float32(0.1), d_wrong),
        )
        for threads in (64, 256)
        for id, label in (("", "the solution"), ("every-thread-", "every thread updates"))
    }
    for id, (label, call) in calls.items():
        wrong.fill(0)
        call()
        if int(wrong[0]) != expected:
            raise BenchmarkError(f"{id}: {label} counts {int(wrong[0])} and not {expected}")
    times = bench.samples({id: call for id, (_, call) in calls.items()}, Events())
    for id, summary in times.items():
        bench.micro(
            f"one-change-exercise-count-wrong-{id}",
            f"Exercise count wrong, {n} float32, {expected} of them wrong: {calls[id][0]}",
            summary, unit="us", kernel=f"{FOLDER}/count_wrong.py", method=WARM,
            extra={"gbps": rounded(8 * n / summary.median / 1e9)},
        )  # fmt: skip


def smooth(bench, n):
    """512 MiB there and as many back: no cache holds the array."""
    known = programs("two_steps", {WIDE: WIDER})
    x, output = bench.random(n), bench.output(n)
    d_x, d_out = bench.device.numba(x), bench.device.numba(output.array)
    calls = {
        id: (said, partial(known[label][n // threads, threads], d_x, d_out))
        for id, label, said, threads in (
            ("", "the solution", "the solution", 64),
            ("nine-loads", "nine loads", "nine loads", 64),
            ("256", WIDE, WIDE, 256),
            ("nine-loads-256", "nine loads", "nine loads, blocks of 256", 256),
        )
    }
    wanted = x
    for _ in range(2):
        ends = cp.concatenate([wanted[:1], wanted, wanted[-1:]])
        wanted = (ends[:-2] + ends[1:-1] + ends[2:]) / cp.float32(3)
    del ends
    timed(bench, "two_steps", calls, output, wanted, f"{n} float32", amount=8 * n)


@cuda.jit
def ring_pairs_kernel(x, steps, out):
    """The solution of steps_in_one_launch, two steps a turn: the text says which array is read."""
    here = cuda.shared.array(64, np.float32)
    there = cuda.shared.array(64, np.float32)
    t, ring = cuda.threadIdx.x, cuda.blockIdx.x
    n = x.shape[1]
    if t < n:
        here[t] = x[ring, t]
    for _ in range(steps // 2):
        cuda.syncthreads()
        if t < n:
            there[t] = (here[(t + n - 1) % n] + here[(t + 1) % n] + here[t]) / float32(3)
        cuda.syncthreads()
        if t < n:
            here[t] = (there[(t + n - 1) % n] + there[(t + 1) % n] + there[t]) / float32(3)
    if t < n:
        out[ring, t] = here[t]


def rings(bench, count, n=64, steps=64):
    """Whether it is the index of one of two arrays that costs more than a barrier."""
    known, x = programs("steps_in_one_launch"), bench.random((count, n))
    output = bench.output((count, n))
    d_x, d_out = bench.device.numba(x), bench.device.numba(output.array)
    known |= {PAIRS: ring_pairs_kernel}
    calls = {
        id: (label, partial(known[label][count, 64], d_x, steps, d_out))
        for id, label in (
            ("", "the solution"),
            ("two-barriers", "two barriers a step"),
            ("pairs", PAIRS),
        )
    }
    wanted = x
    for _ in range(steps):
        around = cp.roll(wanted, 1, 1) + cp.roll(wanted, -1, 1)
        wanted = (around + wanted) / cp.float32(3)
    what = f"{count} rings of {n}, {steps} steps"
    timed(bench, "steps_in_one_launch", calls, output, wanted, what)

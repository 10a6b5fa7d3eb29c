"""Stencils in 1D, 2D and 3D on compulsory traffic, and several steps in one pass over memory."""

from functools import partial

import cupy as cp
import numpy as np

from benchmarks.harness import Case, Reference, Summary, interleave, summarize
from kernels.stencil.march import march, space_march
from kernels.stencil.plain import (
    CELLS,
    HIGH,
    WIDE,
    line_halo_kernel,
    line_kernel,
    plane_halo_kernel,
    plane_kernel,
    space_kernel,
)

PLAIN, MARCH = "kernels/stencil/plain.py", "kernels/stencil/march.py"
STEPS = {2: "stencil-2d-steps-2", 4: "stencil-2d-steps-4", 8: "stencil-2d-steps-8"}

# rows of a warp, planes at a time, warps of a block, planes of a block
MARCHES = [(1, 2, 4, 8), (1, 4, 4, 8), (1, 4, 4, 12), (2, 1, 4, 8), (2, 1, 4, 16), (2, 2, 4, 4)]
MARCHES += [(2, 2, 4, 6), (2, 2, 8, 4), (2, 2, 4, 8), (4, 1, 4, 4), (4, 2, 4, 4), (4, 2, 4, 6)]
ONE_ROW, TWO_ROWS = MARCHES[0], MARCHES[5]


def run(bench):
    with bench.part("1D"):
        line(bench, 2**22 if bench.quick else 2**28)
    with bench.part("2D"):
        plane(bench, (1024, 4096) if bench.quick else (16384, 16384))
    with bench.part("3D"):
        space(bench, (128, 128, 256) if bench.quick else (640, 640, 640))


def weights(dimensions):
    """Return center and side of a smoothing stencil."""
    return np.float32(0.5), np.float32(0.5 / (2 * dimensions))


def cupy_step(a, out):
    """Do a step with CuPy's slices, into ``out``."""
    center, side = weights(a.ndim)
    inner = (slice(1, -1),) * a.ndim
    out[...] = a
    around = 0
    for axis in range(a.ndim):
        for part in (slice(None, -2), slice(2, None)):
            around = around + a[inner[:axis] + (part,) + inner[axis + 1 :]]
    out[inner] = center * a[inner] + side * around


def expected(a, steps=1):
    for _ in range(steps):
        center, side = map(float, weights(a.ndim))
        inner = (slice(1, -1),) * a.ndim
        new = a.astype(cp.float64)
        new[inner] *= center
        for axis in range(a.ndim):
            for part in (slice(None, -2), slice(2, None)):
                new[inner] += side * a[inner[:axis] + (part,) + inner[axis + 1 :]]
        a = new
    return a


def compare(bench, a, output, cases):
    return bench.compare(
        cases,
        Reference("CuPy, slices", lambda: cupy_step(a, output.array), output),
        expected(a),
        size=a.size,
        dtype="float32",
        unit="GB/s",
        tolerance=1e-6,
        bytes=2 * 4 * a.size,
    )


def line(bench, n):
    a, output = bench.random(n), bench.output(n)
    views = bench.device.numba(a), *weights(1), bench.device.numba(output.array)
    blocks = -(-n // CELLS)
    title = "Stencil of 3 points, Numba, "
    compare(
        bench,
        a,
        output,
        [
            Case("stencil-1d", title + "a thread a cell", PLAIN,
                 partial(line_kernel[blocks, CELLS], *views), output),
            Case("stencil-1d-halo", title + "tile and halo in shared memory", PLAIN,
                 partial(line_halo_kernel[blocks, CELLS], *views), output),
        ],
    )  # fmt: skip


def flat(bench, *arrays):
    return [bench.device.numba(array.reshape(-1)) for array in arrays]


def plane(bench, shape):
    a, output = bench.random(shape), bench.output(shape)
    center, side = weights(2)
    views = bench.device.numba(a), center, side, bench.device.numba(output.array)
    blocks = -(-shape[1] // WIDE), -(-shape[0] // HIGH)
    ins, outs = flat(bench, a, output.array)
    title = "Stencil of 5 points, Numba, "
    compare(
        bench,
        a,
        output,
        [
            Case("stencil-2d", title + "rows in a register queue", MARCH,
                 partial(march, ins, *shape, 1, center, side, outs), output),
            Case("stencil-2d-plain", title + "a thread a cell", PLAIN,
                 partial(plane_kernel[blocks, (WIDE, HIGH)], *views), output),
            Case("stencil-2d-halo", title + "tile and halo in shared memory", PLAIN,
                 partial(plane_halo_kernel[blocks, (WIDE, HIGH)], *views), output),
        ],
    )  # fmt: skip

    # Several steps in one pass: checked against float64, timed beside a single step.
    calls = {1: partial(march, ins, *shape, 1, center, side, outs)}
    for steps in STEPS:
        calls[steps] = partial(march, ins, *shape, steps, center, side, outs)
        right = expected(a, steps)
        bench.check(f"{steps} steps", calls[steps], output, right, 1e-6)
        del right
        bench.xp.get_default_memory_pool().free_all_blocks()
    times = bench.samples({f"{steps} steps": call for steps, call in calls.items()})
    one = times["1 steps"].median
    for steps in STEPS:
        summary = times[f"{steps} steps"]
        updates = steps * a.size
        bench.micro(
            STEPS[steps],
            f"Stencil of 5 points, {steps} steps in one pass: updates of cells",
            summary,
            unit="Gop/s",
            amount=updates,
            method="CUDA events, cold L2; updates of cells in a second",
            kernel=MARCH,
            extra={"faster": float(f"{steps * one / summary.median:.6g}")},
        )
    bench.micro(
        "stencil-2d-steps-1",
        "Stencil of 5 points, one step in a pass: updates of cells",
        Summary(one, times["1 steps"].spread, times["1 steps"].repeats),
        unit="Gop/s",
        amount=a.size,
        method="CUDA events, cold L2; updates of cells in a second",
        kernel=MARCH,
    )


def space(bench, shape):
    a, output = bench.random(shape), bench.output(shape)
    center, side = weights(3)
    views = bench.device.numba(a), center, side, bench.device.numba(output.array)
    block = (32, 8, 1)
    blocks = tuple(-(-n // t) for n, t in zip(shape[::-1], block, strict=True))
    ins, outs = flat(bench, a, output.array)
    title = "Stencil of 7 points, Numba, "
    calls = {way: partial(space_march, ins, shape, center, side, outs, *way) for way in MARCHES}
    times = interleave(calls, bench.device.timer, 5, warmup=2)
    best = min(calls, key=lambda way: summarize(times[way]).median)
    words = f"planes in a register queue, the best of {len(calls)} ways to divide the work"
    extra = dict(zip(("rows", "group", "warps", "depth"), best, strict=True))
    compare(
        bench,
        a,
        output,
        [
            Case("stencil-3d", title + words, MARCH, calls[best], output, extra),
            Case("stencil-3d-one-row", title + "a row for a warp, queue of planes", MARCH,
                 calls[ONE_ROW], output),
            Case("stencil-3d-two-rows", title + "two rows for a warp, the same bytes", MARCH,
                 calls[TWO_ROWS], output),
            Case("stencil-3d-plain", title + "a thread a cell", PLAIN,
                 partial(space_kernel[blocks, block], *views), output),
        ],
    )  # fmt: skip

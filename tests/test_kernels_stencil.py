"""Stencils in one, two and three dimensions, by every rung, at awkward sizes."""

import sys
import types

import numpy as np
import pytest

from tests.wide import SIMULATOR, loading

# Read by `python -m lockstep gpu`; the page of these kernels says the same.
NOT_ON = {"numba-cuda-mlir": "the 16-byte instructions are made with llvmlite"}
GUARD = 37
CENTER, SIDE = np.float32(0.4), np.float32(0.15)


def march_module(load):
    """Import the kernels. On a CPU a store with a hint is one without: the same numbers."""
    if SIMULATOR:
        load("kernels.stencil")
        once = types.ModuleType("kernels.stencil.once")
        once.store4_once = sys.modules["kernels.patterns.wide"].store4
        sys.modules["kernels.stencil.once"] = once
    return load("kernels.stencil.march")


def expected(a, steps=1):
    """Return what the stencil makes of an array of any dimension, in float64."""
    a = a.astype(np.float64)
    for _ in range(steps):
        if min(a.shape) < 3:
            return a  # nothing but border
        inner = tuple(slice(1, -1) for _ in a.shape)
        around = 0
        for axis in range(a.ndim):
            for part in (slice(None, -2), slice(2, None)):
                around = around + a[inner[:axis] + (part,) + inner[axis + 1 :]]
        new = a.copy()
        new[inner] = float(CENTER) * a[inner] + float(SIDE) * around
        a = new
    return a


def check(cuda, call, a, steps=1):
    """Make a call with an array and a poisoned output; compare, and look behind the end."""
    whole = cuda.to_device(np.full(a.size + GUARD, np.nan, np.float32))
    call(cuda.to_device(a), whole[: a.size].reshape(*a.shape))
    host = whole.copy_to_host()
    assert np.isnan(host[a.size :]).all(), "written past the end"
    got = host[: a.size].reshape(a.shape)
    np.testing.assert_allclose(got, expected(a, steps), rtol=1e-5, atol=1e-6)


def cells(*shape):
    return np.random.default_rng(sum(shape)).standard_normal(shape).astype(np.float32)


LINES = [1, 2, 3, 255, 256, 257, 600] + ([] if SIMULATOR else [100_003])
PLANES = [(1, 1), (2, 5), (3, 3), (7, 33), (9, 66)] + ([] if SIMULATOR else [(1021, 523)])
SPACES = [(1, 1, 1), (3, 3, 3), (2, 4, 5), (5, 4, 35)] + ([] if SIMULATOR else [(67, 71, 73)])


@pytest.mark.parametrize("name", ["line", "line_halo"])
def test_line(name):
    with loading() as (load, cuda):
        module = load("kernels.stencil.plain")
        kernel = getattr(module, f"{name}_kernel")
        for n in LINES:
            config = -(-n // module.CELLS), module.CELLS
            check(cuda, lambda a, out: kernel[config](a, CENTER, SIDE, out), cells(n))  # noqa: B023


@pytest.mark.parametrize("name", ["plane", "plane_halo"])
def test_plane(name):
    with loading() as (load, cuda):
        module = load("kernels.stencil.plain")
        kernel, block = getattr(module, f"{name}_kernel"), (module.WIDE, module.HIGH)
        for shape in PLANES:
            config = (-(-shape[1] // block[0]), -(-shape[0] // block[1])), block
            check(cuda, lambda a, out: kernel[config](a, CENTER, SIDE, out), cells(*shape))  # noqa: B023


def test_space():
    with loading() as (load, cuda):
        module = load("kernels.stencil.plain")
        for shape in SPACES:
            config = tuple(-(-n // t) for n, t in zip(shape[::-1], (16, 2, 2), strict=True))
            launch = module.space_kernel[config, (16, 2, 2)]
            check(cuda, lambda a, out: launch(a, CENTER, SIDE, out), cells(*shape))  # noqa: B023


MARCHES = [(1, 4), (3, 8), (5, 132), (9, 124), (4, 260)]
MARCHES += [] if SIMULATOR else [(1021, 524), (300, 4096), (129, 1000)]


@pytest.mark.parametrize(
    ("steps", "group", "height", "together"),
    [(1, 2, 3, 1), (1, 4, 100, 2), (2, 4, 5, 1), (4, 2, 6, 2), (5, 2, 4, 1), (8, 2, 8, 1)],
)
def test_march(steps, group, height, together):
    with loading() as (load, cuda):
        make = march_module(load).make_march
        useful = 128 - 8 * -(-steps // 4)
        for rows, columns in MARCHES:
            config = (-(-columns // (useful * together)), -(-rows // height)), (32, together)

            def call(a, out):
                sizes = map(np.int32, (rows, columns, height))  # noqa: B023
                ins, outs = a.reshape(a.size), out.reshape(out.size)
                make(steps, group)[config](ins, *sizes, CENTER, SIDE, outs)  # noqa: B023

            check(cuda, call, cells(rows, columns), steps)


@pytest.mark.parametrize(("high", "together"), [(1, 4), (2, 1), (4, 2)])
def test_patch(high, together):
    with loading() as (load, cuda):
        kernel = march_module(load).make_patch(high)
        for rows, columns in MARCHES:
            config = (-(-columns // 128), -(-rows // (high * together))), (32, together)

            def call(a, out):
                sizes = np.int32(rows), np.int32(columns)  # noqa: B023
                ins, outs = a.reshape(a.size), out.reshape(out.size)
                kernel[config](ins, *sizes, CENTER, SIDE, outs)  # noqa: B023

            check(cuda, call, cells(rows, columns))


@pytest.mark.parametrize(
    ("high", "group", "depth", "together"), [(1, 1, 7, 2), (1, 2, 3, 4), (2, 2, 3, 2), (3, 2, 5, 1)]
)
def test_space_march(high, group, depth, together):
    with loading() as (load, cuda):
        make = march_module(load).make_space_march
        shapes = [(1, 2, 4), (3, 3, 8), (5, 6, 132), (4, 3, 260)]
        for shape in shapes + ([] if SIMULATOR else [(67, 71, 76), (130, 129, 128)]):
            planes, rows, columns = shape
            blocks = -(-columns // 128), -(-rows // (high * together)), -(-planes // depth)

            def call(a, out):
                sizes = map(np.int32, (*shape, depth))  # noqa: B023
                ins, outs = a.reshape(a.size), out.reshape(out.size)
                make(high, group)[blocks, (32, together)](ins, *sizes, CENTER, SIDE, outs)  # noqa: B023

            check(cuda, call, cells(*shape))


def test_on_the_host():
    with loading() as (load, _):
        plain, march = load("kernels.stencil.plain"), march_module(load)
        plane, space = cells(6, 12), cells(4, 5, 8)
        got = plain.step(plain.plane_kernel, plane, CENTER, SIDE, (4, 2))
        np.testing.assert_allclose(got, expected(plane), rtol=1e-5, atol=1e-6)
        got = plain.step(plain.space_kernel, space, CENTER, SIDE, (4, 2, 2))
        np.testing.assert_allclose(got, expected(space), rtol=1e-5, atol=1e-6)
        if not SIMULATOR:  # a block has 128 threads there
            plane, space = cells(1021, 524), cells(67, 71, 76)
        for steps in (1, 3):
            got = march.after(plane, CENTER, SIDE, steps)
            np.testing.assert_allclose(got, expected(plane, steps), rtol=1e-5, atol=1e-6)
        if not SIMULATOR:
            got = march.after(space, CENTER, SIDE)
            np.testing.assert_allclose(got, expected(space), rtol=1e-5, atol=1e-6)


def test_rows_that_are_no_multiple_of_four_are_refused():
    with loading() as (load, _), pytest.raises(ValueError, match="multiple of four"):
        march_module(load).after(cells(4, 6), CENTER, SIDE)


@pytest.mark.parametrize("n", [1, 2, 3, 31, 33, 129, 1009])
def test_a_step_of_the_wave(n):
    with loading() as (load, cuda):
        kernel = load("kernels.stencil.wave").wave_kernel
        now, before = np.random.default_rng(n).standard_normal((2, n)).astype(np.float32)
        out = cuda.to_device(np.full(n + GUARD, np.nan, np.float32))
        arrays = cuda.to_device(now), cuda.to_device(before)
        kernel[-(-(n + GUARD) // 64), 64](*arrays, np.float32(0.25), out)
        got = out.copy_to_host()
    right = np.zeros(n)
    if n > 2:
        a = now.astype(np.float64)
        right[1:-1] = 2 * a[1:-1] - before[1:-1] + 0.25 * (a[:-2] - 2 * a[1:-1] + a[2:])
    np.testing.assert_allclose(got[:n], right, rtol=1e-5, atol=1e-5)
    assert np.isnan(got[n:]).all()

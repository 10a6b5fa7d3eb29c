"""Softmax of each row, by every rung of its ladder, at awkward sizes, with -inf, inf and NaN."""

import numpy as np
import pytest

from kernels.wrong.softmax_from_minus_infinity import __name__ as WRONG
from tests.wide import SIMULATOR, loading

# Read by `python -m lockstep gpu`; the page of these kernels says the same.
NOT_ON = {"numba-cuda-mlir": "the 16-byte instructions are made with llvmlite"}
GUARD = 37
SHAPES = [(1, 1), (3, 4), (2, 7), (5, 100), (3, 131), (2, 260)]
LARGER = [(1, 1001), (7, 1024), (300, 1028), (3, 4095), (5, 8192), (3, 16384), (140, 16388)]
LARGER += [(200, 32768), (2, 32767), (3, 40000)]


def expected(x):
    with np.errstate(invalid="ignore"):
        x = x.astype(np.float64)
        e = np.exp(x - x.max(axis=1, keepdims=True))
        return e / e.sum(axis=1, keepdims=True)


def scores(rows, columns):
    """Return distinct random scores with a masked element in each longer row."""
    x = np.random.default_rng(rows * columns).standard_normal((rows, columns)) * 8
    if columns > 2:
        x[:, columns // 2] = -np.inf
    return x.astype(np.float32)


def check(cuda, call, x):
    """Make a call with x and a poisoned output; compare every row, and what is behind the last."""
    whole = cuda.to_device(np.full(x.size + GUARD, np.nan, np.float32))
    call(cuda.to_device(x), whole[: x.size].reshape(*x.shape))
    host = whole.copy_to_host()
    assert np.isnan(host[x.size :]).all(), "written past the end"
    np.testing.assert_allclose(
        host[: x.size].reshape(x.shape), expected(x), rtol=2e-5, atol=1e-30, equal_nan=True
    )


ODD = [
    [[-np.inf] * 6, [1, 2, 3, 4, 5, 6]],
    [[-np.inf, -np.inf, -np.inf, 0, 1, 2], [-np.inf, 5, -np.inf, -np.inf, -np.inf, -np.inf]],
    [[np.inf, 0, 1, 2, 3, 4], [np.nan, 0, 1, 2, 3, 4]],
    [[3e38, -3e38, 0, 1, 2, 3], [-3.4e38] * 6],
]


@pytest.mark.parametrize("name", ["thread_a_row", "three_pass", "online"])
def test_passes(name):
    with loading() as (load, cuda):
        module = load("kernels.softmax.passes")
        kernel = getattr(module, f"{name}_kernel")

        def call(x, out):
            if name == "thread_a_row":
                kernel[-(-x.shape[0] // 4), 4](x, out)
            else:
                kernel[x.shape[0], 64](x, out)

        for shape in SHAPES + ([] if SIMULATOR else LARGER[:5]):
            check(cuda, call, scores(*shape))
        for rows in ODD[1:] if name == "thread_a_row" else ODD:
            check(cuda, call, np.array(rows, np.float32))


def flat(kernel, config, shape):
    def call(x, out):
        sizes = map(np.uint32, shape)
        kernel[config](x.reshape(x.size), *sizes, out.reshape(out.size))

    return call


@pytest.mark.parametrize(("threads", "together"), [(32, 1), (32, 3), (64, 1)])
def test_row(threads, together):
    with loading() as (load, cuda):
        row = load("kernels.softmax.row")
        for shape in SHAPES:
            wide = shape[1] % 4 == 0
            kernel = row.make_row(threads, 4 * -(-shape[1] // (4 * threads)), wide)
            config = -(-shape[0] // together), (threads, together)
            check(cuda, flat(kernel, config, shape), scores(*shape))
        for rows in ODD:
            x = np.array(rows, np.float32)
            kernel = row.make_row(threads, 4, False)
            config = -(-len(x) // together), (threads, together)
            check(cuda, flat(kernel, config, x.shape), x)
            wide = np.concatenate([x, x[:, :2]], axis=1)
            check(cuda, flat(row.make_row(threads, 4), config, wide.shape), wide)


@pytest.mark.parametrize("shape", SHAPES[:4] + ([] if SIMULATOR else LARGER))
def test_on_the_host(shape):
    x = scores(*shape)
    with loading() as (load, _):
        row, passes = load("kernels.softmax.row"), load("kernels.softmax.passes")
        got = [row.softmax(x)]
        if not SIMULATOR or x.size < 100:
            got += [passes.softmax_passes(getattr(passes, f"{name}_kernel"), x)
                    for name in ("three_pass", "online")]  # fmt: skip
    for each in got:
        np.testing.assert_allclose(each, expected(x), rtol=2e-5, atol=1e-30)


def test_the_plan_holds_each_row():
    with loading() as (load, _):
        row = load("kernels.softmax.row")
        for columns in (1, 31, 1024, 1025, 8191, 8192, 8193, row.LONGEST):
            threads, width = row.plan(columns)
            assert threads * width >= columns and threads <= 1024 and threads % 32 == 0
            assert width % 4 == 0 and width <= 32


def test_a_start_from_minus_infinity_loses_masked_rows():
    masked = np.random.default_rng(1).standard_normal((3, 64)).astype(np.float32)
    masked[1, 5] = -np.inf
    with loading() as (load, cuda):
        wrong = load(WRONG).from_minus_infinity_kernel
        right = load("kernels.softmax.passes").online_kernel
        for kernel, rows in ((right, []), (wrong, [1])):
            out = cuda.to_device(np.full(masked.shape, -1, np.float32))
            kernel[3, 64](cuda.to_device(masked), out)
            lost = np.isnan(out.copy_to_host()).any(axis=1)
            assert np.flatnonzero(lost).tolist() == rows

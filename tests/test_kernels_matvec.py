"""Matrix times vector by every rung, at awkward shapes."""

import numpy as np
import pytest

from tests.wide import SIMULATOR, loading

# Read by `python -m lockstep gpu`; the page of these kernels says the same.
NOT_ON = {"numba-cuda-mlir": "the 16-byte instructions are made with llvmlite"}
GUARD = 37
SHAPES = [(1, 1), (3, 4), (1, 260), (33, 7), (65, 12), (2, 131), (5, 129)]
LARGER = [(1, 1_000_003), (3, 1_000_000), (1_000_003, 3), (100_001, 64), (4097, 4100), (777, 1001)]


def inputs(m, n):
    random = np.random.default_rng(m * n)
    a, x = random.standard_normal((m, n)), random.standard_normal(n)
    return a.astype(np.float32), x.astype(np.float32)


def check(got, a, x):
    right = a.astype(np.float64) @ x
    scale = np.abs(a).astype(np.float64) @ np.abs(x)
    off = np.abs(got - right) / scale
    assert off.max() < 2e-6, (a.shape, off.max(), off.argmax())  # NaN is caught, too


def poisoned(cuda, size):
    whole = cuda.to_device(np.full(size + GUARD, np.nan, np.float32))
    return whole, whole[:size]


@pytest.mark.parametrize("name, lanes", [("thread_row_kernel", 1), ("warp_row_kernel", 32)])
def test_rows(name, lanes):
    with loading() as (load, cuda):
        kernel = getattr(load("kernels.matvec.rows"), name)
        for m, n in SHAPES:
            a, x = inputs(m, n)
            whole, y = poisoned(cuda, m)
            kernel[-(-m * lanes // 64), 64](cuda.to_device(a), cuda.to_device(x), y)
            host = whole.copy_to_host()
            assert np.isnan(host[m:]).all(), "written past the end"
            check(host[:m], a, x)


def test_any_shape():
    with loading() as (load, cuda):
        module = load("kernels.matvec.wide")
        for m, n in SHAPES + ([] if SIMULATOR else LARGER):
            a, x = inputs(m, n)
            check(module.matvec(a, x), a, x)


@pytest.mark.parametrize("lanes, rows, count", [(32, 4, 1), (32, 1, 3), (8, 2, 2), (1, 4, 1)])
def test_each_plan(lanes, rows, count):
    with loading() as (load, cuda):
        module = load("kernels.matvec.wide")
        for m, n in [(5, 132), (9, 36), (1, 4), (6, 131)]:
            a, x = inputs(m, n)
            share = 4 * -(-n // (4 * count))
            parts = -(-n // share)
            whole, out = poisoned(cuda, parts * m)
            kernel = module.make_matvec(lanes, rows, n % 4 == 0)
            blocks = -(-m * lanes // (rows * 64)), parts
            d_a, d_x = cuda.to_device(a.reshape(-1)), cuda.to_device(x)
            sizes = np.uint32(m), np.uint32(n), np.uint32(share)
            kernel[blocks, 64](d_a, d_x, *sizes, out.reshape(parts, m))
            host = whole.copy_to_host()
            assert np.isnan(host[parts * m :]).all(), "written past the end"
            check(host[: parts * m].reshape(parts, m).sum(axis=0), a, x)


def test_columns():
    with loading() as (load, cuda):
        module = load("kernels.matvec.columns")
        shapes = [(1, 4), (3, 132), (33, 8), (70, 128)]
        for m, n in shapes + ([] if SIMULATOR else [(100_003, 4), (3, 100_004), (4097, 4100)]):
            a, _ = inputs(m, n)
            x = inputs(1, m)[1]
            check(module.vecmat(x, a), a.T, x)
        with pytest.raises(ValueError, match="multiple of four"):
            module.vecmat(x, np.ones((3, 5), np.float32))

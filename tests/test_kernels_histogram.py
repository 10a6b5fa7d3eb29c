"""Histogram: every rung, on uniform, constant and skewed data, with values outside."""

import numpy as np
import pytest

from tests.patterns import SIZES, running

# Read by `python -m lockstep gpu`; the page of these kernels says the same.
NOT_ON = {"numba-cuda-mlir": "16-byte accesses are made with llvmlite and numba.cuda.extending"}


@pytest.fixture
def kernels():
    with running() as load:
        yield lambda name: load(f"kernels.histogram.{name}")


def data(n):
    random = np.random.default_rng(n)
    yield random.integers(-50, 300, n).astype(np.int32)
    yield np.full(n, 255, np.int32)
    yield np.minimum(random.exponential(12, n), 255).astype(np.int32)
    yield random.choice(np.array([-(2**31), 2**31 - 1, -1, 0, 255, 256], np.int32), n)


@pytest.mark.parametrize("rung", ["global", "shared", "warps", "lanes", "wide"])
def test_histogram(rung, kernels):
    module = kernels("counts")
    kernel = {
        "global": lambda: module.histogram_global_kernel,
        "shared": lambda: module.histogram_shared_kernel,
        "warps": lambda: module.make_histogram_warps(64),
        "lanes": lambda: kernels("lanes").make_histogram_lanes(64, 2),
        "wide": lambda: kernels("wide").histogram_wide_kernel,
    }[rung]()
    for n in SIZES:
        for x in data(n):
            expected = np.bincount(x[(x >= 0) & (x < 256)], minlength=256)
            for blocks in (1, 3):
                got = module.histogram(kernel, x, blocks, 64)
                assert np.array_equal(got, expected), (n, blocks)


def test_the_exercise(kernels):
    for n in SIZES:
        x = np.random.default_rng(n).integers(0, 256, n).astype(np.uint8)
        got = kernels("exercise").histogram_bytes(x, 2, 64)
        assert np.array_equal(got, np.bincount(x, minlength=256)), n

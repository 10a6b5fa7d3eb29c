"""Stream compaction: order kept, none lost, all or nothing kept, NaN, and the count."""

import numpy as np
import pytest

from tests.patterns import SIZES, running

# Read by `python -m lockstep gpu`; the page of these kernels says the same.
NOT_ON = {"numba-cuda-mlir": "16-byte accesses are made with llvmlite and numba.cuda.extending"}


@pytest.fixture
def kernels():
    with running() as load:
        yield lambda name: load(f"kernels.compact.{name}")


@pytest.mark.parametrize("shape", [(32, 1), (64, 2), (96, 1)])
def test_compact(shape, kernels):
    compact = kernels("one_pass").compact
    for n in SIZES:
        x = np.random.default_rng(n).standard_normal(n).astype(np.float32)
        x[::17] = np.nan  # neither above zero nor below
        for y in (x, np.abs(x), -np.abs(x)):
            got = compact(y, threads=shape[0], rows=shape[1])
            np.testing.assert_array_equal(got, y[y > 0])


def test_nothing_is_written_behind_what_is_kept(kernels):
    module = kernels("one_pass")
    x = np.random.default_rng(1).standard_normal(1000).astype(np.float32)
    out = module.cuda.to_device(np.full(1000, np.nan, np.float32))
    state, kept = (module.cuda.to_device(np.zeros(n, np.int64)) for n in (9, 1))
    kernel = module.make_compact(module.positive, x.dtype, 32, 1)
    kernel[8, 32](module.cuda.to_device(x), out, state, kept)
    want, got = x[x > 0], out.copy_to_host()
    assert kept.copy_to_host()[0] == want.size
    assert np.array_equal(got[: want.size], want) and np.isnan(got[want.size :]).all()


def test_other_types_and_tests(kernels):
    module = kernels("one_pass")

    @module.cuda.jit(device=True)
    def odd(value):
        return value % 2 == 1

    for n in SIZES:
        x = np.random.default_rng(n).integers(0, 2**31, n).astype(np.int32)
        assert np.array_equal(module.compact(x, odd, 64, 1), x[x % 2 == 1]), n


def test_the_three_steps(kernels):
    for n in SIZES:
        x = np.random.default_rng(n).standard_normal(n).astype(np.float32)
        assert np.array_equal(kernels("steps").compact_steps(x, 64), x[x > 0]), n


def test_the_exercise(kernels):
    for n in SIZES:
        x = np.random.default_rng(n).standard_normal(n).astype(np.float32)
        got = kernels("exercise").partition(x, 64)
        assert np.array_equal(got, np.concatenate([x[x > 0], x[~(x > 0)]])), n

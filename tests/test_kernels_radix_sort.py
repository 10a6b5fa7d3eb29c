"""Radix sort: stable passes, skewed digits, and a tile that is not full."""

import numpy as np
import pytest

from tests.patterns import SIMULATOR, SIZES, running

# Read by `python -m lockstep gpu`; the page of these kernels says the same.
NOT_ON = {"numba-cuda-mlir": "16-byte accesses are made with llvmlite and numba.cuda.extending"}


@pytest.fixture
def kernels():
    with running() as load:
        yield lambda name: load(f"kernels.radix_sort.{name}")


SOME = [0, 1, 600] if SIMULATOR else SIZES


def data(n):
    x = np.random.default_rng(n).integers(0, 2**32, n, dtype=np.uint64).astype(np.uint32)
    yield x
    yield x | np.uint32(0xFF00FF00)  # as large as what fills the last tile
    if SIMULATOR and n > 1:
        return  # half a minute for each
    yield x % 7
    yield np.sort(x)
    yield np.sort(x)[::-1].copy()
    yield np.full(n, 0xFFFFFFFF, np.uint32)


@pytest.mark.parametrize("shape", [(256, 1), (288, 2)])
def test_sort(shape, kernels):
    sort = kernels("one_sweep").sort
    for n in SOME:
        for x in data(n):
            assert np.array_equal(sort(x, *shape), np.sort(x)), n


def test_a_pass_is_stable(kernels):
    """Equal digits keep their order: the passes before would be lost otherwise."""
    module = kernels("one_sweep")
    cuda = module.cuda
    x = np.random.default_rng(3).integers(0, 2**32, 1030, dtype=np.uint64).astype(np.uint32)
    for shift in (0, 24):
        digits = x >> np.uint32(shift) & 255
        starts = np.cumsum(np.bincount(digits, minlength=256)) - np.bincount(digits, minlength=256)
        out = cuda.to_device(np.zeros(1030 + 37, np.uint32))
        state = cuda.to_device(np.zeros(1 + 256 * 3, np.uint32))
        d_x, d_starts = cuda.to_device(x), cuda.to_device(starts.astype(np.int32))
        module.make_sweep(256, 2)[3, 256](d_x, out[:1030], d_starts, state, shift)
        got = out.copy_to_host()
        assert np.array_equal(got[:1030], x[np.argsort(digits, kind="stable")])
        assert (got[1030:] == 0).all()


def test_one_bit_at_a_time(kernels):
    for n in (0, 1, 33) if SIMULATOR else SIZES:
        x = next(data(n)) & np.uint32(0x8000000F)
        assert np.array_equal(kernels("bits").sort_bits(x, 64), np.sort(x)), n


def test_the_exercise(kernels):
    for n in (0, 33) if SIMULATOR else SIZES:
        x = np.random.default_rng(n).standard_normal(n).astype(np.float32)
        assert np.array_equal(kernels("exercise").sort_floats(x, 256, 1), np.sort(x)), n

"""Radix sort by masks: stable passes, skewed digits, and a tile that is not full."""

import numpy as np
import pytest

from tests.patterns import running
from tests.test_kernels_radix_sort import SOME, data

# Read by `python -m lockstep gpu`; the page of these kernels says the same.
NOT_ON = {"numba-cuda-mlir": "16-byte accesses are made with llvmlite and numba.cuda.extending"}


@pytest.fixture
def masks():
    with running() as load:
        yield load("kernels.radix_sort.masks")


@pytest.mark.parametrize("shape", [(256, 1), (288, 2)])
def test_sort(shape, masks):
    for n in SOME:
        for x in data(n):
            assert np.array_equal(masks.sort_by_masks(x, *shape), np.sort(x)), n


def test_a_pass_is_stable(masks):
    """Equal digits keep their order: the passes before would be lost otherwise."""
    cuda = masks.cuda
    x = np.random.default_rng(3).integers(0, 2**32, 1030, dtype=np.uint64).astype(np.uint32)
    for shift in (0, 24):
        digits = x >> np.uint32(shift) & 255
        counts = np.bincount(digits, minlength=256)
        out = cuda.to_device(np.zeros(1030 + 37, np.uint32))
        state = cuda.to_device(np.zeros(1 + 256 * 3, np.uint32))
        starts = cuda.to_device((np.cumsum(counts) - counts).astype(np.int32))
        sweep = masks.make_mask_sweep(256, 2)
        sweep[3, 256](cuda.to_device(x), out[:1030], starts, state, shift)
        got = out.copy_to_host()
        assert np.array_equal(got[:1030], x[np.argsort(digits, kind="stable")])
        assert (got[1030:] == 0).all()

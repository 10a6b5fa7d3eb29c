"""Scan: block, three kernels and look-back, at awkward sizes, with overflow, many tiles deep."""

import numpy as np
import pytest

from tests.patterns import SIZES, running

# Read by `python -m lockstep gpu`; the page of these kernels says the same.
NOT_ON = {"numba-cuda-mlir": "16-byte accesses are made with llvmlite and numba.cuda.extending"}


@pytest.fixture
def kernels():
    with running() as load:
        yield lambda name: load(f"kernels.scan.{name}")


def numbers(n):
    return np.random.default_rng(n).integers(-(2**31), 2**31, n).astype(np.int32)


@pytest.mark.parametrize("threads", [32, 64, 96])
def test_three_kernels(threads, kernels):
    scan = kernels("block").scan
    for n in SIZES:
        x = numbers(n)
        assert np.array_equal(scan(x, threads), np.cumsum(x, dtype=np.int32)), n


@pytest.mark.parametrize("shape", [(32, 1), (64, 1), (96, 2), (32, 3)])
def test_look_back(shape, kernels):
    scan = kernels("look_back").scan_one_pass
    for n in SIZES:
        x = numbers(n)
        assert np.array_equal(scan(x, *shape), np.cumsum(x, dtype=np.int32)), n


def test_look_back_over_more_tiles_than_a_warp_sees_at_once(kernels):
    x = numbers(100 * 128 + 3)
    scan = kernels("look_back").scan_one_pass
    assert np.array_equal(scan(x, 32, 1), np.cumsum(x, dtype=np.int32))


def test_nothing_is_written_past_the_end(kernels):
    module = kernels("look_back")
    x, whole = numbers(130), np.full(130 + 37, 7, np.int32)
    d_out = module.cuda.to_device(whole)
    state = module.cuda.to_device(np.zeros(3, np.int64))
    module.make_scan(32, 1)[2, 32](module.cuda.to_device(x), d_out[:130], state)
    out = d_out.copy_to_host()
    assert (out[130:] == 7).all() and np.array_equal(out[:130], np.cumsum(x, dtype=np.int32))


def test_the_exercise(kernels):
    module = kernels("exercise")
    for n in SIZES:
        x = numbers(n)
        expected = np.cumsum(x, dtype=np.int32) - x
        assert np.array_equal(module.exclusive_scan(x, 64), expected), n

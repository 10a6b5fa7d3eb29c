"""Transpose: every rung, at sizes that are multiples of four and of nothing."""

import numpy as np
import pytest

from tests.patterns import SIMULATOR, running

# Read by `python -m lockstep gpu`; the page of these kernels says the same.
NOT_ON = {"numba-cuda-mlir": "16-byte accesses are made with llvmlite and numba.cuda.extending"}


@pytest.fixture
def kernels():
    with running() as load:
        yield lambda name: load(f"kernels.transpose.{name}")


SHAPES = [(1, 1), (33, 1), (1, 17), (64, 64), (65, 127), (128, 68), (130, 132)]


def numbers(shape):
    return np.random.default_rng(shape).permutation(shape[0] * shape[1]).astype(np.float32)


@pytest.mark.parametrize("shape", [*SHAPES, (0, 3)])
def test_transpose(shape, kernels):
    a = numbers(shape).reshape(shape)
    tile, wide = kernels("tile"), kernels("wide")
    for kernel, threads, part in (
        (tile.transpose_direct_kernel, (8, 4), (8, 4)),
        (tile.transpose_tile_kernel, (32, 8), (32, 32)),
    ):
        assert np.array_equal(tile.transpose_with(kernel, a, threads, part), a.T)
    assert np.array_equal(
        tile.transpose_with(tile.transpose_tile_kernel, a, (32, 8), (32, 32)), a.T
    )
    for size in ((64, 64), (32, 64), (64, 32)):
        assert np.array_equal(wide.transpose(a, *size), a.T), size


def test_large_and_awkward(kernels):
    if SIMULATOR:
        return
    for shape in ((4099, 1021), (1, 1_000_003), (2052, 4100)):
        a = numbers(shape).reshape(shape)
        assert np.array_equal(kernels("wide").transpose(a), a.T)


@pytest.mark.parametrize("along_out", [True, False])
@pytest.mark.parametrize("shape", SHAPES)
def test_nothing_is_written_past_the_end(shape, along_out, kernels):
    module = kernels("wide")
    rows, columns = shape
    a = numbers(shape)
    out = module.cuda.to_device(np.full(a.size + 37, np.nan, np.float32))
    blocks = -(-rows // 32), -(-columns // 32)
    kernel = module.make_transpose(32, 32, 64, along_out=along_out)
    kernel[blocks if along_out else blocks[::-1], 64](
        module.cuda.to_device(a), out[: a.size], rows, columns
    )
    got = out.copy_to_host()
    assert np.isnan(got[a.size :]).all()
    assert np.array_equal(got[: a.size].reshape(columns, rows), a.reshape(shape).T)


def test_the_exercise(kernels):
    for shape in SHAPES:
        size = min(shape)
        a = numbers((size, size)).reshape(size, size)
        assert np.array_equal(kernels("exercise").transpose_in_place(a), a.T), size

"""Sparse matrix times vector, by every kernel, on matrices with awkward rows."""

import numpy as np
import pytest

from kernels.spmv.rows import csr
from tests.wide import SIMULATOR, loading

# Read by `python -m lockstep gpu`; the page of these kernels says the same.
NOT_ON = {"numba-cuda-mlir": "the kernels name types of the package numba"}
GUARD = 37


def sparse(rows, columns, kind, seed=1):
    """Return a dense array with the nonzeros of one kind."""
    random = np.random.default_rng(seed)
    a = random.standard_normal((rows, columns)).astype(np.float32)
    if kind == "empty":
        return 0 * a
    if kind == "diagonal":
        return a * np.eye(rows, columns, dtype=np.float32)
    if kind == "one long row":
        keep = random.random((rows, columns)) < 0.02
        keep[rows // 2] = True
    elif kind == "empty rows at both ends":
        keep = random.random((rows, columns)) < 0.3
        keep[: rows // 3], keep[-rows // 4 :] = False, False
    elif kind == "full":
        keep = np.ones((rows, columns), bool)
    else:
        keep = random.random((rows, columns)) < 0.1
    return a * keep


KINDS = ["empty", "diagonal", "one long row", "empty rows at both ends", "full", "random"]
SHAPES = [(1, 1), (5, 40), (33, 7)] + ([] if SIMULATOR else [(1021, 523), (300, 4000)])


def check(cuda, call, dense):
    starts, columns, values = csr(dense)
    x = np.random.default_rng(7).standard_normal(dense.shape[1]).astype(np.float32)
    rows = dense.shape[0]
    whole = cuda.to_device(np.full(rows + GUARD, np.nan, np.float32))
    call([cuda.to_device(a) for a in (starts, columns, values)], cuda.to_device(x), whole[:rows])
    host = whole.copy_to_host()
    assert np.isnan(host[rows:]).all(), "written past the end"
    scale = np.abs(dense.astype(np.float64)) @ np.abs(x.astype(np.float64)) + 1e-30
    off = np.abs(host[:rows] - dense.astype(np.float64) @ x.astype(np.float64))
    assert (off <= 2e-6 * scale).all()  # NaN, where nothing was written, is not below


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("lanes", [1, 2, 8, 32])
def test_rows(lanes, kind):
    with loading() as (load, cuda):
        module = load("kernels.spmv.rows")
        kernel = module.scalar_kernel if lanes == 1 else module.make_vector(lanes)
        for shape in SHAPES:
            blocks = -(-shape[0] * lanes // 64)
            check(cuda, lambda m, x, y: kernel[blocks, 64](*m, x, y), sparse(*shape, kind))  # noqa: B023


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(("threads", "items"), [(32, 1), (32, 5), (64, 3)])
def test_merge(threads, items, kind):
    with loading() as (load, cuda):
        module = load("kernels.spmv.merge")

        def call(matrix, x, y):
            first_rows = module.split(matrix[0], matrix[1].size, threads * items)
            module.merge(matrix, x, first_rows, y, threads, items)

        for shape in SHAPES:
            check(cuda, call, sparse(*shape, kind))


def test_on_the_host():
    dense = sparse(9, 14, "random")
    x = np.arange(14, dtype=np.float32)
    with loading() as (load, _):
        rows, merge = load("kernels.spmv.rows"), load("kernels.spmv.merge")
        for got in (
            rows.multiply(rows.scalar_kernel, 1, csr(dense), x, threads=32),
            rows.multiply(rows.make_vector(4), 4, csr(dense), x, threads=32),
            merge.multiply_merge(csr(dense), x, 32, 3),
        ):
            np.testing.assert_allclose(got, dense @ x, rtol=1e-5, atol=1e-5)

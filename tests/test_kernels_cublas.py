"""The hand kernels of the cuBLAS page, at awkward sizes, and cuBLAS's layout in NumPy."""

import numpy as np
import pytest
from numba import cuda

from kernels.cublas.columns import gemm_by_columns, times_transposed
from kernels.cublas.narrow_layer import make_narrow_layer, narrow_layer, narrow_shape
from kernels.cublas.small_products import make_small_products, small_products


def numbers(*shape):
    return np.random.default_rng(2).integers(-4, 5, shape).astype(np.float32)


@pytest.mark.parametrize(("count", "n"), [(1, 1), (7, 2), (29, 3), (3, 13), (2, 17)])
def test_small_products(count, n):
    a, b = numbers(count, n, n), numbers(count, n, n)[:, ::-1].copy()
    assert np.array_equal(small_products(a, b), a @ b)


def test_small_products_fill_no_more_than_their_output():
    a = numbers(5, 3, 3)
    flat = cuda.to_device(np.full(6 * 9, np.nan, np.float32))
    out = flat[: 5 * 9].reshape(5, 3, 3)
    kernel, threads, each = make_small_products(3)
    kernel[-(-5 // each), threads](cuda.to_device(a), cuda.to_device(a), out)
    written = flat.copy_to_host()
    assert np.isnan(written[45:]).all() and not np.isnan(written[:45]).any()


@pytest.mark.parametrize("n", [1, 2, 5, 16, 31, 32])
def test_a_block_of_small_products_fits(n):
    """Threads of a block, and room in shared memory."""
    _, (x, y, z), each = make_small_products(n)
    assert x * y * z <= 1024 and z == each <= 64 and 2 * 4 * x * y * z <= 48 * 1024


@pytest.mark.parametrize("shape", [(1, 1, 1), (5, 3, 2), (33, 7, 13), (2, 3, 33)])
def test_narrow_layer(shape):
    points, k, n = shape
    x, w, bias = numbers(points, k), numbers(k, n), numbers(n)
    expected = np.maximum(x @ w + bias, 0)
    assert np.array_equal(narrow_layer(x, w, bias), expected)
    poisoned = cuda.to_device(np.full((points + 1, n), np.nan, np.float32))
    arrays = [cuda.to_device(array) for array in (x, w, bias)]
    make_narrow_layer(k)[narrow_shape(points, n)](*arrays, poisoned[:points])
    written = poisoned.copy_to_host()
    assert np.array_equal(written[:points], expected) and np.isnan(written[points:]).all()


@pytest.mark.parametrize("shape", [(1, 1, 1), (2, 3, 4), (5, 1, 7)])
def test_columns(shape):
    m, k, n = shape
    a, b = numbers(m, k), numbers(k, n)
    by_columns = gemm_by_columns(m, n, k, np.ravel(a, "F"), m, np.ravel(b, "F"), k)
    assert np.array_equal(by_columns, np.ravel(a @ b, "F"))
    flat = gemm_by_columns(n, m, k, b.reshape(-1), n, a.reshape(-1), k)
    assert np.array_equal(flat.reshape(m, n), a @ b)
    assert np.array_equal(times_transposed(a, b.T.copy()), a @ b)


def test_a_distance_between_columns_larger_than_a_column():
    a = numbers(3, 4)  # row first: read by columns, 4 apart, only the first two of each
    b = np.eye(3, dtype=np.float32)
    flat = gemm_by_columns(2, 3, 3, a.reshape(-1), 4, b.reshape(-1), 3)
    assert np.array_equal(flat.reshape(3, 2), a[:, :2])

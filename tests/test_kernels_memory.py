"""The kernels of the memory hierarchy and of the naive matrix product, at awkward sizes.

They run in Numba's simulator, or on a GPU where there is one, and there at larger sizes too.
Outputs are poisoned and longer than needed: what is not written, or written past the end, shows.
"""

import math
import os

import numpy as np
import pytest
from numba import cuda

from kernels.memory_hierarchy import (
    host_copies,
    local_memory,
    offset_read,
    strided_read,
    transpose_direct,
    transpose_tile,
    working_set,
)
from kernels.naive_matmul import matmul as naive_matmul

SIMULATOR = os.environ.get("NUMBA_ENABLE_CUDASIM") == "1"
SIZES = [1, 31, 127, 128, 129] + ([] if SIMULATOR else [4099, 1_000_003])
SHAPES = [(1, 1), (1, 17), (33, 1), (7, 13), (16, 16), (17, 15)]
SHAPES += [] if SIMULATOR else [(127, 129), (1021, 523)]
PRODUCTS = [(1, 1, 1), (3, 5, 4), (1, 7, 13), (13, 1, 2), (11, 3, 1), (9, 17, 8)]
PRODUCTS += [] if SIMULATOR else [(127, 129, 128), (257, 1021, 63)]
GUARD = 37


def poisoned(shape, dtype=np.float32):
    """Return a device array of this shape, and the longer poisoned one that it begins."""
    value = np.nan if np.dtype(dtype).kind == "f" else np.iinfo(dtype).min
    size = math.prod(shape)
    whole = cuda.to_device(np.full(size + GUARD, value, dtype))
    return whole[:size].reshape(*shape), whole


def written(whole, shape):
    """Return what a kernel wrote, after a look at what it should not have written."""
    host = whole.copy_to_host()
    size = math.prod(shape)
    value = host[-1]
    spared = np.isnan(host) if host.dtype.kind == "f" else host == value
    assert spared[size:].all(), "written past the end"
    assert not spared[:size].any(), "elements were never written"
    return host[:size].reshape(shape)


def numbers(*shape):
    """Return different numbers, so that a wrong index shows."""
    return (
        np.random.default_rng(math.prod(shape))
        .permutation(math.prod(shape))
        .reshape(shape)
        .astype(np.float32)
    )


@pytest.mark.parametrize("stride", [1, 2, 3, 32])
@pytest.mark.parametrize("n", SIZES)
def test_strided_read(n, stride):
    a = numbers(n)
    expected = a[::stride]
    out, whole = poisoned(expected.shape)
    strided_read.strided_kernel[-(-expected.size // 16), 16](cuda.to_device(a), stride, out)
    assert np.array_equal(written(whole, expected.shape), expected)
    assert np.array_equal(strided_read.every(a, stride, threads=16), expected)


@pytest.mark.parametrize("offset", [0, 1, 8, 31])
@pytest.mark.parametrize("n", SIZES)
def test_offset_read(n, offset):
    a = numbers(n + offset)
    out, whole = poisoned((n,))
    offset_read.offset_kernel[-(-n // 32), 32](cuda.to_device(a), offset, out)
    assert np.array_equal(written(whole, (n,)), a[offset:])


def test_tail_on_the_host():
    a = numbers(29)
    assert np.array_equal(offset_read.tail(a, 3, threads=8), a[3:])


def test_an_empty_output_stays_empty():
    out, whole = poisoned((1,))
    a = cuda.to_device(numbers(8))
    strided_read.strided_kernel[1, 4](a, 2, out[:0])
    offset_read.offset_kernel[1, 4](a, 2, out[:0])
    assert np.isnan(whole.copy_to_host()).all()


@pytest.mark.parametrize("shape", SHAPES)
def test_transposes(shape):
    a = numbers(*shape)
    turned = shape[::-1]

    out, whole = poisoned(turned)
    blocks = (-(-shape[1] // 8), -(-shape[0] // 4))
    transpose_direct.transpose_direct_kernel[blocks, (8, 4)](cuda.to_device(a), out)
    assert np.array_equal(written(whole, turned), a.T)

    out, whole = poisoned(turned)
    tile = transpose_tile.TILE
    blocks = (-(-shape[1] // tile), -(-shape[0] // tile))
    transpose_tile.transpose_tile_kernel[blocks, (tile, tile)](cuda.to_device(a), out)
    assert np.array_equal(written(whole, turned), a.T)


def test_transposes_on_the_host():
    a = numbers(3, 18)
    assert np.array_equal(transpose_direct.transpose_direct(a, threads=(4, 2)), a.T)
    assert np.array_equal(transpose_tile.transpose_tile(a), a.T)


@pytest.mark.parametrize("kernel", ["registers_kernel", "local_kernel"])
@pytest.mark.parametrize("n", [1, 15, 16, 17, 131] + ([] if SIMULATOR else [100_003]))
def test_window_sums(n, kernel):
    a = np.random.default_rng(n).integers(-9, 10, n).astype(np.float32)
    width, rounds = local_memory.WIDTH, 3
    places = (np.arange(n)[:, None] + np.arange(width)) % n
    expected = rounds * a[places].sum(axis=1)
    out, whole = poisoned((n,))
    launch = getattr(local_memory, kernel)[-(-n // 32), 32]
    launch(cuda.to_device(a), 5, rounds, out)
    assert np.array_equal(written(whole, (n,)), expected)


def test_window_sums_on_the_host():
    a = np.arange(5)
    places = (np.arange(5)[:, None] + np.arange(local_memory.WIDTH)) % 5
    for kernel in (local_memory.registers_kernel, local_memory.local_kernel):
        sums = local_memory.window_sums(kernel, a, rounds=1, shift=2, threads=4)
        assert np.array_equal(sums, a[places].sum(axis=1))


@pytest.mark.parametrize("n", [1, 7, 64, 65, 131] + ([] if SIMULATOR else [100_003]))
def test_reread(n):
    a = np.random.default_rng(n).permutation(n).astype(np.int64)
    blocks, threads, reads = 2, 32, 9  # 64 threads: fewer, as many and more than elements
    total = blocks * threads
    places = (np.arange(total)[:, None] + total * np.arange(reads)) % n
    out, whole = poisoned((total,), np.int64)
    working_set.reread_kernel[blocks, threads](cuda.to_device(a), reads, out)
    assert np.array_equal(written(whole, (total,)), a[places].sum(axis=1))
    assert np.array_equal(working_set.reread(a, reads, blocks, threads), a[places].sum(axis=1))


@pytest.mark.parametrize("pinned", [False, True])
@pytest.mark.parametrize("n", SIZES)
def test_double(n, pinned):
    a = numbers(n)
    assert np.array_equal(host_copies.double(a, pinned, threads=32), 2 * a)


@pytest.mark.parametrize("shape", PRODUCTS)
def test_matmul(shape):
    m, k, n = shape
    a, b = numbers(m, k) % 11, numbers(k, n) % 7  # small integers: exact in float32
    expected = a.astype(np.float64) @ b.astype(np.float64)
    d_a, d_b = cuda.to_device(a), cuda.to_device(b)

    out, whole = poisoned((m, n))
    naive_matmul.matmul_kernel[(-(-n // 4), -(-m // 2)), (4, 2)](d_a, d_b, out)
    assert np.array_equal(written(whole, (m, n)), expected)

    out, whole = poisoned((m, n))
    naive_matmul.matmul_swapped_kernel[(-(-m // 4), -(-n // 2)), (4, 2)](d_a, d_b, out)
    assert np.array_equal(written(whole, (m, n)), expected)

    assert np.array_equal(naive_matmul.matmul(a, b, threads=(4, 2)), expected)


def test_matmul_over_no_terms_is_zero():
    out, whole = poisoned((2, 3))
    a, b = cuda.to_device(numbers(2, 1)), cuda.to_device(numbers(1, 3))
    naive_matmul.matmul_kernel[1, (4, 2)](a[:, :0], b[:0, :], out)
    assert np.array_equal(written(whole, (2, 3)), np.zeros((2, 3)))


def test_matmul_is_accurate_on_random_numbers():
    random = np.random.default_rng(7)
    a, b = random.standard_normal((5, 64)), random.standard_normal((64, 6))
    a, b = a.astype(np.float32), b.astype(np.float32)
    expected = a.astype(np.float64) @ b.astype(np.float64)
    off = np.linalg.norm(naive_matmul.matmul(a, b, threads=(4, 4)) - expected)
    assert off < 1e-6 * np.linalg.norm(expected)


def test_the_index_orders_differ_as_the_page_says():
    """One row of threads (y = 0) fills a row of c, or a column when the indices are swapped."""
    a, b = numbers(3, 2), numbers(2, 4)
    d_a, d_b = cuda.to_device(a), cuda.to_device(b)

    out, whole = poisoned((3, 4))
    naive_matmul.matmul_kernel[(1, 1), (4, 1)](d_a, d_b, out)
    filled = ~np.isnan(whole.copy_to_host()[:12].reshape(3, 4))
    assert filled[0].all() and not filled[1:].any()

    out, whole = poisoned((3, 4))
    naive_matmul.matmul_swapped_kernel[(1, 1), (3, 1)](d_a, d_b, out)
    filled = ~np.isnan(whole.copy_to_host()[:12].reshape(3, 4))
    assert filled[:, 0].all() and not filled[:, 1:].any()

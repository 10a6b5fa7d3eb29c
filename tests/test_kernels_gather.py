"""Gather and scatter: repeated indices, refused indices, rows of any width."""

import numpy as np
import pytest

from tests.patterns import SIZES, running


@pytest.fixture
def kernels():
    with running() as load:
        yield lambda name: load(f"kernels.gather.{name}")


def test_gather(kernels):
    module = kernels("gather")
    for n in SIZES[1:]:
        random = np.random.default_rng(n)
        x = random.standard_normal(n).astype(np.float32)
        indices = random.integers(0, n, n + 5).astype(np.int32)
        assert np.array_equal(module.gather(x, indices, 32), x[indices]), n


def test_scatter(kernels):
    module = kernels("gather")
    for n in SIZES[1:]:
        random = np.random.default_rng(n)
        x = random.integers(1, 9, n).astype(np.float32)
        order = random.permutation(n).astype(np.int32)
        expected = np.zeros(n + 3, np.float32)
        expected[order] = x
        assert np.array_equal(module.scatter(module.scatter_kernel, x, order, n + 3, 32), expected)
        many = random.integers(0, 3, n).astype(np.int32)
        expected = np.bincount(many, weights=x, minlength=3)
        assert np.array_equal(module.scatter(module.scatter_add_kernel, x, many, 3, 32), expected)


def test_an_index_outside_is_refused(kernels):
    x = np.ones(4, np.float32)
    for bad in (-1, 4):
        indices = np.array([0, bad], np.int32)
        with pytest.raises(IndexError, match="0 to 3"):
            kernels("gather").gather(x, indices)
        with pytest.raises(IndexError, match="0 to 3"):
            kernels("gather").scatter(kernels("gather").scatter_kernel, x[:2], indices, 4)
        with pytest.raises(IndexError, match="0 to 3"):
            kernels("rows").gather_rows(np.ones((4, 2), np.float32), indices)


@pytest.mark.parametrize("width", [1, 31, 32, 33, 100])
def test_rows(width, kernels):
    random = np.random.default_rng(width)
    table = random.standard_normal((17, width)).astype(np.float32)
    indices = random.integers(0, 17, 29).astype(np.int32)
    assert np.array_equal(kernels("rows").gather_rows(table, indices, 64), table[indices])


def test_the_exercise(kernels):
    for n in SIZES:
        order = np.random.default_rng(n).permutation(n).astype(np.int32)
        assert np.array_equal(kernels("exercise").invert(order, 32), np.argsort(order)), n

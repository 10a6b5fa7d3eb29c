"""Top-k by radix select: ties at the border, all, one, and k that is refused."""

import numpy as np
import pytest

from tests.patterns import SIMULATOR, running


@pytest.fixture
def kernels():
    with running() as load:
        yield lambda name: load(f"kernels.top_k.{name}")


SIZES = [1, 33, 257, 2000] if SIMULATOR else [1, 33, 257, 2000, 1_000_003]


def test_top_k(kernels):
    top_k = kernels("select").top_k
    for n in SIZES:
        x = np.random.default_rng(n).integers(0, 2**32, n, dtype=np.uint64).astype(np.uint32)
        for y in (x, x % 5, x | np.uint32(0xFFFFFF00), np.full(n, 7, np.uint32)):
            for k in {1, n // 2 or 1, n}:
                assert np.array_equal(top_k(y, k, 2, 32), np.sort(y)[::-1][:k]), (n, k)


@pytest.mark.parametrize(("n", "k"), [(1, 1), (33, 33), (1100, 300), (1_000_003, 1000)])
def test_with_16_byte_loads(kernels, monkeypatch, n, k):
    if SIMULATOR and n > 10_000:
        n, k = 513, 1
    module = kernels("select")
    monkeypatch.setattr(module, "select", kernels("wide").select_wide)
    x = np.random.default_rng(n).integers(0, 2**32, n, dtype=np.uint64).astype(np.uint32)
    for y in (x, x % 5):
        assert np.array_equal(module.top_k(y, k, 1, 32), np.sort(y)[::-1][:k])


def test_a_k_that_makes_no_sense_is_refused(kernels):
    for k in (0, 4):
        with pytest.raises(ValueError, match="1 to 3"):
            kernels("select").top_k(np.ones(3, np.uint32), k)


def test_the_exercise(kernels):
    for n in SIZES:
        x = np.random.default_rng(n).integers(0, 99, n).astype(np.uint32)
        assert kernels("exercise").median(x, 2, 32) == np.sort(x)[(n - 1) // 2], n

"""The kernels of docs/metal/: what stands in for doubles, 64-bit atomics and grid barriers."""

import numpy as np
import pytest

from kernels.metal_host.add_64 import sum_64
from kernels.metal_host.float_float import careful_sum
from kernels.metal_host.float_max import maximum
from kernels.metal_host.launch import scale
from kernels.metal_host.two_passes import normalize
from kernels.metal_host.zero_copy import square_by_copies, square_shared

RNG = np.random.default_rng(11)


@pytest.mark.parametrize("threads", [1, 3, 8])
@pytest.mark.parametrize("n", [1, 7, 8, 9])
def test_elementwise_kernels_at_awkward_sizes(n, threads):
    x = RNG.uniform(0.5, 2, n).astype(np.float32)
    np.testing.assert_array_equal(scale(x, 2.5, threads), x * np.float32(2.5))
    np.testing.assert_array_equal(square_by_copies(x, threads), x * x)
    np.testing.assert_array_equal(square_shared(x, threads), x * x)
    np.testing.assert_allclose(normalize(x, threads), x / x.sum(), rtol=1e-5)


@pytest.mark.filterwarnings("ignore:overflow encountered")  # what a GPU does without a word
@pytest.mark.parametrize("n", [1, 5, 23])
def test_a_sum_of_64_bits_hands_on_every_carry(n):
    values = RNG.integers(0, 2**64, n, dtype=np.uint64)
    assert sum_64(values, threads=4) == sum(map(int, values)) % 2**64
    ones = np.full(n, 2**32 - 1, dtype=np.uint64)
    assert sum_64(ones, threads=4) == n * (2**32 - 1)


@pytest.mark.parametrize("n", [1, 6, 21])
def test_the_largest_float_of_either_sign(n):
    values = RNG.normal(size=n).astype(np.float32)
    for x in (values, -np.abs(values), np.abs(values), np.zeros(n, np.float32)):
        assert maximum(x, threads=4) == x.max()
    extremes = np.array([-np.inf, np.float32(-1e-45), -3e38], dtype=np.float32)
    assert maximum(extremes, threads=2) == extremes.max()


def test_pairs_of_floats_keep_what_one_float_loses():
    values = RNG.uniform(-1, 1, 301).astype(np.float32)
    values[::7] *= 1e7
    exact = values.sum(dtype=np.float64)
    error = abs(careful_sum(values, blocks=1, threads=2) - exact)
    assert error < 1e-3 * abs(values.cumsum(dtype=np.float32)[-1] - exact)

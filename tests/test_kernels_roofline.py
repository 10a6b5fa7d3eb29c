"""The roofline model, and the kernel with a dial."""

import numpy as np
import pytest
from numba import cuda

from kernels.roofline.chains import chains_kernel
from kernels.roofline.dial import intensity, make_dial
from kernels.roofline.model import attainable, ridge, smallest_tile, tiled_intensity


@pytest.mark.parametrize("steps", [1, 5, 128])
def test_dial(steps):
    a = np.random.default_rng(3).standard_normal(37, dtype=np.float32)
    out = cuda.to_device(np.full(40, np.nan, np.float32))
    make_dial(steps)[3, 16](cuda.to_device(a), out[:37])
    got, right = out.copy_to_host(), a.astype(np.float64)
    for _ in range(steps):
        right = right * 0.5 + 0.25
    assert np.allclose(got[:37], right, rtol=1e-6) and np.isnan(got[37:]).all()


def test_the_two_roofs_meet_at_the_ridge():
    peak, bandwidth = 66e12, 4.2e12
    at = ridge(peak, bandwidth)
    assert attainable(at, peak, bandwidth) == pytest.approx(peak)
    assert attainable(at / 2, peak, bandwidth) == pytest.approx(peak / 2)
    assert attainable(2 * at, peak, bandwidth) == peak


def test_intensity_counts_two_operations_over_eight_bytes():
    assert intensity(4) == 1


@pytest.mark.parametrize("n", [16, 1000])
def test_a_product_with_full_reuse_moves_each_matrix_once(n):
    assert tiled_intensity(n, n) == pytest.approx(2 * n**3 / (4 * 3 * n * n))


def test_the_tile_of_the_exercise_is_the_smallest():
    tile = smallest_tile(60e12, 4e12)
    assert tiled_intensity(8192, tile) >= 15 > tiled_intensity(8192, tile / 2)


def test_four_chains_of_multiply_adds():
    out = cuda.to_device(np.full(3, np.nan, np.float32))
    chains_kernel[1, 3](2, out)
    expected = np.zeros(3)
    for start in range(4):
        x = np.arange(3.0) + start
        for _ in range(2 * 32):
            x = x * 0.999 + 0.5
        expected += x
    np.testing.assert_allclose(out.copy_to_host(), expected, rtol=1e-5)

"""The code of the pages that answer questions, at awkward sizes."""

import numpy as np
import pytest
from numba import cuda

from kernels.questions import graphics, maths, stale, systolic


@pytest.mark.parametrize("shape", [(1, 1), (3, 7), (4, 8), (9, 17)])
def test_a_disk_is_shaded(shape):
    image = cuda.to_device(np.full((shape[0] + 1, shape[1]), np.nan, np.float32))
    graphics.shade[(3, 3), (8, 4)](image[: shape[0]])
    got = image.copy_to_host()
    y, x = np.mgrid[: shape[0], : shape[1]]
    from_middle = np.hypot(x - shape[1] / 2, y - shape[0] / 2)
    right = np.clip(shape[0] / 3 - from_middle + 0.5, 0, 1)
    np.testing.assert_allclose(got[:-1], right, atol=1e-6)
    assert np.isnan(got[-1]).all()


@pytest.mark.parametrize("tile", [(1, 32), (4, 8), (32, 1)])
def test_warps_of_a_picture_have_32_pixels(tile):
    warps = graphics.tiles(64, 64, tile)
    assert (np.bincount(warps.ravel()) == 32).all() and warps.max() == 127


def test_what_a_half_plane_splits():
    left = np.zeros((64, 64), bool)
    left[:, :37] = True
    assert graphics.split_warps(left, (1, 32)) == (64, 128)
    assert graphics.split_warps(left, (4, 8)) == (16, 128)
    assert graphics.split_warps(np.ones_like(left), (4, 8)) == (0, 128)


@pytest.mark.parametrize("place", [graphics.by_rows, graphics.morton])
def test_each_pixel_has_a_place_of_its_own(place):
    y, x = np.mgrid[:16, :16]
    assert sorted(place(x, y, 16).ravel()) == list(range(256))


@pytest.mark.parametrize("rows", [1, 2, 5, 33])
@pytest.mark.parametrize("shape", [(1, 1), (1, 5), (5, 1), (4, 4), (3, 7)])
def test_the_systolic_array_multiplies(rows, shape):
    rng = np.random.default_rng(rows)
    a, weights = rng.normal(size=(rows, shape[0])), rng.normal(size=shape)
    out, cycles, busy = systolic.systolic(a, weights)
    np.testing.assert_allclose(out, a @ weights)
    assert cycles == rows + shape[0] + shape[1] - 2
    assert sum(busy) == rows * weights.size and max(busy) <= weights.size


def test_a_wrong_derivative_is_seen():
    x, gradient = np.random.default_rng(4).normal(size=(2, 9))
    tried = maths.slope(lambda v: np.sum(gradient * maths.softmax(v)), x)
    assert np.allclose(tried, maths.softmax_backward(x, gradient), atol=1e-8)
    assert not np.allclose(tried, maths.softmax(x) * gradient, atol=1e-4)


@pytest.mark.parametrize("n", [1, 31, 32, 33, 70])
def test_the_forgetful_kernel_is_caught_by_poison(n):
    x = np.random.default_rng(n).standard_normal(n, dtype=np.float32)
    x[0] = -1
    d_x = cuda.to_device(x)
    for kernel, right in ((stale.relu, True), (stale.relu_forgets, False)):
        out = cuda.to_device(np.full(n + 3, np.nan, np.float32))
        kernel[-(-n // 32), 32](d_x, out[:n])
        got = out.copy_to_host()
        assert np.array_equal(got[:n], np.maximum(x, 0)) == right
        assert np.isnan(got[n:]).all()

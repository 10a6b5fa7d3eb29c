"""The kernels of the companion to PMPP, chapters 1 to 4, against NumPy."""

import os

import numpy as np
import pytest
from numba import cuda

from kernels.pmpp_1_4.blur import blur, blur_kernel
from kernels.pmpp_1_4.gray import gray_kernel, grid_for, to_gray
from kernels.pmpp_1_4.matvec import matvec, matvec_kernel
from kernels.pmpp_1_4.occupancy import resident
from kernels.pmpp_1_4.vecmat import vecmat, vecmat_kernel
from kernels.wrong.blur_no_edge import blur_no_edge

SIMULATOR = os.environ.get("NUMBA_ENABLE_CUDASIM") == "1"
SHAPES = [(1, 1), (1, 13), (13, 1), (5, 7), (8, 16), (9, 17)]
SHAPES += [] if SIMULATOR else [(127, 129), (1000, 1021)]
BLOCKS = [(4, 2), (16, 16), (32, 1)]
SENTINEL = 99


def image_of(*shape):
    """Return an image whose pixels differ from their neighbors in each direction."""
    return (np.arange(np.prod(shape)) * 97 % 251).astype(np.uint8).reshape(shape)


def reference_blur(image, radius):
    rows, columns = image.shape
    total, count = np.zeros((2, rows, columns), dtype=np.int64)
    for dy in range(-radius, radius + 1):
        for dx in range(-radius, radius + 1):
            for y in range(max(0, -dy), min(rows, rows - dy)):
                x0, x1 = max(0, -dx), min(columns, columns - dx)
                if x0 < x1:
                    total[y, x0:x1] += image[y + dy, x0 + dx : x1 + dx]
                    count[y, x0:x1] += 1
    return (total // count).astype(np.uint8)


def inside(shape):
    """Return a device array with room around it, and the part in the middle's first rows."""
    rows, columns = shape
    whole = cuda.to_device(np.full((rows + 3, columns), SENTINEL, dtype=np.uint8))
    return whole, whole[:rows]


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("threads", BLOCKS)
def test_gray(shape, threads):
    color = image_of(*shape, 3)
    expected = (color.astype(np.int64) @ [54, 183, 19] // 256).astype(np.uint8)
    whole, part = inside(shape)
    gray_kernel[grid_for(shape, threads), threads](cuda.to_device(color), part)
    got = whole.copy_to_host()
    np.testing.assert_array_equal(got[: shape[0]], expected)
    assert (got[shape[0] :] == SENTINEL).all()


def test_gray_does_not_overflow_eight_bits():
    assert (to_gray(np.full((3, 5, 3), 255, dtype=np.uint8)) == 255).all()


def test_the_grid_has_columns_first():
    assert grid_for((5, 7), (4, 2)) == (2, 3)
    assert grid_for((1, 1), (16, 16)) == (1, 1)
    assert grid_for((33, 64), (32, 32)) == (2, 2)


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("radius", [0, 1, 3])
def test_blur(shape, radius):
    image = image_of(*shape)
    whole, part = inside(shape)
    threads = (8, 4)
    blur_kernel[grid_for(shape, threads), threads](cuda.to_device(image), radius, part)
    got = whole.copy_to_host()
    np.testing.assert_array_equal(got[: shape[0]], reference_blur(image, radius))
    assert (got[shape[0] :] == SENTINEL).all()


@pytest.mark.parametrize("threads", BLOCKS)
def test_blur_in_blocks_of_other_shapes(threads):
    image = image_of(9, 17)
    np.testing.assert_array_equal(blur(image, 2, threads), reference_blur(image, 2))


def test_blur_of_a_plain_image_is_that_image():
    image = np.full((6, 11), 200, dtype=np.uint8)
    np.testing.assert_array_equal(blur(image, 4, (8, 4)), image)


@pytest.mark.parametrize("radius", [1, 2])
def test_missing_edge_is_caught(radius):
    """Negative indices wrap around, in the simulator and on a GPU: wrong pixels, no error."""
    image = image_of(9, 17)
    got, expected = blur_no_edge(image, radius, (8, 4)), reference_blur(image, radius)
    np.testing.assert_array_equal(got[radius:, radius:], expected[radius:, radius:])
    wrapped = np.pad(image, ((radius, 0), (radius, 0)), mode="wrap")
    expected_wrong = reference_blur(wrapped, radius)[radius:, radius:]
    assert (got != expected).any()
    np.testing.assert_array_equal(got, expected_wrong)


def test_missing_edge_hides_in_a_plain_image():
    """The test that would have passed: distinct pixels are what catches it."""
    image = np.full((6, 11), 200, dtype=np.uint8)
    np.testing.assert_array_equal(blur_no_edge(image, 1, (8, 4)), image)


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("threads", [32, 100])
def test_matrix_times_vector(shape, threads):
    rows, columns = shape
    matrix = (image_of(*shape) % 8).astype(np.float32)
    x = (np.arange(columns) % 5 - 2).astype(np.float32)
    np.testing.assert_array_equal(matvec(matrix, x, threads), matrix @ x)
    y = (np.arange(rows) % 5 - 2).astype(np.float32)
    np.testing.assert_array_equal(vecmat(y, matrix, threads), y @ matrix)


def test_products_do_not_write_beyond_their_end():
    matrix = cuda.to_device(np.ones((3, 5), dtype=np.float32))
    for kernel, vectors, n in (
        (matvec_kernel, (matrix, cuda.to_device(np.ones(5, dtype=np.float32))), 3),
        (vecmat_kernel, (cuda.to_device(np.ones(3, dtype=np.float32)), matrix), 5),
    ):
        out = cuda.to_device(np.full(n + 20, SENTINEL, dtype=np.float32))
        kernel[2, 8](*vectors, out)
        got = out.copy_to_host()
        assert (got[:n] == 8 - n).all() and (got[n:] == SENTINEL).all()


def test_occupancy_limits():
    assert resident(256, 32) == (8, 1.0)
    assert resident(64, 64) == (16, 0.5)  # registers
    assert resident(256, 33) == (6, 0.75)  # 40 registers: they come in eights
    assert resident(32, 16) == (32, 0.5)  # blocks
    assert resident(1024, 65) == (0, 0.0)  # such a block cannot be launched
    for threads in range(1, 1025):
        blocks, share = resident(threads, 32)
        assert 1 <= blocks <= 32 and 0 < share <= 1

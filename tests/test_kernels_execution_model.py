"""The kernels of docs/roadmap/foundation/execution-model.md, at awkward sizes."""

import os

import numpy as np
import pytest
from numba import cuda

from kernels.execution_model.busy import busy_kernel
from kernels.execution_model.errors import refused
from kernels.execution_model.spaces import reverse_in_blocks, reverse_in_blocks_kernel
from kernels.execution_model.square import square, square_kernel
from kernels.execution_model.square_both import square_both
from kernels.execution_model.streams import fourth_power
from kernels.wrong.execution_model_lost_result import square_in_place

SIMULATOR = os.environ.get("NUMBA_ENABLE_CUDASIM") == "1"
SIZES = [1, 127, 128, 129] + ([] if SIMULATOR else [1_000_003])


def numbers(n):
    """Return n float32 values, neighbors distinct, whose fourth powers are exact."""
    return ((np.arange(n) * 13) % 61 - 30).astype(np.float32)


@pytest.mark.parametrize("threads", [1, 4, 32])
@pytest.mark.parametrize("n", SIZES)
def test_square(n, threads):
    x = numbers(n)
    result = square(x, threads)
    assert result.dtype == np.float32
    assert (result == x * x).all()


@pytest.mark.parametrize("n", [1, 127, 129])
def test_square_leaves_the_rest_alone(n):
    x = numbers(n + 9)
    d_x = cuda.to_device(x)
    square_kernel[-(-n // 32) + 1, 32](d_x[:n])
    result = d_x.copy_to_host()
    assert (result[:n] == x[:n] ** 2).all()
    assert (result[n:] == x[n:]).all()


@pytest.mark.parametrize("n", [1, 3, 4, 5, 127, 128, 129])
def test_reverse_in_blocks(n):
    x = np.arange(n, dtype=np.float32)
    expected = np.concatenate([x[i : i + 4][::-1] for i in range(0, n, 4)])
    assert (reverse_in_blocks(x) == expected).all()


def test_reverse_in_blocks_leaves_the_rest_alone():
    out = cuda.to_device(np.full(9, -1, dtype=np.float32))
    reverse_in_blocks_kernel[2, 4](cuda.to_device(np.arange(6, dtype=np.float32)), out)
    assert out.copy_to_host().tolist() == [3, 2, 1, 0, 5, 4, -1, -1, -1]


@pytest.mark.parametrize("n", [1, 127, 129])
def test_busy(n):
    d_x = cuda.to_device(np.zeros(n + 3, dtype=np.float32))
    busy_kernel[-(-n // 32) + 1, 32](d_x[:n], 5)
    expected = [2 - 2.0**-4] * n + [0] * 3  # 1, 1.5, 1.75, ... after 5 rounds
    assert d_x.copy_to_host().tolist() == expected


@pytest.mark.parametrize("n", SIZES)
def test_streams_in_the_order_that_we_asked_for(n):
    x = numbers(n)
    assert (fourth_power(x) == x * x * x * x).all()


@pytest.mark.parametrize("n", SIZES)
def test_two_arrays_in_two_streams(n):
    a, b = numbers(n), numbers(n + 5) + 1
    square_a, square_b = square_both(a, b, threads=32)
    assert (square_a == a * a).all()
    assert (square_b == b * b).all()


def test_a_refused_launch_changes_nothing():
    x = numbers(5)
    d_x = cuda.to_device(x)
    assert refused(lambda: square_kernel[2, 4]())
    assert refused(lambda: square_kernel[2, 4]("0 1 2 3 4"))
    assert (d_x.copy_to_host() == x).all()
    assert not refused(lambda: square_kernel[2, 4](d_x))
    assert (d_x.copy_to_host() == x * x).all()


@pytest.mark.parametrize("dtype", [np.float64, np.int32, np.float16])
def test_known_wrong_result_in_a_converted_copy_is_caught(dtype):
    right = np.array([2, 3, 4], dtype=np.float32)
    square_in_place(right)
    assert right.tolist() == [4, 9, 16]  # float32: it looks right
    lost = np.array([2, 3, 4], dtype=dtype)
    square_in_place(lost)
    assert lost.tolist() == [2, 3, 4]  # anything else: the squares are gone
    assert square(lost).tolist() == [4, 9, 16]  # the page's own function returns them

"""The smoke test of the set-up page works, and would fail if the set-up did not."""

import numpy as np
import pytest

from kernels.setup.double import double, double_kernel


@pytest.mark.parametrize("size", [1, 2, 31, 32, 33, 127, 128, 129])
@pytest.mark.parametrize("threads", [1, 2, 32])
def test_double(size, threads):
    values = np.arange(1, size + 1, dtype=np.float32)
    result = double(values, threads)
    assert result.dtype == np.float32
    np.testing.assert_array_equal(result, 2 * values)


def test_kernel_stays_inside_its_array():
    from numba import cuda

    memory = cuda.to_device(np.full(64, 3, dtype=np.float32))
    double_kernel[2, 32](memory[:41])  # 64 threads, 41 elements
    expected = np.where(np.arange(64) < 41, 6, 3).astype(np.float32)
    np.testing.assert_array_equal(memory.copy_to_host(), expected)

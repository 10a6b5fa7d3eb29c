"""Numba's simulator, where it needed help: threads that ask for a shared array at once."""

import time

import numpy as np
import pytest

from tests.wide import SIMULATOR


class _Slow:
    """NumPy, with time between the question for an array and the array."""

    def __getattr__(self, name):
        return getattr(np, name)

    def empty(self, *arguments):
        time.sleep(0.002)
        return np.empty(*arguments)


@pytest.mark.skipif(not SIMULATOR, reason="a GPU runs the kernels")
def test_the_threads_of_a_block_share_one_array(monkeypatch):
    from numba import cuda
    from numba.cuda.simulator import kernelapi

    from kernels.puzzles.ring_mean import ring_mean

    monkeypatch.setattr(kernelapi, "np", _Slow())
    x = np.arange(32, dtype=np.float32)
    for _ in range(5):
        out = cuda.device_array_like(x)
        ring_mean[1, 32](x, out)
        np.testing.assert_array_equal(out.copy_to_host(), (x + np.roll(x, -1)) / 2)

"""Numba's simulator, where it needed help: shared arrays asked for at once, and barriers."""

import time

import numpy as np
import pytest
from numba import cuda

from tests.wide import SIMULATOR

simulated = pytest.mark.skipif(not SIMULATOR, reason="a GPU runs the kernels")


class _Slow:
    """NumPy, with time between the question for an array and the array."""

    def __getattr__(self, name):
        return getattr(np, name)

    def empty(self, *arguments):
        time.sleep(0.002)
        return np.empty(*arguments)


@simulated
def test_the_threads_of_a_block_share_one_array(monkeypatch):
    from numba.cuda.simulator import kernelapi

    from kernels.puzzles.ring_mean import ring_mean

    monkeypatch.setattr(kernelapi, "np", _Slow())
    x = np.arange(32, dtype=np.float32)
    for _ in range(5):
        out = cuda.device_array_like(x)
        ring_mean[1, 32](x, out)
        np.testing.assert_array_equal(out.copy_to_host(), (x + np.roll(x, -1)) / 2)


@cuda.jit
def slow_kernel(out):
    t = cuda.threadIdx.x
    time.sleep(0.3)
    out[t] = 1
    cuda.syncthreads()
    out[t] += out[(t + 1) % 4]


@cuda.jit
def halves_kernel(x):
    t, half = cuda.threadIdx.x, cuda.blockDim.x // 2
    while half and t < half:  # of the others, each has returned
        x[t] += x[t + half]
        cuda.syncthreads()
        half //= 2


@cuda.jit
def counts_kernel(out):
    t = cuda.threadIdx.x
    out[t] = cuda.syncthreads_count(t < 5) + 100 * cuda.syncthreads_or(t == 7)


@cuda.jit
def broken_kernel(x):
    if cuda.threadIdx.x == 3:
        x[99] = 1
    cuda.syncthreads()


@simulated
def test_who_launches_a_block_sleeps_until_its_threads_have_come():
    """By the time of a core, which a busy machine leaves as it is."""
    out = np.zeros(4)
    before = time.thread_time()
    slow_kernel[1, 4](out)
    assert time.thread_time() - before < 0.1  # to ask would take all of the 0.3 s
    assert out.sum() >= 8  # each had written when the first read


@simulated
def test_a_barrier_waits_for_the_threads_that_are_left():
    x, out = np.arange(32.0), np.zeros(8)
    halves_kernel[1, 32](x)
    counts_kernel[1, 8](out)
    assert x[0] == 496 and (out == 105).all()


@simulated
def test_an_error_of_one_thread_is_raised_while_the_others_wait_for_it():
    with pytest.raises(IndexError, match=r"tid=\[3, 0, 0\] ctaid=\[0, 0, 0\]"):
        broken_kernel[1, 8](np.zeros(8))

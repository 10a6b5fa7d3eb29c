"""The harness that the benchmarking page teaches, and the kernel that only poison finds."""

import math

import numpy as np
import pytest
from numba import cuda

from kernels.benchmarking.half import add_kernel
from kernels.benchmarking.harness import error_of, in_turns, summary
from kernels.benchmarking.verdict import verdict
from kernels.wrong.benchmarking_half import half_add_kernel


def launch(kernel, blocks, n):
    a, b = np.random.default_rng(1).standard_normal((2, n), dtype=np.float32)
    out, right = np.empty(n, np.float32), a.astype(np.float64) + b
    d_a, d_b, d_out = cuda.to_device(a), cuda.to_device(b), cuda.to_device(out)

    def call():
        d_out.copy_to_device(out)
        kernel[blocks, 16](d_a, d_b, d_out)
        d_out.copy_to_host(out)

    return call, out, right


@pytest.mark.parametrize("n", [1, 17, 61])
def test_the_right_kernel_has_a_small_error(n):
    assert error_of(*launch(add_kernel, -(-n // 16), n)) < 1e-6


def test_poison_finds_the_half_that_nobody_wrote():
    call, out, right = launch(half_add_kernel, 2, 61)
    out[:] = right  # what the right kernel left there
    call()
    assert np.allclose(out, right)  # the usual test sees nothing
    assert math.isnan(error_of(call, out, right))


def test_the_error_is_relative():
    out = np.empty(2)
    assert error_of(lambda: out.fill(3), out, np.array([3.0, 4.0])) == pytest.approx(0.2)


def test_turns_drop_the_warm_up_and_are_fair():
    order = []
    times = in_turns({"a": 1, "b": 2}, lambda call: order.append(call) or len(order), 2, warmup=1)
    assert order == [1, 2] * 3
    assert times == {"a": [3, 5], "b": [4, 6]}


def test_summary_is_that_of_the_harness_of_this_site():
    from benchmarks import harness

    times = [float(t) for t in np.random.default_rng(0).lognormal(size=25)]
    theirs = harness.summarize(times)
    assert summary(times) == (theirs.median, theirs.spread)


@pytest.mark.parametrize("factor", [0.5, 0.9, 1.1, 3.0])
def test_a_verdict_needs_more_than_the_spread(factor):
    times = [9.0, 10.0, 11.0] * 5
    expected = factor if abs(factor - 1) > summary(times)[1] else None
    assert verdict(times, [factor * t for t in times]) == (expected and pytest.approx(expected))

"""Sum and argmax: every rung at awkward sizes, NaN and infinity, ties, and the wrong tree."""

import numpy as np
import pytest

from kernels.wrong.reduction_odd_half import sum_odd_half
from tests.patterns import SIZES, running

# Read by `python -m lockstep gpu`; the page of these kernels says the same.
NOT_ON = {"numba-cuda-mlir": "16-byte accesses are made with llvmlite and numba.cuda.extending"}
SUMS = {
    "atomics": lambda kernels: kernels("tree").sum_atomics,
    "tree": lambda kernels: kernels("tree").sum_tree,
    "warps": lambda kernels: lambda x: kernels("warps").sum_warps(x, 3, 64),
    "one pass": lambda kernels: lambda x: kernels("one_pass").sum_one_pass(x, 3, 32, 2),
    "one block": lambda kernels: lambda x: kernels("one_pass").sum_one_pass(x, 1, 96, 1),
}


@pytest.fixture
def kernels():
    with running() as load:
        yield lambda name: load(f"kernels.reduction.{name}")


@pytest.mark.parametrize("rung", SUMS)
def test_sums(rung, kernels):
    call = SUMS[rung](kernels)
    for n in SIZES:
        x = np.random.default_rng(n).integers(-9, 10, n).astype(np.float32)  # exact in any order
        assert call(x) == x.sum(dtype=np.float64), n


@pytest.mark.parametrize("rung", SUMS)
def test_a_sum_of_random_numbers_is_close_to_float64(rung, kernels):
    x = np.random.default_rng(5).standard_normal(5003).astype(np.float32)
    assert abs(SUMS[rung](kernels)(x) - x.sum(dtype=np.float64)) < 1e-5 * np.abs(x).sum()


@pytest.mark.parametrize("rung", SUMS)
def test_a_sum_with_nan_or_infinity(rung, kernels):
    x = np.ones(1025, np.float32)
    x[1000] = np.inf
    assert SUMS[rung](kernels)(x) == np.inf
    x[1] = -np.inf
    assert np.isnan(SUMS[rung](kernels)(x))
    x[:] = 1
    x[1024] = np.nan
    assert np.isnan(SUMS[rung](kernels)(x))


def test_the_kernel_leaves_its_ticket_at_zero(kernels):
    """So that one ticket serves launch after launch."""
    module = kernels("one_pass")
    cuda, kernel = module.cuda, module.make_sum(64, 1)
    x, ticket = cuda.to_device(np.ones(999, np.float32)), cuda.to_device(np.zeros(1, np.uint32))
    for _ in range(3):
        partial = cuda.to_device(np.full(2, np.nan, np.float32))
        total = cuda.to_device(np.full(4, np.nan, np.float32))
        kernel[2, 64](x, partial, ticket, total)
        got = total.copy_to_host()
        assert got[0] == 999 and np.isnan(got[1:]).all()
        assert ticket.copy_to_host()[0] == 0


@pytest.mark.parametrize("launch", [(3, 32, 2), (1, 96, 1), (2, 64, 3)])
def test_argmax(launch, kernels):
    argmax = kernels("argmax").argmax
    for n in SIZES[1:]:
        random = np.random.default_rng(n)
        x = random.integers(-9, 10, n).astype(np.float32)  # many equal: the first must win
        assert argmax(x, *launch) == np.argmax(x), n
        x[random.integers(0, n, 3)] = np.nan
        assert argmax(x, *launch) == np.argmax(x), n
        x[:] = -np.inf
        assert argmax(x, *launch) == 0
        x[n // 2 :] = -1e30
        assert argmax(x, *launch) == n // 2
        x[n // 2] = np.inf
        assert argmax(x, *launch) == n // 2
        x[:] = 0
        x[: n // 2] = -0.0  # equal to zero, and first
        assert argmax(x, *launch) == 0
    with pytest.raises(ValueError, match="empty"):
        argmax(np.zeros(0, np.float32))


def test_the_exercise(kernels):
    module = kernels("exercise")
    for n in SIZES[1:]:
        x = np.random.default_rng(n).standard_normal(n).astype(np.float32)
        low, high = module.extremes(x, 3, 64)
        assert (low, high) == (x.min(), x.max()), n


def test_the_wrong_tree_loses_elements():
    """96 is no power of two: 96, 48, 24, 12, 6, 3, and then half of three is one."""
    x = np.arange(96, dtype=np.float32)
    assert sum_odd_half(x, threads=96) == x[np.arange(96) % 3 != 2].sum()
    assert sum_odd_half(x[:64], threads=64) == x[:64].sum()

"""The patterns of "Thinking in parallel": awkward sizes, several blocks, and what is wrong."""

import math
import os

import numpy as np
import pytest
from numba import cuda

from kernels.thinking_in_parallel.compact import compact
from kernels.thinking_in_parallel.histogram import histogram, histogram_kernel
from kernels.thinking_in_parallel.laws import amdahl, gustafson, reduction_work, scan_work
from kernels.thinking_in_parallel.map_gather import gather_kernel, map_kernel
from kernels.thinking_in_parallel.reduce import block_sum, sum_kernel
from kernels.thinking_in_parallel.scan import scan, scan_kernel
from kernels.wrong.histogram_lost_updates import histogram_lost

SIMULATOR = os.environ.get("NUMBA_ENABLE_CUDASIM") == "1"
SIZES = [1, 2, 31, 33, 127, 128, 129] + ([] if SIMULATOR else [1023, 10_007, 1_000_003])
IN_A_BLOCK = [1, 2, 3, 31, 32, 33, 97, 128] + ([] if SIMULATOR else [1000, 1023, 1024])
SENTINEL = -7


def distinct(n):
    """n different int32 values, positive and negative, in no order."""
    return ((np.arange(n) * 7919 + 13) % (2 * n + 1) - n).astype(np.int32)


@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize("threads", [32, 100])
def test_map(n, threads):
    x = distinct(n).astype(np.float32)
    whole = cuda.to_device(np.full(n + threads, SENTINEL, dtype=np.float32))
    map_kernel[-(-n // threads), threads](cuda.to_device(x), whole[:n])
    got = whole.copy_to_host()
    np.testing.assert_array_equal(got[:n], x * x)
    assert (got[n:] == SENTINEL).all()


@pytest.mark.parametrize("n", SIZES)
def test_gather_reads_anywhere_and_writes_its_own_place(n):
    x = distinct(5).astype(np.float32)
    index = np.arange(n) * 3 % 5
    whole = cuda.to_device(np.full(n + 64, SENTINEL, dtype=np.float32))
    gather_kernel[-(-n // 64), 64](cuda.to_device(x), cuda.to_device(index), whole[:n])
    got = whole.copy_to_host()
    np.testing.assert_array_equal(got[:n], x[index])
    assert (got[n:] == SENTINEL).all()


@pytest.mark.parametrize("n", [0, *SIZES])
@pytest.mark.parametrize("threads", [1, 7, 32, 96])
def test_reduction_of_any_size_in_a_block_of_any_size(n, threads):
    x = distinct(n) % 11
    assert block_sum(x, threads) == x.sum()  # small integers: exact in float32


def test_reduction_in_the_largest_block():
    x = distinct(1500) % 11
    assert block_sum(x, 1024) == x.sum()


def test_reduction_writes_one_element():
    out = cuda.to_device(np.full(3, SENTINEL, dtype=np.float32))
    sum_kernel[1, 5](cuda.to_device(np.arange(9, dtype=np.float32)), out)
    assert out.copy_to_host().tolist() == [36, SENTINEL, SENTINEL]


@pytest.mark.parametrize("n", IN_A_BLOCK)
@pytest.mark.parametrize("more", [0, 1, 30])
def test_scan(n, more):
    x = distinct(n)
    threads = min(n + more, 1024)
    whole = cuda.to_device(np.full(n + 40, SENTINEL, dtype=np.int32))
    scan_kernel[1, threads](cuda.to_device(x), whole)
    got = whole.copy_to_host()
    np.testing.assert_array_equal(got[:n], np.cumsum(x))
    assert (got[n:] == SENTINEL).all()


def test_scan_refuses_more_values_than_threads():
    with pytest.raises(ValueError, match="33 values need as many threads, not 32"):
        scan(np.ones(33), threads=32)


@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize("threads", [32, 100])
def test_histogram_counts_every_value(n, threads):
    values = distinct(n) % 5
    np.testing.assert_array_equal(histogram(values, 5, threads), np.bincount(values, minlength=5))


@pytest.mark.parametrize("n", [127, 129])
def test_histogram_when_all_values_share_one_bin(n):
    assert histogram(np.full(n, 2), 4, threads=64).tolist() == [0, 0, n, 0]


def test_histogram_adds_to_what_is_there_and_leaves_the_rest():
    counts = cuda.to_device(np.array([10, 20, 30], dtype=np.int32))
    histogram_kernel[1, 4](cuda.to_device(np.array([1, 1, 0], dtype=np.int32)), counts)
    assert counts.copy_to_host().tolist() == [11, 22, 30]


@pytest.mark.parametrize("n", [2, 33, 97])
def test_lost_updates_are_caught(n):
    """Wrong each time, on each machine: the barrier puts all reads before all writes."""
    values = distinct(n) % 4
    true = np.bincount(values, minlength=4)
    got = histogram_lost(values, 4, threads=128)
    np.testing.assert_array_equal(got, np.minimum(true, 1))
    assert (got != true).any() == (true > 1).any()
    if n > 4:
        assert (got != true).any()


@pytest.mark.parametrize("n", IN_A_BLOCK)
def test_compaction(n):
    x = distinct(n)
    np.testing.assert_array_equal(compact(x, threads=min(n + 5, 1024)), x[x > 0])


def test_compaction_of_nothing_and_of_everything():
    assert compact([-1, 0, -5], threads=4).tolist() == []
    assert compact([4, 1, 9], threads=4).tolist() == [4, 1, 9]


def test_amdahl_is_bounded_and_gustafson_is_not():
    for serial in (0.5, 0.1, 0.01):
        assert amdahl(serial, 1) == pytest.approx(1) == gustafson(serial, 1)
        assert amdahl(serial, 10**9) == pytest.approx(1 / serial, rel=1e-6)
        assert gustafson(serial, 10**9) > 10**8
    assert amdahl(0, 64) == 64 == gustafson(0, 64)
    assert amdahl(1, 64) == 1 == gustafson(1, 64)


def test_both_laws_agree_about_the_same_run():
    """Gustafson's share is of the parallel time; converted to the serial time, it is Amdahl's."""
    share, workers = 0.2, 50
    serial_time = share + (1 - share) * workers
    assert gustafson(share, workers) == pytest.approx(amdahl(share / serial_time, workers))


@pytest.mark.parametrize("n", [1, 2, 3, 7, 8, 9, 1000])
def test_work_and_span_as_the_page_says(n):
    assert reduction_work(n) == (n - 1, math.ceil(math.log2(n)))
    rounds = math.ceil(math.log2(n))
    assert scan_work(n) == (n * rounds - (2**rounds - 1), rounds)

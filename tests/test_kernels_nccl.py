"""The ring of the NCCL page: right for all ranks and sizes, and its wrong twin caught."""

import numpy as np
import pytest

from kernels.nccl.bandwidth import bus_bandwidth
from kernels.nccl.ring import ring_all_gather, ring_all_reduce, ring_reduce_scatter
from kernels.nccl.ring_mean import ring_mean
from kernels.wrong.nccl_ring_schedule import ring_stuck

RANKS = [1, 2, 3, 4, 5, 6, 7, 8]


def inputs(ranks, size):
    """One array for each rank, all different, small integers so that any order sums alike."""
    return [np.arange(size, dtype=np.float32) * (rank + 1) + 1000 * rank for rank in range(ranks)]


@pytest.mark.parametrize("ranks", RANKS)
@pytest.mark.parametrize("size", [0, 1, 2, 7, 127, 128, 129])
def test_ring_all_reduce(ranks, size):
    arrays = inputs(ranks, size)
    before = [a.copy() for a in arrays]
    results = ring_all_reduce(arrays)
    assert len(results) == ranks
    for result in results:
        assert result.dtype == np.float32
        np.testing.assert_array_equal(result, np.sum(before, axis=0))
    for a, b in zip(arrays, before, strict=True):  # the inputs stay as they were
        np.testing.assert_array_equal(a, b)


@pytest.mark.parametrize("ranks", RANKS)
def test_reduce_scatter_finishes_one_part_on_each_rank(ranks):
    parts = [np.array_split(a, ranks) for a in inputs(ranks, 131)]
    expected = np.array_split(np.sum(inputs(ranks, 131), axis=0), ranks)
    ring_reduce_scatter(parts)
    for rank in range(ranks):
        own = (rank + 1) % ranks
        np.testing.assert_array_equal(parts[rank][own], expected[own])
    if ranks > 1:  # and only one: the others are half sums
        assert not np.array_equal(parts[0][0], expected[0])


@pytest.mark.parametrize("ranks", RANKS)
@pytest.mark.parametrize("size", [0, 1, 129])
def test_ring_mean(ranks, size):
    expected = np.sum(inputs(ranks, size), axis=0) / np.float32(ranks)
    for result in ring_mean(inputs(ranks, size)):
        np.testing.assert_array_equal(result, expected)


class Counting(list):
    """The parts of one rank, which count how often one is written."""

    def __init__(self, parts):
        super().__init__(parts)
        self.written = 0

    def __setitem__(self, place, part):
        self.written += 1
        super().__setitem__(place, part)


@pytest.mark.parametrize("ranks", RANKS)
def test_each_rank_receives_what_bus_bandwidth_counts(ranks):
    """2 (n - 1) parts of 1/n each: the factor of bus_bandwidth."""
    parts = [Counting(range(ranks)) for _ in range(ranks)]
    ring_reduce_scatter(parts)
    ring_all_gather(parts)
    received = [own.written / ranks for own in parts]
    assert received == [bus_bandwidth(size=1, seconds=1, ranks=ranks)] * ranks


@pytest.mark.parametrize("ranks", RANKS)
def test_wrong_schedule_is_caught(ranks):
    """It passes with two ranks: that is why the page tries three."""
    parts = [np.array_split(a, ranks) for a in inputs(ranks, 131)]
    ring_stuck(parts)
    ring_all_gather(parts)
    right = np.array_equal(np.concatenate(parts[0]), np.sum(inputs(ranks, 131), axis=0))
    assert right == (ranks <= 2)

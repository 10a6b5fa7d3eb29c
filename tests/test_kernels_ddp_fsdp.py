"""The NumPy half of the DDP and FSDP page: every stage trains as one GPU does."""

import numpy as np
import pytest

from kernels.ddp_fsdp import zero
from kernels.ddp_fsdp.overlap import exposed


@pytest.mark.parametrize("ranks", [1, 2, 4])
@pytest.mark.parametrize("way", [zero.data_parallel, zero.zero_1_and_2, zero.zero_3])
def test_every_rank_of_every_stage_ends_where_one_gpu_does(way, ranks):
    right = zero.one_gpu(50)
    every_rank = way(50, ranks)
    assert len(every_rank) == ranks
    for weights in every_rank:
        np.testing.assert_allclose(weights, right, rtol=1e-9)


def test_ranks_that_do_not_meet_drift_apart(monkeypatch):
    """What the test above would see without the all-reduce."""
    monkeypatch.setattr(zero, "all_reduce", lambda arrays: arrays)
    first, second = zero.data_parallel(50, 2)
    assert not np.allclose(first, second, rtol=1e-3)


@pytest.mark.parametrize("ranks", [1, 2, 3, 8])
def test_collectives(ranks):
    arrays = [np.arange(24.0) * (rank + 1) for rank in range(ranks)]
    mean = np.mean(arrays, axis=0)
    for result in zero.all_gather(zero.reduce_scatter(arrays)) + zero.all_reduce(arrays):
        np.testing.assert_allclose(result, mean)


def test_stages_keep_less_and_the_last_sends_more():
    kept = [sum(zero.gigabytes(1e9, 8, stage)) for stage in range(4)]
    assert kept == sorted(kept, reverse=True) and kept[3] == kept[0] / 8
    sent = [zero.traffic(1e9, 8, stage) for stage in range(4)]
    assert sent[0] == sent[1] == sent[2] == pytest.approx(sent[3] / 1.5)


def test_what_is_exposed():
    one = exposed(10, work=1, bytes=1, rate=2, start=0, bucket=10)
    assert one == 5  # all of it, after the pass
    assert exposed(10, work=1, bytes=1, rate=2, start=0, bucket=1) == 0.5  # the last alone
    assert exposed(10, work=1, bytes=1, rate=0.5, start=0, bucket=1) == 11  # the links are slower
    assert exposed(10, work=1, bytes=1, rate=2, start=3, bucket=1) > one  # starts pile up


def test_accumulation_sends_once():
    pieces = list(zip(np.split(zero.X, 8), np.split(zero.Y, 8), strict=True))
    for ranks in (1, 2, 4):
        each = 8 // ranks
        batches = [pieces[each * rank : each * rank + each] for rank in range(ranks)]
        found = zero.accumulated(zero.WEIGHTS, batches, ranks)
        np.testing.assert_allclose(found, zero.gradient(zero.WEIGHTS, zero.X, zero.Y))

"""Megatron's parallelisms on ranks: each equal to one device, for several numbers of ranks."""

import time

import numpy as np
import pytest

from kernels.megatron import context, experts, pipeline, tensor
from kernels.megatron.calculator import Plan
from kernels.megatron.ranks import on_ranks
from kernels.megatron.zigzag import work


@pytest.mark.parametrize("ranks", [1, 2, 4])
def test_a_layer_cut_by_columns_rows_and_heads(ranks):
    right = tensor.layer(tensor.X, tensor.W)
    outputs, received = on_ranks(ranks, tensor.tensor_parallel)
    for x in outputs:
        np.testing.assert_allclose(x, right, rtol=1e-9)
    assert received == [2 * 2 * right.nbytes * (ranks - 1) // ranks] * ranks
    outputs, same = on_ranks(ranks, tensor.sequence_parallel)
    np.testing.assert_allclose(np.concatenate(outputs), right, rtol=1e-9)
    assert same == received


@pytest.mark.parametrize("ranks", [1, 2, 8])
def test_gradients_of_its_matrices(ranks):
    d_out = np.random.default_rng(seed=1).normal(size=tensor.X.shape)
    up, down = tensor.W["up"], tensor.W["down"]
    d_x, d_up, d_down = tensor.mlp_back(tensor.X, d_out, up, down)
    found, _ = on_ranks(ranks, lambda rank: tensor.mlp_back_parallel(rank, tensor.X, d_out))
    xs, ups, downs = zip(*found, strict=True)
    for x in xs:
        np.testing.assert_allclose(x, d_x, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(np.concatenate(ups, axis=1), d_up, rtol=1e-9)
    np.testing.assert_allclose(np.concatenate(downs, axis=0), d_down, rtol=1e-9)


def test_the_slope_of_its_gelu():
    x = np.linspace(-4, 4, 41)
    slope = (tensor.gelu(x + 1e-5) - tensor.gelu(x - 1e-5)) / 2e-5
    np.testing.assert_allclose(tensor.gelu_slope(x), slope, atol=1e-8)


SCHEDULES = [(pipeline.gpipe, 1), (pipeline.one_f_one_b, 1), (pipeline.interleaved, 2)]


@pytest.mark.parametrize("stages, micro", [(1, 1), (2, 4), (4, 4), (4, 16), (8, 8)])
@pytest.mark.parametrize("schedule, chunks", SCHEDULES)
def test_the_bubble_is_the_formula(schedule, chunks, stages, micro):
    share = pipeline.bubble(schedule, stages, micro, chunks)
    assert share == pytest.approx((stages - 1) / (chunks * micro + stages - 1))
    done = pipeline.timetable(schedule, stages, micro, chunks)
    assert len(done) == 2 * stages * micro * chunks  # each piece of work once


def test_memory_of_the_schedules():
    assert pipeline.kept(pipeline.gpipe, 4, 9) == [9] * 4
    assert pipeline.kept(pipeline.one_f_one_b, 4, 9) == [4, 3, 2, 1]
    assert pipeline.kept(pipeline.one_f_one_b, 4, 2) == [2, 2, 2, 1]
    with pytest.raises(ValueError, match="take a multiple"):
        pipeline.interleaved(0, 4, 6)


def test_stages_that_wait_for_each_other_are_named():
    with pytest.raises(RuntimeError, match="every stage waits"):
        pipeline.timetable(lambda *_: [("B", 0, 0), ("F", 0, 0)], 2, 1)


@pytest.mark.parametrize("stages", [1, 2, 4])
@pytest.mark.parametrize("schedule", [pipeline.gpipe, pipeline.one_f_one_b])
def test_gradients_of_a_pipeline(schedule, stages):
    random = np.random.default_rng(seed=stages)
    weights, (x, y) = list(random.normal(0, 0.5, (stages, 6, 6))), random.normal(size=(2, 24, 6))
    right = pipeline.one_device(weights, x, y)
    xs, ys = np.split(x, 6), np.split(y, 6)
    found, _ = on_ranks(stages, lambda rank: pipeline.pipeline(rank, schedule, weights, xs, ys))
    np.testing.assert_allclose(found, right, rtol=1e-9, atol=1e-12)
    loss = [
        sum((np.tanh(x @ (weights[0] + side)) - y).ravel() ** 2) / y.size if stages == 1 else 0
        for side in (1e-6, -1e-6)
    ]
    if stages == 1:  # and the reference is the slope of the loss
        assert (loss[0] - loss[1]) / 2e-6 == pytest.approx(right[0].sum(), rel=1e-4)


@pytest.mark.parametrize("ranks", [1, 2, 3, 4])
def test_ring_attention(ranks):
    whole = np.random.default_rng(seed=ranks).normal(size=(4, 24, 8))
    right = context.attention(*whole)

    def ring(rank):
        q, k, v, d_out = np.split(whole, rank.size, axis=1)[rank.number]
        out, log_sum = context.ring_forward(rank, q, k, v)
        return out, *context.ring_backward(rank, q, k, v, out, log_sum, d_out)

    found, _ = on_ranks(ranks, ring)
    for parts, expected in zip(zip(*found, strict=True), right, strict=True):
        np.testing.assert_allclose(np.concatenate(parts), expected, rtol=1e-7, atol=1e-10)


@pytest.mark.parametrize("ranks", [1, 2, 4])
@pytest.mark.parametrize("favorite", [None, 0, 7])
def test_experts(ranks, favorite):
    random = np.random.default_rng(seed=6)
    x, router = random.normal(size=(20, 6)), random.normal(size=(6, 8))
    if favorite is not None:  # all tokens to one expert: the others get none
        x[:, 0], router[0] = 5, -100
        router[0, favorite] = 100
    weights = [(random.normal(size=(6, 12)), random.normal(size=(12, 6))) for _ in range(8)]
    each = 8 // ranks

    def mine(rank):
        own = weights[each * rank.number :][:each]
        return experts.expert_parallel(rank, np.split(x, rank.size)[rank.number], router, own)

    found, _ = on_ranks(ranks, mine)
    out = np.concatenate([y for y, _ in found])
    np.testing.assert_allclose(out, experts.mixture(x, router, weights), rtol=1e-9, atol=1e-12)
    assert sum(tokens for _, tokens in found) == 20


def test_an_error_on_a_rank_ends_all():
    def work_of(rank):
        if rank.number == 1:
            raise ValueError("no data")
        rank.all_reduce(np.ones(3))

    with pytest.raises(ValueError, match="no data"):
        on_ranks(3, work_of)


def test_a_plan():
    model = dict(layers=80, width=8192, words=128_000, length=4096, sequences=1, micro_batches=8)
    one, many = Plan(**model), Plan(**model, data=2, tensor=4, pipeline=8, zero=1)
    assert sum(one.state().values()) == 16 * one.parameters()
    assert sum(many.state().values()) == (4 + 6) * many.parameters()
    assert sum(one.traffic().values()) == 0 == one.bubble()
    assert many.bubble() == 7 / 15
    fours = Plan(**model, weight_bytes=4, data=2, zero=3)
    assert sum(fours.state().values()) == 8 * fours.parameters()


@pytest.mark.parametrize("ranks", [1, 2, 5])
def test_the_zigzag_is_even(ranks):
    shares = work([[r, 2 * ranks - 1 - r] for r in range(ranks)])
    assert set(shares) == {2 * ranks + 1}


@pytest.mark.parametrize("call", ["all_reduce", "all_gather", "reduce_scatter", "recv"])
def test_a_rank_that_never_comes_is_named_within_the_patience(call):
    def work(rank):
        if rank.number != 2:
            getattr(rank, call)(*([2] if call == "recv" else [np.ones(6)]))

    began = time.monotonic()
    with pytest.raises(TimeoutError, match=r"rank 2.* in 1 s"):
        on_ranks(3, work, patience=1)
    assert time.monotonic() - began < 30  # on a busy machine, too


def test_a_rank_that_dies_in_its_second_collective_ends_the_group_at_once():
    def work(rank):
        rank.all_reduce(np.ones(6))
        if rank.number == 1:
            raise MemoryError("rank 1 is full")
        rank.all_to_all([np.ones(1)] * 3)

    began = time.monotonic()
    with pytest.raises(MemoryError, match="rank 1 is full"):
        on_ranks(3, work, patience=60)
    assert time.monotonic() - began < 30

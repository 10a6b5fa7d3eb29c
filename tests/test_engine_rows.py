"""Rows, graphs, speculation and load: whatever is batched, each gets what it would get alone."""

import numpy as np
import pytest

from kernels.engine.load import Timed, arrivals, report, serve_continuous, serve_static
from kernels.engine.rows import TABLE, OnCPU, forward_rows, rows_of
from kernels.engine.speculative import Letters, speculate
from kernels.paging.pool import PAGE
from kernels.quantization.model import CONTEXT, forward, new_weights

WEIGHTS = new_weights(np.random.default_rng(3))


def plain(prompt, most):
    """Return what greedy decoding makes, computed anew for each token, without any cache."""
    tokens = [int(token) for token in prompt]
    while len(tokens) < len(prompt) + most:
        tokens.append(int(forward(WEIGHTS, np.array([tokens]))[0, -1].argmax()))
    return tokens[len(prompt) :]


@pytest.mark.parametrize("cuts", [(0, 11), (0, 1, 2, 11), (0, 5, 10, 11), tuple(range(12))])
def test_a_prompt_in_chunks_gives_the_logits_of_plain_attention(cuts):
    random = np.random.default_rng(1)
    tokens, blocks = random.integers(0, 40, 11), [6, 2, 5]
    model, got = OnCPU(WEIGHTS, 8), []
    for first, last in zip(cuts, cuts[1:], strict=False):
        rows = np.array(rows_of(tokens, first, last, blocks))
        got.append(forward_rows(np, WEIGHTS, model.cache, rows, model.span))
    right = forward(WEIGHTS, tokens[None])[0]
    np.testing.assert_allclose(np.concatenate(got), right, rtol=1e-9, atol=1e-9)


def test_a_shared_prefix_gives_the_logits_of_plain_attention():
    """The second request computes only what it does not share, in blocks of its own."""
    random = np.random.default_rng(2)
    first, second = random.integers(0, 40, (2, 14))
    second[: 2 * PAGE] = first[: 2 * PAGE]
    model = OnCPU(WEIGHTS, 8)
    model(rows_of(first, 0, 14, [3, 1, 4, 0]))
    rows = np.array(rows_of(second, 2 * PAGE, 14, [3, 1, 5, 2]))
    got = forward_rows(np, WEIGHTS, model.cache, rows, model.span)
    right = forward(WEIGHTS, second[None])[0, 2 * PAGE :]
    np.testing.assert_allclose(got, right, rtol=1e-9, atol=1e-9)


def test_a_cache_that_nobody_wrote_is_seen():
    model = OnCPU(WEIGHTS, 8)
    rows = np.array(rows_of(range(9), 8, 9, [0, 1, 2]))
    assert np.isnan(forward_rows(np, WEIGHTS, model.cache, rows, model.span)).all()


class Clock:
    """A clock that the model moves: a pass takes a second. Who looks often sees time pass, too."""

    def __init__(self, model):
        self.model, self.now, self.passes = model, 0.0, 0

    def __call__(self):
        self.now += 1e-3
        return self.now

    def step(self, rows):
        self.now, self.passes = self.now + 1, self.passes + 1
        return self.model(rows)


def requests(rate=0.0, count=24):
    found = arrivals(count, rate, np.random.default_rng(4))
    for i, request in enumerate(found):  # a third begin alike, a block and a half
        if i % 3 == 0:
            request.prompt = found[0].prompt[:6] + request.prompt[6:]
    return found


@pytest.mark.parametrize("serve", [serve_continuous, serve_static])
@pytest.mark.parametrize(("rate", "budget", "most"), [(0, 64, 32), (0.5, 5, 3), (9, 16, 8)])
def test_under_load_each_gets_what_it_would_get_alone(serve, rate, budget, most):
    clock, asked = Clock(OnCPU(WEIGHTS, 256)), requests(rate)
    if serve is serve_static:
        budget = max(budget, most)
    settings = {"blocks": 256} if serve is serve_continuous else {}
    serve(clock.step, asked, budget=budget, most=most, clock=clock, **settings)
    for request in asked:
        assert request.output == plain(request.prompt, request.answer)
        assert request.comes <= request.times[0] and len(request.times) == request.answer
        assert request.times == sorted(request.times)


def test_continuous_batching_makes_twice_the_tokens_of_static_batching():
    got = {}
    for serve in (serve_continuous, serve_static):
        clock, asked = Clock(lambda rows: np.zeros(len(rows), int)), requests(count=256)
        got[serve] = report(asked, serve(clock.step, asked, clock=clock))[0]
    assert got[serve_continuous] >= 2 * got[serve_static]


# ---------------------------------------------------------------- speculation

PROMPT = np.random.default_rng(6).integers(1, 40, 7)


def perfect(tokens, count):
    return plain(tokens, count) if count else []


def wrong(tokens, count):
    return [(token + 1) % 42 for token in perfect(tokens, count)]


@pytest.mark.parametrize("guesses", [0, 1, 4, 30])
@pytest.mark.parametrize("draft", [perfect, wrong, Letters(np.arange(2000) * 7 % 41)])
def test_speculation_writes_what_greedy_decoding_writes(draft, guesses):
    most = CONTEXT + 1 - len(PROMPT)
    model, blocks = OnCPU(WEIGHTS, 20), list(range(19, 19 - TABLE, -1))
    tokens, passes, made, right = speculate(model, draft, PROMPT, most, blocks, guesses)
    assert tokens == plain(PROMPT, most)
    if draft is perfect:
        assert right == made and passes == -(-most // (guesses + 1))
    if draft is wrong:
        assert right == 0 and passes == most


def test_the_draft_counts_letters():
    draft = Letters([1, 2, 3, 1, 2, 4, 1, 2, 3, 5], order=2)
    assert draft([1, 2], 1) == [3]  # twice, and 4 once
    assert draft([9, 1, 2], 2) == [3, 1]  # 2 3 was followed by 1 first
    assert draft([9], 1) == draft([], 1)


def test_times_are_of_the_request():
    request = Timed([1, 2], 2, comes=1.0)
    request.take(5, 3.0), request.take(6, 5.0)
    assert request.tokens == (1, 2, 5, 6)
    assert report([request], 4.0) == (0.5, 4.0, 4.0)

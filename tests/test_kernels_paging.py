"""Paged attention equals plain attention: any lengths, pages in any order, NaN in free slots."""

import contextlib
import sys
import types
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from tests.test_kernels_quantization import STAND_INS
from tests.wide import SIMULATOR, loading

ROOT = Path(__file__).resolve().parent.parent

# Read by `python -m lockstep gpu`; the page of these kernels says the same.
NOT_ON = {"numba-cuda-mlir": "the 16-byte loads are made with llvmlite"}


COPIES = """
from numba import cuda, uint32

@cuda.jit(device=True)
def copy16(box, index, array, at, inside):
    for i in range(4):
        box[index + i] = array[at + i] if inside else uint32(0)

@cuda.jit(device=True)
def load16(box, index):
    return box[index], box[index + 1], box[index + 2], box[index + 3]

@cuda.jit(device=True)
def commit():
    pass

@cuda.jit(device=True)
def wait():
    pass

def waiting(groups):
    return wait
"""


def stand_in(name, text):
    """Return a module of stand-ins for device functions that are made of instructions."""
    from simulator.stepper import remember

    file = f"{__file__}:{name}"
    remember(file, text)
    module = types.ModuleType(name)
    exec(compile(text, file, "exec"), vars(module))
    return module


@contextlib.contextmanager
def kernels():
    """``loading``, with stand-ins for the 16-byte loads where a CPU runs the kernels."""
    with loading() as (load, cuda):
        if SIMULATOR:
            load("kernels.quantization"), load("kernels.paging")
            for name, text in (("quantization.words", STAND_INS), ("paging.copies", COPIES)):
                sys.modules[f"kernels.{name}"] = stand_in(f"kernels.{name}", text)
        yield load, cuda


# dim, KV heads, query heads of each, tokens of a page, lengths, span of a split
CASES = [
    (32, 1, 4, 16, [1, 40, 33], 32),
    (128, 2, 4, 16, [17, 5], 64),
    (64, 2, 1, 16, [65], 32),
]
LARGER = [
    (128, 8, 4, 16, [1, 4096, 777, 2049, 255, 256, 257], 256),
    (128, 8, 4, 16, [3000, 31], 512),
    (128, 4, 8, 16, [1000, 129], 128),
    (64, 2, 2, 32, [1000, 129], 128),
]


def paged(case, bfloat16):
    """Return queries, pages in any order with NaN where no token is, tables and lengths."""
    dim, kv_heads, group, page, lengths, _ = case
    random = np.random.default_rng(sum(lengths))
    lengths = np.array(lengths, np.int32)
    most = -(-int(lengths.max()) // page)
    pages = most * len(lengths) + 3
    q = bfloat16(2 * random.standard_normal((len(lengths), kv_heads * group, dim)))
    shape = (pages, kv_heads, page, dim)
    keys, values = (bfloat16(random.standard_normal(shape)) for _ in range(2))
    tables = random.permutation(pages)[: most * len(lengths)].reshape(-1, most).astype(np.int32)
    for s, length in enumerate(lengths):
        if length % page:
            keys[tables[s, length // page], :, length % page :] = 0x7FC0
            values[tables[s, length // page], :, length % page :] = 0x7FC0
    return q, keys, values, tables, lengths


@pytest.mark.parametrize("case", CASES + ([] if SIMULATOR else LARGER))
def test_paged_attention(case):
    with kernels() as (load, _):
        module = load("kernels.paging.decode")
        inputs = paged(case, module.bfloat16)
        got = module.paged_attention(*inputs, case[-1])
        right = module.plain_attention(*inputs)
    np.testing.assert_allclose(got, right, rtol=2e-3, atol=2e-4)


def test_a_shape_that_the_lanes_cannot_share_is_refused():
    with kernels() as (load, _):
        make = load("kernels.paging.decode").make_paged_decode
        for group, page in ((3, 16), (32, 16), (4, 6)):
            with pytest.raises(ValueError, match="do not divide"):
                make(128, group, page)


@pytest.mark.parametrize("case", CASES + LARGER)
def test_paged_attention_in_cuda_cpp(case):
    """On a GPU equal to Numba's kernel; without one it is compiled, for each shape."""
    text = (ROOT / "snippets/paging/paged_decode.cu").read_text(encoding="utf-8")
    dim, _, group, page, _, span = case
    if SIMULATOR:
        from lockstep import languages

        warps = max(1, min(4, 128 * group // dim))
        sizes = {"DIM": dim, "GROUP": group, "PAGE": page, "WARPS": warps}
        defined = "".join(f"#define {name} {size}\n" for name, size in sizes.items()) + text
        made = SimpleNamespace(text=defined, where="snippets/paging/paged_decode.cu")
        assert b".text.paged_decode\0" in languages.compile_cuda(made)
        return
    from kernels.paging import decode
    from kernels.paging.cupy_decode import paged_attention_cuda

    inputs = paged(case, decode.bfloat16)
    got = paged_attention_cuda(text, *inputs, span)
    right = decode.paged_attention(*inputs, span)
    np.testing.assert_allclose(got, right, rtol=1e-5, atol=1e-6)


# ---------------------------------------------------------------- blocks and requests


def run_to_the_end(scheduler, check):
    for _ in range(100_000):
        if not (scheduler.waiting or scheduler.running):
            return
        check(scheduler.step())
    raise AssertionError("the scheduler does not come to an end")


@pytest.mark.parametrize("blocks", [16, 19, 40])
@pytest.mark.parametrize("seed", range(2))
def test_blocks_are_never_lent_twice_and_all_come_back(blocks, seed):
    """Also in a cache so small that requests are sent back: every answer is still made."""
    from kernels.paging.pool import PAGE, Pool, Request, Scheduler

    random = np.random.default_rng(seed)
    pool = Pool(blocks)
    scheduler = Scheduler(pool, budget=8, most=5)
    prefix = tuple(random.integers(0, 9, 9).tolist())
    requests = []
    for _ in range(20):
        own = tuple(random.integers(0, 9, random.integers(1, 20)).tolist())
        requests.append(Request((prefix if random.random() < 0.5 else ()) + own, 1))
        requests[-1].answer = int(random.integers(1, 4 * blocks - len(requests[-1].prompt) + 1))
        scheduler.submit(requests[-1])

    def check(work):
        assert 0 < sum(count for _, count in work) <= 8
        users = [0] * blocks
        for request in scheduler.running:
            assert request.cached <= PAGE * len(request.blocks)
            for i, block in enumerate(request.blocks):
                users[block] += 1
                full = request.tokens[: PAGE * (i + 1)]
                if block in pool.prefix and len(full) == PAGE * (i + 1) <= request.cached:
                    assert pool.prefix[block] == full or pool.by_prefix[full] != block
        assert users == pool.users
        assert set(pool.free) == {block for block in range(blocks) if users[block] == 0}

    run_to_the_end(scheduler, check)
    assert [request.made for request in requests] == [request.answer for request in requests]
    assert len(pool.free) == blocks


def test_a_request_that_can_never_fit_is_refused():
    from kernels.paging.pool import Pool, Request, Scheduler

    with pytest.raises(ValueError, match="17 tokens, and the whole cache holds 16"):
        Scheduler(Pool(4)).submit(Request(tuple(range(10)), 7))


def test_continuous_batching_needs_half_the_steps_of_static_batching():
    from random import Random

    from kernels.paging.pool import Request, continuous, static

    draw = Random(3)
    answers = draw.choices([2, 4, 8, 120], k=100)
    requests = [Request((i, i + 1, i + 2), answer) for i, answer in enumerate(answers)]
    assert static(requests)[0] >= 2 * continuous(requests)[0]

"""Paged attention equals plain attention: any lengths, pages in any order, NaN in free slots."""

import contextlib
import sys
import types

import numpy as np
import pytest

from tests.test_kernels_quantization import STAND_INS
from tests.wide import SIMULATOR, loading

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


@pytest.mark.parametrize("case", CASES + ([] if SIMULATOR else LARGER))
def test_paged_attention(case):
    dim, kv_heads, group, page, lengths, span = case
    random = np.random.default_rng(sum(lengths))
    lengths = np.array(lengths, np.int32)
    most = -(-int(lengths.max()) // page)
    pages = most * len(lengths) + 3
    with kernels() as (load, _):
        module = load("kernels.paging.decode")
        q = module.bfloat16(2 * random.standard_normal((len(lengths), kv_heads * group, dim)))
        shape = (pages, kv_heads, page, dim)
        keys, values = (module.bfloat16(random.standard_normal(shape)) for _ in range(2))
        tables = random.permutation(pages)[: most * len(lengths)].reshape(-1, most).astype(np.int32)
        for s, length in enumerate(lengths):  # what no token of the sequence owns is NaN
            if length % page:
                keys[tables[s, length // page], :, length % page :] = 0x7FC0
                values[tables[s, length // page], :, length % page :] = 0x7FC0
        got = module.paged_attention(q, keys, values, tables, lengths, span)
        right = module.plain_attention(q, keys, values, tables, lengths)
    np.testing.assert_allclose(got, right, rtol=2e-3, atol=2e-4)

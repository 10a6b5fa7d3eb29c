"""GPT-2's own products: every layout, ragged sizes, stacks, split sums; and the model with them.

On a CPU ``tests/lanes.py`` runs the kernel's threads, and Numba compiles it for sm_90.
"""

import contextlib
import itertools
import os

import numpy as np
import pytest

from kernels.tensor_cores.formats import to_tf32
from tests import lanes

# Read by `python -m lockstep gpu`; the page of these kernels says the same.
NOT_ON = {"numba-cuda-mlir": "the kernels need intrinsics, which it has in another form"}
SIMULATOR = os.environ.get("NUMBA_ENABLE_CUDASIM") == "1"
SMALL = "64x64"
# m, n, k, the axes of a stack, numbers between the rows, scale, add, parts of the sum
SIZES = {
    "whole tiles": (64, 128, 64, (), 0, 1.0, False, 1),
    "ragged, in fours": (72, 68, 100, (), 0, 0.5, False, 1),
    "ragged and odd": (33, 67, 41, (), 3, 2.0, False, 1),
    "one of each": (1, 1, 1, (), 0, 1.0, False, 1),
    "shorter than a stage, added": (20, 24, 12, (), 4, 0.5, True, 1),
    "a stack": (40, 36, 64, (3,), 0, 1.0, False, 1),
    "heads, added": (33, 16, 33, (2, 2), 1, 0.25, True, 1),
    "a split sum": (68, 64, 200, (), 0, 0.5, False, 3),
    "a split sum, added": (5, 7, 130, (), 2, 1.0, True, 4),
}


@contextlib.contextmanager
def products(tile, parts):
    """Yield ``gemm(a, b, out, scale, add)`` for NumPy's arrays, by our kernels with one tile."""
    if SIMULATOR:
        with lanes.loading() as matmul:
            ours = matmul.Ours()
            ours.choose = lambda *_: (tile, parts)

            def gemm(a, b, out, *more):
                lanes.place(a, b, out, ours.space)
                ours.gemm(*(x.view(lanes.Array) for x in (a, b, out)), *more)

            yield gemm
        return
    import cupy as cp

    from kernels.gpt.matmul import Ours

    ours = Ours()
    ours.choose = lambda *_: (tile, parts)

    def gemm(a, b, out, *more):
        placed = {id(lanes.root(x)): cp.asarray(lanes.root(x)) for x in (a, b, out)}
        views = [
            cp.ndarray(
                x.shape,
                x.dtype,
                placed[id(lanes.root(x))].data + (x.ctypes.data - lanes.root(x).ctypes.data),
                x.strides,
            )
            for x in (a, b, out)
        ]
        ours.gemm(*views, *more)
        cp.cuda.Device().synchronize()
        lanes.root(out)[...] = placed[id(lanes.root(out))].get()

    yield gemm


def stored(shape, turned, gap, random):
    """Return a matrix, or a stack, as a view of a larger array that is NaN elsewhere."""
    *stack, rows, columns = shape
    rows, columns = (columns, rows) if turned else (rows, columns)
    whole = np.full((*stack, rows, columns + gap), np.nan, np.float32)
    part = whole[..., :columns]
    part[...] = random.standard_normal(part.shape)
    return part.swapaxes(-1, -2) if turned else part


@pytest.mark.parametrize("turned", list(itertools.product((False, True), repeat=2)), ids=str)
@pytest.mark.parametrize("size", SIZES)
def test_a_product_is_the_product(size, turned, tile=SMALL):
    m, n, k, stack, gap, scale, add, parts = SIZES[size]
    random = np.random.default_rng(seed=m + n)
    a, b = (
        stored((*stack, m, k), turned[0], gap, random),
        stored((*stack, k, n), turned[1], gap, random),
    )
    out = stored((*stack, m, n), False, gap, random)
    deep = [to_tf32(np.ascontiguousarray(x)).astype(float) for x in (a, b)]
    right = scale * (deep[0] @ deep[1]) + (out if add else 0)
    outside = lanes.root(out).copy()
    with products(tile, parts) as gemm:
        gemm(a, b, out, scale, add)
    np.testing.assert_allclose(out, right, rtol=1e-5, atol=2e-5)
    np.testing.assert_array_equal(lanes.root(out)[..., n:], outside[..., n:])

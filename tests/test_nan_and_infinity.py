"""NaN and infinity through kernels of the patterns: they reach what depends on them, and no more.

Softmax has such tests beside its others, in test_kernels_softmax.py.
"""

import numpy as np
import pytest

from tests import test_kernels_norms as norms
from tests import test_kernels_stencil as stencil
from tests.patterns import running
from tests.test_kernels_fft import points
from tests.wide import loading

# Read by `python -m lockstep gpu`; the pages of these kernels say the same.
NOT_ON = {"numba-cuda-mlir": "the 16-byte instructions are made with llvmlite"}


@pytest.mark.parametrize("centered", [False, True])
def test_norms_keep_them_in_their_row(centered):
    """One in a row makes what float64 makes of it, and the rows around it are as without."""
    arrays = norms.inputs(5, 256)
    arrays[0][1, 100], arrays[0][2, 255], arrays[0][4, 0] = np.nan, np.inf, -np.inf
    with loading() as (load, cuda), np.errstate(invalid="ignore"):
        row, passes = norms.row_module(load, cuda), load("kernels.norms.passes")
        for kernel, launch in (
            (row.make_norm(32, 8, centered, True), (3, (32, 2))),
            (row.make_norm(64, 4, centered, False), (5, 64)),
            (row.make_full_norm(64, 4, centered), (5, 64)),
        ):
            norms.check(cuda, norms.flat(kernel, launch), arrays, centered)
        if centered:
            got = passes.layernorm_passes(*arrays)
        else:
            got = passes.rmsnorm_passes(*arrays[:2])
        norms.close(got, norms.expected(*arrays, centered))


def special(*shape):
    """Return cells with a NaN and an infinity inside, far apart, and a NaN on the border."""
    a = stencil.cells(*shape)
    a[(shape[0] // 2,) * (a.ndim - 1) + (shape[-1] // 2,)] = np.nan
    a[(2,) * (a.ndim - 1) + (4,)], a[tuple(n - 1 for n in shape)] = np.inf, np.nan
    return a


@pytest.mark.parametrize("steps", [1, 2, 5])
def test_a_plane_hands_them_to_neighbors_alone(steps):
    """A cell outside that is read in vain, and a lane beside the array, must not hand one on."""
    rows, columns = 11, 132
    with loading() as (load, cuda):
        march = stencil.march_module(load)
        patch, narrow = march.make_patch(2), march.make_march(steps, 2)

        def call(a, out):
            ins, outs = a.reshape(a.size), out.reshape(out.size)
            rest = stencil.CENTER, stencil.SIDE, outs
            sizes = np.int32(rows), np.int32(columns)
            if steps == 1:
                patch[(2, 6), (32, 1)](ins, *sizes, *rest)
            else:
                narrow[(2, 2), (32, 1)](ins, *sizes, np.int32(6), *rest)

        stencil.check(cuda, call, special(rows, columns), steps)


@pytest.mark.parametrize(("high", "group", "depth"), [(1, 2, 4), (2, 2, 3)])
def test_a_space_hands_them_to_neighbors_alone(high, group, depth):
    shape = 7, 8, 132
    with loading() as (load, cuda):
        kernel = stencil.march_module(load).make_space_march(high, group)

        def call(a, out):
            sizes = map(np.int32, (*shape, depth))
            ins, outs = a.reshape(a.size), out.reshape(out.size)
            blocks = 2, -(-shape[1] // high), -(-shape[0] // depth)
            kernel[blocks, (32, 1)](ins, *sizes, stencil.CENTER, stencil.SIDE, outs)

        stencil.check(cuda, call, special(*shape))


@pytest.mark.parametrize("shape", [(64, 64), (65, 127)])
def test_a_transpose_moves_every_bit_of_them(shape):
    """It moves numbers and computes none: a NaN keeps its payload."""
    a = np.random.default_rng(shape).permutation(shape[0] * shape[1]).astype("f4").reshape(shape)
    nan = np.array(0x7FC01234, np.uint32).view(np.float32)
    a[0, 1], a[3, 5], a[-1, -1], a[7, 0] = nan, np.inf, -np.inf, np.float32(-0.0)
    with running() as load:
        got = load("kernels.transpose.wide").transpose(a)
    assert np.array_equal(got.view(np.uint32), a.T.view(np.uint32))


@pytest.mark.parametrize(
    ("module", "function"), [("stockham", "fft"), ("in_place", "fft_in_place")]
)
@pytest.mark.parametrize("bad", [np.nan, np.inf, complex(0, -np.inf)])
def test_fourier_transforms_keep_them_in_their_row(module, function, bad):
    """Each result of a row depends on all of its points; rows in the same block on none of them."""
    x = points(5, 64)
    x[2, 17] = bad
    others = [0, 1, 3, 4]
    with loading() as (load, _), np.errstate(invalid="ignore"):
        got = getattr(load(f"kernels.fft.{module}"), function)(x)
    assert not np.isfinite(got[2]).any()
    right = np.fft.fft(x[others].astype(np.complex128))
    assert np.linalg.norm(got[others] - right) < 5e-7 * np.linalg.norm(right)

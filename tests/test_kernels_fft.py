"""Fourier transforms of rows, in Stockham's order and in place, against NumPy in float64."""

from collections import defaultdict
from types import SimpleNamespace

import numpy as np
import pytest

from tests.wide import SIMULATOR, loading

# Read by `python -m lockstep gpu`; the page of these kernels says the same.
NOT_ON = {"numba-cuda-mlir": "the 8-byte instructions are made with llvmlite"}
GUARD = 37


def points(rows, n):
    random = np.random.default_rng(rows * n)
    return (random.standard_normal((rows, n)) + 1j * random.standard_normal((rows, n))).astype(
        np.complex64
    )


def compare(cuda, x, run):
    """``run(flat, out)`` transforms the rows of x, and writes nothing behind them."""
    size = 2 * x.size
    flat = cuda.to_device(x.reshape(-1).view(np.float32))
    whole = cuda.to_device(np.full(size + GUARD, np.nan, np.float32))
    run(flat, whole)
    host = whole.copy_to_host()
    assert np.isnan(host[size:]).all(), "written past the end"
    got = host[:size].view(np.complex64).reshape(x.shape)
    right = np.fft.fft(x.astype(np.complex128))
    assert np.linalg.norm(got - right) < 5e-7 * np.linalg.norm(right)


SHAPES = [(8, 8, 1), (16, 8, 2), (64, 8, 1), (128, 8, 2), (32, 16, 1), (512, 8, 1)]
CASES = [(n, 8, p, t) for n, p, t in SHAPES] + [(8, 2, 2, 4), (32, 2, 2, 1), (16, 4, 4, 1)]
CASES += [(32, 4, 4, 3), (64, 4, 8, 1)]
if not SIMULATOR:
    CASES += [(1024, r, p, t) for r, p in ((2, 2), (4, 4), (8, 8), (8, 16)) for t in (1, 2)]
    CASES += [(2048, 8, 8, 1), (4096, 8, 8, 1), (8192, 8, 8, 1), (8192, 8, 16, 1)]


@pytest.mark.parametrize(("n", "radix", "each", "together"), CASES)
def test_rows(n, radix, each, together):
    with loading() as (load, cuda):
        module = load("kernels.fft.stockham")
        table = cuda.to_device(module.roots(n, radix))
        for rows in (1, 4):
            compare(
                cuda,
                points(rows, n),
                lambda x, out, rows=rows: module.fft_rows(
                    x, table, rows, n, out, (radix, each, together, 1)
                ),
            )


# Each stage's radix, rows of a block, blocks to a multiprocessor. One row or five: no multiple of
# two, four or eight. On a GPU the shapes are those of the plan, so that each is compiled once.
IN_PLACE = [
    ((16, 4), 2, 1),
    ((16, 8), 1, 1),
    ((16, 16), 2, 1),
    ((32, 8), 1, 1),
    ((16, 16, 4), 1, 1),
]
if not SIMULATOR:
    IN_PLACE += [((32, 16), 8, 4), ((32, 32), 4, 4), ((16, 16, 8), 1, 8), ((16, 16, 16), 1, 4)]
    IN_PLACE += [((32, 16, 16), 1, 2), ((32, 32, 16), 1, 1), ((32, 16, 8), 2, 1)]


@pytest.mark.parametrize(("radices", "together", "blocks"), IN_PLACE)
def test_rows_in_place(radices, together, blocks):
    n = int(np.prod(radices))
    with loading() as (load, cuda):
        module = load("kernels.fft.in_place")
        table = cuda.to_device(module.twiddles(radices))
        for rows in (1, 5) if n < 1024 or not SIMULATOR else (1,):
            compare(
                cuda,
                points(rows, n),
                lambda x, out, rows=rows: module.fft_in_place_rows(
                    x, table, rows, n, out, (radices, together, blocks)
                ),
            )


HOST = [("stockham", "fft", 8), ("stockham", "fft", 64), ("in_place", "fft_in_place", 64)]
if not SIMULATOR:
    HOST += [("stockham", "fft", n) for n in (1024, 8192)]
    HOST += [("in_place", "fft_in_place", 2**k) for k in range(7, 15)]


@pytest.mark.parametrize(("module", "function", "n"), HOST)
def test_on_the_host(module, function, n):
    x = points(5, n)
    with loading() as (load, _):
        got = getattr(load(f"kernels.fft.{module}"), function)(x)
    right = np.fft.fft(x.astype(np.complex128))
    assert np.linalg.norm(got - right) < 5e-7 * np.linalg.norm(right)


@pytest.mark.parametrize(
    ("module", "function", "too_long"),
    [("stockham", "fft", 16384), ("in_place", "fft_in_place", 32768)],
)
def test_what_it_cannot_transform_is_refused(module, function, too_long):
    with loading() as (load, _):
        transform = getattr(load(f"kernels.fft.{module}"), function)
        for n in (4, 96, too_long):
            with pytest.raises(ValueError, match="powers of two"):
                transform(np.zeros((1, n), np.complex64))


@pytest.mark.parametrize(
    ("radices", "says"),
    [
        ((16, 16, 16, 16), "three axes"),
        ((32,), "three axes"),
        ((16, 32), "largest first"),
        ((8, 8), "16 or 32"),
        ((16, 2), "last radix"),
    ],
)
def test_radices_that_it_cannot_take_are_refused(radices, says):
    with loading() as (load, _):
        with pytest.raises(AssertionError, match=says):
            load("kernels.fft.in_place").make_fft_in_place(radices)


def test_the_radices_make_up_the_length():
    with loading() as (load, _):
        radices = load("kernels.fft.stockham").radices
        for k in range(1, 15):
            for radix in (2, 4, 8):
                assert np.prod(radices(2**k, radix)) == 2**k


def test_the_plan_fits_a_multiprocessor():
    with loading() as (load, _):
        module = load("kernels.fft.in_place")
        for n, radices in module.RADICES.items():
            shape, together, blocks = module.plan_in_place(n)
            threads = n // radices[0] * together
            assert shape == radices and np.prod(radices) == n
            assert threads <= 1024 and threads * blocks <= 2048 and blocks <= 32
            assert blocks * (8 * together * (n + radices[0]) + 1024) <= 228 * 1024


def turns(load, patch, radices, padded=True):
    """Return the turns that shared memory takes for the 8-byte accesses of a row, and the fewest.

    Half a warp is served at once: 16 lanes, each of which uses two of 32 banks.
    """
    module = load("kernels.fft.in_place")
    steps = module.strides(radices)
    if not padded:
        steps = [steps[0] - 1, *steps[1:]]
        patch.setattr(module, "strides", lambda _: steps)
    patch.setattr(module, "cuda", SimpleNamespace(jit=lambda **_: lambda function: function))
    n, taken, fewest = int(np.prod(radices)), 0, 0
    for stage, radix in enumerate(radices):
        place = module.make_place(radices, stage)
        for first in range(0, n // radix, 16):
            for r in range(radix):
                banks = defaultdict(set)
                for j in range(first, first + 16):
                    at = place(j) + r * steps[stage]
                    banks[at % 16].add(at)
                taken += max(map(len, banks.values()))
                fewest += 1
    return taken, fewest


@pytest.mark.parametrize("radices", [(32, 32), (16, 16, 16), (32, 16, 16), (32, 32, 16)])
def test_one_place_of_padding_removes_every_bank_conflict(radices, monkeypatch):
    with loading() as (load, _):
        taken, fewest = turns(load, monkeypatch, radices)
        assert taken == fewest
        taken, fewest = turns(load, monkeypatch, radices, padded=False)
        assert taken > 4 * fewest


def test_with_a_last_radix_of_eight_some_lanes_still_meet(monkeypatch):
    with loading() as (load, _):
        taken, fewest = turns(load, monkeypatch, (16, 16, 8))
        assert fewest < taken < 2 * fewest


def test_each_place_of_a_row_belongs_to_one_point(monkeypatch):
    with loading() as (load, _):
        module = load("kernels.fft.in_place")
        jit = SimpleNamespace(jit=lambda **_: lambda function: function)
        monkeypatch.setattr(module, "cuda", jit)
        for radices in ((16, 4), (16, 16, 4), (32, 16, 16)):
            n = int(np.prod(radices))
            for stage, radix in enumerate(radices):
                place, step = module.make_place(radices, stage), module.strides(radices)[stage]
                places = {place(j) + r * step for j in range(n // radix) for r in range(radix)}
                assert len(places) == n and max(places) < n + radices[0]

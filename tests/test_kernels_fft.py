"""Fourier transforms of rows, by radix 2, 4 and 8, against NumPy in float64."""

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


SHAPES = [(8, 8, 1), (16, 8, 2), (64, 8, 1), (128, 8, 2), (32, 16, 1), (512, 8, 1)]
CASES = [(n, 8, p, t) for n, p, t in SHAPES] + [(8, 2, 2, 4), (32, 2, 2, 1), (16, 4, 4, 1)]
CASES += [(32, 4, 4, 3), (64, 4, 8, 1)]
if not SIMULATOR:
    CASES += [(1024, r, p, t) for r, p in ((2, 2), (4, 4), (8, 8), (8, 16)) for t in (1, 2)]
    CASES += [(2048, 8, 8, 1), (4096, 8, 8, 1), (8192, 8, 8, 1), (8192, 8, 16, 1)]
    CASES += [(16384, 8, 32, 1)]


@pytest.mark.parametrize(("n", "radix", "each", "together"), CASES)
def test_rows(n, radix, each, together):
    with loading() as (load, cuda):
        module = load("kernels.fft.stockham")
        table = cuda.to_device(module.roots(n, radix))
        for rows in (1, 4):
            x = points(rows, n)
            size = 2 * x.size
            flat = cuda.to_device(x.reshape(-1).view(np.float32))
            whole = cuda.to_device(np.full(size + GUARD, np.nan, np.float32))
            module.fft_rows(flat, table, rows, n, whole, (radix, each, together, 1, 1 + rows % 2))
            host = whole.copy_to_host()
            assert np.isnan(host[size:]).all(), "written past the end"
            got = host[:size].view(np.complex64).reshape(rows, n)
            right = np.fft.fft(x.astype(np.complex128))
            assert np.linalg.norm(got - right) < 5e-7 * np.linalg.norm(right)


@pytest.mark.parametrize("n", [8, 64] + ([] if SIMULATOR else [1024, 2048, 4096, 8192, 16384]))
def test_on_the_host(n):
    x = points(5, n)
    with loading() as (load, _):
        got = load("kernels.fft.stockham").fft(x)
    right = np.fft.fft(x.astype(np.complex128))
    assert np.linalg.norm(got - right) < 5e-7 * np.linalg.norm(right)


def test_what_it_cannot_transform_is_refused():
    with loading() as (load, _):
        fft = load("kernels.fft.stockham").fft
        for n in (4, 12, 32768):
            with pytest.raises(ValueError, match="powers of two"):
                fft(np.zeros((1, n), np.complex64))


def test_the_radices_make_up_the_length():
    with loading() as (load, _):
        radices = load("kernels.fft.stockham").radices
        for k in range(1, 15):
            for radix in (2, 4, 8):
                assert np.prod(radices(2**k, radix)) == 2**k

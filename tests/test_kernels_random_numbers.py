"""Philox against published answers, dropout's mask and mean, and an option's price."""

import numpy as np
import pytest

from tests.wide import SIMULATOR, loading

# Read by `python -m lockstep gpu`; the page of these kernels says the same.
NOT_ON = {"numba-cuda-mlir": "the 16-byte instructions are made with llvmlite"}
GUARD = 37


def philox(counter, key):
    """Return Philox 4x32-10 in Python's integers: counter of four words, key of two."""
    c, k = list(counter), list(key)
    for _ in range(10):
        p, q = c[0] * 0xD2511F53, c[2] * 0xCD9E8D57
        c = [(q >> 32) ^ c[1] ^ k[0], q & 0xFFFFFFFF, (p >> 32) ^ c[3] ^ k[1], p & 0xFFFFFFFF]
        k = [(k[0] + 0x9E3779B9) & 0xFFFFFFFF, (k[1] + 0xBB67AE85) & 0xFFFFFFFF]
    return c


def test_the_reference_gives_the_published_answers():
    """The known answers of the authors' library, Random123."""
    ones = 0xFFFFFFFF
    assert philox([0] * 4, [0] * 2) == [0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8]
    assert philox([ones] * 4, [ones] * 2) == [0x408F276D, 0x41C83B0E, 0xA20BC7C6, 0x6D5451FD]


@pytest.mark.parametrize("drop", [0.0, 0.1, 0.5, 0.9])
def test_dropout(drop):
    with loading() as (load, cuda):
        kernel = load("kernels.random_numbers.philox").dropout_kernel
        for n, seed in ((1, 0), (3, 1), (4, 2**40 + 5), (131, 3)):
            x = np.random.default_rng(n).standard_normal(n).astype(np.float32)
            whole = cuda.to_device(np.full(n + GUARD, np.nan, np.float32))
            kernel[-(-n // 64), 16](cuda.to_device(x), np.float32(drop), seed, whole[:n])
            host = whole.copy_to_host()
            assert np.isnan(host[n:]).all(), "written past the end"
            key = seed & 0xFFFFFFFF, seed >> 32
            words = [w for i in range(-(-n // 4)) for w in philox([i, 0, 0, 0], key)][:n]
            below = int(np.float32(drop) * np.float32(2**32))
            scale = np.float32(1) / (np.float32(1) - np.float32(drop))
            right = np.where(np.array(words, np.uint64) >= below, x * scale, 0)
            np.testing.assert_allclose(host[:n], right, rtol=1e-6)


def test_dropout_of_four_at_a_time_has_the_same_mask():
    with loading() as (load, cuda):
        module, wide = (load(f"kernels.random_numbers.{n}") for n in ("philox", "fours"))
        for n in (4, 132) if SIMULATOR else (4, 132, 100_004):
            x = np.random.default_rng(n).standard_normal(n).astype(np.float32)
            whole = cuda.to_device(np.full(n + GUARD, np.nan, np.float32))
            launch = wide.dropout_fours_kernel[-(-n // 64), 16]
            launch(cuda.to_device(x), np.float32(0.3), 9, whole[:n])
            host = whole.copy_to_host()
            assert np.isnan(host[n:]).all(), "written past the end"
            assert np.array_equal(host[:n], module.dropout(x, 0.3, 9, threads=16))


@pytest.mark.parametrize("paths", [4096] + ([] if SIMULATOR else [2**26]))
def test_the_price_of_a_call(paths):
    with loading() as (load, _):
        price = load("kernels.random_numbers.philox").call_price
        simulated, exact = price(100, 95, 0.02, 0.3, 2, paths, seed=11, blocks=2, threads=32)
    # The payoff's standard deviation is below 45: five standard errors are allowed.
    assert abs(simulated - exact) < 5 * 45 / np.sqrt(paths)

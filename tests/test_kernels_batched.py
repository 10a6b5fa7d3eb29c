"""Batches of small products and systems, of every size up to 32, against NumPy in float64."""

import numpy as np
import pytest

from tests.wide import SIMULATOR, loading

# Read by `python -m lockstep gpu`; the page of these kernels says the same.
NOT_ON = {"numba-cuda-mlir": "the 16-byte loads are made with llvmlite"}
SIZES = [(1, 1), (9, 3), (35, 4), (3, 7), (2, 17)]
LARGER = [(17, 8), (67, 32), (100_003, 4), (40_001, 32)]
CASES = SIZES if SIMULATOR else SIZES + LARGER


def random(*shape):
    return np.random.default_rng(sum(shape)).standard_normal(shape).astype(np.float32)


@pytest.mark.parametrize("file, name", [("plain", "products_thread"), ("products", "products")])
def test_products(file, name):
    with loading() as (load, _):
        function = getattr(load(f"kernels.batched.{file}"), name)
        for count, n in CASES:
            a, b = random(count, n, n), random(n, n, count).reshape(count, n, n)
            right = a.astype(np.float64) @ b
            np.testing.assert_allclose(function(a, b), right, rtol=1e-4, atol=1e-4, err_msg=f"{n}")


def systems(count, n):
    """Systems that need pivots: the large numbers stand beside the diagonal."""
    a = random(count, n, n) + 4 * np.sqrt(n) * np.roll(np.eye(n), 1, axis=0)
    return a.astype(np.float32), random(count, n)


def test_solve():
    with loading() as (load, _):
        solve = load("kernels.batched.solve").solve
        for count, n in CASES:
            a, b = systems(count, n)
            right = np.linalg.solve(a.astype(np.float64), b[..., None])[..., 0]
            np.testing.assert_allclose(solve(a, b), right, rtol=1e-3, atol=1e-4, err_msg=f"{n}")


def test_nothing_is_written_past_the_end():
    with loading() as (load, cuda):
        for n in (3, 4):
            a, b = systems(5, n)
            whole = cuda.to_device(np.full(5 * n + 40, np.nan, np.float32))
            module = load("kernels.batched.solve")
            kernel, each = module.make_solve(n)
            arrays = [cuda.to_device(m.reshape(-1)) for m in (a, b)]
            kernel[-(-5 // each), (32, module.WARPS)](*arrays, np.uint64(5), whole[: 5 * n])
            assert np.isnan(whole.copy_to_host()[5 * n :]).all()
            whole = cuda.to_device(np.full(5 * n * n + 40, np.nan, np.float32))
            module = load("kernels.batched.products")
            kernel, each = module.make_products(n)
            arrays = [cuda.to_device(a.reshape(-1))] * 2
            kernel[-(-5 // each), (32, module.WARPS)](*arrays, np.uint64(5), whole[: 5 * n * n])
            host = whole.copy_to_host()
            assert np.isnan(host[5 * n * n :]).all() and not np.isnan(host[: 5 * n * n]).any()


def test_singular_is_not_finite_and_the_others_are_right():
    with loading() as (load, _):
        a = np.stack([np.ones((2, 2)), np.eye(2)]).astype(np.float32)
        x = load("kernels.batched.solve").solve(a, np.array([[1, 2], [3, 4]], np.float32))
        assert not np.isfinite(x[0]).all() and x[1].tolist() == [3, 4]


def test_too_large_is_refused():
    with loading() as (load, _):
        with pytest.raises(ValueError, match="at most 32"):
            load("kernels.batched.products").products(*np.zeros((2, 1, 33, 33), np.float32))
        with pytest.raises(ValueError, match="at most 32"):
            load("kernels.batched.solve").solve(np.zeros((1, 33, 33)), np.zeros((1, 33)))

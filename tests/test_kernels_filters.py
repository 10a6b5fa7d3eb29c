"""Filters on images and signals by every rung of the page on convolution, against float64."""

import numpy as np
import pytest

from tests.wide import SIMULATOR, loading

# Read by `python -m lockstep gpu`; the page of these kernels says the same.
NOT_ON = {"numba-cuda-mlir": "the 16-byte instructions are made with llvmlite"}
GUARD = 37
IMAGES = [(1, 4), (3, 132), (9, 36)] + ([] if SIMULATOR else [(1001, 1000), (65, 4)])
FILTERS = [(1, 1), (5, 3), (1, 9)]


def random(*shape):
    return np.random.default_rng(sum(shape)).standard_normal(shape).astype(np.float32)


def expected(x, w):
    half = [(side // 2, side // 2) for side in w.shape]
    windows = np.lib.stride_tricks.sliding_window_view(np.pad(x.astype(np.float64), half), w.shape)
    return np.einsum("pqrs,rs->pq", windows, w)


def close(got, right):
    np.testing.assert_allclose(got, right, rtol=1e-4, atol=2e-4)


@pytest.mark.parametrize("name", ["plain", "constant", "tile"])
def test_filters(name):
    with loading() as (load, cuda):
        module = load("kernels.convolution.filter")
        for size in FILTERS:
            w = random(*size)
            made = name != "plain" and getattr(module, f"make_filter_{name}")(w)
            for shape in [*IMAGES, (9, 33), (1, 1)]:
                x = random(*shape)
                whole = cuda.to_device(np.full(x.size + GUARD, np.nan, np.float32))
                out = whole[: x.size].reshape(*x.shape)
                blocks = -(-shape[1] // 32), -(-shape[0] // 8)
                if name == "plain":
                    arrays = map(cuda.to_device, (x, w))
                    module.filter_plain_kernel[blocks, (32, 8)](*arrays, out)
                else:
                    made[blocks, (32, 8)](cuda.to_device(x), out)
                host = whole.copy_to_host()
                assert np.isnan(host[x.size :]).all(), "written past the end"
                close(host[: x.size].reshape(x.shape), expected(x, w))


@pytest.mark.parametrize(
    "size, down", [((1, 1), 1), ((5, 3), 3), ((1, 9), 1), ((3, 3), 8)]
    + ([] if SIMULATOR else [((7, 7), 8)])
)  # fmt: skip
def test_registers(size, down):
    with loading() as (load, cuda):
        module, w = load("kernels.convolution.registers"), random(*size)
        kernel = module.make_registers(w, down)
        for height, width in IMAGES:
            x = random(height, width)
            whole = cuda.to_device(np.full(x.size + GUARD, np.nan, np.float32))
            d_x = cuda.to_device(x.reshape(-1))
            module.filter_launch(kernel, d_x, height, width, whole[: x.size], down)
            host = whole.copy_to_host()
            assert np.isnan(host[x.size :]).all(), "written past the end"
            close(host[: x.size].reshape(x.shape), expected(x, w))


def test_separable():
    with loading() as (load, _):
        module = load("kernels.convolution.registers")
        x, tall, long = random(9, 36), random(7), random(5)
        close(module.filter_separable(x, tall, long), expected(x, np.outer(tall, long)))


def test_what_does_not_fit_is_refused():
    with loading() as (load, _):
        module = load("kernels.convolution.registers")
        with pytest.raises(ValueError, match="no middle"):
            module.filter_registers(random(4, 4), random(2, 3))
        with pytest.raises(ValueError, match="multiple of four"):
            module.filter_registers(random(4, 5), random(3, 3))

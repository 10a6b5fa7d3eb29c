"""Convolutions at awkward sizes, against float64 in NumPy."""

import numpy as np
import pytest
from numba import cuda

from kernels.convolution.direct import conv_direct, conv_direct_kernel, output_shape
from kernels.convolution.image import filter_images
from kernels.convolution.tiled import conv_tiled, conv_tiled_launch
from kernels.wrong.conv_no_halo import SIDE, no_halo_kernel
from tests.wide import SIMULATOR

# Read by `python -m lockstep gpu`: Triton's convolution is tested here, too.
NOT_ON = {"numba-cuda-mlir": "Triton compiles one of these kernels, whichever Numba there is"}
# images, channels, height, width, output channels, R, S, padding
SHAPES = [
    (1, 1, 1, 1, 1, 1, 1, 0),
    (1, 1, 3, 3, 1, 3, 3, 0),
    (2, 3, 7, 33, 9, 3, 3, 1),
    (1, 2, 34, 31, 7, 3, 3, 1),
    (1, 2, 6, 40, 3, 1, 5, 2),
    (1, 1, 9, 9, 2, 5, 5, 2),
] + ([] if SIMULATOR else [(3, 17, 131, 67, 33, 3, 3, 1), (2, 8, 65, 64, 8, 7, 7, 3)])


def random(*shape):
    return np.random.default_rng(sum(shape)).standard_normal(shape).astype(np.float32)


def expected(x, w, padding):
    x, w = x.astype(np.float64), w.astype(np.float64)
    x = np.pad(x, [(0, 0), (0, 0), (padding, padding), (padding, padding)])
    windows = np.lib.stride_tricks.sliding_window_view(x, w.shape[2:], axis=(2, 3))
    return np.einsum("ncpqrs,kcrs->nkpq", windows, w)


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("convolve", [conv_direct, conv_tiled])
def test_convolution(convolve, shape):
    n, c, height, width, k, r, s, padding = shape
    x, w = random(n, c, height, width), random(k, c, r, s)
    got = convolve(x, w, padding)
    np.testing.assert_allclose(got, expected(x, w, padding), rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("taps", [(1, 1), (3, 3), (5, 3)])
@pytest.mark.parametrize("shape", [(1, 1, 1), (2, 33, 31), (1, 4, 65)])
def test_filter(shape, taps):
    x, w = random(*shape), random(*taps)
    padded = np.pad(x, [(0, 0), (taps[0] // 2,) * 2, (taps[1] // 2,) * 2]).astype(np.float64)
    windows = np.lib.stride_tricks.sliding_window_view(padded, taps, axis=(1, 2))
    right = np.einsum("npqrs,rs->npq", windows, w)
    np.testing.assert_allclose(filter_images(x, w), right, rtol=1e-4, atol=1e-4)


def test_a_filter_without_a_middle_is_refused():
    with pytest.raises(ValueError, match="no middle"):
        filter_images(random(1, 5, 5), random(2, 3))


def test_nothing_is_written_past_the_end():
    x, w = random(1, 2, 5, 35), random(9, 2, 3, 3)
    size = 9 * 5 * 35
    for direct in (True, False):
        whole = cuda.to_device(np.full(size + 64, np.nan, np.float32))
        out = whole[:size].reshape(1, 9, 5, 35)
        d_x, d_w = cuda.to_device(x), cuda.to_device(w)
        if direct:
            conv_direct_kernel[(2, 2, 9), (32, 4)](d_x, d_w, 1, out)
        else:
            conv_tiled_launch(d_x, d_w, 1, out)
        host = whole.copy_to_host()
        assert np.isnan(host[size:]).all()
        np.testing.assert_allclose(
            host[:size].reshape(out.shape), expected(x, w, 1), rtol=1e-4, atol=1e-4
        )


def test_other_channels_are_refused():
    with pytest.raises(ValueError, match="do not belong together"):
        output_shape(random(1, 2, 5, 5), random(1, 3, 3, 3), 0)


def test_a_missing_halo_is_caught():
    x, w = random(20, 20), random(3, 3)
    out = cuda.to_device(np.zeros((18, 18), np.float32))
    no_halo_kernel[(3, 3), (SIDE, SIDE)](cuda.to_device(x), cuda.to_device(w), out)
    right = expected(x[None, None], w[None, None], 0)[0, 0]
    wrong = np.abs(out.copy_to_host() - right) > 1e-3
    assert not wrong[:6, :6].any() and wrong[6:8].all()


if not SIMULATOR:
    import torch

    from kernels.in_triton.convolution import conv_triton

    @pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
    @pytest.mark.parametrize(
        "shape",
        [(1, 1, 1, 1, 1, 1), (3, 40, 17, 19, 24, 3), (2, 64, 56, 56, 130, 3), (1, 3, 33, 20, 8, 7)],
    )
    def test_triton(shape, dtype):
        n, c, height, width, k, r = shape
        x, w = (torch.as_tensor(random(*size), device="cuda").to(dtype)
                for size in ((n, c, height, width), (k, c, r, r)))  # fmt: skip
        right = torch.nn.functional.conv2d(x.double(), w.double(), padding=r // 2)
        limit = 6e-3 if dtype == torch.bfloat16 else 1e-3
        assert ((conv_triton(x, w) - right).norm() / right.norm()).item() < limit
        with pytest.raises(ValueError, match="images"):
            conv_triton(x, w[:, :, :, : r - 1])

"""Attention in FP8: against float64 on what e4m3 made of the operands, and its values' order."""

import json
import os
import subprocess
import sys

import numpy as np
import pytest
from numba import cuda

from kernels.attention.plain import attention
from kernels.attention.transposed_values import transposed_values
from kernels.tensor_cores.e4m3 import LARGEST, from_e4m3, to_e4m3
from tests.test_kernels_attention import COMPILE, ROOT, SIMULATOR, off, random

# Read by `python -m lockstep gpu`; the page of these kernels says the same.
NOT_ON = {"numba-cuda-mlir": "the kernels need intrinsics, which it has in another form"}
FLASH = "attention.fp8:FP8_FLASH[{}]"
SIGNATURE = f"void(uint8[::1], uint16[:,:,::1], {'int32, ' * 5}float32, float32)"
ORDER = [0, 1, 8, 9, 2, 3, 10, 11, 4, 5, 12, 13, 6, 7, 14, 15]


@pytest.mark.parametrize("heads, keys", [(1, 1), (2, 17), (2, 65)] + [(3, 1000)] * (not SIMULATOR))
def test_values_are_transposed_in_the_order_of_the_weights(heads, keys):
    generator = np.random.default_rng(seed=keys)
    v = generator.integers(0, 256, (heads, keys, 128), dtype=np.uint8)
    d_vt, transpose = transposed_values(cuda.to_device(v.view(np.uint32)))
    d_vt.copy_to_device(np.full(d_vt.shape, 0xDEADBEEF, np.uint32))
    transpose()
    groups = -(-keys // 16)
    wide = np.zeros((heads, 16 * groups, 128), np.uint8)  # NaN past the end would be summed
    wide[:, :keys] = v
    wide = wide.reshape(heads, groups, 16, 128)[:, :, ORDER].reshape(heads, 16 * groups, 128)
    np.testing.assert_array_equal(d_vt.copy_to_host().view(np.uint8), wide.transpose(0, 2, 1))


if SIMULATOR:  # on a GPU the kernels run

    def test_numba_makes_the_instructions_and_no_spill():
        signatures = {FLASH.format(causal): SIGNATURE for causal in (0, 1)}
        done = subprocess.run(
            [sys.executable, "-c", COMPILE, json.dumps(signatures)],
            cwd=ROOT, env=os.environ | {"NUMBA_ENABLE_CUDASIM": "0"}, capture_output=True,
            text=True,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr[-3000:]
        for ptx, report in json.loads(done.stdout).values():
            assert (ptx.count("e4m3.e4m3"), ptx.count("setmaxnreg")) == (16, 2)
            assert "0 bytes spill stores, 0 bytes spill loads" in report
            assert "Potential Performance Loss" not in report


if not SIMULATOR:
    from kernels.attention import fp8
    from kernels.tensor_cores.formats import from_bfloat16
    from kernels.tensor_cores.wgmma import launch

    LIMIT = 0.03  # weights have three bits behind the point; the operands are rounded before

    def rounded(x):
        scale = np.float32(np.abs(x).max() / LARGEST)
        return from_e4m3(to_e4m3(x / scale)) * scale

    def expected(q, k, v, causal):
        """Attention in float64 of one batch, heads of k and v shared."""
        q, k, v = (rounded(x) for x in (q, k, v))
        group = q.shape[1] // k.shape[1]
        heads = [
            attention(x, k[0, h // group], v[0, h // group], causal) for h, x in enumerate(q[0])
        ]
        return np.stack(heads)[None]

    @pytest.mark.parametrize("causal", [False, True])
    @pytest.mark.parametrize("length", [1, 127, 128, 129, 193, 1000, 4096])
    def test_flash_fp8(length, causal):
        heads = 1 if length > 1000 else 2
        q, k, v = random(length, (1, 2 * heads, length, 128), *[(1, heads, length, 128)] * 2)
        got = fp8.flash_attention_fp8(q, k, v, causal)
        assert off(got, expected(q, k, v, causal)) < LIMIT

    def test_with_another_number_of_keys():
        for queries, keys, heads, shared in ((1, 1000, 6, 2), (300, 1, 3, 3), (130, 257, 4, 1)):
            shapes = [(1, heads, queries, 128), *[(1, shared, keys, 128)] * 2]
            q, k, v = random(keys, *shapes)
            assert off(fp8.flash_attention_fp8(q, k, v), expected(q, k, v, False)) < LIMIT

    def test_weights_that_e4m3_would_lose_are_lifted():
        """One key counts for much, thousands for a little each: without the lift they are zeros."""
        q, k, v = (np.zeros((1, 1, length, 128), np.float32) for length in (128, 4096, 4096))
        q[..., 0], k[..., 0, 0] = 16, 11 * np.log(2) / np.sqrt(2)  # 2 ** 11 times another's weight
        v[..., 0, :], v[..., 1:, :] = 0, 1
        share = 4095 / (4095 + 2**11)
        assert off(fp8.flash_attention_fp8(q, k, v), np.full(q.shape, share)) < 0.1

    @pytest.mark.parametrize("causal", [False, True])
    def test_one_head_does_not_see_the_next(causal):
        q, k, v = random(1, *[(1, 2, 200, 128)] * 3)
        bits, scales = zip(*(fp8.quantize(x[0]) for x in (q, k, v)), strict=True)
        exact = expected(q, k, v, causal)[0, 0]
        for x in bits:
            x[1] = 0x7F7F7F7F  # NaN
        got = run(bits, scales, causal)
        assert off(got[0], exact) < LIMIT and np.isnan(got[1]).all()

    def test_few_blocks():
        """A block that does many items must count its barriers' phases on from one to the next."""
        q, k, v = random(2, *[(1, 5, 400, 128)] * 3)
        bits, scales = zip(*(fp8.quantize(x[0]) for x in (q, k, v)), strict=True)
        for causal in (False, True):
            for blocks in (1, 3, 7):
                assert off(run(bits, scales, causal, blocks), expected(q, k, v, causal)[0]) < LIMIT

    def run(bits, scales, causal, blocks=None):
        d_q, d_k, d_v = (cuda.to_device(x) for x in bits)
        d_vt, transpose = transposed_values(d_v)
        transpose()
        d_out = cuda.to_device(np.full((*d_q.shape[:2], 128), 0x1234, np.uint16))
        kernel, *sizes, arguments = fp8.fp8_flash_arguments(
            d_q, d_k, d_vt, d_out, d_v.shape[1], scales, causal, blocks
        )
        launch(kernel, *sizes, *arguments)
        return from_bfloat16(d_out.copy_to_host())

    def test_other_head_dimensions_are_refused():
        q, k, v = random(1, *[(1, 2, 8, 64)] * 3)
        with pytest.raises(ValueError, match="head dimension 64: 128 wanted"):
            fp8.flash_attention_fp8(q, k, v)
        with pytest.raises(ValueError, match="do not belong together"):
            fp8.flash_attention_fp8(q, k, v[:, :, :7])

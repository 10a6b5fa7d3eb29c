"""Attention backward: against float64 gradients, and those against differences."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from kernels.attention.gradients import attention_gradients, gradients_of
from kernels.attention.plain import attention

# Read by `python -m lockstep gpu`; the pages of these kernels say the same.
NOT_ON = {"numba-cuda-mlir": "the kernels need intrinsics, which it has in another form"}
ROOT = Path(__file__).resolve().parent.parent
SIMULATOR = os.environ.get("NUMBA_ENABLE_CUDASIM") == "1"


def random(seed, *shapes):
    generator = np.random.default_rng(seed)
    return [generator.normal(size=shape).astype(np.float32) for shape in shapes]


def off(got, expected):
    return np.linalg.norm(got - expected) / np.linalg.norm(expected)


@pytest.mark.parametrize("causal", [False, True])
def test_the_reference_is_the_gradient(causal):
    """Against central differences of a loss: the sum of out * d_out."""
    q, k, v, d_out = (x.astype(np.float64) for x in random(1, *[(5, 4)] * 4))
    operands = [q, k, v]
    for x, gradient in zip(operands, gradients_of(q, k, v, d_out, causal), strict=True):
        for place in np.ndindex(x.shape):
            sides = []
            for step in (1e-5, -1e-5):
                x[place] += step
                sides.append((attention(*operands, causal) * d_out).sum())
                x[place] -= step
            assert abs((sides[0] - sides[1]) / 2e-5 - gradient[place]) < 1e-8


def test_the_reference_with_more_keys_than_queries_and_wider_values():
    q, k, v, d_out = random(2, (3, 4), (7, 4), (7, 6), (3, 6))
    dq, dk, dv = gradients_of(q, k, v, d_out)
    assert (dq.shape, dk.shape, dv.shape) == (q.shape, k.shape, v.shape)
    got = attention_gradients(q, k, v, d_out)
    assert all(off(x, y) < 1e-5 for x, y in zip(got, (dq, dk, dv), strict=True))


@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize("length", [2, 7, 33] if SIMULATOR else [2, 127, 128, 129, 1000])
def test_a_thread_a_query_and_a_thread_a_key(length, causal):
    operands = random(length, *[(length, 8)] * 4)
    got = attention_gradients(*operands, causal)
    assert all(off(x, y) < 1e-5 for x, y in zip(got, gradients_of(*operands, causal), strict=True))


def test_one_key_gets_all_the_weight_and_its_score_has_no_gradient():
    dq, dk, dv = attention_gradients(*random(3, *[(1, 8)] * 3), np.ones((1, 8)))
    assert np.abs(dq).max() < 1e-5 and np.abs(dk).max() < 1e-5 and np.allclose(dv, 1)


def test_a_gradient_of_another_shape_is_refused():
    with pytest.raises(ValueError, match=r"d_out \(4, 7\) is not of the output's shape, \(4, 8\)"):
        attention_gradients(*random(4, *[(4, 8)] * 3, (4, 7)))


# ---------------------------------------------------------------- compiled without a GPU

BOTH = "float32[:,:,::1], float32[:,:,::1], uint16[:,:,::1], uint16[:,:,::1]"
WHOLE = f"void(uint8[::1], {BOTH}, int32, int32, int32, int32, int32, float32, float32)"
LSE = "void(uint8[::1], float32[:,:,::1], int32, int32, int32, int32, float32)"
KERNELS = {
    "attention.backward:BACKWARD[0][0]": (WHOLE, {"wgmma.mma_async": 40, "red.global": 8}),
    "attention.backward:BACKWARD[1][0]": (WHOLE, {"wgmma.mma_async": 40, "stmatrix": 4}),
    "attention.rows:lse_kernel": (LSE, {"wgmma.mma_async": 8}),
}

if SIMULATOR:  # on a GPU the kernels run
    from tests.test_kernels_attention import COMPILE

    @pytest.fixture(scope="module")
    def compiled():
        """{kernel: (PTX, report of the assembler)}, linked as Numba's launch would link them."""
        signatures = {name: signature for name, (signature, _) in KERNELS.items()}
        done = subprocess.run(
            [sys.executable, "-c", COMPILE, json.dumps(signatures)],
            cwd=ROOT, env=os.environ | {"NUMBA_ENABLE_CUDASIM": "0"}, capture_output=True,
            text=True,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr[-3000:]
        return json.loads(done.stdout)

    @pytest.mark.parametrize("name", KERNELS)
    def test_numba_makes_the_instructions_and_hardly_a_spill(name, compiled):
        ptx, report = compiled[name]
        for instruction, count in KERNELS[name][1].items():
            found = len(re.findall(rf"{re.escape(instruction)}", ptx))
            assert found == count, f"{found} x {instruction}"
        stored, loaded = map(
            int, re.search(r"(\d+) bytes spill stores, (\d+) bytes spill loads", report).groups()
        )
        assert stored <= 16 and loaded <= 32
        assert "Potential Performance Loss" not in report  # serialized wgmma, setmaxnreg ignored


# ---------------------------------------------------------------- on a GPU

if not SIMULATOR:
    from kernels.attention.backward import flash_gradients
    from kernels.tensor_cores.formats import from_bfloat16, to_bfloat16

    def rounded(*arrays):
        return [from_bfloat16(to_bfloat16(x)) for x in arrays]

    def expected_heads(q, k, v, d_out, causal):
        """Gradients in float64 of (batch, heads, length, depth), heads of k and v shared."""
        group = q.shape[1] // k.shape[1]
        out = np.zeros(q.shape)
        dq, dk, dv = (np.zeros(x.shape) for x in (q, k, v))
        for b, h in np.ndindex(q.shape[:2]):
            shared = b, h // group
            of_q, of_k, of_v = gradients_of(q[b, h], k[shared], v[shared], d_out[b, h], causal)
            out[b, h] = attention(q[b, h], k[shared], v[shared], causal)
            dq[b, h] = of_q
            dk[shared] += of_k
            dv[shared] += of_v
        return out, dq, dk, dv

    def check(got, expected, limit=0.01):  # weights, gradients and results are rounded to 8 bits
        size = max(np.sqrt(np.mean(x**2)) for x in expected)
        for name, x, y in zip(("dq", "dk", "dv"), got, expected, strict=True):
            error = np.linalg.norm(x - y) / max(np.linalg.norm(y), 1e-3 * size * np.sqrt(y.size))
            assert error < limit, f"{name}: {error:.2e}"  # with one key dq and dk are zeros

    @pytest.mark.parametrize("causal", [False, True])
    @pytest.mark.parametrize("length", [1, 127, 128, 129, 193, 1000, 4096])
    def test_flash_gradients(length, causal):
        heads = 1 if length > 1000 else 2  # of k and v; under a checker, long ones take minutes
        group = 1 if length > 1000 else 2
        of_q, of_k = (1, heads * group, length, 128), (1, heads, length, 128)
        operands = rounded(*random(length, of_q, of_k, of_k, of_q))
        out, *expected = expected_heads(*operands, causal)
        check(flash_gradients(*operands[:3], out, operands[3], causal), expected)

    def test_with_another_number_of_keys_and_batches():
        for queries, keys, heads, shared in ((1, 1000, 6, 2), (300, 1, 3, 3), (130, 257, 4, 1)):
            of_q, of_k = (2, heads, queries, 128), (2, shared, keys, 128)
            operands = rounded(*random(keys, of_q, of_k, of_k, of_q))
            out, *expected = expected_heads(*operands, False)
            check(flash_gradients(*operands[:3], out, operands[3]), expected)

    @pytest.mark.parametrize("causal", [False, True])
    def test_one_head_does_not_see_the_next(causal):
        """NaN in head 1 must not reach head 0, whose last tiles end within head 1."""
        operands = rounded(*random(1, *[(1, 2, 200, 128)] * 4))
        out, *expected = expected_heads(*(x[:, :1] for x in operands), causal)
        out = np.concatenate([out, np.full(out.shape, np.nan)], axis=1)
        for x in operands:
            x[0, 1] = np.nan
        got = flash_gradients(*operands[:3], out, operands[3], causal)
        check([x[:, :1] for x in got], expected)
        assert all(np.isnan(x[0, 1]).any() for x in got)

    def test_shapes_that_do_not_fit_are_refused():
        q, k, few = random(5, (1, 3, 8, 64), (1, 3, 8, 128), (1, 2, 8, 128))
        for wrong in ((q,) * 5, (k, k, k, k, few), (k, few, few, k, k), (k[0],) * 5):
            with pytest.raises(ValueError, match="see what flash_gradients takes"):
                flash_gradients(*wrong)
        with pytest.raises(ValueError, match="see what flash_gradients takes"):
            flash_gradients(k, k[:, :, :7], k[:, :, :7], k, k, causal=True)

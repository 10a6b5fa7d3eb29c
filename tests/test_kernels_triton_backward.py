"""Attention backward in Triton: it needs its compiler and a GPU, so all of these tests do."""

import os

import pytest

# Read by `python -m lockstep gpu`: Triton compiles them, and so once is enough.
NOT_ON = {"numba-cuda-mlir": "Triton compiles these kernels, whichever Numba there is"}
SIMULATOR = os.environ.get("NUMBA_ENABLE_CUDASIM") == "1"

if not SIMULATOR:
    import torch

    from kernels.in_triton.attention_backward import flash, forward

    def random(*shape, dtype):
        generator = torch.Generator("cuda").manual_seed(sum(shape))
        return torch.randn(shape, device="cuda", generator=generator).to(dtype)

    def with_gradients(attend, q, k, v, d_out, **options):
        """Return (output, dq, dk, dv)."""
        leaves = [x.detach().requires_grad_() for x in (q, k, v)]
        out = attend(*leaves, **options)
        return [out, *torch.autograd.grad(out, leaves, d_out)]

    def in_float64(q, k, v, d_out, causal):
        """By PyTorch's own gradients of the formula, with all scores in memory."""

        def attend(q, k, v):
            group = q.shape[1] // k.shape[1]
            k, v = (x.repeat_interleave(group, 1) for x in (k, v))
            scores = q @ k.mT / q.shape[3] ** 0.5
            if causal:
                hidden = torch.ones_like(scores, dtype=torch.bool).triu(1)
                scores = scores.masked_fill(hidden, -torch.inf)
            return torch.softmax(scores, 3) @ v

        return with_gradients(attend, *(x.double() for x in (q, k, v, d_out)))

    def check(got, expected, limit):
        size = max(x.square().mean().sqrt() for x in expected)
        for name, x, y in zip(("out", "dq", "dk", "dv"), got, expected, strict=True):
            error = (x.double() - y).norm() / max(y.norm(), 1e-3 * size * y.numel() ** 0.5)
            assert error < limit, f"{name}: {error:.2e}"  # with one key dq and dk are zeros

    LIMIT = {torch.float16: 2e-3, torch.bfloat16: 1e-2}

    # Each type and each kind of length compiles anew: 1, a multiple of 16, and any other.
    LENGTHS = [(n, torch.bfloat16) for n in (1, 127, 128, 129, 1000, 4096)]

    @pytest.mark.parametrize("depth", [64, 128])
    @pytest.mark.parametrize("causal", [False, True])
    @pytest.mark.parametrize("length, dtype", [*LENGTHS, (1000, torch.float16)])
    def test_gradients(length, dtype, causal, depth):
        heads = 1 if length > 1000 else 2
        q, d_out = random(2, 1, 2 * heads, length, depth, dtype=dtype)
        k, v = random(2, 1, heads, length, depth, dtype=dtype)
        expected = in_float64(q, k, v, d_out, causal)
        check(with_gradients(flash, q, k, v, d_out, causal=causal), expected, LIMIT[dtype])

    @pytest.mark.parametrize("queries, keys", [(1, 1000), (300, 1), (130, 257)])
    def test_with_another_number_of_keys(queries, keys):
        q, d_out = random(2, 2, 6, queries, 128, dtype=torch.float16)
        k, v = random(2, 2, 2, keys, 128, dtype=torch.float16)
        expected = in_float64(q, k, v, d_out, False)
        check(with_gradients(flash, q, k, v, d_out), expected, LIMIT[torch.float16])

    def test_a_gradient_with_strides():
        """What a layer hands back is often a transposed view."""
        q, k, v, d_out = random(4, 1, 2, 200, 64, dtype=torch.float16)
        turned = d_out.transpose(1, 2).contiguous().transpose(1, 2)
        got = with_gradients(flash, q, k, v, turned)
        check(got, in_float64(q, k, v, d_out, False), LIMIT[torch.float16])

    def test_one_head_does_not_see_the_next():
        q, k, v, d_out = random(4, 1, 2, 200, 64, dtype=torch.float16)
        expected = with_gradients(flash, q, k, v, d_out)
        for x in (q, k, v, d_out):
            x[0, 1] = float("nan")
        for x, y in zip(with_gradients(flash, q, k, v, d_out), expected, strict=True):
            assert torch.equal(x[0, 0], y[0, 0])

    def test_shapes_that_do_not_fit_are_refused():
        q = random(1, 3, 8, 64, dtype=torch.float16)
        with pytest.raises(ValueError, match="do not belong together"):
            forward(q, q[:, :2], q[:, :2])
        with pytest.raises(ValueError, match="head dimension 32"):
            forward(q[..., :32], q[..., :32], q[..., :32])
        with pytest.raises(ValueError, match="causal mask of 8 queries and 7 keys"):
            forward(q, q[:, :, :7], q[:, :, :7], causal=True)

"""Triton's kernels: they need its compiler and a GPU, so all of these tests do."""

import os

import pytest

# Read by `python -m lockstep gpu`: Triton compiles them, and so once is enough.
NOT_ON = {"numba-cuda-mlir": "Triton compiles these kernels, whichever Numba there is"}
SIMULATOR = os.environ.get("NUMBA_ENABLE_CUDASIM") == "1"

if not SIMULATOR:
    import torch

    from kernels.in_triton.attention import flash_triton
    from kernels.in_triton.matmul import matmul, matmul_persistent
    from kernels.in_triton.no_mask import no_mask_kernel
    from kernels.in_triton.norms import norm_triton
    from kernels.in_triton.rms import rms_kernel
    from kernels.in_triton.softmax import softmax
    from kernels.in_triton.vector_add import add
    from kernels.in_triton.window import window_mask

    def random(*shape, dtype=torch.float32):
        generator = torch.Generator("cuda").manual_seed(sum(shape))
        return torch.randn(shape, device="cuda", generator=generator).to(dtype)

    def off(got, expected):
        return ((got.double() - expected).norm() / expected.norm()).item()

    @pytest.mark.parametrize("n", [1, 1023, 1024, 1025, 1_000_003])
    def test_add(n):
        x, y = random(n), random(n)
        assert torch.equal(add(x, y), x + y)
        with pytest.raises(ValueError, match="differ"):
            add(x, y[:0])

    @pytest.mark.parametrize("columns", [1, 31, 1000, 1024, 1025, 40_000])
    def test_softmax(columns):
        x = 10 * random(33, columns)
        assert off(softmax(x), torch.softmax(x.double(), 1)) < 1e-6

    @pytest.mark.parametrize("columns", [1, 31, 1000, 1024, 1025, 32_768])
    def test_norms(columns):
        x, out = 3 + random(33, columns), torch.empty(33, columns, device="cuda")
        weight, bias = random(2, columns)
        wide = [x.double(), (columns,), weight.double()]
        norm_triton(x, weight, bias, out)
        assert off(out, torch.nn.functional.layer_norm(*wide, bias.double(), 1e-5)) < 1e-5
        norm_triton(x, weight, None, out)
        assert off(out, torch.nn.functional.rms_norm(*wide, 1e-5)) < 1e-6

    def test_a_missing_mask_is_caught_by_the_result():
        x, out = random(9, 1000), torch.empty(8, 1000, device="cuda")
        no_mask_kernel[(8,)](x, out, 1000, BLOCK=1024)
        assert off(out, torch.softmax(x[:8].double(), 1)) > 0.005

    @pytest.mark.parametrize("product", [matmul, matmul_persistent])
    @pytest.mark.parametrize("shape", [(1, 8, 8), (128, 256, 64), (129, 264, 72), (700, 520, 1000)])
    def test_product(product, shape):
        m, n, k = shape
        generator = torch.Generator("cuda").manual_seed(m * n + k)
        a, b = (
            torch.randint(-4, 5, size, device="cuda", generator=generator).bfloat16()
            for size in ((m, k), (k, n))
        )
        assert torch.equal(product(a, b), (a.float() @ b.float()).bfloat16())

    def test_a_product_of_any_width():
        a, b = random(7, 5, dtype=torch.float16), random(5, 3, dtype=torch.float16)
        assert off(matmul(a, b), a.double() @ b.double()) < 1e-3
        with pytest.raises(ValueError, match="7 columns and b has 5 rows"):
            matmul(a.T, b)

    @pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
    @pytest.mark.parametrize("depth", [64, 128])
    @pytest.mark.parametrize("causal", [False, True])
    @pytest.mark.parametrize("length", [1, 127, 128, 129, 1000, 4096])
    def test_flash(length, causal, depth, dtype):
        q = random(2, 4, length, depth, dtype=dtype)
        k, v = random(2, 2, 2, length, depth, dtype=dtype)
        expected = torch.nn.functional.scaled_dot_product_attention(
            q.double(), k.double(), v.double(), is_causal=causal, enable_gqa=True
        )
        limit = 6e-3 if dtype == torch.bfloat16 else 1e-3
        assert off(flash_triton(q, k, v, causal), expected) < limit

    def test_one_head_does_not_see_the_next():
        q, k, v = random(3, 1, 2, 200, 64, dtype=torch.float16)
        expected = flash_triton(q, k, v)[0, 0]
        for x in (q, k, v):
            x[0, 1] = float("nan")
        assert torch.equal(flash_triton(q, k, v)[0, 0], expected)

    def test_shapes_that_do_not_fit_are_refused():
        q, k = random(1, 3, 8, 64), random(1, 2, 8, 64)
        with pytest.raises(ValueError, match="do not belong together"):
            flash_triton(q, k, k)
        with pytest.raises(ValueError, match="depth 32"):
            flash_triton(q[..., :32], q[..., :32], q[..., :32])

    def test_rms():
        x = random(50, 1000)
        out = torch.empty_like(x)
        rms_kernel[(50,)](x, out, 1000, 1e-6, BLOCK=1024)
        right = x.double() / (x.double().square().mean(1, keepdim=True) + 1e-6).sqrt()
        assert off(out, right) < 1e-6

    def test_window():
        for length, window in ((5, 2), (7, 7), (3, 1)):
            right = [[i - window < j <= i for j in range(length)] for i in range(length)]
            assert window_mask(length, window).tolist() == right

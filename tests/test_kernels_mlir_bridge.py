"""The bridge to PTX on numba-cuda-mlir: the kernels of the tensor cores and of attention, again.

They need a GPU, so all of these do. numba-cuda-mlir is asked by its own name, beside whichever
compiler the process is for, so they run under both targets and under compute-sanitizer.
"""

import os

import pytest

SIMULATOR = os.environ.get("NUMBA_ENABLE_CUDASIM") == "1"

if not SIMULATOR:
    import numpy as np

    from kernels.mlir_bridge import constants, gaps, hello
    from kernels.mlir_bridge.product import matmul_mlir
    from kernels.mlir_bridge.same_text import again

    (plain, formats, one, mma, wgmma, box, one_group, two_consumers, overlap, fp8, fp8_attention,
     tiled, registers, vectors) = again(
        "kernels.attention.plain",
        "kernels.tensor_cores.formats",
        "kernels.tensor_cores.one_product",
        "kernels.tensor_cores.mma_sync",
        "kernels.tensor_cores.wgmma",
        "kernels.tensor_cores.box",
        "kernels.attention.one_group",
        "kernels.attention.two_consumers",
        "kernels.attention.overlap",
        "kernels.tensor_cores.fp8",
        "kernels.attention.fp8",
        "kernels.gemm.tiled",
        "kernels.gemm.registers",
        "kernels.gemm.vectors",
    )  # fmt: skip
    SHAPES = [(1, 1, 1), (7, 5, 3), (128, 256, 64), (129, 257, 65), (127, 33, 200), (200, 520, 136)]

    def operands(m, n, k):
        """Integers from -4 to 4: any sum of 1,000 products is exact in float32."""
        random = np.random.default_rng(seed=m * n + k)
        return (random.integers(-4, 5, shape).astype(np.float32) for shape in ((m, k), (k, n)))

    @pytest.mark.parametrize("n", [4, 400, 5000])
    def test_a_hinted_load_of_16_bytes(n):
        x = np.random.default_rng(n).integers(-9, 9, n).astype(np.float32)
        np.testing.assert_array_equal(hello.sum_fours(x), x.reshape(-1, 4).sum(axis=1))

    @pytest.mark.parametrize("n", [4, 400, 5000])
    def test_vectors_are_copied_and_nothing_more(n):
        x = np.random.default_rng(n).normal(size=n).astype(np.float32)
        out = hello.cuda.to_device(np.zeros(n + 8, np.float32))
        hello.copy_fours_kernel[-(-n // 512), 128](hello.cuda.to_device(x), out)
        np.testing.assert_array_equal(out.copy_to_host(), np.append(x, np.zeros(8, np.float32)))

    @pytest.mark.parametrize(("n", "kind"), [(4, np.float32), (4, np.float64), (5000, np.float64)])
    def test_copies_of_16_bytes_whatever_the_type(n, kind):
        x = np.random.default_rng(n).normal(size=n).astype(kind)
        np.testing.assert_array_equal(constants.copy_sixteen(x), x)

    def test_one_product():
        a, b = operands(16, 8, 16)
        np.testing.assert_array_equal(one.one_product(a, b), a @ b)

    @pytest.mark.parametrize("shape", SHAPES)
    @pytest.mark.parametrize("name", ["matmul_mlir", "mma.matmul_mma_sync", "wgmma.matmul_wgmma"])
    def test_product(name, shape):
        product = {
            "matmul_mlir": matmul_mlir,
            "mma.matmul_mma_sync": mma.matmul_mma_sync,
            "wgmma.matmul_wgmma": wgmma.matmul_wgmma,
        }[name]
        a, b = operands(*shape)
        expected = formats.from_bfloat16(formats.to_bfloat16(a @ b))
        np.testing.assert_array_equal(product(a, b), expected)

    def test_a_box_is_swizzled_and_zero_outside():
        matrix = np.arange(100 * 72, dtype=np.uint16).reshape(100, 72)
        for x, y in ((0, 0), (8, 50), (64, 64)):
            padded = np.pad(matrix, ((0, 100), (0, 100)))[y : y + 64, x : x + 64]
            rows, pieces = np.arange(64)[:, None], np.arange(8)
            expected = padded.reshape(64, 8, 8)[rows, pieces ^ rows % 8].reshape(64, 64)
            np.testing.assert_array_equal(box.fetch_box(matrix, x, y), expected)

    def heads(length, depth=128):
        random = np.random.default_rng(length)
        shape = (2, length, depth)
        return [
            formats.from_bfloat16(formats.to_bfloat16(random.normal(size=shape))) for _ in range(3)
        ]

    @pytest.mark.parametrize("length", [1, 127, 128, 129, 1000])
    @pytest.mark.parametrize("rung", ["one group", "two consumers"])
    def test_rungs_of_attention(rung, length):
        kernel, bm, threads, shared = {
            "one group": (one_group.one_group_kernel, 64, 128, one_group.SHARED_1),
            "two consumers": (
                two_consumers.two_consumers_kernel, 128, 384, two_consumers.SHARED_2
            ),
        }[rung]  # fmt: skip
        q, k, v = heads(length)
        got = one_group.rung(kernel, bm, threads, shared, q, k, v)
        exact = np.stack([plain.attention(*head) for head in zip(q, k, v, strict=True)])
        assert np.linalg.norm(got - exact) < 0.005 * np.linalg.norm(exact)

    @pytest.mark.parametrize("length", [1, 127, 128, 129, 1000])
    @pytest.mark.parametrize("causal", [False, True])
    @pytest.mark.parametrize("depth", [64, 128])
    def test_flash_attention(depth, causal, length):
        q, k, v = heads(length, depth)
        got = overlap.flash_attention(q[None], k[None], v[None], causal=causal)[0]
        exact = np.stack([plain.attention(*h, causal=causal) for h in zip(q, k, v, strict=True)])
        assert np.linalg.norm(got - exact) < 0.005 * np.linalg.norm(exact)

    @pytest.mark.parametrize("promoted", [False, True])
    @pytest.mark.parametrize("shape", SHAPES)
    def test_an_fp8_product(shape, promoted):
        a, b = operands(*shape)
        off = np.linalg.norm(fp8.matmul_fp8(a, b, promoted) - a @ b)
        assert off <= 0.005 * np.linalg.norm(a @ b)

    @pytest.mark.parametrize("length", [1, 127, 129, 1000])
    @pytest.mark.parametrize("causal", [False, True])
    def test_attention_in_fp8(causal, length):
        q, k, v = heads(length)
        got = fp8_attention.flash_attention_fp8(q[None], k[None], v[None], causal=causal)[0]
        exact = np.stack([plain.attention(*h, causal=causal) for h in zip(q, k, v, strict=True)])
        assert np.linalg.norm(got - exact) < 0.08 * np.linalg.norm(exact)

    @pytest.mark.parametrize("shape", [(129, 127, 131), (129, 132, 44), (256, 128, 64)])
    @pytest.mark.parametrize("rung", ["tiled", "column", "rectangle", "vectors", "padded"])
    def test_rungs_of_the_worklog(rung, shape):
        kernel, tile, threads = {
            "tiled": (tiled.make_tiled(16), (16, 16), (16, 16)),
            "column": (registers.make_column(64, 64, 16, 16), (64, 64), (64, 4)),
            "rectangle": (registers.make_rectangle(128, 128, 8, 8, 8), (128, 128), (16, 16)),
            "vectors": (vectors.make_vectors(128, 128, 8, 8, 8), (128, 128), (16, 16)),
            "padded": (vectors.make_vectors(128, 128, 8, 8, 8, 4), (128, 128), (16, 16)),
        }[rung]
        a, b = operands(*shape)
        np.testing.assert_array_equal(vectors.product(kernel, tile, threads, a, b), a @ b)

    def test_a_part_of_three_dimensions():
        assert gaps.refusal(gaps.part_kernel, "compiler bug") == "compiler bug"
        assert gaps.refusal(gaps.rows_kernel, "") == "compiles"

    @pytest.mark.parametrize(
        ("name", "wrong", "right"),
        [("minus", -99, 99), ("third", 1, 2), ("eleventh", 10, 101)],
    )
    def test_operands_that_are_others(name, wrong, right):
        got = gaps.first_after(getattr(gaps, f"{name}_kernel"))
        assert got == wrong, "mended: say so on the page" if got == right else "another answer"

    def test_named_results_and_values_are_what_they_say():
        assert gaps.first_after(gaps.sum_kernel) == 100 + sum(range(1, 11))

    def test_a_read_write_operand_changes_its_copies():
        d_x = gaps.cuda.to_device(np.array([21, 0, 0], dtype=np.float32))
        gaps.twice_kernel[1, 1](d_x)
        np.testing.assert_array_equal(d_x.copy_to_host(), [21, 42, 42])

    @pytest.mark.parametrize("name", ["init", "expect", "box", "rank"])
    def test_intrinsics_that_hopper_has_not(name):
        kernel = getattr(gaps, f"{name}_kernel")
        assert gaps.refusal(kernel, "unsupported NVVM op") == "unsupported NVVM op"

"""Attention: against float64, at every kind of length, and what the compiler makes of it.

Without a GPU the Hopper kernels are compiled for sm_90a, in a process without Numba's simulator.
"""

import json
import math
import os
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from numba import cuda

from kernels.attention.plain import attention, online_attention
from kernels.tensor_cores.e4m3 import from_e4m3, to_e4m3
from kernels.wrong.attention_no_rescale import no_rescale_kernel

# Read by `python -m lockstep gpu`; the pages of these kernels say the same.
NOT_ON = {"numba-cuda-mlir": "the kernels need intrinsics, which it has in another form"}
ROOT = Path(__file__).resolve().parent.parent
SIMULATOR = os.environ.get("NUMBA_ENABLE_CUDASIM") == "1"
RUNG = "void(uint8[::1], uint16[:,:,::1], int32, int32, float32)"
FLASH = "void(uint8[::1], uint16[:,:,::1], int32, int32, int32, int32, int32, float32)"
SHAPES = "void(uint8[::1], float32[::1], uint32[::1], int32, int32, int32, int32)"
COPY = "void(uint16[:,::1], uint16[:,::1])"
FP8 = "void(uint8[::1], int32, int32, int32)"
# Expression -> (signature, how many of which instructions must be in its PTX).
KERNELS = {
    "attention.one_group:one_group_kernel": (RUNG, {"wgmma.mma_async": 16, "setmaxnreg": 0}),
    "attention.two_consumers:two_consumers_kernel": (
        RUNG,
        {"wgmma.mma_async": 16, "setmaxnreg": 2},
    ),
    "attention.overlap:FLASH[128, 0][0]": (FLASH, {"wgmma.mma_async": 32, "setmaxnreg": 2}),
    "attention.overlap:FLASH[128, 1][0]": (FLASH, {"wgmma.mma_async": 32, "setmaxnreg": 2}),
    "attention.overlap:FLASH[64, 0][0]": (FLASH, {"wgmma.mma_async": 24, "setmaxnreg": 2}),
    "attention.overlap:FLASH[64, 1][0]": (FLASH, {"wgmma.mma_async": 24, "setmaxnreg": 2}),
    "tensor_cores.shapes:shape_kernel(64, 64)[0]": (SHAPES, {"wgmma.mma_async": 4, "stmatrix": 4}),
    "tensor_cores.shapes:shape_kernel(64, 128)[0]": (SHAPES, {"wgmma.mma_async": 4}),
    "tensor_cores.shapes:shape_kernel(64, 192)[0]": (SHAPES, {"wgmma.mma_async": 4}),
    "tensor_cores.shapes:shape_kernel(64, 256)[0]": (SHAPES, {"wgmma.mma_async": 4}),
    "tensor_cores.shapes:shape_kernel(128, 128)[0]": (SHAPES, {"wgmma.mma_async": 4}),
    "tensor_cores.shapes:shape_kernel(128, 192)[0]": (SHAPES, {"wgmma.mma_async": 4}),
    "tensor_cores.shapes:shape_kernel(128, 256)[0]": (SHAPES, {"wgmma.mma_async": 4, "bar.red": 1}),
    "tensor_cores.shapes:shape_kernel(128, 256, False)[0]": (
        SHAPES,
        {"wgmma.mma_async": 4, "bar.red": 0},
    ),
    "tensor_cores.shapes:shape_kernel(64, 64, False, 16)[0]": (
        SHAPES,
        {"wgmma.mma_async": 4, "bar.red": 0},
    ),
    "tensor_cores.shapes:shape_kernel(64, 128, True, 16)[0]": (
        SHAPES,
        {"wgmma.mma_async": 4, "bar.red": 1},
    ),
    "tensor_cores.shapes:copy_rows_kernel": (COPY, {"wgmma.mma_async": 0}),
    "tensor_cores.fp8:FAST[0]": (FP8, {"e4m3.e4m3": 4, "stmatrix": 16}),
    "tensor_cores.fp8:PROMOTED[0]": (FP8, {"e4m3.e4m3": 4, "stmatrix": 12}),
}
COMPILE = """
import json
import sys
from importlib import import_module
from types import SimpleNamespace
from cuda.core import Linker, LinkerOptions, ObjectCode
from numba.cuda import compiler, dispatcher
# A device function asks for the device that it is compiled for: tell it, where there is none.
dispatcher.get_current_device = lambda: SimpleNamespace(compute_capability=(9, 0))
said = {}
for name, signature in json.loads(sys.argv[1]).items():
    module, kernel = name.split(":")
    kernel = eval(kernel, vars(import_module(f"kernels.{module}")))
    bounds = kernel.targetoptions.get("launch_bounds")
    common = dict(cc=(9, 0, "a"), device=False, abi="numba", launch_bounds=bounds)
    code, _ = compiler.compile(kernel.py_func, signature, output="ltoir", **common)
    said[name] = []
    for wanted in ({"ptx": True}, {"ptxas_options": ["-v"]}):
        options = LinkerOptions(arch="sm_90a", link_time_optimization=True, **wanted)
        linker = Linker(ObjectCode.from_ltoir(bytes(code)), options=options)
        made = linker.link("ptx" if "ptx" in wanted else "cubin")
        said[name].append(made.code.decode() if "ptx" in wanted else linker.get_info_log())
print(json.dumps(said))
"""


def random(seed, *shapes):
    generator = np.random.default_rng(seed)
    return [generator.normal(size=shape).astype(np.float32) for shape in shapes]


def off(got, expected):
    return np.linalg.norm(got - expected) / np.linalg.norm(expected)


# ---------------------------------------------------------------- the online softmax

LENGTHS = [1, 7, 33] if SIMULATOR else [1, 127, 128, 129, 1000]


@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize("length", LENGTHS)
def test_online(length, causal):
    q, k, v = random(length, *[(length, 8)] * 3)
    assert off(online_attention(q, k, v, causal), attention(q, k, v, causal)) < 1e-6


def test_online_with_scores_whose_exponential_is_not_finite():
    q, k, v = random(3, (5, 8), (9, 8), (9, 8))
    got = online_attention(300 * q, k, v)
    assert off(got, attention(300 * q, k, v)) < 1e-5


def test_the_reference_is_attention():
    """Against a second way to write it, one query at a time, with the weights' definition."""
    q, k, v = (x.astype(np.float64) for x in random(4, (6, 8), (6, 8), (6, 8)))
    for causal in (False, True):
        got = attention(q, k, v, causal)
        for i, query in enumerate(q):
            seen = slice(0, i + 1 if causal else None)
            powers = [math.exp(key @ query / math.sqrt(8)) for key in k[seen]]
            np.testing.assert_allclose(got[i], np.dot(powers, v[seen]) / sum(powers))


def test_a_sum_that_is_not_rescaled_is_caught_by_the_result():
    q, k, v = random(5, (4, 8), (6, 8), (6, 8))
    d_out = cuda.device_array(q.shape, np.float32)
    arguments = [cuda.to_device(x) for x in (q, k, v)]
    no_rescale_kernel[1, 32](*arguments, d_out, np.float32(1 / math.sqrt(8)))
    assert off(d_out.copy_to_host(), attention(q, k, v)) > 0.1


def test_depths_that_do_not_fit_are_refused():
    q, k = random(6, (4, 8), (4, 9))
    with pytest.raises(ValueError, match="depths 8, 9 and 8"):
        online_attention(q, k, q)


# ---------------------------------------------------------------- FP8


def test_e4m3_is_the_nearest_and_halves_go_to_even():
    finite = np.arange(0x7F, dtype=np.uint8)
    numbers = from_e4m3(finite).astype(np.float64)
    assert numbers[[1, 8, 0x38, 0x7E]].tolist() == [2.0**-9, 2.0**-6, 1, 448]
    assert (np.diff(numbers) > 0).all() and np.isnan(from_e4m3(0x7F))
    halves = (numbers[:-1] + numbers[1:]) / 2
    np.testing.assert_array_equal(to_e4m3(numbers), finite)
    np.testing.assert_array_equal(to_e4m3(halves), (finite[:-1] + 1) // 2 * 2)
    np.testing.assert_array_equal(to_e4m3(np.nextafter(halves.astype(np.float32), 0)), finite[:-1])
    np.testing.assert_array_equal(
        to_e4m3(np.nextafter(halves.astype(np.float32), np.float32(500))), finite[1:]
    )
    np.testing.assert_array_equal(to_e4m3(-numbers), finite | 0x80)
    np.testing.assert_array_equal(to_e4m3([500, -1e9, np.nan]), [0x7E, 0xFE, 0x7F])


# ---------------------------------------------------------------- compiled without a GPU

if SIMULATOR:  # on a GPU the kernels run

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
    def test_numba_makes_the_instructions_and_no_spill(name, compiled):
        ptx, report = compiled[name]
        for instruction, count in KERNELS[name][1].items():
            found = len(re.findall(rf"{re.escape(instruction)}", ptx))
            assert found == count, f"{found} x {instruction}"
        assert "0 bytes spill stores, 0 bytes spill loads" in report
        assert "Potential Performance Loss" not in report  # serialized wgmma, setmaxnreg ignored


# ---------------------------------------------------------------- on a GPU

if not SIMULATOR:
    from kernels.attention import one_group, overlap, two_consumers
    from kernels.tensor_cores import shapes
    from kernels.tensor_cores.formats import from_bfloat16, to_bfloat16
    from kernels.tensor_cores.fp8 import matmul_fp8
    from kernels.tensor_cores.wgmma import launch

    def rounded(*arrays):
        return [from_bfloat16(to_bfloat16(x)) for x in arrays]

    def expected_heads(q, k, v, causal):
        """Attention in float64 of (batch, heads, length, depth), heads of k and v shared."""
        group = q.shape[1] // k.shape[1]
        return np.stack(
            [
                [attention(x, y[h // group], z[h // group], causal) for h, x in enumerate(heads)]
                for heads, y, z in zip(q, k, v, strict=True)
            ]
        )

    LIMIT = 6e-3  # weights and results are rounded to 8 bits

    @pytest.mark.parametrize("causal", [False, True])
    @pytest.mark.parametrize("depth", [64, 128])
    @pytest.mark.parametrize("length", [1, 127, 128, 129, 193, 1000, 4096])
    def test_flash(length, depth, causal):
        heads = 1 if length > 1000 else 2  # of k and v; under a checker, long ones take minutes
        shapes = [(1, 2 * heads, length, depth), *[(1, heads, length, depth)] * 2]
        q, k, v = rounded(*random(length, *shapes))
        got = overlap.flash_attention(q, k, v, causal)
        assert off(got, expected_heads(q, k, v, causal)) < LIMIT

    @pytest.mark.parametrize("depth", [64, 128])
    def test_flash_with_another_number_of_keys_and_batches(depth):
        for queries, keys, heads, shared in ((1, 1000, 6, 2), (300, 1, 3, 3), (130, 257, 4, 1)):
            shapes = [(2, heads, queries, depth), *[(2, shared, keys, depth)] * 2]
            q, k, v = rounded(*random(keys, *shapes))
            assert off(overlap.flash_attention(q, k, v), expected_heads(q, k, v, False)) < LIMIT

    @pytest.mark.parametrize("causal", [False, True])
    def test_one_head_does_not_see_the_next(causal):
        """NaN in head 1 must not reach head 0, whose last tile of keys ends within head 1."""
        q, k, v = rounded(*random(1, *[(1, 2, 200, 128)] * 3))
        expected = expected_heads(q, k, v, causal)[0, 0]
        for x in (q, k, v):
            x[0, 1] = np.nan
        got = overlap.flash_attention(q, k, v, causal)
        assert off(got[0, 0], expected) < LIMIT and np.isnan(got[0, 1]).all()

    def test_flash_with_few_blocks_and_bands_of_heads():
        """A block that does many items must count its barriers' phases on from one to the next."""
        q, k, v = rounded(*random(2, *[(1, 5, 400, 128)] * 3))
        for causal in (False, True):
            for blocks, band in ((1, 1), (3, 2), (7, 5)):
                arrays = [cuda.to_device(to_bfloat16(x[0])) for x in (q, k, v)]
                d_out = cuda.device_array(arrays[0].shape, np.uint16)
                kernel, *sizes, arguments = overlap.flash_arguments(
                    *arrays, d_out, causal, blocks, band
                )
                launch(kernel, *sizes, *arguments)
                got = from_bfloat16(d_out.copy_to_host())[None]
                assert off(got, expected_heads(q, k, v, causal)) < LIMIT

    def test_shapes_that_do_not_fit_are_refused():
        q, k, v = random(1, (1, 3, 8, 64), (1, 2, 8, 64), (1, 2, 8, 64))
        for wrong, what in (
            ((q, k, v), "3 heads of q"),
            ((q[0], k, v), "q has shape"),
            ((k, k, v[:, :, :7]), "do not belong together"),
            ((k[..., :32], k[..., :32], v[..., :32]), "head dimension 32"),
        ):
            with pytest.raises(ValueError, match=what):
                overlap.flash_attention(*wrong)
        with pytest.raises(ValueError, match="causal mask of 7 queries and 8 keys"):
            overlap.flash_attention(k[:, :, :7], k, v, causal=True)

    RUNGS = {
        "one_group": (one_group.one_group_kernel, 64, 128, one_group.SHARED_1),
        "two_consumers": (two_consumers.two_consumers_kernel, 128, 384, two_consumers.SHARED_2),
    }

    @pytest.mark.parametrize("name", RUNGS)
    @pytest.mark.parametrize("length", [1, 127, 128, 129, 1000, 4096])
    def test_rung(name, length):
        heads = 1 if length > 1000 else 2
        q, k, v = rounded(*random(length, *[(heads, length, 128)] * 3))
        got = one_group.rung(*RUNGS[name], q, k, v)
        assert off(got[None], expected_heads(q[None], k[None], v[None], False)) < LIMIT

    @pytest.mark.parametrize("promoted", [False, True])
    @pytest.mark.parametrize("shape", [(1, 1, 1), (128, 256, 128), (129, 257, 65), (200, 520, 400)])
    def test_fp8_product(shape, promoted):
        """Integers from -4 to 4: all sums are exact, in the tensor cores' own format too."""
        m, n, k = shape
        generator = np.random.default_rng(seed=m * n + k)
        a, b = (generator.integers(-4, 5, s).astype(np.float32) for s in ((m, k), (k, n)))
        expected = from_bfloat16(to_bfloat16(a @ b))
        np.testing.assert_array_equal(matmul_fp8(a, b, promoted), expected)

    @pytest.mark.parametrize("shape", [(1, 1, 1), (129, 260, 72), (300, 520, 2000), (16, 8, 4104)])
    def test_product_of_any_shape(shape):
        m, n, k = shape
        generator = np.random.default_rng(seed=m * n + k)
        a, b = (generator.integers(-4, 5, s).astype(np.float32) for s in ((m, k), (k, n)))
        expected = from_bfloat16(to_bfloat16(a @ b))
        np.testing.assert_array_equal(shapes.matmul(a, b), expected)
        with pytest.raises(ValueError, match=f"a has {k} columns"):
            shapes.matmul(a, np.ones((k + 1, 2)))

    def whole_numbers(m, n, k, seed):
        """Return a, b and their product, all exact in bfloat16 but for the product's rounding."""
        generator = np.random.default_rng(seed=seed)
        a, b = (generator.integers(-4, 5, s).astype(np.float32) for s in ((m, k), (k, n)))
        return to_bfloat16(a), to_bfloat16(b), from_bfloat16(to_bfloat16(a @ b))

    NAN = 0x7FC0

    @pytest.mark.parametrize("copied", [False, True])
    @pytest.mark.parametrize("tile", shapes.STEP)
    @pytest.mark.parametrize("splits", [1, 2, 7])
    def test_each_tile_and_split_twice(tile, splits, copied, monkeypatch):
        """Twice, because a call leaves its counters at zero for the next."""
        m, n, k = 600, 648, 1000  # rows of a and b are no whole lines of the cache
        assert not shapes.copies(m, n, k, tile[0])
        if copied:  # else only larger products are
            monkeypatch.setattr(shapes, "COPIED", 0)
            assert shapes.copies(m, n, k, tile[0])
        a, b, expected = whole_numbers(m, n, k, splits)
        d_a, d_b = cuda.to_device(a), cuda.to_device(b)
        for _ in range(2):
            d_c = cuda.to_device(np.full((m, n), NAN, np.uint16))
            shapes.product(d_a, d_b, d_c, (*tile, splits))()
            np.testing.assert_array_equal(from_bfloat16(d_c.copy_to_host()), expected)

    def test_a_single_row_of_tiles_copies_nothing():
        m, n, k = 64, 30_944 + 8, 5672
        assert m * n * k > shapes.COPIED
        assert not shapes.copies(m, n, k, rows=64)
        assert shapes.copies(m + 1, n, k, rows=64)

    class Launches:
        """A kernel that counts how often it was configured and launched."""

        def __init__(self, kernel):
            self.kernel, self.launched = kernel, 0

        def __getitem__(self, configuration):
            def launch_it(*arguments):
                self.launched += 1
                self.kernel[configuration](*arguments)

            return launch_it

    @pytest.mark.parametrize(
        ("m", "n", "k", "copied"),
        [
            (2000, 1608, 1600, 1),  # above COPIED
            (1000, 1608, 1600, 0),  # below
            (2000, 1600, 1608, 0),  # b's rows are whole lines, a's are not
            (2000, 1608, 1608, 1),
        ],
    )
    def test_a_large_product_copies_uneven_rows_first(m, n, k, copied, monkeypatch):
        spy = Launches(shapes.copy_rows_kernel)
        monkeypatch.setattr(shapes, "copy_rows_kernel", spy)
        a, b, expected = whole_numbers(m, n, k, 1)
        d_a, d_b = cuda.to_device(a), cuda.to_device(b)
        d_c = cuda.to_device(np.full((m, n), NAN, np.uint16))
        multiply = shapes.product(d_a, d_b, d_c)
        for calls in (1, 2):  # b may change between two calls
            multiply()
            assert spy.launched == calls * copied
            np.testing.assert_array_equal(from_bfloat16(d_c.copy_to_host()), expected)
            d_b.copy_to_device(b ^ np.uint16(0x8000))
            expected = -expected

    @pytest.mark.parametrize(
        ("m", "tile", "splits"),
        [
            *[(16, tile, splits) for tile in shapes.STEP if tile[0] == 64 for splits in (1, 3)],
            *[(1, (64, 64), 1), (8, (64, 128), 2), (24, (64, 128), 1), (40, (64, 64), 3)],
            *[(64, (64, 64), 1), (72, (64, 64), 1), (104, (128, 128), 2), (136, (128, 192), 1)],
        ],
    )
    def test_few_rows_read_and_write_no_others(m, tile, splits):
        """NaN stand behind the rows of a and must not count; behind those of c nothing changes."""
        n, k = 520, 1032
        a, b, expected = whole_numbers(m, n, k, m)
        d_a = cuda.to_device(np.vstack([a, np.full((128, k), NAN, np.uint16)]))[:m]
        d_b = cuda.to_device(np.vstack([b, np.full((64, n), NAN, np.uint16)]))[:k]
        d_c = cuda.to_device(np.full((m + 128, n), 0x1234, np.uint16))
        multiply = shapes.product(d_a, d_b, d_c[:m], (*tile, splits))
        for _ in range(2):
            multiply()
            c = d_c.copy_to_host()
            np.testing.assert_array_equal(from_bfloat16(c[:m]), expected)
            assert (c[m:] == 0x1234).all()

    def test_each_choice_has_room_for_its_parts():
        generator = np.random.default_rng(seed=17)
        for m, n, k in (8 * 2 ** generator.uniform(0, 11, (300, 3))).astype(int):
            rows, columns, splits = shapes.choose(m, n, k, 132)
            assert rows == 64 or m > 64
            tiles = -(-m // rows) * -(-n // columns)
            assert splits == 1 or (tiles * splits <= 3 * 132 and splits * 256 <= k)

    def test_promoted_sums_are_nearer_at_long_k():
        a, b = random(7, (64, 65536), (65536, 64))
        a, b = np.abs(a), np.abs(b)  # sums that grow: where the fast ones lose most
        exact = from_e4m3(to_e4m3(a)).astype(float) @ from_e4m3(to_e4m3(b)).astype(float)
        fast, promoted = (off(matmul_fp8(a, b, way), exact) for way in (False, True))
        assert promoted < 2.5e-3 < fast

"""Tensor cores: rounding exhaustively, every product exactly, and what the compilers make of it.

The operands are small integers, whose products and sums float32 holds exactly. So a result has one
right value, also where it is rounded to bfloat16. Without a GPU the kernels are compiled for
sm_90a, in a process without Numba's simulator.
"""

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from kernels.tensor_cores.box import fetch_box, first_elements, latest_kernel
from kernels.tensor_cores.formats import from_bfloat16, to_bfloat16, to_tf32
from kernels.tensor_cores.one_product import one_product, one_product_kernel
from kernels.wrong.mma_swapped_registers import swapped_registers_kernel
from kernels.wrong.tma_old_phase import old_phase_kernel
from lockstep_site.gpu import languages

# Read by `python -m lockstep gpu`; the pages of these kernels say the same.
NOT_ON = {"numba-cuda-mlir": "the kernels need intrinsics, which it has in another form"}
ROOT = Path(__file__).resolve().parent.parent
SIMULATOR = os.environ.get("NUMBA_ENABLE_CUDASIM") == "1"
# Kernel -> how many of which instructions must be in its PTX.
COMPILED = {
    "one_product:one_product_kernel": {"mma.sync.aligned.m16n8k16": 1},
    "mma_sync:mma_sync_kernel": {
        "mma.sync.aligned.m16n8k16": 4 * 32,
        "ldmatrix.sync": 5 * 8,  # four loads in the loop, one before it
        "st.global.b32": 64,
    },
    "mma_tf32:mma_tf32_kernel": {"mma.sync.aligned.m16n8k8": 4 * 32, "st.global.v2.f32": 64},
    "wgmma:wgmma_kernel": {
        "wgmma.mma_async.sync.aligned.m64n256k16": 4,
        "cp.async.bulk.tensor.2d.global": 4,
        "setmaxnreg": 2,
        "stmatrix": 16,
    },
}
SIGNATURES = {
    "one_product:one_product_kernel": "void(uint32[:,::1], uint32[:,::1], float32[:,::1])",
    "mma_sync:mma_sync_kernel": "void(uint16[:,::1], uint16[:,::1], uint16[:,::1])",
    "mma_tf32:mma_tf32_kernel": "void(float32[:,::1], float32[:,::1], float32[:,::1])",
    "wgmma:wgmma_kernel": "void(uint8[::1], int32, int32, int32)",
}
CUDA_CPP = {
    "wmma": "sm_90",
    "wmma_ring": "sm_90",
    "mma_sync": "sm_90",
    "wgmma": "sm_90a",
    "wgmma_tf32": "sm_90a",
}


# ---------------------------------------------------------------- rounding


def float32_near_bfloat16():
    """All finite upper halves, each with lower halves around nothing, half and everything."""
    upper = np.arange(2**16, dtype=np.uint32)
    upper = upper[(upper & 0x7F80) < 0x7F00]  # not the largest ones, which round to infinity
    lower = np.array([0, 1, 0x7FFF, 0x8000, 0x8001, 0xFFFF], np.uint32)
    return (upper[:, None] << 16 | lower).ravel().view(np.float32)


def nearest(x, step):
    """(below, above) of each number: its neighbors among those whose bits are multiples of step."""
    bits = x.view(np.uint32)
    below = bits - bits % step
    return below, below + np.where(bits % step == 0, 0, step).astype(np.uint32)


def test_bfloat16_is_the_nearest_and_halves_go_to_even():
    x = float32_near_bfloat16()
    below, above = nearest(x, 1 << 16)
    down, up = (np.abs(n.view(np.float32).astype(float) - x) for n in (below, above))
    even = np.where(below >> 16 & 1, above, below)
    expected = np.where(down < up, below, np.where(up < down, above, even))
    np.testing.assert_array_equal(to_bfloat16(x), expected >> 16)
    np.testing.assert_array_equal(from_bfloat16(to_bfloat16(x)).view(np.uint32), expected)


def test_tf32_is_the_nearest_and_halves_go_away_from_zero():
    upper = np.arange(0, 2**32 - 2**25, 2**13 * 12345, dtype=np.uint64).astype(np.uint32)
    upper = upper[(upper & 0x7F800000) < 0x7F000000]
    lower = np.array([0, 1, 0xFFF, 0x1000, 0x1001, 0x1FFF], np.uint32)
    x = (upper[:, None] & 0xFFFFE000 | lower).astype(np.uint32).ravel().view(np.float32)
    below, above = nearest(x, 1 << 13)
    down, up = (np.abs(n.view(np.float32).astype(float) - x) for n in (below, above))
    np.testing.assert_array_equal(to_tf32(x).view(np.uint32), np.where(down < up, below, above))


# ---------------------------------------------------------------- compiled without a GPU

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
    module, function = name.split(":")
    kernel = getattr(import_module(f"kernels.tensor_cores.{module}"), function)
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


if SIMULATOR:  # on a GPU the kernels run

    @pytest.fixture(scope="module")
    def compiled_by_numba():
        """{kernel: (PTX, report of the assembler)}, linked as Numba's launch would link them."""
        done = subprocess.run(
            [sys.executable, "-c", COMPILE, json.dumps(SIGNATURES)],
            cwd=ROOT, env=os.environ | {"NUMBA_ENABLE_CUDASIM": "0"}, capture_output=True,
            text=True,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr[-3000:]
        return json.loads(done.stdout)

    @pytest.mark.parametrize("name", COMPILED)
    def test_numba_makes_the_instructions_and_no_spill(name, compiled_by_numba):
        ptx, report = compiled_by_numba[name]
        for instruction, count in COMPILED[name].items():
            found = len(re.findall(rf"(?<![\w.]){re.escape(instruction)}", ptx))
            assert found == count, f"{found} x {instruction}"
        assert "0 bytes spill stores, 0 bytes spill loads" in report
        assert "Potential Performance Loss" not in report  # serialized wgmma, setmaxnreg ignored


@pytest.mark.parametrize("name", CUDA_CPP)
def test_cuda_cpp_compiles(name):
    text = (ROOT / f"snippets/tensor_cores/{name}.cu").read_text(encoding="utf-8")
    cubin = languages.compile_cuda(SimpleNamespace(text=text, where=name), CUDA_CPP[name])
    assert f".text.{name}\0".encode() in cubin


def test_no_cuda_cpp_file_is_forgotten():
    assert {p.stem for p in (ROOT / "snippets/tensor_cores").glob("*.cu")} == CUDA_CPP.keys()


# ---------------------------------------------------------------- on a GPU

SHAPES = [(1, 1, 1), (7, 5, 3), (128, 256, 64), (129, 257, 65), (127, 33, 200), (200, 520, 136)]


def operands(m, n, k):
    """Integers from -4 to 4: any sum of 1,000 products is exact in float32, and so is its order."""
    random = np.random.default_rng(seed=m * n + k)
    return (random.integers(-4, 5, shape).astype(np.float32) for shape in ((m, k), (k, n)))


if not SIMULATOR:
    import cupy as cp
    from numba import cuda

    from kernels.tensor_cores.ceiling import ceiling_kernel
    from kernels.tensor_cores.mma_sync import matmul_mma_sync
    from kernels.tensor_cores.mma_tf32 import matmul_tf32
    from kernels.tensor_cores.tma import tensor_map
    from kernels.tensor_cores.wgmma import matmul_wgmma
    from kernels.tensor_cores.wgmma_ceiling import wgmma_ceiling_kernel

    @pytest.mark.parametrize("shape", SHAPES)
    @pytest.mark.parametrize("product", [matmul_mma_sync, matmul_wgmma, matmul_tf32])
    def test_product(product, shape):
        a, b = operands(*shape)
        got, expected = product(a, b), a @ b
        if product is not matmul_tf32:
            expected = from_bfloat16(to_bfloat16(expected))
        np.testing.assert_array_equal(got, expected)

    def cuda_cpp(name, memory, m, n, k, a, b):
        """Launch one CUDA C++ kernel; its result begins at the array ``memory``."""
        text = (ROOT / f"snippets/tensor_cores/{name}.cu").read_text(encoding="utf-8")
        sizes = (np.int32(m), np.int32(n), np.int32(k))
        if name == "wmma":
            toolkit = os.environ.get("CUDA_HOME", "/usr/local/cuda")
            options = ("-std=c++17", f"-I{toolkit}/include")
            kernel = cp.RawModule(code=text, options=options).get_function(name)
            kernel((-(-n // 128), -(-m // 128)), (256,), (a, b, memory, *sizes))
            return
        if name == "wmma_ring":
            toolkit = os.environ.get("CUDA_HOME", "/usr/local/cuda")
            options = ("-std=c++17", f"-I{toolkit}/include")
            kernel = cp.RawModule(code=text, options=options).get_function(name)
            kernel.max_dynamic_shared_size_bytes = shared = 4 * 2 * (128 * 40 + 32 * 264)
            grid = -(-n // 256), -(-m // 128)
            kernel(grid, (256,), (a, b, memory, *sizes), shared_mem=shared)
            return
        if name == "mma_sync":
            kernel = cp.RawModule(code=text).get_function(name)
            kernel.max_dynamic_shared_size_bytes = shared = 3 * 48 * 1024
            blocks = -(-m // 128) * -(-n // 256)
            kernel((blocks,), (256,), (a, b, memory, *sizes), shared_mem=shared)
            return
        kernel = for_hopper(name, text)
        if name == "wgmma_tf32":
            kernel.max_dynamic_shared_size_bytes = shared = 4 * 48 * 1024 + 64
            maps = [tensor_map(x.view(np.uint16), rows) for x, rows in ((a, 128), (b, 256))]
            by_value = [x.view("V128") for x in maps]
            kernel((3,), (384,), (*by_value, memory, *sizes), shared_mem=shared)
            return
        kernel.max_dynamic_shared_size_bytes = shared = (4 * 48 + 4 * 8) * 1024 + 64
        c = memory[: m * n].reshape(m, n)
        maps = [tensor_map(x, rows).view("V128") for x, rows in ((a, 128), (b, 64), (c, 64))]
        kernel((4,), (384,), (*maps, *sizes), shared_mem=shared)

    def for_hopper(name, text):
        cubin = languages.compile_cuda(SimpleNamespace(text=text, where=name), "sm_90a")
        file = Path(os.environ.get("TMPDIR", "/tmp")) / f"lockstep-{os.getpid()}-{name}.cubin"
        file.write_bytes(cubin)
        kernel = cp.RawModule(path=str(file)).get_function(name)
        file.unlink()
        return kernel

    @pytest.mark.parametrize("name", CUDA_CPP)
    def test_cuda_cpp(name):
        shapes = [(1, 8, 8), (128, 256, 64), (129, 264, 72), (127, 40, 200), (300, 520, 136)]
        if name == "wgmma_tf32":
            shapes += [(1, 2, 4), (129, 258, 68)]
        if name == "wmma":  # it copies elements one by one, and so has no limits
            shapes += [(1, 1, 1), (129, 131, 67)]
        for m, n, k in shapes:
            a, b = operands(m, n, k)
            with cp.cuda.using_allocator(None):  # for compute-sanitizer: no pool around them
                d_a, d_b = cp.asarray(to_bfloat16(a)), cp.asarray(to_bfloat16(b))
                if name == "wgmma_tf32":
                    d_a, d_b = cp.asarray(a), cp.asarray(np.ascontiguousarray(b.T))
                kind = np.uint16 if name in {"mma_sync", "wgmma"} else np.float32
                memory = cp.asarray(np.full(m * n + 300 * n + 600, 7, kind))
            cuda_cpp(name, memory, m, n, k, d_a, d_b)
            got, room = memory.get()[: m * n], memory.get()[m * n :]
            expected = a @ b
            if kind is np.uint16:
                got, expected = from_bfloat16(got), from_bfloat16(to_bfloat16(expected))
            np.testing.assert_array_equal(got.reshape(m, n), expected, err_msg=f"{m, n, k}")
            assert (room == 7).all(), f"{name} writes outside at {m, n, k}"

    def test_one_product():
        a, b = operands(16, 8, 16)
        np.testing.assert_array_equal(one_product(a, b), a @ b)

    def test_swapped_registers_are_caught_by_the_result():
        a, b = operands(16, 8, 16)
        pairs = [np.ascontiguousarray(to_bfloat16(x)).view(np.uint32) for x in (a, b.T)]
        results = []
        for kernel in (one_product_kernel, swapped_registers_kernel):
            d_c = cuda.device_array((16, 8), np.float32)
            kernel[1, 32](*map(cuda.to_device, pairs), d_c)
            results.append(d_c.copy_to_host())
        np.testing.assert_array_equal(results[0], a @ b)
        assert (results[1] != a @ b).any()

    def test_a_box_is_swizzled_and_zero_outside():
        matrix = np.arange(100 * 72, dtype=np.uint16).reshape(100, 72)
        for x, y in ((0, 0), (8, 50), (64, 64)):
            padded = np.pad(matrix, ((0, 100), (0, 100)))[y : y + 64, x : x + 64]
            rows, pieces = np.arange(64)[:, None], np.arange(8)
            expected = padded.reshape(64, 8, 8)[rows, pieces ^ rows % 8].reshape(64, 64)
            np.testing.assert_array_equal(fetch_box(matrix, x, y), expected)

    def test_a_wait_for_an_old_phase_is_caught_by_the_result():
        np.testing.assert_array_equal(first_elements(latest_kernel, 2), [0, 64])
        got = first_elements(old_phase_kernel, 2)
        # Under compute-sanitizer a read takes so long that the box is there, waited for or not.
        assert got[1] != 64 or "compute-sanitizer" in Path("/proc/self/maps").read_text()

    def test_ceilings_multiply():
        """With ones for operands, each step adds its depth to each sum."""
        ones = cuda.to_device(to_bfloat16(np.ones(3 * 8192)))
        for kernel, depth, sums in ((ceiling_kernel, 16, 128), (wgmma_ceiling_kernel, 64, 1)):
            out = cuda.device_array(256, np.float32)
            kernel[1, 256](ones, out, 3)
            np.testing.assert_array_equal(out.copy_to_host(), np.full(256, 3 * depth * sums))

"""More of the same kernels by both compilers: the worklog's rungs, FP8's product and attention."""

from functools import partial

import cupy as cp
import torch
from numba import cuda

from benchmarks.attention import Returned, by_torch, flat, in_float64
from benchmarks.attention import operands as heads_of
from benchmarks.attention_fp8 import quantized
from benchmarks.fp8 import exact, operands, ours
from benchmarks.harness import Case, Reference
from benchmarks.mlir_bridge import by_mlir
from benchmarks.tensor_cores import Bfloat16, as_torch
from kernels.attention import fp8 as attention
from kernels.attention.transposed_values import transposed_values
from kernels.gemm.registers import make_column, make_rectangle
from kernels.gemm.tiled import make_tiled
from kernels.gemm.vectors import make_vectors
from kernels.mlir_bridge.same_text import again, hopper
from kernels.naive_matmul.matmul import matmul_kernel
from kernels.tensor_cores import fp8
from kernels.tensor_cores.wgmma import launch

naive_2, tiled_2, registers_2, vectors_2, fp8_2, attention_2, values_2 = again(
    "kernels.naive_matmul.matmul",
    "kernels.gemm.tiled",
    "kernels.gemm.registers",
    "kernels.gemm.vectors",
    "kernels.tensor_cores.fp8",
    "kernels.attention.fp8",
    "kernels.attention.transposed_values",
)
# id -> kernel by numba-cuda, by numba-cuda-mlir, rows and columns of a block, threads
RUNGS = {
    "worklog-mlir-naive": (matmul_kernel, naive_2.matmul_kernel, (8, 32), (32, 8)),
    "worklog-mlir-tiled": (make_tiled(16), tiled_2.make_tiled(16), (16, 16), (16, 16)),
    "worklog-mlir-column": (
        make_column(64, 64, 16, 16), registers_2.make_column(64, 64, 16, 16), (64, 64), (64, 4)
    ),
    "worklog-mlir-rectangle": (
        make_rectangle(128, 128, 8, 8, 8), registers_2.make_rectangle(128, 128, 8, 8, 8),
        (128, 128), (16, 16),
    ),
    "worklog-mlir-vectors": (
        make_vectors(128, 128, 8, 8, 8), vectors_2.make_vectors(128, 128, 8, 8, 8),
        (128, 128), (16, 16),
    ),
    "worklog-mlir-padded": (
        make_vectors(128, 128, 8, 8, 8, 4), vectors_2.make_vectors(128, 128, 8, 8, 8, 4),
        (128, 128), (16, 16),
    ),
}  # fmt: skip


def run(bench):
    with bench.part("the worklog's rungs"):
        worklog(bench, 512 if bench.quick else 4096)
    with bench.part("FP8 products"):
        products(bench, 512 if bench.quick else 8192)
    with bench.part("FP8 attention"):
        heads(bench, 1000 if bench.quick else 16384)


def worklog(bench, n):
    a, b, output = bench.random((n, n)), bench.random((n, n)), bench.output((n, n))
    arrays, cases = (a, b, output.array), []
    old, new = [bench.device.numba(x) for x in arrays], [by_mlir(x) for x in arrays]
    for id, (by_old, by_new, tile, threads) in RUNGS.items():
        blocks = -(-n // tile[1]), -(-n // tile[0])
        path = by_old.py_func.__module__.replace(".", "/") + ".py"
        rung = id.removeprefix("worklog-mlir-")
        ways = {
            id: ("numba-cuda-mlir", by_new, new),
            f"{id}-lto": ("numba-cuda-mlir, lto=True", hopper(by_new), new),
            f"{id}-numba-cuda": ("numba-cuda", by_old, old),
            f"{id}-numba-cuda-no-lto": ("numba-cuda, lto=False", unlinked(by_old), old),
        }
        for name, (who, kernel, views) in ways.items():
            call = partial(kernel[blocks, threads], *views)
            cases.append(Case(name, f"SGEMM of {n}, {rung}, {who}", path, call, output))
    bench.compare(
        cases,
        Reference("cuBLAS SGEMM, cp.matmul", lambda: cp.matmul(a, b, out=output.array), output),
        a.astype(cp.float64) @ b.astype(cp.float64),
        size=n,
        dtype="float32",
        unit="TFLOP/s",
        tolerance=1e-5,
        bytes=3 * 4 * n * n,
        flops=2 * n**3,
    )


def unlinked(kernel):
    """Return a kernel of numba-cuda's made from PTX, without optimization at link time."""
    bounds = kernel.targetoptions.get("launch_bounds")
    options = {"lto": False} | ({"launch_bounds": bounds} if bounds else {})
    return cuda.jit(**options)(kernel.py_func)


def products(bench, n):
    a, bt = operands(bench, n, n, n)
    one = torch.ones((), device="cuda")
    output = Bfloat16(bench.xp, (n, n))
    expected, out = exact(a, bt), as_torch(output.array)
    bits = [by_mlir(cp.asarray(x.view(torch.uint8))) for x in (a, bt)]
    for id, way, way_2, fast in (
        ("fp8-gemm-mlir", fp8.FAST, fp8_2.FAST, True),
        ("fp8-gemm-mlir-promoted", fp8.PROMOTED, fp8_2.PROMOTED, False),
    ):
        sums = "fast sums" if fast else "promoted sums"
        kernel, threads, shared, arguments = fp8_2.fp8_arguments(
            way_2, *bits, by_mlir(output.array), n
        )
        call = partial(hopper(kernel)[bench.device.multiprocessors, threads, 0, shared], *arguments)

        def theirs(fast=fast):
            torch._scaled_mm(
                a, bt.T, one, one, out_dtype=torch.bfloat16, use_fast_accum=fast, out=out
            )

        title, path = f"FP8 product of {n}, {sums}", "kernels/tensor_cores/fp8.py"
        bench.compare(
            [
                Case(id, f"{title}, numba-cuda-mlir", path, call, output),
                Case(
                    f"{id}-numba-cuda",
                    f"{title}, numba-cuda",
                    path,
                    ours(bench, way, a, bt, output),
                    output,
                ),
            ],
            Reference(f"torch._scaled_mm, use_fast_accum={fast}", theirs, output),
            expected,
            size=n,
            dtype="float8_e4m3",
            unit="TFLOP/s",
            tolerance=5e-3,
            bytes=4 * n * n,
            flops=2 * n**3,
        )


def heads(bench, length):
    """Attention of bytes; its small kernel that transposes the values is in the time."""
    count = 16
    bits, tensors, wide = heads_of(bench, 1, count, count, length, 128)
    expected = in_float64(*wide, False)
    arrays, scales = zip(*(quantized(bench, x) for x in wide), strict=True)
    output = Bfloat16(bench.xp, bits[0].shape)
    d_out = flat(bench, output.array)
    calls = {}
    for module, transposed, view in (
        (attention_2, values_2.transposed_values, by_mlir),
        (attention, transposed_values, bench.device.numba),
    ):
        d_q, d_k, d_v, d_o = (view(cp.asarray(x)) for x in (*arrays, d_out))
        d_vt, transpose = transposed(d_v)
        kernel, blocks, threads, shared, arguments = module.fp8_flash_arguments(
            d_q, d_k, d_vt, d_o, length, scales
        )
        if module is attention:
            launch(kernel, blocks, threads, shared, *arguments)
        else:
            kernel = hopper(kernel)
        configured = kernel[blocks, threads, 0, shared]

        def call(transpose=transpose, configured=configured, arguments=arguments):
            transpose()
            configured(*arguments)

        calls[module] = call
    title = f"Attention forward, e4m3, full, {count} heads x {length}"
    path = "kernels/attention/fp8.py"
    bench.compare(
        [
            Case(
                "attention-fp8-mlir", f"{title}, numba-cuda-mlir", path, calls[attention_2], output
            ),
            Case(
                "attention-fp8-mlir-numba-cuda",
                f"{title}, numba-cuda",
                path,
                calls[attention],
                output,
            ),
        ],
        by_torch("CUDNN_ATTENTION", *tensors, False, Returned(bench.xp, bits[0].shape)),
        expected,
        size=length,
        dtype="float8_e4m3",
        unit="TFLOP/s",
        tolerance=0.08,
        bytes=count * length * 128 * 7,
        flops=4 * count * length * length * 128,
    )

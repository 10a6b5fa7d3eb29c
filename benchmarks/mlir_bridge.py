"""The same kernels by both compilers: the tensor cores' products and attention, in one run."""

import cupy as cp
import numpy as np
import torch
from numba_cuda_mlir import cuda as mlir

from benchmarks.attention import Returned, by_torch, in_float64, operands
from benchmarks.harness import Case, Reference, WallTimer
from benchmarks.tensor_cores import Bfloat16, as_torch, narrow, widen
from kernels.attention import overlap
from kernels.mlir_bridge.same_text import again, hopper
from kernels.tensor_cores import mma_sync, wgmma
from kernels.tensor_cores.tma import tensor_map

mma_again, wgmma_again, overlap_again = again(
    "kernels.tensor_cores.mma_sync", "kernels.tensor_cores.wgmma", "kernels.attention.overlap"
)
KERNELS = "kernels/tensor_cores/"
ATTENTION = {  # id -> batch, heads, length, depth, causal
    "attention-mlir": (1, 16, 16384, 128, False),
    "attention-mlir-causal": (1, 16, 16384, 128, True),
    "attention-mlir-64": (1, 32, 16384, 64, False),
}


def run(bench):
    for n in (512,) if bench.quick else (4096, 8192):
        with bench.part(f"bfloat16, {n} x {n} x {n}"):
            products(bench, n)
    for id, shape in ATTENTION.items():
        batch, heads, length, depth, causal = shape
        with bench.part(f"{id} {shape}"):
            attention(bench, id, batch, heads, 1000 if bench.quick else length, depth, causal)
    with bench.part("launches"):
        launches(bench)


def by_mlir(array):
    """Return numba-cuda-mlir's view of a CuPy array."""
    return mlir.as_cuda_array(array, sync=False)


def products(bench, n):
    a, b = bench.random((n, n)), bench.random((n, n))
    bits_a, bits_b = narrow(a), narrow(b)
    expected = widen(bits_a).astype(cp.float64) @ widen(bits_b).astype(cp.float64)
    out = Bfloat16(bench.xp, (n, n))
    boxes = ((bits_a, 128), (bits_b, 64), (out.array, 64))
    maps = cp.asarray(np.concatenate([tensor_map(x, rows) for x, rows in boxes]))
    sizes, blocks = (np.int32(n),) * 3, bench.device.multiprocessors
    tiles = -(-n // mma_sync.BM) * -(-n // mma_sync.BN)
    ring, mma = (blocks, 384, 0, wgmma.SHARED), (tiles, 256, 0, mma_sync.STAGES * mma_sync.STAGE)

    old = [bench.device.numba(x) for x in (bits_a, bits_b, out.array)]
    new = [by_mlir(x) for x in (bits_a, bits_b, out.array)]
    old_maps, new_maps = bench.device.numba(maps), by_mlir(maps)
    # The first launches by numba-cuda raise the limits of shared memory.
    mma_sync.launch(mma_sync.mma_sync_kernel, *mma[:2], mma[3], *old)
    wgmma.launch(wgmma.wgmma_kernel, *ring[:2], ring[3], old_maps, *sizes)
    ring_old, mma_old = wgmma.wgmma_kernel[ring], mma_sync.mma_sync_kernel[mma]
    ring_new = hopper(wgmma_again.wgmma_kernel)[ring]
    ring_default = hopper(wgmma_again.wgmma_kernel, lto=False)[ring]
    mma_new = hopper(mma_again.mma_sync_kernel)[mma]

    t_a, t_b, t_c = map(as_torch, (bits_a, bits_b, out.array))
    end, what = "" if n == 8192 else f"-{n}", f"bfloat16, {n} x {n} x {n}"
    bench.compare(
        [
            Case(
                f"bf16-gemm-mlir{end}",
                f"wgmma and TMA, numba-cuda-mlir, {what}",
                KERNELS + "wgmma.py",
                lambda: ring_new(new_maps, *sizes),
                out,
            ),
            Case(
                f"bf16-gemm-mlir-default{end}",
                f"wgmma and TMA, numba-cuda-mlir, linked from PTX, {what}",
                KERNELS + "wgmma.py",
                lambda: ring_default(new_maps, *sizes),
                out,
            ),
            Case(
                f"bf16-gemm-mlir-numba-cuda{end}",
                f"wgmma and TMA, numba-cuda, {what}",
                KERNELS + "wgmma.py",
                lambda: ring_old(old_maps, *sizes),
                out,
            ),
            Case(
                f"mma-sync-mlir{end}",
                f"mma.sync, numba-cuda-mlir, {what}",
                KERNELS + "mma_sync.py",
                lambda: mma_new(*new),
                out,
            ),
            Case(
                f"mma-sync-mlir-numba-cuda{end}",
                f"mma.sync, numba-cuda, {what}",
                KERNELS + "mma_sync.py",
                lambda: mma_old(*old),
                out,
            ),
        ],
        Reference("cuBLAS bfloat16, torch.matmul", lambda: torch.matmul(t_a, t_b, out=t_c), out),
        expected,
        size=n,
        dtype="bfloat16",
        unit="TFLOP/s",
        tolerance=3e-3,  # the rounding of a result to 8 bits
        bytes=3 * 2 * n * n,
        flops=2 * n**3,
    )


def attention(bench, id, batch, heads, length, depth, causal):
    bits, tensors, wide = operands(bench, batch, heads, heads, length, depth)
    expected = in_float64(*wide, causal)
    shape = (batch, heads, length, depth)
    out = Bfloat16(bench.xp, shape)
    flat = [x.reshape(-1, length, depth) for x in (*bits, out.array)]

    old = [bench.device.numba(x) for x in flat]
    kernel, blocks, threads, shared, old_arguments = overlap.flash_arguments(*old, causal=causal)
    wgmma.launch(kernel, blocks, threads, shared, *old_arguments)
    by_old = kernel[blocks, threads, 0, shared]
    new = [by_mlir(x) for x in flat]
    kernel, blocks, threads, shared, arguments = overlap_again.flash_arguments(*new, causal=causal)
    by_new = hopper(kernel)[blocks, threads, 0, shared]
    by_default = hopper(kernel, lto=False)[blocks, threads, 0, shared]

    what = f"batch {batch}, {heads} heads, {length}, depth {depth}{', causal' if causal else ''}"
    bench.compare(
        [
            Case(
                id,
                f"attention forward, numba-cuda-mlir, {what}",
                "kernels/attention/overlap.py",
                lambda: by_new(*arguments),
                out,
            ),
            Case(
                f"{id}-default",
                f"attention forward, numba-cuda-mlir, linked from PTX, {what}",
                "kernels/attention/overlap.py",
                lambda: by_default(*arguments),
                out,
            ),
            Case(
                f"{id}-numba-cuda",
                f"attention forward, numba-cuda, {what}",
                "kernels/attention/overlap.py",
                lambda: by_old(*old_arguments),
                out,
            ),
        ],
        by_torch("CUDNN_ATTENTION", *tensors, causal, Returned(bench.xp, shape)),
        expected,
        size=length,
        dtype="bfloat16",
        unit="TFLOP/s",
        tolerance=6e-3,  # weights and results are rounded to 8 bits
        bytes=2 * 4 * bits[0].size,
        flops=4 * batch * heads * length**2 * depth // (2 if causal else 1),
    )


def launches(bench):
    """The host's time of a launch of the wgmma kernel on a small product, nobody waiting."""
    n = 64
    x = cp.zeros((n, n), cp.uint16)
    boxes = [tensor_map(x, rows) for rows in (128, 64, 64)]
    maps, sizes = cp.asarray(np.concatenate(boxes)), (np.int32(n),) * 3
    arguments = bench.device.numba(maps), *sizes
    wgmma.launch(wgmma.wgmma_kernel, 1, 384, wgmma.SHARED, *arguments)
    old = wgmma.wgmma_kernel[1, 384, 0, wgmma.SHARED]
    new = hopper(wgmma_again.wgmma_kernel)[1, 384, 0, wgmma.SHARED]
    new_maps = by_mlir(maps)
    timer = WallTimer(bench.device.synchronize, 100, wait=False)
    times = bench.samples(
        {"numba-cuda-mlir": lambda: new(new_maps, *sizes), "numba-cuda": lambda: old(*arguments)},
        timer,
    )
    for id, name in (("mlir-launch", "numba-cuda-mlir"), ("mlir-launch-numba-cuda", "numba-cuda")):
        bench.micro(
            id,
            f"host time of a launch with four arguments, {name}",
            times[name],
            unit="us",
            method="100 launches of the wgmma kernel back to back, the host's clock, nobody waits",
            kernel=KERNELS + "wgmma.py",
        )

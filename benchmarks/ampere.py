"""Ampere's features: sums with loads and with cp.async, and 2:4 sparse products."""

from functools import partial

import cupy as cp
import torch

from benchmarks.harness import ROOT, BenchmarkError, Case, Reference
from benchmarks.patterns import Returned
from kernels.ampere.sparse_ceiling import dense_ceiling_kernel, sparse_ceiling_kernel
from kernels.ampere.torch_sparse import prune_torch, to_sparse_semi_structured

SUMS = "snippets/ampere/sums.cu"
CEILING = "kernels/ampere/sparse_ceiling.py"
IDS = {  # threads of the one block on each multiprocessor -> ids
    32: ("sum-loads-32", "sum-four-loads-32", "sum-cp-async-32"),
    128: ("sum-loads-128", "sum-four-loads-128", "sum-cp-async-128"),
    256: ("sum-loads-256", "sum-four-loads-256", "sum-cp-async-256"),
    1024: ("sum-loads-1024", "sum-four-loads-1024", "sum-cp-async-1024"),
}
WAYS = {
    "sum_loads": "one load in flight for each thread",
    "sum_four_loads": "four loads in flight for each thread",
    "sum_cp_async": "eight copies by cp.async in flight for each thread",
}
STAGES = 8  # of cp.async, as in sums.cu


def run(bench):
    with bench.part("sums"):
        sums(bench, 2**20 + 3 if bench.quick else 2**28 + 3)
    with bench.part("ceilings"):
        ceilings(bench, 100 if bench.quick else 20_000)
    for n, id in {4096: "sparse-24-4096", 8192: "sparse-24-8192"}.items():
        with bench.part(f"2:4 sparse product, {n}"):
            sparse(bench, id, 512 if bench.quick else n)


def check_sum(name, call, out, right):
    """Make a call that adds a sum to ``out``. Raises ``BenchmarkError`` where it is another."""
    out.fill(0)
    call()
    if abs(float(out) - right) > 1e-4 * right:
        raise BenchmarkError(f"{name}: {float(out)}, should be {right}")


def sums(bench, n):
    x = abs(bench.random(n))
    right = float(x.sum(dtype=cp.float64))
    module = cp.RawModule(code=(ROOT / SUMS).read_text("utf-8"), options=("-std=c++17",))
    out = cp.zeros((), cp.float64)
    for threads, ids in IDS.items():
        calls = {}
        for id, way in zip(ids, WAYS, strict=True):
            kernel = module.get_function(way)
            shared = 16 * STAGES * threads if way == "sum_cp_async" else 0
            kernel.max_dynamic_shared_size_bytes = max(shared, 48 * 1024)
            arguments = (bench.device.multiprocessors,), (threads,), (x, cp.int64(n), out)
            calls[id] = partial(kernel, *arguments, shared_mem=shared)
            check_sum(id, calls[id], out, right)
        times = bench.samples(calls)
        for id, how in zip(ids, WAYS.values(), strict=True):
            bench.micro(
                id,
                f"Sum of {n} float32, a block of {threads} threads on each SM: {how}",
                times[id],
                unit="GB/s",
                method="CuPy RawModule, CUDA events, cold L2; right first",
                kernel=SUMS,
                amount=4 * n,
            )


def ceilings(bench, steps):
    """Eight warps on each multiprocessor multiply registers; sparse counts its zeros, too."""
    blocks, threads = 2 * bench.device.multiprocessors, 128
    numbers = bench.random(2 * blocks * threads).astype(cp.float16).view(cp.uint32)
    numbers, out = bench.device.numba(numbers), cp.empty(blocks * threads, cp.float32)
    kernels = {
        "mma-dense-ceiling": dense_ceiling_kernel,
        "mma-sparse-ceiling": sparse_ceiling_kernel,
    }
    calls = {
        id: partial(kernel[blocks, threads], numbers, bench.device.numba(out), steps)
        for id, kernel in kernels.items()
    }
    times = bench.samples(calls)
    for id, depth in {"mma-dense-ceiling": 16, "mma-sparse-ceiling": 32}.items():
        flops = blocks * threads // 32 * steps * 16 * (2 * 16 * 8 * depth)
        bench.micro(
            id,
            f"m16n8k{depth} in float16 from registers, {id.split('-')[1]}",
            times[id],
            unit="TFLOP/s",
            method="sixteen independent products a step, eight warps an SM, operations with the"
            " zeros counted",
            kernel=CEILING,
            amount=flops,
        )


class FromTorch(Returned):
    """What PyTorch returned last. It becomes CuPy's, which waits, only to be compared."""

    def error(self, expected):
        self.value = cp.asarray(self.value)
        return super().error(expected)


def sparse(bench, id, n):
    pruned = prune_torch(torch.randn(n, n, device="cuda", dtype=torch.float16))
    x = torch.randn(n, n, device="cuda", dtype=torch.float16)
    packed = to_sparse_semi_structured(pruned)
    wide = [cp.asarray(t.float()).astype(cp.float64) for t in (pruned, x)]
    expected = wide[0] @ wide[1]
    ours, theirs = FromTorch(), FromTorch()

    bench.compare(
        [Case(id, f"2:4 sparse product in float16, PyTorch with cuSPARSELt, {n}",
              "kernels/ampere/torch_sparse.py", lambda: ours.keep(packed @ x), ours)],
        Reference("torch.matmul of the pruned matrix, kept dense",
                  lambda: theirs.keep(pruned @ x), theirs),
        expected,
        size=n,
        dtype="float16",
        unit="TFLOP/s",
        tolerance=2e-3,
        bytes=2 * 3 * n * n,
        flops=2 * n**3,
    )  # fmt: skip

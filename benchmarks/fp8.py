"""FP8 products: Numba with fast and with promoted sums, against torch._scaled_mm."""

import cupy as cp
import torch

from benchmarks.harness import Case, Reference, summarize
from benchmarks.tensor_cores import Bfloat16, as_torch
from kernels.tensor_cores import fp8
from kernels.tensor_cores.wgmma import launch

FILE = "kernels/tensor_cores/fp8.py"
IDS = {
    8192: ("fp8-gemm-numba", "fp8-gemm-numba-promoted"),
    4096: ("fp8-gemm-numba-4096", "fp8-gemm-numba-promoted-4096"),
}
ERRORS = {  # (mean of the operands, k) -> ids: fast, promoted, torch fast, torch
    (0, 1024): ("fp8-error-fast-1024", "fp8-error-promoted-1024"),
    (0, 16384): ("fp8-error-fast-16384", "fp8-error-promoted-16384"),
    (0, 131072): ("fp8-error-fast-131072", "fp8-error-promoted-131072"),
    (1, 1024): ("fp8-error-mean-1-fast-1024", "fp8-error-mean-1-promoted-1024"),
    (1, 16384): ("fp8-error-mean-1-fast-16384", "fp8-error-mean-1-promoted-16384"),
    (1, 131072): ("fp8-error-mean-1-fast-131072", "fp8-error-mean-1-promoted-131072"),
}
DRAWS = 5


def run(bench):
    for n, ids in IDS.items():
        with bench.part(f"FP8, {n} x {n} x {n}"):
            products(bench, 512 if bench.quick else n, ids)
    with bench.part("errors"):
        errors(bench, dict(list(ERRORS.items())[:1]) if bench.quick else ERRORS)


def operands(bench, m, n, k, mean=0):
    """Return a (m, k) and b transposed (n, k) in e4m3, as PyTorch's tensors."""
    random = [bench.random((rows, k)) + mean for rows in (m, n)]
    return [torch.as_tensor(x, device="cuda").to(torch.float8_e4m3fn) for x in random]


def exact(a, bt):
    a, bt = (cp.asarray(x.to(torch.float32)).astype(cp.float64) for x in (a, bt))
    return a @ bt.T


def ours(bench, way, a, bt, output):
    """Return a call of one of our kernels."""
    bits = [bench.device.numba(cp.asarray(x.view(torch.uint8))) for x in (a, bt)]
    kernel, threads, shared, arguments = fp8.fp8_arguments(
        way, *bits, bench.device.numba(output.array), a.shape[1]
    )
    launch(kernel, bench.device.multiprocessors, threads, shared, *arguments)
    configured = kernel[bench.device.multiprocessors, threads, 0, shared]
    return lambda: configured(*arguments)


def products(bench, n, ids):
    a, bt = operands(bench, n, n, n)
    one = torch.ones((), device="cuda")
    output = Bfloat16(bench.xp, (n, n))
    expected, out = exact(a, bt), as_torch(output.array)
    for id, way, fast in zip(ids, (fp8.FAST, fp8.PROMOTED), (True, False), strict=True):
        sums = "fast sums" if fast else "sums promoted every 128 elements of k"

        def theirs(fast=fast):
            torch._scaled_mm(
                a, bt.T, one, one, out_dtype=torch.bfloat16, use_fast_accum=fast, out=out
            )

        bench.compare(
            [
                Case(
                    id,
                    f"FP8 e4m3 product, Numba, {n} x {n} x {n}, {sums}",
                    FILE,
                    ours(bench, way, a, bt, output),
                    output,
                )
            ],
            Reference(f"torch._scaled_mm, use_fast_accum={fast}", theirs, output),
            expected,
            size=n,
            dtype="float8_e4m3",
            unit="TFLOP/s",
            tolerance=5e-3,
            bytes=(1 + 1 + 2) * n * n,
            flops=2 * n**3,
        )


def errors(bench, cases):
    n = 512
    for (mean, k), ids in cases.items():
        found = {id: [] for id in ids}
        for _ in range(DRAWS):
            a, bt = operands(bench, n, n, k, mean)
            expected = exact(a, bt)
            for id, way in zip(ids, (fp8.FAST, fp8.PROMOTED), strict=True):
                output = Bfloat16(bench.xp, (n, n))
                ours(bench, way, a, bt, output)()
                bench.device.synchronize()
                found[id].append(output.error(expected))
        for id, seen in found.items():
            bench.micro(
                id,
                f"Error of an FP8 product, k = {k}, operands of mean {mean}",
                summarize(seen),
                unit="",
                method="||c - c64|| / ||c64|| against the exact product of the e4m3 operands,"
                f" results in bfloat16; normal random data, {n} x {k} by {k} x {n};"
                f" median of {DRAWS} draws",
                kernel=FILE,
            )

"""Running sums of 2^28 int32: three kernels and one pass, against CuPy and PyTorch."""

import cupy as cp
import torch

from benchmarks.harness import Case, Reference
from benchmarks.patterns import copy_of
from kernels.scan.block import add_before_kernel, scan_blocks_kernel
from kernels.scan.look_back import make_scan

SHAPE = (256, 8)  # threads, rows
THREADS = 1024  # of the three kernels


def run(bench):
    with bench.part("scan"):
        scan(bench, 2**22 if bench.quick else 2**28)


def three_kernels(numba, d_x, d_out, n):
    """Return a call, its scratch memory made beforehand: a scan for each level, and back."""
    levels, size = [(d_x, d_out)], n
    sums = []
    while True:
        size = -(-size // THREADS)
        sums.append(numba(cp.empty(size, cp.int32)))
        if size == 1:
            break
        levels.append((sums[-1], sums[-1]))

    def call():
        for (source, target), total in zip(levels, sums, strict=True):
            scan_blocks_kernel[total.size, THREADS](source, target, total)
        for (_, target), total in reversed(list(zip(levels, sums, strict=True))[:-1]):
            add_before_kernel[total.size, THREADS](target, total)

    return call


def scan(bench, n):
    x = (1000 * bench.random(n)).astype(cp.int32)  # no running sum is what poison looks like
    output = bench.output(n, "int32")
    numba = bench.device.numba
    d_x, d_out = numba(x), numba(output.array)
    threads, rows = SHAPE
    tiles = -(-n // (threads * rows * 4))
    state = cp.empty(1 + tiles, cp.int64)
    d_state, kernel = numba(state), make_scan(threads, rows)

    def one_pass():
        state.fill(0)
        kernel[tiles, threads](d_x, d_out, d_state)

    answer = cp.cumsum(x, dtype=cp.int64).astype(cp.int32)
    common = dict(
        size=n, dtype="int32", unit="GB/s", tolerance=0.0, bytes=8 * n, expected=answer.astype("f8")
    )
    three = three_kernels(numba, d_x, d_out, n)
    path = "kernels/scan/"
    bench.compare(
        [
            Case("scan-three-kernels", "Scan, three kernels", path + "block.py", three, output),
            Case("scan", "Scan in one pass: look-back", path + "look_back.py", one_pass, output),
        ],
        Reference(
            "CuPy, cp.cumsum(x, dtype=x.dtype, out=out): CUB",
            lambda: cp.cumsum(x, dtype=x.dtype, out=output.array),
            output,
        ),
        **common,
    )
    # torch's cumsum calls CUB, too, and in a way that is quicker than CuPy's.
    tensor, result = (torch.as_tensor(array, device="cuda") for array in (x, output.array))
    title = "Scan in one pass, against PyTorch"
    bench.compare(
        [Case("scan-vs-torch", title, path + "look_back.py", one_pass, output)],
        Reference(
            "PyTorch, torch.cumsum(x, 0, dtype=torch.int32, out=out)",
            lambda: torch.cumsum(tensor, 0, dtype=torch.int32, out=result),
            output,
        ),
        **common,
    )
    title = "Scan in one pass, against a copy"
    bench.compare(
        [Case("scan-vs-copy", title, path + "look_back.py", one_pass, output)],
        copy_of(bench, answer, output),
        **common,
    )

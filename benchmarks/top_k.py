"""The 1,000 largest of 2^28 uint32 by radix select, against PyTorch's topk and a sort."""

from functools import partial

import cupy as cp
import torch

from benchmarks.harness import Case
from benchmarks.patterns import library
from kernels.top_k.select import BINS, select
from kernels.top_k.wide import select_wide

K = 1000


def run(bench):
    n = 2**20 if bench.quick else 2**28
    x = cp.random.default_rng().integers(1, 2**31, n, dtype=cp.uint32)
    answer = cp.sort(x)[-K:].astype(cp.float64)
    output = bench.output(K, "uint32")
    known, counts, taken = cp.empty(3, cp.int64), cp.zeros(BINS, cp.int32), cp.empty(2, cp.int32)
    start = cp.array([0, 0, K])
    arrays = [bench.device.numba(a) for a in (x, known, counts, taken, output.array)]
    blocks = 2 * bench.device.multiprocessors

    def ours(select=select_wide):
        known[:] = start
        taken.fill(0)
        select(*arrays, blocks, 1024)
        output.array.sort()  # in no order until here

    strided, wide = "kernels/top_k/select.py", "kernels/top_k/wide.py"

    tensor = torch.as_tensor(x.view(cp.int32), device="cuda")

    def theirs():
        return cp.asarray(torch.topk(tensor, K).values.flip(0))

    for id, title, name, function in (
        ("top-k", "against PyTorch", "PyTorch, torch.topk", theirs),
        ("top-k-vs-sort", "against a sort", "CuPy, cp.sort(x)[-1000:]", lambda: cp.sort(x)[-K:]),
    ):
        with bench.part(f"top-k {title}"):
            cases = [Case(id, f"The 1,000 largest, 16-byte loads, {title}", wide, ours, output)]
            if id == "top-k":
                by_fours = partial(ours, select)
                title = f"The 1,000 largest, 4-byte loads, {title}"
                cases.append(Case("top-k-4-byte", title, strided, by_fours, output))
            bench.compare(
                cases,
                library(name, function),
                answer,
                size=n,
                dtype="uint32",
                unit="ms",
                tolerance=0.0,
                bytes=5 * 4 * n,
            )

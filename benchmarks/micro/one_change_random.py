"""Twenty shapes of a product, drawn at random: what the formula says of them, against cuBLAS."""

import math
from functools import partial

import cupy as cp
import numpy as np
import torch

from benchmarks.harness import BenchmarkError, Summary, rounded
from benchmarks.micro.common import COLD
from benchmarks.tensor_cores import Bfloat16, as_torch, narrow, widen
from kernels.tensor_cores import shapes

FILE = "kernels/tensor_cores/shapes.py"
SEED, COUNT, MOST = 20, 20, 2**38  # multiply-adds of a shape


def drawn():
    """Return (m, n, k) in equal shares of their logarithms; rows are multiples of 16 bytes."""
    random, found = np.random.default_rng(SEED), []
    while len(found) < COUNT:
        m, n, k = (int(2 ** random.uniform(*of)) for of in ((4, 13), (9, 15), (9, 14)))
        n, k = n // 8 * 8, k // 8 * 8
        if m * n * k <= MOST:
            found.append((m, n, k))
    return found


def run(bench):
    with bench.part(f"{COUNT} shapes"):
        rows = []
        for i, shape in enumerate(drawn()[: 2 if bench.quick else COUNT]):
            rows.append(product(bench, i, *shape))
        together(bench, rows)


def product(bench, i, m, n, k):
    a, b = (narrow(bench.random(shape)) for shape in ((m, k), (k, n)))
    output, processors = Bfloat16(bench.xp, (m, n)), bench.device.multiprocessors
    way = shapes.choose(m, n, k, processors)
    ours = shapes.product(*map(bench.device.numba, (a, b, output.array)))
    t_a, t_b, t_c = map(as_torch, (a, b, output.array))
    id = f"one-change-shape-{i}"
    calls = {id: ours, "cublas": partial(torch.matmul, t_a, t_b, out=t_c)}
    bench.check(id, ours, output, widen(a).astype(cp.float64) @ widen(b).astype(cp.float64), 3e-3)
    times = bench.samples(calls)
    us, reference = times[id].median * 1e6, times["cublas"].median * 1e6
    return bench.micro(
        id, f"Matrix product for any shape, Numba, bfloat16, {m} x {n} x {k}, drawn at random",
        times[id], unit="us", method=COLD, kernel=FILE, extra={
            "reference_us": rounded(reference), "of_cublas": rounded(reference / us),
            "predicted_us": rounded(shapes.predicted(m, n, k, *way, processors)),
            "tflops": rounded(2 * m * n * k / us / 1e6), "rows": m, "columns": n, "depth": k,
            "tile_rows": way[0], "tile_columns": way[1], "splits": way[2],
        },
    )  # fmt: skip


def together(bench, rows):
    def mean(values):
        return math.exp(sum(map(math.log, values)) / len(values))

    ratios = [row["of_cublas"] for row in rows]
    off = [row["value"] / row["predicted_us"] for row in rows]
    if not all(0 < ratio < 10 for ratio in ratios):
        raise BenchmarkError(f"ratios of {ratios}")
    bench.micro(
        "one-change-shapes", f"The geometric mean over {len(rows)} random shapes of cuBLAS' time"
        " over ours", Summary(mean(ratios), max(ratios) - min(ratios), rows[0]["repeats"]),
        unit="%", kernel=FILE,
        method=f"shapes drawn by NumPy's default_rng({SEED}), even in their logarithms; the spread"
        " is that of the shapes",
        extra={
            "worst": rounded(min(ratios)), "best": rounded(max(ratios)),
            "measured_over_predicted": rounded(mean(off)), "most_over": rounded(max(off)),
            "most_under": rounded(min(off)),
        },
    )  # fmt: skip
    bench.say(f"[{bench.name}]   {bench.rows['microbenchmarks'][-1]}")

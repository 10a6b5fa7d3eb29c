"""More experiments of one change each: tiles of a product that the formula doesn't choose."""

import cupy as cp

from benchmarks.harness import rounded
from benchmarks.micro.common import COLD
from benchmarks.tensor_cores import Bfloat16, narrow, widen
from kernels.tensor_cores import shapes

FILE = "kernels/tensor_cores/shapes.py"
WAYS = {  # rows, columns, k -> tiles and parts of k, beside the one that is chosen
    (16, 8192, 8192): [(128, 256, 1), (64, 128, 1)],
    (16, 4096, 14336): [(128, 256, 1)],
    (128, 4096, 14336): [(128, 256, 1)],
}


def run(bench):
    for shape, ways in WAYS.items():
        with bench.part(f"{shape}"):
            product(bench, *shape, ways)


def product(bench, m, n, k, ways):
    a, b = (narrow(bench.random(shape)) for shape in ((m, k), (k, n)))
    output = Bfloat16(bench.xp, (m, n))
    wanted = widen(a).astype(cp.float64) @ widen(b).astype(cp.float64)
    processors = bench.device.multiprocessors
    best = shapes.choose(m, n, k, processors)
    calls = {}
    for way in (best, *ways):
        name = "best" if way == best else "x".join(map(str, way))
        id = f"one-change-tile-{m}-{n}-{k}-{name}"
        calls[id] = way, shapes.product(*map(bench.device.numba, (a, b, output.array)), way=way)
        bench.check(id, calls[id][1], output, wanted, 3e-3)
    for id, summary in bench.samples({id: call for id, (_, call) in calls.items()}).items():
        rows, columns, splits = way = calls[id][0]
        bench.micro(
            id, f"{m} x {n} x {k}, bfloat16, tile of {rows} x {columns}, k in {splits}", summary,
            unit="us", method=COLD, kernel=FILE, extra={
                "tflops": rounded(2 * m * n * k / summary.median / 1e12),
                "predicted_us": rounded(shapes.predicted(m, n, k, *way, processors)),
            },
        )  # fmt: skip

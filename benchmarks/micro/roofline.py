"""The roofline: one kernel with more and more arithmetic for each byte."""

import cupy as cp

from benchmarks.micro.common import COLD
from kernels.roofline.dial import intensity, make_dial

STEPS = (1, 4, 16, 32, 64, 128, 256, 512, 2048)


def run(bench):
    with bench.part("the dial"):
        dial(bench, 2**20 if bench.quick else 2**28)


def dial(bench, n):
    a, output = bench.random(n), bench.output(n)
    d_a, d_out = bench.device.numba(a), bench.device.numba(output.array)
    calls = {}
    for steps in STEPS:
        kernel = make_dial(steps)
        call = lambda kernel=kernel: kernel[-(-n // 256), 256](d_a, d_out)  # noqa: E731
        # x -> x / 2 + 1/4 comes to 1/2 and halves the distance at each step.
        right = 0.5 + (a.astype(cp.float64) - 0.5) * 0.5**steps
        bench.check(f"dial {steps}", call, output, right, 1e-6)
        calls[f"roofline-dial-{steps}"] = call
    for (id, summary), steps in zip(bench.samples(calls).items(), STEPS, strict=True):
        bench.micro(
            id,
            f"{intensity(steps):g} operations for each byte of device memory",
            summary,
            unit="TFLOP/s",
            amount=2 * steps * n,
            kernel="kernels/roofline/dial.py",
            method=f"{COLD}; 2^28 float32 read and written, {steps} multiply-adds each",
            terms=["roofline-model", "arithmetic-intensity"],
            extra={
                "intensity": intensity(steps),
                "gbps": float(f"{8 * n / summary.median / 1e9:.5g}"),
            },
        )

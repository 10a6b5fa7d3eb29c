"""Dropout by a counter-based generator, and the price of an option by simulation."""

import math
from functools import partial

import cupy as cp
import numpy as np
import torch
from torch.nn import functional

from benchmarks.harness import Case, Reference
from kernels.random_numbers.fours import dropout_fours_kernel
from kernels.random_numbers.philox import call_price, dropout_kernel, option_kernel

PHILOX, FOURS = (f"kernels/random_numbers/{name}.py" for name in ("philox", "fours"))
DROP = np.float32(0.1)


def run(bench):
    with bench.part("dropout"):
        dropout(bench, 2**22 if bench.quick else 2**28)
    with bench.part("the price of a call"):
        option(bench, 2**20 if bench.quick else 2**30)


def dropout(bench, n):
    x, output = bench.random(n), bench.output(n)
    d_x, d_out = bench.device.numba(x), bench.device.numba(output.array)
    plain = partial(dropout_kernel[-(-n // 512), 128], d_x, DROP, 5, d_out)
    fours = partial(dropout_fours_kernel[-(-n // 1024), 256], d_x, DROP, 5, d_out)
    plain()  # the mask, as the plain kernel makes it, becomes an array of zeros and scales
    mask = cp.where(output.array == 0, cp.float32(0), cp.float32(1) / (cp.float32(1) - DROP))
    kept = float((mask != 0).mean())
    if abs(kept - (1 - float(DROP))) > 6 * math.sqrt(0.09 / n):
        raise ValueError(f"{kept} of the elements were kept")
    bench.compare(
        [
            Case("dropout-plain", "Dropout, Philox, Numba, four elements a thread", PHILOX,
                 plain, output),
            Case("dropout-fours", "Dropout, Philox, Numba, 16 bytes at a time", FOURS,
                 fours, output),
        ],
        Reference("a stored mask, cp.multiply(x, mask)",
                  lambda: cp.multiply(x, mask, out=output.array), output),
        x.astype(cp.float64) * mask,
        size=n,
        dtype="float32",
        unit="GB/s",
        tolerance=1e-6,
        bytes=8 * n,
    )  # fmt: skip
    tensor = torch.as_tensor(x, device="cuda")
    times = bench.samples({"torch": lambda: functional.dropout(tensor, float(DROP))})
    bench.micro(
        "dropout-torch",
        "torch.nn.functional.dropout of 2^28 float32",
        times["torch"],
        unit="GB/s",
        amount=8 * n,
        method="CUDA events, cold L2; 8 bytes for each element are counted",
    )
    torch.cuda.empty_cache()


def option(bench, paths):
    spot, strike, rate, volatility, years = 100, 110, 0.03, 0.2, 1
    drift, spread = (rate - volatility**2 / 2) * years, volatility * math.sqrt(years)
    given = [np.float32(number) for number in (spot, strike, drift, spread)]
    _, exact = call_price(spot, strike, rate, volatility, years, 4, 0, 1, 32)
    right = cp.full(1, exact * math.exp(rate * years) * paths)
    output = bench.output(1, "float64")
    d_total = bench.device.numba(output.array)
    launch = option_kernel[8 * bench.device.multiprocessors, 256]

    def ours():
        output.array.fill(0)
        launch(*given, paths, 3, d_total)

    part = min(paths, 2**26)

    def library():
        total = 0
        for _ in range(paths // part):
            normal = cp.random.standard_normal(part, dtype=cp.float32)
            price = given[0] * cp.exp(given[2] + given[3] * normal)
            total = total + cp.maximum(price - given[1], 0).sum(dtype=cp.float64)
        output.array[0] = total

    bench.compare(
        [Case("monte-carlo", "Price of a call, Philox, Numba: paths", PHILOX, ours, output)],
        Reference("CuPy: normal numbers, exp, maximum, sum", library, output),
        right,
        size=paths,
        dtype="float32",
        unit="ms",
        tolerance=1e-2 if bench.quick else 2e-3,
    )

"""Batched Fourier transforms of 2^10 to 2^14 points, complex64, against cuFFT."""

from functools import partial

import cupy as cp

from benchmarks.harness import Case, Reference, Summary, interleave, summarize
from kernels.fft.stockham import fft_rows, roots

KERNEL = "kernels/fft/stockham.py"
IDS = {
    1024: "fft-1024",
    2048: "fft-2048",
    4096: "fft-4096",
    8192: "fft-8192",
    16384: "fft-16384",
}
LADDER = {
    "fft-radix-2": (2, 2, 1, 1, 1),
    "fft-radix-4": (4, 4, 1, 1, 1),
    "fft-radix-8": (8, 8, 1, 1, 1),
}


# points of a thread, blocks that must fit on a multiprocessor, rooms
SHAPES = [(8, 1, 1), (8, 1, 2), (16, 1, 1), (16, 2, 1), (16, 2, 2), (16, 3, 1), (32, 1, 1)]


def run(bench):
    points = 2**23 if bench.quick else 2**27
    rows = {}
    for n in IDS:
        with bench.part(f"{n} points"):
            rows[n] = measure(bench, points // n, n)
        bench.xp.get_default_memory_pool().free_all_blocks()
    with bench.part("the least of all lengths"):
        n, least = min(rows.items(), key=lambda item: item[1]["ratio"])
        bench.micro(
            "fft-1d",
            "Fourier transforms of 2^10 to 2^14 points: the least of the rates, over cuFFT's",
            Summary(least["ratio"], least["spread"], least["repeats"]),
            unit="ratio",
            method=f"the least of {len(rows)} lengths, that of {n} points; CUDA events, cold L2",
            kernel=KERNEL,
            extra={"points": n},
        )


def search(bench, calls):
    """Return the median time of each call, from few samples: enough to find the best."""
    found = interleave(calls, bench.device.timer, 5, warmup=2)
    return {name: summarize(times).median for name, times in found.items()}


def measure(bench, rows, n):
    x = (bench.random((rows, n)) + 1j * bench.random((rows, n))).astype(cp.complex64)
    output = bench.output((rows, 2 * n))
    ins = bench.device.numba(x.reshape(-1).view(cp.float32))
    outs = bench.device.numba(output.array.reshape(-1))
    table = bench.device.numba(cp.asarray(roots(n)))
    title = f"FFT of {n} points"
    shapes = [(8, points, 1, blocks, rooms) for points, blocks, rooms in SHAPES
              if n // points <= 1024 and n // points * blocks * points * 3 <= 2**16]  # fmt: skip
    calls = {shape: partial(fft_rows, ins, table, rows, n, outs, shape) for shape in shapes}
    times = search(bench, calls)
    best = min(times, key=times.get)
    extra = {"points": best[1], "blocks": best[3], "rooms": best[4]}
    cases = [Case(IDS[n], f"{title}, Numba, the best of {len(calls)} shapes", KERNEL,
                  calls[best], output, extra)]  # fmt: skip
    if n == 1024:
        for id, shape in LADDER.items():
            own = bench.device.numba(cp.asarray(roots(n, shape[0])))
            call = partial(fft_rows, ins, own, rows, n, outs, shape)
            cases.append(Case(id, f"{title}, radix {shape[0]}, Numba", KERNEL, call, output))
    library = cp.cuda.cufft.Plan1d(n, cp.cuda.cufft.CUFFT_C2C, rows)
    target = output.array.view(cp.complex64)
    right = cp.empty((rows, 2 * n), cp.float64)
    for start in range(0, rows, 4096):  # in pieces: complex128 is large
        part = cp.fft.fft(x[start : start + 4096].astype(cp.complex128))
        right[start : start + 4096] = part.view(cp.float64)
    return bench.compare(
        cases,
        Reference(
            "cuFFT", lambda: library.fft(x, target, cp.cuda.cufft.CUFFT_FORWARD), output
        ),
        right,
        size=rows * n,
        dtype="complex64",
        unit="GB/s",
        tolerance=1e-6,
        bytes=16 * rows * n,
    )[0]  # fmt: skip

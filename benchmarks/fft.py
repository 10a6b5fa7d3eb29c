"""Batched Fourier transforms of 2^10 to 2^14 points, complex64, against cuFFT."""

from functools import partial

import cupy as cp

from benchmarks.harness import Case, Reference, Summary
from kernels.fft.in_place import fft_in_place_rows, make_fft_in_place, plan_in_place, twiddles
from kernels.fft.stockham import fft_rows, make_fft, roots

KERNEL = "kernels/fft/in_place.py"
STOCKHAM = "kernels/fft/stockham.py"
IDS = {
    1024: "fft-1024",
    2048: "fft-2048",
    4096: "fft-4096",
    8192: "fft-8192",
    16384: "fft-16384",
}
# In Stockham's order: radix, points of a thread, rows of a block, blocks to a multiprocessor.
LADDER = {
    1024: {
        "fft-radix-2": (2, 2, 1, 1),
        "fft-radix-4": (4, 4, 1, 1),
        "fft-radix-8": (8, 8, 1, 1),
    },
    8192: {"fft-stockham-8192": (8, 16, 1, 2)},
}


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


def compiled(kernel):
    """Return what the compiler gave a kernel that has run: registers, bytes it spills a thread."""
    (registers,) = kernel.get_regs_per_thread().values()
    (local,) = kernel.get_local_mem_per_thread().values()
    return {"registers": registers, "local_bytes": local}


def measure(bench, rows, n):
    x = (bench.random((rows, n)) + 1j * bench.random((rows, n))).astype(cp.complex64)
    output = bench.output((rows, 2 * n))
    ins = bench.device.numba(x.reshape(-1).view(cp.float32))
    outs = bench.device.numba(output.array.reshape(-1))
    title = f"FFT of {n} points"
    radices, together, blocks = shape = plan_in_place(n)
    table = bench.device.numba(cp.asarray(twiddles(radices)))
    call = partial(fft_in_place_rows, ins, table, rows, n, outs)
    call()
    name = " · ".join(map(str, radices))
    extra = compiled(make_fft_in_place(*shape)) | {"together": together, "blocks": blocks}
    cases = [Case(IDS[n], f"{title}, {name} in place, Numba", KERNEL, call, output, extra)]
    for id, shape in LADDER.get(n, {}).items():
        own = bench.device.numba(cp.asarray(roots(n, shape[0])))
        call = partial(fft_rows, ins, own, rows, n, outs, shape)
        call()
        extra = compiled(make_fft(n, *shape))
        what = f"{title}, radix {shape[0]} in Stockham's order, Numba"
        cases.append(Case(id, what, STOCKHAM, call, output, extra))
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

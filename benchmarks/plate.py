"""A step of the wave equation on a plate of 8,192 x 8,192, against two copies of the plate."""

from functools import partial

import cupy as cp

from benchmarks.harness import Case, Output, Reference, rounded
from kernels.plate.plain import over, wave_kernel
from kernels.plate.wide import make_wave_patch

PLAIN, WIDE = "kernels/plate/plain.py", "kernels/plate/wide.py"
HIGH, WARPS = 2, 8  # rows of a warp, warps of a block


class Before(Output):
    """An output that a step reads as well: it begins with the plate of the step before."""

    start = None

    def poison(self):
        super().poison()
        if self.start is not None:
            self.array[...] = self.start


def run(bench):
    with bench.part("a step of a wave"):
        step(bench, 512 if bench.quick else 8192)


def step(bench, n):
    now, start = bench.random((n, n)), bench.random((n, n))
    medium = cp.float32(0.3) + cp.float32(0.1) * bench.random((n, n))
    output = Before(bench.xp, (n, n), "float32")
    output.start = start
    wide = cp.float64
    bend = now[:-2, 1:-1].astype(wide) + now[2:, 1:-1] + now[1:-1, :-2] + now[1:-1, 2:]
    bend -= 4 * now[1:-1, 1:-1].astype(wide)
    right = start.astype(wide)
    right[1:-1, 1:-1] = 2 * now[1:-1, 1:-1].astype(wide) - right[1:-1, 1:-1]
    right[1:-1, 1:-1] += medium[1:-1, 1:-1] * bend
    answer, spare = right.astype(cp.float32), cp.empty_like(now)
    del bend
    cp.get_default_memory_pool().free_all_blocks()

    numba = bench.device.numba
    plain = wave_kernel[over((n, n))]
    patch = make_wave_patch(HIGH)[(-(-n // 128), -(-n // (WARPS * HIGH))), (32, WARPS)]
    plate = [numba(a) for a in (now, medium, output.array)]
    flat = [numba(a.reshape(-1)) for a in (now, medium, output.array)]

    def copies():
        """Move as much as a step does, and leave the right answer."""
        stream = cp.cuda.Stream.null
        spare.data.copy_from_device_async(now.data, now.nbytes, stream)
        output.array.data.copy_from_device_async(answer.data, answer.nbytes, stream)

    rows = bench.compare(
        [
            Case(
                "wave-2d",
                "A step of a wave, four columns a lane",
                WIDE,
                partial(patch, flat[0], flat[1], n, n, flat[2]),
                output,
            ),
            Case(
                "wave-2d-plain",
                "A step of a wave, a thread for a cell",
                PLAIN,
                partial(plain, *plate),
                output,
            ),
        ],
        Reference("two device copies of the plate", copies, output),
        right,
        size=n * n,
        dtype="float32",
        unit="GB/s",
        tolerance=1e-6,
        bytes=16 * n * n,  # now, medium and before are read once, and before is written once
    )
    for row in rows:
        row["mlups"] = rounded(n * n / row["us"])

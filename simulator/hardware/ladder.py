"""The 13 rungs of the matmul worklog in the stepper: what each asks of an H200 at 4096 x 4096.

A rung's blocks all do the same, and its counts grow with the length of the inner dimension along a
line. So one block of it is launched twice, with two lengths, on matrices with rows of 4096, and the
counts of the whole product follow. Loads, stores and copies of 16 bytes, and copies in the
background, are instructions that the stepper does not have: plain Python stands for them
(``wide.py``), and is counted as the one instruction that it is on a GPU.

``python -m simulator.hardware.ladder`` counts ladder.json anew. Held against the profiler's record
by tests/test_stepper_hardware.py.
"""

import contextlib
import json
import sys
from dataclasses import replace
from functools import cache
from importlib import import_module
from pathlib import Path
from types import ModuleType
from unittest.mock import patch

import numpy as np

from simulator.loading import stepping
from simulator.stepper import Stepper, tally
from simulator.stepper.counts import HBM_BANDWIDTH, ISSUED, L2_BANDWIDTH, LEAST, PIPE
from simulator.stepper.tally import Tally

FILE = Path(__file__).with_name("ladder.json")
SIZE = 4096
LENGTHS = 16, 32  # of the inner dimension
GEMM = "kernels.gemm."

# id: (module, what makes the kernel or is it, its arguments, tile, threads)
BIG, PLAIN = (128, 128), (16, 16)
RUNGS = {
    "naive-swapped": (
        "kernels.naive_matmul.matmul", "matmul_swapped_kernel", None, (32, 8), (32, 8)
    ),
    "naive": ("kernels.naive_matmul.matmul", "matmul_kernel", None, (8, 32), (32, 8)),
    "tiled": (GEMM + "tiled", "make_tiled", (16,), (16, 16), PLAIN),
    "column": (GEMM + "registers", "make_column", (64, 64, 16, 16), (64, 64), (64, 4)),
    "rectangle": (GEMM + "registers", "make_rectangle", (128, 128, 8, 8, 8), BIG, PLAIN),
    "vectors": (GEMM + "vectors", "make_vectors", (128, 128, 8, 8, 8), BIG, PLAIN),
    "padded": (GEMM + "vectors", "make_vectors", (128, 128, 8, 8, 8, 4), BIG, PLAIN),
    "pipeline": (GEMM + "pipeline", "make_pipeline", (128, 128, 8, 8, 8), BIG, PLAIN),
    "warps": (GEMM + "warps", "make_warps", (128, 128, 8, 2, 4), BIG, 256),
    "ahead": (GEMM + "tuned", "make_tuned", (128, 128, 8, 2, 4, 2, 2, 4, 1), BIG, 256),
    "grouped": (GEMM + "tuned", "make_tuned", (128, 128, 8, 2, 4, 2, 2, 4, 8), BIG, 256),
    "stages": (GEMM + "tuned", "make_tuned", (128, 128, 8, 2, 4, 3, 2, 4, 8), BIG, 256),
    "tuned": (GEMM + "tuned", "make_tuned", (128, 256, 8, 2, 4, 3, 1, 4, 8), (128, 256), 256),
}  # fmt: skip
WIDE = {"load4", "store4", "copy16"}  # whose accesses are of 16 bytes
BEYOND = {"load_beyond", "store_beyond"}  # what those bring along
COPIES = {"copy4", "copy16"}  # one instruction, and one way through the data pipe: its store's
# Reads of neighbors, one after the other, of which the compiler makes one read of 16 bytes
# (LDS.128 in its machine code), two wavefronts where a row of threads wants the same: {rung: array}
JOINED = {"tiled": "tile_a"}
STUBS = ("llvmlite", "llvmlite.ir", "numba.cuda.cgutils", "numba.cuda.extending")
WIDE_PY = "simulator.hardware.wide"


@contextlib.contextmanager
def standing_in(stepper):
    """Within this block the rungs can be imported, with wide.py for their own instructions."""
    stubs = {name: ModuleType(name) for name in STUBS}
    ir = stubs["llvmlite"].ir = stubs["llvmlite.ir"]
    ir.VectorType = ir.FloatType = lambda *_: None
    stubs["numba.cuda.extending"].intrinsic = lambda function: function
    stepper.cuda.cgutils = stubs["numba.cuda.cgutils"]
    before = {name: sys.modules.pop(name, None) for name in (*stubs, WIDE_PY)}
    try:
        with stepping(stepper):
            sys.modules.update(stubs)
            wide = import_module(WIDE_PY)
            vectors = import_module(GEMM + "vectors")
            vectors.load4, vectors.store4 = wide.load4, wide.store4
            pipeline = import_module(GEMM + "pipeline")
            pipeline.commit, pipeline.make_instruction = wide.nothing, lambda _: wide.nothing
            pipeline.copy4 = wide.copy4
            for width, copy in ((4, wide.copy16), (1, wide.copy4)):
                pipeline.START_ROWS[width] = pipeline.make_start_rows(copy, width)
            yield
    finally:
        for name, module in before.items():
            sys.modules.pop(name, None)
            if module is not None:
                sys.modules[name] = module


class Wide(Tally):
    """Notes in which the first of four elements stands for 16 bytes, and the others for nothing."""

    def access(self, site, items, where):
        if site.function in BEYOND:
            self.grid.beyond = getattr(self.grid, "beyond", 0) + where.count
        else:
            super().access(replace(site, size=16) if site.function in WIDE else site, items, where)


def block(id, length):
    """What one block of a rung asks for, with rows of ``length``: {name: count}."""
    module, make, arguments, (rows, columns), threads = RUNGS[id]
    stepper = Stepper(mode="check")
    with standing_in(stepper), patch.object(tally, "Tally", Wide):
        kernel = getattr(import_module(module), make)
        kernel = kernel if arguments is None else kernel(*arguments)
        big = [np.ones((rows, SIZE), np.float32), np.ones((length, SIZE), np.float32)]
        a, b, c = map(stepper.cuda.to_device, (*big, np.zeros((rows, SIZE), np.float32)))
        kernel[1, threads](a[:, :length], b[:, :columns], c[:, :columns])
        assert (c.copy_to_host()[:, :columns] == length).all(), f"{id} is wrong in the stepper"
    counts = stepper.launches[-1].counts
    copies = [a for a in counts.accesses.values() if a.function in COPIES and a.kind == "load"]
    spared = counts.total("requests", "local") + getattr(counts.grid, "beyond", 0)
    pipe = counts.total("wavefronts") + counts.total("wavefronts", "shared")
    l2 = counts.l2()
    joined = [a for a in counts.accesses.values() if (a.array, a.kind) == (JOINED.get(id), "load")]
    spared += sum(a.requests for a in copies) + sum(a.requests * 3 // 4 for a in joined)
    pipe -= sum(a.wavefronts for a in copies) + sum(a.wavefronts // 2 for a in joined)
    return {
        "instructions": counts.issued(LEAST) - spared,
        "wavefronts": pipe,
        "l2_sectors": l2["reads"] + l2["writes"],
    }


def count(id):
    """What a rung asks for at 4096 x 4096. HBM gives each element once, and takes it once."""
    rows, columns = RUNGS[id][3]
    blocks = SIZE * SIZE // (rows * columns)
    short, long = (block(id, length) for length in LENGTHS)
    steps = (SIZE - LENGTHS[0]) / (LENGTHS[1] - LENGTHS[0])
    found = {name: round(blocks * (n + steps * (long[name] - n))) for name, n in short.items()}
    return {**found, "hbm_bytes": 3 * 4 * SIZE * SIZE}


def ceilings(counts):
    """The least times of an H200, in seconds: {part: time}, as in stepper/counts.py."""
    return {
        "issue": counts["instructions"] / ISSUED,
        "L1": counts["wavefronts"] / PIPE,
        "L2": 32 * counts["l2_sectors"] / L2_BANDWIDTH,
        "HBM": counts["hbm_bytes"] / HBM_BANDWIDTH,
    }


@cache
def known():
    """What ``count`` found when it last ran."""
    return json.loads(FILE.read_text(encoding="utf-8"))


def main():
    rows = (f"{json.dumps(id)}: {json.dumps(count(id))}" for id in RUNGS)
    FILE.write_text("{\n " + ",\n ".join(rows) + "\n}\n", encoding="utf-8")


if __name__ == "__main__":
    main()

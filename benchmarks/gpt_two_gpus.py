"""Training steps of GPT-2 on one and two GPUs: weak and strong scaling, and whose all-reduce."""

import cupy as cp
import numpy as np

from benchmarks.harness import BenchmarkError, rounded
from benchmarks.multi_gpu import FOLDER, reach
from benchmarks.nccl import PairTimer
from kernels.gpt.model import Config
from kernels.gpt.parallel import DataParallel
from kernels.multi_gpu.collectives import collectives, nccl

GPUS = 2
KERNEL = "kernels/gpt/parallel.py"
SHARES = (2, 4, 8, 16, 32, 64)  # sequences of a GPU, 256 symbols each
METHOD = "a graph on each GPU; CUDA events, the slower GPU counts"
TOLERANCE = 1e-3  # of the averaged gradient, against one GPU's: sums in another order, TF32


class Timer(PairTimer):
    """Seconds of a step on one GPU or on two, whichever a call names."""

    def __init__(self, gpus):
        self.gpus = gpus
        super().__init__(gpus.streams)

    def record(self, which):
        for rank in self.gpus.ranks:
            with cp.cuda.Device(self.gpus.devices[rank]):
                self.events[rank][which].record(self.gpus.streams[rank])

    def __call__(self, call):
        self.gpus.wait()
        self.record(0)
        call()
        self.record(1)
        self.gpus.wait()
        pairs = [self.events[rank] for rank in self.gpus.ranks]
        return max(cp.cuda.get_elapsed_time(*pair) for pair in pairs) / 1e3


def run(bench):
    reach()
    shares = SHARES[:2] if bench.quick else SHARES
    with bench.part("gradient"):
        check()
    one, two = {}, {}
    with bench.part("steps"):
        for share in shares:
            one[share] = step(bench, share, [0])
            two[share] = step(bench, share, [0, 1])
    for share in shares:
        row(bench, "weak", share, one[share], two[share], share)
        if 2 * share in one:
            row(bench, "strong", 2 * share, one[2 * share], two[share], share)
    with bench.part("NCCL's all-reduce"):
        communicators = nccl.NcclCommunicator.initAll(list(range(GPUS)))
        try:
            for share in shares[-2:]:
                summary = step(bench, share, [0, 1], communicators)
                bench.micro(
                    f"gpt-nccl-{share}",
                    f"A training step of GPT-2 on two GPUs, {share} sequences each, NCCL adds up",
                    summary,
                    unit="ms",
                    kernel=KERNEL,
                    method=METHOD,
                )
        finally:
            for communicator in communicators:
                communicator.destroy()


def row(bench, kind, batch, alone, both, share):
    """Add a row: ``batch`` sequences, in all (strong) or for each GPU (weak)."""
    ideal = 1 if kind == "weak" else 1 / GPUS
    bench.micro(
        f"gpt-{kind}-{batch}",
        f"A training step of GPT-2 on two GPUs, {batch} sequences "
        + ("in all" if kind == "strong" else "on each"),
        both,
        unit="ms",
        kernel=KERNEL,
        method=METHOD,
        terms=["data-parallelism"],
        extra={
            "efficiency": rounded(ideal * alone.median / both.median),
            "one_ms": rounded(1e3 * alone.median),
            "symbols": rounded(GPUS * share * 256 / both.median),  # a second
            "one_symbols": rounded(batch * 256 / alone.median),
        },
    )


def config(share):
    return Config(layers=6, heads=6, width=384, length=256, symbols=66, batch=share)


def filled(share, devices, seed=0):
    """Return ranks with random sequences: for one seed the same ones, however many ranks."""
    gpus = DataParallel(config(share), devices, folder=FOLDER)
    random = np.random.default_rng(seed)
    data = random.integers(0, 66, (2, len(devices), share * 256)).astype(np.int32)
    for rank in gpus.ranks:
        with gpus.on(rank) as model:
            model.tokens[:], model.targets[:] = map(cp.asarray, data[:, rank])
    gpus.wait()
    return gpus


def check():
    """The averaged gradient of two ranks is that of one with both shares, and the same on both."""
    both, alone = filled(4, [0, 1]), filled(8, [0])
    for gpus in (both, alone):
        gpus.step()
        gpus.wait()
    first, second, right = (g.get() for g in (*both.gradients, *alone.gradients))
    error = float(np.linalg.norm(first - right) / np.linalg.norm(right))
    if not error < TOLERANCE or not np.array_equal(first, second):
        raise BenchmarkError(f"gradient: error {error:.1e}, apart {np.abs(first - second).max()}")


def step(bench, share, devices, communicators=None):
    """Return a summary of the step's seconds."""
    gpus = filled(share, devices)
    if communicators:
        g = gpus.gradients
        gpus.all_reduce, _ = collectives(communicators, g, g, gpus.streams)["all-reduce"]
    launch = gpus.record()
    name = f"{share} sequences on each of {len(devices)}"
    summary = bench.samples({name: launch}, Timer(gpus))[name]
    gpus.wait()
    del gpus, launch
    for device in range(GPUS):
        with cp.cuda.Device(device):
            cp.get_default_memory_pool().free_all_blocks()
    return summary

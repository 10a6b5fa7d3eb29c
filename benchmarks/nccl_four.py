"""NCCL's collectives on two and on four GPUs of one machine, by message size."""

import cupy as cp
import numpy as np

from benchmarks.group import GroupTimer, communicators, free, normal, reach, streams_on
from benchmarks.harness import GIB, MIB, BenchmarkError, rounded
from benchmarks.multi_gpu import right
from kernels.multi_gpu.collectives import collectives
from kernels.multi_gpu.peers import on_each

GPUS = 4
KIB = 2**10
SIZES = {"64kib": 64 * KIB, "1mib": MIB, "16mib": 16 * MIB, "256mib": 256 * MIB, "1gib": GIB}


def run(bench):
    reach(GPUS)
    for ranks in (GPUS, 2):
        with bench.part(f"{ranks} GPUs"), communicators(ranks) as comms:
            streams = streams_on(ranks)
            check(comms, streams)
            largest = {"4gib": 4 * GIB} if ranks == GPUS and not bench.quick else {}
            for label, size in (SIZES | largest).items():
                one_size(bench, comms, streams, label, MIB if bench.quick else size)
                free(ranks)


def one_size(bench, comms, streams, label, size):
    n, ranks = size // 4, len(comms)
    x = normal(ranks, n)
    y = on_each(lambda rank: cp.empty(n, cp.float32), range(ranks))
    repeats = max(1, min(50, 64 * MIB // size))
    factors, calls = {}, {}
    for name, (call, factor) in collectives(comms, x, y, streams).items():
        if size > GIB and name != "all-reduce":
            continue
        factors[name] = factor

        def many(call=call):
            for _ in range(repeats):
                call()

        calls[name] = many
    for name, summary in bench.samples(calls, GroupTimer(streams)).items():
        bench.micro(
            f"nccl-{name}-{label}-{ranks}",
            f"{name} of {label} by NCCL between {ranks} GPUs of a machine of {GPUS}: bus bandwidth",
            summary,
            unit="GB/s",
            amount=repeats * size * factors[name],
            method=f"cupy.cuda.nccl in one process, without NVLS, {repeats} in a row; CUDA "
            "events, the slowest GPU counts",
            terms=["nvlink", "collective-operation"],
            extra={"bytes": size, "us": rounded(1e6 * summary.median / repeats), "gpus": ranks},
        )


def check(comms, streams):
    """Every collective gives each rank what it should."""
    ranks = range(len(comms))
    x = normal(len(comms), 1000)
    sent = [array.get() for array in x]
    for name in collectives(comms, x, x, streams):
        y = on_each(lambda rank: cp.full(1000, cp.nan, cp.float32), ranks)
        collectives(comms, x, y, streams)[name][0]()
        for rank in ranks:
            streams[rank].synchronize()
            want = right(name, sent, rank)
            if want is not None:
                got = y[rank].get()[: len(want)]
                if not np.allclose(got, want, atol=1e-5):
                    raise BenchmarkError(f"{name}: rank {rank} holds something else")

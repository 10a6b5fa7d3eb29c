"""All-reduces of our own on four GPUs, through peer pointers, against NCCL's."""

import cupy as cp

from benchmarks.group import GroupTimer, communicators, free, in_a_graph, normal, reach, total
from benchmarks.harness import GIB, MIB, BenchmarkError, Case, Reference
from benchmarks.multi_gpu import FOLDER, ONE_SHOT, PEERS
from kernels.multi_gpu.all_reduce import Ranks
from kernels.multi_gpu.collectives import collectives
from kernels.multi_gpu.peers import on_each

GPUS = 4
KIB = 2**10
IN_GRAPH, FEW_IN_GRAPH = 50, 4  # all-reduces in one graph: small ones, large ones
SMALL = {"4kib": 4 * KIB, "16kib": 16 * KIB, "64kib": 64 * KIB, "256kib": 256 * KIB}
LARGE = {"16mib": 16 * MIB, "256mib": 256 * MIB, "1gib": GIB}
WAYS = {"all-reduce-p2p": "two_shot", "all-reduce-ring": "ring", "all-reduce-read": "read_all"}
WORDS = {"two_shot": "in two shots", "ring": "in our ring", "read_all": "where each reads all"}


def run(bench):
    reach(GPUS)
    with communicators(GPUS) as comms:
        with bench.part("small"):
            group = Ranks(list(range(GPUS)), most=SMALL["256kib"] // 4, folder=FOLDER)
            for label, size in SMALL.items():
                rows = [(f"all-reduce-one-shot-{label}-{GPUS}", "one_shot", f"{label} in one shot")]
                compared(bench, comms, group, rows, size, "us", IN_GRAPH)
            # What one shot costs where two shots begin to pay
            rows = [(f"all-reduce-p2p-256kib-{GPUS}", "two_shot", "256kib in two shots")]
            compared(bench, comms, group, rows, SMALL["256kib"], "us", IN_GRAPH)
        for label, size in LARGE.items():
            with bench.part(label):
                size = MIB if bench.quick else size
                group = Ranks(list(range(GPUS)), most=size // 4, folder=FOLDER)
                rows = [
                    (f"{start}-{label}-{GPUS}", name, f"{label} {WORDS[name]}")
                    for start, name in WAYS.items()
                ]
                compared(bench, comms, group, rows, size, "GB/s", FEW_IN_GRAPH)
                del group
                free(GPUS)


def compared(bench, comms, group, rows, size, unit, several):
    """Compare our all-reduces of arrays of ``size`` bytes with NCCL's, on the same streams.

    ``rows`` has (id, kernel, what it does).
    """
    n, streams, ranks = size // 4, group.streams, range(GPUS)
    x = normal(GPUS, n)
    names = ["", *(name for _, name, _ in rows)]
    outputs = {name: on_each(lambda rank: bench.output(n), ranks) for name in names}
    arrays = {name: [output.array for output in each] for name, each in outputs.items()}
    reference, _ = collectives(comms, x, arrays[""], streams)["all-reduce"]
    queues = {name: group.prepare(name, x, arrays[name]) for name in names if name} | {
        "": reference
    }
    calls = {name: in_a_graph(queue, streams, several) for name, queue in queues.items()}
    sums = total(x)
    for name, call in calls.items():  # compare() looks at GPU 0's output
        for rank in ranks[1:]:
            with cp.cuda.Device(rank):
                outputs[name][rank].poison()
                cp.cuda.Device().synchronize()
        call()
        group.wait()
        for rank in ranks[1:]:
            with cp.cuda.Device(rank):
                expected = cp.empty_like(sums)
                expected.data.copy_from_device(sums.data, sums.nbytes)
                cp.cuda.Device().synchronize()
                error = outputs[name][rank].error(expected)
            if not error < 1e-6:
                raise BenchmarkError(f"GPU {rank}, {name or 'NCCL'}, {size} bytes: {error:.1e}")
    cases = [
        Case(
            id,
            f"All-reduce of {words} on {GPUS} GPUs, {several} in a graph on each, "
            "like the reference",
            ONE_SHOT if name == "one_shot" else PEERS,
            calls[name],
            outputs[name][0],
        )
        for id, name, words in rows
    ]
    bench.compare(
        cases,
        Reference("NCCL's all-reduce", calls[""], outputs[""][0]),
        sums,
        size=size,
        dtype="float32",
        unit=unit,
        tolerance=1e-6,
        bytes=size * 2 * (GPUS - 1) / GPUS,  # what a link carries: bus bandwidth
        timer=GroupTimer(streams, several),
    )

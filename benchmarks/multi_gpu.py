"""Two GPUs: peer copies by engine and by kernel, NCCL's collectives, and all-reduces of our own."""

import json
import subprocess
import sys
from pathlib import Path

import cupy as cp
import numpy as np

from benchmarks.harness import GIB, MIB, BenchmarkError, Case, Reference, rounded, summarize
from benchmarks.nccl import GPUS, PairTimer, make_streams
from kernels.multi_gpu.all_reduce import Ranks
from kernels.multi_gpu.collectives import collectives, nccl
from kernels.multi_gpu.peers import on_each

FOLDER = Path("snippets/multi_gpu")
COPY, TORCH = "snippets/multi_gpu/copy.cu", "snippets/multi_gpu/torch_collectives.py"
ONE_SHOT, PEERS = "snippets/multi_gpu/one_shot.cu", "snippets/multi_gpu/peers.cu"
KIB = 2**10
CHAIN, HOPS = 2**20, 4000  # elements of the chain that one thread follows, and its hops
IN_GRAPH = 50  # all-reduces in one graph
SIZES = {"64kib": 64 * KIB, "1mib": MIB, "16mib": 16 * MIB, "256mib": 256 * MIB, "1gib": GIB}
SMALL = {"4kib": 4 * KIB, "16kib": 16 * KIB, "64kib": 64 * KIB, "256kib": 256 * KIB}
LARGE = {"16mib": 16 * MIB, "256mib": 256 * MIB, "1gib": GIB}
LINK = ["nvlink", "collective-operation"]


def run(bench):
    reach()
    with bench.part("peer copies"):
        copies(bench)
    with bench.part("latency"):
        latency(bench)
    streams = make_streams()
    communicators = nccl.NcclCommunicator.initAll(list(range(GPUS)))
    try:
        with bench.part("collectives of NCCL"):
            nccl_collectives(bench, communicators, streams)
        with bench.part("all-reduces of our own, small"):
            small(bench, communicators)
        with bench.part("all-reduces of our own, large"):
            large(bench, communicators)
    finally:
        for communicator in communicators:
            communicator.destroy()
    with bench.part("collectives of PyTorch"):
        torch_collectives(bench)


def reach():
    """Peer access, which another script of this process may have switched on."""
    runtime = cp.cuda.runtime
    for here, there in ((0, 1), (1, 0)):
        with cp.cuda.Device(here):
            try:
                runtime.deviceEnablePeerAccess(there)
            except runtime.CUDARuntimeError as error:
                if "AlreadyEnabled" not in str(error):
                    raise


def normal(size):
    return on_each(lambda rank: cp.random.default_rng().standard_normal(size, dtype=cp.float32))


def copies(bench):
    n = (MIB if bench.quick else GIB) // 4
    streams, x = make_streams(), normal(n)
    y = on_each(lambda rank: bench.output(n))
    timer = PairTimer(streams)
    kernel = cp.RawModule(code=Path(COPY).read_text()).get_function("copy")

    def engine(source, target, on):
        with cp.cuda.Device(on):
            cp.cuda.runtime.memcpyPeerAsync(
                y[target].array.data.ptr, target, x[source].data.ptr, source, 4 * n, streams[on].ptr
            )

    def launch(source, target, on):
        with cp.cuda.Device(on), streams[on]:
            kernel((264,), (512,), (x[source], y[target].array, np.uint64(n // 4)))

    ways = {
        "peer-pull": ([(launch, 0, 1, 1)], "a kernel of the target's GPU reads"),
        "peer-push": ([(launch, 0, 1, 0)], "a kernel of the source's GPU writes"),
        "peer-copy-both": ([(engine, 0, 1, 0), (engine, 1, 0, 1)], "cudaMemcpyPeerAsync"),
        "peer-pull-both": ([(launch, 0, 1, 1), (launch, 1, 0, 0)], "kernels read"),
        "peer-push-both": ([(launch, 0, 1, 0), (launch, 1, 0, 1)], "kernels write"),
    }
    calls = {}
    for name, (steps, _) in ways.items():

        def call(steps=steps):
            for way, *where in steps:
                way(*where)

        def and_wait(call=call):
            for device in range(GPUS):
                with cp.cuda.Device(device):
                    cp.cuda.Device().synchronize()  # the poison is on the default stream
            call()
            for stream in streams:
                stream.synchronize()

        for _, source, target, _ in steps:
            right = x[source].get()
            with cp.cuda.Device(target):
                bench.check(name, and_wait, y[target], cp.asarray(right), 0.0)
        calls[name] = call
    for name, summary in bench.samples(calls, timer).items():
        steps, how = ways[name]
        bench.micro(
            name,
            f"Copy of {4 * n // MIB} MiB between two GPUs"
            + (", both directions at once, each" if len(steps) == 2 else "")
            + f": {how}",
            summary,
            unit="GB/s",
            amount=4 * n,
            kernel=None if "copy" in name else COPY,
            method="CUDA events on both GPUs, the slower counts; 264 blocks of 512 threads, 16 "
            "bytes an access, 4 in flight a thread, for kernels",
            terms=LINK,
        )


def latency(bench):
    order = np.random.default_rng(0).permutation(CHAIN - 1)[: 2 * HOPS] + 1
    following = np.zeros(CHAIN, np.uint32)
    places = np.concatenate([[0], order])
    following[places[:-1]] = places[1:]
    chain = on_each(lambda rank: cp.asarray(following))
    kernel = cp.RawModule(code=Path(COPY).read_text()).get_function("chase")
    for name, on, at in (("peer-latency", 0, 1), ("own-latency", 0, 0)):
        with cp.cuda.Device(on):
            end, cycles = cp.zeros(1, cp.uint32), cp.zeros(1, cp.int64)
            events = cp.cuda.Event(), cp.cuda.Event()

            def once(at=at, end=end, cycles=cycles, events=events):
                events[0].record()
                kernel((1,), (1,), (chain[at], np.uint32(HOPS), end, cycles))
                events[1].record()
                events[1].synchronize()
                return cp.cuda.get_elapsed_time(*events) / 1e3

            samples = [once() for _ in range(3 + bench.repeats)][3:]
            if int(end.get()[0]) != places[HOPS]:
                raise BenchmarkError(f"{name}: the chain ended elsewhere")
        whose = "the other GPU's memory" if at else "its own GPU's memory, past L1"
        bench.micro(
            name,
            f"One load after another from {whose}",
            summarize(samples),
            unit="ns",
            amount=HOPS,
            kernel=COPY,
            method=f"one thread follows a random chain of {HOPS} indices over {4 * CHAIN // MIB} "
            "MiB with ld.volatile; CUDA events, divided by the hops",
            terms=["nvlink"],
        )


def right(name, sent, rank):
    """Return what a rank should hold after a collective, or None where that is left open."""
    n, part = len(sent), len(sent[0]) // len(sent)
    total = sum(array.astype("float64") for array in sent)
    mine = slice(rank * part, (rank + 1) * part)
    return (
        {
            "all-reduce": total,
            "broadcast": sent[0],
            "reduce": total if rank == 0 else None,
            "reduce-scatter": total[mine],
            "all-gather": np.concatenate([array[:part] for array in sent]),
            "all-to-all": np.concatenate([array[mine] for array in sent]),
        }[name]
        if n
        else None
    )


def nccl_collectives(bench, communicators, streams):
    check_collectives(communicators, streams)
    timer = PairTimer(streams)
    for label, size in SIZES.items():
        n = (MIB if bench.quick else size) // 4
        x, y = normal(n), on_each(lambda rank, n=n: cp.empty(n, cp.float32))
        repeats = max(1, min(50, 64 * MIB // (4 * n)))
        factors, calls = {}, {}
        for name, (call, factor) in collectives(communicators, x, y, streams).items():
            factors[name] = factor

            def many(call=call, repeats=repeats):
                for _ in range(repeats):
                    call()

            calls[name] = many
        for name, summary in bench.samples(calls, timer).items():
            bench.micro(
                f"nccl-{name}-{label}",
                f"{name} of {label} by NCCL between {GPUS} GPUs: bus bandwidth",
                summary,
                unit="GB/s",
                amount=repeats * 4 * n * factors[name],
                method=f"cupy.cuda.nccl in one process, without NVLS, {repeats} in a row; CUDA "
                "events, the slower GPU counts",
                terms=LINK,
                extra={"bytes": 4 * n, "us": rounded(1e6 * summary.median / repeats)},
            )


def check_collectives(communicators, streams):
    x = normal(1000)
    sent = [array.get() for array in x]
    for name in collectives(communicators, x, x, streams):
        y = on_each(lambda rank: cp.full(1000, cp.nan, cp.float32))
        collectives(communicators, x, y, streams)[name][0]()
        for rank, stream in enumerate(streams):
            stream.synchronize()
            want = right(name, sent, rank)
            got = y[rank].get()[: None if want is None else len(want)]
            if want is not None and not np.allclose(got, want, atol=1e-5):
                raise BenchmarkError(f"{name}: rank {rank} holds something else")


class Each(PairTimer):
    """Seconds of one all-reduce, of several that a call queues."""

    def __init__(self, streams, several):
        super().__init__(streams)
        self.several = several

    def __call__(self, call):
        return super().__call__(call) / self.several


def in_a_row(queue, streams, several):
    """Return a call that queues several all-reduces, one after another."""

    def call():
        for _ in range(several):
            queue()

    return call


def in_a_graph(queue, streams, several):
    """Return a call that launches several all-reduces, recorded on each GPU as one graph."""
    for device in range(GPUS):
        with cp.cuda.Device(device):
            streams[device].begin_capture(cp.cuda.runtime.streamCaptureModeRelaxed)
    for _ in range(several):
        queue()
    graphs = []
    for device in range(GPUS):
        with cp.cuda.Device(device):
            graphs.append(streams[device].end_capture())

    def call():
        for device in range(GPUS):
            with cp.cuda.Device(device):
                graphs[device].launch(streams[device])

    return call


def compared(bench, communicators, group, rows, size, unit, make, several):
    """Compare our all-reduces of arrays of ``size`` bytes with NCCL's, on the same streams.

    ``rows`` has (id, kernel, title); ``make`` is in_a_row or in_a_graph.
    """
    n, streams = size // 4, group.streams
    x = normal(n)
    outputs = {name: on_each(lambda rank: bench.output(n)) for _, name, _ in [*rows, ("", "", "")]}
    arrays = {name: [output.array for output in pair] for name, pair in outputs.items()}
    reference, _ = collectives(communicators, x, arrays[""], streams)["all-reduce"]
    queues = {name: group.prepare(name, x, arrays[name]) for _, name, _ in rows} | {"": reference}
    calls = {name: make(queue, streams, several) for name, queue in queues.items()}
    total = sum(array.get().astype("float64") for array in x)
    for name, call in calls.items():  # compare() looks at GPU 0's output
        with cp.cuda.Device(1):
            outputs[name][1].poison()
        call()
        group.wait()
        with cp.cuda.Device(1):
            error = outputs[name][1].error(cp.asarray(total))
        if not error < 1e-6:
            raise BenchmarkError(f"GPU 1, {name or 'NCCL'}, {size} bytes: error {error:.1e}")
    cases = [
        Case(id, title, ONE_SHOT if name == "one_shot" else PEERS, calls[name], outputs[name][0])
        for id, name, title in rows
    ]
    bench.compare(
        cases,
        Reference("NCCL's all-reduce", calls[""], outputs[""][0]),
        cp.asarray(total),
        size=size,
        dtype="float32",
        unit=unit,
        tolerance=1e-6,
        bytes=size,  # bus bandwidth: x 2 (n - 1) / n, which is x 1 for two
        timer=Each(streams, several),
    )


def small(bench, communicators):
    group = Ranks(list(range(GPUS)), most=SMALL["256kib"] // 4, folder=FOLDER)
    for label, size in SMALL.items():
        end = "" if label == "64kib" else f"-{label}"
        how = f"of {label} in one shot, {IN_GRAPH} in a graph on each GPU, like the reference"
        row = (f"all-reduce-one-shot{end}", "one_shot", f"All-reduce {how}")
        compared(bench, communicators, group, [row], size, "us", in_a_graph, IN_GRAPH)
    row = ("all-reduce-one-shot-calls", "one_shot", "All-reduce of 64 KiB in one shot, from Python")
    compared(bench, communicators, group, [row], SMALL["64kib"], "us", in_a_row, IN_GRAPH)


def large(bench, communicators):
    for label, size in LARGE.items():
        size = MIB if bench.quick else size
        group = Ranks(list(range(GPUS)), most=size // 4, folder=FOLDER)
        end = "" if label == "256mib" else f"-{label}"
        rows = [
            (
                f"all-reduce-p2p{end}",
                "two_shot",
                f"All-reduce of {label} in two shots, 4 in a graph",
            ),
            (f"all-reduce-ring{end}", "ring", f"All-reduce of {label} in our ring, 4 in a graph"),
            (f"all-reduce-read{end}", "read_all", f"All-reduce of {label}, each reads all"),
        ]
        compared(bench, communicators, group, rows, size, "GB/s", in_a_graph, 4)


def torch_collectives(bench):
    """The page's own program, in two processes, as often as a record needs."""
    rounds = 2 if bench.quick else 20
    command = [sys.executable, "-m", "torch.distributed.run", "--standalone",
               f"--nproc-per-node={GPUS}", TORCH, "json", str(rounds)]  # fmt: skip
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    if done.returncode:
        raise BenchmarkError(f"torch.distributed: {done.stderr[-500:]}")
    for row in map(json.loads, done.stdout.splitlines()):
        label = {1: "1mib", 64: "64mib", 1024: "1gib"}[row["mib"]]
        bench.micro(
            f"torch-{row['name'].replace('_', '-')}-{label}",
            f"{row['name']} of {label} by torch.distributed between {GPUS} GPUs: bus bandwidth",
            summarize(row["seconds"]),
            unit="GB/s",
            amount=row["bytes"] * row["factor"],
            kernel=TORCH,
            method="NCCL under PyTorch, a process for each GPU, without NVLS, 10 in a row; CUDA "
            "events, the slower rank counts",
            terms=LINK,
        )

"""Two GPUs: all-reduce through NCCL at three sizes, and a copy from one to the other."""

import os

import cupy as cp

from benchmarks.harness import GIB, MIB, BenchmarkError

GPUS = 2
SIZES = {"1mib": MIB, "64mib": 64 * MIB, "1gib": GIB}
CALLS = {"1mib": 100, "64mib": 10, "1gib": 2}  # all-reduces in one sample


def run(bench):
    with bench.part("all-reduce"):
        all_reduce(bench)
    with bench.part("peer copy"):
        peer_copy(bench)


class PairTimer:
    """Time work on two GPUs by events on each; the slower of the two counts. Seconds."""

    def __init__(self, streams):
        self.streams, self.events = streams, []
        for device in range(GPUS):
            with cp.cuda.Device(device):
                self.events.append((cp.cuda.Event(), cp.cuda.Event()))

    def record(self, which):
        for device in range(GPUS):
            with cp.cuda.Device(device):
                self.events[device][which].record(self.streams[device])

    def __call__(self, call):
        for stream in self.streams:
            stream.synchronize()
        self.record(0)
        call()
        self.record(1)
        for _, end in self.events:
            end.synchronize()
        return max(cp.cuda.get_elapsed_time(start, end) for start, end in self.events) / 1e3


def make_streams():
    streams = []
    for device in range(GPUS):
        with cp.cuda.Device(device):
            streams.append(cp.cuda.Stream(non_blocking=True))
    return streams


def all_reduce(bench):
    from cupy.cuda import nccl

    if not nccl.available:
        raise BenchmarkError("CuPy finds no NCCL: install nvidia-nccl-cu13")
    os.environ["NCCL_NVLS_ENABLE"] = "0"  # before NCCL starts: rings and trees only
    streams = make_streams()
    timer = PairTimer(streams)
    communicators = nccl.NcclCommunicator.initAll(list(range(GPUS)))
    try:
        for name, size in SIZES.items():
            one_size(bench, nccl, communicators, streams, timer, name, size)
    finally:
        for communicator in communicators:
            communicator.destroy()


def one_size(bench, nccl, communicators, streams, timer, name, size):
    n = (MIB if bench.quick else size) // 4
    sent, outputs = [], []
    for device in range(GPUS):
        with cp.cuda.Device(device):
            sent.append(cp.random.default_rng().standard_normal(n, dtype=cp.float32))
            outputs.append(bench.output(n))
            cp.cuda.Device().synchronize()

    def reduce():
        nccl.groupStart()
        for device in range(GPUS):
            with cp.cuda.Device(device):
                communicators[device].allReduce(
                    sent[device].data.ptr,
                    outputs[device].array.data.ptr,
                    n,
                    nccl.NCCL_FLOAT32,
                    nccl.NCCL_SUM,
                    streams[device].ptr,
                )
        nccl.groupEnd()

    def reduce_and_wait():
        cp.cuda.Device().synchronize()  # the poison is on this GPU's default stream
        reduce()
        for stream in streams:
            stream.synchronize()

    parts = [cp.asnumpy(array).astype("float64") for array in sent]
    for device in range(GPUS):
        with cp.cuda.Device(device):
            right = cp.asarray(sum(parts))
            bench.check(f"GPU {device}, {name}", reduce_and_wait, outputs[device], right, 1e-6)

    def many():
        for _ in range(CALLS[name]):
            reduce()

    bench.micro(
        f"allreduce-{name}",
        f"All-reduce of {n * 4 // MIB} MiB of float32 over 2 GPUs: bus bandwidth",
        bench.samples({f"allreduce-{name}": many}, timer)[f"allreduce-{name}"],
        unit="GB/s",
        # Bus bandwidth of an all-reduce: bytes x 2 (n - 1) / n, which is bytes x 1 for two.
        amount=CALLS[name] * 4 * n * 2 * (GPUS - 1) / GPUS,
        method=f"NCCL from one process, without NVLS, {CALLS[name]} in a row; CUDA events, the "
        "slower GPU counts",
        extra={"bytes": 4 * n},
    )


def peer_copy(bench):
    streams = make_streams()
    timer = PairTimer(streams)
    n = (MIB if bench.quick else GIB) // 4
    with cp.cuda.Device(0):
        source = cp.random.default_rng().standard_normal(n, dtype=cp.float32)
        cp.cuda.Device().synchronize()
    with cp.cuda.Device(1):
        output = bench.output(n)
        cp.cuda.Device().synchronize()
    runtime = cp.cuda.runtime
    for here, there in ((0, 1), (1, 0)):
        if runtime.deviceCanAccessPeer(here, there):
            with cp.cuda.Device(here):
                try:
                    runtime.deviceEnablePeerAccess(there)
                except runtime.CUDARuntimeError as error:
                    if "AlreadyEnabled" not in str(error):
                        raise

    def copy():
        runtime.memcpyPeerAsync(output.array.data.ptr, 1, source.data.ptr, 0, 4 * n, streams[0].ptr)

    def copy_and_wait():
        cp.cuda.Device().synchronize()  # the poison is on this GPU's default stream
        with cp.cuda.Device(0):
            copy()
            streams[0].synchronize()

    host = cp.asnumpy(source)
    with cp.cuda.Device(1):
        bench.check("peer copy", copy_and_wait, output, cp.asarray(host), 0.0)
    with cp.cuda.Device(0):
        summary = bench.samples({"peer-copy": copy}, timer)["peer-copy"]
    bench.micro(
        "peer-copy",
        "Copy from the memory of one GPU to another's",
        summary,
        unit="GB/s",
        amount=4 * n,
        method="cudaMemcpyPeerAsync of 1 GiB; CUDA events",
        extra={"peer_access": int(runtime.deviceCanAccessPeer(0, 1))},
    )

"""What the benchmarks of a whole machine share: peer access, arrays, graphs and a clock for it."""

import os
from contextlib import contextmanager

import cupy as cp

from benchmarks.harness import BenchmarkError
from kernels.multi_gpu.peers import on_each


def reach(ranks):
    """Let each of the first GPUs use the memory of the others; another script may have done so."""
    runtime = cp.cuda.runtime
    for here in range(ranks):
        for there in range(ranks):
            if here == there:
                continue
            if not runtime.deviceCanAccessPeer(here, there):
                raise BenchmarkError(f"GPU {here} cannot reach GPU {there}")
            with cp.cuda.Device(here):
                try:
                    runtime.deviceEnablePeerAccess(there)
                except runtime.CUDARuntimeError as error:
                    if "AlreadyEnabled" not in str(error):
                        raise


def normal(ranks, size):
    """Return fresh normal numbers on each GPU: ``size`` of float32."""
    return on_each(
        lambda rank: cp.random.default_rng().standard_normal(size, dtype=cp.float32), range(ranks)
    )


def total(arrays):
    """Return the sum of one array of each GPU, in float64, on GPU 0."""
    with cp.cuda.Device(0):
        found = arrays[0].astype(cp.float64)
        for array in arrays[1:]:
            here = cp.empty_like(arrays[0])
            here.data.copy_from_device(array.data, array.nbytes)
            cp.cuda.Device().synchronize()
            found += here
        cp.cuda.Device().synchronize()
    return found


def streams_on(ranks):
    return on_each(lambda rank: cp.cuda.Stream(non_blocking=True), range(ranks))


@contextmanager
def communicators(ranks):
    """NCCL's communicators of the first GPUs: rings and trees, no sums in the switch."""
    os.environ["NCCL_NVLS_ENABLE"] = "0"  # before NCCL starts
    from cupy.cuda import nccl

    if not nccl.available:
        raise BenchmarkError("CuPy finds no NCCL: install nvidia-nccl-cu13")
    made = nccl.NcclCommunicator.initAll(list(range(ranks)))
    try:
        yield made
    finally:
        for communicator in made:
            communicator.destroy()


class GroupTimer:
    """Seconds of one of ``several`` things that a call queues: events on each GPU, the slowest."""

    def __init__(self, streams, several=1):
        self.streams, self.several = streams, several
        self.events = on_each(lambda rank: (cp.cuda.Event(), cp.cuda.Event()), range(len(streams)))

    def record(self, which):
        for device, stream in enumerate(self.streams):
            with cp.cuda.Device(device):
                self.events[device][which].record(stream)

    def __call__(self, call):
        for stream in self.streams:
            stream.synchronize()
        self.record(0)
        call()
        self.record(1)
        for _, end in self.events:
            end.synchronize()
        slowest = max(cp.cuda.get_elapsed_time(start, end) for start, end in self.events)
        return slowest / 1e3 / self.several


def in_a_graph(queue, streams, several):
    """Return a call that launches several times what ``queue`` queues, as one graph on each GPU."""
    for device, stream in enumerate(streams):
        with cp.cuda.Device(device):
            stream.begin_capture(cp.cuda.runtime.streamCaptureModeRelaxed)
    for _ in range(several):
        queue()
    graphs = []
    for device, stream in enumerate(streams):
        with cp.cuda.Device(device):
            graphs.append(stream.end_capture())

    def call():
        for device, graph in enumerate(graphs):
            with cp.cuda.Device(device):
                graph.launch(streams[device])

    return call


def free(ranks):
    """Give CuPy's cached memory back, on each GPU."""
    for device in range(ranks):
        with cp.cuda.Device(device):
            cp.get_default_memory_pool().free_all_blocks()

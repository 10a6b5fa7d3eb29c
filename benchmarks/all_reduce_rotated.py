"""Two shots on four GPUs in two orders: everybody at GPU 0 first, and each at its own array."""

import cupy as cp

from benchmarks.group import GroupTimer, free, in_a_graph, normal, reach, total
from benchmarks.harness import GIB, MIB, BenchmarkError, Case, Reference
from kernels.multi_gpu.peers import on_each
from kernels.multi_gpu.rotated import RotatedRanks

GPUS = 4
FOLDER = "snippets/multi_gpu"
IN_GRAPH = 4  # all-reduces in one graph
SIZES = {"16mib": 16 * MIB, "256mib": 256 * MIB, "1gib": GIB}
# The rows of a size: the start of an id, the kernel, its source, and what it does.
ROWS = (
    ("all-reduce-rotated", "rotated", "kernels/multi_gpu/rotated.py", "own array first"),
    ("all-reduce-rotated-ring", "ring", f"{FOLDER}/peers.cu", "in our ring"),
)


def run(bench):
    reach(GPUS)
    for label, size in SIZES.items():
        with bench.part(label):
            compared(bench, label, MIB if bench.quick else size)
        free(GPUS)


def compared(bench, label, size):
    """Compare both orders and the ring, in turns: all-reduces of ``size`` bytes."""
    n, ranks = size // 4, range(GPUS)
    group = RotatedRanks(list(ranks), most=n, folder=FOLDER)
    x = normal(GPUS, n)
    sums = total(x)
    outputs, calls = {}, {}
    for name in ("two_shot", *(row[1] for row in ROWS)):
        outputs[name] = on_each(lambda rank: bench.output(n), ranks)
        queue = group.prepare(name, x, [output.array for output in outputs[name]])
        calls[name] = in_a_graph(queue, group.streams, IN_GRAPH)
        right(group, name, calls[name], outputs[name], sums)
    bench.compare(
        [
            Case(
                f"{start}-{label}-{GPUS}",
                f"All-reduce of {label}, {words}, on {GPUS} GPUs, {IN_GRAPH} in a graph on each, "
                "like the reference",
                kernel,
                calls[name],
                outputs[name][0],
            )
            for start, name, kernel, words in ROWS
        ],
        Reference("two shots, GPU 0 first", calls["two_shot"], outputs["two_shot"][0]),
        sums,
        size=size,
        dtype="float32",
        unit="GB/s",
        tolerance=1e-6,
        bytes=size * 2 * (GPUS - 1) / GPUS,  # what a link carries: bus bandwidth
        timer=GroupTimer(group.streams, IN_GRAPH),
    )


def right(group, name, call, outputs, sums):
    """Look at what every GPU but the first got: compare() looks at GPU 0's output."""
    for rank, output in enumerate(outputs):
        with cp.cuda.Device(rank):
            output.poison()
            cp.cuda.Device().synchronize()
    call()
    group.wait()
    for rank, output in enumerate(outputs[1:], 1):
        with cp.cuda.Device(rank):
            expected = cp.empty_like(sums)
            expected.data.copy_from_device(sums.data, sums.nbytes)
            cp.cuda.Device().synchronize()
            error = output.error(expected)
            del expected
        if not error < 1e-6:
            raise BenchmarkError(f"GPU {rank}, {name}: error {error:.1e}")

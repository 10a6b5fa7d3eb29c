"""Two GPUs: rings and plain stores of four sizes, and a ring that adds nothing.

Two hypotheses of the page on several GPUs. What a ring of 1 GiB loses against a plain store is
address translation: then one of 2 GiB loses more, one of 512 MiB less, and so does a store of as
many bytes. Or it is the additions: then a ring without them is as fast as a store.
"""

import tempfile
from pathlib import Path

import cupy as cp
import numpy as np

from benchmarks.group import GroupTimer, free, in_a_graph, normal, reach
from benchmarks.harness import GIB, MIB, ROOT, BenchmarkError
from kernels.multi_gpu.all_reduce import Ranks
from kernels.multi_gpu.peers import on_each

GPUS = 2
FOLDER = ROOT / "snippets/multi_gpu"
PEERS, COPY = "snippets/multi_gpu/peers.cu", "snippets/multi_gpu/copy.cu"
SIZES = {"256mib": 256 * MIB, "512mib": 512 * MIB, "1gib": GIB, "2gib": 2 * GIB}
TERMS = ["nvlink", "collective-operation"]
IN_GRAPH = 4
METHOD = f"{IN_GRAPH} in a graph on each GPU, in turns with the others; CUDA events, the slower "
METHOD += "GPU counts"


def run(bench):
    reach(GPUS)
    with bench.part("rings and plain stores"):
        rings(bench, {"2gib": MIB} if bench.quick else SIZES)
    free(GPUS)


def brought(array):
    """Return a copy of an array of the other GPU in the memory of the current one."""
    here = cp.empty(array.shape, array.dtype)
    here.data.copy_from_device(array.data, array.nbytes)
    cp.cuda.Device().synchronize()
    return here


def poison(arrays):
    for device, array in enumerate(arrays):
        with cp.cuda.Device(device):
            array.fill(cp.nan)
            cp.cuda.Device().synchronize()


def without_additions(source):
    """Return peers.cu with a ring that passes on what it has, and neither loads nor adds more."""
    changes = {
        "if (more) came[k] = more[i + k * blockDim.x];": "",
        "value[k] = value[k] + came[k];": "",
    }
    for old, new in changes.items():
        if source.count(old) != 1:
            raise BenchmarkError(f"peers.cu has no longer one {old!r}")
        source = source.replace(old, new)
    return source


def rings(bench, sizes):
    most = max(sizes.values()) // 4
    group = Ranks(list(range(GPUS)), most=most, folder=FOLDER)
    with tempfile.TemporaryDirectory() as folder:
        for name in ("one_shot.cu", "peers.cu"):
            text = (FOLDER / name).read_text(encoding="utf-8")
            text = without_additions(text) if name == "peers.cu" else text
            (Path(folder) / name).write_text(text, encoding="utf-8")
        bare = Ranks(list(range(GPUS)), most=most, folder=folder)
    bare.streams = streams = group.streams
    whole_x = normal(GPUS, most)
    whole_y = on_each(lambda rank: cp.empty(most, cp.float32), range(GPUS))
    kernel = cp.RawModule(code=(FOLDER / "copy.cu").read_text()).get_function("copy")
    calls, about = {}, {}
    for label, size in sizes.items():
        n = size // 4
        x, y = ([array[:n] for array in arrays] for arrays in (whole_x, whole_y))

        def store(x=x, y=y, n=n):
            for here in range(GPUS):
                with cp.cuda.Device(here), streams[here]:
                    kernel((264,), (512,), (x[here], y[1 - here], np.uint64(n // 4)))

        ways = {
            "ring": (group.prepare("ring", x, y), "All-reduce of {} in our ring", PEERS),
            "bare": (bare.prepare("ring", x, y), "Our ring of {} without its additions", PEERS),
            "store": (store, "Plain store of {} to each other", COPY),
        }
        for way, (queue, title, source) in ways.items():
            poison(y)
            queue()
            (bare if way == "bare" else group).wait()
            check(f"{way} of {label}", way, x, y)
            id = f"two-change-{way}-{label}"
            calls[id] = in_a_graph(queue, streams, IN_GRAPH)
            about[id] = title.format(label), size, source
    for id, summary in bench.samples(calls, GroupTimer(streams, IN_GRAPH)).items():
        title, size, source = about[id]
        bench.micro(id, f"{title}, between two GPUs: each direction", summary, unit="GB/s",
                    amount=size, kernel=source, method=METHOD, terms=TERMS,
                    extra={"us": float(f"{1e6 * summary.median:.6g}")})  # fmt: skip
    group.wait()
    bare.wait()


def check(name, way, x, y):
    for rank in range(GPUS):
        with cp.cuda.Device(rank):
            other, half = brought(x[1 - rank]), x[rank].size // 2
            if way == "ring":
                right = x[rank] + other
            elif way == "store":
                right = other
            else:  # part q went around untouched: it is that of the rank that sent it first
                first, second = (x[0], other) if rank == 0 else (other, x[1])
                right = cp.concatenate([second[:half], first[half:]])
            if not bool((y[rank] == right).all()):
                raise BenchmarkError(f"{name}: rank {rank} holds something else")

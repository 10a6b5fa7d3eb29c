"""Two GPUs: how long the kernels of an all-reduce in one shot last on each, by their own stamps.

Hypothesis: the two kernels of a pair begin about a microsecond apart, which an all-reduce on two
GPUs pays and a kernel on one does not. Then the kernel that begins first lasts so much longer.
"""

import cupy as cp
import numpy as np

from benchmarks.group import in_a_graph, normal, reach
from benchmarks.harness import BenchmarkError, rounded, summarize
from benchmarks.micro.two_change_step import FOLDER, KEPT, METHOD, ONE_SHOT, WARMUP, note_times
from kernels.multi_gpu.all_reduce import Ranks
from kernels.multi_gpu.peers import on_each

GPUS = 2


def run(bench):
    reach(GPUS)
    with bench.part("one shot"):
        one_shot(bench)


def one_shot(bench, n=1024, in_graph=50):
    group = Ranks(list(range(GPUS)), most=n, folder=FOLDER)
    note_times(group, "one_shot")
    blocks = group.FEW
    x = normal(GPUS, n)
    wide = on_each(lambda rank: cp.zeros(n + 2 * KEPT * 2 * blocks, cp.float32), range(GPUS))
    out = [array[:n] for array in wide]
    call = in_a_graph(group.prepare("one_shot", x, out), group.streams, in_graph)
    longer, shorter, between = [], [], []
    for turn in range(WARMUP + bench.repeats):
        for array in wide:
            with cp.cuda.Device(array.device.id):
                array.fill(0)
                cp.cuda.Device().synchronize()
        call()
        group.wait()
        if turn < WARMUP:
            continue
        lasted, begins = [], []
        for array in wide:
            stamps = array.get()[n:].view(np.uint64).reshape(KEPT, 2, blocks)
            stamps = stamps[stamps.all((1, 2))]
            if len(stamps) != in_graph:
                raise BenchmarkError(f"one shot: stamps of {len(stamps)} calls, not {in_graph}")
            lasted.append((stamps[:, 1].max(1) - stamps[:, 0].min(1)).astype(np.float64))
            begins.append(np.sort(stamps[:, 0].min(1)))
        both = 1e-9 * np.array(lasted)
        longer.append(float(np.median(both.max(0))))
        shorter.append(float(np.median(both.min(0))))
        between.append(1e-9 * float(np.median(np.diff(begins[0]).astype(np.float64))))
    total = x[0].get() + x[1].get()
    if any(not np.array_equal(array.get(), total) for array in out):
        raise BenchmarkError("one shot: the sum is wrong")
    method = f"{METHOD}; the median of {in_graph} in a graph on each GPU"
    title = "The kernel of an all-reduce of 4 KiB in one shot, from its first instruction"
    for which, samples in (("first", longer), ("last", shorter)):
        bench.micro(f"two-change-one-shot-{which}", f"{title}: on the rank that comes {which}",
                    summarize(samples), unit="us", kernel=ONE_SHOT, method=method,
                    terms=["all-reduce"],
                    extra={"between_us": rounded(1e6 * float(np.median(between)))})  # fmt: skip

"""A training step of GPT-2 on each of four GPUs: one after another, and all four at once."""

import cupy as cp

from benchmarks.gpt_two_gpus import KERNEL, filled
from benchmarks.group import free
from benchmarks.harness import WARMUP, summarize

GPUS = 4
SHARE = 64  # sequences, 256 symbols each


def run(bench):
    share = 4 if bench.quick else SHARE
    with bench.part("steps"):
        each = [Clocked(share, device) for device in range(GPUS)]
        ways = {"alone": alone, "at-once": at_once}
        times = {way: [[] for _ in each] for way in ways}
        for turn in range(-WARMUP, bench.repeats):
            for way, measure in ways.items():
                for device, seconds in enumerate(measure(each)):
                    if turn >= 0:
                        times[way][device].append(seconds)
        for way, words in (("alone", "alone"), ("at-once", "all four at once, no all-reduce")):
            for device in range(GPUS):
                bench.micro(
                    f"gpt-{way}-{SHARE}-gpu-{device}",
                    f"A training step of GPT-2 on GPU {device} of {GPUS}, {SHARE} sequences, "
                    + words,
                    summarize(times[way][device]),
                    unit="ms",
                    kernel=KERNEL,
                    method="a graph; CUDA events of this GPU before and after it; in turns",
                )
    free(GPUS)


class Clocked:
    """A model on one GPU, its step as a graph, and two events."""

    def __init__(self, share, device):
        self.device, self.gpus = device, filled(share, [device])
        self.launch, (self.stream,) = self.gpus.record(), self.gpus.streams
        with cp.cuda.Device(device):
            self.events = cp.cuda.Event(), cp.cuda.Event()

    def queue(self):
        with cp.cuda.Device(self.device):
            self.events[0].record(self.stream)
            self.launch()
            self.events[1].record(self.stream)

    def seconds(self):
        self.gpus.wait()
        return cp.cuda.get_elapsed_time(*self.events) / 1e3


def alone(each):
    for gpu in each:
        gpu.queue()
        yield gpu.seconds()


def at_once(each):
    for gpu in each:
        gpu.queue()
    yield from [gpu.seconds() for gpu in each]

"""A burst of photos, decoded and blurred on a GPU: its timeline, recorded through CUPTI."""

# --8<-- [start:imports]
import json
from contextlib import contextmanager

import numpy as np
import torch
from torch.nn.functional import avg_pool2d
from torch.profiler import ProfilerActivity, profile, record_function

# --8<-- [end:imports]


# --8<-- [start:stage]
@contextmanager
def stage(name):
    """Name what happens inside, for Nsight (NVTX) and for PyTorch's profiler."""
    with torch.cuda.nvtx.range(name), record_function(name):
        yield


# --8<-- [end:stage]


# --8<-- [start:first]
def decoded_on_cpu(photos, table):
    """Return the mean brightness of each photo, blurred. photos: uint8; table: 256 float32."""
    means = []
    for photo in photos:
        with stage("decode"):
            light = table[photo]  # NumPy, on the CPU
        with stage("copy"):
            image = torch.from_numpy(light).cuda()
        with stage("blur"):
            soft = avg_pool2d(image[None], 9, stride=1)
        with stage("mean"):
            means.append(soft.mean().item())  # a number for Python: wait for the GPU
    return means


# --8<-- [end:first]


# --8<-- [start:second]
def decoded_on_gpu(photos, table):
    """The same. photos: tensors in pinned memory; table: on the GPU."""
    means = []
    for photo in photos:
        with stage("copy"):
            image = photo.to("cuda", non_blocking=True)  # a byte for each pixel, not four
        with stage("decode"):
            light = table[image.int()]
        with stage("blur"):
            soft = avg_pool2d(light[None], 9, stride=1)
        with stage("mean"):
            means.append(soft.mean())  # still on the GPU
    return torch.stack(means).tolist()  # wait once


# --8<-- [end:second]


# --8<-- [start:burst]
def burst(count, height, width):
    """Return photos and a table of brightness, as NumPy's arrays and as PyTorch's."""
    random = np.random.default_rng(1)
    photos = random.integers(0, 256, (count, height, width), dtype=np.uint8)
    table = ((np.arange(256) / 255) ** 2.2).astype(np.float32)  # what a camera's byte stands for
    pinned = [torch.from_numpy(photo).pin_memory() for photo in photos]
    return (photos, table), (pinned, torch.from_numpy(table).cuda())


# --8<-- [end:burst]


# --8<-- [start:trace]
def trace(file, work, *arguments):
    """Run ``work`` under CUPTI, write its trace to a file and return the events."""
    work(*arguments)  # once before: it loads kernels and fills the allocator
    torch.cuda.synchronize()
    with profile(activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA]) as profiler:
        work(*arguments)
        torch.cuda.synchronize()
    profiler.export_chrome_trace(str(file))
    with open(file) as text:
        return json.load(text)["traceEvents"]


# --8<-- [end:trace]


# --8<-- [start:lanes]
LANES = {"user_annotation": "host", "gpu_memcpy": "copies", "kernel": "kernels"}


def lanes(events):
    """Return (lane, name, start, end) of the stages and of the GPU's work, in ms."""
    found = [e for e in events if e.get("ph") == "X" and e.get("cat") in LANES]
    began = min(e["ts"] for e in found)
    return sorted(
        (LANES[e["cat"]], e["name"], (e["ts"] - began) / 1e3, (e["ts"] + e["dur"] - began) / 1e3)
        for e in found
    )


def busy(spans):
    """Return the share of the time in which the GPU copies or computes."""
    covered = until = 0.0
    for start, end in sorted((start, end) for lane, _, start, end in spans if lane != "host"):
        covered += max(end - max(start, until), 0.0)
        until = max(until, end)
    return covered / max(end for *_, end in spans)


# --8<-- [end:lanes]


def two_events():
    """Half a millisecond of kernel in one and a half of the host.

    --8<-- [start:two]
    >>> host = {"ph": "X", "cat": "user_annotation", "name": "mean", "ts": 500, "dur": 1500}
    >>> gpu = {"ph": "X", "cat": "kernel", "name": "blur", "ts": 1000, "dur": 500}
    >>> lanes([gpu, host])
    [('host', 'mean', 0.0, 1.5), ('kernels', 'blur', 0.5, 1.0)]
    >>> round(busy(lanes([gpu, host])), 3)
    0.333

    --8<-- [end:two]
    """


def example():
    """Both find the same brightness, and the trace holds what each of them did.

    --8<-- [start:example]
    >>> on_host, on_gpu = burst(6, 3000, 4000)
    >>> bool(np.allclose(decoded_on_cpu(*on_host), decoded_on_gpu(*on_gpu), rtol=1e-4))
    True

    --8<-- [end:example]

    --8<-- [start:recorded]
    >>> before = lanes(trace("before.json", decoded_on_cpu, *on_host))
    >>> after = lanes(trace("after.json", decoded_on_gpu, *on_gpu))
    >>> sorted({name for lane, name, *_ in before if lane == "host"})
    ['blur', 'copy', 'decode', 'mean']
    >>> [sum(lane == "copies" and "HtoD" in name for lane, name, *_ in s) for s in (before, after)]
    [6, 6]
    >>> busy(before) < busy(after)
    True

    --8<-- [end:recorded]
    """


# --8<-- [start:exercise]
def shares(spans):
    """Return which share of the host's time each stage takes, the largest first."""
    spent = {}
    for lane, name, start, end in spans:
        if lane == "host":
            spent[name] = spent.get(name, 0.0) + end - start
    whole = sum(spent.values())
    return dict(sorted(((n, t / whole) for n, t in spent.items()), key=lambda row: -row[1]))


# --8<-- [end:exercise]


def examples():
    """The host's row alone counts.

    --8<-- [start:try]
    >>> shares([("host", "decode", 0, 3), ("kernels", "blur", 1, 9), ("host", "copy", 3, 4)])
    {'decode': 0.75, 'copy': 0.25}

    --8<-- [end:try]
    """

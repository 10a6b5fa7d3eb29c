"""Two GPUs: NCCL's all-reduce of 1 GiB with more and fewer channels, and by each protocol."""

import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

from benchmarks.harness import GIB, MIB, ROOT, BenchmarkError, summarize

GPUS = 2
# NCCL reads these once, when a process first asks for them: so a process for each setting.
SETTINGS = {
    "default": ("as NCCL chooses", {}),
    "8": ("8 channels", {"NCCL_MIN_NCHANNELS": "8", "NCCL_MAX_NCHANNELS": "8"}),
    "16": ("16 channels", {"NCCL_MIN_NCHANNELS": "16", "NCCL_MAX_NCHANNELS": "16"}),
    "32": ("32 channels", {"NCCL_MIN_NCHANNELS": "32", "NCCL_MAX_NCHANNELS": "32"}),
    "simple": ("the protocol Simple", {"NCCL_PROTO": "Simple"}),
    "ll128": ("the protocol LL128", {"NCCL_PROTO": "LL128"}),
}


def run(bench):
    size = MIB if bench.quick else GIB
    for name, (words, setting) in SETTINGS.items():
        with bench.part(words), tempfile.TemporaryDirectory() as folder:
            log = Path(folder) / "nccl.txt"
            told = {"NCCL_DEBUG": "INFO", "NCCL_DEBUG_FILE": str(log), "NCCL_NVLS_ENABLE": "0"}
            command = [sys.executable, "-m", "benchmarks.micro.nccl_channels", str(size)]
            done = subprocess.run(
                command, cwd=ROOT, env=os.environ | told | setting, capture_output=True, text=True,
                timeout=120,
            )  # fmt: skip
            if done.returncode:
                raise BenchmarkError(f"{words}: {done.stderr[-2000:]}")
            channels = re.search(r"(\d+) coll channels", log.read_text(encoding="utf-8"))
            if not channels:
                raise BenchmarkError(f"{words}: NCCL's log does not say how many channels it has")
            bench.micro(
                f"nccl-channels-{name}",
                f"All-reduce of 1 GiB over 2 GPUs by NCCL, {words}: bus bandwidth",
                summarize(json.loads(done.stdout)),
                unit="GB/s",
                amount=size * 2 * (GPUS - 1) / GPUS,
                method="a process for each setting, five in a row, by the host's clock",
                terms=["nccl", "all-reduce"],
                extra={"channels": int(channels[1])},
            )


def measure(size):
    """Return the seconds of an all-reduce of ``size`` bytes, 20 times; check the sum."""
    import time

    import cupy as cp

    from benchmarks.group import communicators, normal, streams_on, total
    from kernels.multi_gpu.collectives import collectives
    from kernels.multi_gpu.peers import on_each

    with communicators(GPUS) as comms:
        streams, n = streams_on(GPUS), size // 4
        x = normal(GPUS, n)
        y = on_each(lambda rank: cp.full(n, cp.nan, cp.float32), range(GPUS))
        on_each(lambda rank: cp.cuda.Device().synchronize(), range(GPUS))

        reduce, _ = collectives(comms, x, y, streams)["all-reduce"]

        def wait():
            for stream in streams:
                stream.synchronize()

        reduce()
        wait()
        right = total(x)
        with cp.cuda.Device(0):
            off = float(cp.abs(y[0] - right).max())
        if not off < 1e-5:
            raise BenchmarkError(f"the sum is off by {off}")
        found = []
        for _ in range(20):
            began = time.perf_counter()
            for _ in range(5):
                reduce()
            wait()
            found.append((time.perf_counter() - began) / 5)
    return found


if __name__ == "__main__":
    print(json.dumps(measure(int(sys.argv[1]))))

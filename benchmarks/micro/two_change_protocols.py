"""Two GPUs: NCCL's all-reduce of 4 KiB by each protocol and by each algorithm.

Hypothesis: at 4 KiB NCCL already uses LL, whose flags travel with the data as in our one shot. If
LL by hand is as slow as what NCCL chooses, its time is in the launch and the generality; if it is
quicker, it was the choice.
"""

import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

from benchmarks.harness import ROOT, BenchmarkError, summarize

GPUS = 2
SIZE, IN_GRAPH, ROUNDS = 4096, 50, 20
# NCCL reads these once, when a process first asks for them: so a process for each setting.
SETTINGS = {
    "default": ("as NCCL chooses", {}),
    "ll": ("the protocol LL", {"NCCL_PROTO": "LL"}),
    "ll128": ("the protocol LL128", {"NCCL_PROTO": "LL128"}),
    "simple": ("the protocol Simple", {"NCCL_PROTO": "Simple"}),
    "ring": ("the algorithm Ring", {"NCCL_ALGO": "Ring"}),
    "tree": ("the algorithm Tree", {"NCCL_ALGO": "Tree"}),
}
CHOSEN = re.compile(
    r"(?P<call>\w+): (?P<bytes>\d+) Bytes -> Algo (?P<algorithm>\w+) proto (?P<protocol>\w+)"
    r"(?: channel\{Lo\.\.Hi\}=\{(?P<low>\d+)\.\.(?P<high>\d+)\})?"
)


def run(bench):
    for name, (words, setting) in SETTINGS.items():
        with bench.part(words):
            found, log = child("benchmarks.micro.two_change_protocols", setting)
            how = chosen(log).get("AllReduce", {})
            bench.say(f"[{bench.name}]   {words}: {how or 'the log does not say what was chosen'}")
            bench.micro(
                f"two-change-nccl-4kib-{name}",
                f"All-reduce of 4 KiB over 2 GPUs by NCCL, {words}",
                summarize(found["seconds"]),
                unit="us",
                method=f"a process for each setting, {IN_GRAPH} in a graph on each GPU; CUDA "
                f"events, the slower GPU counts{in_words(how)}",
                terms=["nccl", "all-reduce"],
                extra=channels(how),
            )


def child(module, setting, *arguments):
    """Run a module in a process with NCCL's settings; return what it printed, and NCCL's log."""
    with tempfile.TemporaryDirectory() as folder:
        log = Path(folder) / "nccl.txt"
        told = {"NCCL_DEBUG": "INFO", "NCCL_DEBUG_SUBSYS": "INIT,TUNING", "NCCL_NVLS_ENABLE": "0"}
        done = subprocess.run(
            [sys.executable, "-m", module, *arguments], cwd=ROOT, capture_output=True, text=True,
            env=os.environ | told | {"NCCL_DEBUG_FILE": str(log)} | setting, timeout=90,
        )  # fmt: skip
        if done.returncode:
            raise BenchmarkError(f"{module} {setting}: {done.stderr[-2000:]}")
        return json.loads(done.stdout.splitlines()[-1]), log.read_text(encoding="utf-8")


def chosen(log):
    """Return what NCCL's log says of each collective: of the largest call of each."""
    found: dict[str, dict] = {}
    for match in CHOSEN.finditer(log):
        before = found.get(match["call"])
        if before is None or int(match["bytes"]) > int(before["bytes"]):
            found[match["call"]] = match.groupdict()
    return found


def in_words(how):
    return f"; by its log NCCL took {how['algorithm']} and {how['protocol']}" if how else ""


def channels(how):
    return {"channels": int(how["high"]) - int(how["low"]) + 1} if how and how["high"] else {}


def measure():
    """Return the seconds of an all-reduce in each round; check the sum."""
    import cupy as cp

    from benchmarks.group import GroupTimer, communicators, in_a_graph, normal, streams_on, total
    from kernels.multi_gpu.collectives import collectives
    from kernels.multi_gpu.peers import on_each

    def timed(comms):  # its graphs are gone before the communicators are
        streams, n = streams_on(GPUS), SIZE // 4
        x = normal(GPUS, n)
        y = on_each(lambda rank: cp.full(n, cp.nan, cp.float32), range(GPUS))
        reduce, _ = collectives(comms, x, y, streams)["all-reduce"]
        reduce()
        timer = GroupTimer(streams, IN_GRAPH)
        call = in_a_graph(reduce, streams, IN_GRAPH)
        for array in y:
            with cp.cuda.Device(array.device.id):
                array.fill(cp.nan)
                cp.cuda.Device().synchronize()
        seconds = [timer(call) for _ in range(3 + ROUNDS)][3:]
        right = total(x).get()
        off = max(float(abs(array.get() - right).max()) for array in y)
        if not off < 1e-5:
            raise BenchmarkError(f"the sum is off by {off}")
        return seconds

    with communicators(GPUS) as comms:
        return timed(comms)


if __name__ == "__main__":
    print(json.dumps({"seconds": measure()}))

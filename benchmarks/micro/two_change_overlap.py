"""Two GPUs: the kernels of a step under our DDP, with and without overlap, by a profiler.

Hypothesis: overlap hides half of the all-reduces and not nearly all because the backward pass
lacks the multiprocessors and the memory that an all-reduce takes. Then the same kernels take
longer in the step with overlap. If they take as long, the gaps between them are to blame.
"""

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from benchmarks.harness import REPEATS, ROOT, BenchmarkError, rounded, summarize

GPUS = 2
FOLDER, DDP = "snippets/ddp_fsdp/", "snippets/ddp_fsdp/ddp.py"
WAYS = {"alone": "without DDP", "overlap": "our DDP", "wait": "our DDP, all buckets at the end"}
PARTS = {
    "compute": "kernels of the model and the optimizer, added up",
    "nccl": "NCCL's kernels, added up",
    "gaps": "neither of both at work",
    "beside": "of the model's kernels the time beside NCCL's",
    "span": "from the first kernel to the last",
}


def run(bench):
    with bench.part("steps under a profiler"), tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "found.json"
        command = [sys.executable, "-m", "torch.distributed.run", "--standalone"]
        command += [f"--nproc-per-node={GPUS}", "-m", "benchmarks.micro.two_change_overlap"]
        command += [str(5 if bench.quick else REPEATS), str(file)]
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=150)
        if done.returncode:
            raise BenchmarkError(f"two_change_overlap: {done.stderr[-2000:]}")
        found = json.loads(file.read_text(encoding="utf-8"))
        for way, words in WAYS.items():
            for part, title in PARTS.items():
                samples = [step[part] for step in found[way]]
                if not any(samples):
                    continue  # no NCCL without DDP
                bench.micro(
                    f"two-change-ddp-{way}-{part}",
                    f"A training step of 319 million parameters on two GPUs, {words}: {title}",
                    summarize(samples),
                    unit="ms",
                    kernel=DDP,
                    method="torch.profiler with CUDA's activities alone, a profile a step, rank 0",
                    terms=["data-parallelism"],
                    extra={"kernels": rounded(found[way][0]["kernels"])},
                )


def united(spans):
    """Return spans of time without their overlaps, in order."""
    found: list[list[float]] = []
    for begin, end in sorted(spans):
        if found and begin <= found[-1][1]:
            found[-1][1] = max(found[-1][1], end)
        else:
            found.append([begin, end])
    return found


def length(spans):
    return sum(end - begin for begin, end in spans)


def parts(kernels):
    """Return the seconds of each of PARTS. ``kernels`` are (name, begin, end), in seconds."""
    nccl = [(a, b) for name, a, b in kernels if "nccl" in name.lower()]
    ours = [(a, b) for name, a, b in kernels if "nccl" not in name.lower()]
    both, busy, sent = united(nccl + ours), united(ours), united(nccl)
    span = both[-1][1] - both[0][0]
    return {
        "compute": length(ours),
        "nccl": length(nccl),
        "gaps": span - length(both),
        "beside": length(busy) + length(sent) - length(both),
        "span": span,
        "kernels": len(kernels),
    }


def measure(steps, file):
    sys.path.insert(0, str(ROOT / FOLDER))
    import torch
    import torch.distributed as dist
    from ddp import DDP as OurDDP  # of snippets/ddp_fsdp, as the page has it
    from model import Model
    from torch.profiler import ProfilerActivity, profile

    os.environ["NCCL_NVLS_ENABLE"] = "0"
    rank = int(os.environ["LOCAL_RANK"])
    torch.cuda.set_device(rank)
    dist.init_process_group("nccl")
    torch.set_float32_matmul_precision("high")
    size = {"layers": 24, "width": 1024, "heads": 16, "words": 8192, "length": 512}
    tokens, targets = torch.randint(size["words"], (2, 8, size["length"])).cuda()
    wraps = {
        "alone": lambda model: model,
        "overlap": OurDDP,
        "wait": lambda model: OurDDP(model, overlap=False),
    }
    found = {}
    for way, wrap in wraps.items():
        with torch.device("cuda"):
            model = wrap(Model(**size))
        optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4, fused=True)
        clear = optimizer.zero_grad if way == "alone" else model.zero_grad
        found[way] = []
        for turn in range(5 + 2 + steps):
            dist.barrier()
            torch.cuda.synchronize()
            profiler = profile(activities=[ProfilerActivity.CUDA]) if turn >= 5 else None
            if profiler:
                profiler.start()
                dist.barrier()  # the profilers of both ranks have started
                torch.cuda.synchronize()
            clear()
            loss = model(tokens, targets)
            loss.backward()
            optimizer.step()
            torch.cuda.synchronize()
            if profiler:
                profiler.stop()
                if rank == 0 and turn >= 7:
                    found[way].append(parts(traced(profiler, file + ".trace")))
        assert torch.isfinite(loss), loss
        if way != "alone":
            mine = next(model.parameters()).detach()
            first = mine.clone()
            dist.broadcast(first, 0)
            assert torch.equal(first, mine), "the ranks' weights differ"
        for hook in getattr(model, "hooks", ()):
            hook.remove()
        del model, optimizer, clear
        torch.cuda.empty_cache()
    if rank == 0:
        Path(file).write_text(json.dumps(found), encoding="utf-8")
    dist.destroy_process_group()


def traced(profiler, path):
    """Return the kernels of a profile, less those of the barrier that it began with."""
    profiler.export_chrome_trace(path)
    events = json.loads(Path(path).read_text(encoding="utf-8"))["traceEvents"]
    kernels = sorted(
        (event["ts"], event["name"], event["dur"])
        for event in events
        if event.get("cat") == "kernel"
    )
    barrier = [k for k, (_, name, _) in enumerate(kernels[:4]) if "nccl" in name.lower()]
    kernels = kernels[barrier[-1] + 1 if barrier else 0 :]
    first = kernels[0][0]
    return [(name, 1e-6 * (ts - first), 1e-6 * (ts - first + us)) for ts, name, us in kernels]


if __name__ == "__main__":
    measure(int(sys.argv[1]), sys.argv[2])

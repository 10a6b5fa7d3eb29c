"""Two GPUs: the bubbles of GPipe and 1F1B again and again, in turns, so that they have a spread.

Hypothesis: the page's row of 4 micro-batches stands out because it ran once. In turns, with 20
rounds, the idle share should fall with the micro-batches for both schedules, and stay above the
formula by a share that its messages and launches explain.
"""

import json
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from benchmarks.harness import REPEATS, ROOT, BenchmarkError, Summary, rounded, summarize

GPUS = 2
FOLDER, PARALLEL = "snippets/megatron/", "snippets/megatron/parallel.py"
MICRO = (2, 4, 8, 12, 16)
NAMES = {"gpipe": "GPipe", "one_f_one_b": "1F1B"}
END = "\ntensor_parallel()\nsame_gradients()\n"  # what the page's program calls
DRIVER = '''
import json

same_gradients()
torch.set_float32_matmul_precision("high")
stage, x = my_stage(), batch(1)


def alone():
    output = stage(x.detach().requires_grad_())
    output.backward(output.detach())


def once(work):
    """Return the ms of one call, on the slower rank."""
    dist.barrier()
    torch.cuda.synchronize()
    start, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
    start.record()
    work()
    end.record()
    end.synchronize()
    slower = torch.tensor(start.elapsed_time(end), device=device)
    dist.all_reduce(slower, op=dist.ReduceOp.MAX)
    return slower.item()


rounds, file, sizes = int(sys.argv[1]), sys.argv[2], json.loads(sys.argv[3])
found = {"busy": [], "peaks": {}}
for turn in range(-2, rounds):
    ms = once(lambda: [alone() for _ in range(16)]) / 16
    if turn >= 0:
        found["busy"].append(ms)
    for micro in sizes:
        for schedule in (gpipe, one_f_one_b):
            name = f"{schedule.__name__} {micro}"
            torch.cuda.reset_peak_memory_stats()
            ms = once(lambda s=schedule, m=micro: pipeline(s, stage, [x] * m, [x] * m))
            if turn >= 0:
                found.setdefault(name, []).append(ms)
                found["peaks"][name] = torch.cuda.max_memory_allocated()
if rank == 0:
    with open(file, "w", encoding="utf-8") as out:
        json.dump(found, out)
dist.destroy_process_group()
'''


def run(bench):
    with bench.part("bubbles"):
        found = measured(5 if bench.quick else REPEATS)
        busy = [ms / 1e3 for ms in found["busy"]]
        method = "torchrun, in turns with the others; CUDA events, the slower rank counts"
        bench.micro("two-change-stage", "A micro-batch on one of two stages, forward and backward",
                    summarize(busy), unit="ms", kernel=PARALLEL, method=method,
                    terms=["pipeline-parallelism"])  # fmt: skip
        for name, words in NAMES.items():
            for micro in MICRO:
                samples = [ms / 1e3 for ms in found[f"{name} {micro}"]]
                idle = [1 - micro * b / s for b, s in zip(busy, samples, strict=True)]
                share = summarize(idle)
                id = f"{words.lower()}-{micro}"
                title = f"{micro} micro-batches through two stages, {words}"
                bench.micro(f"two-change-pipeline-{id}", title, summarize(samples), unit="ms",
                            kernel=PARALLEL, method=method, terms=["pipeline-parallelism"],
                            extra={"peak_bytes": float(found["peaks"][f"{name} {micro}"]),
                                   "formula_share": rounded(1 / (micro + 1)),
                                   "least_share": rounded(min(idle)),
                                   "most_share": rounded(max(idle))})  # fmt: skip
                bench.micro(f"two-change-bubble-{id}", f"{title}: the idle share",
                            Summary(rounded(share.median), share.spread, share.repeats), unit="%",
                            kernel=PARALLEL, method=f"{method}; 1 - the micro-batches' time on a "
                            "stage alone in the same round, over the time",
                            terms=["pipeline-parallelism"])  # fmt: skip


def changed(source):
    """Return parallel.py up to the calls at its end, and the rounds in their place."""
    if source.count(END) != 1:
        raise BenchmarkError(f"parallel.py has no longer one {END!r}")
    return source.split(END)[0] + "\n" + DRIVER


def measured(rounds):
    with tempfile.TemporaryDirectory() as folder:
        for file in (ROOT / FOLDER).glob("*.py"):
            shutil.copy(file, folder)
        path, found = Path(folder) / "parallel.py", Path(folder) / "found.json"
        path.write_text(changed(path.read_text(encoding="utf-8")), encoding="utf-8")
        command = [sys.executable, "-m", "torch.distributed.run", "--standalone"]
        command += [f"--nproc-per-node={GPUS}", "parallel.py", str(rounds), str(found)]
        done = subprocess.run([*command, json.dumps(MICRO)], cwd=folder, capture_output=True,
                              text=True, timeout=120)  # fmt: skip
        if done.returncode:
            raise BenchmarkError(f"parallel.py: {done.stderr[-2000:]}")
        return json.loads(found.read_text(encoding="utf-8"))

"""Training steps of GPT-2 on one, two and four GPUs of one machine: weak and strong scaling."""

import numpy as np

from benchmarks.gpt_two_gpus import KERNEL, METHOD, TOLERANCE, filled
from benchmarks.group import GroupTimer, communicators, free, reach
from benchmarks.harness import BenchmarkError, rounded
from kernels.multi_gpu.collectives import collectives

GPUS = 4
RANKS = (1, 2, 4)
SHARES = (16, 32, 64)  # sequences of a GPU, 256 symbols each
WHOLE = 64  # sequences in all, of the strong scaling


def run(bench):
    reach(GPUS)
    with bench.part("gradient"):
        check()
    shares = SHARES[:1] if bench.quick else SHARES
    steps = {}
    with bench.part("steps"):
        for share in shares:
            for ranks in RANKS:
                steps[share, ranks] = step(bench, share, ranks)
    for (share, ranks), summary in steps.items():
        if ranks == 1:
            continue
        row(bench, "weak", share, ranks, summary, steps[share, 1], share)
        if share * ranks == WHOLE and (WHOLE, 1) in steps:
            row(bench, "strong", WHOLE, ranks, summary, steps[WHOLE, 1], share)
    with bench.part("NCCL's all-reduce"), communicators(GPUS) as comms:
        bench.micro(
            f"gpt-nccl-{shares[-1]}-{GPUS}",
            f"A training step of GPT-2 on {GPUS} GPUs, {shares[-1]} sequences each, NCCL adds up",
            step(bench, shares[-1], GPUS, comms),
            unit="ms",
            kernel=KERNEL,
            method=METHOD,
        )


def row(bench, kind, batch, ranks, summary, alone, share):
    """Add a row: ``batch`` sequences, in all (strong) or for each GPU (weak)."""
    ideal = 1 if kind == "weak" else 1 / ranks
    bench.micro(
        f"gpt-{kind}-{batch}-{ranks}",
        f"A training step of GPT-2 on {ranks} of {GPUS} GPUs, {batch} sequences "
        + ("in all" if kind == "strong" else "on each"),
        summary,
        unit="ms",
        kernel=KERNEL,
        method=METHOD.replace("slower", "slowest"),
        terms=["data-parallelism"],
        extra={
            "efficiency": rounded(ideal * alone.median / summary.median),
            "one_ms": rounded(1e3 * alone.median),
            "symbols": rounded(ranks * share * 256 / summary.median),  # a second
            "one_symbols": rounded(batch * 256 / alone.median),
            "gpus": ranks,
        },
    )


def check():
    """The averaged gradient of four ranks is that of one GPU, and the same bits on all."""
    four, alone = filled(2, list(range(GPUS))), filled(2 * GPUS, [0])
    for gpus in (four, alone):
        gpus.step()
        gpus.wait()
    right = alone.gradients[0].get()
    first, *others = (g.get() for g in four.gradients)
    error = float(np.linalg.norm(first - right) / np.linalg.norm(right))
    if not error < TOLERANCE or not all(np.array_equal(first, other) for other in others):
        raise BenchmarkError(f"gradient: error {error:.1e}, or not the same on all ranks")
    print(f"  gradient of {GPUS} ranks: {error:.1e} off one GPU's, the same bits on all")


def step(bench, share, ranks, comms=None):
    """Return a summary of the step's seconds."""
    gpus = filled(share, list(range(ranks)))
    if comms:
        g = gpus.gradients
        gpus.all_reduce, _ = collectives(comms, g, g, gpus.streams)["all-reduce"]
    launch = gpus.record()
    name = f"{share} sequences on each of {ranks}"
    summary = bench.samples({name: launch}, GroupTimer(gpus.streams))[name]
    gpus.wait()
    bench.say(
        f"  {name}: {1e3 * summary.median:.2f} ms, {ranks * share * 256 / summary.median:,.0f}/s"
    )
    del gpus, launch
    free(GPUS)
    return summary

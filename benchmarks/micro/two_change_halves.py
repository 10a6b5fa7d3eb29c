"""Two GPUs: NCCL's all-reduce of 1 GiB beside its two halves, with what its log says of each.

Hypothesis: NCCL gives reduce-scatter and all-gather fewer channels or another protocol than the
all-reduce, so the halves take longer than the whole. Its log says what it chose; with 32 channels
or the protocol Simple for all of them the halves should then catch up.
"""

import json
import sys

from benchmarks.harness import GIB, MIB, BenchmarkError, rounded, summarize
from benchmarks.micro.two_change_protocols import channels, child, chosen, in_words

GPUS = 2
ROUNDS = 20
HERE = "benchmarks.micro.two_change_halves"
CALLS = {"all-reduce": "AllReduce", "reduce-scatter": "ReduceScatter", "all-gather": "AllGather"}
SETTINGS = {
    "": ("as NCCL chooses", {}),
    "-32": ("32 channels", {"NCCL_MIN_NCHANNELS": "32", "NCCL_MAX_NCHANNELS": "32"}),
    "-simple": ("the protocol Simple", {"NCCL_PROTO": "Simple"}),
}


def run(bench):
    size = MIB if bench.quick else GIB
    for end, (words, setting) in SETTINGS.items():
        with bench.part(f"the whole and its halves, {words}"):
            found, log = child(HERE, setting, str(size))
            how = chosen(log)
            for name, call in CALLS.items():
                bench.say(f"[{bench.name}]   {name}, {words}: {how.get(call, 'not in the log')}")
                row(bench, f"two-change-nccl-{name}{end}", f"{name} of 1 GiB over 2 GPUs by NCCL,"
                    f" {words}: bus bandwidth", found[name], how.get(call))  # fmt: skip


def row(bench, id, title, found, how, kernel=None, method="2 in a row, in turns with the others; "
        "CUDA events, the slower GPU counts"):  # fmt: skip
    summary = summarize(found["seconds"])
    bench.micro(id, title, summary, unit="GB/s", amount=found["carried"], kernel=kernel,
                method=method + in_words(how), terms=["nccl", "collective-operation"],
                extra={"ms": rounded(1e3 * summary.median)} | channels(how))  # fmt: skip


def halves(size):
    """Return each collective's seconds, and the bytes that a link carries; check the results."""
    import cupy as cp

    from benchmarks.group import GroupTimer, communicators, normal, streams_on, total
    from benchmarks.harness import interleave
    from kernels.multi_gpu.collectives import collectives
    from kernels.multi_gpu.peers import on_each

    with communicators(GPUS) as comms:
        streams, n = streams_on(GPUS), size // 4
        x = normal(GPUS, n)
        y = on_each(lambda rank: cp.full(n, cp.nan, cp.float32), range(GPUS))
        ways = {name: collectives(comms, x, y, streams)[name] for name in CALLS}
        sum_of_both, half = total(x), n // 2
        for name, (call, _) in ways.items():
            call()
            for stream in streams:
                stream.synchronize()
            with cp.cuda.Device(0):
                if name == "all-gather":  # rank 0's own half, and that of rank 1
                    second = cp.empty(half, cp.float32)
                    second.data.copy_from_device(x[1].data, 4 * half)
                    right = cp.concatenate([x[0][:half], second])
                else:
                    right = sum_of_both if name == "all-reduce" else sum_of_both[:half]
                off = float(cp.abs(y[0][: right.size] - right).max())
            if not off < 1e-5:
                raise BenchmarkError(f"{name} is off by {off}")

        def twice(call):
            return lambda: (call(), call())

        calls = {name: twice(call) for name, (call, _) in ways.items()}
        times = interleave(calls, GroupTimer(streams, 2), ROUNDS)
    return {
        name: {"seconds": times[name], "carried": size * factor}
        for name, (_, factor) in ways.items()
    }


if __name__ == "__main__":
    print(json.dumps(halves(int(sys.argv[1]))))

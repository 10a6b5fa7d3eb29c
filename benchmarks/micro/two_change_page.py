"""Two GPUs: the all-reduce of the NCCL page's own program, 20 times, with what NCCL's log says.

Hypothesis: the recorded run of the page stayed at two thirds of the benchmark's rate because NCCL
had set up fewer channels. Then this one does, too, and the log says how many; or it is as quick
as the benchmark, and the machine of that run was to blame.
"""

import json
import sys

from benchmarks.harness import GIB, MIB, ROOT
from benchmarks.micro.two_change_halves import row
from benchmarks.micro.two_change_protocols import child, chosen

GPUS = 2
ROUNDS = 20
HERE, PAGE = "benchmarks.micro.two_change_page", "kernels/nccl/collectives.py"


def run(bench):
    size = MIB if bench.quick else GIB
    with bench.part("the page's own program"):
        found, log = child(HERE, {}, str(size))
        row(bench, "two-change-nccl-page", "All-reduce of 1 GiB over 2 GPUs, as the page of NCCL"
            " times it: bus bandwidth", found, chosen(log).get("AllReduce"), PAGE,
            "the median of 5 rounds of 20, by events on the first GPU, 20 times")  # fmt: skip


def page(size):
    """Run the page's own blocks, up to its last, and time what it times as often as a record."""
    source = (ROOT / PAGE).read_text(encoding="utf-8").split("# --8<-- [start:mean]")[0]
    names: dict = {"__name__": "page"}
    exec(compile(source, PAGE, "exec"), names)  # the page's checks of every collective are in it
    seconds = [names["seconds_each"](size) for _ in range(ROUNDS)]
    for comm in names["comms"]:
        comm.destroy()
    return {"seconds": seconds, "carried": size}


if __name__ == "__main__":
    print(json.dumps(page(int(sys.argv[1]))))

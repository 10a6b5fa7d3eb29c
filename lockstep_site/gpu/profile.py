"""Read a GPU's counters and results for every case, and record them.

``python -m lockstep_site.gpu.profile launch FILE`` makes the launches, under whatever profiler; and
``run`` (a step of ``make gpu``) starts that under Nsight Compute and writes
evidence/<machine>/counters/stepper.json. ``python -m lockstep_site.gpu.profile traffic`` (also in
that step) does so for the traffic beyond the first-level cache, with larger launches besides, and
writes counters/traffic.json.
"""

import base64
import csv
import io
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import zlib
from pathlib import Path

import numpy as np

from lockstep import evidence
from lockstep_site.gpu import machine
from simulator.hardware import traffic as beyond
from simulator.hardware.cases import CASES

LD, ST = "_op_ld.sum", "_op_st.sum"
METRICS = (
    *(f"l1tex__t_requests_pipe_lsu_mem_global{op}" for op in (LD, ST)),
    *(f"l1tex__t_sectors_pipe_lsu_mem_global{op}" for op in (LD, ST)),
    *(f"l1tex__data_bank_conflicts_pipe_lsu_mem_shared{op}" for op in (LD, ST)),
    *(f"l1tex__data_pipe_lsu_wavefronts_mem_shared{op}" for op in (LD, ST)),
    *(f"smsp__inst_executed_op_shared_{op}.sum" for op in ("ld", "st")),
    "smsp__inst_executed.sum",
    "smsp__sass_branch_targets.sum",
    "smsp__sass_branch_targets_threads_divergent.sum",
    "smsp__sass_average_branch_targets_threads_uniform.pct",
    "smsp__thread_inst_executed_per_inst_executed.ratio",
)


def packed(array):
    """An array as text, whole: its type, its shape, and its bytes."""
    data = base64.b64encode(zlib.compress(np.ascontiguousarray(array).tobytes(), 9)).decode()
    return {"dtype": array.dtype.str, "shape": list(array.shape), "data": data}


def unpacked(row):
    """What ``packed`` was given."""
    data = zlib.decompress(base64.b64decode(row["data"]))
    return np.frombuffer(data, row["dtype"]).reshape(row["shape"])


def launch(file=None):
    """Launch every case, and write what came out of each; without a file, those of the traffic."""
    from numba import cuda

    if file is None:
        for case in beyond.LAUNCHES.values():
            case.launch(cuda)
        return
    results = {name: [packed(r) for r in case.launch(cuda)] for name, case in CASES.items()}
    Path(file).write_text(json.dumps(results), encoding="utf-8")


def profiled(text, metrics=METRICS):
    """The kernels of Nsight Compute's table, in their order: [(name, {metric: number})]."""
    lines = [line for line in text.splitlines() if line.startswith('"')]
    rows = list(csv.DictReader(io.StringIO("\n".join(lines))))
    return [
        (
            row["Kernel Name"],
            {m: float(row[m].replace(",", "")) for m in metrics if row.get(m)},
        )
        for row in rows
        if row["ID"]  # not the row of units
    ]


def plain(name):
    """A kernel's own name, without its modules and its arguments."""
    return re.sub(r"\W.*", "", re.split(r"[(<\[]", name)[0].split("::")[-1])


def run(root, env):
    """Profile every case and write the record. Returns 0 when all of them ran."""
    ncu = shutil.which("ncu", path=env.get("PATH"))
    if not ncu:
        print("ncu is not on the PATH: Nsight Compute comes with the CUDA toolkit.")
        return 2
    with tempfile.TemporaryDirectory() as folder:
        results = Path(folder) / "results.json"
        kernels = under_ncu(root, env, ncu, METRICS, CASES, [str(results)])
        if kernels is None:
            return 1
        results = json.loads(results.read_text(encoding="utf-8"))
    cases = {
        name: {"launch": case.digest(), "counters": counters, "results": results[name]}
        for (name, case), counters in zip(CASES.items(), kernels, strict=True)
    }
    write(root, ncu, "stepper", cases, CASES)
    return 0


def traffic(root, env):
    """Profile the traffic beyond the first-level cache. Returns 0 when it can be as counted."""
    ncu = shutil.which("ncu", path=env.get("PATH"))
    if not ncu:
        print("ncu is not on the PATH: Nsight Compute comes with the CUDA toolkit.")
        return 2
    kernels = under_ncu(root, env, ncu, beyond.METRICS, beyond.LAUNCHES, [])
    if kernels is None:
        return 1
    cases = {
        name: {"launch": case.digest(), "counters": counters}
        for (name, case), counters in zip(beyond.LAUNCHES.items(), kernels, strict=True)
    }
    write(root, ncu, "traffic", cases, beyond.LAUNCHES)
    wrong = [s for name, row in cases.items() for s in beyond.unlike(name, row["counters"])]
    print("\n".join(wrong))
    return 1 if wrong else 0


def under_ncu(root, env, ncu, metrics, cases, arguments):
    """Launch the cases under Nsight Compute: their counters in order, or None where it failed."""
    options = "--clock-control none --csv --page raw --print-units base".split()
    command = [ncu, *options, "--metrics", ",".join(metrics)]
    python = [sys.executable, "-m", "lockstep_site.gpu.profile", "launch", *arguments]
    done = subprocess.run(
        [*command, *python], cwd=root, env=env | {"LOCKSTEP_TARGET": "numba-cuda"},
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
    )  # fmt: skip
    if done.returncode:
        print(done.stdout[-4000:])
        return None
    kernels = profiled(done.stdout, metrics)
    names = [plain(name) for name, _ in kernels]
    if names != [case.kernel for case in cases.values()]:
        print(f"Nsight Compute saw other kernels than the cases launch: {names}")
        return None
    lacking = sorted({m for _, counters in kernels for m in metrics if m not in counters})
    if lacking:
        print(f"Nsight Compute gave no {', '.join(lacking)}")
        return None
    return [counters for _, counters in kernels]


def write(root, ncu, name, rows, cases):
    """Write a record of counters: evidence/<machine>/counters/<name>.json."""
    version = subprocess.run([ncu, "--version"], capture_output=True, text=True).stdout
    record = {
        "schema": evidence.SCHEMA,
        "tool": "ncu",
        "version": version.strip().splitlines()[-1],
        "target": "numba-cuda",
        **machine.describe(),
        "sources": {
            case.file: evidence.file_digest(case.path(root))
            for case in sorted(cases.values(), key=lambda case: case.file)
        },
        "cases": rows,
    }
    file = root / "evidence" / machine.machine() / "counters" / f"{name}.json"
    evidence.write(file, record)
    print(f"{len(rows)} launches in {file.relative_to(root)}")


DIFFERENTIAL = "tests/test_stepper_differential.py"


def generated(root, env):
    """Run the generated kernels on the GPU and in the stepper, and record that they agree."""
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", DIFFERENTIAL,
               "-k", "kernels_do or programs_do", "--hypothesis-show-statistics"]  # fmt: skip
    done = subprocess.run(
        command, cwd=root, env=env | {"LOCKSTEP_TARGET": "numba-cuda"},
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
    )  # fmt: skip
    alike = re.search(r"(\d+) passing, 0 failing", done.stdout)
    passed = re.search(r"^(\d+) passed", done.stdout, re.M)
    if done.returncode or not alike or not passed:
        print(done.stdout[-4000:])
        return done.returncode or 1
    record = {
        "schema": evidence.SCHEMA,
        "tool": "generated kernels",
        "target": "numba-cuda",
        "kernels": int(alike[1]),
        "programs": int(passed[1]) - 1,  # the test of the generated kernels is one
        **machine.describe(),
        "sources": {DIFFERENTIAL: evidence.file_digest(root / DIFFERENTIAL)},
    }
    file = root / "evidence" / machine.machine() / "counters" / "generated.json"
    evidence.write(file, record)
    print(f"{record['kernels']} generated kernels and {record['programs']} programs agree")
    return 0


if __name__ == "__main__":
    if sys.argv[1:2] == ["launch"]:
        launch(*sys.argv[2:3])
    elif sys.argv[1:] == ["traffic"]:
        sys.exit(traffic(Path.cwd(), dict(os.environ)))

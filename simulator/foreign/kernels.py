"""Kernels of others, on a CPU: ``python -m simulator.foreign.kernels FOLDER``.

``cuda_kernels.py``, ``metal_kernels.py`` and ``numba_kernels.py`` list them: repository, commit,
path, kernel, how it is launched, and what it must leave in memory, by a NumPy reference of ours.
FOLDER holds the repositories, each checked out as OWNER/NAME; nothing of them is kept here. A
kernel is right, is *refused* (with a sentence that names file and line), or is wrong; the exit
status is 1 if one is wrong, or if a language has fewer right than WANTED. A data race that the
host finds in CUDA C++ or Metal is printed; such a kernel is right if it leaves what it must all
the same, and refused if it does not. Numba kernels run in the stepper, with every check, and what
it finds must be what is listed with the kernel (``numba_run.py``).
"""

import argparse
import json
import platform
import subprocess
import sys
import time
from pathlib import Path

import numpy as np

from simulator import cuda_cpp, metal
from simulator.foreign import cuda_kernels, metal_kernels, numba_kernels, numba_run
from simulator.foreign.cases import Case, Launch, compared
from simulator.hosts import HostError, compiler

WANTED = {"CUDA C++": 22, "Metal": 22, "Numba": 52}  # of 25, 25 and 55


def run_cuda(case: Case, folder: Path, **more) -> Launch:
    unit = cuda_cpp.read(folder / case.path, kernels=(case.kernel,), **found_in(case, folder))
    made = case.launch()
    options = {"seconds": 300.0, **made.options, **more}
    cuda_cpp.launch(unit, case.kernel, made.grid, made.block, made.arguments, **options)
    return made


def run_metal(case: Case, folder: Path, **more) -> Launch:
    unit = metal.read(folder / case.path, kernels=(case.kernel,), **found_in(case, folder))
    made = case.launch()
    options = {"seconds": 300.0, **made.options, **more}
    go = metal.dispatch_threads if options.pop("threads", False) else metal.dispatch_threadgroups
    go(unit, case.kernel, made.arguments, made.grid, made.block, **options)
    return made


def found_in(case: Case, folder: Path) -> dict:
    return {"include": tuple(folder / d for d in case.include), "defines": case.defines}


def outcome(language: str, case: Case, root: Path) -> tuple[str, str]:
    """("right" | "refused" | "wrong" | "absent", why) of one kernel."""
    folder = root / case.repository
    if not (folder / case.path).is_file():
        return "absent", f"there is no {folder / case.path}: check out {case.commit}"
    if language == "Numba":
        return numba_run.outcome(case, folder)
    run, race = run_cuda if language == "CUDA C++" else run_metal, ""
    try:
        made = run(case, folder)
    except HostError as error:
        race = str(error).replace(f"{root}/", "")
        if "data race" not in race:
            return "refused", race
        # What it leaves is looked at all the same: without the search for races.
        try:
            made = run(case, folder, check="bounds")
        except HostError:
            return "refused", race
    what, why = compared(made)
    if race:
        return ("right", f"found: {race}") if what == "right" else ("refused", race)
    return what, why


LISTS = {
    "CUDA C++": cuda_kernels.CASES,
    "Metal": metal_kernels.CASES,
    "Numba": numba_kernels.CASES,
}


def recorded(rows: list[dict]) -> dict:
    """Outcomes with what they were found with. ``kernels.json`` holds the last run of all."""
    said = subprocess.run([compiler(), "--version"], capture_output=True, text=True).stdout
    return {"compiler": said.splitlines()[0], "python": platform.python_version(),
            "numpy": np.__version__, "kernels": rows}  # fmt: skip


def main() -> int:
    parser = argparse.ArgumentParser(description="Foreign kernels on a CPU.")
    parser.add_argument("folder", type=Path, help="holds the repositories as OWNER/NAME")
    parser.add_argument("--only", default="", help="only kernels whose name has this in it")
    parser.add_argument("--language", choices=tuple(LISTS))
    parser.add_argument(
        "--json",
        type=Path,
        help="write every outcome here, in place of those of the languages that ran",
    )
    given = parser.parse_args()
    rows, bad = [], 0
    for language, cases in LISTS.items():
        if given.language not in (None, language):
            continue
        counts = dict.fromkeys(("right", "refused", "wrong", "absent"), 0)
        for case in cases:
            if given.only not in case.kernel:
                continue
            start = time.perf_counter()
            what, why = outcome(language, case, given.folder.resolve())
            counts[what] += 1
            seconds = time.perf_counter() - start
            rows.append({"language": language, "repository": case.repository,
                         "commit": case.commit, "path": case.path, "kernel": case.kernel,
                         "outcome": what, "why": why})  # fmt: skip
            print(f"{what:8}{seconds:6.1f} s  {case.repository:26}{case.kernel[:58]}", flush=True)
            if why:
                print(f"{'':18}{why[:400]}", flush=True)
        said = ", ".join(f"{n} {what}" for what, n in counts.items() if n)
        print(f"{language}: {sum(counts.values())} kernels: {said}")
        bad += counts["wrong"] or (not given.only and counts["right"] < WANTED[language])
    if given.json:
        if given.json.is_file():
            ran = {r["language"] for r in rows}
            before = json.loads(given.json.read_text(encoding="utf-8"))["kernels"]
            rows = sorted(rows + [r for r in before if r["language"] not in ran],
                          key=lambda r: list(LISTS).index(r["language"]))  # fmt: skip
        given.json.write_text(json.dumps(recorded(rows), indent=1) + "\n", encoding="utf-8")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())

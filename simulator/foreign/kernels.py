"""Kernels of others, on a CPU: ``python -m simulator.foreign.kernels FOLDER``.

``cuda_kernels.py``, ``metal_kernels.py`` and ``numba_kernels.py`` list them: repository, commit,
path, kernel, how it is launched, and what it must leave in memory, by a NumPy reference of ours.
FOLDER holds the repositories, each checked out as OWNER/NAME; nothing of them is kept here. A
kernel is right, is *refused* (with a sentence that names file and line), or is wrong; the exit
status is 1 if one is wrong, or if a language has fewer right than WANTED. All run with the settings
that a caller gets. A kernel that has a fault is listed with it, and right if that is found, at its
lines, and nothing else; one that is accused of another is wrong. Numba kernels run in the stepper,
with every check (``numba_run.py``).
"""

import argparse
import subprocess
import sys
import time
from pathlib import Path

from simulator import cuda_cpp, metal
from simulator.foreign import counts, cuda_kernels, metal_kernels, numba_kernels, numba_run
from simulator.foreign.cases import Case, Launch, compared
from simulator.hosts import HostError, compiler

FOUND = "its fault is found"
WANTED = {"CUDA C++": 22, "Metal": 22, "Numba": 52}  # of 25, 25 and 55


def run_cuda(case: Case, folder: Path, **more) -> Launch:
    unit = cuda_cpp.read(folder / case.path, kernels=(case.kernel,), **found_in(case, folder))
    made = case.launch()
    options = {"seconds": 300.0, **made.options, **more}
    at = unit, case.kernel, made.grid, made.block, made.arguments
    made.notes = cuda_cpp.launch(*at, **options)
    return made


def run_metal(case: Case, folder: Path, **more) -> Launch:
    unit = metal.read(folder / case.path, kernels=(case.kernel,), **found_in(case, folder))
    made = case.launch()
    options = {"seconds": 300.0, **made.options, **more}
    go = metal.dispatch_threads if options.pop("threads", False) else metal.dispatch_threadgroups
    made.notes = go(unit, case.kernel, made.arguments, made.grid, made.block, **options)
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
    run = run_cuda if language == "CUDA C++" else run_metal
    try:
        made = run(case, folder)
    except HostError as error:
        said = str(error).replace(f"{root}/", "")
        if "data race" not in said:
            return "refused", said
        if not case.race or not all(place in said for place in case.race[1:]):
            return "wrong", f"it is accused of {said}"
        return "right", f"{FOUND}: {said}"
    if case.race:
        return "wrong", f"its race is not found: {case.race[0]}"
    what, why = compared(made)
    return what, why or "; ".join(made.notes).replace(f"{root}/", "")


LISTS = {
    "CUDA C++": cuda_kernels.CASES,
    "Metal": metal_kernels.CASES,
    "Numba": numba_kernels.CASES,
}


def main() -> int:
    parser = argparse.ArgumentParser(description="Foreign kernels on a CPU.")
    parser.add_argument("folder", type=Path, help="holds the repositories as OWNER/NAME")
    parser.add_argument("--only", default="", help="only kernels whose name has this in it")
    parser.add_argument("--language", choices=tuple(LISTS))
    parser.add_argument("--record", type=Path, help="write what a run of a language found here")
    given = parser.parse_args()
    if given.record and (given.only or not given.language):
        parser.error("--record is for a run of all kernels of one --language")
    rows, bad = [], 0
    for language, cases in LISTS.items():
        if given.language not in (None, language):
            continue
        tally = dict.fromkeys(("right", "refused", "wrong", "absent"), 0)
        for case in cases:
            if given.only not in case.kernel:
                continue
            start = time.perf_counter()
            what, why = outcome(language, case, given.folder.resolve())
            tally[what] += 1
            seconds = time.perf_counter() - start
            rows.append({"language": language, "repository": case.repository,
                         "commit": case.commit, "path": case.path, "kernel": case.kernel,
                         "outcome": what, "why": why})  # fmt: skip
            print(f"{what:8}{seconds:6.1f} s  {case.repository:26}{case.kernel[:58]}", flush=True)
            if why:
                print(f"{'':18}{why[:400]}", flush=True)
        said = ", ".join(f"{n} {what}" for what, n in tally.items() if n)
        faulty = sum(r["language"] == language and r["why"].startswith(FOUND) for r in rows)
        said += f" ({faulty} of the right ones have a fault, which is found)" if faulty else ""
        print(f"{language}: {sum(tally.values())} kernels: {said}")
        bad += tally["wrong"] or (not given.only and tally["right"] < WANTED[language])
    if given.record:
        found = {"language": given.language, "kernels": rows}
        if given.language != "Numba":
            said = subprocess.run([compiler(), "--version"], capture_output=True, text=True).stdout
            found["compiler"] = said.splitlines()[0]
        counts.write(given.record, found)
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())

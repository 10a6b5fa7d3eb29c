"""Public Numba kernels as WGSL: ``python -m simulator.foreign.wgsl FOLDER``.

``numba_kernels.py`` lists them; FOLDER holds their repositories, each checked out as OWNER/NAME.
The stepper runs each with every check, the launch is compiled and runs in headless Chromium on its
software adapter. Right is what leaves the stepper's result, which has to be that of our reference
in NumPy. WGSL has no float64 and no complex numbers: where that is in the way, the kernel is
compiled once more with float32 for each float64, and compared with what the stepper leaves in
float64. Refused, by name and line, is what does not compile, what is larger than the adapter takes,
and what the stepper finds a fault in: no GPU defines its result. The exit status is 1 if one is
wrong.
"""

import argparse
import sys
from collections import Counter
from importlib import import_module
from pathlib import Path

import numpy as np

from simulator.foreign import counts, numba_run
from simulator.foreign.cases import compared
from simulator.foreign.numba_kernels import CASES
from simulator.stepper import KernelFault, Unsupported
from simulator.wgsl import captured, unlike

NEAR = 2e-5  # of the largest number of an array: sums and functions are rounded otherwise
UNROLL = 64  # as the page compiles
EXACT, SINGLE = "as they are", "float32 for float64"


def outcome(case, folder, run, fits):
    """(outcome, why, how its numbers are computed) of a kernel."""
    what, why, kind = attempt(case, folder, run, fits)
    if kind not in ("float64", "complex"):
        return what, why, EXACT
    what, why, kind = attempt(case, folder, run, fits, single=True)
    return what, why, SINGLE


def attempt(case, folder, run, fits, **options):
    """(outcome, why, kind of refusal) of a launch."""
    launches = []
    try:
        with captured(launches, unroll=UNROLL, **options):
            made, findings = numba_run.launch(case, folder, "check")
    except KernelFault as error:
        return "refused", faulty(error.finding), "fault"
    except Exception as error:
        refused = isinstance(error, Unsupported | ImportError)
        return "refused" if refused else "wrong", f"{type(error).__name__}: {error}", "stepper"
    [record] = launches
    if findings:
        return "refused", faulty(findings[0]), "fault"
    if record.refused:
        return "refused", told(record), record.refused.kind
    what, why = compared(made)
    if what == "wrong":
        return what, f"the stepper: {why}", ""
    if not fits(record):
        threads, shared = int(np.prod(record.config.block)), record.shader.shared
        return ("refused", f"line {record.line}: a block of {threads} threads with {shared} bytes "
                "of shared memory is more than the software adapter takes", "size")  # fmt: skip
    if not any(b.written for b in record.shader.bindings):
        return "wrong", "it writes nothing", ""
    got = run(record)
    if made.read is not np.asarray and not isinstance(got, str):
        got = in_order(record, got, made.read)
    differs = got if isinstance(got, str) else unlike(record, got, NEAR)[:3]
    return ("wrong", str(differs)[:400], "") if differs else ("right", "", "")


def in_order(record, got, read):
    """What came back, and what the stepper left, where the order of the elements is left open."""
    for b in record.shader.bindings:
        if b.written:
            kind = np.dtype({"f": "f4", "i": "i4"}.get(b.dtype.kind, "u4"))
            record.after[b.name] = np.asarray(read(np.asarray(record.after[b.name]))).tolist()
            got[b.name] = np.asarray(read(np.frombuffer(got[b.name], kind)), kind).tobytes()
    return got


def faulty(finding):
    return f"line {finding.line}: the stepper finds `{finding.kind}`, so no GPU gets it"


def told(record):
    """A refusal in a line, with the number of the line."""
    return f"line {record.refused.line or record.line}: {' '.join(record.refused.what.split())}"


def main() -> int:
    parser = argparse.ArgumentParser(description="Foreign Numba kernels as WGSL, in Chromium.")
    parser.add_argument("folder", type=Path, help="holds the repositories as OWNER/NAME")
    parser.add_argument("--only", default="", help="only kernels whose name has this in it")
    parser.add_argument("--record", type=Path, help="write what a run of all kernels found here")
    given = parser.parse_args()
    if given.record and given.only:
        parser.error("--record is for a run of all kernels")
    from playwright.sync_api import sync_playwright

    browser, fits = import_module("tests.webgpu"), import_module("tests.wgsl_cases").runs
    rows = []
    with sync_playwright() as playwright, browser.page(playwright) as tab:
        found = {"browser": f"Chromium {tab.context.browser.version}",
                 "adapter": tab.evaluate(browser.NAME)}  # fmt: skip
        for case in CASES:
            if given.only not in case.kernel:
                continue
            folder = given.folder.resolve() / case.repository
            if not (folder / case.path).is_file():
                parser.error(f"there is no {folder / case.path}: check out {case.commit}")
            what, why, numbers = outcome(
                case, folder, lambda record: browser.run(tab, [record])[0], fits
            )
            rows.append({"repository": case.repository, "commit": case.commit, "path": case.path,
                         "kernel": case.kernel, "outcome": what, "numbers": numbers,
                         "why": why})  # fmt: skip
            print(f"{what:8}{case.repository:26}{case.kernel[:40]:42}{numbers}", flush=True)
            if why:
                print(f"{'':8}{why[:400]}", flush=True)
    tally = Counter(row["outcome"] for row in rows)
    print(f"{len(rows)} kernels: {', '.join(f'{n} {what}' for what, n in tally.items())}")
    if given.record:
        counts.write(given.record, found | {"kernels": rows})
    return 1 if tally["wrong"] else 0


if __name__ == "__main__":
    sys.exit(main())

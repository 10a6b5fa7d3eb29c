"""Public Numba kernels as WGSL: ``python -m simulator.foreign.wgsl FOLDER``.

FOLDER holds their repositories, each checked out as OWNER/NAME. The stepper runs each kernel with
every check, the launch is compiled and runs in headless Chromium on its software adapter, and what
it leaves is compared with what the stepper leaves. Refused, by name and line, is what does not
compile, what is larger than the adapter takes, and what the stepper finds a fault in: no GPU
defines its result. Not compared is what leaves nothing, or what the stepper does not end in time.
The exit status is 1 if one is wrong.

There are two lists. ``launched.json`` has kernels as their own repositories launch them, drawn by
the rule of ``launched.py``; they are compiled as they are written. ``numba_kernels.py`` has those
that the stepper and the hosts are tried on, with launches and NumPy references of ours, many of
float64 and complex numbers, which WGSL has not. These are compiled as they are, and where that is
in the way once more with float32 for each float64, which nothing does unasked.
"""

import argparse
import json
import sys
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from importlib import import_module
from itertools import groupby
from pathlib import Path

import numpy as np

from simulator.foreign import counts, launched, numba_run
from simulator.foreign.cases import compared
from simulator.foreign.numba_kernels import CASES
from simulator.stepper import KernelFault, Unsupported
from simulator.wgsl import captured, unlike

NEAR = 2e-5  # of the largest number of an array: sums and functions are rounded otherwise
UNROLL = 64  # as the page compiles
FINE = 1e-12  # of float64 that is emulated, and kept so
EXACT, SINGLE = "as they are", "float32 for float64"
PAIRS, EMULATED = "int64 as two of 32 bits", "float64 emulated by integers"
BY_ITSELF = EXACT, PAIRS  # what the page does unasked


def outcome(case, folder, run, fits):
    """(outcome, why, how its numbers are computed) of a kernel."""
    what, why, kind, numbers = attempt(
        case, folder, run, fits, fallback=launched.OPTIONS["fallback"]
    )
    if kind not in ("float64", "complex", "atomic"):
        return what, why, numbers
    first = what, why, numbers
    what, why, kind, _ = attempt(case, folder, run, fits, single=True)
    return (what, why, SINGLE) if what != "refused" else first


def numbers_of(record):
    """How the numbers of a compiled kernel are computed."""
    shader = record.shader
    if shader is None:
        return EXACT
    return EMULATED if shader.emulated else PAIRS if shader.pairs else EXACT


# ---------------------------------------------------------------- as their repositories launch them


def as_launched(row, seen, run, fits):
    """What came of a listed kernel: {outcome, why, left, near}."""
    if seen is None:
        return uncompared(f"its file takes more than {launched.SECONDS} seconds, or fails, before")
    record, findings, arguments = seen
    if arguments != row["arguments"]:
        return uncompared(f"its file launches it with {', '.join(arguments)}")
    if record.refused:
        return {"outcome": "refused", "why": told(record)}
    if findings:
        kind, line = findings[0]
        return {"outcome": "refused",
                "why": f"line {line}: the stepper finds `{kind}`, so no GPU gets it"}  # fmt: skip
    if isinstance(getattr(record, "some", None), str):
        return uncompared(f"it has more threads than the stepper runs, and {record.some}")
    if record.error and record.error.startswith("KeyboardInterrupt"):
        return uncompared(f"it takes the stepper more than {launched.SECONDS} seconds")
    if record.error:
        return {"outcome": "refused", "why": f"line {record.line}: in the stepper {record.error}"}
    if not fits(record):
        return {"outcome": "refused", "why": too_large(record)}
    if not any(b.written for b in record.shader.bindings):
        return uncompared("it writes nothing: an exercise that is not filled in")
    if hasattr(record, "some"):
        return of_some(record, run(record))
    got = run(record)
    differs = got if isinstance(got, str) else unlike(record, got, NEAR, FINE)[:3]
    if differs:
        return {"outcome": "wrong", "why": str(differs)[:400]}
    bits = "the same bits" if not unlike(record, got) else "within rounding"
    return {"outcome": "right", "why": "", "left": bits, "near": list(record.shader.near),
            "numbers": numbers_of(record)}  # fmt: skip


def of_some(record, got):
    """What came of a launch of which the stepper ran some blocks: their elements are compared."""
    blocks, arrays = record.some
    if isinstance(got, str):
        return {"outcome": "wrong", "why": got[:400]}
    far = 0.0
    for b in record.shader.bindings:
        if b.name not in arrays:
            continue
        places, data = arrays[b.name]
        kind = np.dtype(f"{b.dtype.kind}{b.bytes}".replace("b", "u"))
        want, ours = np.frombuffer(data, kind), np.frombuffer(got[b.name], kind)[places]
        off = np.abs(ours.astype(float) - want).max() / max(np.abs(want).max(), 1e-30)
        if not off <= (NEAR if kind.kind == "f" else 0):
            return {
                "outcome": "wrong",
                "why": f"{b.name} is off by {off:.2g} of its largest number",
            }
        far = max(far, float(off))
    bits = "within rounding" if far else "the same bits"
    many = sum(len(places) for places, _ in arrays.values())
    return {"outcome": "right", "why": "", "left": bits, "near": list(record.shader.near),
            "numbers": numbers_of(record),
            "some": f"{many} elements, of {blocks} blocks"}  # fmt: skip


def uncompared(why):
    return {"outcome": "not compared", "why": why}


def too_large(record):
    threads, shared = int(np.prod(record.config.block)), record.shader.shared
    return (f"line {record.line}: a block of {threads} threads with {shared} bytes of shared "
            "memory is more than the software adapter takes")  # fmt: skip


# ---------------------------------------------------------------- with launches of ours


def attempt(case, folder, run, fits, **options):
    """(outcome, why, kind of refusal, how its numbers are computed) of a launch."""
    launches = []
    try:
        with captured(launches, unroll=UNROLL, **options):
            made, findings = numba_run.launch(case, folder, "check")
    except KernelFault as error:
        return "refused", faulty(error.finding), "fault", EXACT
    except Exception as error:
        refused = isinstance(error, Unsupported | ImportError)
        what = "refused" if refused else "wrong"
        return what, f"{type(error).__name__}: {error}", "stepper", EXACT
    [record] = launches
    if findings:
        return "refused", faulty(findings[0]), "fault", EXACT
    if record.refused:
        return "refused", told(record), record.refused.kind, EXACT
    numbers = numbers_of(record)
    what, why = compared(made)
    if what == "wrong":
        return what, f"the stepper: {why}", "", numbers
    if not fits(record):
        return "refused", too_large(record), "size", numbers
    if not any(b.written for b in record.shader.bindings):
        return "wrong", "it writes nothing", "", numbers
    got = run(record)
    if made.read is not np.asarray and not isinstance(got, str):
        got = in_order(record, got, made.read)
    differs = got if isinstance(got, str) else unlike(record, got, NEAR, FINE)[:3]
    return (*(("wrong", str(differs)[:400]) if differs else ("right", "")), "", numbers)


def in_order(record, got, read):
    """What came back, and what the stepper left, where the order of the elements is left open."""
    for b in record.shader.bindings:
        if b.written:
            kind = np.dtype(f"{b.dtype.kind}{b.bytes}".replace("b", "u"))
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
    folder, rows, listed = given.folder.resolve(), [], []
    drawn = [r for r in json.loads(launched.LIST.read_text()) if given.only in r["kernel"]]
    files = [list(f) for _, f in groupby(drawn, lambda r: (r["repository"], r["path"]))]
    for file in files:
        there(parser, folder, file[0]["repository"], file[0]["path"], file[0]["commit"])
    with ProcessPoolExecutor(4) as pool:
        of_files = list(pool.map(partial(launched.launches, folder), files))
    with sync_playwright() as playwright, browser.page(playwright) as tab:
        found = {"browser": f"Chromium {tab.context.browser.version}",
                 "adapter": tab.evaluate(browser.NAME)}  # fmt: skip

        def run(record):
            return browser.run(tab, [record])[0]

        for same, seen in zip(files, of_files, strict=True):
            for row in same:
                listed.append(row | as_launched(row, seen.get(row["text"]), run, fits))
                tell(listed[-1], f"{listed[-1].get('left', '')}, {listed[-1].get('numbers', '')}")
        print(counted(listed, "as they are written, with their own launches"))
        for case in CASES:
            if given.only not in case.kernel:
                continue
            there(parser, folder, case.repository, case.path, case.commit)
            what, why, numbers = outcome(case, folder / case.repository, run, fits)
            rows.append({"repository": case.repository, "commit": case.commit, "path": case.path,
                         "kernel": case.kernel, "outcome": what, "numbers": numbers,
                         "why": why})  # fmt: skip
            tell(rows[-1], numbers)
    print(counted(rows, "with launches of ours, some with float32 for float64"))
    if given.record:
        counts.write(given.record, found | {"launched": listed, "kernels": rows})
    return 1 if any(row["outcome"] == "wrong" for row in rows + listed) else 0


def there(parser, folder, repository, path, commit):
    if not (folder / repository / path).is_file():
        parser.error(f"there is no {folder / repository / path}: check out {commit}")


def tell(row, more):
    print(
        f"{row['outcome']:13}{row['repository'][:30]:32}{row['kernel'][:40]:42}{more}", flush=True
    )
    if row["why"]:
        print(f"{'':8}{row['why'][:400]}", flush=True)


def counted(rows, how):
    tally = Counter(row["outcome"] for row in rows)
    return f"{len(rows)} kernels {how}: {', '.join(f'{n} {what}' for what, n in tally.items())}"


if __name__ == "__main__":
    sys.exit(main())

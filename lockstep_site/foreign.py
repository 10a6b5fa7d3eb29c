"""The stepper under foreign code, on record: ``python -m lockstep_site.foreign FOLDER [NAME ...]``.

FOLDER holds the repositories, each checked out as OWNER/NAME. Each run is a command of
``simulator.foreign``; its record is bound to the stepper, or the host, that it ran, and to its
lists. ``[[foreign]]``, by itself between empty lines, becomes the table of what they found.
"""

import argparse
import json
import re
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from lockstep import evidence, figures
from lockstep.evidence import file_digest
from lockstep.evidence.proofs import Problem
from lockstep.parts import Part
from lockstep.source import find_root
from lockstep.targets import Cpu
from simulator.foreign import stumpy, suite
from simulator.foreign.wgsl import EMULATED, EXACT, PAIRS, SINGLE

HOSTS = ("simulator/hosts/*",)
LISTS = ("simulator/foreign/kernels.py", "simulator/foreign/cases.py")
STEPPER = ("simulator/stepper/*.py",)
# name -> the command under simulator.foreign, its arguments after FOLDER, and what it runs
RUNS = {
    "suite": (("suite", suite.REPOSITORY), (), ("suite.py", "stand_ins.py", "unlike.json")),
    "stumpy": (("stumpy", stumpy.REPOSITORY), (), ("stumpy.py",)),
    # Eight seconds in Numba's simulator: what it does not end in that time is not compared.
    "scripts": (("scripts", ""), ("--beside", "8"), ("scripts.py", "sources.json")),
    "numba": (("kernels", ""), ("--language", "Numba"), ("numba_kernels.py", "numba_run.py")),
    "wgsl": (
        ("wgsl", ""),
        (),
        ("wgsl.py", "launched.*", "cases.py", "numba_kernels.py", "numba_run.py"),
    ),
    "cuda-cpp": (("kernels", ""), ("--language", "CUDA C++"), ("cuda_kernels.py",)),
    "metal": (("kernels", ""), ("--language", "Metal"), ("metal_kernels.py",)),
}
MEND = "python -m lockstep_site.foreign FOLDER {}"


def bound(root: Path, name: str) -> dict[str, str]:
    """What a run depends on: {path: hash}."""
    (command, _), _, own = RUNS[name]
    patterns = [f"simulator/foreign/{file}" for file in own]
    if name in ("cuda-cpp", "metal"):
        patterns += [*HOSTS, f"simulator/{name.replace('-', '_')}/**/*"]
    else:
        patterns += STEPPER
    if name == "wgsl":
        patterns += ["simulator/wgsl/*.py", "web/run-here/gpu.js", "tests/webgpu.py"]
    if command == "kernels":
        patterns += LISTS
    return digests(root, patterns)


def digests(root: Path, patterns: list[str]) -> dict[str, str]:
    """The hashes of the files that fit: {path: hash}."""
    files = {file for pattern in patterns for file in root.glob(pattern) if file.is_file()}
    names = sorted(file.relative_to(root).as_posix() for file in files)
    left_out = ("__pycache__", ".md")
    return {n: file_digest(root / n) for n in names if not any(part in n for part in left_out)}


def main() -> int:
    parser = argparse.ArgumentParser(description="Record what foreign code does in the stepper.")
    parser.add_argument("folder", type=Path, help="the repositories, as OWNER/NAME")
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"of {', '.join(RUNS)}: else all")
    parser.add_argument("--python", default=sys.executable, help="with the packages that they need")
    given = parser.parse_args()
    if unknown := set(given.names) - RUNS.keys():
        parser.error(f"there is no run {min(unknown)}: {', '.join(RUNS)}")
    root, bad = find_root(), 0
    for name in given.names or RUNS:
        (command, repository), arguments, _ = RUNS[name]
        with tempfile.TemporaryDirectory() as place:
            out, sources = Path(place) / "found.json", bound(root, name)
            # The browser's driver is with this Python, and the kernels need no package of others.
            python = sys.executable if name == "wgsl" else given.python
            words = [python, "-m", f"simulator.foreign.{command}"]
            words += [str(given.folder.resolve() / repository), *arguments, "--record", str(out)]
            bad += subprocess.run(words, cwd=root).returncode != 0
            if sources != bound(root, name):
                raise SystemExit(f"{name}: what it ran was changed while it ran: run it again")
            ran = json.loads(out.read_text(encoding="utf-8"))
        record = {"schema": evidence.SCHEMA, "tool": f"simulator.foreign.{command}", **ran}
        record |= {k: v for k, v in Cpu().describe().items() if k in ("device", "date")}
        evidence.write(root / file_of(name), record | {"sources": sources})
        print(file_of(name))
    return 1 if bad else 0


def file_of(name: str) -> str:
    return f"evidence/cpu/foreign/{name}.json"


# ---------------------------------------------------------------- the table


class ForeignPart(Part):
    """What foreign code did in the stepper and in the hosts."""

    name = "foreign"
    marker = re.compile(r"^\[\[foreign\]\][ \t]*$")

    def render(self, marker: re.Match, site, folder: str, plain: bool) -> str:
        return table(site.records.others["foreign"])

    def problems(self, records, pages) -> Iterator[Problem]:
        for name, record in records.others["foreign"].items():
            if not record["fresh"]:
                yield Problem("stale", f"foreign {name}", MEND.format(name.partition("/")[2]))


def table(records: dict[str, dict]) -> str:
    """The records as Markdown; a stale one says so in its row."""
    rows = []
    for name, row in ROWS.items():
        record = records.get(f"cpu/{name.partition('/')[0]}")
        if record is None or not record["fresh"]:
            rows.append([row.what, "awaiting a run"])
            continue
        rows.append([row.what, row(record["found"])])
    dates = sorted({r["date"] for r in records.values() if r["fresh"]})
    head = f"Run on {' and '.join(dates)}.\n\n" if dates else ""
    return head + figures.table(["What ran", "What came of it"], rows)


def _row(what: str):
    def keep(function):
        function.what = what
        return function

    return keep


@_row("numba-cuda's own tests")
def _suite(found: dict) -> str:
    return (
        f"{found['passed']} of {found['tests']} pass, {found['wrong']} come out wrong. "
        f"{found['refused']} are refused by name, {found['unlike']} assert that something is "
        f"refused, said or cached as Numba does it, {found['failed']} fail for another reason, and "
        f"{found['skipped']} are skipped by the suite itself. Commit {found['commit'][:12]}."
    )


@_row("stumpy's GPU tests")
def _stumpy(found: dict) -> str:
    told = [
        f"under {way['under']}: {way['passed']} of {way['passed'] + way['failed']} pass in "
        f"{figures.quantity(way['seconds'], 's')} of the processor"
        for way in found["ways"]
    ]
    return f"{figures.sentence('; '.join(told))} Commit {found['commit'][:12]}."


@_row("Public scripts and notebooks, as they are")
def _scripts(found: dict) -> str:
    ended = dict(found["ended"])
    many, ran = sum(ended.values()), ended.pop("ran")
    rest = ", ".join(f"{n} {ENDED.get(word, word)}" for word, n in ended.items())
    kernels, most = found["kernels"], found["seconds"]["Numba's simulator"]
    idle = found["ran and launched nothing"]
    return (
        f"{ran} of {many} run to their end, {ran - idle} of them with a launch of a kernel and "
        f"{idle} without one; of the others {rest}. Of their kernels "
        f"{kernels['the same']} leave what Numba's simulator leaves, {kernels['other']} leave "
        "something else, and "
        f"{kernels['not compared']} have no comparison, because that simulator does not come so "
        f"far in {most} seconds or because they race on purpose. {found['left out']} more are "
        "listed and left out, each with its reason: today's Numba runs them on no GPU either, or "
        "they need what no machine here has."
    )


ENDED = {
    "a finding": "with a finding",
    "failed": "with an error",
    "needs a package": "without a package that is not there",
    "refused": "refused by name and line",
    "too long": "longer than a minute",
}


@_row("Numba kernels as their own repositories launch them, as WGSL in a browser")
def _launched(found: dict) -> str:
    rows = found["launched"]
    counts = Counter(k["outcome"] for k in rows)
    bits = sum(k.get("left") == "the same bits" for k in rows)
    near = sum(bool(k.get("near")) for k in rows)
    ways = Counter(k.get("numbers") for k in rows if k["outcome"] == "right")
    some = sum("some" in k for k in rows)
    refused = [k["why"] for k in rows if k["outcome"] == "refused"]
    faulty = sum("the stepper finds" in why for why in refused)
    wide = sum("float64" in why for why in refused)
    return (
        f"{counts['right']} of {len(rows)}, of {len({k['repository'] for k in rows})} "
        f"repositories, are right, {ways[EXACT] + ways[PAIRS]} of them as soon as a reader presses "
        f"the button: {ways[EXACT]} in WGSL's own numbers and {ways[PAIRS]} with int64 as pairs of "
        f"32 bits. {ways[EMULATED]} take float64 emulated by integers, which is done on request "
        f"alone. {bits} leave the same bits as the stepper, "
        f"{counts['right'] - bits} the same up to rounding; {near} of them take a float64 literal "
        f"or function as near. Of {some}, of more threads than the stepper runs, some "
        f"blocks are compared. {counts['refused']} are refused with the line, {wide} of these "
        f"for float64 and {faulty} for a fault that the stepper finds; "
        f"{counts['not compared']} are not compared, since they leave nothing or take too long; "
        f"{counts['wrong']} are wrong. {found['browser']}, {found['adapter']}."
    )


@_row("The Numba kernels of the row above, as WGSL in a browser, with launches of ours")
def _wgsl(found: dict) -> str:
    rows = found["kernels"]
    counts = Counter(k["outcome"] for k in rows)
    faulty = sum("the stepper finds" in k["why"] for k in rows)
    right = [k for k in rows if k["outcome"] == "right"]
    ways = Counter(k["numbers"] for k in right)
    unasked = [f"`{k['kernel']}`" for k in right if k["numbers"] in (EXACT, PAIRS)]
    return (
        f"{counts['right']} of {len(rows)} are right, {len(unasked)} of them as soon as a reader "
        f"presses the button: {ways[EXACT]} in WGSL's own numbers and {ways[PAIRS]} with int64 as "
        f"pairs of 32 bits ({', '.join(unasked)}). The others compute in float64, and the panel "
        f"asks first: {ways[EMULATED]} are right with float64, and complex numbers of it, emulated "
        f"by integers, and {ways[SINGLE]} in float32, since emulated they are too long to compile "
        "or want atomic operations that WGSL lacks. "
        f"{counts['refused']} are refused with the line either way, "
        f"{faulty} of these for a fault that the stepper finds; {counts['wrong']} are wrong."
    )


def _kernels(language: str):
    @_row(f"{language} kernels of public courses, libraries and programs")
    def row(found: dict) -> str:
        counts = Counter(k["outcome"] for k in found["kernels"])
        return (
            f"{counts['right']} of {len(found['kernels'])} are right, {counts['refused']} refused "
            f"with file and line, {counts['wrong']} wrong."
        )

    return row


ROWS = {
    "suite": _suite,
    "stumpy": _stumpy,
    "scripts": _scripts,
    "numba": _kernels("Numba"),
    "wgsl": _wgsl,
    "wgsl/launched": _launched,
    "cuda-cpp": _kernels("CUDA C++"),
    "metal": _kernels("Metal"),
}


if __name__ == "__main__":
    sys.exit(main())

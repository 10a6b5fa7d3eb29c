"""``python -m lockstep summary``: what a branch changes in the evidence, in a few lines."""

import io
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Iterator
from pathlib import Path

from lockstep import figures
from lockstep.evidence.proofs import Evidence
from lockstep.evidence.records import load
from lockstep.page import read_all

MANY = 8  # names in one line, and figures in one list

Runs = dict[tuple[str, str, str], dict]  # (page, device, target) -> run
Rows = dict[tuple[str, str], dict]  # (machine, id) -> row


def summary(root: Path, since: str = "") -> int:
    """Print what changed in evidence/ since a commit. Returns 2 where there is no such commit.

    Left out, since the branch left main: the one that was cloned, if there is one, because a
    contributor may work on their own.
    """
    if not since:
        asked = ["git", "rev-parse", "--verify", "--quiet", "origin/main"]
        cloned = subprocess.run(asked, cwd=root, capture_output=True).returncode == 0
        since = "origin/main" if cloned else "main"
    asked = ["git", "merge-base", "HEAD", since]
    base = subprocess.run(asked, cwd=root, capture_output=True, text=True)
    if base.returncode:
        said = base.stderr.strip() or "the two have nothing in common"
        mend = "name a commit that is there, as in --since HEAD~1"
        print(f"{since}: {said}. To mend: {mend}", file=sys.stderr)
        return 2
    with tempfile.TemporaryDirectory() as folder:
        before = Path(folder)
        command = ["git", "archive", base.stdout.strip(), "evidence"]
        archive = subprocess.run(command, cwd=root, capture_output=True)
        if archive.returncode == 0:  # else there was none
            with tarfile.open(fileobj=io.BytesIO(archive.stdout)) as tar:
                tar.extractall(before, filter="data")
        lines = [*_pages(_runs(before), _runs(root)), *_figures(_rows(before), _rows(root))]
        lines += _others(root)
    print("\n".join(lines or ["No record changed."]))
    return 0


def _records(root: Path, kinds: set[str]) -> Iterator[tuple[str, str, dict]]:
    folder = root / "evidence"
    for file in sorted(folder.glob("*/*/**/*.json")):
        machine, kind = file.relative_to(folder).parts[:2]
        if kind in kinds:
            yield machine, kind, load(file, file.relative_to(root).as_posix())


def _runs(root: Path) -> Runs:
    return {
        (record["page"], run["device"]["name"], run["target"]): run | {"of": record["sha256"]}
        for _, _, record in _records(root, {"pages"})
        for run in record["runs"]
    }


def _rows(root: Path) -> Rows:
    kinds = {"benchmarks", "microbenchmarks"}
    return {(m, row["id"]): row for m, _, record in _records(root, kinds) for row in record["rows"]}


def _named(names: list[str]) -> str:
    more = f" and {len(names) - MANY} more" if len(names) > MANY else ""
    return ", ".join(names[:MANY]) + more


def _pages(before: Runs, after: Runs) -> Iterator[str]:
    """Say which pages were proved, where and with what, and which lost a record."""
    proved: dict[str, dict[str, set[str]]] = {}
    for (page, device, target), run in after.items():
        old = before.get((page, device, target))
        if old is None or (old["of"], old["date"]) != (run["of"], run["date"]):
            proved.setdefault(device, {}).setdefault(page, set()).add(target)
    for device, pages in sorted(proved.items()):
        targets = sorted({target for found in pages.values() for target in found})
        count = "1 page" if len(pages) == 1 else f"{len(pages)} pages"
        yield f"{count} proved on {device} ({', '.join(targets)}): {_named(sorted(pages))}"
    gone = sorted({page for page, *_ in before.keys() - after.keys()})
    if gone:
        yield f"{len(gone)} pages with fewer records: {_named(gone)}"


def _figures(before: Rows, after: Rows) -> Iterator[str]:
    """List the figures that changed, the largest change first, and count new and lost ones."""
    moved, several = [], len({machine for machine, _ in after}) > 1
    for key in before.keys() & after.keys():
        old, new = before[key], after[key]
        name = "ours" if "ours" in new else "value"
        if name in old and old["unit"] == new["unit"] and old[name] != new[name]:
            share = new[name] / old[name] - 1 if old[name] else float("inf")
            was, now = (figures.quantity(row[name], row["unit"]) for row in (old, new))
            where = f" of {key[0]}" if several else ""
            moved.append((abs(share), f"{key[1]}{where}: {was} to {now} ({share:+.1%})"))
    moved.sort(reverse=True)
    yield from (line for _, line in moved[:MANY])
    if len(moved) > MANY:
        yield f"{len(moved) - MANY} more figures changed by {moved[MANY][0]:.1%} at most"
    for words, keys in (
        ("new figures", after.keys() - before.keys()),
        ("figures gone", before.keys() - after.keys()),
    ):
        if keys:
            for machine in sorted({machine for machine, _ in keys}):
                ids = sorted(row_id for m, row_id in keys if m == machine)
                where = f" of {machine}" if several else ""
                yield f"{len(ids)} {words}{where}: {_named(ids)}"


def _others(root: Path) -> Iterator[str]:
    """Count what must still run."""
    problems = Evidence(root).problems(read_all(root))
    if problems:
        kinds = [problem.kind for problem in problems]
        counts = ", ".join(f"{kinds.count(kind)} {kind}" for kind in ("stale", "missing"))
        yield f"{counts}: python -m lockstep status lists them"

"""Whether records agree with themselves, with each other, with the pages and with what was before.

A record is bound to code by a hash that anybody can compute, so who edits one by hand can make it
fit. What such an edit forgets is found here: figures that follow from each other, counts that
follow from the code, points of a history that only grows. An edit that forgets nothing cannot be
told from a run by looking at it; what tells is a signature, ``python -m lockstep verify``.
"""

import datetime
import json
import math
import re
import subprocess
from collections.abc import Iterator, Set
from contextlib import suppress
from pathlib import Path

from lockstep import branches, compilers, project, tracing
from lockstep.block import RECORDED, Block, Page
from lockstep.evidence.proofs import Evidence
from lockstep.evidence.records import FIGURES, SEAL, load, sealed
from lockstep.languages.names import code
from lockstep.mistakes import Mistake, PageError
from lockstep.source import file_digest, source_file

AGAIN = "run again what it records, or restore it: git checkout {file}"
# Of a row: what one field must be by others, where all of them are there.
FOLLOWS = (
    ("tflops", ("flops", "us"), lambda flops, us: flops / us / 1e6),
    ("reference_tflops", ("flops", "reference_us"), lambda flops, us: flops / us / 1e6),
    ("gbps", ("bytes", "us"), lambda size, us: size / us / 1e3),
    ("copy_share", ("gbps", "copy_gbps"), lambda ours, copy: ours / copy),
    ("reference_share", ("ratio",), lambda ratio: ratio),
)
UNITS = {"TFLOP/s": "tflops", "GB/s": "gbps", "us": "us"}  # of ours: the field that is the same
CLOSE = 0.01
TOLD = 0.02  # seconds of a run, from which on two of them differ in the thousandths
MAIN = ("origin/main", "main", "origin/master", "master")
BACK = 100  # commits of the main branch that are looked at
SINCE = re.compile(r'"date": "20(?:26-(?:11-30|12)|2[7-9]|[3-9])')  # each record has its own hash
NOTED = "2026-11-23"  # runs since then note of each block which lines ran, and which parts of lines

DATE = re.compile(r'^ "date": "([^"]+)"', re.MULTILINE)  # of a record of figures
TRACED = "2026-11-24"  # and since then which commands of a shell


def check(
    root: Path,
    pages: list[Page],
    since: str | None = None,
    records: Evidence | None = None,
    only: Set[str] | None = None,
) -> Iterator[Mistake]:
    """Yield what no run can have written. ``since``: the commit to compare with.

    ``records``: the evidence, where the caller has read it. ``only``: the names of the files to
    look at, or None for all of them.
    """
    records, known = records or Evidence(root), {page.path: page for page in pages}
    folder = root / "evidence"
    for file in sorted(folder.glob("*/pages/**/*.json")):
        name = file.relative_to(root).as_posix()
        if only is not None and name not in only:
            continue
        try:
            record = load(file, name)
        except PageError as error:
            yield from error.mistakes
            continue
        page = known.get(record["page"])
        if page and record["sha256"] == page.sha256:
            for run in record["runs"]:
                for words, what in _run(run, page):
                    yield Mistake(name, _line(file, words), what, AGAIN.format(file=name))
    for page in pages:
        yield from _printed(page, records)
    for kind in ("benchmarks", "microbenchmarks"):
        for row in records.every(kind):
            for what in _row(row):
                file = folder / row["machine"] / kind / row["file"]
                name = file.relative_to(root).as_posix()
                if only is not None and name not in only:
                    continue
                at = _line(file, f'"id": "{row["id"]}"')
                yield Mistake(name, at, f"{row['id']}: {what}", AGAIN.format(file=name))
    files = folder.glob("*/*/**/*.json") if only is None else map(root.joinpath, only)
    for file in sorted(file for file in files if file.suffix == ".json" and file.is_file()):
        # of a machine; the site judges other files
        if wrong := _unsealed(file, file.parts[-3] == "cpu" and file.parts[-2] != "pages"):
            name = file.relative_to(root).as_posix()
            yield Mistake(name, 1, wrong, AGAIN.format(file=name))
    for file in sorted(folder.glob("*/*/*.history.jsonl")):
        name = file.relative_to(root).as_posix()
        if only is None or name in only:
            yield from _ordered(file, name)
    yield from _before(root, since or base(root), only)


def _ordered(file: Path, name: str) -> Iterator[Mistake]:
    """The points of a history follow each other in time, and none is later than its record.

    A point of the first days is said again, with its code: that one is of the day of the first.
    """
    record = file.with_name(file.name.replace(".history.jsonl", ".json"))
    last: dict[str, str] = {}
    known: set[tuple] = set()
    dated = DATE.search(record.read_text(encoding="utf-8")) if record.is_file() else None
    for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), start=1):
        try:
            point = json.loads(line)
            row, date = point["id"], point["date"]
        except (ValueError, LookupError, TypeError):
            return  # no history: which is said elsewhere
        mend = f"restore it: git checkout {name}"
        if date < last.get(row, "") and _point(point) not in known:
            what = f"a point of {row} on {date}, behind one on {last[row]}"
            yield Mistake(name, number, what, mend)
        elif dated and date > dated[1]:
            what = f"a point of {row} on {date}, and its record is of {dated[1]}"
            yield Mistake(name, number, what, mend)
        known.add(_point(point))
        last[row] = max(date, last.get(row, ""))


def _point(point: dict) -> tuple:
    return tuple(point.get(key) for key in ("id", "unit", "date", *FIGURES))


def _unsealed(file: Path, always: bool = False) -> str | None:
    """Return what is wrong with the hash that a record has of itself, or None.

    ``always``: any machine makes such a record again, so it has one.
    """
    text = file.read_text(encoding="utf-8", errors="replace")
    has = f'"{SEAL}": "' in text
    if not has and not ((always or SINCE.search(text)) and '"schema":' in text):
        return None
    with suppress(ValueError, AttributeError):
        record = json.loads(text)
        if SEAL not in record:
            return "a record without the hash that each run writes of it"
        if sealed(record)[SEAL] != record[SEAL]:
            return "this record was changed after it was written: its own hash says so"
    return None


def _line(file: Path, words: str) -> int:
    rows = file.read_text(encoding="utf-8").split("\n")
    return next((n for n, row in enumerate(rows, start=1) if words in row), 1)


# ---------------------------------------------------------------- the run of a page


def _run(run: dict, page: Page) -> Iterator[tuple[str, str]]:
    """Yield (words of its line, what is wrong) of a run of these very blocks."""
    ours = project.of(page.root)
    target = ours.targets.get(run["target"])
    if target is None:
        return
    compiled = target.compiled(page.blocks, ours.compilers)
    for block, row in zip(page.blocks, run["blocks"], strict=False):
        if row["sha256"] != block.sha256:
            continue
        place = f'"sha256": "{row["sha256"]}"'
        there = ours.languages[block.language].lines(block.text)
        if block.language == "python" and "file" in block.options:
            there = tracing.of_file(block.text, ours.compilers)
        said = [*_outcome(row, block), *_counts(row, block, compiled, there)]
        if run["date"] >= NOTED:
            said += _unnoted(row, block, compiled)
        told = there and block.language != "python"  # of a file, where a program told lines
        if run["date"] >= TRACED and told and row["outcome"] == "passed" and "lines" not in row:
            said.append("it passed, and no line of it was traced")
        for what in said:
            yield place, f"{block.where} on {run['target']}: {what}"


def _outcome(row: dict, block: Block) -> Iterator[str]:
    seconds = row.get("seconds")
    if row["outcome"] in {"passed", "compiled", "stand-in"} and (
        isinstance(seconds, bool) or not isinstance(seconds, int | float) or not seconds >= 0
    ):
        yield f"it {row['outcome']}, and took no time"
    if row["outcome"] == "not run" and not row.get("reason"):
        yield "it did not run, for no reason"
    if row["outcome"] == "shown" and block.runs:
        yield "it is only shown, and its page runs it"


def _counts(
    row: dict, block: Block, compiled: compilers.Names, can: set[int] | None
) -> Iterator[str]:
    """The lines that ran, and parts of lines, are those of the code.

    ``can``: the lines that can run, where the block's language says so.
    """
    numbers = tuple(range(1, len(block.numbers) + 1))  # lines of the block, as a record has them
    left = row.get("not_run", [])
    if "lines" in row:
        ran, of = row["lines"]
        there = tracing.executable(code(block), numbers, compiled) if can is None else can
        if of != len(there) or not 0 <= ran <= of:
            yield f"{ran} of {of} lines ran, and the code has {len(there)}"
        elif len(left) != of - ran:
            yield f"{ran} of {of} lines ran, and {len(left)} are named that did not"
        elif odd := sorted(set(left) - there):
            yield f"its line {odd[0]} did not run, and that is none that can"
    elif left:
        yield "lines are named that did not run, and none are counted"
    if "parts" in row:
        ran, of = row["parts"]
        parts = branches.of(code(block), numbers, compiled)
        named = branches.named(code(block), numbers, parts, row.get("idle", ()))
        if of != len(parts) or not 0 <= ran <= of:
            yield f"{ran} of {of} parts ran, and the code has {len(parts)}"
        elif named is None:
            yield "parts are named that did not run, and the code has no such parts"
        elif len({b for b, line in parts.items() if line in left} | named) < of - ran:
            yield f"{ran} of {of} parts ran, and not all are named that did not"
    elif row.get("idle"):
        yield "parts of lines are named that did not run, and none are counted"
    for name in row.get("kernels", {}):
        if f"def {name}(" not in block.text:
            yield f"it launched {name}, which it does not define"


def _unnoted(row: dict, block: Block, compiled: compilers.Names) -> Iterator[str]:
    """What a run notes of each block of Python that is none of its record."""
    if block.language != "python" or "file" in block.options or row["outcome"] != "passed":
        return
    if "lines" not in row:
        yield "it passed, and no line of it was counted"
    if "parts" not in row and branches.of(block.text, block.numbers, compiled):
        yield "it passed, and no part of a line was counted"


def _printed(page: Page, records: Evidence) -> Iterator[Mistake]:
    """A recorded output is, letter by letter, what some run printed: of this code or of older.

    Where the code changed, the page says so. Where the text did, a reader would see a number that
    no run has given.
    """
    wrote = any(run.get("outputs") for run in records.by_hash.get(page.sha256, ()))
    for block in page.blocks:
        if block.language not in RECORDED:
            continue
        known = records.printed.get(block.path)
        if block.sha256 not in known if known else wrote:
            what = f"the output of {page.path} is not what a run of it printed"
            mend = f"restore it: git checkout {block.path}; or run the page where it prints that"
            yield Mistake(block.path, 1, what, mend)


# ---------------------------------------------------------------- a row of a benchmark


def _row(row: dict) -> Iterator[str]:
    """Yield which of its figures does not follow from the others."""
    for name, needs, how in FOLLOWS:
        value, *others = (row.get(key) for key in (name, *needs))
        if all(isinstance(v, int | float) for v in (value, *others)) and all(others):
            wanted = how(*others)
            if not math.isclose(value or 0, wanted, rel_tol=CLOSE, abs_tol=1e-9):
                yield f"its {name} is {value:g}, and {wanted:.4g} by {' and '.join(needs)}"
    twin = UNITS.get(row["unit"])
    if "ours" in row and twin in row:
        if not math.isclose(row["ours"], row[twin], rel_tol=CLOSE):
            yield f"ours is {row['ours']:g} {row['unit']}, and its {twin} {row[twin]:g}"
    for key in ("spread", "reference_spread"):
        if isinstance(row.get(key), int | float) and row[key] < 0:
            yield f"its {key} is {row[key]:g}"
    if isinstance(row.get("repeats"), int) and row["repeats"] < 1:
        yield f"it was measured {row['repeats']} times"


# ---------------------------------------------------------------- what was before


def base(root: Path) -> str:
    """Return the commit that evidence is compared with, so that committing an edit hides nothing.

    Where a branch left the main one; on the main one, some way back. Without either the last.
    """
    head = _git(root, "rev-parse", "HEAD")
    for name in MAIN:
        parted = _git(root, "merge-base", "HEAD", name)
        if parted and parted != head:
            return parted.strip()
    earlier = _git(root, "rev-list", "--first-parent", f"--max-count={BACK}", "HEAD") or "HEAD"
    return earlier.split()[-1]


def parted(root: Path) -> str | None:
    """Return the commit where a branch left the main one, or the last one of that."""
    if (since := base(root)) and (head := _git(root, "rev-parse", "HEAD")):
        branch = any(
            (one := _git(root, "merge-base", "HEAD", name)) and one != head for name in MAIN
        )
        return since if branch else head.strip()
    return None


def changed(root: Path, since: str) -> list[str]:
    """Return the names of all files that are not as a commit has them."""
    asked = ("diff", "--name-only", "--no-renames", "--relative", since)
    return (_git(root, *asked) or "").split("\n")[:-1]


def _git(root: Path, *words: str) -> str | None:
    done = subprocess.run(["git", *words], cwd=root, capture_output=True, text=True)
    return done.stdout if done.returncode == 0 else None


def _before(root: Path, since: str, only: Set[str] | None = None) -> Iterator[Mistake]:
    """Compare with a commit: a history only grows, and a figure that changed or went is in it.

    ``only``: the names of the files to look at, or None for all of them.
    """
    asked = ("diff", "--name-only", "--no-renames", "--relative", since, "--", "evidence")
    changed = (_git(root, *asked) or "").split("\n")[:-1]
    day = _day(root, since) if changed else ""
    if only is not None:
        changed = [name for name in changed if name in only]
    for name, old in contents(root, since, changed):
        if name.endswith(".history.jsonl"):
            yield from _grown(root, name, old)
            if f"{name.removesuffix('.history.jsonl')}.json" not in changed:
                yield from _unrun(root, name, old)
        elif name.endswith(".json"):
            yield from _replaced(root, name, old, day)


def contents(root: Path, commit: str, names: list[str]) -> Iterator[tuple[str, str]]:
    """Yield (name, text) of those files that a commit holds, asking git once."""
    asked = "".join(f"{commit}:./{name}\n" for name in names)
    command = ["git", "cat-file", "--batch"]
    told = subprocess.run(command, cwd=root, input=asked.encode(), capture_output=True).stdout
    at = 0
    for name in names if told else ():
        end = told.index(b"\n", at)
        head, at = told[at:end].split(), end + 1
        if head[-1] != b"missing":
            size = int(head[-1])
            yield name, told[at : at + size].decode("utf-8", "replace")
            at += size + 1


def committed(root: Path, name: str, since: str = "HEAD") -> bool:
    """Whether a commit holds a file. Without git, nothing is known."""
    with suppress(OSError):
        return _at(root, since, name) is not None
    return False


def _at(root: Path, commit: str, name: str) -> str | None:
    return _git(root, "show", f"{commit}:./{name}")


def _grown(root: Path, name: str, old: str) -> Iterator[Mistake]:
    now = (root / name).read_text(encoding="utf-8") if (root / name).is_file() else ""
    if not now.startswith(old):
        pairs = zip(old.split("\n"), [*now.split("\n"), ""], strict=False)
        at = next((n for n, (a, b) in enumerate(pairs, start=1) if a != b), 1)
        what = "a point of the history was changed or taken out"
        yield Mistake(name, at, what, f"restore it: git checkout {name}")


def _unrun(root: Path, name: str, old: str) -> Iterator[Mistake]:
    """A run that adds a point to a history writes the record beside it, too.

    Not so a point that says an earlier one again, with its code.
    """
    now = (root / name).read_text(encoding="utf-8") if (root / name).is_file() else ""
    with suppress(ValueError):
        points = [json.loads(line) for line in now.splitlines()]
        first = old.count("\n")
        known = {_point(point) for point in points[:first]}
        for number, point in enumerate(points[first:] if now.startswith(old) else (), first + 1):
            if _point(point) not in known:
                what = f"a point of {point.get('id')} is new, and no run wrote the record beside it"
                yield Mistake(name, number, what, f"restore it: git checkout {name}")


def _rerun(root: Path, name: str, was: dict, now: dict, committed: str) -> Iterator[Mistake]:
    """A run of the same page is no older than the one that it replaces, and notes no less.

    ``committed``: the day on which what is replaced was committed, or an earlier one.
    """
    mend, file = AGAIN.format(file=name), root / name
    for target, run in now["runs"].items() if was["schema"] == now["schema"] else ():
        before = was["runs"].get(target)
        if before and (what := _unlike(was, now, target, committed)):
            yield Mistake(name, _line(file, f'"{target}": {{"outcome"'), what, mend)
        if before and run["date"] < before["date"]:
            what = f"a run on {run['date']}, in the place of one on {before['date']}"
            yield Mistake(name, _line(file, f'"{target}": {{"outcome"'), what, mend)
        elif (
            before and run["date"] != before["date"] and _times(was, target) == _times(now, target)
        ):
            what = (
                f"its date changed, from {before['date']}, and no time of the run on {target} did"
            )
            yield Mistake(name, _line(file, f'"{target}": {{"outcome"'), what, mend)
    for old, new in zip(was.get("blocks", ()), now.get("blocks", ()), strict=False):
        if was["sha256"] != now["sha256"] or old["sha256"] != new["sha256"]:
            continue
        for target, row in new["runs"].items():
            lost = {"lines", "parts"} & old["runs"].get(target, row).keys() - row.keys()
            if lost:
                place = new.get("source", "a block")
                what = f"the run of {place} on {target} has lost its {min(lost)}"
                yield Mistake(name, _line(file, f'"sha256": "{new["sha256"]}"'), what, mend)


def _unlike(was: dict, now: dict, target: str, committed: str) -> str | None:
    """Return what is wrong with a run of other code, or with other outputs: it is no new one.

    It has its own times, which two runs do not share; and a day, which is not one before the other
    was committed. (Two runs of that day are of one day; a day more, for clocks elsewhere.)
    """
    one, two = was["runs"][target], now["runs"][target]
    shown = [
        [
            block["sha256"]
            for block in record["blocks"]
            if block["runs"].get(target, {}).get("outcome") != "recorded"  # by another
        ]
        for record in (was, now)
    ]
    if shown[0] == shown[1] and one.get("outputs") == two.get("outputs"):
        return None
    took = [
        [block["runs"].get(target, {}).get("seconds") for block in record["blocks"]]
        for record in (was, now)
    ]
    if took[0] == took[1] and sum(seconds or 0 for seconds in took[0]) > TOLD:
        return f"what ran on {target} changed, and no time of the run did"
    if one["date"] == two["date"] < committed:
        return f"what ran on {target} changed, and its date, {one['date']}, did not"
    return None


def _day(root: Path, since: str) -> str:
    """Return the day before a commit, or "" where nobody knows."""
    told = (_git(root, "show", "-s", "--format=%ct", since) or "").strip()
    when = datetime.datetime.fromtimestamp(int(told or 0), datetime.UTC)
    return (when - datetime.timedelta(days=1)).date().isoformat() if told.isdigit() else ""


def _times(record: dict, target: str) -> list:
    """Return what a run says of its blocks, where it says how long any of them took."""
    rows = [block["runs"].get(target, {}) for block in record["blocks"]]
    return rows if any(row.get("seconds") for row in rows) else [object()]


def _words(was: dict, now: dict) -> list[str]:
    """Return what a row says in other words, where all of its numbers are those of before."""
    texts = {key for key in was.keys() & now.keys() if isinstance(was[key], str)}
    numbers = [key for key in was if isinstance(was[key], float)]
    if not numbers or any(was[key] != now.get(key) for key in (*numbers, "sha256")):
        return []
    found = [key for key in sorted(texts) if was[key] != now[key]]
    earlier = was.get("again", [])
    return found + ["again"] * (now.get("again", [])[: len(earlier)] != earlier)


def _replaced(root: Path, name: str, old: str, day: str) -> Iterator[Mistake]:
    """A run that replaces a record dates itself, and leaves the figures in the history."""
    try:
        was = json.loads(old)
        if not (root / name).is_file():
            yield from _gone(root, name, was)
            return
        now = json.loads((root / name).read_text(encoding="utf-8"))
        if "page" in was and "page" in now:
            yield from _rerun(root, name, was, now, day)
            return
        rows = {row["id"]: row for row in now["rows"]}
        earlier = {row["id"]: row for row in was["rows"]}
        device, name_now = was["device"]["name"], now["device"]["name"]
    except (OSError, ValueError, LookupError, TypeError, AttributeError):
        return  # no record of figures: which is said elsewhere
    if str(now.get("date", "")) < str(was.get("date", "")):
        what = f"a run on {now.get('date')}, in the place of one on {was['date']}"
        yield Mistake(name, 1, what, AGAIN.format(file=name))
    if name_now != device:
        what = f"a run on {name_now!r}, in the place of one on {device!r}"
        yield Mistake(name, _line(root / name, '"name"'), what, AGAIN.format(file=name))
    same = [k for k in rows.keys() & earlier.keys() if _figures(rows[k]) == _figures(earlier[k])]
    # A run that measured anew knows of no other GPU yet, also where a count came out the same.
    anew = now.get("date") != was.get("date") and len(same) < len(earlier)
    for key in same:
        counted = anew and not rows[key].get("spread") and "again" not in rows[key]
        for word in _words(earlier[key], rows[key]):
            if word == "again" and counted:
                continue
            what = f"{key}: its {word} changed, and none of its figures did"
            yield Mistake(name, _line(root / name, f'"id": "{key}"'), what, AGAIN.format(file=name))
    if now.get("date") != was.get("date") and rows.keys() == earlier.keys() == {*same}:
        what = f"its date changed, from {was.get('date')}, and none of its figures did"
        yield Mistake(name, _line(root / name, '"date"'), what, AGAIN.format(file=name))
    history = (root / name).with_suffix(".history.jsonl")
    points = history.read_text(encoding="utf-8").split("\n") if history.is_file() else []
    known = [json.loads(line) for line in points if line]
    mend = "measure again, which writes both; or " + AGAIN.format(file=name)
    for key, row in earlier.items():
        before = _figures(row)
        if any(at["id"] == key and before.items() <= at.items() for at in known):
            continue
        if key in rows and _figures(rows[key]) != before:
            what = f"{key}: its figures changed, and its history has not those of before"
            yield Mistake(name, _line(root / name, f'"id": "{key}"'), what, mend)
        elif key not in rows and _stands(root, row):
            same = [k for k, new in rows.items() if k not in earlier and _same(new, row)]
            what = f"{key} is gone, and {row['kernel']} is not"
            what += f"; {same[0]} is new, of the same kernel" if same else ""
            yield Mistake(name, 1, f"{what}: its history has not its figures", mend)


def _figures(row: dict) -> dict:
    return {key: row[key] for key in FIGURES if key in row}


def _same(new: dict, old: dict) -> bool:
    return (new["kernel"], new["unit"]) == (old["kernel"], old["unit"])


def _stands(root: Path, row: dict) -> bool:
    """Whether a row's kernel is there, as it was measured."""
    file = source_file(root, row["kernel"])
    return file.is_file() and file_digest(file) == row["sha256"]


def _gone(root: Path, name: str, was: dict) -> Iterator[Mistake]:
    """A record goes with its script: else its figures went, or moved to where nobody compares."""
    if "rows" not in was:
        return
    script = was["script"]
    left = [row["id"] for row in was.get("rows", ()) if _stands(root, row)]
    if (root / script).is_file() or left:
        there = script if (root / script).is_file() else f"the kernel of {left[0]}"
        what = f"this record is gone, and {there} is not"
        mend = f"restore it: git checkout COMMIT -- {name}; or take its script out, too"
        yield Mistake(name, 1, what, mend)

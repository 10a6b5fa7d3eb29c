"""Puzzles: numbered pages with one graded exercise each, their table, and the way in a terminal.

A puzzle is a page of kind ``puzzle`` with its number in the front matter and one
``[[exercise:NAME]]`` whose file is ``kernels/puzzles/NAME.py``. ``[[puzzles:table]]`` lists all of
them, with their par, as the stepper counted it and ``python -m lockstep_site.puzzles`` recorded it;
``[[puzzles:NAME]]`` shows what one costs on a GPU, as benchmarks/micro/puzzles.py and
puzzles_wrong.py measured it.
``follows`` in its front matter names the lessons and patterns that it practices, and each of those
links it at its end.
"""

import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from lockstep import environment, evidence, figures
from lockstep.evidence import file_digest
from lockstep.page import Mistake, Page, PageError, paths, read
from lockstep.parts import Part
from lockstep.source import find_root
from lockstep.targets import Cpu
from lockstep_site import exercise, waiting

if TYPE_CHECKING:  # it brings the stepper and NumPy
    from lockstep.evidence import Evidence
    from simulator import grade

MARKER = re.compile(r"^\[\[puzzles:(?P<which>[\w-]*)\]\][ \t]*$")
TAUGHT = {"lesson", "pattern"}  # kinds of page that a puzzle can follow
FOLDER = "kernels/puzzles"
PARS = "evidence/cpu/pars/puzzles.json"
PAR = {
    "sectors": "sectors",
    "requests": "requests",
    "turns": "turns",
    "conflicts": "bank conflicts",
    "barriers": "barriers",
    "atomics": "atomic updates",
    "operations": "operations",
}
# What the check says of an answer, by the words of its verdict, and whether a GPU runs it, too: not
# what may overwrite what is not its own, or never end.
VERDICTS = {
    "above par": ("right, above par", True),
    "should be": ("wrong result", True),
    "No thread wrote it": ("elements that no thread writes", True),
    "comes first": ("a race", True),
    "which comes last is open": ("a race", True),
    "In another order": ("wrong in another order", True),
    "out of bounds": ("outside its array", False),
    "negative index": ("outside its array", False),
    "syncthreads": ("a barrier that some never reach", False),
    "The mask must name": ("a mask of lanes that do not come", False),
    "bank conflicts": ("right, above par", True),
    "nothing has written": ("reads what nobody wrote", True),
    "let one thread write it": ("a race", True),
    "elements are wrong": ("wrong result", True),
    "should": ("wrong result", True),
    "": ("refused", False),
}
PAR_AND_TIME = (
    "Par counts work; a clock shows what the kernel waits for. Where that is the launch, or the "
    "rate of memory, an answer above par may take no longer than the solution."
)
CHANCE = {"a race", "wrong in another order"}  # and the next run may end otherwise
# A race whose outcome is a place to write to.
HARMFUL = {
    "puzzle-keep-warm-no-barrier",
    "exercise-radix-four-nobody-waits-for-the-digits",
}


def ordered(pages: list[Page]) -> list[tuple[Page, "grade.Exercise", str]]:
    """Return (page, exercise, its name) of each puzzle, by number.

    Raises PageError for a number that is missing or taken, or a page without its one exercise.
    """
    found: dict[int, Page] = {}
    for page in pages:
        if page.meta.get("kind") != "puzzle":
            continue
        number = page.meta.get("puzzle")
        if not isinstance(number, int) or number in found:
            other = f": {found[number].path} has it" if number in found else ""
            what = f"puzzle: {number} is no number of its own{other}"
            raise PageError([Mistake(page.path, 1, what, "give it the next free number")])
        found[number] = page
    rows = []
    for number in range(1, len(found) + 1):
        if number not in found:
            path = max(found.items())[1].path
            what = f"{len(found)} puzzles, and none has the number {number}"
            raise PageError([Mistake(path, 1, what, "number them 1, 2, 3, ...")])
        page = found[number]
        named = exercise.named(page.written or "")
        if len(named) != 1:
            mend = "write [[exercise:NAME]] once, on a line of its own"
            raise PageError([Mistake(page.path, 1, f"a puzzle with {len(named)} exercises", mend)])
        rows.append((page, exercise.load(named[0], page.root), named[0]))
    return rows


def practice(pages: list[Page]) -> dict[str, list[Page]]:
    """Return the puzzles that practice each lesson and pattern, by its address, in their order.

    Raises PageError for a puzzle that follows nothing, or a page that is none of those.
    """
    taught = {page.uri for page in pages if page.meta.get("kind") in TAUGHT}
    found: dict[str, list[Page]] = {}
    for page in sorted(pages, key=lambda page: page.meta.get("puzzle", 0)):
        if page.meta.get("kind") != "puzzle":
            continue
        named = page.meta.get("follows") or [""]
        for uri in named:
            if uri not in taught:
                what = f"follows: {uri or 'nothing'} is no lesson and no pattern"
                mend = "name what it practices, such as roadmap/foundation/vector-add.md"
                raise PageError([Mistake(page.path, 1, what, mend)])
            found.setdefault(uri, []).append(page)
    return found


def pars(root: Path) -> dict[str, dict]:
    """Return the par of each puzzle that has one: the case, and the solution's counts on it."""
    from simulator import grade

    found = {}
    for file in sorted((root / FOLDER).glob("[!_]*.py")):
        known = exercise.load(file.stem, root)
        if known.par:
            verdict = grade.grade(known.text, known.solution)
            counts = {row["name"]: row["par"] for row in verdict["par"] if row["counts"]}
            # A count of nothing is left out of a verdict.
            counts = {name: counts.get(name, 0) for name in known.par}
            found[file.stem] = {"case": verdict["cases"][-1][0], "counts": counts}
    return found


def record(root: Path) -> str:
    """Count, write the record, and return its path."""
    found = pars(root)
    sources = [f"{FOLDER}/{name}.py" for name in found]
    about = {
        "schema": evidence.SCHEMA,
        "tool": "simulator.grade",
        "pars": found,
        **Cpu().describe(),
        "packages": environment.packages(("numpy",)),
        "sources": {path: file_digest(root / path) for path in sources},
    }
    evidence.write(root / PARS, about)
    return PARS


def table(pages: list[Page], plain: bool, records: dict | None = None) -> str:
    """Return the Markdown of the table. ``plain``: without what a browser fills in."""
    total = "" if plain else ' <span class="puzzle-state" data-puzzle=""></span>'
    lines = [f"| No. | Puzzle{total} | What you write | Par |", "|---:|---|---|---|"]
    for page, known, name in ordered(pages):
        link = Path(page.path).name
        par = _par(known, name, page.root, records or {})
        title, about = f"[{known.title}]({link})", page.meta["description"]
        if not plain:
            key = exercise.key(name, page.root)
            title += f' <span class="puzzle-state" data-puzzle="{key}"></span>'
        lines.append(f"| {page.meta['puzzle']} | {title} | {about} | {par} |")
    return "\n".join(lines)


def _par(known: "grade.Exercise", name: str, root: Path, records: dict) -> str:
    """Return what par is: its numbers too, where the record is of this puzzle as it is now."""
    path = f"{FOLDER}/{name}.py"
    for found in records.values():
        if name in found["pars"] and found["sources"].get(path) == file_digest(root / path):
            row = found["pars"][name]
            said = (_count(row["counts"][key], PAR[key]) for key in known.par)
            return f"{', '.join(said)} ({row['case']})"
    return ", ".join(PAR[key] for key in known.par) or "–"


def _count(number: int, words: str) -> str:
    if number == 1:
        words = words.removesuffix("s")
    return f"{number or 'no'} {words}" if number < 10_000 else f"{number:,} {words}"


def answers(
    known: "grade.Exercise", name: str, kind: str = "puzzle"
) -> dict[str, tuple[str, str, str, bool]]:
    """Return the solution and each tempting wrong answer, by the id of its time on a GPU.

    Each as its label, its program, what the check says of it, and whether it runs on a GPU.
    ``kind``: a puzzle, or an exercise of another page.
    """
    first = f"{kind}-{name.replace('_', '-')}"
    found = {first: ("the solution", known.solution, "right", True)}
    for label, (program, says) in known.wrong.items():
        verdict, runs = next(row for words, row in VERDICTS.items() if words in says)
        key = re.sub(r"\W+", "-", label.lower()).strip("-")
        key = f"{first}-{key}"
        found[key] = (label, program, verdict, runs and key not in HARMFUL)
    return found


def times(known: "grade.Exercise", name: str, records: "Evidence", kind: str = "puzzle") -> str:
    """Return the Markdown of what an exercise's answers take on a GPU; "" where none was measured.

    A column for each card, whatever figures the pages show of it: first that of the solution's. Of
    an exercise that is no puzzle, only some answers are timed, and the others have no row.
    """
    asked = answers(known, name, kind)
    solution, *_ = asked
    home = records.microbenchmarks
    if solution not in home:
        return ""
    first = home[solution]["device"]["name"]
    cards: dict[str, dict[str, dict]] = {first: {}}
    for key in asked:
        shown = [home[key]] if key in home else []
        for row in [*shown, *records.elsewhere.get(key, ())]:
            if not row["fresh"]:
                continue
            rows = cards.setdefault(row["device"]["name"], {})
            rows[key] = row
            if "solution_us" in row and (solution in rows or rows is not cards[first]):
                # The solution was timed in turns with this one, too.
                other = rows.get(solution, row | {"value": row["solution_us"]})
                least, most = other.get("range", (other["value"],) * 2)
                least, most = min(least, row["solution_us"]), max(most, row["solution_us"])
                rows[solution] = other | {"range": (least, most)}
    size = home[solution]["title"].rpartition(", ")[2]
    size = re.sub(r"\d+", lambda number: f"{int(number[0]):,}", size)
    head = ["One launch" if size == "1" else f"One launch, {size}", "The check says", *cards]
    lines = []
    for key, (label, _, verdict, runs) in asked.items():
        there = [rows[key] for rows in cards.values() if key in rows]
        if kind != "puzzle" and not there:
            continue
        right = verdict.startswith("right")
        if there and not right and all(row.get("wrong") == 0 for row in there):
            verdict += f", and right {'this time' if verdict in CHANCE else 'at this size'}"
        none = "not run" if not runs else "not measured" if there else waiting.AWAITING
        took = [
            _took(key, rows[key], card == first) if key in rows else none
            for card, rows in cards.items()
        ]
        lines.append([f"{label[:1].upper()}{label[1:]}", verdict, *took])
    return figures.table(head, lines, [False, False, *(True for _ in cards)])


def _took(key: str, row: dict, first: bool) -> str:
    """Return a time: by its key on the first card, whose figure that is wherever it has one.

    The solution's two runs make a range, one end of which is that figure.
    """
    if not first:
        return figures.quantity(row.get("range", row["value"]), row["unit"])
    ends = figures.quantity(row["range"], row["unit"]) if "range" in row else ""
    least, _, most = ends.partition(" to ")
    if not most:
        return f"[[micro:{key}]]"
    by_key = row["value"] == row["range"][1]
    return f"{least} to [[micro:{key}]]" if by_key else f"[[micro:{key}]] to {most}"


def _pages(root: Path) -> list[Page]:
    """Return the puzzles' pages alone, unjudged: whoever grades a file waits for them."""
    kind = re.compile(r"^kind: puzzle$", re.MULTILINE)
    found = [file for file in paths(root) if kind.search(file.read_text(encoding="utf-8"))]
    return [read(file, root, judge=False) for file in found]


def main(
    number: int | None, file: str | None, root: Path, pages: list[Page], hint: int | None = None
) -> int:
    """List the puzzles, show one or a hint by its number, or grade a file that answers it."""
    rows = ordered(pages)
    if number is None:
        for page, known, _ in rows:
            print(f"{page.meta['puzzle']:2}  {known.title}{' (par)' if known.par else ''}")
        return 0
    if not 1 <= number <= len(rows):
        print(f"there is no puzzle {number} (there are 1 to {len(rows)})", file=sys.stderr)
        return 2
    return exercise.main(rows[number - 1][2], file, root, f"puzzle {number}", hint)


class PuzzlePart(Part):
    """Numbered exercises with a page each."""

    name = "puzzles"
    marker = MARKER

    def render(self, marker: re.Match, site, folder: str, plain: bool) -> str:
        which = marker["which"]
        if which == "table":
            return table(site.pages, plain, site.records.others["pars"])
        path = exercise.path_of(which, site.root)
        if path and path.startswith(FOLDER):
            return times(exercise.load(which, site.root), which, site.records)
        if path:
            rows = times(exercise.load(which, site.root), which, site.records, "exercise")
            if not rows:
                return ""
            box = exercise.folded("What the answers take on a GPU", f"{PAR_AND_TIME}\n\n{rows}")
            if plain:
                return box
            return f'<div data-search-exclude markdown="1">\n\n{box}\n\n</div>'
        what = f"[[puzzles:{which}]] names no part of them"
        mend = "write [[puzzles:table]], or the name of an exercise"
        raise PageError([Mistake("docs/puzzles", 1, what, mend)])

    def commands(self, add) -> None:
        parser = add(
            "puzzle",
            help="list the puzzles, show one by its number, or grade a file that answers it",
            run=lambda root, number, file, hint: main(number, file, root, _pages(root), hint),
        )
        parser.add_argument("number", nargs="?", type=int, help="left out: all of them")
        exercise.arguments(parser)


if __name__ == "__main__":
    print(record(find_root()))

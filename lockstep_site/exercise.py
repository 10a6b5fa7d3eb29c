"""Graded exercises: what a page shows of one, what the editor gets, and the check in a terminal.

``[[exercise:NAME]]`` on a line of its own stands for ``kernels/exercises/NAME.py``, or that of
``kernels/puzzles/``, whose parts ``simulator/grade.py`` lists. Before the page is read, the line
becomes the Markdown that somebody would have typed: the statement, the hints, and a solution that
includes the file's sections. So its blocks are the page's, run with it, and carry their proof;
nothing of them is typed.
"""

import re
import sys
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from lockstep import numbers
from lockstep.page import Mistake, PageError
from lockstep.parts import Part
from lockstep_site import quiz

if TYPE_CHECKING:  # it brings the stepper and NumPy, which few commands need
    from simulator import grade

FOLDERS = ("kernels/exercises", "kernels/puzzles")
MARKER = re.compile(r"^\[\[exercise:(?P<name>[a-z][a-z0-9_]*)\]\][ \t]*$")


def load(name: str, root: Path, where: tuple[str, int] | None = None) -> "grade.Exercise":
    """Return an exercise by its name. ``where``: the page and line that ask for it.

    Raises PageError where there is no such file, or where it cannot be read.
    """
    from simulator import grade

    path = path_of(name, root)
    if path is None:
        there = ", ".join(names(root)) or "none"
        wanted = f"{FOLDERS[0]}/{name}.py"
        page, line = where or (wanted, 1)
        what = f"there is no exercise {name!r} (there are: {there})"
        raise PageError([Mistake(page, line, what, f"correct the name, or write {wanted}")])
    try:
        known = _read((root / path).read_text(encoding="utf-8"))
    except grade.Bad as bad:
        raise PageError([Mistake(path, bad.line, bad.what, bad.mend)]) from None
    if typed := _typed(known):
        raise PageError([Mistake(path, 1, f"{typed!r} is typed, in WRONG", numbers.MEND)])
    return known


def _typed(known: "grade.Exercise") -> str | None:
    """Return a measured number of what the check is to say of a wrong answer."""
    said = (says for _, says in known.wrong.values())
    return next((number for text in said for number in numbers.typed(text)), None)


def path_of(name: str, root: Path) -> str | None:
    """Return the path of an exercise's file, or None where there is none."""
    paths = (f"{folder}/{name}.py" for folder in FOLDERS)
    return next((path for path in paths if (root / path).is_file()), None)


@lru_cache(maxsize=256)
def _read(text: str) -> "grade.Exercise":
    from simulator import grade

    return grade.read(text)


def names(root: Path) -> list[str]:
    """Return the names of all exercises, sorted."""
    files = (f for folder in FOLDERS for f in (root / folder).glob("*.py"))
    return sorted(f.stem for f in files if f.stem != "__init__")


def named(body: str) -> list[str]:
    """Return the exercises that a page's text, as it is typed, names."""
    return [m["name"] for line in body.splitlines() if (m := MARKER.match(line))]


def markdown(line: str, root: Path, where: tuple[str, int] | None = None) -> list[str] | None:
    """Return the lines that a marker stands for, or None for any other line."""
    marker = MARKER.match(line)
    if not marker:
        return None
    name = marker["name"]
    exercise = load(name, root, where)
    path = path_of(name, root)
    aim = "graded on awkward sizes and poisoned output"
    end = "" if exercise.title.endswith("?") else "."
    if exercise.par:
        aim += ", with a par to reach"
    out = [
        f'<div class="graded" data-graded="{name}" markdown="1">',
        "",
        *f"**{exercise.title.removesuffix('.')}{end}** {exercise.statement}".splitlines(),
        "",
        f'<div class="graded__act" data-run="x-{name}" data-label="Solve it here" '
        f'data-search-exclude markdown="span">{aim}</div>',
        "",
        "</div>",
        "",
    ]
    for hint in exercise.hints:
        out += ["??? hint", *_indented(hint.splitlines()), ""]
    out.append("??? solution")
    for section in ("imports", "solution"):
        if section == "solution" or f"[start:{section}]" in exercise.text:
            out += _indented(["```python", f'--8<-- "{path}:{section}"', "```", ""])
    out += _indented(["```pycon", f'--8<-- "{path}:example"', "```"])
    if exercise.par and path.startswith(FOLDERS[0]):  # a puzzle's page says where its times stand
        out += ["", f"[[puzzles:{name}]]"]
    return [*out, ""]


def folded(title: str, text: str) -> str:
    """Return Markdown in a box that opens on a press."""
    return "\n".join([f'??? note "{title}"', *_indented(text.splitlines())])


def _indented(lines: list[str]) -> list[str]:
    return [f"    {line}".rstrip() for line in lines]


def key(name: str, root: Path) -> str:
    """Return the name under which a reader's browser keeps what came of an exercise."""
    first = "imports" if "[start:imports]" in load(name, root).text else "solution"
    return quiz.exercise_key([f"{path_of(name, root)}:{first}"])


def program(name: str, root: Path) -> dict:
    """Return what the panel gets when the exercise's button is pressed."""
    exercise = load(name, root)
    source = f"{path_of(name, root)}:solution"
    return {
        "source": source,
        "code": exercise.program,
        "breaks": [],
        "presets": [],
        "exercise": {
            "name": name,
            "key": key(name, root),
            "title": exercise.title,
            "text": exercise.text,
        },
    }


# ---------------------------------------------------------------- in a terminal


def main(
    name: str | None,
    file: str | None,
    root: Path,
    asked: str | None = None,
    hint: int | None = None,
) -> int:
    """List the exercises, show one or a hint, or grade a file; returns what the shell should get.

    ``name``: an exercise. ``file``: a program that answers it; "-" reads it from standard input.
    ``asked``: the command and its argument, if it is not ``exercise NAME``. ``hint``: its number.
    """
    from simulator import grade

    if name is None:
        for known in names(root):
            exercise = load(known, root)
            print(f"{known:24} {exercise.title}{' (par)' if exercise.par else ''}")
        return 0
    try:
        exercise = load(name, root)
    except PageError as error:
        print(error, file=sys.stderr)
        return 2
    if hint is not None:
        if not 1 <= hint <= len(exercise.hints):
            print(f"there is no hint {hint} (there are {len(exercise.hints)})", file=sys.stderr)
            return 2
        print(exercise.hints[hint - 1])
        return 0
    if file is None:
        print(f'"""{exercise.title}\n\n{exercise.statement}\n"""\n\n{exercise.program}', end="")
        then = f"python -m lockstep {asked or f'exercise {name}'}"
        said = f"# Save this as a file, write your lines, then: {then} FILE"
        print(f"{said}\n# Stuck? {then} --hint 1", file=sys.stderr)
        return 0
    try:
        code = sys.stdin.read() if file == "-" else Path(file).read_text(encoding="utf-8")
    except OSError as error:
        print(f"{file}: {error.strerror}", file=sys.stderr)
        return 2
    verdict = grade.grade(exercise.text, code)
    print(words(verdict, "standard input" if file == "-" else file))
    return 0 if verdict["passed"] else 1


def words(verdict: dict, file: str) -> str:
    """Return a verdict as a terminal shows it."""
    lines = [f"  ok    {name}" for name, _ in verdict["cases"]]
    if not verdict["passed"]:
        at = f"{file}:{verdict['line']}" if verdict["line"] else file
        return "\n".join([*lines, f"  FAIL  {at}: {verdict['message']}"])
    lines.append(verdict["message"])
    if rows := verdict["par"]:
        width = max(len(row["label"]) for row in rows)
        lines.append(f"{'':{width + 2}}{'yours':>10}{'par':>10}")
        for row in rows:
            mark = ("  <- above par" if row["yours"] > row["par"] else "  <- par") * row["counts"]
            lines.append(f"  {row['label']:{width}}{row['yours']:>10,}{row['par']:>10,}{mark}")
    return "\n".join(lines)


def arguments(parser) -> None:
    """Add what follows the name of an exercise or the number of a puzzle."""
    parser.add_argument("file", nargs="?", help="your program; - for standard input")
    parser.add_argument("--hint", type=int, metavar="N", help="show the first, second, ... hint")


class ExercisePart(Part):
    """Exercises that the stepper grades, in a page and in a terminal."""

    name = "exercise"

    def insert(self, line: str, root: Path, where: tuple[str, int]) -> list[str] | None:
        return markdown(line, root, where)

    def commands(self, add) -> None:
        parser = add(
            "exercise",
            help="list the exercises, show one, or grade a file that answers it",
            run=lambda root, name, file, hint: main(name, file, root, hint=hint),
        )
        parser.add_argument("name", nargs="?", help="left out: all of them")
        arguments(parser)

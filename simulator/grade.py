"""Grade a reader's kernel: run it on awkward sizes and poisoned output, and hold it against par.

An exercise is one Python file. Its docstring has the title and the statement; a section
``solution`` has the reference solution; what the reader starts from, and the tempting wrong
answers, are edits of that solution, so that neither can drift from it. Module-level constants hold
the rest, as literals, because a page is built without running anything::

    HINTS = ["...", "..."]            # the gentlest first
    START = [[find, replace], ...]    # left out: the body of each function is taken out
    WRONG = {"label": {"edits": [[find, replace], ...], "says": "words of the verdict"}, ...}
                                      # edits may be "START": right, but above par
    CASES = [1, 31, 33]               # what `test` is called with; a tuple for several parameters
    PAR = ["sectors"]                 # what must not exceed the solution's, on the last case

    def test(reverse, n):
        x = np.arange(n, dtype=np.float32)
        out = np.full(n, np.nan, dtype=np.float32)   # poison: what nobody writes shows
        reverse[-(-n // 64), 64](x, out)
        yield "out", out, x[::-1]

The first parameters of ``test`` are names that the solution defines; the reader's are passed in
their place. It yields the name that the kernel gives an array, what the array holds, what it should
hold and, if floats may differ by more than 1e-5 of the value, by how much.

This runs in the reader's browser, too: it needs Python and ``simulator.stepper``, nothing else.
"""

import ast
import math
import re
import textwrap
import time
import traceback
from dataclasses import dataclass

from simulator.stepper import KernelFault, Stepper, Unsupported, line_of, remember

FILE = "program.py"  # the reader's program
MARKER = re.compile(r"^.*--8<-- \[(start|end):([\w-]+)\].*\n?", re.MULTILINE)
TOLERANCE = 1e-5
SEEDS = (1, 2)  # orders of threads, beside the usual one, in which a right answer is run again
STUB = "    pass  # your lines here\n"
# What a program forgets to import, and how it is imported.
IMPORTS = {
    "cuda": "from numba import cuda",
    "math": "import math",
    "np": "import numpy as np",
    "numba": "import numba",
}

# What is counted of a launch: its name in PAR, what the reader sees, and how it is found.
METRICS = {
    "sectors": ("sectors of global memory", lambda c: c.total("sectors")),
    "requests": ("requests to global memory", lambda c: c.total("requests")),
    "turns": ("turns of shared memory", lambda c: c.total("wavefronts", "shared")),
    "conflicts": ("bank conflicts", lambda c: c.total("conflicts", "shared")),
    "barriers": ("barriers", lambda c: c.barriers),
    "atomics": (
        "atomic updates of global memory",
        lambda c: c.total("lanes", kind="atomic"),
    ),
    "operations": ("operations of all threads", lambda c: sum(c.instructions().values())),
}


class Bad(ValueError):
    """An exercise's file cannot be used: ``line`` and ``what``, and ``mend``, how to mend it."""

    def __init__(self, line, what, mend):
        super().__init__(f"line {line}: {what}. To mend: {mend}.")
        self.line, self.what, self.mend = line, what, mend


@dataclass(frozen=True)
class Exercise:
    """What a file holds. ``wrong``: {label: (program, what the verdict says)}."""

    text: str
    title: str
    statement: str  # Markdown
    hints: tuple[str, ...]
    solution: str
    example: str  # statements that launch the kernel
    start: str  # what the editor holds at first, without the example
    wrong: dict
    par: tuple[str, ...]
    names: tuple[str, ...]  # what the solution defines and the test wants

    @property
    def program(self):
        """What the editor holds at first."""
        return join(self.start, self.example)


def join(*parts):
    return "\n\n\n".join(part.strip("\n") for part in parts if part.strip()) + "\n"


def edited(code, edits, line):
    """Return code with each edit made where its text occurs last."""
    for find, replace in edits:
        before, found, after = code.rpartition(find)
        if not found:
            raise Bad(line, f"the solution has no {find!r} to change", "copy its lines as they are")
        code = before + replace + after
    return code


def section(text, name):
    """Return a section of a file, without markers; None where there is none."""
    marks = [rf"^[^\n]*--8<-- \[{kind}:{name}\]" for kind in ("start", "end")]
    found = re.search(rf"{marks[0]}[^\n]*\n(.*?){marks[1]}", text, re.DOTALL | re.MULTILINE)
    return textwrap.dedent(MARKER.sub("", found[1])).strip("\n") + "\n" if found else None


def read(text):
    """Read an exercise from the text of its file, without running it. Raises Bad."""
    try:
        tree = ast.parse(text)
    except SyntaxError as error:
        raise Bad(error.lineno or 1, f"not Python: {error.msg}", "correct this line") from None
    values, lines = {}, {}
    for node in tree.body:
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            name = node.targets[0].id
            if name in {"HINTS", "START", "WRONG", "PAR", "CASES"}:
                try:
                    values[name], lines[name] = ast.literal_eval(node.value), node.lineno
                except ValueError:
                    what = f"{name} is not made of plain values"
                    raise Bad(node.lineno, what, "write lists, strings and numbers") from None
    title, _, statement = (ast.get_docstring(tree) or "").partition("\n")
    if not title.strip() or not statement.strip():
        mend = "write the title as its first line, then an empty line, then the statement"
        raise Bad(1, "the docstring lacks a title or a statement", mend)
    solution = section(text, "solution")
    if solution is None:
        raise Bad(1, "there is no section solution", "mark it: # --8<-- [start:solution]")
    example = section(text, "example")
    if example is None:
        mend = "put an example with >>> into the docstring of test, as [start:example]"
        raise Bad(1, "there is no section example", mend)
    if len(values.get("HINTS", ())) < 2:
        raise Bad(lines.get("HINTS", 1), "fewer than two hints", "HINTS = [gentle, firmer]")
    if len(values.get("WRONG", ())) < 2:
        mend = 'WRONG = {"label": {"edits": [[find, replace]], "says": "..."}}, two at least'
        raise Bad(lines.get("WRONG", 1), "fewer than two tempting wrong answers", mend)
    for name in values.get("PAR", ()):
        if name not in METRICS:
            mend = f"use {', '.join(METRICS)}"
            raise Bad(lines["PAR"], f"PAR names {name!r}, which is not counted", mend)
    if not values.get("CASES"):
        raise Bad(1, "there are no CASES", "CASES = [1, 31, 33]")
    test = next((n for n in tree.body if getattr(n, "name", None) == "test"), None)
    if test is None:
        raise Bad(1, "there is no function test", "def test(kernel, n): ...")
    defined = bound(ast.parse(solution))
    names = [a.arg for a in test.args.args if a.arg in defined]
    if not names:
        what = f"test asks for none of {', '.join(sorted(defined))}"
        raise Bad(test.lineno, what, "let its first parameters be names of the solution")
    imports = "".join(
        ast.get_source_segment(text, node) + "\n"
        for node in tree.body
        if isinstance(node, ast.Import | ast.ImportFrom)
    )
    edits = values.get("START")
    begin = edited(solution, edits, lines["START"]) if edits else emptied(solution)
    wrong = {}
    for label, row in values["WRONG"].items():
        if set(row) != {"edits", "says"}:
            raise Bad(lines["WRONG"], f"{label!r} lacks edits or says", "give both")
        changes = edits if row["edits"] == "START" else row["edits"]
        code = edited(solution, changes, lines["WRONG"])
        wrong[label] = (join(imports, code), row["says"])
    return Exercise(
        text=text,
        title=title.strip().rstrip("."),
        statement=statement.strip("\n"),
        hints=tuple(values["HINTS"]),
        solution=join(imports, solution),
        example=statements(example),
        start=join(imports, begin),
        wrong=wrong,
        par=tuple(values.get("PAR", ())),
        names=tuple(names),
    )


def statements(example):
    """The statements of an example with >>>."""
    out = []
    for line in example.splitlines():
        if line.startswith((">>> ", "... ")):
            out.append(line[4:])
        elif line == "...":
            out.append("")
    return "\n".join(out) + "\n"


def bound(tree):
    """The names that the statements of a module define."""
    found = set()
    for node in tree.body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            found.add(node.name)
        elif isinstance(node, ast.Assign):
            found |= {n.id for t in node.targets for n in ast.walk(t) if isinstance(n, ast.Name)}
    return found


def emptied(solution):
    """A solution with the body of each function, but for its docstring, taken out."""
    lines = solution.splitlines(keepends=True)
    for node in reversed(ast.parse(solution).body):
        if isinstance(node, ast.FunctionDef):
            body = node.body[1:] if ast.get_docstring(node) else node.body
            if body:
                lines[body[0].lineno - 1 : node.end_lineno] = [STUB]
    return "".join(lines)


# ---------------------------------------------------------------- a run


def grade(text, code, time_limit=10.0, shown=None):
    """Grade a program against the exercise of a file's text.

    ``shown``: a list that gets the launches of one case with their recordings: of the one that
    failed, or else of a small one.

    Returns plain data: ``passed``; ``cases``, [[name, passed]]; ``line`` and ``message`` of what
    failed first, or None and what to say of a pass; ``notes``, [{line, text, level}]; ``par``,
    [{name, label, yours, par, each, counts}] or None; ``met``, whether par was reached, None where
    the exercise has none; ``output``, what the program printed; ``seconds``.
    """
    began = time.perf_counter()
    exercise = read(text)
    verdict = {"passed": False, "cases": [], "line": None, "message": "", "notes": [], "par": None}
    verdict |= {"met": None, "output": ""}
    try:
        _grade(exercise, code, time_limit, verdict)
    except _Failed as failure:
        verdict["line"], verdict["message"] = failure.line, failure.message
        verdict["notes"] = failure.notes or (
            [{"line": failure.line, "text": failure.message, "level": "error"}]
            if failure.line
            else []
        )
    if shown is not None:
        cases, done = _cases(exercise), len(verdict["cases"])
        case = cases[done if done < len(cases) else len(cases) // 2]
        shown += _recorded(exercise, code, case, time_limit)
    verdict["seconds"] = time.perf_counter() - began
    return verdict


class _Failed(Exception):
    def __init__(self, message, line=None, notes=None):
        super().__init__(message)
        self.message, self.line, self.notes = message, line, notes


def _grade(exercise, code, limit, verdict):
    cases = _cases(exercise)
    for case in cases:
        name, mine = _run(exercise, code, case, "check", limit)
        verdict["cases"].append([name, True])
    for seed in SEEDS:
        case = cases[len(cases) // 2]
        try:
            _run(exercise, code, case, "check", limit, seed=seed)
        except _Failed as failure:
            failure.message = f"In another order of its threads: {failure.message}"
            raise
    verdict["passed"] = True
    # Of the last case, counted above; what is counted of a launch is the same each time.
    own = code == exercise.solution
    best = mine if own else _run(exercise, exercise.solution, cases[-1], "check", limit)[1]
    rows = []
    for key, (label, _) in METRICS.items():
        if not mine[key] and not best[key]:
            continue
        row = {"name": key, "label": label, "yours": mine[key], "par": best[key], "each": None}
        row["counts"] = key in exercise.par
        if key == "sectors":
            row["each"] = [_ratio(m["sectors"], m["requests"]) for m in (mine, best)]
        rows.append(row)
    verdict["par"] = rows
    over = [row for row in rows if row["counts"] and row["yours"] > row["par"]]
    if exercise.par:
        verdict["met"] = not over
    if over:
        row = over[0]
        said = f"Right, and above par: {row['yours']} {row['label']}, par is {row['par']}."
    else:
        said = "Right, and at par." if exercise.par else "Right."
        if any(row["counts"] and row["yours"] < row["par"] for row in rows):
            said = "Right, and below par: better than the reference solution."
    verdict["message"] = said


def _ratio(a, b):
    return round(a / b, 2) if b else 0


def _cases(exercise):
    node = next(
        n
        for n in ast.parse(exercise.text).body
        if isinstance(n, ast.Assign) and getattr(n.targets[0], "id", "") == "CASES"
    )
    return [c if isinstance(c, tuple) else (c,) for c in ast.literal_eval(node.value)]


def _run(exercise, code, case, mode, limit, seed=None):
    """Run one case. Returns its name and its counts; raises _Failed where something is wrong."""
    settings = {"seed": seed} if seed is not None else {}
    stepper = Stepper(mode=mode, time_limit=limit, raise_findings=False, **settings)
    names = exercise.names
    with stepper.installed():
        # The exercise's own functions, and then the reader's.
        house = {"__name__": "exercise"}
        remember("exercise.py", exercise.text)
        exec(compile(exercise.text, "exercise.py", "exec"), house)
        reader = _reader(code)
        test = house["test"]
        labels = test.__code__.co_varnames[len(names) : test.__code__.co_argcount]
        name = ", ".join(f"{n} = {v}" for n, v in zip(labels, case, strict=True))
        for wanted in names:
            if wanted not in reader:
                raise _Failed(f"There is no `{wanted}` in your program: the check calls it.")
            own, given = reader[wanted], house[wanted]
            if hasattr(given, "__getitem__") and not hasattr(own, "__getitem__"):
                line = getattr(getattr(own, "__code__", None), "co_firstlineno", None)
                raise _Failed(f"`{wanted}` is no kernel: put `@cuda.jit` above it.", line)
        del stepper.launches[:]
        pairs, error = [], None
        try:
            for row in test(*(reader[n] for n in names), *case):
                pairs.append(row)
                _findings(stepper, name)
        except _Failed:
            raise
        except BaseException as caught:  # whatever the reader's code raises
            error = caught
    _findings(stepper, name)
    if error is not None:
        raise _Failed(f"{name}: {_words(error)}", line_of(error, FILE)) from None
    if not stepper.launches:
        raise _Failed(f"{name}: no kernel was launched.")
    for row in pairs:
        if wrong := _difference(*row):
            item, text = wrong
            line = None if item is None else _writer(exercise, code, case, limit, row[0], item)
            if item is not None:
                text += f" Line {line} wrote it last." if line else " No thread wrote it."
            raise _Failed(f"{name}: {text}", line)
    return name, {
        key: sum(count(launch.counts) for launch in stepper.launches if launch.counts)
        for key, (_, count) in METRICS.items()
    }


def _reader(code):
    """Run a program, but for its expressions: those are the reader's own launches."""
    remember(FILE, code)
    namespace = {"__name__": "__main__"}
    try:
        tree = ast.parse(code, FILE)
        tree.body = [node for node in tree.body if not isinstance(node, ast.Expr)]
        exec(compile(tree, FILE, "exec"), namespace)
    except BaseException as error:  # whatever it is
        raise _Failed(_words(error), line_of(error, FILE)) from None
    return namespace


def _words(error):
    text = str(error) if isinstance(error, KernelFault | Unsupported) else ""
    text = text or traceback.format_exception_only(error)[-1].strip()
    name = re.search(r"\bname [`'](\w+)[`'] is not defined", text)
    if name and name[1] in IMPORTS:
        text += f". Write `{IMPORTS[name[1]]}` above it."
    return text


def _findings(stepper, name):
    """Raise what the stepper has found, the first of each line and kind."""
    notes = {}
    for launch in stepper.launches:
        for finding in launch.findings:
            note = {"line": finding.line, "text": finding.message, "level": "finding"}
            notes.setdefault((finding.line, finding.kind), note)
    if notes:
        first = next(iter(notes.values()))
        raise _Failed(f"{name}: {first['text']}", first["line"], list(notes.values()))


def _difference(name, got, want, tolerance=TOLERANCE):
    """Return (number of the first wrong element, words), or None where all are right."""
    got, want = _host(got), _host(want)
    if got[0] != want[0]:
        return None, f"`{name}` has the shape {got[0]}, and should have {want[0]}."
    wrong = [
        k for k, (g, w) in enumerate(zip(got[1], want[1], strict=True)) if _off(g, w, tolerance)
    ]
    if not wrong:
        return None
    at = wrong[0]
    place, rest = [], at
    for length in reversed(got[0]):
        place.insert(0, rest % length)
        rest //= length
    where = f"[{', '.join(map(str, place))}]" if place else ""
    many = f"{len(wrong)} of {len(want[1])} elements are wrong. " if len(wrong) > 1 else ""
    text = f"{many}`{name}{where}` is {_show(got[1][at])}, and should be {_show(want[1][at])}."
    return at, text


def _host(array):
    """(shape, elements) of an array of the host or the device, or of a number."""
    if hasattr(array, "copy_to_host"):
        array = array.copy_to_host()
    if not hasattr(array, "tolist"):
        return (), [array]
    shape, flat = tuple(array.shape), array.tolist()
    for _ in shape[1:]:
        flat = [x for row in flat for x in row]
    return shape, flat if shape else [flat]


def _off(got, want, tolerance):
    if isinstance(want, float) or isinstance(got, float):
        if math.isnan(want):
            return not math.isnan(got)
        if math.isinf(want) or math.isinf(got):
            return got != want
        return not abs(got - want) <= tolerance * max(1.0, abs(want))
    return got != want


def _show(value):
    return f"{value:.6g}" if isinstance(value, float) else str(value)


def _writer(exercise, code, case, limit, name, item):
    """The line of the program that wrote an element last, or None where none did."""
    for launch in reversed(_recorded(exercise, code, case, limit)):
        trace = launch.trace and launch.trace.as_dict()
        for step in reversed(trace["steps"] if trace else ()):
            for site, memory, _, items, *written in step[4]:
                if written and item in items and trace["memories"][memory]["name"] == name:
                    return trace["sites"][str(site)]["line"]
    return None


def launch_largest(text, code, limit):
    """Launch a right answer on the last case, as its exercise does, with nothing measured.

    ``code``: None for the reference solution.
    """
    exercise = read(text)
    code = exercise.solution if code is None else code
    _run(exercise, code, _cases(exercise)[-1], "check", limit)


def _recorded(exercise, code, case, limit):
    """The launches of one case, with their recordings, as far as they come."""
    stepper = Stepper(mode="record", time_limit=limit, raise_findings=False)
    with stepper.installed():
        house = {"__name__": "exercise"}
        exec(compile(exercise.text, "exercise.py", "exec"), house)
        try:
            reader = _reader(code)
            del stepper.launches[:]
            list(house["test"](*(reader[n] for n in exercise.names), *case))
        except BaseException:  # it is reported by the run that grades
            pass
    return stepper.launches

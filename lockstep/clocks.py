"""Times that no clock gave, machines that a text names, and answers that no model made.

A printed time is worth the clock that it comes from. So what an example prints as one leads, by the
page's own names, to a clock of Python, of CUDA or of a library; and the names of clocks, and of
what knows the machine, are the libraries' own on a page. A guess by names, and rather too wide: it
finds a figure that has nothing to do with the clock beside it.
"""

import ast
import doctest
import functools
import re
from collections.abc import Iterator, Set
from contextlib import suppress

from lockstep import numbers
from lockstep.mistakes import kinds, nodes, parse, walk
from lockstep.vacuous import name_of

Found = tuple  # (block, line from 0, what, how to mend it)

# Where time, or the machine, is asked. What a page itself gives these names is none of them.
REAL = {"perf_counter", "perf_counter_ns", "monotonic", "monotonic_ns", "process_time", "timeit"}
REAL |= {"process_time_ns", "thread_time", "time_ns", "default_timer", "Timer", "clock_gettime"}
REAL |= {"get_elapsed_time", "elapsed_time", "do_bench", "benchmark", "Event", "event", "events"}
REAL |= {"clock64", "clock", "globaltimer", "Wtime", "MPI_Wtime", "repeat", "autorange", "profile"}
REAL |= {"GPUStartTime", "GPUEndTime", "run", "check_output", "Popen", "communicate", "time.time"}
# Libraries and functions that a reader knows by these names.
KNOWN = {"time", "timeit", "perf_counter", "perf_counter_ns", "monotonic", "process_time", "Event"}
KNOWN |= {"get_elapsed_time", "elapsed_time", "do_bench", "default_timer", "MPI_Wtime", "clock64"}
MACHINE = re.compile(r"(?i)^(?:pynvml|nvml\w*|nvidia_smi|cuda_device|get_device_name|device_name)$")
OTHER = "call it by another name, and let {0} be what its reader knows"
SAYS_TIME = re.compile(r"(?i)\b\w*(?:elapsed|measured|timing|timed|wall_?clock)\w*|\btook\b")
MODEL = re.compile(r"(?i)predict|model|estimate|\b[a-z]\w*=\d[\d.]*e-?\d+\b|bound|roof|ideal|limit")
CARD = re.compile(r"\b(?:NVIDIA|GeForce|Quadro|Tesla|AMD Instinct|Radeon|Apple M\d)\s?\w*", re.I)
CHIP = re.compile(r"\b(?:GB|GH|[ABHLV])\d{2,3}s?\b|\bMI\d{3}\w*|\bRTX ?\d{4}")
ANSWERS = re.compile(
    r"(?i)generate|answer|chat|complet|reply|respond|\bask\b|engine|llm|decode|sampl|infer"
)
CLOCK_C = re.compile(
    r"\bchrono\b|clock_gettime|clock_t\b|\bCLOCKS_PER_SEC\b|[Ee]vent|gettimeofday|get_wtime|Wtime"
    r"|rdtsc|clock64|globaltimer|QueryPerformance|mach_absolute|GPUStartTime|steady_clock|timespec"
)
SAID_C = re.compile(
    r"\b(?:printf|puts|println|print)\b[^;]*?(\"[^\"\n]*%[^\"\n]*(?<![%\w])(?:[mnuµ]?s|seconds|[GMTk]i?B/s"
    r"|[GMT]?FLOPS?(?:/s)?|[GM]?op/s)\b[^\"\n]*\")|<<[^;\n]*(\"\s?(?:[mnuµ]s|[GMTk]i?B/s)\b[^\"\n]*\")"
)


def check(blocks: list, like_c: Set[str]) -> Iterator[Found]:
    """Yield what is wrong with the times, the machines and the answers of a page."""
    for one in blocks:
        if one.language == "python":
            for line, what, mend in _names(one.text):
                yield one, line, what, mend
        elif one.language in like_c and "shown" not in one.options:
            yield from _programs(one, blocks, like_c)
    if any(one.language == "pycon" for one in blocks):
        yield from _printed(blocks)


@functools.lru_cache(maxsize=4096)
def _names(text: str) -> tuple[tuple[int, str, str], ...]:
    """Return the names of clocks and of machines that some Python gives to something else."""
    found = []
    with suppress(SyntaxError):
        for statement in parse(text).body:
            bound: list[str] = []
            if isinstance(statement, ast.Assign):
                if isinstance(statement.value, ast.Name | ast.Attribute):
                    continue  # Event = cp.cuda.Event
                if isinstance(statement.value, ast.Call) and not _made_up(statement.value):
                    continue
                bound = [t.id for t in statement.targets if isinstance(t, ast.Name)]
            elif isinstance(statement, ast.FunctionDef | ast.ClassDef):
                if isinstance(statement, ast.FunctionDef) and _asks(statement):
                    continue
                bound = [statement.name]
            for name in bound:
                if name in KNOWN or MACHINE.match(name):
                    what = f"{name} is something else here than its reader knows"
                    found.append((statement.lineno - 1, what, OTHER.format(name)))
        for node in kinds(text, ast.Return) if COUNTED.search(text) else ():
            if isinstance(node.value, ast.Dict) and len(node.value.keys) > 1:
                for key, value in zip(node.value.keys, node.value.values, strict=True):
                    said = str(key.value) if isinstance(key, ast.Constant) else ""
                    if isinstance(value, ast.Constant) and COUNTED.fullmatch(f'"{said}"'):
                        what = f"{said} is given, and nothing counts it"
                        found.append((value.lineno - 1, what, "count it, or ask a profiler"))
    return tuple(found)


COUNTED = re.compile(
    r"[\"'](?:\w*_)?(?:occupancy|sectors|(?:bank_)?conflicts|hit_rate|stalls|throughput|replays"
    r"|bandwidth|tflops|gbps)[\"']"
)


def _made_up(call: ast.Call) -> bool:
    """Whether a call makes an object of whatever it gets, or a counter."""
    return name_of(call.func) in {"SimpleNamespace", "count", "cycle", "iter", "partial", "type"}


def _asks(function: ast.AST) -> bool:
    return any(name_of(n) in REAL for n in walk(function) if isinstance(n, ast.Attribute))


# ---------------------------------------------------------------- what sessions print


class _Page:
    """What the names of a page lead to."""

    def __init__(self) -> None:
        self.made: dict[str, set[str]] = {}  # a name and those that it was made of
        self.texts: dict[str, set[str]] = {}  # and the texts in it
        self.own: set[str] = set()  # functions and classes of the page

    def add(self, text: str) -> None:
        for statement in parse(text).body:
            inside = walk(statement)
            read = {
                "time.time" if isinstance(n, ast.Attribute) and n.attr == "time" else name_of(n)
                for n in inside
                if isinstance(n, ast.Name | ast.Attribute) and not _stores(n)
            }
            said = {
                n.value for n in inside if isinstance(n, ast.Constant) and isinstance(n.value, str)
            }
            if isinstance(statement, ast.Import):
                continue
            if isinstance(statement, ast.ImportFrom):
                for alias in statement.names:
                    self.made.setdefault(alias.asname or alias.name, set()).add(alias.name)
                continue
            if isinstance(statement, ast.FunctionDef | ast.ClassDef):
                targets = {n.name for n in inside if isinstance(n, ast.FunctionDef | ast.ClassDef)}
                self.own |= targets
                targets |= {
                    name_of(n) for n in inside if isinstance(n, ast.Attribute) and _stores(n)
                }
            else:
                targets = {
                    name_of(n)
                    for n in inside
                    if isinstance(n, ast.Name | ast.Attribute) and _stores(n)
                }
                if isinstance(statement, ast.Expr | ast.For | ast.With):
                    targets |= read  # a method may change what it is called on
            for name in targets:
                self.made.setdefault(name, set()).update(read - {name})
                self.texts.setdefault(name, set()).update(said)

    def behind(self, source: str) -> set[str]:
        """Return all names that an example leads to."""
        left = [name_of(n) for n in nodes(source) if isinstance(n, ast.Name | ast.Attribute)]
        found: set[str] = set()
        while left:
            name = left.pop()
            if name not in found:
                found.add(name)
                left += self.made.get(name, ())
        return found


def _stores(node: ast.AST) -> bool:
    return isinstance(getattr(node, "ctx", None), ast.Store)


def _printed(blocks: list) -> Iterator[Found]:
    page = _Page()
    for one in blocks:
        if one.language == "python":
            with suppress(SyntaxError, ValueError):
                page.add(one.text)
        if one.language != "pycon":
            continue
        try:
            examples = doctest.DocTestParser().get_examples(one.text)
        except ValueError:  # the block is told of its own
            continue
        for example in examples:
            with suppress(SyntaxError, ValueError):
                page.add(example.source)
                if example.exc_msg is None and example.want:
                    for what, mend in _told(example, page, one.text):
                        yield one, example.lineno, what, mend


def _told(example: doctest.Example, page: _Page, session: str) -> Iterator[tuple[str, str]]:
    source, want = example.source, example.want
    figure = re.search(r"(?<![\w.,])\d+(?:\.\d+|\d)", want)
    code = re.sub(r"(?m)\s#.*", "", source)
    times = figure and (SAYS_TIME.search(code) or SAYS_TIME.search(want) or _timed(want))
    card = CARD.search(want) or (CHIP.search(want) if "Device" in want else None)
    words = len(want.split()) > 3 and ANSWERS.search(source)
    if not (times or card or words):
        return
    behind = page.behind(source)
    measured = SAYS_TIME.search(code) or SAYS_TIME.search(want)
    if (
        figure
        and times
        and not MODEL.search(source if measured else session)
        and not behind & (REAL - page.own)
    ):
        if not any(MODEL.search(name) for name in behind):
            what = f"{figure[0]!r} is printed as a time, and comes from no clock"
            yield what, "time what runs: time.perf_counter() before it and behind it"
    told = set().union(*(page.texts.get(name, ()) for name in behind))
    if card and any(card[0] in text for text in told) and card[0] not in source:
        what = f"{card[0]!r} is printed, and stands as it is in a text above"
        yield what, "print what the machine says of itself"
    if words:
        plain = want.strip().strip("'\"")
        if any(plain in text for text in told) and plain not in source:
            what = "an answer is printed, and stands as it is in a text above"
            yield what, "let something compute it; or show it as a text of the page's own"


def _timed(want: str) -> bool:
    """Whether an output has a time in it, and nothing else than that and words."""
    return any(re.search(r"\d[\d.,]*\s?(?:[mnuµ]?s|seconds)$", n) for n in numbers.typed(want))


# ---------------------------------------------------------------- programs in C and its like


def _programs(one, blocks: list, like_c: Set[str]) -> Iterator[Found]:
    """Yield the lines of a program that print a time or a rate, where nothing reads a clock."""
    if "printf" not in one.text and "cout" not in one.text and "print" not in one.text:
        return
    found = SAID_C.search(one.text)
    if found and not any(
        CLOCK_C.search(other.text) for other in blocks if other.language in like_c
    ):
        what = f"{(found[1] or found[2])} is printed as measured, and no line reads a clock"
        yield one, one.text.count("\n", 0, found.start()), what, "time what runs with std::chrono"

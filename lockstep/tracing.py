"""Which lines of a page's sources were executed, and which parts of lines (``lockstep.branches``).

``sys.monitoring`` where Python has it (3.12), which tells each line once and then costs nothing;
``sys.settrace`` else. Compiled kernels have no lines here: that they were launched, a target says.
"""

import ast
import dis
import re
import sys
import threading
import time
from collections.abc import Callable, Iterable
from types import CodeType, FrameType
from typing import Any

from lockstep import branches, compilers
from lockstep.branches import Branch
from lockstep.mistakes import parse, walk

_traced = sys.gettrace  # a page gets another


class _Patient:
    """``sys``, for ``threading``, whose ``settrace`` waits for another thread's to be done.

    Before 3.12 two threads that begin at once may meet there: an audit hook runs inside, and the
    second is told that a trace function is being installed.
    """

    def __getattr__(self, name: str) -> Any:
        return getattr(sys, name)

    @staticmethod
    def settrace(function: Any) -> None:
        while True:
            try:
                return sys.settrace(function)
            except RuntimeError as error:
                if "being installed" not in str(error):
                    raise
                time.sleep(0.001)


class Tracer:
    """Notes the lines that run inside ``with tracer``, of the given files alone.

    And the parts of lines in ``parts``, by file.
    """

    def __init__(self, files: Iterable[str], parts: dict[str, set[Branch]] | None = None):
        self.files = frozenset(files)
        self.parts = parts or {}
        self.seen: set[tuple[str, int]] = set()
        self.told: set[tuple[str, int]] = set()
        self.ran: set[tuple[str, Branch]] = set()
        # Of the parts that have not run yet. By identity: two lambdas on a line may be equal.
        self._probes: dict[int, tuple[CodeType, dict[int, list[Branch]]]] = {}
        # Lines of each code that have not run yet. By identity: equal examples are equal code.
        self._left: dict[int, tuple[CodeType, set[int], dict, Callable, bool]] = {}
        # What ``watch`` was told of, by name and first line; and what it was not told of, such as a
        # template that a library compiles under the name of a page's file, by identity.
        self._known: dict[tuple[str, int], list[CodeType]] = {}
        self._alien: dict[int, tuple[CodeType, bool]] = {}
        self._monitoring = getattr(sys, "monitoring", None)
        # Checks that failed, by identity: the error, and the (file, line) that it passed through.
        self._failed: dict[int, tuple[BaseException, list[tuple[str, int]]]] = {}

    def take_failed(self) -> list[list[tuple[str, int]]]:
        """Return where checks failed since the last call: for each, what it passed through."""
        found, self._failed = self._failed, {}
        return [places for _, places in found.values()]

    def _fails(self, error: BaseException, file: str, line: int) -> None:
        if len(self._failed) < FAILURES or id(error) in self._failed:
            self._failed.setdefault(id(error), (error, []))[1].append((file, line))

    def take(self) -> list[list]:
        """Return the lines that are new since the last call, as [file, line]."""
        new = self.seen - self.told
        self.told |= new
        return [list(row) for row in sorted(new)]

    def take_parts(self) -> list[list]:
        """Return the parts of lines that are new since the last call, as [file, *place]."""
        new, self.ran = self.ran, set()
        return [[file, *branch] for file, branch in sorted(new)]

    def watch(self, code: CodeType) -> None:
        """Count lines of some code, and of what it holds, and look for parts of lines in it.

        No other code counts, whatever file it says that it is from.
        """
        for inner in branches.inside(code):
            self._known.setdefault((inner.co_name, inner.co_firstlineno), []).append(inner)
            if self._monitoring and inner.co_filename in self.parts and self._of(inner):
                events = self._monitoring.events.INSTRUCTION
                self._monitoring.set_local_events(self._tool(), inner, events)

    def _strange(self, code: CodeType) -> bool:
        """Whether some code is neither what ``watch`` was told of, nor a copy of that.

        Python copies a generator's code, with another flag, to make a coroutine of it, and PyTorch
        compiles a function into code of its own, of which it keeps a list.
        """
        if id(code) not in self._alien:
            known = self._known.get((code.co_name, code.co_firstlineno), ())
            own = any(of is code or of == code.replace(co_flags=of.co_flags) for of in known)
            torch = sys.modules.get("torch._dynamo.convert_frame")
            own = own or id(code) in getattr(getattr(torch, "output_codes", None), "seen_ids", ())
            self._alien[id(code)] = code, not own
        return self._alien[id(code)][1]

    def _of(self, code: CodeType) -> dict[int, list[Branch]]:
        """Return the parts of some code that have not run yet, by the offsets of instructions."""
        if id(code) not in self._probes:
            found = branches.probes(code, self.parts.get(code.co_filename, ()))
            self._probes[id(code)] = code, found
        return self._probes[id(code)][1]

    def _hit(self, code: CodeType, offset: int) -> None:
        known = self._of(code)
        done = known.get(offset)
        if done:
            self.ran |= {(code.co_filename, branch) for branch in done}
            for at, there in list(known.items()):
                left = [branch for branch in there if branch not in done]
                if left:
                    known[at] = left
                else:  # another thread may have been here: an error would end the trace
                    known.pop(at, None)

    # ------------------------------------------------------------ 3.12 and later

    def _tool(self) -> int:
        assert self._monitoring
        tool = self._monitoring.COVERAGE_ID
        if self._monitoring.get_tool(tool) is None:
            self._monitoring.use_tool_id(tool, "lockstep")
        return tool

    def _on_instruction(self, code: CodeType, offset: int):
        self._hit(code, offset)
        assert self._monitoring
        return self._monitoring.DISABLE

    def _on_line(self, code: CodeType, line: int):
        if code.co_filename in self.files and not self._strange(code):
            self.seen.add((code.co_filename, line))
        assert self._monitoring
        return self._monitoring.DISABLE

    def _on_raise(self, code: CodeType, offset: int, error: BaseException):
        if isinstance(error, AssertionError) and code.co_filename in self.files:
            line = next((n for a, b, n in code.co_lines() if a <= offset < b and n), 0)
            self._fails(error, code.co_filename, line)

    # ------------------------------------------------------------ before

    def _calls(self) -> Callable:
        """Return what is told of each call: nearly all are of a library's code, and cost the least.

        In a simulator there are several for each line of a kernel, so nothing is looked up in self.
        """
        files, follow = self.files, self._follow

        def on_call(frame: FrameType, event: str, argument):
            if frame.f_code.co_filename in files:
                return follow(frame)

        return on_call

    def _follow(self, frame: FrameType):
        """Return what is told of each line of a call of the given files' code, if one is left."""
        code = frame.f_code
        if self._strange(code):
            return None
        if id(code) not in self._left:
            left = {line for _, _, line in code.co_lines() if line}
            parts = self._of(code)
            lines = self._lines(code, left, parts)
            self._left[id(code)] = code, left, parts, lines, _checks(code)
        _, left, parts, on_line, checks = self._left[id(code)]
        if not left and not parts and not checks:
            return None
        left.discard(code.co_firstlineno)
        frame.f_trace_opcodes = bool(parts)
        return on_line

    def _lines(self, code: CodeType, left: set[int], parts: dict) -> Callable:
        seen, name, hit, fails = self.seen, code.co_filename, self._hit, self._fails
        ran: set[int] = set()

        def on_line(frame: FrameType, event: str, argument):
            if event == "line":
                line = frame.f_lineno
                if line not in ran:
                    ran.add(line)
                    seen.add((name, line))
                    left.discard(line)
                if not left:
                    frame.f_trace_lines = False
            elif event == "exception" and isinstance(argument[1], AssertionError):
                fails(argument[1], name, frame.f_lineno)
            elif event == "opcode" and frame.f_lasti in parts:
                hit(code, frame.f_lasti)
                frame.f_trace_opcodes = bool(parts)
            return on_line

        return on_line

    def __enter__(self):
        if self._monitoring:
            tool, events = self._tool(), self._monitoring.events
            self._monitoring.register_callback(tool, events.LINE, self._on_line)
            self._monitoring.register_callback(tool, events.INSTRUCTION, self._on_instruction)
            self._monitoring.register_callback(tool, events.RAISE, self._on_raise)
            self._monitoring.set_events(tool, events.LINE | events.RAISE)
        else:
            self._before = _traced()
            threading._sys = _Patient()  # type: ignore[attr-defined]
            on_call = self._calls()
            threading.settrace(on_call)
            sys.settrace(on_call)
        return self

    def __exit__(self, *error):
        if self._monitoring:
            self._monitoring.set_events(self._monitoring.COVERAGE_ID, 0)
        else:
            _Patient.settrace(self._before)
            threading.settrace(None)
            threading._sys = sys  # type: ignore[attr-defined]


FAILURES = 100  # of failed checks that are kept: each keeps what its lines held


def _checks(code: CodeType) -> bool:
    """Whether some code may begin the failure of a check: it asserts, or calls what does."""
    if any("assert" in name for name in code.co_names):
        return True
    return any(step.opname == "LOAD_ASSERTION_ERROR" for step in dis.get_instructions(code))


def heads(text: str, numbers: tuple[int, ...]) -> set[int]:
    """Return the lines on which a block begins its own definitions, and its imports."""
    try:
        tree = parse(text)
    except SyntaxError:
        return set()
    kinds = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Import, ast.ImportFrom)
    body = list(tree.body)
    body += [inner for s in tree.body if isinstance(s, ast.ClassDef) for inner in s.body]
    return {numbers[s.lineno - 1] for s in body if isinstance(s, kinds)}


def guards(text: str, numbers: tuple[int, ...]) -> set[int]:
    """Return the lines of a block that raise an error: those that a run should not reach."""
    try:
        tree = parse(text)
    except SyntaxError:
        return set()
    return {numbers[node.lineno - 1] for node in walk(tree) if isinstance(node, ast.Raise)}


def uncalled(text: str, others: str) -> list[str]:
    """Return the names of a block that defines functions alone, where no other text names one.

    For runs of which nobody noted the lines. Empty where the block does anything else.
    """
    try:
        body = parse(text).body
    except SyntaxError:
        return []
    kinds = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
    if not all(isinstance(s, (*kinds, ast.Import, ast.ImportFrom)) for s in body):
        return []
    names = [s.name for s in body if isinstance(s, kinds)]
    return [] if any(re.search(rf"\b{name}\b", others) for name in names) else names


def of_file(text: str, packages: Iterable[str]) -> set[int]:
    """Return the lines of a file of its own that can run, from 1."""
    numbers = tuple(range(1, text.count("\n") + 2))
    names = compilers.of_file(text, packages)
    return executable(text, numbers, names) - compilers.handed(text, names)


def executable(
    text: str, numbers: tuple[int, ...], compiled: compilers.Names = frozenset()
) -> set[int]:
    """Return the lines of a Python block that can run, as lines of its file.

    Docstrings and the heads of definitions do not count. ``compiled``: nor do bodies of functions
    that a decorator of these names takes to a compiler (``lockstep.compilers``).
    """
    try:
        tree = parse(text)
    except SyntaxError:
        return set()
    found: set[int] = set()

    def visit(body: list[ast.stmt]) -> None:
        for statement in body:
            constant = isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)
            if constant or isinstance(statement, ast.Global | ast.Nonlocal | ast.Pass):
                continue
            if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
                found.add(statement.lineno)
                if not compilers.takes(statement, compiled):
                    visit(statement.body)
                continue
            found.add(statement.lineno)
            for name in ("body", "orelse", "finalbody"):
                visit(getattr(statement, name, []))
            for handler in getattr(statement, "handlers", []):
                visit(handler.body)
            for case in getattr(statement, "cases", []):
                visit(case.body)

    visit(tree.body)
    return {numbers[line - 1] for line in found if line <= len(numbers)}

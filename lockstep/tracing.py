"""Which lines of a page's sources were executed.

``sys.monitoring`` where Python has it (3.12), which tells each line once and then costs nothing;
``sys.settrace`` else. Compiled kernels have no lines here: that they were launched, a target says.
"""

import ast
import re
import sys
import threading
from collections.abc import Iterable
from types import CodeType, FrameType


class Tracer:
    """Notes the lines that run inside ``with tracer``, of the given files alone."""

    def __init__(self, files: Iterable[str]):
        self.files = frozenset(files)
        self.seen: set[tuple[str, int]] = set()
        self.told: set[tuple[str, int]] = set()
        self._left: dict[CodeType, set[int]] = {}  # lines of each code that have not run yet
        self._monitoring = getattr(sys, "monitoring", None)

    def take(self) -> list[list]:
        """Return the lines that are new since the last call, as [file, line]."""
        new = self.seen - self.told
        self.told |= new
        return [list(row) for row in sorted(new)]

    # ------------------------------------------------------------ 3.12 and later

    def _on_line(self, code: CodeType, line: int):
        if code.co_filename in self.files:
            self.seen.add((code.co_filename, line))
        assert self._monitoring
        return self._monitoring.DISABLE

    # ------------------------------------------------------------ before

    def _on_call(self, frame: FrameType, event: str, argument):
        code = frame.f_code
        if code.co_filename not in self.files:
            return None
        left = self._left.get(code)
        if left is None:
            left = {line for _, _, line in code.co_lines() if line}
            self._left[code] = left
        if not left:
            return None
        seen, name = self.seen, code.co_filename
        if event == "call":
            left.discard(code.co_firstlineno)

        def on_line(frame: FrameType, event: str, argument):
            if event == "line":
                line = frame.f_lineno
                seen.add((name, line))
                left.discard(line)
                if not left:
                    frame.f_trace_lines = False
            return on_line

        return on_line

    def __enter__(self):
        if self._monitoring:
            tool = self._monitoring.COVERAGE_ID
            if self._monitoring.get_tool(tool) is None:
                self._monitoring.use_tool_id(tool, "lockstep")
            events = self._monitoring.events.LINE
            self._monitoring.register_callback(tool, events, self._on_line)
            self._monitoring.set_events(tool, events)
        else:
            self._before = sys.gettrace()
            threading.settrace(self._on_call)
            sys.settrace(self._on_call)
        return self

    def __exit__(self, *error):
        if self._monitoring:
            self._monitoring.set_events(self._monitoring.COVERAGE_ID, 0)
        else:
            sys.settrace(self._before)
            threading.settrace(None)


def heads(text: str, numbers: tuple[int, ...]) -> set[int]:
    """Return the lines on which a block begins its own definitions, and its imports."""
    try:
        tree = ast.parse(text)
    except SyntaxError:
        return set()
    kinds = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Import, ast.ImportFrom)
    body = list(tree.body)
    body += [inner for s in tree.body if isinstance(s, ast.ClassDef) for inner in s.body]
    return {numbers[s.lineno - 1] for s in body if isinstance(s, kinds)}


def guards(text: str, numbers: tuple[int, ...]) -> set[int]:
    """Return the lines of a block that raise an error: those that a run should not reach."""
    try:
        tree = ast.parse(text)
    except SyntaxError:
        return set()
    return {numbers[node.lineno - 1] for node in ast.walk(tree) if isinstance(node, ast.Raise)}


def uncalled(text: str, others: str) -> list[str]:
    """Return the names of a block that defines functions alone, where no other text names one.

    For runs of which nobody noted the lines. Empty where the block does anything else.
    """
    try:
        body = ast.parse(text).body
    except SyntaxError:
        return []
    kinds = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
    if not all(isinstance(s, (*kinds, ast.Import, ast.ImportFrom)) for s in body):
        return []
    names = [s.name for s in body if isinstance(s, kinds)]
    return [] if any(re.search(rf"\b{name}\b", others) for name in names) else names


def executable(text: str, numbers: tuple[int, ...], compiled: bool = False) -> set[int]:
    """Return the lines of a Python block that can run, as lines of its file.

    Docstrings and the heads of definitions do not count. ``compiled``: nor do bodies of functions
    that a decorator compiles for a GPU, which Python does not run.
    """
    try:
        tree = ast.parse(text)
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
                jitted = any("jit" in ast.dump(d) for d in statement.decorator_list)
                if not (compiled and jitted):
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

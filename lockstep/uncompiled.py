"""Code in a text that nothing compiles: a kernel in quotes, below the stamp of a run.

The line that gives such a text a name runs, and proves nothing of what the text says. So what looks
like a program in quotes must reach a call that takes programs: by its name, through functions of
the page, in a file that is written. A block that only shows it says so, with ``unrun``.
"""

import ast
import doctest
import functools
import re
import textwrap
from collections.abc import Iterator
from contextlib import suppress

from lockstep.mistakes import kinds, nodes, parse, walk
from lockstep.vacuous import name_of

Found = tuple  # (block, line from 0, what, how to mend it)

# CUDA C++, PTX and their like. Of Python, the parser says.
PROGRAM = re.compile(
    r"__(?:global|device|kernel|shared)__\b|\bextern\s+\"C\"|\bkernel\s+void\b|@compute\b"
    r"|^\s*\.(?:visible|entry|func|version|reg|target)\s|\.visible\s+\.(?:entry|func)\b"
    r"|^\s*#include\b|\bfunc\.func\s+@|^define\s.*@\w+\(|<<<[^<>]*>>>\s*\(",
    re.MULTILINE,
)
LINES = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.For | ast.While | ast.With
LIKE_PYTHON = re.compile(r"^\s*(?:@\w|(?:async )?def \w|class \w|for .*:|while .*:|with .*:)", re.M)
# What a call is named that has a program compiled, loaded, run, or written to be so.
TAKES = re.compile(
    r"(?i)compil|kernel|module|program|nvrtc|exec|eval|shader|load|inline|asm|\bjit|intrinsic|library"
    r"|^(?:run|call|popen|source|parse|parse_\w+|write\w*|dump|check_\w+|Popen|getoutput|system"
    r"|communicate|input|send\w*|feed)$"
)
# What looks at a text, and hands nothing of it on.
LOOKS = set(
    "len count find rfind index rindex startswith endswith hash bool isinstance type".split()
)
LOOKS |= set(
    "ord id print isidentifier all any sum min max issubset fullmatch search match".split()
)
QUOTES = re.compile(rf"'''|\"\"\"|\\\\n|{PROGRAM.pattern}", re.MULTILINE)
NEVER = "code in a text, which no call of this page takes to a compiler"
HAND = 'compile and run it; or say on the fence why it is only shown: unrun="reason"'


def check(blocks: list) -> Iterator[Found]:
    """Yield the texts of a page that look like programs, and that nothing runs."""
    page: _Flow | None = None  # of its blocks together; a file is a program by itself
    for one in blocks:
        if {"shown", "unrun"} & one.options.keys() or not QUOTES.search(one.text):
            continue
        with suppress(SyntaxError, ValueError):  # each block is told of its own
            for text, at in _sources(one):
                for place in _programs(text):
                    if "file" in one.options:
                        flow = _Flow([text])
                    else:
                        others = (other for other in blocks if "file" not in other.options)
                        page = page or _Flow([t for other in others for t, _ in _sources(other)])
                        flow = page
                    if not flow.arrives(text, place):
                        yield one, at + place[0] - 1, NEVER, HAND


def _sources(block) -> list[tuple[str, int]]:
    """Return the Python of a block, of a session each of its examples, with their first lines."""
    if block.language == "pycon":
        examples = doctest.DocTestParser().get_examples(block.text)
        return [(e.source, e.lineno) for e in examples]
    return [(block.text, 0)] if block.language == "python" else []


@functools.lru_cache(maxsize=4096)
def _programs(text: str) -> tuple[tuple[int, int], ...]:
    """Return where. Trees are kept for a while, so a node now may not be of the tree of then."""
    if not QUOTES.search(text):
        return ()
    said = set(map(id, _docstrings(text)))
    return tuple(
        (node.lineno, node.col_offset)
        for node in kinds(text, ast.Constant)
        if isinstance(node.value, str) and _program(node.value, id(node) in said)
    )


def _docstrings(text: str) -> Iterator[ast.expr]:
    for node in nodes(text):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.Module):
            if node.body and isinstance(node.body[0], ast.Expr):
                yield node.body[0].value


def _program(said: str, docstring: bool) -> bool:
    if PROGRAM.search(said):
        return not docstring and len(said.split()) > 3
    if "\n" not in said.strip() or not LIKE_PYTHON.search(said):
        return False
    try:
        return any(isinstance(node, LINES) for node in parse(textwrap.dedent(said)).body)
    except (SyntaxError, ValueError, RecursionError):
        return False


class _Flow:
    """Where values go, by the names that they get: a guess, and rather too wide."""

    def __init__(self, texts: list[str]):
        self.above: dict[int, ast.AST] = {}
        self.texts: dict[tuple[str, tuple[int, int]], ast.Constant] = {}
        self.read: dict[str, list[ast.AST]] = {}
        self.functions: dict[str, list[ast.FunctionDef]] = {}
        for text in texts:
            with suppress(SyntaxError):
                for node in nodes(text):
                    for child in ast.iter_child_nodes(node):
                        self.above[id(child)] = node
                    if isinstance(node, ast.Constant):
                        self.texts[text, (node.lineno, node.col_offset)] = node
                    elif isinstance(node, ast.Name | ast.Attribute):
                        if isinstance(node.ctx, ast.Load):
                            self.read.setdefault(name_of(node), []).append(node)
                    elif isinstance(node, ast.FunctionDef):
                        self.functions.setdefault(node.name, []).append(node)
                    elif isinstance(node, ast.ClassDef):
                        inits = [n for n in node.body if getattr(n, "name", "") == "__init__"]
                        self.functions.setdefault(node.name, []).extend(inits)  # type: ignore[arg-type]

    def arrives(self, text: str, place: tuple[int, int]) -> bool:
        """Whether the text at a place of a source gets to a call that takes programs."""
        left: list[ast.AST] = [self.texts[text, place]]
        names = set[str]()
        while left:
            found = self._climb(left.pop())
            if found is None:
                return True
            for name in found - names:
                names.add(name)
                left += self.read.get(name, ())
        return False

    def _climb(self, node: ast.AST) -> set[str] | None:
        """Return the names that get what a node says; None where a program is taken."""
        names: set[str] = set()
        while (above := self.above.get(id(node))) is not None:
            if isinstance(above, ast.Call) and node is not above.func:
                name = name_of(above.func)
                if name in self.functions:
                    for function in self.functions[name]:
                        asked = function.args
                        names |= {
                            a.arg for a in (*asked.posonlyargs, *asked.args, *asked.kwonlyargs)
                        }
                elif name in LOOKS:
                    return names
                elif TAKES.search(name) or TAKES.search(ast.unparse(above.func)):
                    return None
            elif isinstance(above, ast.Call) and name_of(above.func) in LOOKS:
                return names  # a method of the text
            elif isinstance(above, ast.Compare | ast.Assert | ast.Expr):
                return names
            elif isinstance(above, ast.IfExp) and node is above.test:
                return names
            elif isinstance(above, ast.Return):
                while above is not None and not isinstance(above, ast.FunctionDef):
                    above = self.above.get(id(above))
                return names | ({above.name} if above else set())
            elif isinstance(above, ast.keyword) and TAKES.search(above.arg or ""):
                pass
            elif isinstance(above, ast.FunctionDef):  # a decorator, or what a parameter is without
                return names | {a.arg for a in above.args.args}
            elif isinstance(above, ast.stmt | ast.NamedExpr | ast.comprehension | ast.withitem):
                targets = [getattr(above, n, None) for n in ("target", "optional_vars")]
                for target in (*getattr(above, "targets", ()), *filter(None, targets)):
                    for inner in walk(target):
                        if isinstance(inner, ast.Name | ast.Attribute) and name_of(inner):
                            names.add(name_of(inner))
                if isinstance(above, ast.stmt):
                    return names
            node = above
        return names

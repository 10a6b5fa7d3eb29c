"""What is wrong, where, and how to mend it: the one shape of every refusal."""

import ast
import functools
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Mistake:
    """One thing that is wrong, where, and how to mend it."""

    path: str
    line: int
    what: str
    mend: str

    def __str__(self) -> str:
        return f"{self.path}:{self.line}: {self.what}. To mend: {self.mend}."


class PageError(Exception):
    """Something breaks the promise. ``mistakes`` says where and how to mend it.

    ``page``: the page that has them (``lockstep.block.Page``), as far as it could be read.
    """

    def __init__(self, mistakes: list[Mistake], page: Any = None):
        super().__init__("\n".join(map(str, mistakes)))
        self.mistakes, self.page = mistakes, page


@functools.lru_cache(maxsize=8192)
def parse(text: str) -> ast.Module:
    """Parse Python. Raises ``SyntaxError`` for whatever is none, or is nested too deeply.

    Several rules ask for the tree of the same text: nobody changes one.
    """
    try:
        return ast.parse(text)
    except (RecursionError, MemoryError):
        raise SyntaxError("it is nested too deeply") from None
    except ValueError as error:
        raise SyntaxError(str(error)) from None


def nodes(text: str) -> list[ast.AST]:
    """Return all nodes of the tree of a text, as ``walk`` does."""
    return walk(parse(text))


def kinds(text: str, *wanted: type) -> list:
    """Return the nodes of some kinds in the tree of a text, each kind in the order of ``walk``.

    They are those of ``nodes``: kept with the tree, since rules know a node by its identity.
    """
    tree = parse(text)
    known: dict[type, list] = vars(tree).setdefault("sorted", {})
    if not known:
        for node in walk(tree):
            known.setdefault(node.__class__, []).append(node)
    return [node for kind in wanted for node in known.get(kind, ())]


def walk(node: ast.AST) -> list[ast.AST]:
    """Return a node and all below it, in the order of ``ast.walk`` and in half of its time.

    Without the contexts of names (``ast.Load``), which are nodes, too, and say nothing alone.
    Nobody changes the list, nor the tree.
    """
    if node.__class__ is ast.Module and "walked" in vars(node):
        return vars(node)["walked"]
    found = [node]
    for one in found:  # which grows meanwhile
        kind = one.__class__
        if kind not in _below:
            _below[kind] = [name for name in kind._fields if name not in BARE]
        for name in _below[kind]:
            value = getattr(one, name, None)
            if value.__class__ is list:
                found += [child for child in value if isinstance(child, ast.AST)]
            elif isinstance(value, ast.AST):
                found.append(value)
    if node.__class__ is ast.Module:  # several rules look at each
        vars(node)["walked"] = found
    return found


# Fields that hold a text or a number in every kind of node
BARE = {"ctx", "id", "attr", "arg", "kind", "lineno", "level", "conversion", "simple", "is_async"}
_below: dict[type[ast.AST], list[str]] = {ast.Constant: []}


class Failed(Exception):
    """A block did not do what the page says; the text names file, line and what happened."""

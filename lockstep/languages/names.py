"""The names that Python code reads and binds: what one block of a page needs of another."""

import ast
import contextlib
import doctest
import functools
import symtable

from lockstep.block import Block
from lockstep.imports import imports as imports_of
from lockstep.mistakes import parse, walk


@functools.cache
def trees(block: Block) -> list[ast.Module]:
    """Return the Python of a block as trees, one for each example of a doctest."""
    if block.language == "pycon":
        examples = doctest.DocTestParser().get_examples(block.text)
        sources = [e.source for e in examples]
    elif block.language == "python":
        sources = [block.text]
    else:
        return []
    found = []
    for source in sources:
        with contextlib.suppress(SyntaxError):  # running the block reports it, with its line
            found.append(parse(source))
    return found


@functools.cache
def code(block: Block) -> str:
    """Return the Python of a block at its own lines: of a doctest its examples, without prompts."""
    if block.language != "pycon":
        return block.text
    rows = [""] * (block.text.count("\n") + 1)
    for example in doctest.DocTestParser().get_examples(block.text):
        with contextlib.suppress(SyntaxError):  # an error may be what it shows
            parse(example.source)
            source = example.source.rstrip("\n").split("\n")
            rows[example.lineno : example.lineno + len(source)] = source
    return "\n".join(rows)


def traced(block: Block) -> bool:
    """Whether a run of a block notes which of its lines ran, and which parts of them."""
    return block.language in {"python", "pycon"} and "file" not in block.options


@functools.cache
def modules(block: Block) -> list[str]:
    """Return the modules that a block imports, by their dotted names."""
    found = []
    for tree in trees(block):
        for node in imports_of(tree):
            if isinstance(node, ast.Import):
                found += [alias.name for alias in node.names]
            elif node.module:
                found.append(node.module)
    return found


@functools.cache
def imports(block: Block) -> set[str]:
    """Return the top packages that a block imports."""
    return {name.split(".")[0] for name in modules(block)}


class _Generators(ast.NodeTransformer):
    """Comprehensions as generators, which have a scope of their own in every Python.

    From Python 3.12 on, the table around a list's comprehension holds its variables, too.
    """

    def visit_ListComp(self, node):
        return self.generic_visit(ast.GeneratorExp(node.elt, node.generators))

    visit_SetComp = visit_ListComp

    def visit_DictComp(self, node):
        pair = ast.Tuple([node.key, node.value], ast.Load())
        return self.generic_visit(ast.GeneratorExp(pair, node.generators))


@functools.cache
def names_read(statement: ast.stmt) -> set[str]:
    """Return the names that a statement reads from outside its own functions."""
    found = set()
    tree = _Generators().visit(ast.parse(ast.unparse(statement)))
    tables = [symtable.symtable(ast.unparse(tree), "<block>", "exec")]
    while tables:
        table = tables.pop()
        top = table.get_type() == "module"
        for symbol in table.get_symbols():
            if symbol.is_referenced() and (top or symbol.is_global()):
                found.add(symbol.get_name())
        tables += table.get_children()
    return found


def bound(block: Block) -> set[str]:
    """Return the names that a block binds at its top level."""
    return {n for tree in trees(block) for stmt in tree.body for n in names_bound(stmt)}


def names_bound(statement: ast.stmt) -> set[str]:
    """Return the names that a statement binds in the page's namespace."""
    if isinstance(statement, ast.FunctionDef | ast.ClassDef):
        return {statement.name}
    if isinstance(statement, ast.Import | ast.ImportFrom):
        return {(a.asname or a.name).split(".")[0] for a in statement.names}
    return {
        n.id for n in walk(statement) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)
    }

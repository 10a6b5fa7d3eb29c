"""Where a function's source text is, and its syntax tree."""

import ast
import linecache

from .faults import Unsupported

_texts = {}  # filename -> source text that is in no file
_trees = {}  # filename -> (text, tree)


def remember(filename, text, first_line=1):
    """Tell the stepper (and Python's tracebacks) the source of code that is in no file.

    ``filename`` is what was given to compile(). A piece that does not begin in line 1, such as one
    block of a page, is put into what is known of the file already; a text from line 1 on replaces
    it.
    """
    lines = text.splitlines(keepends=True)
    if first_line > 1:
        known = _texts.get(filename, "").splitlines(keepends=True)
        known += ["\n"] * (first_line - 1 + len(lines) - len(known))
        known[first_line - 1 : first_line - 1 + len(lines)] = lines
        lines = known
    _texts[filename] = text = "".join(lines)
    linecache.cache[filename] = (len(text), None, lines, filename)


def _tree(filename):
    text = _texts.get(filename)
    if text is None:
        text = "".join(linecache.getlines(filename))
    if not text:
        raise Unsupported("a function whose source text is unknown", filename=filename)
    known = _trees.get(filename)
    if known is None or known[0] != text:
        known = _trees[filename] = (text, ast.parse(text))
    return known[1]


class Source:
    """A kernel or device function: its tree, its file, and what its free names mean.

    ``fn`` is the plain Python function.
    """

    def __init__(self, fn):
        code = fn.__code__
        self.function, self.name, self.filename = fn, fn.__name__, code.co_filename
        self.node = self._find(code)
        args = self.node.args
        if args.vararg or args.kwarg or args.kwonlyargs:
            raise Unsupported(
                f"`{self.name}`: parameters with * or **", self.node.lineno, self.filename
            )
        self.params = [a.arg for a in args.posonlyargs + args.args]
        defaults = fn.__defaults__ or ()
        last = self.params[len(self.params) - len(defaults) :]
        self.defaults = dict(zip(last, defaults, strict=True))
        self.updates = updates(self.node)

    def _find(self, code):
        if code.co_name == "<lambda>":
            raise Unsupported("a lambda as a kernel", code.co_firstlineno, code.co_filename)
        for node in ast.walk(_tree(code.co_filename)):
            if isinstance(node, ast.FunctionDef) and node.name == code.co_name:
                first = min([node.lineno, *(d.lineno for d in node.decorator_list)])
                if first == code.co_firstlineno:
                    return node
        raise Unsupported(
            f"`{code.co_name}`: its source is not where Python says it is",
            code.co_firstlineno,
            code.co_filename,
        )

    def lookup(self, name):
        """(True, object) that a free name means in this function, or (False, None)."""
        fn = self.function
        free = fn.__code__.co_freevars
        if name in free:
            try:
                return True, fn.__closure__[free.index(name)].cell_contents
            except ValueError:
                return False, None
        if name in fn.__globals__:
            return True, fn.__globals__[name]
        builtins = fn.__globals__.get("__builtins__", {})
        builtins = builtins if isinstance(builtins, dict) else vars(builtins)
        return (True, builtins[name]) if name in builtins else (False, None)


def updates(function):
    """The targets (by id) of stores whose value was made of what the same element held before.

    ``counts[i] = old + 1`` is one if ``old = counts[i]`` stands anywhere in the function. Names are
    followed through all their assignments, in whatever order; elements are compared as text.
    """
    made = {}  # name -> (names and elements) that its values are made of

    def parts(node):
        names = {n.id for n in ast.walk(node) if isinstance(n, ast.Name)}
        return names, {ast.unparse(n) for n in ast.walk(node) if isinstance(n, ast.Subscript)}

    stores = []
    for node in ast.walk(function):
        if isinstance(node, ast.Assign | ast.AugAssign | ast.NamedExpr):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            for target in targets:
                if isinstance(target, ast.Name):
                    names, elements = made.setdefault(target.id, (set(), set()))
                    more = parts(node.value)
                    names |= more[0]
                    elements |= more[1]
                elif isinstance(target, ast.Subscript):
                    stores.append((target, node))
    found = set()
    for target, node in stores:
        names, elements = parts(node.value)
        seen, left = set(), set(names)
        while left:
            name = left.pop()
            if name not in seen and name in made:
                seen.add(name)
                left |= made[name][0]
                elements |= made[name][1]
        if isinstance(node, ast.AugAssign) or ast.unparse(target) in elements:
            found.add(id(target))
    return found

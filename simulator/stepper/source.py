"""Where a function's source text is, and its syntax tree."""

import ast
import linecache
import sys
from collections import OrderedDict

from .faults import Unsupported

_texts = {}  # filename -> source text that is in no file
_trees = {}  # filename -> (text, tree)
_strings = OrderedDict()  # texts that exec() was given, with a function in them; the last ones
_listening = False
STRINGS = 500


def listen():
    """From now on, keep what ``exec`` is given as text: no file holds the kernels in it."""
    global _listening
    if _listening or not hasattr(sys, "addaudithook"):
        return
    _listening = True
    given = getattr(sys, "orig_argv", [])
    if "-c" in given[:-1]:
        _strings[given[given.index("-c") + 1]] = None

    def hook(event, args):
        if event == "compile" and args[1] == "<string>" and args[0]:
            text = args[0]
            if isinstance(text, bytes):
                text = text.decode("utf-8", "replace")
            if isinstance(text, str) and "def " in text:
                _strings[text] = None
                _strings.move_to_end(text)
                if len(_strings) > STRINGS:
                    _strings.popitem(last=False)

    sys.addaudithook(hook)


def _from_strings(code):
    """The tree of the text given to ``exec`` that made ``code``, or None."""
    for text in list(reversed(_strings)):
        if code.co_name not in text:
            continue
        try:
            left = [compile(text, code.co_filename, "exec")]
            tree = ast.parse(text)
        except SyntaxError:
            continue
        while left:
            made = left.pop()
            if made == code:
                return tree
            left += [c for c in made.co_consts if hasattr(c, "co_code")]
    return None


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
        linecache.checkcache(filename)  # the file may have been written anew
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
        self.function, self.name, self.filename = fn, fn.__name__.strip("<>"), code.co_filename
        self.function_module = fn.__module__
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
        self.updates, self.sources = stores_of(self.node)
        self.remedies, self.tests = remedies(self.node)

    def _find(self, code):
        tree = _from_strings(code) if code.co_filename == "<string>" else None
        tree = tree or _tree(code.co_filename)
        if code.co_name == "<lambda>":
            return lambda_of(tree, code)
        for node in ast.walk(tree):
            kinds = ast.FunctionDef | ast.AsyncFunctionDef
            if isinstance(node, kinds) and node.name == code.co_name:
                first = min([node.lineno, *(d.lineno for d in node.decorator_list)])
                if first == code.co_firstlineno:
                    if isinstance(node, ast.AsyncFunctionDef):
                        raise Unsupported("`async def` as a kernel", node.lineno, code.co_filename)
                    return node
        raise Unsupported(
            f"`{code.co_name}`: its source is not where Python says it is",
            code.co_firstlineno,
            code.co_filename,
        )

    def varied(self, target):
        """The arrays from which different threads take what they store at ``target``."""
        return self.sources.get(id(target), frozenset())

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


def lambda_of(tree, code):
    """The function whose code a lambda's is, as a definition."""
    line = code.co_firstlineno
    found = [n for n in ast.walk(tree) if isinstance(n, ast.Lambda) and n.lineno == line]
    if len(found) > 1:  # several in one line: the smallest that all instructions lie in
        spots = [(a, c, b, d) for a, b, c, d in code.co_positions() if c is not None]
        spots = [s for s in spots if s[2:] > s[:2]]  # but those of no width, which begin and end it
        found = [n for n in found if all(lies_in(s, n.body) for s in spots)]
        found.sort(key=lambda n: len(list(ast.walk(n))))
    if not found:
        raise Unsupported("a lambda of which the source is not clear", line, code.co_filename)
    node = found[0]
    body = ast.copy_location(ast.Return(node.body), node.body)
    made = ast.FunctionDef("lambda", node.args, [body], [], None, None)
    return ast.fix_missing_locations(ast.copy_location(made, node))


def lies_in(spot, node):
    """Whether a place (line, column, line, column) is in a node."""
    first, last = (node.lineno, node.col_offset), (node.end_lineno, node.end_col_offset)
    return first <= spot[:2] and spot[2:] <= last


def stores_of(function):
    """What is known of a function's stores: (updates, sources).

    ``updates``: target (by id) whose value was made of what the same element held before -> the
    lines in which that was read. ``counts[i] = old + 1`` is one if ``old = counts[i]`` stands
    anywhere in the function.

    ``sources``: target (by id) -> the arrays of whose elements the value is made, where threads
    take different elements: ``a`` for ``out[i // 2] = a[i]`` with ``i = cuda.grid(1)``, nothing for
    ``done[0] = 1`` or ``out[0] = total[0]``.

    Names are followed through all their assignments, in whatever order; elements compare as text.
    """
    made = {}  # name -> the expressions that its values are made of
    stores = []
    for node in ast.walk(function):
        if isinstance(node, ast.Assign | ast.AugAssign | ast.NamedExpr):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            for target in targets:
                parts = target.elts if isinstance(target, ast.Tuple | ast.List) else [target]
                for part in parts:
                    if isinstance(part, ast.Name):
                        made.setdefault(part.id, []).append(node.value)
                    elif isinstance(part, ast.Subscript | ast.Attribute):
                        stores.append((part, node))
        elif isinstance(node, ast.For):
            for part in ast.walk(node.target):
                if isinstance(part, ast.Name):
                    made.setdefault(part.id, []).append(node.iter)
    if not stores:
        return {}, {}

    def reached(expression):
        """Everything that an expression is made of, through names."""
        seen, left, nodes = set(), [expression], []
        while left:
            for n in ast.walk(left.pop()):
                nodes.append(n)
                if isinstance(n, ast.Name) and n.id not in seen:
                    seen.add(n.id)
                    left += made.get(n.id, ())
        return nodes

    threadwise = {}

    def differs(expression):
        """Whether an expression is made of the thread's place in the grid."""
        key = id(expression)
        if key not in threadwise:
            threadwise[key] = any(
                isinstance(n, ast.Attribute)
                and n.attr in PLACES
                or isinstance(n, ast.Name)
                and n.id in PLACES
                for n in reached(expression)
            )
        return threadwise[key]

    updates, sources = {}, {}
    for target, node in stores:
        nodes = reached(node.value)
        elements = [n for n in nodes if isinstance(n, ast.Subscript)]
        text = ast.unparse(target)
        lines = {n.lineno for n in elements if ast.unparse(n) == text}
        if isinstance(node, ast.AugAssign):
            lines.add(target.lineno)
        if lines:
            updates[id(target)] = frozenset(lines)
        found = {ast.unparse(n.value) for n in elements if differs(n.slice)}
        if found:
            sources[id(target)] = frozenset(found)
    return updates, sources


def remedies(function):
    """Two of a target (by id) of a read-modify-write: the atomic operation that does the same, and
    of ``if h[0] < x: h[0] = x`` the lines in which the element is compared.

    Names that are assigned once stand for their value: ``old = h[i]``, then ``h[i] = old + 1``.
    """
    found, tests, made_of = {}, {}, {}
    for node in ast.walk(function):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            made_of[node.id] = None if node.id in made_of else node
    once = {
        node.targets[0].id: node.value
        for node in ast.walk(function)
        if isinstance(node, ast.Assign) and made_of.get(getattr(node.targets[0], "id", None))
    }

    def behind(expression):
        seen = set()
        while isinstance(expression, ast.Name) and expression.id in once.keys() - seen:
            seen.add(expression.id)
            expression = once[expression.id]
        return expression

    for node in ast.walk(function):
        target = value = op = None
        if isinstance(node, ast.If) and isinstance(node.test, ast.Compare):
            target, value, op, line = larger(node, behind)
            if target:
                tests[id(target)] = frozenset({node.lineno, line})
        elif isinstance(node, ast.AugAssign):
            target, value, op = node.target, node.value, type(node.op)
        elif isinstance(node, ast.Assign) and len(node.targets) == 1:
            target, made = node.targets[0], behind(node.value)
            text = ast.unparse(target)
            if isinstance(made, ast.BinOp):
                op = type(made.op)
                if ast.unparse(behind(made.left)) == text:
                    value = made.right
                elif ast.unparse(behind(made.right)) == text and op is not ast.Sub:
                    value = made.left
            elif isinstance(made, ast.IfExp) and isinstance(made.test, ast.Compare):
                value, op = larger_of(made, text, behind)
            elif isinstance(made, ast.Call) and len(made.args) == 2:
                op = ast.unparse(made.func)
                rest = [a for a in made.args if ast.unparse(behind(a)) != text]
                value = rest[0] if len(rest) == 1 else None
        name = ATOMICS.get(op)
        if isinstance(target, ast.Subscript | ast.Attribute) and value is not None and name:
            array, index = element(target)
            if array:
                found[id(target)] = f"cuda.atomic.{name}({array}, {index}, {ast.unparse(value)})"
    return found, tests


def larger(node, behind):
    """``if h[0] < x: h[0] = x``, alone: (the target, x, "max" or "min", the line that reads)."""
    none = None, None, None, 0
    if len(node.body) != 1 or node.orelse or not isinstance(node.body[0], ast.Assign):
        return none
    inner = node.body[0]
    op, read = compared(node.test, ast.unparse(inner.targets[0]), inner.value, behind)
    return (inner.targets[0], inner.value, op, read.lineno) if op else none


def larger_of(node, text, behind):
    """``x if x > h[0] else h[0]``, where ``h[0]`` is ``text``: (x, "max" or "min")."""
    kept = [ast.unparse(behind(part)) == text for part in (node.body, node.orelse)]
    if sum(kept) != 1:
        return None, None
    value = node.orelse if kept[0] else node.body
    op, _ = compared(node.test, text, value, behind)
    if op and kept[0]:  # the value is taken where the test does not hold
        op = {"max": "min", "min": "max"}[op]
    return value if op else None, op


def compared(test, goal, value, behind):
    """What the greater of the two makes of a test of an element with ``value``, and its node."""
    less = type(test.ops[0]) in (ast.Lt, ast.LtE)
    if len(test.ops) != 1 or not less and type(test.ops[0]) not in (ast.Gt, ast.GtE):
        return None, None
    sides = [test.left, test.comparators[0]]
    texts = [ast.unparse(behind(side)) for side in sides]
    value = ast.unparse(behind(value))
    if sorted(texts) != sorted((goal, value)) or goal == value:
        return None, None
    at = texts.index(goal)
    return "max" if less == (at == 0) else "min", behind(sides[at])


def element(target):
    """(array, index) of an element as an atomic operation takes them; of a record's field, too."""
    inner = target.value
    if isinstance(target, ast.Attribute):
        field = repr(target.attr)
    elif isinstance(target.slice, ast.Constant) and isinstance(target.slice.value, str):
        field = repr(target.slice.value)
    else:
        inner, field = target, ""
    if not isinstance(inner, ast.Subscript):
        return None, None
    array, index = ast.unparse(inner.value), ast.unparse(inner.slice)
    if isinstance(inner.slice, ast.Tuple):
        index = f"({index.strip('()')})"
    return f"{array}[{field}]" if field else array, index


ATOMICS = {ast.Add: "add", ast.Sub: "sub", ast.BitAnd: "and_", ast.BitOr: "or_"}
ATOMICS |= {ast.BitXor: "xor", "max": "max", "min": "min"}

# Names by which a thread learns where it is in the grid, and operations that tell threads apart.
PLACES = {"threadIdx", "blockIdx", "grid", "laneid", "atomic"}

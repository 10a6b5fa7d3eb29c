"""One Numba kernel of others in the stepper, with every check: ``kernels.py`` counts them.

A kernel is taken out of its file, or out of the code cells of its notebook, with what it names
there: functions, constants and imports. Nothing else of the file runs, so that no data set, no
picture and no other library is needed. It is right if it leaves what our reference says and the
findings are those that ``numba_kernels.py`` lists with it, and no others.
"""

import ast
import builtins
import json
import math
import symtable
import sys
import tempfile
from pathlib import Path

import numpy as np

from simulator.foreign.cases import compared
from simulator.foreign.numba_kernels import CUDA
from simulator.foreign.scripts import IPYTHON
from simulator.stepper import KernelFault, Stepper, Unsupported

STEPS = 100_000_000


def bound(node):
    """The names that a statement of a file binds."""
    if isinstance(node, ast.FunctionDef | ast.ClassDef):
        return {node.name}
    if isinstance(node, ast.Import | ast.ImportFrom):
        return {(a.asname or a.name).split(".")[0] for a in node.names}
    if isinstance(node, ast.Assign):
        return {n.id for t in node.targets for n in ast.walk(t) if isinstance(n, ast.Name)}
    if isinstance(node, ast.If | ast.Try):  # a kernel may stand behind `if there is a GPU`
        return {name for inner in node.body for name in bound(inner)}
    return set()


def named(node):
    """The names of the file that a statement looks up, in functions as well."""
    found, waiting = set(), [symtable.symtable(ast.unparse(node), "foreign", "exec")]
    while waiting:
        table = waiting.pop()
        top = table.get_type() == "module"
        found |= {s.get_name() for s in table.get_symbols() if s.is_referenced()
                  and (top or s.is_global())}  # fmt: skip
        waiting += table.get_children()
    return found


def flat(body):
    """The statements of a file, with those that stand behind an ``if`` or a ``try``."""
    for node in body:
        if isinstance(node, ast.If | ast.Try):
            yield from flat(node.body)
        else:
            yield node


def wanted(kernel, nth, given, files):
    """[(file, statement)] that the kernel needs, in the order in which they run."""
    trees = []
    for file in files:
        tree = ast.parse(file.read_text(encoding="utf-8"))
        trees.append((file, list(flat(tree.body))))
    main = [n for n in trees[0][1] if kernel in bound(n)]
    if not main:
        raise LookupError(f"{files[0]} has no `{kernel}`")
    last = main[nth]
    taken, waiting = [last], named(last) - set(given) - {kernel}
    seen = set(waiting)
    while waiting:
        name = waiting.pop()
        for _, body in trees:
            found = [n for n in body if name in bound(n)]
            earlier = [n for n in found if n.lineno < last.lineno or body is not trees[0][1]]
            # Imports of a package's own modules: what they bring stands in the other files.
            found = [n for n in earlier or found if not is_import(n) or importable(n)]
            for node in found:
                if node not in taken:
                    taken.append(node)
                    more = named(node) - set(given) - seen - {kernel}
                    waiting |= more
                    seen |= more
    ordered = [(file, n) for file, body in reversed(trees) for n in body if n in taken]
    return ordered


def is_import(node):
    return isinstance(node, ast.Import | ast.ImportFrom)


def importable(node):
    """Whether an import is of Numba, NumPy or Python itself."""
    if isinstance(node, ast.ImportFrom) and node.level:
        return False
    roots = [node.module] if isinstance(node, ast.ImportFrom) else [a.name for a in node.names]
    known = sys.stdlib_module_names | {"numba", "numpy"}
    return all((root or "").split(".")[0] in known for root in roots)


def readable(file, place):
    """A file of Python; of a notebook, its code cells, and the files that cells write."""
    if file.suffix != ".ipynb":
        return file
    lines = []
    for cell in json.loads(file.read_text(encoding="utf-8"))["cells"]:
        own = [x for x in "".join(cell["source"]).splitlines() if not IPYTHON.search(x)]
        try:
            ast.parse("\n".join(own))
        except SyntaxError:  # no Python, or an exercise that is not filled in
            continue
        lines += own if cell["cell_type"] == "code" else []
    made = place / f"{file.stem}.py"
    made.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return made


def loaded(case, folder, place):
    """The kernel of a case, from whatever ``numba`` is at this moment."""
    from numba import cuda

    files = [readable(folder / path, place) for path in (case.path, *case.also)]
    # What libraries call their own decorator, which hands the kernel to Numba.
    given = {"compile_cupy": cuda.jit, **case.given}
    space = {"__name__": "foreign", "np": np, "math": math, "cuda": cuda, **given}
    space["__builtins__"] = builtins
    for file, node in wanted(case.kernel, case.nth, given, files):
        exec(compile(ast.Module([node], []), str(file), "exec"), space)
        space.update(given)
    kernel = space[case.kernel]
    if case.inside is not None:
        kernel = kernel(*(cuda if a is CUDA else a for a in case.inside))
    return kernel if hasattr(kernel, "py_func") or case.launch().grid is None else cuda.jit(kernel)


def launch(case, folder, mode):
    """(launch, findings) of a kernel; an error of the kernel's own is a finding that ends it."""
    stepper = Stepper(mode=mode, raise_findings=False, max_steps=STEPS)
    made = case.launch()
    with tempfile.TemporaryDirectory() as place, stepper.installed():
        kernel = loaded(case, folder, Path(place))
        if made.grid is None:
            kernel(*made.arguments)
        else:
            kernel[made.grid, made.block, 0, made.options.get("shared", 0)](*made.arguments)
    return made, stepper.findings


def outcome(case, folder):
    """("right" | "refused" | "wrong", why) of a kernel."""
    try:
        try:
            made, findings = launch(case, folder, "check")
        except KernelFault as error:
            if error.finding.kind not in case.stops:
                raise
            return "right", f"found: {error.finding}"
    except Exception as error:
        refused = isinstance(error, Unsupported | ImportError)
        return "refused" if refused else "wrong", f"{type(error).__name__}: {error}"
    what, why = compared(made)
    if what == "wrong":
        return what, why
    found = {f.kind: f for f in findings}
    for kind, finding in found.items():
        if kind not in case.faults:
            return "wrong", f"found, and not listed: {kind}: {finding}"
    if missed := {*case.faults, *case.stops} - set(found):
        return "wrong", f"not found: {', '.join(sorted(missed))}"
    return "right", "; ".join(f"found: {kind}: line {f.line}" for kind, f in found.items())

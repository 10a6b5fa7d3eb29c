"""Which package may import which, and that no file needs itself by way of others."""

import ast
import re
import sys
from functools import cache

import pytest

from lockstep.source import find_root

ROOT = find_root()
FUNCTION = re.compile(r"\s*(?:\w+|\([^()]*\)) =>")
# Packages of this repository: what each may import of the others.
MAY = {
    "lockstep": set(),
    "lockstep_site": {"lockstep", "simulator"},
    "simulator": {"kernels"},
    "kernels": set(),
    "benchmarks": {"lockstep", "lockstep_site", "simulator", "kernels"},
    "tools": {"lockstep", "lockstep_site", "simulator"},
}
# Circles that are left, each with the reason.
CIRCLES = {
    frozenset({"simulator.stepper.compiler", "simulator.stepper.intrinsics"}): (
        "intrinsics compute with the compiler's values, and it asks for their table when it runs"
    ),
    frozenset({"simulator.stepper", "simulator.stepper.installing", "simulator.stepper.magic"}): (
        "the package offers both, and they make a Stepper of the package when they are called"
    ),
}
# What a part of the stepper serves, and imports where that is there.
SERVES = {"installing": "numba", "native": "numba", "pytest_plugin": "pytest", "magic": "IPython"}


def modules(package):
    """Return the files of a package by their names as modules."""
    found = {}
    for file in sorted((ROOT / package).rglob("*.py")):
        parts = file.relative_to(ROOT).with_suffix("").parts
        found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = file
    return found


@cache
def imports(file):
    """Return (line, name) of each module that a file imports, inside of functions too."""
    found = []
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found += [(node.lineno, alias.name) for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            module = node.module or ""
            if node.level:
                parts = file.relative_to(ROOT).with_suffix("").parts
                base = parts[: len(parts) - node.level]
                module = ".".join([*base, *([module] if module else [])])
            found += [(node.lineno, f"{module}.{alias.name}") for alias in node.names]
    return found


@pytest.mark.parametrize("package", MAY)
def test_a_package_imports_what_it_may(package):
    ours = {p.name for p in ROOT.iterdir() if p.is_dir() and any(p.glob("*.py"))}
    wrong = [
        f"{file.relative_to(ROOT)}:{line}: {package} imports {name}"
        for file in modules(package).values()
        for line, name in imports(file)
        if (top := name.split(".")[0]) in ours and top not in MAY[package] | {package}
    ]
    assert not wrong, "\n".join(wrong)


def test_the_stepper_needs_nothing():
    """It runs in a browser, and installs alone. NumPy is taken where it is there."""
    wrong = [
        f"{file.relative_to(ROOT)}:{line}: it imports {name}"
        for file in modules("simulator/stepper").values()
        for line, name in imports(file)
        if "tests" not in file.parts
        and not name.startswith("simulator.stepper")
        and name.split(".")[0] not in {*sys.stdlib_module_names, "numpy", SERVES.get(file.stem)}
    ]
    assert not wrong, "\n".join(wrong)


def circles(graph):
    """Return the sets of files that need each other (Tarjan's strongly connected components)."""
    index, low, stack, found = {}, {}, [], []

    def visit(name):
        index[name] = low[name] = len(index)
        stack.append(name)
        for other in graph[name]:
            if other not in index:
                visit(other)
                low[name] = min(low[name], low[other])
            elif other in stack:
                low[name] = min(low[name], index[other])
        if low[name] == index[name]:
            group = set()
            while name not in group:
                group.add(stack.pop())
            if len(group) > 1:
                found.append(frozenset(group))

    for name in graph:
        if name not in index:
            visit(name)
    return found


@pytest.mark.parametrize("package", ["lockstep", "lockstep_site", "simulator"])
def test_no_file_needs_itself(package):
    known = modules(package)
    graph = {name: set() for name in known}
    for name, file in known.items():
        for _, target in imports(file):
            place = target if target in known else target.rpartition(".")[0]
            if place in known and place != name:
                graph[name].add(place)
    found = [sorted(group) for group in circles(graph) if group not in CIRCLES]
    assert not found, "\n".join(f"these need each other: {', '.join(group)}" for group in found)


def test_a_circle_is_seen():
    assert circles({"a": {"b"}, "b": {"c"}, "c": {"a"}, "d": {"a"}}) == [frozenset("abc")]


def test_a_browser_waits_for_a_function():
    """A bare expression is read again at each look, and from the second on the page's policy
    refuses that: such a test passes where it need not wait."""
    wrong = []
    for file in sorted((ROOT / "tests").glob("*.py")):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
                continue
            if node.func.attr != "wait_for_function" or isinstance(node.args[0], ast.Name):
                continue
            text = node.args[0]
            text = text.values[0].value if isinstance(text, ast.JoinedStr) else text.value
            if not FUNCTION.match(text):
                wrong.append(f"{file.name}:{node.lineno}: write '() => ' before it")
    assert not wrong

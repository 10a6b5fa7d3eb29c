"""The kernel that the histogram's page recommends is the text that the benchmark timed."""

import ast
from pathlib import Path

ROOT = Path(__file__).parent.parent


def kernel(text, name):
    """Return a kernel's code without its comments, under one name for all."""
    found = next(node for node in ast.parse(text).body if getattr(node, "name", "") == name)
    found.name = "kernel"
    return ast.unparse(found)


def test_the_kernel_to_take_is_the_one_that_was_timed():
    bench = ast.parse((ROOT / "benchmarks/micro/one_change_access.py").read_text(encoding="utf-8"))
    changes = next(
        ast.literal_eval(node.value)
        for node in bench.body
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "SIXTEEN_BYTES"
    )
    timed = (ROOT / "kernels/histogram/counts.py").read_text(encoding="utf-8")
    for old, new in changes:
        assert old in timed
        timed = timed.replace(old, new)
    shown = (ROOT / "snippets/histogram/sixteen_bytes.py").read_text(encoding="utf-8")
    assert kernel(shown, "histogram_shared4_kernel") == kernel(timed, "histogram_shared_kernel")

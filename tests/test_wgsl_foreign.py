"""Kernels of others as WGSL: those of Numba's own tests, as numba-cuda installs them.

Each test file runs with the stepper in Numba's place; what it launches is compiled to WGSL for that
launch, run in headless Chromium and compared with what the stepper left. What its tests say of
Numba's insides is left to Numba.
"""

import json
from collections import Counter, defaultdict
from pathlib import Path

import numba_cuda

from simulator.foreign import webgpu as foreign
from simulator.wgsl import unlike
from tests import webgpu, wgsl_cases

FILES = [
    *(f"cudapy/test_{n}.py" for n in ("sm", "sync", "warp_ops", "intrinsics", "idiv", "atomics")),
    *(f"cudapy/test_{n}.py" for n in ("localmem", "constmem", "nondet", "slicing", "iterators")),
    *(f"cudapy/test_{n}.py" for n in ("freevar", "globals", "device_array_capture", "inline")),
    *(f"cudapy/test_{n}.py" for n in ("enums", "fastmath", "forall", "array_args", "minmax")),
    *(f"cudapy/test_{n}.py" for n in ("powi", "lang", "boolean", "blackscholes")),
    *(f"doc_examples/test_{n}.py" for n in ("vecadd", "reduction", "globals", "cpu_gpu_compat")),
]
RECORD = Path(__file__).parent.parent / "evidence/cpu/foreign/wgsl.json"
NEAR, NEAR_HALF = 2e-5, 1e-3  # of the largest number of an array: a function is rounded otherwise
TYPES = {"float64", "complex"}  # what WGSL has no numbers for
# Not compared: the reason.
UNDEFINED = {"cudapy/test_freevar.py:21 foo": "reads shared memory that nobody wrote"}
# Why the others are refused: kind -> how many kernels.
REFUSED = {
    "other": 13, "int64": 8, "mask": 4, "not run": 2,
    "threadfence": 1, "threadfence_block": 1, "threadfence_system": 1,
    "match_all_sync": 1, "match_any_sync": 1, "cbrt": 1,
}  # fmt: skip


def test_foreign_kernels_are_right_or_refused(playwright):
    """All of them: right, of types that WGSL has not, or refused by name."""
    kernels = defaultdict(list)
    for file, found in foreign.of_tests(Path(numba_cuda.__file__).parent, FILES).items():
        assert found, f"{file} launches no kernel: what stands in for Numba lacks something"
        for r in found:
            kernels[f"{file}:{r.line} {r.kernel}"].append(r)
    assert kernels.keys() >= UNDEFINED.keys()
    todo = [(n, r) for n, rows in kernels.items() if n not in UNDEFINED for r in rows
            if r.after and not r.error and wgsl_cases.runs(r)]  # fmt: skip
    with webgpu.page(playwright) as tab:
        results = webgpu.run(tab, [r for _, r in todo])
    faults = []
    for (name, r), x in zip(todo, results, strict=True):
        half = any(b.dtype.name == "float16" for b in r.shader.bindings)
        wrong = x if isinstance(x, str) else unlike(r, x, NEAR_HALF if half else NEAR)[:3]
        faults += [f"{name}: {wrong}"] if wrong else []
    assert not faults, "\n".join(faults)
    right = {name for name, _ in todo}
    kinds = {n: {r.refused.kind if r.refused else "not run" for r in rows}
             for n, rows in kernels.items() if n not in right and n not in UNDEFINED}  # fmt: skip
    assert all(r.shader or r.refused.what for rows in kernels.values()
               for r in rows)  # fmt: skip
    others = Counter(min(k - TYPES).split(".")[0] for k in kinds.values() if k - TYPES)
    fair = len(right) + sum(others.values())
    print(f"{len(right)} of {fair} foreign kernels are right; {len(kernels) - fair} more have "
          f"float64 or complex numbers alone; refused: {dict(others)}")  # fmt: skip
    assert dict(others) == REFUSED
    assert len(right) >= 148


def test_the_record_of_foreign_kernels_says_what_the_readme_says():
    """None wrong; of the chosen list at least 40 of 55 right, of the drawn one what there is."""
    found = json.loads(RECORD.read_text(encoding="utf-8"))["found"]
    chosen, drawn = (Counter(row["outcome"] for row in found[k]) for k in ("kernels", "launched"))
    assert sum(chosen.values()) == sum(drawn.values()) == 55
    assert not chosen["wrong"] and not drawn["wrong"]
    assert chosen["right"] >= 40
    assert chosen == {"right": 44, "refused": 11}
    # How many of the rest are refused, and how many too long for the stepper, a busy machine moves.
    assert drawn["right"] == 33 and drawn["not compared"] <= 5
    assert all(row["why"] for rows in (found["kernels"], found["launched"]) for row in rows
               if row["outcome"] != "right")  # fmt: skip

"""The fast way of check mode gives the counts and results of the slow one, and finds no less."""

# ruff: noqa: E501 - kernels in one line each
import contextlib
import io
import textwrap

import numpy as np
import pytest

from simulator.hardware.cases import CASES
from simulator.loading import stepping
from simulator.speed import SCRIPT
from simulator.stepper import Stepper, remember, run_script, tally
from tests import test_stepper_faults as faults
from tests import test_stepper_planted as planted

SLOW_ONES = {"kernels/metal_host/traps.py:wait_kernel"}


def launches(fast, monkeypatch, cases):
    """{case: (its counts as plain data, its results, whether the fast way was taken)}."""
    took = []
    real = tally.attempt

    def attempt(*args):
        took.append(real(*args))
        return took[-1]

    monkeypatch.setattr("simulator.stepper.host.attempt", attempt)
    stepper = Stepper(mode="check", raise_findings=False, fast=fast)
    found = {}
    with stepping(stepper):
        for name in cases:
            stepper.launches.clear()
            took.clear()
            results = CASES[name].launch(stepper.cuda)
            found[name] = plain(stepper.launches[0]), results, took[-1:] == [True]
    return found


def plain(launch):
    """What is known of a launch, as plain data. The sites are numbered otherwise: not by number."""
    counts = launch.counts
    lines = {
        line: (
            {k: row[k] for k in ("executed", "lanes", "branches", "split")},
            +row["instructions"],
            sorted(
                ((a.array, a.kind, a.space, tuple(a.as_dict().items())) for a in row["accesses"]),
                key=str,
            ),
        )
        for line, row in counts.by_line().items()
    }
    return counts.summary(), lines, [str(f) for f in launch.findings], launch.steps


def test_the_counts_of_every_case_are_the_same(monkeypatch):
    slow = launches(False, monkeypatch, CASES)
    fast = launches(True, monkeypatch, CASES)
    taken = [name for name in CASES if fast[name][2]]
    for name in CASES:
        (a, x, _), (b, y, _) = slow[name], fast[name]
        assert a[0] == b[0], name
        assert a[1:] == b[1:], name
        for one, other in zip(x, y, strict=True):
            np.testing.assert_array_equal(one, other, err_msg=name)
    assert len(taken) >= 50, f"only {len(taken)} of {len(CASES)} cases go the fast way"


def test_the_ten_kernels_of_the_speed_table_go_the_fast_way(monkeypatch):
    took = []
    real = tally.attempt
    monkeypatch.setattr(
        "simulator.stepper.host.attempt", lambda *a: took.append(real(*a)) or took[-1]
    )
    found = []
    for fast in (False, True):
        stepper, namespace = Stepper(mode="check", raise_findings=False, fast=fast), {}
        remember("speed_kernels.py", SCRIPT)
        with stepper.installed():
            exec(compile(SCRIPT, "speed_kernels.py", "exec"), namespace)
        results = []
        for kernel, config, arguments in namespace["LAUNCHES"].values():
            places = [
                stepper.cuda.to_device(a) if getattr(a, "shape", ()) else a for a in arguments
            ]
            kernel[config](*places)
            results += [p.copy_to_host() for p in places if hasattr(p, "copy_to_host")]
        found.append(([plain(n) for n in stepper.launches], results))
    assert took == [True] * 10
    assert found[0][0] == found[1][0]
    for one, other in zip(found[0][1], found[1][1], strict=True):
        np.testing.assert_array_equal(one, other)


HEAD = "import numpy as np\nfrom numba import cuda, float32\n"
ODD = {
    "a loop in which lanes leave and skip at different turns": (
        "    for j in range(10):\n        if j == i % 5 + 3:\n            break\n"
        "        if (i + j) % 3 == 0:\n            continue\n        o[i] += a[(i * j) % n]\n    o[i] += 1\n"
    ),
    "a while loop inside a loop": (
        "    for j in range(i % 4):\n        k = i\n        while k > j:\n            o[i] += a[k]\n"
        "            k -= 1 + j\n"
    ),
    "early returns and conditional loads": (
        "    if i % 7 == 0:\n        return\n    x = a[i] if i % 2 else a[0]\n"
        "    if i > 3 and a[i - 1] > 4 or a[i] > 9:\n        x += 1\n    o[i] = x\n"
    ),
    "a device function with a loop, called in a loop": (
        "    for j in range(3):\n        if i % 2:\n            o[i] += inner(a, i, j)\n        else:\n"
        "            o[i] += inner(a, 0, i % 3)\n"
    ),
    "a local array": (
        "    t = cuda.local.array(4, float32)\n    for j in range(4):\n        t[j] = a[j] * i\n"
        "    o[i] = t[i % 4]\n"
    ),
    "elif and else": (
        "    if i < 5:\n        o[i] = 1\n    elif i < 40:\n        o[i] = a[i]\n        if i % 2:\n"
        "            return\n    else:\n        o[i] = 2\n    o[i] += 1\n"
    ),
}


@pytest.mark.parametrize("name", ODD)
def test_odd_ways_through_a_kernel_count_the_same(name):
    source = (
        HEAD + "@cuda.jit(device=True)\ndef inner(a, i, j):\n    s = float32(0)\n"
        "    for k in range(j):\n        if k == i:\n            return s\n        s += a[k]\n    return s\n"
        "@cuda.jit\ndef k(a, o, n):\n    i = cuda.grid(1)\n    if i >= n:\n        return\n"
        + ODD[name]
        + "a = np.arange(100, dtype=np.float32)\no = np.zeros(100, np.float32)\nk[2, 60](a, o, 100)\n"
    )
    slow, fast = (run_script(source, mode="check", fast=f) for f in (False, True))
    assert slow.error is fast.error is None, (slow.message, fast.message)
    assert plain(slow.launches[0]) == plain(fast.launches[0])
    np.testing.assert_array_equal(slow.namespace["o"], fast.namespace["o"])


def test_a_fault_leaves_memory_as_it_was_for_the_slow_way():
    source = (
        HEAD + "@cuda.jit\ndef k(o):\n    i = cuda.grid(1)\n    print(i)\n    o[i] += 1\n"
        "    o[(i + 1) % 4] += 1\no = np.zeros(4)\nk[1, 4](o)\n"
    )
    slow, fast = (run_script(source, mode="check", fast=f) for f in (False, True))
    assert slow.findings and [str(f) for f in slow.findings] == [str(f) for f in fast.findings]
    assert slow.output == fast.output
    np.testing.assert_array_equal(slow.namespace["o"], fast.namespace["o"])


# ---------------------------------------------------------------- launches too long to be stepped


def texts():
    """Every planted fault, and kernels that are right, as whole scripts."""
    for name, (_, text) in faults.FAULTS.items():
        yield f"fault: {name}", faults.HEAD + textwrap.dedent(text).lstrip()
    for name, text in faults.RIGHT.items():
        yield f"right: {name}", faults.HEAD + textwrap.dedent(text).lstrip()
    for name, (_, *rest) in planted.FAULTS.items():
        yield f"planted: {name}", planted.script(*rest)
    for name, rest in planted.RIGHT.items():
        yield f"tricky: {name}", planted.script(*rest)
    yield from ((name, HEAD + text) for name, text in RACING.items())


RACING = {
    "bodies moved in place": (
        "@cuda.jit\ndef k(p):\n    i = cuda.grid(1)\n    f = float32(0)\n"
        "    for j in range(p.size):\n        f += p[j] - p[i]\n    p[i] += f\n"
        "k[2, 32](np.arange(64, dtype=np.float32))\n"
    ),
    "sums that are lost": (
        "@cuda.jit\ndef k(p):\n    i = cuda.grid(1)\n    p[i % 7] += 1\n    p[8] = p[8] + p[i]\n"
        "k[2, 32](np.arange(64, dtype=np.float32))\n"
    ),
    "tiles with one barrier": (
        "@cuda.jit\ndef k(p, o):\n    s = cuda.shared.array(64, float32)\n    i = cuda.grid(1)\n"
        "    t = cuda.threadIdx.x\n    for j in range(4):\n        s[t] = p[i] + j\n"
        "        cuda.syncthreads()\n        o[i] += s[63 - t]\n"
        "p = np.arange(128, dtype=np.float32)\nk[2, 64](p, p.copy())\n"
    ),
    "an atomic operation beside a read": (
        "@cuda.jit\ndef k(p, o):\n    i = cuda.grid(1)\n    cuda.atomic.add(p, i % 3, 1)\n"
        "    o[i] = p[1]\np = np.arange(128, dtype=np.float32)\nk[2, 64](p, p.copy())\n"
    ),
    "lanes of one warp": (
        "@cuda.jit\ndef k(p):\n    i = cuda.grid(1)\n    if i < 31:\n        p[i] = p[i + 1] + 1\n"
        "k[1, 32](np.arange(64, dtype=np.float32))\n"
    ),
}


def test_races_of_a_long_launch_are_those_that_stepping_finds(monkeypatch):
    """With every launch taken for a long one: the same faults at the same lines, and counts."""
    monkeypatch.setattr(tally, "LONG", 0)
    told, real = [], tally.Tally.races

    def races(self):
        real(self)
        told.append(self)

    monkeypatch.setattr(tally.Tally, "races", races)
    by_notes = []
    for name, text in texts():
        results = []
        for fast in (False, True):
            told.clear()
            stepper = Stepper(mode="check", raise_findings=False, fast=fast, max_steps=20_000)
            error = None
            try:
                with stepper.installed(), contextlib.redirect_stdout(io.StringIO()):
                    remember(f"{name}.py", text)
                    exec(compile(text, f"{name}.py", "exec"), {"__name__": "long"})
            except Exception as raised:
                error = str(raised)
            findings = [f for launch in stepper.launches for f in launch.findings]
            notes = [n.line for launch in stepper.launches for n in launch.notes]
            lines = {(f.kind, f.array, frozenset((f.line, f.other_line))) for f in findings}
            results.append((lines, sorted(notes), error))
        assert results[0] == results[1], name
        by_notes += [name] * bool(told)
    assert len(by_notes) >= 12 and set(RACING) <= set(by_notes), by_notes


def test_what_is_told_of_a_race_in_a_long_launch(monkeypatch):
    monkeypatch.setattr(tally, "LONG", 0)
    result = run_script(HEAD + RACING["bodies moved in place"], mode="check")
    (found,) = result.findings
    assert (found.kind, found.line, found.other_line, found.count) == ("global-race", 9, 8, 64)
    assert found.thread == (32, 0, 0) or found.block == (1, 0, 0)
    assert "of `p`, which thread 0 of block 0 reads in line 8" in found.message

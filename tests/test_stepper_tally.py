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
from simulator.stepper import Stepper, checks, remember, run_script, tally
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


@pytest.mark.parametrize("stores", ["c[k] = 1", "c[k] = 1\n        c[k] = 2"])
def test_many_stores_of_one_constant_are_noted_without_a_second_run(stores, monkeypatch):
    """And of two constants they are not: which is there in the end depends on the order."""
    source = (
        "@cuda.jit\ndef k(c):\n    i = cuda.grid(1) + 2\n    for k in range(i * i, c.size, i):\n"
        f"        {stores}\nc = np.zeros(2000, np.int32)\nk[2, 32](c)\n"
    )
    again = []
    real = tally.replayed
    monkeypatch.setattr(tally, "replayed", lambda *a: again.append(1) or real(*a))
    fast, slow = (told_of(HEAD + source, fast) for fast in (True, False))
    assert fast == slow and bool(again) == ("= 2" in stores)


def told_of(source, fast):
    """Kinds and lines of what is found and noted, the counts, and the array."""
    result = run_script(source, mode="check", fast=fast)
    (launch,) = result.launches
    told = {(f.kind, f.line, f.other_line) for f in launch.findings + launch.notes}
    return told, launch.counts.summary(), result.namespace["c"].tolist()


LOOPS = {
    "a while with a test of two parts": "while n > 0 and a[n] > 3:\n        s += a[n]\n        n -= 1",
    "with continue": "while n > 1:\n        n -= 1\n        if n % 2:\n            continue\n        s += a[n]",
    "with break": "while n > 1:\n        n -= 1\n        if n % 5 == 1:\n            break\n        s += a[n]",
    "no turn at all": "for j in range(5, i):\n        s += a[j]\n    while n < 0:\n        n += 1",
    "down, and an if": "for j in range(n, 0, -2):\n        if a[j] > 5:\n            s += a[j]",
    "one in the other": "for j in range(i):\n        for m in range(j, 9):\n            s += a[m]\n        s -= a[j]",
    "with a barrier": "for j in range(3):\n        cuda.syncthreads()\n        s += a[i + j]",
    "with a return": "for j in range(40):\n        if a[j] == n:\n            return\n        s += a[j]",
}


@pytest.mark.parametrize("name", LOOPS)
def test_turns_that_are_noted_at_once_count_as_those_that_are_stepped(name):
    source = (
        "@cuda.jit\ndef k(a, c):\n    i = cuda.grid(1)\n    n, s = i % 32, 0\n"
        f"    {LOOPS[name]}\n    c[i] = s\n"
        "c = np.zeros(64, np.int64)\nk[2, 32](np.arange(80) * 7 % 10, c)\n"
    )
    assert told_of(HEAD + source, True) == told_of(HEAD + source, False)


def test_what_is_told_of_a_race_in_a_long_launch(monkeypatch):
    monkeypatch.setattr(tally, "LONG", 0)
    result = run_script(HEAD + RACING["bodies moved in place"], mode="check")
    (found,) = result.findings
    assert (found.kind, found.line, found.other_line, found.count) == ("global-race", 9, 8, 64)
    assert found.thread == (32, 0, 0) or found.block == (1, 0, 0)
    assert "of `p`, which thread 0 of block 0 reads in line 8" in found.message


# ---------------------------------------------------------------- flags

STORED = {
    "one flag that many set": "    if x[i] > 30:\n        p[0] = 1\n",
    "a flag that says who was last, in a loop": (
        "    for j in range(5):\n        if x[(i + j) % 64] > 50:\n            p[0] = i\n"
    ),
    "a flag for each bin, and for each block": (
        "    p[int(x[i]) % 7] = 1\n    for j in range(i % 3):\n        q[cuda.blockIdx.x] = 1\n"
    ),
    "a number that is the same only in this data": "    p[0] = ones[i % 8]\n",
    "a shared flag that is read behind a barrier": (
        "    if t == 0:\n        s[0] = 0\n    cuda.syncthreads()\n    if x[i] > 100:\n        s[0] = 1\n"
        "    cuda.syncthreads()\n    q[i] = s[0]\n"
    ),
    "two flags, and lanes that leave and skip": (
        "    for j in range(6):\n        if (i + j) % 4 == 3:\n            continue\n"
        "        if j > i % 5:\n            break\n        p[j % 2] = j\n    q[5] = t % 2\n"
    ),
}
READ = {
    "a flag that is tested before it is set": "    if p[0] == 0:\n        p[0] = 1\n    q[i] = p[0]\n",
    "a flag in a loop that it ends": (
        "    for j in range(9):\n        if p[0] != 0:\n            break\n        q[i] += 1\n"
        "        if x[(i + j) % 64] > 60:\n            p[0] = 1\n"
    ),
    "two racing reads in a line": (
        "    for j in range(3):\n        if p[i % 5] + q[(i + j) % 9] > j:\n            p[(i + j) % 5] = 1\n"
        "            q[i % 9] = j\n"
    ),
    "labels spread in place": (
        "    low = q[i]\n    for j in range(4):\n        low = min(low, q[(i * 5 + j) % 128])\n"
        "    if low < q[i] + 1:\n        q[i] = low\n        p[0] = 1\n"
    ),
    "a shared flag that lanes see by syncwarp": (
        "    s[t % 2] = 0\n    cuda.syncthreads()\n    if t % 3 == 0:\n        s[0] = 1\n    cuda.syncwarp()\n"
        "    q[i] = s[0]\n    cuda.syncthreads()\n    s[0] = s[1]\n"
    ),
    "a flag behind a fence and an atomic operation": (
        "    if i == 0:\n        p[0] = 7\n        cuda.threadfence()\n    cuda.atomic.add(q, 0, 1)\n"
        "    if cuda.atomic.add(q, 1, 0) >= 0:\n        q[i + 2] = p[0]\n"
    ),
    "a flag that one lane has set alone": "    if i == 40:\n        p[3] = 2\n    q[i] = p[3]\n    p[3] = 2\n",
}


def flag(body):
    return (
        HEAD + "@cuda.jit\ndef k(p, q, x, ones):\n    i = cuda.grid(1)\n    t = cuda.threadIdx.x\n"
        "    s = cuda.shared.array(2, float32)\n"
        + body
        + "p, q = np.zeros(8, np.int32), np.zeros(130, np.int64)\n"
        "k[2, 64](p, q, np.arange(128, dtype=np.float32), np.ones(8, np.float32))\n"
    )


def told(text, fast):
    """All that a script's launches find, to the last number, and its arrays."""
    stepper = Stepper(mode="check", raise_findings=False, fast=fast, max_steps=20_000)
    namespace, error = {"__name__": "flags"}, None
    try:
        with stepper.installed(), contextlib.redirect_stdout(io.StringIO()) as output:
            remember("flags.py", text)
            exec(compile(text, "flags.py", "exec"), namespace)
    except Exception as raised:
        error = str(raised)
    launches = [
        (
            [f.as_dict() for f in launch.findings], [n.as_dict() for n in launch.notes],
            launch.steps, launch.counts and launch.counts.summary(),
        )
        for launch in stepper.launches
    ]  # fmt: skip
    arrays = {k: v.tolist() for k, v in namespace.items() if isinstance(v, np.ndarray)}
    return repr((launches, arrays, output.getvalue(), error))


def test_stores_that_nobody_reads_are_told_as_stepping_tells_them(monkeypatch):
    """Kinds, lines, threads, counts and notes, and which store came last."""
    real, replayed = tally.replayed, []

    def count(*args):
        real(*args)
        replayed.append(name)

    monkeypatch.setattr(tally, "replayed", count)
    for name, body in STORED.items():
        assert told(flag(body), True) == told(flag(body), False), name
    assert replayed == list(STORED)
    for name, body in READ.items():
        assert told(flag(body), True) == told(flag(body), False), name
    assert replayed == list(STORED)  # the values that are read depend on the order: stepped
    for name, text in texts():
        before = len(replayed)
        fast = told(text, True)
        if len(replayed) > before:
            assert fast == told(text, False), name
    assert len(replayed) > len(STORED), replayed


def test_a_value_that_stores_leave_open_and_that_is_read_is_not_replayed(monkeypatch):
    real, tried = tally.replayed, []
    monkeypatch.setattr(tally, "replayed", lambda *a: tried.append(1) or real(*a))
    for store in ("s[0] = t % 2", "s[0] = 1\n    s[0] = 2 if t < 40 else 1"):
        text = flag(f"    {store}\n    cuda.syncthreads()\n    q[i] = s[0]\n")
        tried.clear()
        assert told(text, True) == told(text, False), store
        assert tried


def test_a_warp_at_once_is_told_as_its_lanes_one_by_one(monkeypatch):
    """Planted faults and flags: the accesses of a warp at one place, together and lane by lane."""
    scripts = [(name, flag(body)) for name, body in (STORED | READ).items()] + list(texts())
    together = [told(text, False) for _, text in scripts]
    took = []
    real = checks.Checks.one_place
    monkeypatch.setattr(checks.Checks, "one_place", lambda *a: took.append(1) or real(*a))
    told(scripts[0][1], False)
    assert took
    monkeypatch.setattr(checks.Checks, "one_place", lambda *a: False)
    monkeypatch.setattr(checks.Checks, "several_reads", lambda *a: False)
    monkeypatch.setattr(checks.Checks, "at_once", lambda *a: False)
    for (name, text), found in zip(scripts, together, strict=True):
        assert told(text, False) == found, name

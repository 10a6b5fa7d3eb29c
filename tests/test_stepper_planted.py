"""More planted faults, each found at its line, and tricky kernels that are right.

Each is the body of a kernel ``k(a, b, n)`` on two arrays and a number, the line at fault marked by
"#!", and how it is launched: blocks, threads, the arrays.
"""

import ast
import textwrap

import numpy as np
import pytest

from simulator.stepper import run_script, source
from tests.test_stepper_faults import FAULTS as FIRST
from tests.test_stepper_faults import RIGHT as FIRST_RIGHT

HEAD = """import math
import numpy as np
from numba import cuda, float32, int32, int64

@cuda.jit(device=True)
def half_of(s, t, h):
    if t < h:
        s[t] += s[t + h]

@cuda.jit
def k(a, b, n):
    t = cuda.threadIdx.x
    i = cuda.grid(1)
"""
# Lines at fault that stand in the head or are the launch: fault -> the line.
ELSEWHERE = {
    "the race is in a device function": "        s[t] += s[t + h]",
    "too many threads": "k[1, 1025](a, b, 40)",
    "too much shared memory": "def k(a, b, n):",  # of all its arrays together
    "no blocks": "k[0, 32](a, b, 40)",
}
F = "np.arange(64, dtype=np.float32)"
Z = "np.zeros(64, np.float32)"
I = "np.zeros(64, np.int32)"  # noqa: E741
S = "s = cuda.shared.array(64, float32)\n"

# name -> (kinds, body, launch, a, b)
FAULTS = {
    "reduction without a barrier in the loop": ("shared-race,missing-syncwarp", S + """
        s[t] = a[i]
        cuda.syncthreads()
        h = 32
        while h > 0:
            if t < h:
                s[t] += s[t + h]  #!
            h //= 2
        if t == 0:
            b[0] = s[0]
        """, "1, 64", F, Z),
    "reduction without the first barrier": ("shared-race", S + """
        s[t] = a[i]
        if t < 32:
            b[t] = s[t] + s[t + 32]  #!
        """, "1, 64", F, Z),
    "written with what it holds already, and read": ("global-race,missing-syncwarp", """
        b[i] = 0  #!
        a[i] = b[(i + 1) % 64]
        """, "1, 64", F, Z),
    "tile reused without a second barrier": ("shared-race", S + """
        for r in range(2):
            s[t] = a[i] + r  #!
            cuda.syncthreads()
            b[i] += s[63 - t]
        """, "1, 64", F, Z),
    "scan in place with one buffer": ("shared-race", S + """
        s[t] = a[i]
        cuda.syncthreads()
        d = 1
        while d < 64:
            if t >= d:
                s[t] += s[t - d]  #!
            cuda.syncthreads()
            d *= 2
        b[i] = s[t]
        """, "1, 64", F, Z),
    "neighbor through shared memory": ("shared-race", S + """
        s[t] = a[i]
        b[i] = s[(t + 32) % 64]  #!
        """, "1, 64", F, Z),
    "the race is in a device function": ("shared-race", S + """
        s[t] = a[i]
        half_of(s, t, 32)
        b[i] = s[t]
        """, "1, 64", F, Z),
    "counter without atomic, in shared memory": ("shared-race,missing-syncwarp", """
        s = cuda.shared.array(1, int32)
        if t == 0:
            s[0] = 0
        cuda.syncthreads()
        s[0] += 1  #!
        cuda.syncthreads()
        b[0] = s[0]
        """, "1, 64", F, I),
    "counter without atomic, over blocks": ("global-race,missing-syncwarp", """
        b[0] += 1  #!
        """, "2, 32", F, I),
    "two blocks share an edge": ("global-race", """
        b[i] = a[i]
        if t == 0 and i > 0:
            b[i - 1] = 7  #!
        """, "2, 32", F, Z),
    "stencil in place": ("global-race,missing-syncwarp", """
        if 0 < i < 63:
            a[i] = (a[i - 1] + a[i + 1]) / 2  #!
        """, "2, 32", F, Z),
    "reads what another block writes": ("global-race", """
        a[i] = i * 2
        cuda.syncthreads()
        b[i] = a[63 - i]  #!
        """, "2, 32", F, Z),
    "flag without an atomic": ("global-race", """
        if i == 0:
            a[63] = 5
        if cuda.blockIdx.x == 1 and t == 0:
            b[0] = a[63]  #!
        """, "2, 32", F, Z),
    "maximum without atomic": ("global-race,missing-syncwarp", """
        if a[i] > b[0]:
            b[0] = a[i]  #!
        """, "1, 32", F, Z),
    "scatter to doubled places": ("global-race,missing-syncwarp", """
        b[i // 2] = a[i]  #!
        """, "2, 32", F, Z),
    "warp neighbor without syncwarp": ("missing-syncwarp", S + """
        s[t] = a[i]
        b[i] = s[t ^ 1]  #!
        """, "1, 32", F, Z),
    "warp reduction without syncwarp": ("missing-syncwarp", S + """
        s[t] = a[i]
        cuda.syncwarp()
        if t < 16:
            s[t] += s[t + 16]
            s[t] += s[t + 8]  #!
        b[i] = s[t]
        """, "1, 32", F, Z),
    "barrier for half of a block": ("divergent-barrier", """
        if t < 32:
            cuda.syncthreads()  #!
        b[i] = a[i]
        """, "1, 64", F, Z),
    "barrier in a loop of uneven length": ("divergent-barrier", """
        for r in range(t % 2 + 1):
            cuda.syncthreads()  #!
        b[i] = a[i]
        """, "1, 64", F, Z),
    "return before the barrier": ("divergent-barrier", """
        if i >= n:
            return
        cuda.syncthreads()  #!
        b[i] = a[i]
        """, "1, 64", F, Z),
    "barriers in both branches": ("divergent-barrier", """
        if t % 2 == 0:
            cuda.syncthreads()  #!
        else:
            cuda.syncthreads()  #!
        b[i] = a[i]
        """, "1, 64", F, Z),
    "break before the barrier": ("divergent-barrier", """
        for r in range(3):
            if t == 5 and r == 1:
                break
            cuda.syncthreads()  #!
        b[i] = a[i]
        """, "1, 64", F, Z),
    "full mask in half a warp": ("warp-mask", """
        v = a[i]
        if t < 16:
            v += cuda.shfl_down_sync(0xffffffff, v, 8)  #!
        b[i] = v
        """, "1, 32", F, Z),
    "a lane outside of its own mask": ("warp-mask", """
        v = cuda.shfl_sync(0xffff, a[i], 0)  #!
        b[i] = v
        """, "1, 32", F, Z),
    "vote of lanes that went past": ("warp-mask", """
        if t > 3:
            b[i] = cuda.ballot_sync(0xffffffff, 1)  #!
        """, "1, 32", F, I),
    "one too many": ("out-of-bounds", """
        b[i] = a[i + 1]  #!
        """, "2, 32", F, Z),
    "grid larger than the array": ("out-of-bounds", """
        b[i] = 1  #!
        """, "3, 32", F, Z),
    "index from data": ("out-of-bounds", """
        b[int32(a[i]) * 2] = 1  #!
        """, "1, 64", F, Z),
    "shared tile too small": ("out-of-bounds", """
        s = cuda.shared.array(32, float32)
        s[t] = a[i]  #!
        """, "1, 64", F, Z),
    "local array too small": ("out-of-bounds", """
        w = cuda.local.array(4, float32)
        for j in range(5):
            w[j] = j  #!
        b[i] = w[0]
        """, "1, 1", F, Z),
    "atomic outside of the bins": ("out-of-bounds", """
        cuda.atomic.add(b, i + 1, 1)  #!
        """, "2, 32", F, Z),
    "one before the first": ("negative-index", """
        b[i] = a[i] - a[i - 1]  #!
        """, "2, 32", F, Z),
    "halo at the left edge": ("negative-index", S + """
        s[t] = a[i - 1]  #!
        cuda.syncthreads()
        b[i] = s[t]
        """, "1, 64", F, Z),
    "shared memory that nobody wrote": ("uninitialized", S + """
        if t < 63:
            s[t] = a[i]
        cuda.syncthreads()
        b[i] = s[t]  #!
        """, "1, 64", F, Z),
    "local array that nobody wrote": ("uninitialized", """
        w = cuda.local.array(4, float32)
        b[i] = w[t % 4]  #!
        """, "1, 4", F, Z),
    "sum begun with what was there": ("uninitialized", """
        w = cuda.local.array(2, float32)
        w[0] += a[i]  #!
        b[i] = w[0]
        """, "1, 4", F, Z),
    "device memory that nobody wrote": ("uninitialized", """
        b[i] += a[i]  #!
        """, "2, 32", F, "cuda.device_array(64, np.float32)"),
    "too many threads": ("launch-limit", "b[i % 64] = 1  # not reached\n", "1, 1025", F, Z),
    "too much shared memory": ("launch-limit", """
        s = cuda.shared.array(20000, float32)
        s[t] = 1
        """, "1, 32", F, Z),
    "no blocks": ("launch-limit", "b[0] = 1\n", "0, 32", F, Z),
    "an exception that nobody hears of": ("error", """
        if a[i] < 0:
            b[i] = 1
        else:
            raise ValueError("positive")  #!
        """, "1, 32", F, Z),
    "a loop without an end": ("endless", """
        x = 1
        while x > 0:  #!
            x = x % 7 + 1  #!
        b[i] = x
        """, "1, 1", F, Z),
}  # fmt: skip

RIGHT = {
    "two buffers": (S + """
        s2 = cuda.shared.array(64, float32)
        s[t] = a[i]
        cuda.syncthreads()
        s2[t] = s[63 - t]
        cuda.syncthreads()
        b[i] = s2[63 - t]
        """, "1, 64", F, Z),
    "warp reduction by shuffles": ("""
        v = a[i]
        v += cuda.shfl_down_sync(0xffffffff, v, 16)
        v += cuda.shfl_down_sync(0xffffffff, v, 8)
        if t % 32 == 0:
            cuda.atomic.add(b, 0, v)
        """, "2, 32", F, Z),
    "tree with a barrier": (S + """
        s[t] = a[i]
        cuda.syncthreads()
        h = 32
        while h > 0:
            half_of(s, t, h)
            cuda.syncthreads()
            h //= 2
        if t == 0:
            b[0] = s[0]
        """, "1, 64", F, Z),
    "tree in a warp with syncwarp": (S + """
        s[t] = a[i]
        cuda.syncwarp()
        h = 16
        while h > 0:
            v = s[t + h] if t < h else float32(0)
            cuda.syncwarp()
            s[t] += v
            cuda.syncwarp()
            h //= 2
        b[i] = s[0]
        """, "1, 32", F, Z),
    "scan that reads, waits and writes": (S + """
        s[t] = a[i]
        cuda.syncthreads()
        d = 1
        while d < 64:
            v = s[t - d] if t >= d else float32(0)
            cuda.syncthreads()
            s[t] += v
            cuda.syncthreads()
            d *= 2
        b[i] = s[t]
        """, "1, 64", F, Z),
    "grid stride": ("""
        for j in range(i, 64, cuda.gridsize(1)):
            b[j] = a[j]
        """, "2, 10", F, Z),
    "early return without a barrier": ("""
        if i >= n:
            return
        b[i] = a[i]
        """, "3, 32", F, Z),
    "barrier in a loop of even length": (S + """
        for r in range(3):
            s[t] = a[i] + r
            cuda.syncthreads()
            b[i] += s[63 - t]
            cuda.syncthreads()
        """, "1, 64", F, Z),
    "branch that a whole block takes": (S + """
        s[t] = a[i]
        if cuda.blockIdx.x == 0:
            cuda.syncthreads()
            b[i] = s[31 - t]
        """, "2, 32", F, Z),
    "histogram": ("""
        s = cuda.shared.array(4, int32)
        if t < 4:
            s[t] = 0
        cuda.syncthreads()
        cuda.atomic.add(s, int32(a[i]) % 4, 1)
        cuda.syncthreads()
        if t < 4:
            cuda.atomic.add(b, t, s[t])
        """, "2, 32", F, I),
    "all write one constant": ("""
        if a[i] > 3:
            b[0] = 1
        """, "2, 32", F, I),
    "transpose with padding": ("""
        s = cuda.shared.array((8, 9), float32)
        y, x = t // 8, t % 8
        s[y, x] = a[t]
        cuda.syncthreads()
        b[t] = s[x, y]
        """, "1, 64", F, Z),
    "own element twice": ("""
        b[i] = a[i]
        b[i] += b[i]
        """, "2, 32", F, Z),
    "last element by a constant": ("""
        if i == 0:
            b[0] = a[-1]
        """, "1, 32", F, Z),
    "wrap around by remainder": ("""
        b[i] = a[(i + 63) % 64]
        """, "2, 32", F, Z),
    "matched mask of a branch": ("""
        v = a[i]
        if t < 16:
            v += cuda.shfl_xor_sync(0xffff, v, 8)
        b[i] = v
        """, "1, 32", F, Z),
    "active mask": ("""
        if t % 2:
            m = cuda.activemask()
            b[i] = cuda.popc(cuda.ballot_sync(m, 1))
        """, "1, 32", F, I),
    "ticket": ("""
        old = cuda.atomic.add(b, 0, 1)
        if old == 63:
            b[1] = 1
        """, "2, 32", F, I),
    "compare and swap": ("""
        if cuda.atomic.cas(b, 0, 0, i + 1) == 0:
            b[1] = i
        """, "2, 32", F, I),
    "lock-free maximum": ("""
        cuda.atomic.max(b, 0, a[i])
        """, "2, 32", F, Z),
    "grid barrier between writing and reading": ("""
        g = cuda.cg.this_grid()
        a[i] = i * 2
        g.sync()
        b[i] = a[63 - i]
        """, "2, 32", F, Z),
    "a flag that is set once more": ("""
        if i == 0:
            b[0] = 1
        cuda.syncthreads()
        if t == 5 and b[0] == 1:
            b[0] = 1
        a[i] = b[0]
        """, "1, 64", I, I),
    "last block adds up": ("""
        s = cuda.shared.array(1, int32)
        cuda.atomic.add(b, 1 + cuda.blockIdx.x, t)
        cuda.threadfence()
        cuda.syncthreads()
        if t == 0:
            s[0] = cuda.atomic.add(b, 0, 1)
        cuda.syncthreads()
        if s[0] == 1 and t == 0:
            b[3] = cuda.atomic.add(b, 1, 0) + cuda.atomic.add(b, 2, 0)
        """, "2, 32", F, I),
    "local array written before": ("""
        w = cuda.local.array(4, float32)
        for j in range(4):
            w[j] = a[j]
        b[i] = w[i % 4]
        """, "2, 32", F, Z),
    "shared memory by part": (S + """
        if t < 32:
            s[t] = a[i]
        cuda.syncthreads()
        b[i] = s[t % 32]
        """, "1, 64", F, Z),
}  # fmt: skip


def script(body, launch, a, b):
    # The head may stand in the same string as the body, which is indented as it stands here.
    first, _, rest = body.partition("\n") if body.startswith("s = ") else ("", "", body)
    text = textwrap.dedent(rest).strip("\n")
    body = textwrap.indent(f"{first}\n{text}" if first else text, "    ")
    return f"{HEAD}{body}\na = {a}\nb = {b}\nk[{launch}](a, b, 40)\n"


@pytest.mark.parametrize("name", FAULTS)
def test_a_planted_fault_is_found_at_its_line(name):
    kinds, *rest = FAULTS[name]
    source = script(*rest)
    marked = {
        n
        for n, line in enumerate(source.splitlines(), 1)
        if line.endswith("#!") or line == ELSEWHERE.get(name)
    }
    assert marked, "mark the line at fault with #!, or name it in ELSEWHERE"
    result = run_script(source, mode="check", max_steps=20_000)
    found = [f for f in result.findings if f.kind in kinds.split(",")]
    assert found, ([str(f) for f in result.findings], result.message)
    for finding in found:
        assert {finding.line, finding.other_line} & marked, (str(finding), marked)


@pytest.mark.parametrize("name", RIGHT)
def test_a_tricky_kernel_that_is_right_has_no_finding(name):
    result = run_script(script(*RIGHT[name]), mode="check")
    assert result.error is None, result.message
    assert not result.findings, [str(f) for f in result.findings]


NOTED = {
    "a flag that many set": ("if a[i] > 3:\n    b[0] = 1  #!", "2, 32", I),
    "a block's value, stored by all": (
        "s[0] = b[0]  #!\ncuda.syncthreads()\nb[i] = s[0]",
        "1, 64",
        F,
    ),
}


@pytest.mark.parametrize("name", NOTED)
def test_equal_values_are_a_note_and_no_finding(name):
    body, launch, b = NOTED[name]
    source = script("s = cuda.shared.array(1, float32)\n" + body, launch, F, b)
    (line,) = (n for n, text in enumerate(source.splitlines(), 1) if text.endswith("#!"))
    result = run_script(source, mode="check")
    assert result.error is None and not result.findings, result.message
    (launched,) = result.launches
    assert [(n.kind, n.line, n.other_line) for n in launched.notes] == [("same-value", line, line)]
    assert "the result is the same whichever comes last" in launched.notes[0].message


def test_values_that_are_the_same_here_and_not_there_are_a_race_and_no_note():
    result = run_script(script("b[0] = a[i] // 2", "1, 32", F, F), mode="check")
    assert {f.kind for f in result.findings} == {"missing-syncwarp"}, result.message
    assert not result.launches[0].notes


# How a line should be is said in the finding: (body, arrays, the sentence).
MENDED = {
    "a missing fence": (
        """
        if t == 0:
            a[cuda.blockIdx.x] = i + 5
            if cuda.atomic.add(b, 0, 1) == 1:
                b[2] = a[0] + a[1]
        """,
        "`cuda.threadfence()`, then `if cuda.atomic.add(b, 0, 1) == 1:`.",
    ),
    "a plain read of a flag": (
        """
        if i == 0:
            cuda.atomic.exch(b, 0, 1)
        if cuda.blockIdx.x == 1:
            while b[0] == 0:
                pass
        """,
        "as `while cuda.atomic.add(b, 0, 0) == 0:`, or read it in a later launch",
    ),
    "a plain write between atomic ones": (
        """
        if cuda.blockIdx.x == 1:
            cuda.atomic.add(b, 0, 1)
        elif t == 5:
            b[0] = t
        """,
        "as `cuda.atomic.exch(b, 0, t)`, or write it before the launch",
    ),
    "an update in two lines": (
        """
        x = b[0]
        b[0] = x + 1
        """,
        "An atomic operation does both as one: write `cuda.atomic.add(b, 0, 1)` in line",
    ),
    "a maximum in two lines": (
        """
        if b[0] < i:
            b[0] = i
        """,
        "One atomic operation does both: write `cuda.atomic.max(b, 0, i)` in place of "
        "`if b[0] < i:`",
    ),
    "a maximum in one line": (
        """
        b[0] = b[0] if i < b[0] else i
        """,
        "does all three as one: `cuda.atomic.max(b, 0, i)`",
    ),
    "a place taken and counted up": (
        """
        a[b[0]] = i
        b[0] += 1
        """,
        "take it from the update: `old = cuda.atomic.add(b, 0, 1)` does both as one",
    ),
    "a minimum of what was read before": (
        """
        least = b[0]
        if a[i] <= least:
            b[0] = a[i]
        """,
        "write `cuda.atomic.min(b, 0, a[i])` in place of `if a[i] <= least:`",
    ),
    "an update in three lines": (
        """
        k = int32(a[i]) % 4
        x = s = b[k]
        y = max(b[k], t)
        b[k] = y
        """,
        "write `cuda.atomic.max(b, k, t)` in line",
    ),
    "a read by all and an update by one": (
        """
        x = b[0]
        if t == 0:
            b[0] = x + 1
        """,
        "If both threads go on to write what they made of it, one of the two updates is lost",
    ),
    "a tree in one line": (
        """
        s = cuda.shared.array(32, int32)
        s[t] = a[i]
        cuda.syncthreads()
        h = 16
        while h:
            if t < h:
                s[t] += s[t + h]
            h //= 2
        """,
        "Read the element into a variable, put `cuda.syncwarp()` behind it where every thread",
    ),
    "a neighbor in one line, over blocks": (
        """
        if i < 63:
            a[i] = a[i + 1]
        """,
        "write to another array than the one that is read",
    ),
    "a barrier in an if": (
        """
        if t < 10:
            b[i] = 1
            cuda.syncthreads()
        """,
        "write `cuda.syncthreads()` where every thread comes, and begin `if t < 10:` again",
    ),
    "a barrier in both arms": (
        """
        if t < 10:
            cuda.syncthreads()
        else:
            cuda.syncthreads()
        """,
        "Write one `cuda.syncthreads()` behind the branches of line 14 (`if t < 10:`)",
    ),
    "a barrier after a return": (
        """
        if t >= n or t == 3:
            return
        cuda.syncthreads()
        """,
        "Write `if t < n and t != 3:` around the work",
    ),
    "a barrier in a loop": (
        """
        for r in range(t):
            cuda.syncthreads()
        """,
        "(`for r in range(t):`) takes more turns in some threads than in others",
    ),
}


def test_a_fence_is_advised_only_where_it_is_what_is_missing():
    # The block's other threads may not have written yet: what is missing is a barrier.
    body = """
        a[i] = i + 5
        if t == 0:
            cuda.threadfence()
            if cuda.atomic.add(b, 0, 1) == 1:
                b[2] = a[1] + a[33]
        """
    result = run_script(script(body, "2, 32", I, I), mode="check", max_steps=20_000)
    assert any(f.kind == "global-race" for f in result.findings), result.message
    assert not any("fence" in f.message for f in result.findings), result.message


@pytest.mark.parametrize(
    "line, array, sentence",
    [
        (
            "b[0] += 1",
            "int8",
            "takes no int8: make it an array of int32 and write `cuda.atomic.add(",
        ),
        (
            "b[0] |= 1",
            "uint16",
            "takes no uint16: make it an array of uint32 and write `cuda.atomic.or",
        ),
        ("b[0] -= 1", "float16", "takes no float16: make it an array of float32 and write"),
        ("b[0] += 1", "complex64", "takes no complex64: give each thread an element of its own"),
        ("b[0] += 1", "int64", "does all three as one: `cuda.atomic.add(b, 0, 1)`"),
        ("b[0]['n'] += 1", "[('n', 'i4')]", "as one: `cuda.atomic.add(b['n'], 0, 1)`"),
        ("b[0].n += 1", "[('n', 'i2')]", "takes no int16: make it an array of int32"),
    ],
)
def test_the_atomic_operation_that_is_advised_takes_the_type(line, array, sentence):
    array = array if array.startswith("[") else f"np.{array}"
    result = run_script(script(line, "2, 32", I, f"np.zeros(4, {array})"), mode="check")
    assert result.findings and all(sentence in f.message for f in result.findings), [
        str(f) for f in result.findings
    ]


def test_names_that_hold_each_other_have_no_end_and_no_remedy():
    function = ast.parse("def k(b):\n while b[0]:\n  y = z\n  z = y\n b[0] = z").body[0]
    assert source.remedies(function) == ({}, {})


@pytest.mark.parametrize("name", MENDED)
def test_a_finding_shows_the_line_as_it_should_be(name):
    body, sentence = MENDED[name]
    result = run_script(script(body, "2, 32", I, I), mode="check", max_steps=20_000)
    assert any(sentence in f.message for f in result.findings), [str(f) for f in result.findings]


# One warp's accesses, each count made by hand from the hardware's rule: 32-byte sectors of global
# memory, and one turn of shared memory for each different word that a bank is asked for. (dtype,
# shape, index, sectors) and (dtype, shape, index, turns).
SECTORS = [
    ("f4", 64, "t", 4), ("f8", 64, "t", 8), ("i1", 64, "t", 1), ("f2", 64, "t", 2),
    ("c8", 64, "t", 8), ("c16", 64, "t", 16), ("u2", 64, "t", 2), ("i8", 64, "t", 8),
    ("f4", 64, "t + 1", 5), ("f4", 64, "t + 8", 4), ("f4", 64, "t + 7", 5), ("i8", 64, "t + 1", 9),
    ("f4", 64, "2 * t", 8), ("f4", 128, "4 * t", 16), ("f4", 256, "8 * t", 32),
    ("f4", 1024, "32 * t", 32), ("f8", 64, "2 * t", 16), ("i2", 96, "3 * t", 6),
    ("i1", 1024, "32 * t", 32), ("f4", 64, "0", 1), ("f4", 64, "31 - t", 4),
    ("f4", 64, "5 * t % 32", 4), ("f4", 64, "t // 2", 2), ("f4", 64, "t // 8", 1),
    ("f4", 2048, "t % 2 * 1024 + t // 2", 4), ("f4", (2, 32), "1, t", 4),
    ("f4", (32, 32), "t, 0", 32), ("f4", (32, 8), "t, 3", 32), ("f4", (32, 2), "t, 1", 8),
    ("f4", (4, 64), "t // 8, t % 8", 4), ("f4", (8, 64), "t // 4, t % 4", 8),
    ("f4", (4, 64), "t // 8, t % 8 + 4", 8),
]  # fmt: skip
TURNS = [
    ("f4", 32, "t", 1), ("f4", 64, "2 * t", 2), ("f4", 128, "4 * t", 4), ("f4", 512, "16 * t", 16),
    ("f4", 1024, "32 * t", 32), ("f4", 1056, "33 * t", 1), ("f4", 96, "3 * t", 1),
    ("f4", 32, "0", 1), ("f4", 32, "t // 2", 1), ("i1", 32, "t", 1), ("f8", 32, "t", 2),
    ("f8", 64, "2 * t", 4), ("f4", (32, 32), "t, 5", 32), ("f4", (32, 33), "t, 5", 1),
]  # fmt: skip
PATTERN = """import numpy as np
from numba import cuda
@cuda.jit
def k(a, out):
    s = cuda.shared.array({shape}, np.{tile})
    t = cuda.grid(1)
    {line}
{given}
k[1, 32](a, np.zeros(32, "{dtype}"))
"""


def pattern(dtype, shape, line):
    """What one warp asks for in a line: {(kind, space): access}."""
    given = f"a = np.zeros({shape}, '{dtype}')"
    shape, tile = (shape, np.dtype(dtype).name) if "s[" in line else (1, "float32")
    source = PATTERN.format(shape=shape, tile=tile, dtype=dtype, line=line, given=given)
    result = run_script(source, mode="check")
    assert result.error is None, result.message
    rows = result.launches[0].counts.merged()
    return {(r.kind, r.space): r for r in rows}


@pytest.mark.parametrize(("dtype", "shape", "index", "sectors"), SECTORS)
def test_sectors_are_those_counted_by_hand(dtype, shape, index, sectors):
    row = pattern(dtype, shape, f"out[t] = a[{index}]")["load", "global"]
    assert (row.requests, row.sectors) == (1, sectors)
    if index in ("t", "2 * t", "t + 1", "31 - t"):  # each lane its own: a store asks for the same
        row = pattern(dtype, shape, f"a[{index}] = out[t]")["store", "global"]
        assert (row.requests, row.sectors) == (1, sectors)


@pytest.mark.parametrize(("dtype", "shape", "index", "turns"), TURNS)
def test_turns_of_shared_memory_are_those_counted_by_hand(dtype, shape, index, turns):
    row = pattern(dtype, shape, f"s[{index}] = out[0]")["store", "shared"]
    assert (row.requests, row.wavefronts) == (1, turns)


def test_there_are_enough_of_them():
    assert len(FIRST) + len(FAULTS) >= 80
    assert len(FIRST_RIGHT) + len(RIGHT) >= 40
    assert len(SECTORS) + len(TURNS) >= 41

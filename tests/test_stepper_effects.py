"""What an expression does besides its value: once, in Python's order, rounded to its own type.

Python is the reference: a kernel of one thread is a function, and does the same on the same arrays.
"""

import random

import numpy as np
import pytest

from simulator.stepper import Stepper, native, runtime

MODES = ("run", "check", "record")
HEAD = "import math\nimport numpy as np\n"
FUNCTIONS = """
@cuda.jit
def log(notes, k):
    notes[0] = (notes[0] + 1) % 300
    notes[int(notes[0])] = k
    return k

@cuda.jit
def two(notes, k):
    return log(notes, k), log(notes, k + 1)

@cuda.jit
def three(a, b, c):
    return (a * 100 + b * 10 + c) % 97

@cuda.jit
def change(x, k):
    x[k % 8] = (x[k % 8] * 2 + 1) % 97
    return x[k % 8]

@cuda.jit
def own(x, a, b):
    a += 1
    b = b * 2 % 97
    x[a % 8] = b
    return (a + b) % 97

@cuda.jit
def product(a, b):
    return a * b
"""


class Python:
    """What ``cuda`` is in the reference."""

    @staticmethod
    def jit(function):
        return function


class Drawn:
    """Kernels of integers: each expression may write a note, change the array or be a jump."""

    parameters = "notes, x, n"

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.names, self.fresh = ["n"], 0

    def source(self):
        return kernel(self.parameters, self.block(9, 0))

    def leaf(self):
        r = self.random
        return r.choice([str(r.randrange(-5, 20)), *r.choices(self.names, k=2), "x[3]", "x[5]"])

    def expression(self, depth=3):
        r = self.random
        if depth <= 0 or r.random() < 0.12:
            return self.leaf()
        a, b, c = (self.expression(depth - 1) for _ in range(3))
        named = ["a=" + a, "b=" + b, "c=" + c]
        r.shuffle(named)
        test = self.test(depth - 1)
        return r.choice(
            [
                *[f"log(notes, {a})"] * 3,
                *[f"change(x, {a})"] * 3,
                *[f"({a} {op} {b}) % 97" for op in "+-*"],
                *[f"({a} {op} {b})" for op in ("&", "|", "and", "or")],
                *[f"({a} {op} {r.randrange(1, 9)})" for op in ("//", "%")],
                *[f"({a}, {b})[0]", f"({a}, {b}, {c})[2]", f"({a}, 7)[1]", f"({a}, {b})[-1:][0]"],
                *[f"two(notes, {a})[1]", f"len((1, {a}))", f"three({', '.join(named)})"],
                *[f"three({a}, {b}, {c})", f"own(x, {a}, {b})", f"x[{a} % 8]", f"-({a})"],
                *[f"min({a}, {b})", f"max({a}, {b}, {c})", f"abs({a})", f"int({test})"],
                f"({a} if {test} else {b})",
            ]
        )

    def test(self, depth):
        r = self.random
        a, b, c = (self.expression(depth - 1) for _ in range(3))
        one, two = (r.choice(["<", "<=", ">", ">=", "==", "!="]) for _ in range(2))
        return r.choice(
            [
                f"({a} {one} {b})",
                f"({a} {one} {b} {two} {c})",
                f"(not {a})",
                f"({a} in ({b}, {c}))",
                f"({a} {one} 3 and {b} {two} {c})",
                f"({a} {one} 3 or {b} {two} {c})",
            ]
        )

    def name(self):
        self.fresh += 1
        self.names.append(f"v{self.fresh}")
        return self.names[-1]

    def block(self, count, depth):
        r, lines = self.random, []
        for _ in range(count):
            place, value = f"x[{self.expression(1)} % 8]", self.expression()
            kind = r.randrange(10 if depth < 2 else 8)
            known = list(self.names)
            if kind < 2:
                lines.append(f"{self.name()} = {value}")
            elif kind < 4:
                lines.append(f"{place} = {value}")
            elif kind < 6:
                lines.append(f"{place} {r.choice(['+=', '-=', '^='])} {value}")
            elif kind == 6:
                other = self.expression(2)
                lines.append(f"{self.name()}, {place} = {value}, {other}")
            elif kind == 7:
                lines.append(f"{self.name()} = {place} = {value}")
            elif kind == 8:
                for head in (f"if {self.test(2)}:", "else:"):
                    lines += [head, *("    " + line for line in self.block(2, depth + 1))]
                    self.names = list(known)
            else:
                items = ", ".join(self.expression(1) for _ in range(3))
                turns = r.choice([f"({items})", f"range({self.expression(1)} % 3 + 1)"])
                lines.append(f"for {self.name()} in {turns}:")
                lines += ["    " + line for line in self.block(2, depth + 1)]
                self.names = known
        return lines

    @staticmethod
    def arguments():
        return np.zeros(310, np.int64), np.arange(3, 11), 5


class DrawnFloats(Drawn):
    """Kernels of floats of all widths: what is rounded where, and the sign of a zero."""

    parameters = "notes, half, single, double, u, v, w"
    types = ("np.float16", "np.float32", "np.float64")

    def __init__(self, seed):
        super().__init__(seed)
        self.names = ["u", "v", "w"]

    def leaf(self):
        r = self.random
        number = r.choice(["0.0", "-0.0", "1.5", "0.1", "-2.25", "1e-3"])
        array = r.choice(["half", "single", "double"])
        made = f"{r.choice(self.types)}({number})"
        return r.choice([made, *r.choices(self.names, k=2), f"{array}[{r.randrange(4)}]"])

    def expression(self, depth=3):
        r = self.random
        if depth <= 0 or r.random() < 0.15:
            return self.leaf()
        a, b = (self.expression(depth - 1) for _ in range(2))
        kind = r.choice(self.types)
        test = f"{a} {r.choice(['<', '>=', '=='])} {self.expression(depth - 1)}"
        return r.choice(
            [
                *[f"({a} {op} {b})" for op in "+-*+-*"],
                *[f"(-{a})", f"abs({a})", f"{kind}({a})", f"log(notes, {a})"],
                *[f"product({a}, {b})", f"product(b={a}, a={b})", f"({a}, {b})[1]"],
                f"({kind}({a}) if {test} else {kind}({b}))",
            ]
        )

    def block(self, count, depth):
        r, lines = self.random, []
        for _ in range(count):
            value, place = self.expression(), f"{r.choice(['half', 'single', 'double'])}[2]"
            kind = r.randrange(4)
            if kind == 0:
                lines.append(f"{self.name()} = {value}")
            elif kind == 1:
                lines.append(f"{place} {r.choice(['+=', '-=', '*='])} {value}")
            else:
                lines.append(f"{place.replace('2', str(r.randrange(4)))} = {value}")
        return lines

    @staticmethod
    def arguments():
        values = [0.1, -0.0, 2.5, -3]
        arrays = [np.array(values, dtype) for dtype in (np.float16, np.float32, np.float64)]
        return np.zeros(310), *arrays, np.float16(1.3), np.float32(-0.7), np.float64(0)


def kernel(parameters, lines):
    body = "\n".join("    " + line for line in lines)
    return f"{FUNCTIONS}\n@cuda.jit\ndef kernel({parameters}):\n{body}\n"


def in_python(source, arguments):
    names = {"cuda": Python}
    exec(compile(HEAD + source, "reference.py", "exec"), names)
    with np.errstate(all="ignore"):
        names["kernel"](*arguments)
    return arguments


def in_stepper(source, arguments, mode):
    stepper, names = Stepper(mode=mode), {}
    stepper.execute(f"{HEAD}from numba import cuda\n{source}", names, "drawn.py")
    names["kernel"][1, 1](*arguments)
    assert not stepper.findings, stepper.findings[0]
    return arguments


def same(a, b):
    """Equal to the bit, but for the bits of a NaN."""
    if not isinstance(a, np.ndarray):
        return True
    return np.array_equal(a, b, equal_nan=a.dtype.kind == "f") and np.array_equal(
        np.signbit(a[a == a]), np.signbit(b[b == b])
    )


def compare(source, arguments, modes=MODES):
    expected = in_python(source, arguments())
    for mode in modes:
        found = in_stepper(source, arguments(), mode)
        assert all(map(same, expected, found)), f"mode {mode!r}:\n{source}"


@pytest.mark.parametrize("drawn", [Drawn, DrawnFloats])
def test_drawn_kernels_do_what_python_does(drawn):
    for seed in range(45):
        compare(drawn(seed).source(), drawn.arguments)


def test_long_launches_do_what_python_does(monkeypatch):
    """They are compiled by Numba."""
    monkeypatch.setattr(runtime, "LONG", -1)
    compiled, run = [], native.Native.run
    counted = lambda *args: compiled.append(run(*args)) or compiled[-1]  # noqa: E731
    monkeypatch.setattr(native.Native, "run", counted)
    for seed in range(100, 103):
        compare(Drawn(seed).source(), Drawn.arguments, ["run"])
    assert sum(compiled) > 1


WHOLE = {
    "an item of a tuple": ["x[0] = (log(notes, 1), 7)[1]", "x[1] = (log(notes, 2), n)[-1]"],
    "an item of a call's tuple": ["x[0] = two(notes, 3)[1]"],
    "the length of a tuple": ["x[0] = len((log(notes, 1), log(notes, 2)))"],
    "named arguments": ["x[0] = three(c=log(notes, 1), a=log(notes, 2), b=log(notes, 3))"],
    "named after others": ["x[0] = three(log(notes, 1), c=log(notes, 2), b=log(notes, 3))"],
    "nought times a call": ["z = 0", "x[0] = z * log(notes, 1) % 97"],
    "items of a loop": ["for v in (log(notes, 1), 2, log(notes, 3)):", "    log(notes, v * 10)"],
    "what the turn before has assigned": [
        "for i in range(4):",
        "    if i == 0:",
        "        m = n",
        "    elif i == 1:",
        "        m += 1",
        "    else:",
        "        k = m * 2",
        "        x[i] = k",
    ],
}


@pytest.mark.parametrize("lines", WHOLE.values(), ids=WHOLE)
def test_effects(lines):
    compare(kernel(Drawn.parameters, lines), Drawn.arguments)


FLOATS = {
    "float16 in a wider array": ["single[0] = half[0] * half[2] + half[3]", "double[0] = -half[0]"],
    "float16 through a call": ["single[0] = product(half[0], half[2])"],
    "items of different types": [
        "for k in (log(notes, 1), 2.5):",
        "    double[0] = log(notes, k * 10)",
    ],
    "the sign of zero": ["double[0] = -double[1] * 0", "single[0] = -(single[1] - single[1])"],
}


@pytest.mark.parametrize("lines", FLOATS.values(), ids=FLOATS)
def test_floats(lines):
    compare(kernel(DrawnFloats.parameters, lines), DrawnFloats.arguments)


ROUNDED = """
@cuda.jit
def kernel(x, out):
    out[0] = math.copysign(1.0, math.ceil(x[0]))
    out[1] = math.copysign(1.0, math.trunc(x[0]))
    out[2] = math.floor(x[1]) / 4
    out[3] = math.copysign(1.0, np.rint(x[0]))
"""


@pytest.mark.parametrize("long", [False, True])
def test_what_is_rounded_to_a_whole_number_stays_a_float(monkeypatch, long):
    """As on the GPU, where math.floor gives a float; 1e300 is no integer of 64 bits."""
    if long:
        monkeypatch.setattr(runtime, "LONG", -1)
    _, out = in_stepper(ROUNDED, (np.array([-0.25, 1e300]), np.zeros(4)), "run")
    assert out.tolist() == [-1.0, -1.0, 1e300 / 4, -1.0]


def test_a_local_name_is_no_global_one():
    source = "limit = 3\n" + kernel("x", ["if x[0] > 9:", "    limit = 1", "x[0] = limit"])
    with pytest.raises(Exception, match="the name `limit` is not defined here|used before"):
        in_stepper(source, (np.zeros(4, np.int64),), "run")


def test_an_unassigned_name_in_a_loop_is_refused():
    lines = ["for i in range(3):", "    if i > 5:", "        x[0] = m", "    n = 2", "m = n"]
    with pytest.raises(Exception, match="the name `m` is not defined here"):
        in_stepper(kernel("x", lines), (np.zeros(4, np.int64),), "run")


def test_arguments_that_are_named_in_another_order_are_refused_where_a_call_is_built_in():
    lines = ["cuda.atomic.add(idx=log(notes, 0), ary=x, val=1)"]
    with pytest.raises(Exception, match="named in another order"):
        in_stepper(kernel("notes, x", lines), (np.zeros(310), np.zeros(4, np.int64)), "run")

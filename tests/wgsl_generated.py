"""Kernels written at random, for simulator/wgsl: what they compute is what the stepper computes.

``Kernel`` takes all chance from an object like ``random.Random``: one of hypothesis, which makes
what fails smaller, or one of a fixed seed for the kernels that a record counts (``program``).
"""

import random

import numpy as np

N = 50  # elements, no multiple of the block
ALL = "0xffffffff"  # lanes
INT = ("i", "j", "n", "a[i]", "a[j]", "np.int32(u[i])", "b[i]", "a.size", "3", "-7", "12", "p")
UINT = ("u[i]", "u[j]", "np.uint32(i)", "np.uint32(5)", "np.uint32(a[i])", "q")
FLOAT = ("x[i]", "x[j]", "np.float32(a[i])", "np.float32(0.75)", "f", "np.float32(i)")
EXACT = ("x[i]", "x[j]", "0.5", "2.0", "f", "np.float32(-1.25)")


class Kernel:
    """One kernel, drawn from ``source``. ``launch``: its grid and block."""

    kinds = 13  # of statements

    def __init__(self, source):
        self.random = source
        self.lines = []
        self.block_size = self.random.choice((32, 64))
        self.launch = 64 // self.block_size, self.block_size
        # One operation a kernel: of several, the order would tell.
        self.atomic = self.random.choice(("add", "max", "min", "xor", "and_", "or_"))

    def pick(self, *choices):
        return self.random.choice(choices)

    def whole(self, depth):
        """An int32 expression, in brackets."""
        r = self.random
        if depth == 0 or r.random() < 0.2:
            return r.choice(INT)
        one, two = self.whole(depth - 1), self.whole(depth - 1)
        return "np.int32" + self.pick(
            f"({one} + {two})", f"({one} - {two})", f"({one} * {two})",
            f"(np.int32({one}) // np.int32({two}))", f"(np.int32({one}) % np.int32({two}))",
            f"({one} % {r.choice((2, 3, 8, 10))})", f"(np.int32({one}) // {r.choice((2, 3, 16))})",
            f"({one} & {two})", f"({one} | {two})", f"({one} ^ {two})", f"(~{one})",
            f"(-np.int32({one}))", f"({one} << {r.randrange(0, 20)})",
            f"(np.int32({one}) >> {r.randrange(0, 31)})", f"(abs(np.int32({one})))",
            f"(min(np.int32({one}), np.int32({two})))", f"(max(np.int32({one}), np.int32({two})))",
            f"({one} if {self.test(depth - 1)} else {two})", f"({self.unsigned(depth - 1)})",
            f"({self.real(1)})", f"(np.int8({one}))", f"(np.uint8({one}))", f"(np.int16({one}))",
            f"(pair({one}, {two}))", f"({one} ** 2)", f"(cuda.popc(np.int32({one})))",
        )  # fmt: skip

    def unsigned(self, depth):
        """A uint32 expression."""
        r = self.random
        if depth == 0 or r.random() < 0.2:
            return r.choice(UINT)
        one, two = self.unsigned(depth - 1), self.unsigned(depth - 1)
        return "np.uint32" + self.pick(
            f"({one} + {two})", f"({one} - {two})", f"({one} * {two})",
            f"(np.uint32({one}) // np.uint32({two}))", f"(np.uint32({one}) % np.uint32({two}))",
            f"({one} & {two})", f"({one} | {two})", f"({one} ^ {two})",
            f"({one} << np.uint32({r.randrange(0, 31)}))",
            f"(np.uint32({one}) >> np.uint32({r.randrange(0, 31)}))",
            f"(min(np.uint32({one}), np.uint32({two})))", f"(cuda.brev(np.uint32({one})))",
            f"({self.whole(depth - 1)})",
        )  # fmt: skip

    def real(self, depth):
        """A float32 expression whose value float32 holds exactly, so that no rounding differs."""
        if depth == 0 or self.random.random() < 0.2:
            return self.random.choice(EXACT)
        one, two = self.real(depth - 1), self.real(depth - 1)
        return self.pick(
            f"np.float32({one} + {two})", f"np.float32({one} - {two})", f"np.float32({one} * 0.5)",
            f"min({one}, {two})", f"max({one}, {two})", f"abs({one})", f"(-np.float32({one}))",
            f"math.floor(np.float32({one}))", f"math.ceil(np.float32({one}))",
            f"({one} if {self.test(0)} else {two})", f"np.float32(np.int32({one}) & 15)",
            f"math.trunc(np.float32({one}))", *self.quotients(one, two),
        )  # fmt: skip

    def quotients(self, one, two):
        return (f"np.float32({one} % {self.divisor(two)})",
                f"np.float32(np.float32({one}) // {self.divisor(two)})",
                f"(np.float32({one}) % {self.divisor(two)})")  # fmt: skip

    def divisor(self, real):
        """A float32 that is not 0, of either sign."""
        above, below = f"np.float32(abs({real}) + 0.5)", f"np.float32(-0.25 - abs({real}))"
        return self.pick("np.float32(0.75)", "np.float32(-2.5)", "np.float32(4)", above, below)

    def half(self, depth):
        """A float16 expression."""
        if depth == 0 or self.random.random() < 0.2:
            return self.pick("h[i]", "h[j]", "hout[i]")
        one, two = self.half(depth - 1), self.half(depth - 1)
        return self.pick(f"({one} + {two})", f"({one} - {two})", f"({one} * {two})", f"(-{one})",
                         f"abs({one})", f"({one} if {one} < {two} else {two})")  # fmt: skip

    def test(self, depth):
        r = self.random
        sign = r.choice(("<", "<=", ">", ">=", "==", "!="))
        if depth <= 0:
            return self.pick(f"a[i] {sign} {r.randrange(-9, 9)}", f"x[i] {sign} 0.5", f"i {sign} j",
                             f"u[i] {sign} np.uint32(40)", "i % 3 == 1")  # fmt: skip
        return self.pick(
            f"np.int32({self.whole(depth)}) {sign} np.int32({self.whole(depth)})",
            f"{self.test(0)} and {self.test(depth - 1)}", f"{self.test(0)} or {self.test(0)}",
            f"not {self.test(0)}", f"-5 <= a[i] < {r.randrange(9)}",
            f"np.uint32({self.unsigned(1)}) {sign} np.uint32({self.unsigned(1)})",
            f"np.float32({self.real(1)}) {sign} np.float32({self.real(1)})",
        )  # fmt: skip

    def block(self, depth, indent, loop=False):
        for _ in range(self.random.randrange(1, 4)):
            self.statement(depth, indent, loop)

    def statement(self, depth, indent, loop):
        r, put = self.random, lambda text: self.lines.append("    " * indent + text)
        kind = r.randrange(self.kinds if depth else 5)
        if kind == 0:
            put(f"p = {self.whole(2)}")
        elif kind == 1:
            put(f"q = {self.unsigned(2)}")
        elif kind == 2:
            put(f"f = np.float32({self.real(2)})")
        elif kind == 3:
            put(f"out[i] {self.pick('=', '+=', '-=', '^=')} {self.whole(2)}")
        elif kind == 4:
            put(f"cuda.atomic.{self.atomic}"
                f"(hist, np.int32({self.whole(1)}) & 7, {self.whole(1)})")  # fmt: skip
        elif kind in (5, 6):
            put(f"if {self.test(1)}:")
            self.block(depth - 1, indent + 1, loop)
            if r.random() < 0.5:
                put("else:")
                self.block(depth - 1, indent + 1, loop)
        elif kind in (7, 8):
            name = f"k{indent}"
            first = self.pick("", "1, ", "i % 2, ")
            put(f"for {name} in range({first}{r.randrange(2, 6)}):")
            put(f"    p += a[(i + {name}) % a.size]")
            self.block(depth - 1, indent + 1, True)
            if r.random() < 0.4:
                put(f"    if {self.test(0)}:")
                put(f"        {self.pick('break', 'continue')}")
                put(f"    q += np.uint32({name})")
        elif kind == 9:
            name = f"w{indent}"
            put(f"{name} = {self.pick('i % 7', '5', 'b[i]')}")
            put(f"while {name} > 0:")
            self.block(depth - 1, indent + 1, True)
            put(f"    {name} {self.pick('-= 1', '//= 2', '-= 2')}")
        elif kind == 10:
            put(f"fout[i] = {self.real(2)}")
        elif kind == 11:
            put(f"s = s + {self.whole(1)} if {self.test(0)} else s")
        else:
            put(f"hout[i] = {self.half(2)}")

    # What all threads of a block do together, before some of them leave.

    def warps(self):
        """Shuffles, votes and reductions of ``v``, an int32, and ``g``, a float32."""
        r = self.random
        self.lines += ["    v = np.int32(a[i]) if i < a.size else np.int32(-1)",
                       "    g = np.float32(x[i]) if i < a.size else np.float32(0.25)",
                       "    w = np.uint32(0)"]  # fmt: skip
        for _ in range(r.randrange(1, 5)):
            deep = 1
            kind = r.randrange(7)
            if r.random() < 0.25:  # all threads of a block, or none
                self.lines.append(f"    if {self.pick('cuda.blockIdx.x == 0', 'n > 20')}:")
                deep = 2
            elif r.random() < 0.25:
                self.lines.append(f"    for z in range({r.randrange(1, 4)}):")
                deep = 2
            self.lines += ["    " * deep + line for line in self.warp(kind)]

    def warp(self, kind):
        r = self.random
        far = r.randrange(-40, 81)  # of a distance, a warp takes the last five bits
        near = f"v > {r.randrange(-40, 40)}"
        test = self.pick(near, "t % 3 == 0", "g < np.float32(1)", "v & 1 == 0")
        lane = self.pick(str(far), f"(t + {far}) & 31", f"t ^ {far}", "v & 31", "31 - (t & 31)")
        if kind == 0:
            return [f"v = cuda.shfl_sync({ALL}, v, {lane})"]
        if kind == 1:
            away = self.pick(str(far), f"t + {far}", f"{far} - t", f"n + {far}", "v")
            other = f"cuda.shfl_{self.pick('up', 'down', 'xor')}_sync({ALL}, v, {away})"
            return [f"v = np.int32(v {self.pick('+', '-', '^')} {other})"]
        if kind == 2:
            way = self.pick("shfl_up_sync", "shfl_down_sync", "shfl_xor_sync", "shfl_sync")
            return [f"g = {self.pick('min', 'max')}(g, cuda.{way}({ALL}, g, {far}))"]
        if kind == 3:
            return [f"w ^= np.uint32(cuda.ballot_sync({ALL}, {test}))"]
        if kind == 4:
            vote = self.pick("all", "any", "eq")
            return [f"if cuda.{vote}_sync({ALL}, {test}):", f"    v = np.int32(v ^ {far})"]
        if kind == 5:  # a sum of the warp, or its largest
            one = f"cuda.shfl_{self.pick('down', 'xor')}_sync({ALL}, v, o)"
            new = self.pick(f"np.int32(v + {one})", f"max(v, {one})", f"np.int32(v ^ {one})")
            halving = ["o = 16", "while o > 0:", f"    v = {new}", "    o //= 2"]
            return self.pick(["for o in (16, 8, 4, 2, 1):", f"    v = {new}"], halving)
        return ["for o in range(5):", f"    y = cuda.shfl_up_sync({ALL}, v, 1 << o)",
                "    if t & 31 >= 1 << o:", "        v = np.int32(v + y)"]  # fmt: skip

    def square(self):
        """A workgroup's array of two dimensions, written by rows and read by columns."""
        kind = self.pick("np.float32", "np.int32", "np.float16")
        rows, pad = self.block_size // 8, self.pick(8, 9)
        first, to = {"np.float32": ("x[i]", "fout"), "np.int32": ("a[i]", "out"),
                     "np.float16": ("h[i % a.size]", "hout")}[kind]  # fmt: skip
        if kind != "np.float16":
            first += f" if i < a.size else {kind}(t)"
        self.lines += [
            f"    square = cuda.shared.array(({rows}, {pad}), {kind})",
            f"    square[t // 8, t % 8] = {first}",
            "    cuda.syncthreads()",
            "    if i < a.size:",
            f"        {to}[i] = square[t % {rows}, t // {rows}]",
        ]
        if self.random.random() < 0.5:
            row = self.random.randrange(rows)
            self.lines += [
                "    cuda.syncthreads()",
                "    if t < 8:",
                f"        square[{row}, t] = square[{(row + 1) % rows}, 7 - t]",
                "    cuda.syncthreads()",
                "    if i < a.size:",
                f"        {to}[i] {self.pick('=', '+=')} square[{row}, t % 8]",
            ]

    def source(self, name):
        r = self.random
        self.lines = []
        waits, size = r.random() < 0.5, self.block_size
        self.lines.append("    t = cuda.threadIdx.x")
        if r.random() < 0.3:
            self.square()
        warps = r.random() < 0.5
        if warps:
            self.warps()
        if waits:
            self.lines += [
                f"    tile = cuda.shared.array({size}, np.int32)",
                "    tile[t] = a[i] if i < a.size else -1",
                "    cuda.syncthreads()",
            ]
        self.lines += ["    if i < a.size:", "        j = (i * 3 + 1) % a.size",
                       "        p, f = np.int32(i), np.float32(1)", "        q = np.uint32(7)",
                       "        s = np.int32(0)"]  # fmt: skip
        if waits:
            self.lines.append(f"        p += tile[{size - 1} - t]")
        if warps:
            self.lines += ["        p += v", "        q ^= w", "        fout[i] += g"]
        self.block(3, 2)
        self.lines += ["        out[i] += p + s", "        uout[i] = q", "        fout[i] += f"]
        if waits and r.random() < 0.6:
            self.lines += [
                "    cuda.syncthreads()",
                f"    step = {size // 2}",
                "    while step > 0:",
                "        if t < step:",
                "            tile[t] += tile[t + step]",
                "        cuda.syncthreads()",
                "        step //= 2",
                "    if t == 0:",
                "        cuda.atomic.add(hist, 8, tile[0])",
            ]
        head = f"@cuda.jit\ndef {name}({PARAMETERS}):\n    i = cuda.grid(1)\n"
        text = "\n".join(self.lines) + "\n"
        if "hout" in text:  # 8 arrays are what WebGPU promises
            text = text.replace("uout[i] = q", "out[i] ^= np.int32(q)").replace("b[i]", "(i & 7)")
        return head + text


ARMS = ("np.uint8(b[i])", "np.uint16(i)", "np.uint32(7)", "np.int8(-3)", "j", "5", "-2")
BEYOND = ("4000000000", "-3000000000", "np.uint32(0xDEADBEEF)", "2147483648", "1 << 40")


class Settled(Kernel):
    """A kernel that also has branches which a launch settles, with arms of other types; negatives
    of unsigned numbers; constants beyond 32 bits. (Of ``Kernel`` fixed seeds are on record.)"""

    arms = ARMS

    def whole(self, depth):
        r = self.random
        if depth == 0 or r.random() < 0.8:
            return super().whole(depth)
        arm, other = r.choice(self.arms), r.choice(self.arms)
        return "np.int32" + self.pick(
            f"(-{r.choice(UINT)})", f"(-np.uint8(b[i]) // {r.choice((2, 3, 7))})",
            f"(-np.uint16({super().whole(depth - 1)}))", "(-(np.uint32(i) & np.uint32(7)))",
            f"({super().whole(depth - 1)} ^ {r.choice(BEYOND)})",
            f"(-({arm} if n < 60 else {other}))", f"(-({arm} if n > 60 else {other}))",
        )  # fmt: skip

    def statement(self, depth, indent, loop):
        r = self.random
        if r.random() > 0.15:
            return super().statement(depth, indent, loop)
        arm, other, deep = r.choice(self.arms), r.choice(self.arms), "    " * indent
        branch = self.pick(f"if n {self.pick('>', '<')} 60:", "for e in range(2):",
                           "for e in range(n - n):")  # fmt: skip
        used = f"p ^= np.int32({self.pick('-m', '~m', 'm << 9')})"
        self.lines += [f"{deep}m = {arm}", f"{deep}{branch}"]
        if branch.startswith("for"):
            self.lines.append(f"{deep}    {used}")
        self.lines += [f"{deep}    m = {other}", f"{deep}{used}"]
        return None


class Long(Settled):
    """One that also writes constants to an array of int64."""

    def source(self, name):
        text = super().source(name)
        return text.replace("uout[i] = q", f"uout[i] = {self.pick(*BEYOND, 'i', '-5')}")


class Wide(Settled):
    """A kernel that also computes in float64 what float32 holds, or what is rounded to it once."""

    def real(self, depth):
        if depth == 0 or self.random.random() < 0.3:
            return super().real(depth)
        one, two = self.real(depth - 1), self.real(depth - 1)
        whole = f"({self.pick('i', 'j', 'n', 'b[i]')} - {self.random.randrange(40)})"
        grid = f"({whole} * {self.pick('0.25', '2.0', '-0.5')} + {self.pick('0.5', '3.0', 'i')})"
        return self.pick(
            grid, f"({grid} * {grid})", f"np.float32({one} * {two})", f"np.float32({one} / 4.0)",
            f"np.float32({one} - {grid})", f"np.float32({whole} / {self.pick(2, 8.0)})",
            f"({one} if {one} > 0.1 else {two})", f"np.float32({grid} / 2.0 * {two})",
            f"np.float32(math.sqrt(abs({one} * 1.0) * np.float32(1)))",
            f"np.float32(min({one} * {two}, 0.7))", f"np.float32(max({one} + {two}, {grid}))",
            f"math.floor({grid})", f"np.float32(-abs({one} * 3.0))",
        )  # fmt: skip

    def test(self, depth):
        if self.random.random() < 0.7:
            return super().test(depth)
        sign = self.pick("<", "<=", ">", ">=")
        return self.pick(f"x[i] {sign} 0.1", f"-0.3 {sign} x[j]", f"i * 0.5 {sign} 2.3",
                         f"x[i] {sign} (i - 20) * 0.25")  # fmt: skip

    def statement(self, depth, indent, loop):
        if self.random.random() > 0.6:
            return super().statement(depth, indent, loop)
        self.lines += [
            "    " * indent + line
            for line in ("d = 0.0", f"if {self.test(0)}:", f"    d = {self.real(2)}",
                         f"fout[i] = {self.pick('d', 'd * 0.5', 'd + x[i]', 'max(d, 0.3)')}")
        ]  # fmt: skip
        return None


PARAMETERS = "a, b, u, x, n, h, out, uout, fout, hout, hist"
HEAD = """import math
import numpy as np
from numba import cuda

@cuda.jit(device=True)
def pair(p, q):
    if p > q:
        return np.int32(p - q)
    return np.int32(q ^ p)

"""


def arguments(seed):
    r = np.random.default_rng(seed)
    a = r.integers(-60, 60, N).astype(np.int32)
    a[::11] = [2147483647, -2147483648, 0, -1, 1, 65536, 99999][: len(a[::11])]
    u = r.integers(0, 1 << 32, N, dtype=np.uint64).astype(np.uint32)
    x = (r.integers(-40, 40, N) / 4).astype(np.float32)
    b = r.integers(0, 9, N).astype(np.uint8)
    n, h = int(r.integers(1, 50)), (r.integers(-12, 12, N) / 4).astype(np.float16)
    zeros = np.zeros(N, np.int32), np.zeros(N, np.uint32), np.zeros(N, np.float32)
    zeros = *zeros, np.zeros(N, np.float16)
    return [a, b, u, x, n, h, *zeros, np.zeros(9, np.int32)]


def program(seeds):
    """Return (source, {name: (launch, arguments)}) of kernels, one for each seed."""
    parts, launches = [HEAD], {}
    for seed in seeds:
        kernel, name = Kernel(random.Random(seed)), f"k{seed}"
        parts.append(kernel.source(name))
        launches[name] = kernel.launch, arguments(seed)
    return "\n\n".join(parts), launches


# ---------------------------------------------------------------- numbers of many types

N_MIXED = 32
MIXED_ARRAYS = {"a": np.int32, "u": np.uint32, "b": np.int8, "c": np.uint8, "h": np.uint16}
MIXED = "a, u, b, c, h, x, y, n, flag, out, uout, fout"
MIXED_LEAVES = ("i", "n", "a[i]", "u[i]", "b[i]", "c[i]", "h[i]", "p", "3", "-7", "65535", "t[0]",
                "np.uint8(200)", "np.int8(-100)", "np.uint16(i * 999)", "(a[i] > 3)", "a[31 - i]",
                "np.int32(-2147483647)", "2147483647", "np.int16(a[i])")  # fmt: skip
NARROW = ("int8", "uint8", "int16", "uint16", "int32", "uint32")
MIXED_HEAD = """import math
import numpy as np
from numba import cuda

@cuda.jit(device=True)
def inner(p, q):
    if p > q:
        return p // 3
    return q - p

@cuda.jit(device=True)
def outer(p, q):
    s = inner(p, q)
    for e in range(3):
        s += inner(q, e) * 2
    return s, p % 7

@cuda.jit(device=True)
def lowest(p):
    for e in range(6):
        if (p >> e) & 1:
            return e
    else:
        p = -np.int32(p)
    return p

@cuda.jit(device=True)
def either(p, real):
    if real:
        return np.float32(p)
    return np.int16(p)

"""


class Mixed:
    """A kernel of integers of all widths: their quotients and shifts by any number, what floats out
    of range become, loops with else, tuples, functions in functions, arms of two types."""

    launch = 1, N_MIXED

    def __init__(self, source):
        self.random, self.lines = source, []

    def pick(self, *choices):
        return self.random.choice(choices)

    def whole(self, depth):
        if depth == 0 or self.random.random() < 0.15:
            return self.random.choice(MIXED_LEAVES)
        one, two, kind = self.whole(depth - 1), self.whole(depth - 1), self.pick(*NARROW)
        op = self.pick("+", "-", "*", "//", "%", "&", "|", "^", "//", "%")
        shift = self.pick("1", "31", "33", "63", "(i % 40)", "(a[i] & 63)")
        return self.pick(
            f"({one} {op} {two})", f"({one} {op} {two})", f"({one} {op} {two})", f"(~{one})",
            f"(-{one})", f"abs({one})", f"({one} << {shift})", f"({one} >> {shift})",
            f"np.{kind}({one})", f"np.{kind}({self.real(1)})", f"min({one}, {two})",
            f"max({one}, {two})", f"({one} if {self.test(depth - 1)} else {two})",
            f"lowest(np.int32({one}))", f"inner({one}, np.int32({two}))",
            f"outer(np.int32({one}), {two})[{self.pick(0, 1)}]", f"({one}, {two})[1]",
            f"divmod({one}, {two})[{self.pick(0, 1)}]", f"int({self.real(1)})",
            f"np.{kind}(either({one}, {self.test(0)}))", f"np.{kind}(round({self.real(1)}))",
            f"(np.int32({one}) ** {self.pick(2, 3, 'np.uint8(i % 9)')})",
            f"cuda.clz(np.int32({one}))", f"({self.test(0)} + {one})", f"({one} and {two})",
            f"({one} or {two})",
        )  # fmt: skip

    def real(self, depth):
        if depth == 0 or self.random.random() < 0.2:
            return self.pick("x[i]", "y[i]", "z", "np.float32(a[i])", "np.float32(u[i])",
                             "np.float32(-1.5)", "np.float32(1e10)")  # fmt: skip
        one, two = self.real(depth - 1), self.real(depth - 1)
        return self.pick(
            f"min({one}, {two})", f"max({one}, {two})", f"np.minimum({one}, {two})",
            f"np.maximum({one}, {two})", f"np.fmin({one}, {two})", f"abs({one})", f"(-{one})",
            f"np.float32({one} + {two})", f"math.floor({one})", f"math.trunc({one})",
            f"np.rint({one})", f"np.sign({one})",
            f"math.copysign({one}, {two} + np.float32(0.125))",  # by no zero, whose sign may differ
            f"({one} if {self.test(0)} else {two})",
        )  # fmt: skip

    def test(self, depth):
        sign = self.pick("<", "<=", ">", ">=", "==", "!=")
        if depth <= 0:
            return self.pick(
                f"a[i] {sign} 3", f"x[i] {sign} y[i]", f"u[i] {sign} 40", f"b[i] {sign} c[i]",
                "i % 3 == 1", f"n {sign} 60", "math.isnan(x[i])", "not a[i]", "flag",
            )  # fmt: skip
        return self.pick(
            f"{self.whole(depth)} {sign} {self.whole(depth)}", f"({self.test(0)}) ^ (i < 9)",
            f"({self.test(0)}) and ({self.test(depth - 1)})", f"not ({self.test(depth - 1)})",
            f"({self.test(0)}) or ({self.test(depth - 1)})",
            f"{self.real(1)} {sign} {self.real(1)}", f"-5 <= {self.whole(depth - 1)} < 9",
        )  # fmt: skip

    def put(self, indent, *lines):
        self.lines += ["    " * indent + line for line in lines]

    def block(self, indent, depth):
        for _ in range(self.random.randrange(1, 3)):
            self.statement(indent, depth)

    def leaves(self, indent):
        """What may end a loop, and what it does if nothing has."""
        if self.random.random() < 0.5:
            self.put(indent + 1, f"if {self.test(0)}:", f"    {self.pick('break', 'continue')}")
        if self.random.random() < 0.6:
            self.put(indent, "else:")
            self.block(indent + 1, 0)

    def statement(self, indent, depth):
        kind, put = self.random.randrange(11), lambda *lines: self.put(indent, *lines)
        if kind < 2:
            sign = self.pick("=", "+=", "-=", "*=", "^=", "|=", "&=", "//=", "%=")
            put(f"p {sign} np.int64({self.whole(2)})", "p = np.int32(p)")
        elif kind == 2:
            put(f"{self.pick('b', 'c', 'h')}[i] {self.pick('=', '+=', '-=', '*=')} "
                f"np.{self.pick(*NARROW)}({self.whole(2)})")  # fmt: skip
        elif kind == 3:
            put(f"z = {self.real(2)}", f"fout[i] = {self.real(2)}")
        elif kind == 4 and depth:
            put(f"if {self.test(1)}:")
            self.block(indent + 1, depth - 1)
            put("else:")
            self.block(indent + 1, depth - 1)
        elif kind == 5 and depth:
            turns = self.pick("3", "i % 5", "7, 0, -2", "2, -3, -1", "b[i] & 3", "len(t)")
            put(f"for e in range({turns}):")
            self.block(indent + 1, depth - 1)
            self.put(indent + 1, "p = np.int32(p + e * 3)")
            self.leaves(indent)
        elif kind == 6 and depth:
            put(f"m{indent} = {self.pick(5, 'i % 6', 'b[i] & 7')}", f"while m{indent} > 0:",
                f"    m{indent} -= {self.pick(1, 2)}")  # fmt: skip
            self.block(indent + 1, depth - 1)
            self.leaves(indent)
        elif kind == 7:
            arms = ("np.uint8(9)", "i", "np.int16(-3)", "a[i]", "1.5", "np.uint32(7)", "-2", "x[i]")
            put(f"v = {self.pick(*arms)}",
                f"if {self.pick('flag', 'n > 60', 'n < 60', self.test(0))}:",
                f"    v = {self.pick(*arms)}", "out[i] = np.int32(v)",
                f"p ^= np.int32(-v * {self.pick(1, 3, 'b[i]')})")  # fmt: skip
        elif kind == 8:
            one, two = self.whole(1), self.whole(1)
            put(f"t = (np.int32({one}), np.int32({two}))", "r, s = t", "r, s = s, r + s",
                "p ^= np.int32(r * 3 - s)")  # fmt: skip
        elif kind == 9:
            put(f"uout[i] = np.uint32({self.whole(2)})")
        else:
            put(f"out[i] {self.pick('=', '+=', '^=')} np.int32({self.whole(2)})")

    def source(self, name):
        self.put(1, "i = cuda.grid(1)", "p = np.int32(i)", "z = np.float32(0.25)",
                 "t = (np.int32(i), np.int32(7))", "v = 3")  # fmt: skip
        for _ in range(self.random.randrange(1, 4)):
            self.statement(1, 2)
        self.put(1, "out[i] ^= np.int32(p)")
        return f"@cuda.jit\ndef {name}({MIXED}):\n" + "\n".join(self.lines) + "\n"


def mixed_arguments(seed):
    """Small numbers and the ends of each type; NaN, infinity and what is beyond every integer."""
    r = np.random.default_rng(seed)
    found = []
    for dtype in MIXED_ARRAYS.values():
        ends = np.iinfo(dtype)
        v = r.integers(-60 if ends.min else 0, 60, N_MIXED).astype(dtype)
        edges = np.array([ends.max, ends.min, 0, 1, 2, ends.max - 1], dtype)
        found.append(np.where(r.random(N_MIXED) < 0.3, r.choice(edges, N_MIXED), v))
    edges = [
        np.nan,
        np.inf,
        -np.inf,
        0,
        3e9,
        -3e9,
        5e9,
        1e20,
        -1e20,
        2.0**31,
        0.5,
        2.5,
        300.7,
        -7e4,
    ]
    for _ in "xy":
        v = r.integers(-40, 40, N_MIXED) / 4
        found.append(np.where(r.random(N_MIXED) < 0.4, r.choice(edges, N_MIXED), v).astype("f4"))
    outs = [np.zeros(N_MIXED, kind) for kind in (np.int32, np.uint32, np.float32)]
    return [*found, 50, int(r.integers(0, 2)), *outs]


# ---------------------------------------------------------------- what is done in which order

ACTING = "a, c, o, x"
ACTING_HEAD = """import math
import numpy as np
from numba import cuda

@cuda.jit(device=True)
def bump(c, i, k):
    c[i, k & 3] += np.int32(7)
    return np.int32(c[i, k & 3])

@cuda.jit(device=True)
def get(c, i, k):
    return np.int32(c[i, k & 3] - 3)

@cuda.jit(device=True)
def move(a, c, i):
    a[i, 0], c[i, 1] = c[i, 1], a[i, 0]
    return np.int32(a[i, 0] - 2 * bump(c, i, 1))

@cuda.jit(device=True)
def note(own, k):
    own[k & 1] = np.int32(own[0] * 2 + own[1])
    return np.int32(own[k & 1])

@cuda.jit(device=True)
def sub3(p, q, r):
    return np.int32(p - 3 * q + 7 * r)

@cuda.jit(device=True)
def warp_sum(v):
    for k in (16, 8, 4, 2, 1):
        v = np.int32(v + cuda.shfl_xor_sync(0xffffffff, v, k))
    return v

@cuda.jit(device=True)
def beside(v):
    w = np.int32(v * 2)
    w = np.int32(w + cuda.shfl_xor_sync(0xffffffff, w, 1) - v)
    return w

@cuda.jit(device=True)
def turned(v, tile, t):
    cuda.syncthreads()
    tile[t] = np.int32(v * 3)
    cuda.syncthreads()
    w = tile[31 - t]
    cuda.syncthreads()
    return np.int32(w + v)

@cuda.jit(device=True)
def both(v):
    first = warp_sum(v)
    return first, beside(v)

"""


class Acting:
    """A kernel whose operands write what others read, or wait: in sums, arguments, an index, a
    condition, a chain of comparisons, range(), an arm, beside what is stored. Each thread has a row
    of four numbers in ``a``, ``c`` and ``o``."""

    launch = 2, 32

    def __init__(self, source):
        self.random, self.lines, self.names = source, [], 0

    def pick(self, *choices):
        return self.random.choice(choices)

    def leaf(self):
        return self.pick("a[i, 0]", "a[i, 1]", "c[i, 1]", "o[i, 2]", "own[0]", "own[1]", "p", "q",
                         "np.int32(i)", "np.int32(3)", "get(c, i, 1)", "get(a, i, p)")  # fmt: skip

    def act(self, depth):
        """A call that writes."""
        kind, by = self.pick("add", "sub", "max", "exch"), self.whole(depth - 1)
        return self.pick(
            f"bump(a, i, {self.pick(0, 1)})", f"bump(c, i, {by})", "bump(c, i, 1)", "move(a, c, i)",
            f"note(own, {self.whole(depth - 1)})", f"note(own, {self.pick(0, 1)})",
            f"cuda.atomic.{kind}(o, (i, {self.whole(depth - 1)} & 3), {by})",
        )  # fmt: skip

    def whole(self, depth):
        """An int32 expression, of which some operands write."""
        if depth <= 0:
            return self.leaf()
        if self.random.random() < 0.4:
            return self.act(depth)
        return self.combined(self.whole, depth)

    def waiting(self, depth):
        """One of which some operands wait for other threads: all of a block must come by."""
        if depth <= 0:
            return self.leaf()
        if self.random.random() < 0.5:
            one = self.waiting(depth - 1)
            return self.pick(f"warp_sum({one})", f"beside({one})", f"turned({one}, tile, t)",
                             f"turned({self.pick('tile[t]', 'a[i, 0]')}, tile, t)",
                             f"both({one})[{self.pick(0, 1)}]")  # fmt: skip
        part = self.pick(self.whole, self.waiting, self.waiting)
        return self.combined(lambda depth: part(depth), depth, True)

    def combined(self, part, depth, waits=False):
        one, two, three = part(depth - 1), self.leaf(), part(depth - 1)
        if self.random.random() < 0.5:
            one, two = two, one
        sum_of = [f"np.int32({one} {self.pick('+', '-', '*', '^')} {three})",
                  f"np.int32({one} - {two} - {three})", f"sub3({one}, {two}, {three})",
                  f"{self.pick('min', 'max')}({one}, {three})", f"(-np.int32({one}))",
                  f"np.int32({one} // {self.pick(2, 3)} - {three})",
                  f"np.int32({one} - 2 * ({two} < {three}))",
                  f"np.int32(divmod({one}, 5)[1] - {three})",
                  f"np.int32(({one} in ({two}, {three})) + {two})",
                  f"np.int32(a[i, {one} & 3] - {two})"]  # fmt: skip
        if not waits:
            test, other = self.test(depth - 1), self.test(depth - 1)
            sum_of += [f"({one} if {test} else {three})", f"np.int32({one} - 2 * ({test}))",
                       f"np.int32(({test} and {other}) - {three})"]  # fmt: skip
        return self.pick(*sum_of)

    def test(self, depth):
        signs = "<", "<=", ">", ">=", "==", "!="
        one, two, three = self.whole(depth), self.whole(depth - 1), self.whole(depth)
        return self.pick(
            f"({one} {self.pick(*signs)} {two})", f"({two} {self.pick(*signs)} {one})",
            f"({two} {self.pick(*signs)} {one} {self.pick(*signs)} {self.leaf()})",
            f"({one} {self.pick(*signs)} {two} {self.pick(*signs)} {three})",
            f"({two} < 9 {self.pick('and', 'or')} {one} < 4)", f"(not {one} > 5)",
        )  # fmt: skip

    def put(self, indent, *lines):
        self.lines += ["    " * indent + line for line in lines]

    def statement(self, indent, depth):
        kind, put = self.random.randrange(10), lambda *lines: self.put(indent, *lines)
        place = f"{self.pick('a', 'c', 'o')}[i, {self.pick(self.whole(1), self.leaf())} & 3]"
        if kind < 2:
            put(f"{place} = {self.whole(2)}")
        elif kind == 2:
            put(f"{place} {self.pick('+=', '-=', '^=')} {self.whole(2)}")
        elif kind == 3:
            put(f"{self.pick('p', 'q')} = {self.whole(3)}")
        elif kind == 4:
            put(f"p, q = {self.whole(1)}, {self.whole(2)}")
        elif kind == 5:
            put(f"{place}, p = {self.whole(1)}, {self.whole(1)}")
        elif kind == 6 and depth:
            put(f"if {self.test(2)}:")
            self.statement(indent + 1, depth - 1)
            put("else:")
            self.statement(indent + 1, depth - 1)
        elif kind == 7 and depth:
            self.names += 1
            bounds = f"{self.whole(1)} & 3, {self.whole(1)} & 7, ({self.whole(1)} & 1) + 1"
            put(f"for j{self.names} in range({bounds}):")
            put(f"    q = np.int32(q * 3 + j{self.names})")
            self.statement(indent + 1, depth - 1)
        elif kind == 8 and depth:
            self.names += 1
            turns = f"n{self.names}"
            put(f"{turns} = 0", f"while {turns} < 3 and {self.test(2)}:", f"    {turns} += 1")
            self.statement(indent + 1, depth - 1)
        else:
            put(f"{self.act(2)}")

    def together(self):
        """A statement that all threads of a block do."""
        place = f"{self.pick('a', 'c', 'o')}[i, {self.pick(self.waiting(1), self.leaf())} & 3]"
        self.put(1, self.pick(
            f"p = {self.waiting(2)}", f"{place} = {self.waiting(2)}", f"q = {self.waiting(3)}",
            f"{place} {self.pick('+=', '-=')} {self.waiting(2)}",
            f"p, q = {self.waiting(1)}, {self.waiting(2)}",
            f"p, q = both({self.waiting(1)})",
            f"x[i] = np.float32(warp_sum({self.leaf()})) * np.float32(0.5)",
        ))  # fmt: skip

    def source(self, name):
        self.put(1, "i = cuda.grid(1)", "t = cuda.threadIdx.x", "p, q = np.int32(i), np.int32(7)",
                 "own = cuda.local.array(2, np.int32)", "own[0], own[1] = a[i, 3], np.int32(i)",
                 "tile = cuda.shared.array(32, np.int32)", "tile[t] = a[i, 2]")  # fmt: skip
        for _ in range(self.random.randrange(1, 5)):
            if self.random.random() < 0.5:
                self.together()
            else:
                self.statement(1, 2)
        self.put(1, "o[i, 0] ^= np.int32(p - 5 * q)", "o[i, 1] ^= np.int32(own[0] - 3 * own[1])")
        return f"@cuda.jit\ndef {name}({ACTING}):\n" + "\n".join(self.lines) + "\n"


def acting_arguments(seed):
    r = np.random.default_rng(seed)
    rows = [r.integers(-9, 20, (64, 4)).astype(np.int32) for _ in "ac"]
    return [*rows, np.zeros((64, 4), np.int32), np.zeros(64, np.float32)]

"""Kernels written at random, each from its seed: those that records of a GPU and a browser hold.

``wgsl_generated`` writes more kinds (shuffles, votes, float16, arrays of two dimensions); the suite
runs those. A GPU's next run can take them here as well, and this file can go.
"""

import random

import numpy as np

N = 50  # elements, no multiple of the block
INT = ("i", "j", "n", "a[i]", "a[j]", "np.int32(u[i])", "b[i]", "a.size", "3", "-7", "12", "p")
UINT = ("u[i]", "u[j]", "np.uint32(i)", "np.uint32(5)", "np.uint32(a[i])", "q")
FLOAT = ("x[i]", "x[j]", "np.float32(a[i])", "np.float32(0.75)", "f", "np.float32(i)")
EXACT = ("x[i]", "x[j]", "0.5", "2.0", "f", "np.float32(-1.25)")


class Kernel:
    """One kernel, drawn from a seed."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.lines, self.seed = [], seed
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
            f"math.trunc(np.float32({one}))",
        )  # fmt: skip

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
        kind = r.randrange(12 if depth else 5)
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
        else:
            put(f"s = s + {self.whole(1)} if {self.test(0)} else s")

    def source(self, name):
        r = self.random
        self.lines = []
        waits = r.random() < 0.5
        if waits:
            self.lines += [
                "    tile = cuda.shared.array(32, np.int32)",
                "    t = cuda.threadIdx.x",
                "    tile[t] = a[i] if i < a.size else -1",
                "    cuda.syncthreads()",
            ]
        self.lines += ["    if i < a.size:", "        j = (i * 3 + 1) % a.size",
                       "        p, f = np.int32(i), np.float32(1)", "        q = np.uint32(7)",
                       "        s = np.int32(0)"]  # fmt: skip
        if waits:
            self.lines.append("        p += tile[31 - t]")
        self.block(3, 2)
        self.lines += ["        out[i] += p + s", "        uout[i] = q", "        fout[i] += f"]
        if waits and r.random() < 0.6:
            self.lines += [
                "    cuda.syncthreads()",
                "    step = 16",
                "    while step > 0:",
                "        if t < step:",
                "            tile[t] += tile[t + step]",
                "        cuda.syncthreads()",
                "        step //= 2",
                "    if t == 0:",
                "        cuda.atomic.add(hist, 8, tile[0])",
            ]
        head = (
            f"@cuda.jit\ndef {name}(a, b, u, x, n, out, uout, fout, hist):\n    i = cuda.grid(1)\n"
        )
        return head + "\n".join(self.lines) + "\n"


HEAD = """import math
import numpy as np
from numba import cuda

@cuda.jit(device=True)
def pair(p, q):
    if p > q:
        return np.int32(p - q)
    return np.int32(q ^ p)

"""


def program(seeds):
    """(source, names) of kernels, one for each seed."""
    names = [f"k{seed}" for seed in seeds]
    parts = [Kernel(seed).source(name) for seed, name in zip(seeds, names, strict=True)]
    return HEAD + "\n\n".join(parts), names


def arguments(seed):
    r = np.random.default_rng(seed)
    a = r.integers(-60, 60, N).astype(np.int32)
    a[::11] = [2147483647, -2147483648, 0, -1, 1, 65536, 99999][: len(a[::11])]
    u = r.integers(0, 1 << 32, N, dtype=np.uint64).astype(np.uint32)
    x = (r.integers(-40, 40, N) / 4).astype(np.float32)
    b = r.integers(0, 9, N).astype(np.uint8)
    zeros = np.zeros(N, np.int32), np.zeros(N, np.uint32), np.zeros(N, np.float32)
    return [a, b, u, x, int(r.integers(1, 50)), *zeros, np.zeros(9, np.int32)]


LAUNCH = 2, 32

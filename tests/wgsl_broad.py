"""More kernels written at random, for simulator/wgsl: most of the language that it accepts.

Precedence without brackets, tuples in tuples, loops with break, continue and else, functions in
functions that return early, rows and slices and turned matrices, integers of 64 bits, float16,
booleans, atomic operations of all kinds, names that change their types. A kernel whose result hangs
on the order of threads is not drawn, nor one whose float32 would be rounded: those of
wgsl_generated.py are on record and stay as they are, these may grow.
"""

import random

import numpy as np

N = 64
BROAD = "a, l, w, x, h, m, hist, uhist, n, flag, s"
HEAD = """import math
import operator
import numpy as np
from numba import cuda

SIZE = 5
TABLE = np.array([3, -1, 4, 1, -5, 9, 2, 6], np.int32)
REALS = np.array([0.5, -1.25, 2.0, 8.0], np.float32)
SQUARE = np.array([[1, 2, 3], [4, 5, 6]], np.int32)
PAIR = (3, -4)

@cuda.jit(device=True)
def find(v, k):
    for j in range(v.shape[0]):
        if v[j] == k:
            return j
        if v[j] > 100:
            break
    else:
        return -2
    return -1

@cuda.jit(device=True)
def first_of(v, lo, hi=3):
    total = 0
    while lo < hi:
        lo += 1
        if v[lo & 3] < 0:
            continue
        total += v[lo & 3]
        if total > 50:
            return total, lo
    return total, -lo

@cuda.jit(device=True)
def ends(t):
    p, q = t
    if p > q:
        return q, p
    return p, q

@cuda.jit(device=True)
def add_to(v, k, by):
    v[k & 3] += by
    return v[(k + 1) & 3]

@cuda.jit(device=True)
def gcd(p, q):
    while q != 0:
        p, q = q, p % q
    return p

@cuda.jit(device=True)
def nested(p, q, v):
    s = np.int32(0)
    for j in range(4):
        for k in range(j, 4):
            if (p + j) & 3 == k:
                if q > 5:
                    return np.int32(s + j)
                break
            s = np.int32(s + find(v, k) + gcd(abs(np.int32(p)) & 63, k))
        if s > 40:
            return np.int32(-s)
    return s

@cuda.jit(device=True)
def scaled(x, by=2.0):
    if x > np.float32(3):
        return np.float32(x * np.float32(0.5))
    return np.float32(x * np.float32(by))

@cuda.jit(device=True)
def mean3(x):
    return (x[0] + x[1] + x[2]) * np.float32(0.25)

@cuda.jit(device=True)
def far(p, q):
    r = p * 65537 + q
    if r < 0:
        return r ^ (1 << 40)
    return r - (1 << 35)

"""
SIGNS = "<", "<=", ">", ">=", "==", "!="
KINDS = "int8", "uint8", "int16", "uint16", "int32", "uint32", "int64"
LEAVES = (
    "i", "t", "n", "flag", "a[i, 0]", "a[i, 1]", "a[i, -1]", "a[i][2]", "m[i & 7, 3]", "l[i, 0]",
    "m[i % 8][i % 5]", "l[i, 1]", "tp[0]", "tp[1][0]", "tp[1][1]", "SIZE", "PAIR[1]", "b1", "s",
    "TABLE[i & 7]", "SQUARE[i & 1, i % 3]", "row[1]", "row[i & 3]", "col[2]", "back[1]", "own[0]",
    "own[i & 3]", "3", "-7", "0", "1", "31", "255", "65536", "np.int8(i * 9)", "np.uint8(r)", "e",
    "np.uint16(i)", "len(row)", "row.size", "m.shape[1]", "a.ndim", "np.uint32(r)", "sub[i % 3]",
    "square[t & 3, 1]", "turned[1, 2]", "every[1, 1]",
)  # fmt: skip


class Drawn:
    """What the kernels of this file have in common."""

    def __init__(self, source):
        self.random, self.lines, self.names = source, [], 0

    def pick(self, *choices):
        return self.random.choice(choices)

    def chance(self, share):
        return self.random.random() < share

    def put(self, indent, *lines):
        self.lines += ["    " * indent + line for line in lines]

    def name(self, stem):
        self.names += 1
        return f"{stem}{self.names}"

    def block(self, indent, depth):
        for _ in range(self.random.randrange(1, 3)):
            self.statement(indent, depth)


class Broad(Drawn):
    """A kernel of two blocks of a warp; each thread has a row of ``a``, ``l``, ``w``, ``x``, ``h``.

    The type of ``r`` and ``v`` changes as Numba unifies what they are.
    """

    launch = 2, 32

    def whole_leaf(self):
        return self.pick("p", "q", "r") if self.chance(0.25) else self.pick(*LEAVES)

    def real_leaf(self):
        return self.pick("x[i, 0]", "x[i, 1]", "x[i][3]", "f", "g", "np.float32(0.5)", "xrow[2]",
                         "REALS[i & 3]", "np.float32(p & 15)", "np.float32(i)", "np.float32(-2)",
                         "np.float32(h[i, 0])")  # fmt: skip

    def bare(self, depth):
        """Integers and signs, where precedence alone says what belongs together."""
        text = ""
        for k in range(self.random.randrange(2, 5)):
            part = self.whole_leaf() if self.chance(0.6) else self.whole(depth - 1)
            sign = self.pick(*"+-*%&|^+-*", "//", "<<", ">>") if k else ""
            if sign in ("<<", ">>"):
                part = self.pick("1", "3", "(i & 15)", "(p & 31)", "31", "40", "(t + 1)")
            elif self.chance(0.3):
                part = self.pick("-", "~", "+", "- -", "-~") + part
            text += f" {sign} {part}" if k else part
        return text

    def whole(self, depth):
        """An integer of whatever type, or a boolean."""
        if depth <= 0 or self.chance(0.15):
            return self.whole_leaf()
        one, two, three = self.whole(depth - 1), self.whole(depth - 1), self.whole_leaf()
        test, kind, real = self.test(depth - 1), self.pick(*KINDS), self.real(depth - 1)
        small = f"np.int32({three})"
        return self.pick(
            *[f"({self.bare(depth - 1)})"] * 4, f"np.int32({self.bare(depth - 1)})",
            f"({one} + {two})", f"({one} - {two})", f"({one} * {two})", f"({one} // {two})",
            f"({one} % {two})", f"({one} if {test} else {two})", f"min({one}, {two})",
            f"({one} if {self.test(0)} else {two} if {self.test(0)} else {three})",
            f"max({one}, {two}, {three})", f"np.minimum({one}, {two})", f"abs({one})",
            f"np.abs({one})", f"np.square({small})", f"int({real})",
            f"round({real})", f"math.floor({self.real(0)})", f"np.{kind}({one})",
            f"np.{kind}({real})", f"({test})", f"({self.test(0)} + {one})", f"({one} and {two})",
            f"({one} or {two})", f"(not {one})", f"find(row, {one})", f"find(a[i], {three})",
            f"find(col, {three})", f"first_of(row, {three} & 3)[{self.pick(0, 1)}]",
            f"first_of(a[i, :], 0, {three} & 3)[1]", f"ends(({one}, {two}))[{self.pick(0, 1)}]",
            f"add_to({self.pick('row', 'own', 'a[i]')}, {one}, {self.pick(1, -3, three)})",
            f"gcd({small} & 255, i & 63)", f"far(np.int64({three}), {one})",
            f"nested({three}, i, {self.pick('row', 'col', 'own', 'm[2]', 'turned[3]')})",
            f"divmod({one}, {two})[{self.pick(0, 1)}]", f"sum(({three}, p))",
            f"(i, {three}, q)[{self.pick(0, 1, 2, -1)}]", f"((p, {three}) + tp)[{self.pick(1, 2)}]",
            f"cuda.popc(np.int32({one}))", f"cuda.clz(np.int32({one}))",
            f"cuda.brev(np.uint32({one}))", f"cuda.ffs(np.int32({one}))",
            f"cuda.popc(np.int64({one}))", f"cuda.clz(np.int64({one}))",
            f"cuda.selp({self.test(0)}, np.int32({one}), np.int32({two}))",
            f"{small} ** {self.pick(0, 1, 3, '(i & 3)')}", f"pow(np.int32(i), {self.pick(2, 5)})",
            f"operator.{self.pick('add', 'sub', 'mul', 'xor', 'and_')}({one}, {two})",
            f"(n if flag else {one})", f"np.int64({self.unsigned(depth - 1)})",
            f"np.int32({self.unsigned(depth - 1)})", f"bool({one})", f"int({self.half(0)})",
            f"({one} in ({three}, p, 3))", f"({one} not in (q, {three}))", f"a[i, {one} & 3]",
            f"row[{one} % 4]", f"m[{one} & 7, {two} % 5]", f"back[{one} & 1]",
            f"every[{one} & 1, {two} % 2]", f"a[i, 1:3][{one} & 1]", f"a.T[{one} & 3, i]",
            f"m[{three} & 7][1:][{one} & 3]", f"m.reshape(5, 8)[i % 5, {one} & 7]",
            f"m.ravel()[{one} % 40]", f"turned[{one} % 5, {two} & 7]",
        )  # fmt: skip

    def unsigned(self, depth):
        """A uint64."""
        if depth <= 0 or self.chance(0.2):
            return self.pick("w[i, 0]", "w[i, 1]", "u", "np.uint64(i)", "np.uint64(7)",
                             "np.uint64(p)", "np.uint64(0xFFFFFFFFFFFF)",
                             "np.uint64(l[i, 0])")  # fmt: skip
        one, two = self.unsigned(depth - 1), self.unsigned(depth - 1)
        by = f"np.uint64({self.pick(1, 13, 33, 63)})"
        return self.pick(
            *(f"({one} {sign} {two})" for sign in ("+", "-", "*", "//", "%", "&", "|", "^")),
            f"(~{one})", f"({one} << {by})", f"({one} >> {by})", f"min({one}, {two})",
            f"({one} >> (np.uint64(i) & np.uint64(63)))", f"max({one}, {two})", f"(-{one})",
            f"np.uint64({self.whole(depth - 1)})", f"({one} if {one} < {two} else {two})",
            f"np.uint64({self.real(0)})", f"({one} ** np.uint64(3))",
        )  # fmt: skip

    def real(self, depth):
        """A float32 that is rounded nowhere."""
        if depth <= 0 or self.chance(0.2):
            return self.real_leaf()
        one, two, three = self.real(depth - 1), self.real(depth - 1), self.real_leaf()
        return self.pick(
            f"({one} + {two})", f"({one} - {two})", f"({one} * np.float32(0.5))", f"-{one}",
            f"({one} + {two} * np.float32(0.25))", f"({one} - ({two} - {three}))", f"abs({one})",
            f"(-{one} + {two} - -{three})", f"min({one}, {two})", f"max({one}, {two})",
            f"np.minimum({one}, {two})", f"np.fmax({one}, {two})", f"math.floor({one})",
            f"math.ceil({one})", f"math.trunc({one})", f"np.rint({one})", f"np.sign({one})",
            f"np.float32({self.whole(depth - 1)} & 255)", f"math.fabs({one})", f"scaled({one})",
            f"({one} if {self.test(0)} else {two})", f"scaled({one}, by=4.0)", "mean3(xrow)",
            "mean3(x[i])", f"np.float32({one} // np.float32(0.75))", f"({one} % np.float32(2.5))",
            f"np.float32({self.half(0)})", f"({one} and {two})", f"np.square({three})",
        )  # fmt: skip

    def half(self, depth):
        if depth <= 0 or self.chance(0.3):
            return self.pick("h[i, 0]", "h[i, 1]", "hh", "np.float16(0.5)", "h[i][2]")
        one, two = self.half(depth - 1), self.half(depth - 1)
        return self.pick(f"({one} + {two})", f"({one} - {two})", f"({one} * {two})", f"(-{one})",
                         f"abs({one})", f"np.float16({self.real(0)})", "np.float16(i)",
                         f"({one} if {one} < {two} else {two})")  # fmt: skip

    def test(self, depth):
        sign = self.pick(*SIGNS)
        if depth <= 0:
            return self.pick(
                f"a[i, 0] {sign} {self.pick(0, 3, -2)}", f"x[i, 0] {sign} np.float32(0.5)", "b1",
                f"i {sign} 20", "i % 3 == 1", f"p {sign} q", "flag", f"n {sign} 50", "not flag",
                f"l[i, 0] {sign} {self.pick('5', '(1 << 33)', 'i')}", f"w[i, 0] {sign} w[i, 1]",
                f"h[i, 0] {sign} hh", "not p", f"tp[0] {sign} 3", f"r {sign} 2",
            )  # fmt: skip
        one, two = self.whole(depth - 1), self.whole(depth - 1)
        return self.pick(
            f"{one} {sign} {two}", f"{one} {sign} {self.whole_leaf()} {self.pick(*SIGNS)} {two}",
            f"{self.test(0)} and {self.test(depth - 1)}", f"not {self.test(0)}", f"bool({one})",
            f"{self.test(0)} or {self.test(0)} and {self.test(0)}", f"{one} & 1 == 0",
            f"({self.test(0)}) == ({self.test(0)})", f"({self.test(0)}) ^ ({self.test(0)})",
            "(a[i, 0] < 3) & (p > 2) | (q == 1)", f"not {one} {sign} {two} and {self.test(0)}",
            f"{self.real(depth - 1)} {sign} {self.real(depth - 1)}",
            f"{self.unsigned(depth - 1)} {sign} {self.unsigned(0)}",
            f"{self.half(0)} {sign} {self.half(0)}",
        )  # fmt: skip

    def leaves(self, indent):
        """What may end a turn of a loop, or all of them, and what it does if nothing has."""
        if self.chance(0.6):
            self.put(indent + 1, f"if {self.test(0)}:", f"    {self.pick('break', 'continue')}")
        if self.chance(0.35):
            self.put(indent, "else:")
            self.statement(indent + 1, 0)

    def statement(self, indent, depth):
        at, whole = self.pick("0", "1", "2", "-1", "p & 3", "q % 4"), self.whole
        signs = "=", "+=", "-=", "*=", "^=", "|=", "&=", "//=", "%="
        kinds = [
            (f"p = np.int32({whole(3)})",), (f"q = np.int32({whole(3)})",), ("p, q = q, p",),
            (f"r = {whole(2)}",), (f"p, q = np.int32({whole(1)}), np.int32({whole(1)})",),
            (f"f = np.float32({self.real(2)})", "f = min(max(f, np.float32(-99)), np.float32(99))"),
            ("f, g = g, f + np.float32(1)",), (f"a[i, {at}] {self.pick(*signs)} {whole(2)}",),
            (f"l[i, {at}] {self.pick(*signs)} {whole(2)}",), (f"w[i, {at}] = {self.unsigned(2)}",),
            (f"x[i, {at}] {self.pick('=', '+=', '-=')} {self.real(2)}",), (f"b1 = {self.test(1)}",),
            (f"h[i, {at}] = {self.half(2)}",), (f"u = {self.unsigned(2)}",),
            (f"tp = (np.int32({whole(1)}), (np.int32({whole(0)}), np.int32({whole(0)})))",),
            ("p, (q, b2) = tp", "a[i, 3] ^= b2"), ("tp = (tp[1][1], (tp[0], tp[1][0]))",),
            (f"hh = {self.half(1)}",), (f"p = q = np.int32({whole(2)})",),
            (f"{self.pick('row', 'own', 'sub', 'a[i]')}[{self.pick(0, 1, 2, 'p % 3')}] "
             f"{self.pick('=', '+=', '-=', '*=')} np.int32({whole(2)})",),
            (self.pick("own[:] = 7", f"row[1:3] = np.int32({whole(0)})",
                       f"own[2:] = np.int32({whole(0)})"),),
            self.atomic(), (f"own[p & 3], q = {whole(1)}, np.int32({whole(1)})",),
            (f"a[i, 1] = row[2] = np.int32({whole(1)})",), self.retyped(),
            (f"r1, r2 = first_of(row, {whole(0)} & 3)", "p = np.int32(p - r1)",
             "q = np.int32(q + r2)"), ("tq = (tq[1], tq[0])", "r = tq[0]"),
            (f"p {self.pick(*signs[1:], '<<=', '>>=')} {self.pick('1', '3', '(i & 7)')}",
             "p = np.int32(p)"), (self.pick("tq = (p, r)", "r, p = p, np.int32(r)", "r += p"),),
        ]  # fmt: skip
        kind = self.random.randrange(len(kinds) + (14 if depth else 0))
        if kind < len(kinds):
            self.put(indent, *kinds[kind])
        elif kind < len(kinds) + 3:
            self.branch(indent, depth)
        else:
            self.pick(self.counted, self.waited, self.over)(indent, depth)

    def atomic(self):
        cell, op = self.pick(("0", "add"), ("1", "max"), ("2", "min"), ("3", "xor"), ("4", "and_"),
                             ("5", "or_"), ("6", "sub"), ("(i & 7) + 8", "add"))  # fmt: skip
        if self.chance(0.5):
            return (f"cuda.atomic.{op}({self.pick('hist', 'uhist')}, {cell}, {self.whole(1)})",)
        op = self.pick("add", "sub", "max", "min", "xor", "and_", "or_", "exch", "cas", "nanmax")
        given = f"3, {self.whole(0)}" if op == "cas" else self.whole(1)
        return self.pick(
            (f"q = np.int32(cuda.atomic.{op}(hist, 16 + i, {given}))",),
            (f"p = np.int32(p + cuda.atomic.{self.pick('inc', 'dec')}(uhist, 16 + i, 5))",),
        )

    def retyped(self):
        arms = ("np.uint8(9)", "i", "np.int16(-3)", "a[i, 0]", "1.5", "np.uint32(7)", "-2", "True",
                "x[i, 0]", "l[i, 0]", "hh", "0.1")  # fmt: skip
        return (f"v = {self.pick(*arms)}",
                f"if {self.pick('flag', 'n > 60', 'n < 60', self.test(0))}:",
                f"    v = {self.pick(*arms)}", "q = np.int32(q ^ np.int32(v))",
                f"p = np.int32(p ^ np.int32(-v * {self.pick(1, 3, 'b1')}))")  # fmt: skip

    def branch(self, indent, depth):
        self.put(indent, f"if {self.test(1)}:")
        self.block(indent + 1, depth - 1)
        if self.chance(0.4):
            self.put(indent, f"elif {self.test(1)}:")
            self.block(indent + 1, depth - 1)
        if self.chance(0.6):
            self.put(indent, "else:")
            self.block(indent + 1, depth - 1)

    def counted(self, indent, depth):
        turns = self.pick("3", "i % 5", "7, 0, -2", "2, -3, -1", "p & 3", "len(row)", "t & 3, 5",
                          "np.uint32(i & 3)", "0, n, 17", "l[i, 0] & 3", "i, i + 3", "len(tp)",
                          "-2, 3, (i & 1) + 1", "np.int32(4)")  # fmt: skip
        e = self.pick("e", self.name("e"))
        self.put(indent, f"for {e} in range({turns}):")
        self.block(indent + 1, depth - 1)
        if self.chance(0.3):
            self.put(indent + 1, f"q = np.int32(q + {e})")
        if self.chance(0.2):
            self.put(indent + 1, f"{e} += 1", f"p = np.int32(p ^ {e})")
        self.leaves(indent)

    def waited(self, indent, depth):
        m = self.name("m")
        if self.chance(0.4):
            self.put(indent, f"{m} = {self.whole(0)} & 7", "while True:", f"    {m} += 1",
                     f"    if {m} > {self.pick(9, 12)}:", "        break")  # fmt: skip
            return self.block(indent + 1, depth - 1)
        self.put(indent, f"{m} = {self.pick(5, 'i % 6', 'p & 7', 3)}",
                 f"while {m} > 0{self.pick('', ' and p != 7', ' and not flag')}:",
                 f"    {m} -= {self.pick(1, 2)}")  # fmt: skip
        self.block(indent + 1, depth - 1)
        return self.leaves(indent)

    def over(self, indent, depth):
        j, v = self.name("j"), self.name("v")
        if self.chance(0.5):
            which = self.pick("row", "a[i]", "own", "back", "m[i & 7]", "col[:3]", "a[i, 1:]",
                              "tp[1]", "(p, 3, t)", "TABLE", "(1, -2, 5)")  # fmt: skip
            self.put(indent, f"for {v} in {which}:", f"    q = np.int32(q * 3 + {v})")
            return self.statement(indent + 1, depth - 1)
        pairs = self.pick("enumerate(row)", "enumerate(a[i])", "zip(row, own)", "zip(col, m[1])")
        self.put(indent, f"for {j}, {v} in {pairs}:", f"    p = np.int32(p + {j} * 5 - {v})")
        if self.chance(0.4):
            self.put(indent + 1, f"if {v} > 4:", f"    {self.pick('break', 'continue')}",
                     f"q = np.int32(q ^ {j})")  # fmt: skip
        return None

    def together(self):
        """What all threads of a block do."""
        if self.chance(0.5):
            return self.put(1, self.warp())
        kind, value, to = self.pick(
            ("np.int32", "np.int32(m[t & 7, 2] + i)", "a[i, 2]"),
            ("np.float32", "x[i, 0]", "x[i, 2]"),
            ("np.int64", self.pick("l[i, 0]", "i * (1 << 33)"), "l[i, 2]"),
        )  # fmt: skip
        tile = self.name("tile")
        self.put(1, f"{tile} = cuda.shared.array((4, {self.pick(8, 9)}), {kind})",
                 f"{tile}[t // 8, t % 8] = {value}", "cuda.syncthreads()",
                 f"{to} {self.pick('=', '+=')} {tile}[t % 4, t // 4]",
                 "cuda.syncthreads()")  # fmt: skip
        if self.chance(0.5):
            self.put(1, "step = 2", "while step > 0:", "    if t // 8 < step:",
                     f"        {tile}[t // 8, t % 8] -= {tile}[t // 8 + step, t % 8]",
                     "    cuda.syncthreads()", "    step //= 2", f"{to} = {tile}[0, t % 8]",
                     "cuda.syncthreads()")  # fmt: skip
        return None

    def warp(self):
        way, test = self.pick("", "_up", "_down", "_xor"), self.test(0)
        lane = self.pick("1", "5", "t & 3", "31 - t")
        return self.pick(
            f"l[i, 3] = cuda.shfl{way}_sync(0xffffffff, {self.pick('l[i, 0]', 'p')}, {lane})",
            f"x[i, 3] = cuda.shfl{way}_sync(0xffffffff, x[i, 0], {lane})",
            f"p = np.int32(p + cuda.popc(cuda.ballot_sync(0xffffffff, {test})))",
            f"q = np.int32(cuda.shfl{way}_sync(0xffffffff, q, {self.pick(1, 2, 16)}) + q)",
            f"b1 = cuda.{self.pick('any', 'all')}_sync(0xffffffff, {test})",
            f"p = np.int32(p + cuda.syncthreads_{self.pick('count', 'and', 'or')}(int({test})))",
        )

    def source(self, name):
        first = self.pick("0", "i", "np.uint32(3)", "np.int8(-3)", "True", "l[i, 1]")
        two = self.pick("1, 2", "i, np.uint32(7)", "np.int32(i), l[i, 0]", "True, 3")
        self.put(1, "i = cuda.grid(1)", "t = cuda.threadIdx.x", "p, q = np.int32(i), np.int32(7)",
                 "f, g = np.float32(0.25), np.float32(x[i, 3])", "hh = h[i, 3]", "e = 3",
                 "b1 = i > 9", "u = np.uint64(i + 5)", f"r = {first}", f"tq = ({two})",
                 "tp = (np.int32(i), (np.int32(7), np.int32(-2)))", "row = a[i]", "xrow = x[i, :]",
                 "col = m[:, 1]", "sub = row[1:]", "back = row[::2]", "turned = m.T",
                 "every = m[1::3, ::2]", "own = cuda.local.array(4, np.int32)",
                 "for k in range(4):", "    own[k] = np.int32(k * i - 5)",
                 "square = cuda.shared.array((4, 2), np.int32)", "if t < 8:",
                 "    square[t >> 1, t & 1] = np.int32(t * 7 - 20)",
                 "cuda.syncthreads()")  # fmt: skip
        for _ in range(self.random.randrange(1, 5)):
            if self.chance(0.2):
                self.together()
            else:
                self.statement(1, 2)
        self.put(1, "a[i, 0] ^= np.int32(p - 5 * q)", "l[i, 1] += e", "x[i, 1] = f - g",
                 "a[i, 1] ^= np.int32(own[0] - 3 * own[1] + own[2] - own[3])", "w[i, 3] = u",
                 "h[i, 1] = hh", "a[i, 2] += np.int32(tp[0] - tp[1][0] * 3 + tp[1][1])", "if b1:",
                 "    a[i, 3] += 1",
                 "l[i, 3] ^= np.int64(r) + np.int64(tq[0]) - np.int64(tq[1])")  # fmt: skip
        return f"@cuda.jit\ndef {name}({BROAD}):\n" + "\n".join(self.lines) + "\n"


def broad_arguments(seed):
    r = np.random.default_rng(seed)
    a = r.integers(-9, 20, (N, 4)).astype(np.int32)
    a[::7, 0] = r.choice([2147483647, -2147483648, 0, -1, 65536], len(a[::7]))
    far = r.integers(-(1 << 63), (1 << 63) - 1, (N, 4)) >> r.integers(0, 50, (N, 4))
    wide = r.integers(0, 1 << 63, (N, 4), np.uint64) >> r.integers(0, 60, (N, 4)).astype(np.uint64)
    x = (r.integers(-40, 40, (N, 4)) / 4).astype(np.float32)
    h = (r.integers(-12, 12, (N, 4)) / 4).astype(np.float16)
    m = r.integers(-6, 12, (8, 5)).astype(np.int32)
    counts = np.zeros(16 + N, np.int32), np.zeros(16 + N, np.uint32)
    longs = np.where(r.random((N, 4)) < 0.5, r.integers(-9, 20, (N, 4)), far)
    return [a, longs, wide, x, h, m, *counts, 50, int(r.integers(0, 2)), int(r.integers(-3, 3))]


# ---------------------------------------------------------------- constants of all types

CONSTANT = "l, w, x, h, o, i1, u1, i2, u2, i4, u4, i8, u8, yes, f4, h2, zero"
CONSTANT_HEAD = """import enum
import math
import operator
import numpy as np
from numba import cuda

BIG = 1 << 40
NEG = -(1 << 35)
H = np.float16(1.5)
F = np.float32(-2.25)
YES = True
U = np.uint32(0xDEADBEEF)
ITEMS = (3, np.int8(-5), True, 2.5, np.uint64(1 << 63))

class Color(enum.IntEnum):
    RED = 3
    BLUE = 70

@cuda.jit(device=True)
def same(v):
    return v

@cuda.jit(device=True)
def pick(c, a, b):
    if c:
        return a
    return b

@cuda.jit(device=True)
def loop(a, b):
    s = a
    for k in range(3):
        s = s + b
    return s

"""
FIXED = (
    "i1", "u1", "i2", "u2", "i4", "u4", "i8", "yes", "3", "-7", "0", "1", "U", "YES", "ITEMS[0]",
    "ITEMS[1]", "ITEMS[2]", "Color.RED", "Color.BLUE", "2147483647", "-2147483648", "True", "zero",
    "np.int32(-2147483647)", "np.int8(-127)", "np.uint8(255)", "np.uint16(65535)", "False", "l[i]",
    "np.uint32(4294967295)", "i", "o[i]",
)  # fmt: skip
BEYOND = "BIG", "NEG", "4294967296", "np.int64(9223372036854775807)"


class Constants(Drawn):
    """A kernel of constants: literals, names from outside, a launch's arguments. Much of it is
    settled when it is compiled. ``far``: whether some need 64 bits."""

    launch = 1, 32

    def __init__(self, source):
        super().__init__(source)
        self.far = self.chance(0.4)

    def whole(self, depth):
        if depth <= 0:
            return self.pick(*FIXED, *BEYOND) if self.far else self.pick(*FIXED)
        one, two = self.whole(depth - 1), self.whole(depth - 1)
        real, test, kind = self.real(depth - 1), self.test(depth - 1), self.pick(*KINDS)
        word = self.pick("int32", "uint32", *(("int64", "uint64") if self.far else ()))
        sign = self.pick("+", "-", "*", "//", "%", "&", "|", "^")
        return self.pick(
            *[f"({one} {sign} {two})"] * 3, f"(-{one})", f"(~{one})", f"(+{one})", f"abs({one})",
            f"({one} {self.pick('<<', '>>')} {self.pick(1, 5, 31, 33, 63, 'u1', '(i & 63)')})",
            *[f"np.{kind}({one})"] * 2, f"np.{kind}({real})", f"min({one}, {two})",
            f"max({one}, {two})", f"({one} if {test} else {two})", f"({one} and {two})",
            f"({one} or {two})", f"({test} and {one})", f"({test} or {one})", f"(not {one})",
            f"int({real})", f"round({real})", f"bool({one})", f"cuda.popc(np.{word}({one}))",
            f"cuda.clz(np.int32({one}))", f"cuda.ffs(np.int32({one}))", f"same({one})",
            f"cuda.brev(np.uint32({one}))", f"divmod({one}, {two})[{self.pick(0, 1)}]",
            f"np.int8({one}) ** {self.pick(0, 1, 3, 7, 'np.uint8(3)')}", f"loop({one}, {two})",
            f"pick({test}, {one}, {two})", f"({test})", f"({self.test(0)} + {self.test(0)})",
            f"np.square({one})", f"np.uint8({self.unsigned(0)})", f"np.minimum({one}, {two})",
            f"operator.{self.pick('add', 'floordiv', 'mod', 'xor', 'mul')}({one}, {two})",
            f"({one} in ({two}, 3))", f"sum(({one}, {two}))", f"({one}, {two})[1]",
            f"math.floor({self.real(0)})", f"np.int32({self.half(depth - 1)})",
        )  # fmt: skip

    def unsigned(self, depth):
        if not self.far:
            return self.pick("np.uint32(7)", "U", "u4", "w[i]", "np.uint32(i)", "(-U)", "(-u4)",
                             "(U >> np.uint32(7))")  # fmt: skip
        if depth <= 0:
            return self.pick("u8", "ITEMS[4]", "np.uint64(7)", "18446744073709551615", "w[i]",
                             "np.uint64(i)", "np.uint64(BIG)")  # fmt: skip
        one, two = self.unsigned(depth - 1), self.unsigned(depth - 1)
        by = f"np.uint64({self.pick(1, 33, 63)})"
        return self.pick(
            f"({one} {self.pick('+', '-', '*', '//', '%', '&', '|', '^')} {two})", f"(~{one})",
            f"(-{one})", f"({one} >> {by})", f"({one} << {by})", f"min({one}, {two})",
            f"np.uint64({self.whole(depth - 1)})", f"np.uint64({self.real(depth - 1)})",
            f"({one} if {self.test(0)} else {two})", f"cuda.popc({one})", f"same({one})",
        )  # fmt: skip

    def real(self, depth):
        if depth <= 0:
            return self.pick("f4", "F", "np.float32(1.5)", "np.float32(-3)", "x[i]",
                             "np.float32(i)", "np.float32(1e10)", "np.float32(255)")  # fmt: skip
        one, two = self.real(depth - 1), self.real(depth - 1)
        return self.pick(
            f"({one} {self.pick('+', '-', '*')} {two})", f"-{one}", f"abs({one})", f"same({one})",
            f"min({one}, {two})", f"max({one}, {two})", f"math.floor({one})", f"math.ceil({one})",
            f"np.float32({self.whole(depth - 1)})", f"({one} if {self.test(0)} else {two})",
            f"np.rint({one})", f"np.sign({one})", f"({one} // np.float32(0.5))", f"{one} ** 2",
            f"({one} % np.float32(4))", f"np.minimum({one}, {two})", f"(x[i] + {one})",
            f"np.float32({self.half(0)})", f"pick({self.test(0)}, {one}, {two})",
        )  # fmt: skip

    def half(self, depth):
        if depth <= 0:
            return self.pick("H", "h2", "np.float16(0.5)", "h[i]", "np.float16(-3)")
        one, two = self.half(depth - 1), self.half(depth - 1)
        word = self.pick("hadd", "hsub", "hmul", "hmax", "hmin")
        return self.pick(f"({one} {self.pick('+', '-', '*')} {two})", f"-{one}", f"abs({one})",
                         f"cuda.fp16.hneg({one})", f"cuda.fp16.habs({one})",
                         f"cuda.fp16.{word}({one}, {two})", f"np.float16({self.real(0)})",
                         f"({one} if {self.test(0)} else {two})")  # fmt: skip

    def test(self, depth):
        sign = self.pick(*SIGNS)
        if depth <= 0:
            return self.pick("yes", "YES", "(not yes)", f"i1 {sign} u1", f"f4 {sign} F", "True",
                             f"i {sign} 9", "~yes", "zero", "(not zero)", f"i4 {sign} u4",
                             f"(l[i] ^ i4) {sign} i2")  # fmt: skip
        one, two = self.whole(depth - 1), self.whole(depth - 1)
        return self.pick(
            f"{one} {sign} {two}", f"{self.real(depth - 1)} {sign} {self.real(depth - 1)}",
            f"({self.test(0)} and {self.test(depth - 1)})", f"(~({self.test(depth - 1)}))",
            f"({self.test(0)} or {self.test(depth - 1)})", f"(not {self.test(depth - 1)})",
            f"({self.test(0)} ^ {self.test(0)})", f"({self.test(0)} & {self.test(0)})",
            f"bool({self.real(0)})", f"{self.half(depth - 1)} {sign} {self.half(0)}",
            f"{self.whole(0)} {sign} {self.whole(0)} {self.pick(*SIGNS)} {self.whole(0)}",
        )  # fmt: skip

    def source(self, name):
        arms = "3", "1.5", "np.uint8(200)", "np.int16(-300)", "yes", "i1", "u4", "f4"
        self.put(1, "i = cuda.grid(1)", "v = 0")
        for _ in range(self.random.randrange(1, 5)):
            turns = self.pick("range(2)", "range(u1 & 3)", "range(zero)", "(1, 2)", "range(i & 3)")
            indent = 1
            if self.chance(0.2):
                self.put(1, f"if {self.test(1)}:")
                indent = 2
            elif self.chance(0.2):
                self.put(1, f"for k in {turns}:")
                indent = 2
            self.put(indent, *self.pick(
                (f"l[i] {self.pick('=', '+=', '-=', '^=', '*=')} {self.whole(3)}",),
                (f"w[i] = {self.unsigned(2)}",), (f"x[i] = {self.real(2)}",),
                (f"h[i] = {self.half(2)}",), (f"o[i] = np.int32({self.whole(3)})",),
                (f"v = {self.whole(2)}",), (f"o[i] += {self.test(2)}",),
                (f"c = {self.pick(*arms)}", f"for k in {turns}:", f"    c = {self.pick(*arms)}",
                 "o[i] += np.int32(c)", "o[i] ^= np.int32(-c * 3)"),
            ))  # fmt: skip
        self.put(1, f"l[i] ^= np.int{64 if self.far else 32}(v)")
        return f"@cuda.jit\ndef {name}({CONSTANT}):\n" + "\n".join(self.lines) + "\n"


def constant_arguments(seed):
    r = np.random.default_rng(seed)

    def ends(dtype):
        least, most = (int(n) for n in (np.iinfo(dtype).min, np.iinfo(dtype).max))
        near = int(r.integers(max(least, -1000), min(most, 1000)))
        return dtype([least, most, 0, 1, 5, near][int(r.integers(0, 6))])

    far = Constants(random.Random(seed)).far
    integers = [ends(t) for t in (np.int8, np.uint8, np.int16, np.uint16, np.int32, np.uint32)]
    integers += [ends(np.int64), ends(np.uint64)] if far else [-99, np.uint64(77)]
    longs, wide = r.integers(-(1 << 62), 1 << 62, 32), r.integers(0, 1 << 63, 32, np.uint64)
    longs >>= r.integers(0, 60, 32)
    if not far:
        longs, wide = longs.astype(np.int32), wide.astype(np.uint32)
    quarters = r.integers(-16, 16, 32) / 4
    f4 = np.float32(r.choice([0.5, -3.75, 1e6, 7]))
    return [longs, wide, quarters.astype(np.float32), quarters.astype(np.float16),
            np.zeros(32, np.int32), *integers, bool(r.integers(0, 2)), f4, np.float16(2.5),
            np.int32(0)]  # fmt: skip

"""Kernels of tensor cores on a CPU: a block's threads as NumPy arrays, their PTX interpreted.

The kernel's own Python runs, once for all threads of a block: ``threadIdx.x`` is an array, and so
is everything that follows from it. Their branches must be the same for all threads. What a kernel
says in PTX by ``kernels/tensor_cores/ptx.py`` is read and done here, instruction by instruction:
the fragments of ldmatrix and mma as the PTX manual gives them. An asynchronous copy comes as late
as it may, and what it will overwrite is NaN until then. Operands of mma that were not rounded to
TF32, an address that is not aligned, and a read outside the arrays raise.
"""

import contextlib
import importlib
import re
import sys
import types

import numpy as np

from kernels.tensor_cores.formats import to_tf32

SHARED = 1024  # where shared memory begins
NAMES = "kernels.tensor_cores.mma_sync", "kernels.tensor_cores.ptx", "kernels.gpt.matmul"


class Memory:
    """Bytes at an address. What was never written is NaN."""

    def __init__(self, start, size):
        self.start, self.words = start, np.full(size // 4, 0x7FFFDEAD, np.uint32)

    def places(self, address, align):
        offset = np.asarray(address, np.int64) - self.start
        assert not (np.asarray(address) % align).any(), f"not aligned to {align} bytes"
        assert (offset >= 0).all() and (offset + align <= 4 * len(self.words)).all(), "outside"
        return offset // 4


class Block:
    """What the threads of one block share."""

    def __init__(self, threads, memory, shared):
        self.threads, self.memory = threads, memory
        self.shared = Memory(SHARED, shared)
        self.asked, self.groups = [], []

    def wait(self, left):
        for group in self.groups[: len(self.groups) - left]:
            for to, values in group:
                self.shared.words[to] = values
        self.groups = self.groups[len(self.groups) - left :]

    def copy(self, to, source, size, given):
        """cp.async: so many bytes of ``given``, and zeros."""
        words, count = np.arange(size // 4), np.asarray(given)[:, None] // 4
        to = self.shared.places(to, size)[:, None] + words
        values = np.zeros(to.shape, np.uint32)
        reads = words < count
        assert not (np.asarray(source)[reads[:, 0]] % size).any(), "not aligned"
        address = np.asarray(source)[:, None] + 4 * words
        values[reads] = self.memory.words[self.memory.places(address[reads], 4)]
        self.shared.words[to] = 0x7FFFDEAD
        self.asked.append((to, values))


NOW = {}  # the block that runs


def ldmatrix(block, address):
    rows = block.shared.places(address, 16).reshape(-1, 4, 8)  # warp, matrix, row
    words = block.shared.words[rows[..., None] + np.arange(4)]  # warp, matrix, row, word
    return [words[:, i].reshape(-1) for i in range(4)]  # lane 4 * row + word


def mma(a, b, acc):
    """m16n8k8 for all warps: registers of lanes to matrices, their product, and back."""
    for x in (*a, *b):
        assert not (x & 0x1FFF).any(), "an operand that was not rounded to TF32"
    a, b = ([x.view(np.float32).reshape(-1, 8, 4) for x in part] for part in (a, b))
    left = np.concatenate([np.concatenate(a[0::2], 2), np.concatenate(a[1::2], 2)], 1)
    right = np.concatenate(b, 2)  # warp, column, k
    made = np.einsum("wmk,wnk->wmn", left.astype(float), right.astype(float))
    made = made.reshape(-1, 2, 8, 4, 2)  # warp, half, row, pair, one of it
    return [
        (acc[2 * h + c].astype(float) + made[:, h, :, :, c].reshape(-1)).astype(np.float32)
        for h in range(2)
        for c in range(2)
    ]


def ptx(text, operands=""):
    """What kernels/tensor_cores/ptx.py makes, as a function of NumPy arrays."""
    if "cvta.to.shared" in text:
        return lambda _: SHARED
    words = [re.fullmatch(r"([=+]?)([rlf])(\d*)", word).groups() for word in operands.split()]

    def name(found):
        operand, low, colon, high = found.groups()
        if low and not colon:
            return f"o{operand}_{low}"
        if colon:
            return "{" + ", ".join(f"o{operand}_{i}" for i in range(int(low), int(high))) + "}"
        return f"o{operand}"

    text = re.sub(r"%(\d+)(?:\[(\d+)(:?)(\d*)\])?", name, text).strip().strip("{").strip()
    text = text.removesuffix("}") if operands and text.endswith("; }") else text
    parsed = []
    for statement in filter(None, (part.strip() for part in text.split(";"))):
        guard, code, rest = re.fullmatch(r"(?:@(\w+) )?([\w.:]+) ?(.*)", statement).groups()
        if code == ".reg":
            continue
        parts = re.findall(r"\{[^}]*\}|\[[^]]*\]|[^,\s]+", rest)
        parsed.append((guard, code, [p.strip("{}").split(", ") if p[0] == "{" else p for p in parts]))

    def run(*arguments):
        block = NOW["block"]
        count, kinds = block.threads, {"r": np.uint32, "l": np.int64, "f": np.float32}
        registers, given = {}, list(arguments)
        for i, (sign, kind, many) in enumerate(words):
            if sign == "=":
                continue
            value = given.pop(0)
            for j, x in enumerate(value if many else [value]):
                x = np.broadcast_to(np.asarray(x), count)
                wide = x.astype(np.int64) & 0xFFFFFFFF if kind == "r" and x.dtype.kind == "i" else x
                registers[f"o{i}_{j}" if many else f"o{i}"] = wide.astype(kinds[kind])

        def read(part):
            if part.startswith("["):
                base, _, more = part.strip("[]").partition(" + ")
                return read(base).astype(np.int64) + int(more or 0)
            if part in registers:
                return registers[part]
            if part.startswith("0f"):
                return np.full(count, np.uint32(int(part[2:], 16)).view(np.float32))
            return np.full(count, int(part))

        for guard, code, parts in parsed:
            on = registers[guard] if guard else np.ones(count, bool)
            values = parts if isinstance(parts, list) else [parts]
            if code.startswith("cp.async.commit"):
                block.groups.append(block.asked)
                block.asked = []
            elif code.startswith("cp.async.wait"):
                block.wait(int(values[0]))
            elif code.startswith("cp.async"):
                to, source, size, part = (read(p) for p in values)
                block.copy(to, source, int(size[0]), part)
            elif code.startswith("ldmatrix"):
                for to, x in zip(values[0], ldmatrix(block, read(values[1])), strict=True):
                    registers[to] = x
            elif code == "ld.shared.b32":
                places = block.shared.places(read(values[1]), 4)
                registers[values[0]] = block.shared.words[places]
            elif code == "cvt.rna.tf32.f32":
                x = read(values[1]).view(np.float32)
                registers[values[0]] = to_tf32(x).view(np.uint32)
            elif code.startswith("mma.sync"):
                to, a, b, acc = values
                made = mma([read(p) for p in a], [read(p) for p in b], [read(p) for p in acc])
                registers.update(zip(to, made, strict=True))
            elif code.startswith("mov"):
                registers[values[0]] = read(values[1])
            elif code == "setp.gt.s32":
                registers[values[0]] = read(values[1]).astype(np.int32) > read(values[2])
            elif code == "setp.gt.and.s32":
                more = read(values[1]).astype(np.int32) > read(values[2])
                registers[values[0]] = more & registers[values[3]]
            elif code == "add.u64":
                registers[values[0]] = read(values[1]) + read(values[2])
            elif code == "mul.f32":
                registers[values[0]] = read(values[1]) * read(values[2])
            elif code == "fma.rn.f32":
                x, y, z = (read(p).astype(float) for p in values[1:])
                registers[values[0]] = (x * y + z).astype(np.float32)
            elif code.startswith("ld.global"):
                some = values[0] if isinstance(values[0], list) else [values[0]]
                places = block.memory.places(read(values[1])[on], 4 * len(some))
                for j, to in enumerate(some):
                    found = block.memory.words[places + j].view(np.float32)
                    registers[to] = registers[to].copy()
                    registers[to][on] = found
            elif code.startswith("st.global"):
                some = values[1] if isinstance(values[1], list) else [values[1]]
                places = block.memory.places(read(values[0])[on], 4 * len(some))
                for j, part in enumerate(some):
                    block.memory.words[places + j] = read(part)[on].astype(np.float32).view(np.uint32)
            else:
                raise NotImplementedError(code)
        if words and words[0][0]:
            many = words[0][2]
            return tuple(registers[f"o0_{j}"] for j in range(int(many))) if many else registers["o0"]

    return run


class Kernel:
    def __init__(self, function):
        self.function = function

    def __getitem__(self, launch):
        blocks, threads, _, shared = launch

        def run(*arguments):
            cuda = NOW["cuda"]
            for x in range(blocks):
                NOW["block"] = Block(threads, NOW["memory"], shared)
                cuda.blockIdx.x, cuda.threadIdx.x = x, np.arange(threads)
                self.function(*arguments)

        return run


@contextlib.contextmanager
def loading():
    """Within this block, yield a function that imports a module of kernels/ to run here."""

    def whole(kind):
        return lambda x: np.asarray(x).astype(kind) if np.ndim(x) else int(x)

    def jit(function=None, device=False, **_):
        if function is None:
            return lambda f: jit(f, device)
        return function if device else Kernel(function)

    cuda = NOW["cuda"] = types.SimpleNamespace(
        jit=jit, blockIdx=types.SimpleNamespace(), threadIdx=types.SimpleNamespace(),
        syncthreads=lambda: None,
        shared=types.SimpleNamespace(
            array=lambda *_, **__: types.SimpleNamespace(ctypes=types.SimpleNamespace(data=0))
        ),
    )  # fmt: skip
    numba = types.ModuleType("numba")
    numba.cuda, numba.typeof = cuda, type
    numba.int32, numba.int64, numba.uint32 = whole(np.int32), whole(np.int64), whole(np.uint32)
    numba.float32 = np.float32
    bridge = types.ModuleType(NAMES[1])
    bridge.ptx = ptx
    kept = {name: sys.modules.pop(name, None) for name in ("numba", *NAMES)}
    sys.modules |= {"numba": numba, NAMES[1]: bridge}

    def least(*values):
        return np.minimum(*values) if any(map(np.ndim, values)) else int(min(values))

    def most(*values):
        return np.maximum(*values) if any(map(np.ndim, values)) else int(max(values))

    def load(name):
        module = importlib.import_module(name)
        module.min, module.max = least, most
        return module

    try:
        yield load
    finally:
        for name, module in kept.items():
            sys.modules.pop(name, None)
            if module is not None:
                sys.modules[name] = module

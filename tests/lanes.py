"""Kernels of tensor cores on a CPU: a block's threads as NumPy arrays, their PTX interpreted.

The kernel's own Python runs, once for all threads of a block: ``threadIdx.x`` is an array, and so
is everything that follows from it. Branches must be the same for all threads. What a kernel says
in PTX by ``kernels/tensor_cores/ptx.py`` is read and done here, instruction by instruction, with
the fragments of ldmatrix and mma as the PTX manual gives them. An asynchronous copy comes as late
as it may, and what it will overwrite is NaN until then. An operand of mma that was not rounded to
TF32, an address that is not aligned, and an access outside the arrays raise.
"""

import contextlib
import importlib
import re
import sys
import types

import numpy as np

from kernels.tensor_cores.formats import to_tf32

SHARED = 1024  # where shared memory begins
NAN = 0x7FFFDEAD
NAMES = "kernels.tensor_cores.ptx", "kernels.gpt.matmul"
NOW = {}  # the block that runs, and the arrays in the GPU's memory


class Array(np.ndarray):
    """An array that a launch takes for one of the GPU's."""

    @property
    def __cuda_array_interface__(self):
        return {"data": (self.ctypes.data, False)}


class Memory:
    """Words of 4 bytes from an address on."""

    def __init__(self, start, words):
        self.start, self.words = start, words

    def places(self, address, align):
        """Return the first word of each address."""
        address = np.asarray(address, np.int64)
        assert not (address % align).any(), f"not aligned to {align} bytes"
        offset = address - self.start
        assert (offset >= 0).all() and (offset + align <= 4 * len(self.words)).all(), "outside"
        return offset // 4


def memory_of(address):
    """Return the array that holds the first of these addresses, and so must hold all."""
    for memory in NOW["memory"]:
        if memory.start <= address[0] < memory.start + 4 * len(memory.words):
            return memory
    raise AssertionError("outside of all arrays")


class Block:
    """What the threads of one block share."""

    def __init__(self, threads, shared):
        self.threads = threads
        self.shared = Memory(SHARED, np.full(shared // 4, NAN, np.uint32))
        self.asked, self.groups = [], []

    def wait(self, left):
        come, self.groups = np.split(np.array([*self.groups, None], object), [-left - 1])
        for to, values in (copy for group in come for copy in group):
            self.shared.words[to] = values
        self.groups = list(self.groups[:-1])

    def copy(self, to, source, size, given):
        """cp.async: ``given`` bytes, and zeros after them."""
        words = np.arange(size // 4)
        to = self.shared.places(to, size)[:, None] + words
        values, reads = np.zeros(to.shape, np.uint32), words < given[:, None] // 4
        if reads.any():
            assert not (source[reads[:, 0]] % size).any(), "not aligned"
            address = (source[:, None] + 4 * words)[reads]
            memory = memory_of(address)
            values[reads] = memory.words[memory.places(address, 4)]
        self.shared.words[to] = NAN
        self.asked.append((to, values))

    def commit(self):
        self.groups.append(self.asked)
        self.asked = []


def ldmatrix(block, address):
    """Return four registers: lanes 8 i to 8 i + 7 have the rows' addresses of the i-th matrix."""
    rows = block.shared.places(address, 16).reshape(-1, 4, 8)  # warp, matrix, row
    words = block.shared.words[rows[..., None] + np.arange(4)]
    return [words[:, i].reshape(-1) for i in range(4)]  # lane 4 * row + word


def mma(a, b, acc):
    """m16n8k8 for all warps: registers of lanes to matrices, their product, and back."""
    for x in (*a, *b):
        assert not (x & 0x1FFF).any(), "an operand that was not rounded to TF32"
    a, b = ([x.view(np.float32).reshape(-1, 8, 4) for x in part] for part in (a, b))
    left = np.concatenate([np.concatenate(a[:2], 1), np.concatenate(a[2:], 1)], 2)
    right = np.concatenate(b, 2)  # warp, column, k
    made = np.einsum("wmk,wnk->wmn", left.astype(float), right.astype(float))
    made = made.reshape(-1, 2, 8, 4, 2)  # warp, half, row, pair, one of it
    return [
        (acc[2 * h + c].astype(float) + made[:, h, :, :, c].reshape(-1)).astype(np.float32)
        for h in range(2)
        for c in range(2)
    ]


def parse(text):
    """Return (guard, instruction, operands) of each statement; an operand may be a list."""
    found = []
    for statement in filter(None, (part.strip() for part in text.split(";"))):
        guard, code, rest = re.fullmatch(r"(?:@(\w+) )?([\w.:]+) ?(.*)", statement).groups()
        parts = re.findall(r"\{[^}]*\}|\[[^]]*\]|[^,\s]+", rest)
        parts = [p.strip("{}").split(", ") if p[0] == "{" else p for p in parts]
        found += [] if code == ".reg" else [(guard, code, parts)]
    return found


def ptx(text, operands=""):
    """What kernels/tensor_cores/ptx.py makes of a text, as a function of NumPy arrays."""
    if "cvta.to.shared" in text:
        return lambda _: SHARED
    words = [re.fullmatch(r"([=+]?)([rlf])(\d*)", word).groups() for word in operands.split()]
    kinds = {"r": np.uint32, "l": np.int64, "f": np.float32}

    def name(found):
        operand, low, colon, high = found.groups()
        if colon:
            return "{" + ", ".join(f"o{operand}_{i}" for i in range(int(low), int(high))) + "}"
        return f"o{operand}_{low}" if low else f"o{operand}"

    text = re.sub(r"%(\d+)(?:\[(\d+)(:?)(\d*)\])?", name, text).strip()
    statements = parse(text[1:-1] if text.startswith("{") else text)

    def run(*arguments):
        block, registers, given = NOW["block"], {}, list(arguments)
        for i, (sign, kind, many) in enumerate(words):
            if sign == "=":
                continue
            value = given.pop(0)
            for j, x in enumerate(value if many else [value]):
                x = np.broadcast_to(np.asarray(x), block.threads)
                x = x.astype(np.int64) & 0xFFFFFFFF if kind == "r" else x
                registers[f"o{i}_{j}" if many else f"o{i}"] = x.astype(kinds[kind])
        for guard, code, parts in statements:
            step(block, registers, registers.get(guard), code, parts)
        if words and words[0][0]:
            many = int(words[0][2] or 0)
            return tuple(registers[f"o0_{j}"] for j in range(many)) if many else registers["o0"]

    return run


def step(block, registers, guard, code, parts):
    """Do one instruction, for all threads, or for those of its guard."""

    def read(part):
        if part[0] == "[":
            base, _, more = part.strip("[]").partition(" + ")
            return read(base).astype(np.int64) + int(more or 0)
        if part in registers:
            return registers[part]
        number = np.uint32(int(part[2:], 16)).view("f4") if part[:2] == "0f" else int(part)
        return np.full(block.threads, number)

    def listed(part):
        return part if isinstance(part, list) else [part]

    def global_words(part, some):
        address = read(part)[guard]
        memory = memory_of(address) if len(address) else NOW["memory"][0]
        places = memory.places(address, 4 * len(some)) if len(address) else []
        return [(memory.words, np.asarray(places, int) + j) for j in range(len(some))]

    to = parts[0] if parts else None
    if code == "cp.async.commit_group":
        block.commit()
    elif code == "cp.async.wait_group":
        block.wait(int(to))
    elif code.startswith("cp.async"):
        block.copy(read(to), read(parts[1]), int(parts[2]), read(parts[3]))
    elif code.startswith("ldmatrix"):
        registers.update(zip(to, ldmatrix(block, read(parts[1])), strict=True))
    elif code == "ld.shared.b32":
        registers[to] = block.shared.words[block.shared.places(read(parts[1]), 4)]
    elif code in ("cvt.rna.tf32.f32", "cvt.rn.tf32.f32"):  # the same, where there is no tie
        registers[to] = to_tf32(read(parts[1]).view(np.float32)).view(np.uint32)
    elif code.startswith("mma.sync.aligned.m16n8k8"):
        made = mma(*([read(p) for p in part] for part in parts[1:]))
        registers.update(zip(to, made, strict=True))
    elif code.startswith("mov"):
        registers[to] = read(parts[1]).copy()
    elif code.startswith("setp.gt"):
        more = read(parts[1]).astype(np.int32) > read(parts[2])
        registers[to] = more & registers[parts[3]] if ".and" in code else more
    elif code == "add.u64":
        registers[to] = read(parts[1]) + read(parts[2])
    elif code == "mul.f32":
        registers[to] = read(parts[1]) * read(parts[2])
    elif code == "fma.rn.f32":
        x, y, z = (read(p).astype(float) for p in parts[1:])
        registers[to] = (x * y + z).astype(np.float32)
    elif code.startswith("ld.global"):
        for name, (words, at) in zip(listed(to), global_words(parts[1], listed(to)), strict=True):
            registers[name][guard] = words[at].view(np.float32)
    elif code.startswith("st.global"):
        some = listed(parts[1])
        for name, (words, at) in zip(some, global_words(to, some), strict=True):
            words[at] = read(name)[guard].astype(np.float32).view(np.uint32)
    else:
        raise NotImplementedError(code)


class Kernel:
    """Launches block after block: of threads together, or one by one where none is shared."""

    def __init__(self, function):
        self.function = function

    def __getitem__(self, launch):
        blocks, threads, _, *shared = launch
        cuda = NOW["cuda"]

        def run(*arguments):
            for cuda.blockIdx.x in range(blocks):
                if shared:
                    NOW["block"] = Block(threads, *shared)
                    cuda.threadIdx.x = np.arange(threads)
                    self.function(*arguments)
                    continue
                for thread in range(threads):
                    cuda.grid = lambda _, at=cuda.blockIdx.x * threads + thread: at
                    self.function(*arguments)

        return run


def root(x):
    while isinstance(x.base, np.ndarray):
        x = x.base
    return x


def place(*arrays):
    """Say which arrays lie in the GPU's memory."""
    whole = {id(root(x)): root(x) for x in arrays}.values()
    assert all(x.flags.c_contiguous for x in whole)
    NOW["memory"] = [Memory(x.ctypes.data, x.reshape(-1).view(np.uint32)) for x in whole]


@contextlib.contextmanager
def loading():
    """Within this block, kernels/gpt/matmul.py runs here. Yields the module."""

    def whole(kind):
        return lambda x: np.asarray(x).astype(kind) if np.ndim(x) else int(x)

    def jit(function=None, device=False, **_):
        if function is None:
            return lambda f: jit(f, device)
        return function if device else Kernel(function)

    def either(arrays, numbers):
        return lambda *x: arrays(*x) if any(map(np.ndim, x)) else int(numbers(x))

    memory = types.SimpleNamespace(ctypes=types.SimpleNamespace(data=0))
    cuda = NOW["cuda"] = types.SimpleNamespace(
        jit=jit,
        blockIdx=types.SimpleNamespace(),
        threadIdx=types.SimpleNamespace(),
        syncthreads=lambda: None,
        shared=types.SimpleNamespace(array=lambda *_, **__: memory),
        device_array=lambda shape, kind: np.full(shape, np.nan, kind).view(Array),
        as_cuda_array=lambda x, sync: x,
        get_current_device=lambda: types.SimpleNamespace(compute_capability=(9, 0)),
    )
    numba, bridge = types.ModuleType("numba"), types.ModuleType(NAMES[0])
    numba.cuda, numba.typeof, numba.float32, bridge.ptx = cuda, type, np.float32, ptx
    numba.int32, numba.int64 = whole(np.int32), whole(np.int64)
    kept = {name: sys.modules.pop(name, None) for name in ("numba", *NAMES)}
    sys.modules |= {"numba": numba, NAMES[0]: bridge}
    try:
        module = importlib.import_module(NAMES[1])
        module.min, module.max = either(np.minimum, min), either(np.maximum, max)
        module.allow = lambda *_: None
        yield module
    finally:
        for name, module in kept.items():
            sys.modules.pop(name, None)
            if module is not None:
                sys.modules[name] = module

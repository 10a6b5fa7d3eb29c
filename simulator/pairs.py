"""The kernel pairs: one problem, several languages, one expected result.

Each pair has a folder ``snippets/pairs/<name>/`` with ``kernel.metal``, ``kernel.cu`` and sometimes
``kernel.hip``, a module ``kernels/pairs/<name>.py`` with the Numba side, and a row here with
problems of random data at awkward sizes. Every side is launched on the same problems, by

* ``on_metal_host`` and ``on_cuda_host``, on a CPU (``simulator.metal``, ``simulator.cuda_cpp``),
* ``on_numba``, in a simulator or on a GPU, and ``on_cupy``, on a GPU,
* ``tools/apple.py``, on a Mac,

and each must leave in the buffers what NumPy expects.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path

import numpy as np

from simulator import cuda_cpp, metal
from simulator.hosts import ROOT, HostError

FOLDER = "snippets/pairs"


@dataclass
class Problem:
    """Buffers, one launch, and what the buffers hold afterwards."""

    label: str
    buffers: dict[str, np.ndarray]  # in the order of the kernel's arguments
    expected: dict[str, np.ndarray]
    scalars: dict[str, np.generic]
    group: tuple[int, ...]  # threads of a group
    threads: tuple[int, ...] | None = None  # of the whole grid: Metal dispatches exactly these
    groups: tuple[int, ...] | None = None  # or whole groups
    constants: dict[int, np.generic] = field(default_factory=dict)  # Metal's function constants
    instance: str | None = None  # of a CUDA C++ template
    rtol: float = 0.0  # 0: bit for bit
    numba: dict = field(default_factory=dict)  # more arguments of the Numba side

    def grid(self) -> tuple[int, ...]:
        """Return the number of groups, the last ones in part outside where threads are given."""
        if self.groups:
            return self.groups
        return tuple(-(-t // g) for t, g in zip(self.threads, self.group, strict=True))

    def copies(self) -> dict[str, np.ndarray]:
        return {name: array.copy() for name, array in self.buffers.items()}


@dataclass(frozen=True)
class Pair:
    """One pair. The arguments name buffers and scalars, in the order of each kernel."""

    name: str
    kernel: str
    metal: tuple[str, ...]
    cuda: tuple[str, ...]
    make: Callable[[np.random.Generator, bool], list[Problem]]
    numba: Callable  # (module, problem) -> {name of a buffer: result}

    @property
    def folder(self) -> Path:
        return ROOT / FOLDER / self.name

    def problems(self, small: bool = False) -> list[Problem]:
        """Return the problems. ``small``: few threads, for runs that look for races."""
        return self.make(np.random.default_rng(len(self.name)), small)


def of(path: str) -> Pair | None:
    """Return the pair that a source belongs to, by its path from the root, or None."""
    parts = Path(path).parts
    return PAIRS.get(parts[2]) if parts[:2] == ("snippets", "pairs") else None


def check(pair: Pair, problem: Problem, got: dict[str, np.ndarray], where: str) -> None:
    """Raise ``HostError`` unless the buffers hold what is expected."""
    for name, expected in problem.expected.items():
        result = got[name].reshape(expected.shape)
        if result.dtype != expected.dtype:
            raise HostError(f"{pair.name} {where}: {name} is {result.dtype}, not {expected.dtype}")
        if problem.rtol:
            wrong = ~np.isclose(result, expected, rtol=problem.rtol, atol=1e-6)
        else:
            wrong = result != expected
        if wrong.any():
            at = tuple(int(i) for i in np.argwhere(wrong)[0])
            raise HostError(
                f"{FOLDER}/{pair.name}: {where}, {problem.label}: {name}{list(at)} is "
                f"{result[at]}, not {expected[at]} ({int(wrong.sum())} of {wrong.size} differ)"
            )


# ---------------------------------------------------------------- the sides


def on_metal_host(pair: Pair, problem: Problem, text: str | None = None, **options) -> dict:
    """Run the Metal side on a CPU. ``text``: another text than the file's."""
    file = pair.folder / "kernel.metal"
    unit = metal.read(file, _tiled(file, text, options))
    buffers = problem.copies()
    arguments = [buffers[n] if n in buffers else problem.scalars[n] for n in pair.metal]
    options |= {"constants": problem.constants}
    if problem.threads:
        notes = metal.dispatch_threads(
            unit, pair.kernel, arguments, problem.threads, problem.group, **options
        )
    else:
        notes = metal.dispatch_threadgroups(
            unit, pair.kernel, arguments, problem.groups, problem.group, **options
        )
    _none(notes)
    return buffers


def on_cuda_host(pair: Pair, problem: Problem, text: str | None = None, **options) -> dict:
    """Run the CUDA C++ side on a CPU."""
    instances = (problem.instance,) if problem.instance else ()
    file = pair.folder / "kernel.cu"
    unit = cuda_cpp.read(file, _tiled(file, text, options), instances)
    buffers = problem.copies()
    arguments = [buffers[n] if n in buffers else problem.scalars[n] for n in pair.cuda]
    name = problem.instance or pair.kernel
    notes = cuda_cpp.launch(unit, name, problem.grid(), problem.group, arguments, **options)
    _none(notes)
    return buffers


def _none(notes: list[str]) -> None:
    """Our own kernels let one thread write a value, also where all would write the same."""
    if notes:
        raise HostError(notes[0])


def _tiled(file: Path, text: str | None, options: dict) -> str:
    """Return the text of a source, with tiles of 8 where races are looked for.

    ThreadSanitizer keeps apart fewer threads than a tile of 16 has.
    """
    text = file.read_text(encoding="utf-8") if text is None else text
    small = options.get("check") == "races"
    return re.sub(r"\bTILE( =)? 16\b", r"TILE\1 8", text) if small else text


def on_cupy(pair: Pair, problem: Problem) -> dict:
    """Run the CUDA C++ side on a GPU."""
    import cupy as cp

    names = {"name_expressions": (problem.instance,)} if problem.instance else {}
    text = (pair.folder / "kernel.cu").read_text(encoding="utf-8")
    module = cp.RawModule(code=text, options=("-std=c++17",), **names)
    kernel = module.get_function(problem.instance or pair.kernel)
    with cp.cuda.using_allocator(None):  # each array an allocation of its own: memcheck sees more
        buffers = {name: cp.asarray(array) for name, array in problem.buffers.items()}
    arguments = [buffers[n] if n in buffers else problem.scalars[n] for n in pair.cuda]
    kernel(problem.grid(), problem.group, tuple(arguments))
    return {name: array.get() for name, array in buffers.items()}


def on_numba(pair: Pair, problem: Problem) -> dict:
    """Run the Numba side, wherever ``numba.cuda`` runs here."""
    return pair.numba(import_module(f"kernels.pairs.{pair.name}"), problem)


def prove_metal(path: str, text: str) -> str:
    """Run a Metal source on a CPU: on its pair's problems, or only through the compiler.

    Returns "stand-in" where it ran and the result was the expected one, or "compiled". Raises
    ``HostError``.
    """
    pair = of(path)
    if pair is None:
        metal.compile(metal.read(ROOT / path, text))
        return "compiled"
    for problem in pair.problems():
        check(pair, problem, on_metal_host(pair, problem, text), "Metal on a CPU")
    return "stand-in"


# ---------------------------------------------------------------- problems


def floats(rng: np.random.Generator, *shape: int) -> np.ndarray:
    return rng.uniform(-1, 1, shape).astype(np.float32)


def u32(**values: int) -> dict[str, np.generic]:
    return {name: np.uint32(value) for name, value in values.items()}


NAN = np.float32(np.nan)  # in outputs, so that an element that nobody wrote is seen


def _sizes(small: bool) -> list[tuple[int, int]]:
    """Elements, and threads of a group."""
    return [(70, 64)] if small else [(1, 64), (255, 64), (257, 256), (1009, 128)]


def make_add(rng, small):
    for n, group in _sizes(small):
        a, b = floats(rng, n), floats(rng, n)
        buffers = {"a": a, "b": b, "out": np.full(n, NAN)}
        yield Problem(f"n = {n}", buffers, {"out": a + b}, u32(n=n), (group,), threads=(n,))


def make_saxpy(rng, small):
    for n, group in _sizes(small):
        x, y = floats(rng, n), floats(rng, n)
        alpha = np.float32(2.5)
        expected = (np.float64(alpha) * x + y).astype(np.float32)
        scalars = u32(n=n) | {"alpha": alpha}
        groups = (-(-n // group) + 1,)  # one more than needed: the guard must hold
        yield Problem(
            f"n = {n}", {"x": x, "y": y}, {"y": expected}, scalars, (group,), groups=groups,
            rtol=1e-6,
        )  # fmt: skip


def make_index_2d(rng, small):
    shapes = [(5, 9)] if small else [(1, 1), (1, 37), (37, 1), (31, 70), (64, 17)]
    for height, width in shapes:
        image = rng.integers(0, 256, (height, width), dtype=np.uint8)
        buffers = {"image": image, "out": np.zeros_like(image)}
        yield Problem(
            f"{height} x {width}", buffers, {"out": image[:, ::-1].copy()},
            u32(width=width, height=height), (8, 4) if small else (16, 16), threads=(width, height),
        )  # fmt: skip


def make_matmul(rng, small):
    tile = 8 if small else 16
    shapes = [(9, 8, 12)] if small else [(1, 1, 1), (17, 33, 19), (32, 16, 16), (5, 40, 50)]
    for m, n, k in shapes:
        a, b = floats(rng, m, k), floats(rng, k, n)
        expected = (a.astype(np.float64) @ b).astype(np.float32)
        buffers = {"a": a, "b": b, "c": np.full((m, n), NAN)}
        groups = (-(-n // tile), -(-m // tile))
        yield Problem(
            f"{m} x {k} times {k} x {n}", buffers, {"c": expected}, u32(m=m, n=n, k=k),
            (tile, tile), groups=groups, rtol=1e-5,
        )  # fmt: skip


def make_reduction(rng, small):
    for n, group in _sizes(small):
        x, groups = floats(rng, n), -(-n // group)
        padded = np.zeros(groups * group)
        padded[:n] = x
        expected = padded.reshape(groups, group).sum(axis=1).astype(np.float32)
        buffers = {"x": x, "sums": np.full(groups, NAN)}
        yield Problem(
            f"n = {n}", buffers, {"sums": expected}, u32(n=n), (group,), groups=(groups,), rtol=1e-5
        )


def make_transpose(rng, small):
    tile = 8 if small else 16
    shapes = [(17, 9)] if small else [(1, 1), (1, 37), (33, 17), (16, 48), (50, 31)]
    for rows, columns in shapes:
        matrix = floats(rng, rows, columns)
        buffers = {"in": matrix, "out": np.full((columns, rows), NAN)}
        groups = (-(-columns // tile), -(-rows // tile))
        yield Problem(
            f"{rows} x {columns}", buffers, {"out": matrix.T.copy()},
            u32(rows=rows, columns=columns), (tile, tile), groups=groups,
        )  # fmt: skip


def make_scan(rng, small):
    for n, group in _sizes(small):
        x = rng.integers(-1000, 1000, n, dtype=np.int32)
        parts = [np.cumsum(x[i : i + group]) for i in range(0, n, group)]
        expected = np.concatenate(parts).astype(np.int32)
        buffers = {"x": x, "out": np.full(n, -(2**31), np.int32)}
        groups = (-(-n // group),)
        yield Problem(f"n = {n}", buffers, {"out": expected}, u32(n=n), (group,), groups=groups)


def make_histogram(rng, small):
    for n, group in _sizes(small):
        x = rng.integers(0, 16, n, dtype=np.uint32)
        expected = np.bincount(x, minlength=16).astype(np.uint32)
        buffers = {"x": x, "counts": np.zeros(16, np.uint32)}
        groups = (-(-n // group),)
        yield Problem(f"n = {n}", buffers, {"counts": expected}, u32(n=n), (group,), groups=groups)


def make_stencil(rng, small):
    for n in [70] if small else [1, 3, 64, 65, 509]:
        x = rng.integers(-1000, 1000, n, dtype=np.int32)
        expected = np.convolve(x, np.ones(5, np.int32), mode="full")[2 : n + 2].astype(np.int32)
        buffers = {"x": x, "out": np.full(n, -(2**31), np.int32)}
        yield Problem(
            f"n = {n}", buffers, {"out": expected}, u32(n=n), (64,), groups=(-(-n // 64),)
        )


def make_softmax(rng, small):
    shapes = [(2, 40)] if small else [(1, 1), (3, 31), (5, 33), (2, 1000)]
    for rows, columns in shapes:
        x = 20 * floats(rng, rows, columns)
        wide = np.exp(x.astype(np.float64) - x.max(axis=1, keepdims=True))
        expected = (wide / wide.sum(axis=1, keepdims=True)).astype(np.float32)
        buffers = {"x": x, "out": np.full((rows, columns), NAN)}
        yield Problem(
            f"{rows} x {columns}", buffers, {"out": expected}, u32(columns=columns), (32,),
            groups=(rows,), rtol=2e-5,
        )  # fmt: skip


def make_matvec(rng, small):
    shapes = [(5, 40)] if small else [(1, 1), (4, 32), (7, 33), (37, 129)]
    for rows, columns in shapes:
        a, x = floats(rng, rows, columns), floats(rng, columns)
        expected = (a.astype(np.float64) @ x).astype(np.float32)
        group = 64 if small else 128
        buffers = {"a": a, "x": x, "y": np.full(rows, NAN)}
        yield Problem(
            f"{rows} x {columns}", buffers, {"y": expected}, u32(rows=rows, columns=columns),
            (group,), groups=(-(-rows // (group // 32)),), rtol=1e-5, numba={"threads": group},
        )  # fmt: skip


def mandelbrot(width, height, left, top, step, most) -> np.ndarray:
    """Count in NumPy. float64 holds a product of two float32, so each fma is rounded once."""
    f = np.float32
    cx = np.tile((np.arange(width, dtype=np.float64) * step + left).astype(f), (height, 1))
    rows = (np.arange(height, dtype=np.float64) * -np.float64(step) + top).astype(f)
    cy = np.tile(rows[:, None], (1, width))
    x, y = np.zeros_like(cx), np.zeros_like(cx)
    counts = np.zeros(cx.shape, np.uint32)
    wide = np.float64
    for _ in range(most):
        inside = (x.astype(wide) * x + (y * y)).astype(f) <= 4
        counts += inside
        following = (x.astype(wide) * x - (y * y)).astype(f) + cx
        y = np.where(inside, ((x + x).astype(wide) * y + cy).astype(f), y)
        x = np.where(inside, following, x)
    return counts


def make_mandelbrot(rng, small):
    shapes = [(9, 7)] if small else [(1, 1), (29, 13), (16, 21)]
    for width, height in shapes:
        left, top = rng.uniform(-2, -1), rng.uniform(0.5, 1)
        scalars = {n: np.float32(v) for n, v in (("left", left), ("top", top), ("step", 0.06))}
        scalars |= u32(width=width, height=height, most=30)
        expected = mandelbrot(
            width, height, *(scalars[n] for n in ("left", "top", "step")), most=30
        )
        buffers = {"counts": np.full((height, width), 2**31, np.uint32)}
        groups = (-(-width // 8) + 1, -(-height // 4))
        yield Problem(
            f"{width} x {height}", buffers, {"counts": expected}, scalars, (8, 4), groups=groups
        )


def make_half(rng, small):
    for n, group in _sizes(small):
        x, y = (floats(rng, n).astype(np.float16) for _ in range(2))
        alpha = np.float16(1.25)
        expected = (np.float64(alpha) * x + y).astype(np.float16)
        yield Problem(
            f"n = {n}", {"x": x, "y": y}, {"y": expected}, u32(n=n) | {"alpha": alpha}, (group,),
            groups=(-(-n // group),),
        )  # fmt: skip


def make_constants(rng, small):
    kinds = ((3, True), (0, False), (5, False), (3, True))
    for (n, group), (degree, clamp) in zip(_sizes(small), kinds, strict=False):
        c, x = floats(rng, degree + 1), floats(rng, n)
        value = np.full(n, c[degree])
        for power in range(degree - 1, -1, -1):
            value = (value.astype(np.float64) * x + c[power]).astype(np.float32)
        expected = np.clip(value, np.float32(0), np.float32(1)) if clamp else value
        yield Problem(
            f"n = {n}, degree {degree}", {"coefficients": c, "x": x, "out": np.full(n, NAN)},
            {"out": expected}, u32(n=n), (group,), groups=(-(-n // group),),
            constants={0: np.int32(degree), 1: np.bool_(clamp)},
            instance=f"polynomial<{degree}, {'true' if clamp else 'false'}>",
            rtol=1e-6, numba={"clamp": clamp},
        )  # fmt: skip


# ---------------------------------------------------------------- the pairs


def _pair(name, kernel, metal_arguments, cuda_arguments, make, numba) -> Pair:
    def problems(rng, small):
        return list(make(rng, small))

    return Pair(
        name, kernel, tuple(metal_arguments.split()), tuple(cuda_arguments.split()), problems, numba
    )


PAIRS = {
    pair.name: pair
    for pair in (
        _pair("add", "add", "a b out", "a b out n", make_add,
              lambda m, p: {"out": m.add(p.buffers["a"], p.buffers["b"], p.group[0])}),
        _pair("saxpy", "saxpy", "alpha x y n", "alpha x y n", make_saxpy,
              lambda m, p: {"y": m.saxpy(p.scalars["alpha"], *p.buffers.values(), p.group[0])}),
        _pair("index_2d", "mirror", "image out", "image out width height", make_index_2d,
              lambda m, p: {"out": m.mirror(p.buffers["image"], p.group)}),
        _pair("matmul_tile", "matmul", "a b c m n k", "a b c m n k", make_matmul,
              lambda m, p: {"c": m.matmul(p.buffers["a"], p.buffers["b"])}),
        _pair("reduction", "block_sums", "x sums n", "x sums n", make_reduction,
              lambda m, p: {"sums": m.block_sums(p.buffers["x"], p.group[0])}),
        _pair("transpose", "transpose", "in out rows columns", "in out rows columns",
              make_transpose, lambda m, p: {"out": m.transpose(p.buffers["in"])}),
        _pair("scan", "block_scan", "x out n", "x out n", make_scan,
              lambda m, p: {"out": m.block_scan(p.buffers["x"], p.group[0])}),
        _pair("histogram", "histogram", "x counts n", "x counts n", make_histogram,
              lambda m, p: {"counts": m.histogram(p.buffers["x"], p.group[0])}),
        _pair("stencil", "stencil", "x out n", "x out n", make_stencil,
              lambda m, p: {"out": m.stencil(p.buffers["x"])}),
        _pair("softmax", "softmax", "x out columns", "x out columns", make_softmax,
              lambda m, p: {"out": m.softmax(p.buffers["x"])}),
        _pair("matvec", "matvec", "a x y rows columns", "a x y rows columns", make_matvec,
              lambda m, p: {"y": m.matvec(p.buffers["a"], p.buffers["x"], **p.numba)}),
        _pair("mandelbrot", "mandelbrot", "counts width height left top step most",
              "counts width height left top step most", make_mandelbrot,
              lambda m, p: {"counts": m.mandelbrot(*(p.scalars[n].item() for n in (
                  "width", "height", "left", "top", "step", "most")), p.group)}),
        _pair("half", "axpy_half", "alpha x y n", "alpha x y n", make_half,
              lambda m, p: {"y": m.axpy_half(p.scalars["alpha"], *p.buffers.values(), p.group[0])}),
        _pair("function_constants", "polynomial", "coefficients x out n", "coefficients x out n",
              make_constants, lambda m, p: {"out": m.polynomial(
                  p.buffers["coefficients"], p.buffers["x"], threads=p.group[0], **p.numba)}),
    )
}  # fmt: skip

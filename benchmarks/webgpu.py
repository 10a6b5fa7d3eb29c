"""Numba kernels as WGSL, through wgpu and Vulkan, beside the same kernels through CUDA."""

from dataclasses import dataclass
from functools import cached_property

import cupy as cp
import numpy as np

from benchmarks.harness import BenchmarkError, Case, Reference, rounded
from kernels.gemm.registers import make_column, make_rectangle
from kernels.gemm.tiled import make_tiled
from kernels.naive_matmul.matmul import matmul_kernel
from kernels.reduction.warps import sum_warps_kernel
from kernels.transpose.tile import BM, BY, transpose_direct_kernel, transpose_tile_kernel
from kernels.vector_add.add import add_kernel
from kernels.vector_add.grid_stride import add_strided_kernel
from simulator.hardware.webgpu import CHECKED, TRUSTED, Card
from simulator.hardware.webgpu_shaders import BLOCKS, SHADERS, made, texts

GIB = 2**30
COPIES = "webgpu-copy", "webgpu-copy-near", "webgpu-copy-far"
WRITER = "python -m simulator.hardware.webgpu_shaders"


def run(bench):
    for path, text in texts().items():
        if path.read_text(encoding="utf-8") != text:
            raise BenchmarkError(f"{path} is not what the compiler makes: run {WRITER}")
    card = same_gpu(bench.device.xp)
    with bench.part("copy and vector addition"):
        vectors(bench, card)
    with bench.part("matrix products"):
        products(bench, card)
    with bench.part("sum"):
        sums(bench, card)
    with bench.part("transpose"):
        transposes(bench, card)


def same_gpu(xp):
    """Return the adapter that is CUDA's GPU: its memory shrinks with a buffer of the adapter's."""
    number = 0
    while True:
        try:
            card = Card(number)
        except ImportError:
            raise BenchmarkError("wgpu is missing: pip install -e '.[gpu]'") from None
        except IndexError:
            raise BenchmarkError("wgpu finds no adapter that is CUDA's GPU") from None
        before = xp.cuda.runtime.memGetInfo()[0]
        buffer = card.buffer(GIB)
        card.device.queue.write_buffer(buffer, 0, bytes(16))
        card.device.queue.read_buffer(buffer, 0, 16)
        if before - xp.cuda.runtime.memGetInfo()[0] > GIB // 2:
            buffer.destroy()
            return card
        number += 1


@dataclass
class Launches:
    """Launches of shaders on buffers of their own, as a benchmark's call.

    ``shaders``: their ids. ``inputs``: CuPy arrays. A call leaves the result in ``output`` too, by
    way of the host; ``seconds`` has the GPU's time for the launches alone.
    """

    card: Card
    shaders: tuple
    inputs: dict
    output: object
    spare: int = 0  # bytes of a buffer between two launches

    @cached_property
    def buffers(self):
        found = {name: self.upload(array) for name, array in self.inputs.items()}
        found["out"] = self.card.buffer(self.output.array.nbytes)
        if self.spare:
            found["spare"] = self.card.buffer(self.spare)
        return found

    def upload(self, array):
        data = cp.asnumpy(array).reshape(-1).view(np.uint8)
        buffer = self.card.buffer(data.size)
        for at in range(0, data.size, GIB // 4):
            self.card.device.queue.write_buffer(buffer, at, data[at : at + GIB // 4])
            self.card.device.queue.read_buffer(buffer, at, 4)  # wait: the copies would pile up
        return buffer

    def ready(self, checks):
        found = []
        for id in self.shaders:
            places = SHADERS[id].places
            buffers = [self.buffers[places[b.name]] for b in made(id).bindings]
            found.append(self.card.ready(made(id), buffers, checks))
        return found

    @cached_property
    def checked(self):
        return self.ready(CHECKED)

    @cached_property
    def trusted(self):
        return self.ready(TRUSTED)

    def __call__(self):
        encoder = self.card.device.create_command_encoder()
        encoder.clear_buffer(self.buffers["out"])
        self.card.device.queue.submit([encoder.finish()])
        self.card.submit(self.checked)
        data = self.card.device.queue.read_buffer(self.buffers["out"])
        self.output.array.set(np.frombuffer(data, np.float32).reshape(self.output.array.shape))

    def free(self):
        for buffer in self.buffers.values():
            buffer.destroy()


def fastest(card, ids, inputs, output):
    """Return the launches of the shader that takes least."""
    best = None
    for id in ids:
        launches = Launches(card, (id,), inputs, output)
        seconds = sorted(card.seconds(launches.checked) for _ in range(9))[4]
        if best is not None and seconds > best[0]:
            launches.free()
            continue
        if best is not None:
            best[1].free()
        best = seconds, launches
    return best[1]


def timer(bench):
    """Return a clock for both: events for what CUDA does, timestamps for what wgpu does."""

    def seconds(call):
        if isinstance(call, Launches):
            return call.card.seconds(call.checked)
        return bench.device.timer(call)

    return seconds


def compare(bench, id, title, launches, name, call, output, expected, **options):
    """Add a row: a shader beside the same kernel in CUDA, and what wgpu's checks cost."""
    free = bench.samples(
        {"no checks": lambda: None}, lambda _: launches.card.seconds(launches.trusted)
    )
    path = f"benchmarks/wgsl/{launches.shaders[0]}.wgsl"
    extra = {"trusted_us": rounded(free["no checks"].median * 1e6)}
    case = Case(id, title, path, launches, output, extra)
    [row] = bench.compare([case], Reference(name, call, output), expected, dtype="float32",
                          timer=timer(bench), **options)  # fmt: skip
    row["trusted_ratio"] = rounded(row["reference_us"] / row["trusted_us"])
    row["checks_cost"] = rounded(row["us"] / row["trusted_us"])
    launches.free()


def vectors(bench, card):
    n = SHADERS["webgpu-copy"].size
    a, b, output = bench.random(n), bench.random(n), bench.output(n)
    numba = bench.device.numba
    d_a, d_b, d_out = map(numba, (a, b, output.array))
    stream = cp.cuda.Stream.null
    options = dict(size=n, unit="GB/s", tolerance=1e-6)
    compare(
        bench, "webgpu-copy", "Copy of 2^28 float32 in WGSL, the fastest of three",
        fastest(card, COPIES, {"a": a}, output), "a device copy of as many bytes",
        lambda: output.array.data.copy_from_device_async(a.data, a.nbytes, stream), output,
        a.astype(cp.float64), bytes=8 * n, **options,
    )  # fmt: skip
    expected = a.astype(cp.float64)
    expected += b
    inputs = {"a": a, "b": b}
    blocks = -(-n // 256)
    for id, title, call in (
        ("webgpu-vector-add", "Vector addition in WGSL",
         lambda: add_kernel[blocks, 256](d_a, d_b, d_out)),
        ("webgpu-vector-add-strided", "Vector addition in WGSL, grid-stride loop",
         lambda: add_strided_kernel[BLOCKS, 256](d_a, d_b, d_out)),
    ):  # fmt: skip
        compare(
            bench, id, title, Launches(card, (id,), inputs, output), "Numba, the same kernel", call,
            output, expected, bytes=12 * n, flops=n, **options,
        )  # fmt: skip


def products(bench, card):
    n = SHADERS["webgpu-tiled-matmul"].size
    a, b, output = bench.random((n, n)), bench.random((n, n)), bench.output((n, n))
    arrays = tuple(map(bench.device.numba, (a, b, output.array)))
    expected = a.astype(cp.float64) @ b.astype(cp.float64)
    for id, title, kernel in (
        ("webgpu-naive-matmul", "Matrix product in WGSL, an element a thread", matmul_kernel),
        ("webgpu-tiled-matmul", "Tiled matrix product in WGSL", make_tiled(16)),
        ("webgpu-column-matmul", "Matrix product in WGSL, 16 results of a column a thread",
         make_column(64, 64, 16, 16)),
        ("webgpu-rectangle-matmul", "Matrix product in WGSL, 8 x 8 results a thread",
         make_rectangle(128, 128, 8, 8, 8)),
    ):  # fmt: skip
        grid, block = SHADERS[id].grid, SHADERS[id].block
        compare(
            bench, id, title, Launches(card, (id,), {"a": a, "b": b}, output),
            "Numba, the same kernel",
            lambda kernel=kernel, grid=grid, block=block: kernel[grid, block](*arrays),
            output, expected, size=n, unit="TFLOP/s", tolerance=1e-5, bytes=12 * n * n,
            flops=2 * n**3,
        )  # fmt: skip


def sums(bench, card):
    n = SHADERS["webgpu-reduction"].size
    x, output = bench.random(n), bench.output(1)
    x += 1
    d_x, total = bench.device.numba(x), bench.device.numba(output.array)
    partial = bench.device.numba(cp.empty(BLOCKS, cp.float32))

    def call():
        sum_warps_kernel[BLOCKS, 256](d_x, partial)
        sum_warps_kernel[1, 256](partial, total)

    ids = "webgpu-reduction", "webgpu-reduction-rest"
    compare(
        bench, ids[0], "Sum of 2^28 float32 in WGSL, shuffles, two launches",
        Launches(card, ids, {"x": x}, output, spare=4 * BLOCKS), "Numba, the same kernels", call,
        output, cp.asarray([float(x.sum(dtype=cp.float64))]), size=n, unit="GB/s",
        tolerance=1e-5, bytes=4 * n, flops=n,
    )  # fmt: skip


def transposes(bench, card):
    n = SHADERS["webgpu-transpose"].size
    a, output = bench.random((n, n)), bench.output((n, n))
    arrays = bench.device.numba(a), bench.device.numba(output.array)
    answer = cp.ascontiguousarray(a.T).astype(cp.float64)
    for id, title, kernel, tile, block in (
        ("webgpu-transpose-naive", "Transpose in WGSL, an element a thread",
         transpose_direct_kernel, (32, 8), (32, 8)),
        ("webgpu-transpose", "Transpose in WGSL, a padded tile", transpose_tile_kernel, (BM, BM),
         (BM, BY)),
    ):  # fmt: skip
        grid = n // tile[0], n // tile[1]
        compare(
            bench, id, title, Launches(card, (id,), {"a": a}, output), "Numba, the same kernel",
            lambda kernel=kernel, grid=grid, block=block: kernel[grid, block](*arrays), output,
            answer, size=n, unit="GB/s", tolerance=0.0, bytes=8 * n * n,
        )  # fmt: skip

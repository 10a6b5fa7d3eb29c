"""Lab: the roofline of your GPU. The cells of the page docs/labs/roofline.md that are its own.

Between them the page shows the kernels that they measure, which are sections of other files. So
this file does not run by itself: take the notebook or the script from the page's end.
"""
# The page defines the kernels (F821), and they use what the first cell imports (F401).
# ruff: noqa: E402, F401, F821

# %%
# --8<-- [start:imports]
import math
import os
from functools import partial
from string import ascii_letters, digits

import cupy as cp
import numpy as np
from cuda.bindings import driver
from numba import cuda, int32, int64, typeof, uint32, uint64

properties = cp.cuda.runtime.getDeviceProperties(0)
capability = properties["major"], properties["minor"]
multiprocessors = properties["multiProcessorCount"]
most_shared = properties["sharedMemPerBlockOptin"]  # bytes that a block may ask for
print(f"{properties['name'].decode()}, compute capability {capability[0]}.{capability[1]}")
print(f"{multiprocessors} multiprocessors, {properties['l2CacheSize'] >> 20} MiB L2")
# --8<-- [end:imports]

# %%
# --8<-- [start:clock]
flush = cp.empty(2**30, dtype=cp.uint8)


def seconds(call, repeats=11):
    """Return the median time of a call by the GPU's own clock, with cold caches."""
    times = []
    for turn in range(-2, repeats):
        flush.fill(1)
        start, end = cp.cuda.Event(), cp.cuda.Event()
        start.record()
        call()
        end.record()
        end.synchronize()
        if turn >= 0:
            times.append(cp.cuda.get_elapsed_time(start, end) / 1e3)
    return sorted(times)[repeats // 2]


# --8<-- [end:clock]

# %%
# --8<-- [start:memory]
n = 2**27
a, b = cp.random.standard_normal((2, n), dtype=cp.float32)
out = cp.empty_like(a)

bandwidth = 2 * a.nbytes / seconds(lambda: cp.copyto(out, a))
print(f"copy {bandwidth / 1e12:.2f} TB/s")
# --8<-- [end:memory]


# %%
# --8<-- [start:arithmetic]
@cuda.jit
def busy_kernel(x, out):
    i = cuda.grid(1)
    value = x[i]
    for _ in range(64):
        for _ in range(64):  # short enough for the compiler to write it out
            value = value * np.float32(0.5) + np.float32(0.25)
    out[i] = value


few = min(n, 2**24)
peak = 2 * 4096 * few / seconds(lambda: busy_kernel[few // 256, 256](a, out))
print(f"float32 {peak / 1e12:.1f} TFLOP/s, ridge at {peak / bandwidth:.1f} operations a byte")
# --8<-- [end:arithmetic]

# %%
# --8<-- [start:tensor]
size = 8192
wide = cp.random.standard_normal((size, size), dtype=cp.float32)
half = wide.astype(cp.float16)
wide_out, half_out = cp.empty_like(wide), cp.empty_like(half)

tensor_peak = 2 * size**3 / seconds(lambda: cp.matmul(half, half, out=half_out))
print(f"float16 on tensor cores {tensor_peak / 1e12:.0f} TFLOP/s")
tf32_peak = peak
if capability >= (8, 0):  # older tensor cores have no TF32
    tf32_peak = 2 * size**3 / seconds(lambda: gemm(wide, wide, wide_out, "tf32"))
    print(f"TF32 on tensor cores {tf32_peak / 1e12:.0f} TFLOP/s")
# --8<-- [end:tensor]

# %%
# --8<-- [start:measure]
LETTERS = ascii_letters + digits
points = {}  # of each kernel, by name: its letter, operations a byte, operations a second


def view(array):
    """Return Numba's view of a CuPy array: the same memory, and a launch that waits for nothing."""
    return cuda.as_cuda_array(array, sync=False)


def load(file, name, shared=0, options=("-std=c++17",)):
    """Return a kernel in CUDA C++ that gets so many bytes of shared memory when it is launched."""
    kernel = cp.RawModule(code=open(file).read(), options=options).get_function(name)
    if shared:
        kernel.max_dynamic_shared_size_bytes = shared  # more than 48 KB must be asked for
    return kernel


def can(names, able, needed):
    """Return whether this GPU is able to run some kernels, and say so where it is not."""
    if not able:
        print(f"left out: {names}, for want of {needed}")
    return able


def measure(name, call, result, expected, operations, moved, top=peak):
    """Check what a call leaves in ``result``, time it, and keep and print its place.

    ``moved`` counts the bytes of each input and output once. ``top`` is the flat roof.
    """
    narrow = result.dtype == cp.uint16  # the bits of bfloat16
    result.fill(0x7FC0 if narrow else cp.nan)  # so that what nobody writes is no number
    call()
    got = from_bfloat16(result) if narrow else result
    off = float(abs(got - expected).max() / abs(expected).max())
    assert off < 0.01, f"{name} is wrong: off by {off}"  # what is no number is not below, either
    letter = points[name][0] if name in points else LETTERS[len(points)]
    intensity, rate = operations / moved, operations / seconds(call, repeats=7)
    roof = min(top, intensity * bandwidth)
    points[name] = letter, intensity, rate
    print(f"{letter} {name:28} {intensity:8.3f} {rate / 1e12:8.3f} TFLOP/s {rate / roof:5.0%}")


# --8<-- [end:measure]

# %%
# --8<-- [start:vectors]
arrays = view(a), view(b), view(out)
rows = a.reshape(-1, 4096)
row_sums = cp.empty(len(rows), cp.float32)

for name, call in (
    ("add, Numba", partial(add_kernel[n // 256, 256], *arrays)),
    ("add, grid-stride, Numba", partial(add_strided_kernel[8 * multiprocessors, 256], *arrays)),
    ("add, CUDA C++", partial(add_raw, (n // 256,), (256,), (a, b, out, n))),
    ("add, ElementwiseKernel", partial(add_elements, a, b, out)),
):
    measure(name, call, out, a + b, n, 12 * n)
measure("exp, CuPy", partial(cp.exp, a, out=out), out, math.e**a, n, 8 * n)
call = partial(cp.sum, rows, axis=1, out=row_sums)
measure("sums of rows, CuPy", call, row_sums, rows @ cp.ones(4096, cp.float32), n, 4 * n)
# --8<-- [end:vectors]

# %%
# --8<-- [start:inference]
scale, shift = np.float32(1.5), np.float32(-0.25)
call = partial(fused_kernel[n // 256, 256], view(a), scale, shift, view(out))
measure("relu(a * x + b), fused", call, out, cp.maximum(a * scale + shift, 0), 3 * n, 8 * n)

table = a.reshape(-1, 65536)
call = partial(online_kernel[len(table), THREADS], view(table), view(out.reshape(table.shape)))
expected = cp.exp(a - a.max()).reshape(table.shape)
expected /= expected.sum(axis=1, keepdims=True)
measure("softmax, online", call, out, expected.ravel(), 5 * n, 8 * n)

matrix = a.reshape(-1, 16384)
count, across = matrix.shape
vector, sums = b[:across], out[:count]
grid, block = -(-count // 8), (32, 8)  # a warp for a row
call = partial(gemv_kernel[grid, block], view(matrix), view(vector), view(sums))
measure("matrix x vector", call, sums, matrix @ vector, 2 * n, 4 * (n + across + count))

scales = abs(matrix).max(axis=1) / 127
weights = cp.rint(matrix / scales[:, None]).astype(cp.int8)
call = partial(gemv_int8_kernel[grid, block], *map(view, (weights, scales, vector, sums)))
expected = weights.astype(cp.float32) @ vector * scales
measure("matrix x vector, int8", call, sums, expected, 2 * n, n + 4 * (across + 2 * count))
# --8<-- [end:inference]

# %%
# --8<-- [start:small]
for width in (4, 8, 16, 32):
    stacks = [array.reshape(-1, width, width) for array in (a, b, out)]
    kernel, threads, each = make_small_products(width)
    call = partial(kernel[-(-len(stacks[0]) // each), threads], *map(view, stacks))
    expected = stacks[0] @ stacks[1]
    measure(f"products of {width} x {width}", call, stacks[2], expected, 2 * n * width, 12 * n)

for width in (4, 8, 16, 32, 64):
    inputs, outputs = a.reshape(-1, width), out.reshape(-1, width)
    weights, bias = b[: width**2].reshape(width, width), b[-width:]
    kernel = make_narrow_layer(width)[narrow_shape(len(inputs), width)]
    call = partial(kernel, *map(view, (inputs, weights, bias, outputs)))
    expected = cp.maximum(inputs @ weights + bias, 0)
    moved = 4 * (2 * n + width**2 + width)
    measure(f"a layer of width {width}", call, outputs, expected, 2 * n * width, moved)
# --8<-- [end:small]


# %%
# --8<-- [start:products]
def square(m):
    """Return two random m x m matrices, an array for their product, and the product by cuBLAS."""
    left, right = cp.random.standard_normal((2, m, m), dtype=cp.float32)
    return left, right, cp.empty_like(left), left @ right


m = 2048  # smaller than the others, since they are slow
left, right, result, expected = square(m)
arrays = view(left), view(right), view(result)
cost = 2 * m**3, 12 * m**2
grid, block = (m // 32, m // 8), (32, 8)
call = partial(matmul_swapped_kernel[grid, block], *arrays)
measure("naive, x over rows", call, result, expected, *cost)
call = partial(matmul_kernel[grid, block], *arrays)
measure("naive, coalesced", call, result, expected, *cost)
call = partial(naive, grid, block, (left, right, result, *[cp.int32(m)] * 3))
measure("naive, CUDA C++", call, result, expected, *cost)

m = 4096
left, right, result, expected = square(m)
arrays = view(left), view(right), view(result)
cost = 2 * m**3, 12 * m**2
for name, kernel, tile, threads in (
    ("tiles of 8", make_tiled(8), (8, 8), (8, 8)),
    ("tiles of 16", make_tiled(16), (16, 16), (16, 16)),
    ("tiles of 32", make_tiled(32), (32, 32), (32, 32)),
    ("a column a thread", make_column(64, 64, 16, 16), (64, 64), (64, 4)),
    ("8 x 8 a thread", make_rectangle(128, 128, 8, 8, 8), (128, 128), (16, 16)),
):
    call = partial(kernel[(m // tile[1], m // tile[0]), threads], *arrays)
    measure(name, call, result, expected, *cost)
numbers = left, right, result, *[cp.int32(m)] * 3
for name, file, kernel, tile, threads in (
    ("tiles of 16, CUDA C++", "tiled.cu", "tiled", (16, 16), (16, 16)),
    ("a column a thread, CUDA C++", "registers.cu", "column", (64, 64), (64, 4)),
    ("8 x 8 a thread, CUDA C++", "registers.cu", "rectangle", (128, 128), (16, 16)),
):
    call = partial(load(file, kernel), (m // tile[1], m // tile[0]), threads, numbers)
    measure(name, call, result, expected, *cost)
call = partial(cp.matmul, left, right, out=result)
measure("cuBLAS", call, result, expected, *cost)
# --8<-- [end:products]


# %%
# --8<-- [start:worklog]
grid, block = (m // 128, m // 128), (16, 16)
rungs = [
    ("16-byte loads", make_vectors(128, 128, 8, 8, 8), grid, block),
    ("no bank conflicts", make_vectors(128, 128, 8, 8, 8, 4), grid, block),
]
twins = [("vectors.cu", "vectors"), ("vectors.cu", "padded")]
copies = can("the rungs from cp.async on", capability >= (8, 0), "compute capability 8.0")
if copies:
    rungs.append(("cp.async", make_pipeline(128, 128, 8, 8, 8), grid, block))
    rungs.append(("warp tiles", make_warps(128, 128, 8, 2, 4), grid, (256,)))
    twins += [("pipeline.cu", "pipeline"), ("pipeline.cu", "warps")]
for (name, kernel, blocks, threads), twin in zip(rungs, twins, strict=True):
    measure(name, partial(kernel[blocks, threads], *arrays), result, expected, *cost)
    call = partial(load(*twin), blocks, threads, numbers)
    measure(f"{name}, CUDA C++", call, result, expected, *cost)
if copies:
    for name, BM, BN, warps_y, warps_x, stages, each, group in (
        ("a step ahead", 128, 128, 2, 4, 2, 2, 1),
        ("order of the blocks", 128, 128, 2, 4, 2, 2, 8),
        ("a third stage", 128, 128, 2, 4, 3, 2, 8),
        ("tuned", 128, 256, 2, 4, 3, 1, 8),
        ("tuned, 2 stages", 128, 256, 2, 4, 2, 1, 8),
        ("tuned, 64 x 256, 2 stages", 64, 256, 1, 4, 2, 2, 8),
        ("tuned, 128 x 128, 4 warps", 128, 128, 2, 2, 3, 2, 8),
    ):
        kernel = make_tuned(BM, BN, 8, warps_y, warps_x, stages, each, group=group)
        call = partial(kernel[m * m // (BM * BN), 32 * warps_y * warps_x], *arrays)
        measure(name, call, result, expected, *cost)
    shared = 4 * 3 * (16 * (128 + 4) + 16 * 256)  # three stages of two tiles
    blocks = (m // 128 * (m // 256),)
    call = partial(load("sgemm.cu", "sgemm", shared), blocks, (256,), numbers, shared_mem=shared)
    measure("deeper tiles, CUDA C++", call, result, expected, *cost)
# --8<-- [end:worklog]

# %%
# --8<-- [start:tensor_cores]
bits = to_bfloat16(left), to_bfloat16(right), cp.empty((m, m), cp.uint16)
of_bits = from_bfloat16(bits[0]) @ from_bfloat16(bits[1])
sizes = [cp.int32(m)] * 3
cost16 = 2 * m**3, 6 * m**2

toolkit = os.environ.get("CUDA_HOME", "/usr/local/cuda") + "/include"
headers = copies and os.path.isfile(f"{toolkit}/mma.h")
if can("WMMA", headers, "compute capability 8.0, or of mma.h, which a CUDA toolkit has"):
    wmma = load("wmma.cu", "wmma", options=("-std=c++17", f"-I{toolkit}"))
    call = partial(wmma, (m // 128, m // 128), (256,), (*bits[:2], result, *sizes))
    measure("WMMA, CUDA C++", call, result, of_bits, 2 * m**3, 8 * m**2, tensor_peak)
    shared = 4 * 2 * (128 * 40 + 32 * 264)  # four stages
    if can("WMMA with a ring", most_shared >= shared, f"{shared >> 10} KiB of shared memory"):
        ring = load("wmma_ring.cu", "wmma_ring", shared, ("-std=c++17", f"-I{toolkit}"))
        call = partial(ring, (m // 256, m // 128), (256,), (*bits[:2], result, *sizes))
        call = partial(call, shared_mem=shared)
        measure("WMMA, ring, CUDA C++", call, result, of_bits, 2 * m**3, 8 * m**2, tensor_peak)

shared = STAGES * STAGE
enough = copies and most_shared >= shared
needed = f"compute capability 8.0, or of {shared >> 10} KiB of shared memory for a block"
if can("mma.sync in bfloat16", enough, needed):
    blocks = m // 128 * (m // 256)
    kernel = load("mma_sync.cu", "mma_sync", shared)
    call = partial(kernel, (blocks,), (256,), (*bits, *sizes), shared_mem=shared)
    measure("mma.sync, CUDA C++", call, bits[2], of_bits, *cost16, tensor_peak)
    views = [view(array) for array in bits]
    launch(mma_sync_kernel, blocks, 256, shared, *views)  # raises its limit of shared memory
    call = partial(mma_sync_kernel[blocks, 256, 0, shared], *views)
    measure("mma.sync, Numba", call, bits[2], of_bits, *cost16, tensor_peak)

shared = STAGES_TF32 * STAGE_TF32
enough = copies and most_shared >= shared
needed = f"compute capability 8.0, or of {shared >> 10} KiB of shared memory for a block"
if can("mma.sync in TF32", enough, needed):
    blocks = (m // 128) ** 2
    launch(mma_tf32_kernel, blocks, 128, shared, *arrays)
    call = partial(mma_tf32_kernel[blocks, 128, 0, shared], *arrays)
    measure("mma.sync in TF32, Numba", call, result, expected, *cost, tf32_peak)
# --8<-- [end:tensor_cores]

# %%
# --8<-- [start:hopper]
if can("wgmma and TMA", capability == (9, 0), "compute capability 9.0; later ones lack them, too"):
    from cuda.core import Program, ProgramOptions

    def load_for_hopper(source, name, shared):
        """Compile here what CuPy cannot, since it compiles for sm_90, and let CuPy load it."""
        options = ProgramOptions(arch="sm_90a", std="c++17")
        cubin = Program(open(source).read(), "c++", options).compile("cubin").code
        with open(f"{name}.cubin", "wb") as file:
            file.write(cubin)
        kernel = cp.RawModule(path=f"{name}.cubin").get_function(name)
        kernel.max_dynamic_shared_size_bytes = shared
        return kernel

    shared = 4 * 48 * 1024 + 4 * 8 * 1024 + 64
    wgmma = load_for_hopper("wgmma.cu", "wgmma", shared)
    maps = [tensor_map(x, rows) for x, rows in zip(bits, (128, 64, 64), strict=True)]
    blocks, by_value = multiprocessors // 2 * 2, [x.view("V128") for x in maps]
    call = partial(wgmma, (blocks,), (384,), (*by_value, *sizes), shared_mem=shared)
    measure("wgmma and TMA, CUDA C++", call, bits[2], of_bits, *cost16, tensor_peak)

    numbers = view(cp.asarray(np.concatenate(maps))), *sizes
    launch(wgmma_kernel, multiprocessors, 384, SHARED, *numbers)
    call = partial(wgmma_kernel[multiprocessors, 384, 0, SHARED], *numbers)
    measure("wgmma and TMA, Numba", call, bits[2], of_bits, *cost16, tensor_peak)

    shared, turned = 4 * 48 * 1024 + 64, cp.ascontiguousarray(right.T)
    maps = [tensor_map(x.view(cp.uint16), rows) for x, rows in ((left, 128), (turned, 256))]
    numbers = *(x.view("V128") for x in maps), result, *sizes
    ring = load_for_hopper("wgmma_tf32.cu", "wgmma_tf32", shared)
    call = partial(ring, (multiprocessors,), (384,), numbers, shared_mem=shared)
    measure("wgmma in TF32, CUDA C++", call, result, expected, *cost, tf32_peak)
# --8<-- [end:hopper]

# %%
# --8<-- [start:draw]
ACROSS, UP = 4, 8  # characters for a power of two, lines for a power of ten
LEAST, MOST = -4, 11  # powers of two of operations a byte
LOW = math.floor(math.log10(min(rate for *_, rate in points.values())))
HIGH = math.ceil(math.log10(max(tensor_peak, *(rate for *_, rate in points.values()))))


def spot(intensity, rate):
    """Return the column and the line of a point, counted from the lower left."""
    column = round((math.log2(intensity) - LEAST) * ACROSS)
    line = round((math.log10(rate) - LOW) * UP)
    return min(max(column, 0), (MOST - LEAST) * ACROSS), min(max(line, 0), (HIGH - LOW) * UP)


width = (MOST - LEAST) * ACROSS + 1
picture = [[" "] * width for _ in range((HIGH - LOW) * UP + 1)]
for column in range(width):
    intensity = 2 ** (LEAST + column / ACROSS)
    for top, sign in ((tensor_peak, "="), (tf32_peak, "~"), (peak, "-")):
        if intensity * bandwidth > top:
            picture[spot(intensity, top)[1]][column] = sign
    if 10**LOW < intensity * bandwidth <= max(tensor_peak, peak):
        picture[spot(intensity, intensity * bandwidth)[1]][column] = "/"
for letter, intensity, rate in sorted(points.values(), key=lambda point: point[1]):
    column, line = spot(intensity, rate)
    while column < len(picture[line]) and picture[line][column] in LETTERS:
        column += 1  # another stands there: stand beside it
    picture[line][column : column + 1] = letter
for characters in reversed(picture):
    print("".join(characters).rstrip())
names = [f"{letter} {name}" for name, (letter, *_) in points.items()]
half_way = -(-len(names) // 2)
for first, second in zip(names[:half_way], [*names[half_way:], ""], strict=False):
    print(f"{first:34}{second}".rstrip())
# --8<-- [end:draw]

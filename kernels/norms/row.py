"""RMSnorm and layernorm of each row, which is read once and held in registers."""

# --8<-- [start:imports]
import functools
import math

import numpy as np
from numba import cuda, float32, uint32, uint64

# --8<-- [end:imports]
from kernels.norms.hints import ask, load4_first, load4_kept, load4_once, load4_shared
from kernels.patterns.wide import load4, store4


# --8<-- [start:row]
@cuda.jit(device=True, forceinline=True)
def place(k, wide):
    """Return the column of this thread's element k: four in a row, or one from each stretch."""
    if wide:
        return uint32(k * cuda.blockDim.x + 4 * cuda.threadIdx.x)
    return uint32(k * cuda.blockDim.x + cuda.threadIdx.x)


@cuda.jit(device=True, forceinline=True)
def read_row(x, start, columns, wide, values):
    """Read this thread's share of a row; zeros past its end."""
    zero = float32(0)
    if wide:
        for k in range(0, values.size, 4):
            i = place(k, wide)
            four = zero, zero, zero, zero
            if i < columns:
                four = load4(x, start + i)
            values[k], values[k + 1], values[k + 2], values[k + 3] = four
    else:
        for k in range(values.size):
            i = place(k, wide)
            values[k] = x[start + i] if i < columns else zero


@cuda.jit(device=True, forceinline=True)
def write_row(out, start, columns, wide, scale, weight, bias, centered, values):
    """Write values * scale * weight, and + bias for layernorm."""
    if wide:
        for k in range(0, values.size, 4):
            i = place(k, wide)
            if i < columns:
                a, b, c, d = load4(weight, i)
                a, b = a * (values[k] * scale), b * (values[k + 1] * scale)
                c, d = c * (values[k + 2] * scale), d * (values[k + 3] * scale)
                if centered:
                    p, q, r, s = load4(bias, i)
                    a, b, c, d = a + p, b + q, c + r, d + s
                store4(out, start + i, (a, b, c, d))
    else:
        for k in range(values.size):
            i = place(k, wide)
            if i < columns:
                result = values[k] * scale * weight[i]
                if centered:
                    result += bias[i]
                out[start + i] = result


# --8<-- [end:row]


# --8<-- [start:scale]
@cuda.jit(device=True, forceinline=True)
def row_sum(value, box, warps):
    """Return the sum over the threads of a row, to each of them. box: a place for each warp."""
    for step in (16, 8, 4, 2, 1):
        value += cuda.shfl_xor_sync(0xFFFFFFFF, value, step)
    if warps > 1:
        lane = cuda.threadIdx.x % 32
        if lane == 0:
            box[cuda.threadIdx.x // 32] = value
        cuda.syncthreads()
        value = float32(0)
        if lane < warps:
            value = box[lane]
        for step in (16, 8, 4, 2, 1):
            value += cuda.shfl_xor_sync(0xFFFFFFFF, value, step)
    return value


@cuda.jit(device=True, forceinline=True)
def center(values, columns, wide, boxes, warps):
    """Take the mean of the row from this thread's share; what is past the end stays zero."""
    total = float32(0)
    for k in range(values.size):
        total += values[k]
    mean = row_sum(total, boxes[0], warps) / float32(columns)
    group = 4 if wide else 1
    for k in range(values.size):
        if uint32(place(k // group * group, wide)) < columns:
            values[k] -= mean


@cuda.jit(device=True, forceinline=True)
def scale_of(values, columns, eps, boxes, warps):
    """Return 1 / sqrt(mean(values * values) + eps) of a row."""
    total = float32(0)
    for k in range(values.size):
        total += values[k] * values[k]
    mean = row_sum(total, boxes[1], warps) / float32(columns)
    return float32(1) / math.sqrt(mean + eps)


# --8<-- [end:scale]


# --8<-- [start:kernel]
def make_norm(threads, width, centered, wide=True):
    """Return a kernel that gives a row to ``threads`` threads, ``width`` elements to each.

    ``centered`` makes it a layernorm; an RMSnorm ignores its bias. ``threads`` is a multiple of 32
    and ``width`` of 4. ``wide`` takes 16 bytes at a time, and needs rows that are a multiple of
    four long. A block may hold several rows of 32 threads.
    """
    warps = threads // 32

    @cuda.jit(launch_bounds=max(threads, 256))
    def norm_kernel(x, weight, bias, rows, columns, eps, out):
        boxes = cuda.shared.array((2, warps), float32)
        values = cuda.local.array(width, float32)
        row = uint32(cuda.blockIdx.x * cuda.blockDim.y + cuda.threadIdx.y)
        if row < rows:
            start = row * columns
            read_row(x, start, columns, wide, values)
            if centered:
                center(values, columns, wide, boxes, warps)
            scale = scale_of(values, columns, eps, boxes, warps)
            write_row(out, start, columns, wide, scale, weight, bias, centered, values)

    return norm_kernel


# --8<-- [end:kernel]


# --8<-- [start:full]
def make_full_norm(
    threads, width, centered, load=load4, load_weights=load4, blocks=1, ahead=0, **options
):
    """Return a kernel for rows of exactly ``threads * width`` columns, one to a block.

    ``load`` reads a row, ``load_weights`` what all rows share. Its registers let ``blocks`` share
    a multiprocessor. With ``ahead`` a block asks for the row so far behind its own, which L2 has
    when that row's block starts. ``options`` are those of ``cuda.jit``.
    """
    warps = threads // 32

    def full_norm_kernel(x, weight, bias, rows, columns, eps, out):
        boxes = cuda.shared.array((2, warps), float32)
        values = cuda.local.array(width, float32)
        mine = uint64(4) * uint64(cuda.threadIdx.x)
        start = uint64(cuda.blockIdx.x) * uint64(threads * width) + mine
        for k in range(0, width, 4):
            four = load(x, start + uint64(k * threads))
            values[k], values[k + 1], values[k + 2], values[k + 3] = four
        if ahead and cuda.blockIdx.x + ahead < rows:
            coming = (uint64(cuda.blockIdx.x) + uint64(ahead)) * uint64(threads * width)
            for i in range(32 * cuda.threadIdx.x, threads * width, 32 * threads):
                ask(x, coming + uint64(i))  # a line has 32 elements
        if centered:
            total = float32(0)
            for k in range(width):
                total += values[k]
            mean = row_sum(total, boxes[0], warps) / float32(threads * width)
            for k in range(width):
                values[k] -= mean
        scale = scale_of(values, columns, eps, boxes, warps)
        for k in range(0, width, 4):
            a, b, c, d = load_weights(weight, mine + uint64(k * threads))
            a, b = a * (values[k] * scale), b * (values[k + 1] * scale)
            c, d = c * (values[k + 2] * scale), d * (values[k + 3] * scale)
            if centered:
                p, q, r, s = load_weights(bias, mine + uint64(k * threads))
                a, b, c, d = a + p, b + q, c + r, d + s
            store4(out, start + uint64(k * threads), (a, b, c, d))

    # As a call: Numba's decorator with arguments drops lto
    return cuda.jit(full_norm_kernel, launch_bounds=(threads, blocks), **options)


# --8<-- [end:full]


# --8<-- [start:host]
EPS = np.float32(1e-5)
LONGEST = 32 * 1024  # columns that a block holds in registers
make_norm = functools.cache(make_norm)
make_full_norm = functools.cache(make_full_norm)
FULL = {  # by columns, and whether it is a layernorm
    (8192, True): {"threads": 256, "blocks": 4},
    (32768, False): {
        "threads": 1024,
        "load": load4_first,
        "load_weights": load4_kept,
        "ahead": 66,
        "shared_memory_carveout": 0,
    },
    (32768, True): {
        "threads": 1024,
        "load": load4_once,
        "load_weights": load4_shared,
        "ahead": 66,
        "shared_memory_carveout": 0,
        "lto": False,
    },
}


def plan(columns):
    """Return the threads of a row, and the elements of each, for rows of so many columns."""
    if columns > LONGEST:
        raise ValueError(f"{columns} columns: a row has at most {LONGEST}")
    threads = 32
    while threads * 32 < columns:
        threads *= 2
    if 512 < columns <= 1024 or 4096 < columns <= 8192:
        threads *= 4
    return threads, 4 * -(-columns // (4 * threads))


def norm_rows(x, weight, bias, rows, columns, out, eps=EPS):
    """Launch the norm of each row of a flat float32 array on the device, into ``out``.

    Without a bias (None) it is an RMSnorm, with one a layernorm.
    """
    centered = bias is not None
    if (columns, centered) in FULL:
        how = FULL[columns, centered]
        threads = how["threads"]
        kernel = make_full_norm(width=columns // threads, centered=centered, **how)
    else:
        threads, width = plan(columns)
        kernel = make_norm(threads, width, centered, wide=columns % 4 == 0)
    sizes = np.uint32(rows), np.uint32(columns), np.float32(eps)
    kernel[rows, (threads, 1)](x, weight, bias if centered else weight, *sizes, out)


def norm(x, weight, bias=None):
    """Return the layernorm of each row of a float32 matrix, or without a bias the RMSnorm.

    --8<-- [start:example]
    >>> x = np.array([[3, 4, 0, 0, 0], [1, 1, 1, 1, 1]], dtype=np.float32)
    >>> weight, bias = np.full(5, 2, np.float32), np.full(5, 1, np.float32)
    >>> norm(x, weight).round(2)
    array([[2.68, 3.58, 0.  , 0.  , 0.  ],
           [2.  , 2.  , 2.  , 2.  , 2.  ]], dtype=float32)
    >>> norm(x, weight, bias).round(2)
    array([[ 2.84,  3.98, -0.61, -0.61, -0.61],
           [ 1.  ,  1.  ,  1.  ,  1.  ,  1.  ]], dtype=float32)

    --8<-- [end:example]
    """
    d_x, weight = cuda.to_device(np.ascontiguousarray(x).reshape(-1)), cuda.to_device(weight)
    out = cuda.device_array_like(d_x)
    norm_rows(d_x, weight, None if bias is None else cuda.to_device(bias), *x.shape, out)
    return out.copy_to_host().reshape(x.shape)


# --8<-- [end:host]

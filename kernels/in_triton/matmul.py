"""Matrix product in Triton: tiles by pointers, then tiles by descriptors in a persistent grid."""

import torch
import triton
import triton.language as tl

# --8<-- [start:tensor_descriptor]
from triton.tools.tensor_descriptor import TensorDescriptor

# --8<-- [end:tensor_descriptor]


# --8<-- [start:place]
@triton.jit
def place_tile(tile, rows, columns, BAND: tl.constexpr):
    """Return row and column of a tile: down a band of rows, then to the next column."""
    band = tile // (BAND * columns)
    height = min(rows - band * BAND, BAND)
    inside = tile - band * BAND * columns
    return band * BAND + inside % height, inside // height


# --8<-- [end:place]


# --8<-- [start:simple]
@triton.jit
def matmul_kernel(
    a, b, c, m, n, k, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, BAND: tl.constexpr
):
    """c = a @ b for row-major a (m, k) and b (k, n); a program makes a tile of c."""
    row, column = place_tile(tl.program_id(0), tl.cdiv(m, BM), tl.cdiv(n, BN), BAND)
    y, x = row * BM + tl.arange(0, BM), column * BN + tl.arange(0, BN)
    along = tl.arange(0, BK)
    acc = tl.zeros((BM, BN), tl.float32)
    for start in range(0, k, BK):
        z = start + along
        a_tile = tl.load(a + y[:, None] * k + z, mask=(y[:, None] < m) & (z < k), other=0)
        b_tile = tl.load(b + z[:, None] * n + x, mask=(z[:, None] < k) & (x < n), other=0)
        acc = tl.dot(a_tile, b_tile, acc)
    inside = (y[:, None] < m) & (x < n)
    tl.store(c + y[:, None] * n + x, acc.to(c.dtype.element_ty), mask=inside)


# --8<-- [end:simple]


# --8<-- [start:persistent]
@triton.jit
def matmul_persistent_kernel(
    a, b, c, m, n, k, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, BAND: tl.constexpr
):
    """The same with descriptors for a, b and c: TMA copies, and a program makes many tiles."""
    rows, columns = tl.cdiv(m, BM), tl.cdiv(n, BN)
    for tile in tl.range(tl.program_id(0), rows * columns, tl.num_programs(0), flatten=True):
        row, column = place_tile(tile, rows, columns, BAND)
        acc = tl.zeros((BM, BN), tl.float32)
        for step in range(tl.cdiv(k, BK)):
            a_tile = a.load([row * BM, step * BK])
            b_tile = b.load([step * BK, column * BN])
            acc = tl.dot(a_tile, b_tile, acc)
        c.store([row * BM, column * BN], acc.to(c.dtype))


# --8<-- [end:persistent]


# --8<-- [start:host]
SHAPE = {"BM": 128, "BN": 256, "BK": 64, "BAND": 8, "num_warps": 8, "num_stages": 3}


def matmul(a, b, **shape):
    """Return ``a @ b`` for CUDA tensors of float16 or bfloat16, by the first kernel.

    --8<-- [start:example]
    >>> a, b = (torch.randint(-4, 5, s, device="cuda").half() for s in ((130, 70), (70, 260)))
    >>> bool((matmul(a, b).float() == a.float() @ b.float()).all())
    True

    --8<-- [end:example]
    """
    (m, k), n = a.shape, b.shape[1]
    if b.shape[0] != k:
        raise ValueError(f"a has {k} columns and b has {b.shape[0]} rows")
    c = torch.empty(m, n, device=a.device, dtype=a.dtype)
    options = SHAPE | shape
    tiles = triton.cdiv(m, options["BM"]) * triton.cdiv(n, options["BN"])
    matmul_kernel[(tiles,)](a.contiguous(), b.contiguous(), c, m, n, k, **options)
    return c


def persistent_arguments(a, b, c, options):
    """Return (programs, arguments) of the second kernel. Rows must be multiples of 16 bytes."""
    (m, k), n = a.shape, b.shape[1]
    bm, bn, bk = options["BM"], options["BN"], options["BK"]
    boxes = ((a, [bm, bk]), (b, [bk, bn]), (c, [bm, bn]))
    descriptors = [TensorDescriptor.from_tensor(x, box) for x, box in boxes]
    processors = torch.cuda.get_device_properties(a.device).multi_processor_count
    tiles = triton.cdiv(m, bm) * triton.cdiv(n, bn)
    return min(processors, tiles), (*descriptors, m, n, k)


def matmul_persistent(a, b, **shape):
    """Return ``a @ b`` for CUDA tensors of float16 or bfloat16, by the second kernel.

    --8<-- [start:example_persistent]
    >>> a, b = (torch.randint(-4, 5, s, device="cuda").half() for s in ((130, 72), (72, 264)))
    >>> bool((matmul_persistent(a, b).float() == a.float() @ b.float()).all())
    True

    --8<-- [end:example_persistent]
    """
    options = SHAPE | shape
    c = torch.empty(len(a), b.shape[1], device=a.device, dtype=a.dtype)
    programs, arguments = persistent_arguments(a.contiguous(), b.contiguous(), c, options)
    matmul_persistent_kernel[(programs,)](*arguments, **options)
    return c


# --8<-- [end:host]

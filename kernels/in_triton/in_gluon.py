"""Gluon, the lower level of Triton: layouts and shared memory are said, not chosen for you."""

# --8<-- [start:imports]
import torch
import triton
from triton.experimental import gluon
from triton.experimental.gluon import language as gl

# --8<-- [end:imports]


# --8<-- [start:kernel]
@gluon.jit
def transpose_gluon_kernel(x, out, rows, columns, TILE: gl.constexpr):
    """out = x.T, a tile at a time through shared memory whose layout is written down."""
    # A thread holds 1 x 4 numbers, a warp 4 rows of 32, four warps 16 rows.
    along_rows: gl.constexpr = gl.BlockedLayout([1, 4], [4, 8], [4, 1], [1, 0])
    swizzled: gl.constexpr = gl.SwizzledSharedLayout(1, 1, TILE, order=[1, 0])
    top, left = gl.program_id(0) * TILE, gl.program_id(1) * TILE
    down = gl.arange(0, TILE, layout=gl.SliceLayout(1, along_rows))
    across = gl.arange(0, TILE, layout=gl.SliceLayout(0, along_rows))

    i, j = (top + down)[:, None], (left + across)[None, :]
    tile = gl.load(x + i * columns + j, mask=(i < rows) & (j < columns), other=0.0)
    box = gl.allocate_shared_memory(gl.float32, [TILE, TILE], swizzled)
    box.store(tile)
    turned = box.permute([1, 0]).load(along_rows)  # the same memory, read by columns
    i, j = (left + down)[:, None], (top + across)[None, :]
    gl.store(out + i * rows + j, turned, mask=(i < columns) & (j < rows))


# --8<-- [end:kernel]


# --8<-- [start:host]
def transpose_gluon(x):
    """Return the transpose of a float32 matrix.

    --8<-- [start:example]
    >>> x = torch.randn(1000, 70, device="cuda")
    >>> torch.equal(transpose_gluon(x), x.T)
    True

    --8<-- [end:example]
    """
    rows, columns = x.shape
    out = torch.empty(columns, rows, device=x.device)
    grid = (triton.cdiv(rows, 32), triton.cdiv(columns, 32))
    transpose_gluon_kernel[grid](x, out, rows, columns, TILE=32, num_warps=4)
    return out


# --8<-- [end:host]


# --8<-- [start:match]
@gluon.jit
def peers_gluon_kernel(x, out):
    # Lane i of the warp has the elements i, i + 32, i + 64 and so on.
    lanes: gl.constexpr = gl.BlockedLayout([1], [32], [1], [0])
    i = gl.arange(0, 256, layout=lanes)
    peers = gl.inline_asm_elementwise(
        "match.any.sync.b32 $0, $1, 0xffffffff;", "=r,r", [gl.load(x + i)],
        dtype=gl.int32, is_pure=False, pack=1,
    )  # fmt: skip
    gl.store(out + i, peers)


# --8<-- [end:match]


def _match():
    """
    --8<-- [start:match_example]
    >>> x = torch.arange(256, device="cuda", dtype=torch.int32) // 2  # 0 0 1 1 2 2 ...
    >>> out = torch.empty_like(x)
    >>> _ = peers_gluon_kernel[(1,)](x, out, num_warps=1)
    >>> [hex(peers) for peers in out[:4].tolist()]
    ['0x3', '0x3', '0xc', '0xc']

    --8<-- [end:match_example]
    """

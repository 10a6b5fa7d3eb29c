"""Matrix product in cuTile Python: a program makes a tile of the result."""

# --8<-- [start:kernel]
import cuda.tile as ct

ConstInt = ct.Constant[int]


@ct.kernel
def matmul_kernel(a, b, c, rows: ConstInt, columns: ConstInt, depth: ConstInt):
    x, y = ct.bid(0), ct.bid(1)
    zero = ct.PaddingMode.ZERO
    acc = ct.full((rows, columns), 0, dtype=ct.float32)
    for k in range(ct.num_tiles(a, axis=1, shape=(rows, depth))):
        part_a = ct.load(a, index=(y, k), shape=(rows, depth), padding_mode=zero)
        part_b = ct.load(b, index=(k, x), shape=(depth, columns), padding_mode=zero)
        acc = ct.mma(part_a, part_b, acc)
    ct.store(c, index=(y, x), tile=acc.astype(c.dtype))


# --8<-- [end:kernel]


# --8<-- [start:host]
def matmul_cutile(a, b, c, rows=128, columns=128, depth=64):
    """Write ``a @ b`` to c, PyTorch's tensors on the GPU."""
    import torch

    grid = ct.cdiv(c.shape[1], columns), ct.cdiv(c.shape[0], rows)
    stream = torch.cuda.current_stream()
    ct.launch(stream, grid, matmul_kernel, (a, b, c, rows, columns, depth))


# --8<-- [end:host]

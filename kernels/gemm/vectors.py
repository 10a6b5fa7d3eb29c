"""Matrix product with 16-byte loads and stores, by two instructions of our own."""

# --8<-- [start:imports]
import numpy as np
from llvmlite import ir
from numba import cuda, types
from numba.cuda import cgutils
from numba.cuda.extending import intrinsic

# --8<-- [end:imports]


# --8<-- [start:load4]
FLOAT4 = ir.VectorType(ir.FloatType(), 4)


def place(context, builder, array_type, array, row, column):
    """Emit the address of ``array[row, column]``."""
    array = context.make_array(array_type)(context, builder, array)
    return cgutils.get_item_pointer(context, builder, array_type, array, [row, column])


@intrinsic
def load4(typing, array, row, column):
    """Return array[row, column] and its three neighbors to the right, read as 16 bytes."""
    signature = types.UniTuple(types.float32, 4)(array, types.int64, types.int64)

    def generate(context, builder, signature, args):
        address = place(context, builder, signature.args[0], *args)
        four = builder.load(builder.bitcast(address, FLOAT4.as_pointer()), align=16)
        parts = [builder.extract_element(four, ir.IntType(32)(i)) for i in range(4)]
        return context.make_tuple(builder, signature.return_type, parts)

    return signature, generate


# --8<-- [end:load4]


# --8<-- [start:store4]
@intrinsic
def store4(typing, array, row, column, values):
    """Write four values to array[row, column] and its neighbors to the right, as 16 bytes."""
    signature = types.void(array, types.int64, types.int64, values)

    def generate(context, builder, signature, args):
        address = place(context, builder, signature.args[0], *args[:3])
        four = FLOAT4(ir.Undefined)
        for i in range(4):
            part = builder.extract_value(args[3], i)
            four = builder.insert_element(four, part, ir.IntType(32)(i))
        builder.store(four, builder.bitcast(address, FLOAT4.as_pointer()), align=16)
        return context.get_dummy_value()

    return signature, generate


# --8<-- [end:store4]


# --8<-- [start:tiles]
@cuda.jit(device=True, forceinline=True)
def load_rows(tile, source, first_row, first_column, tid, threads):
    """Copy a part of ``source`` into a tile, four elements at a time, zeros from outside."""
    rows, columns = tile.shape
    for i in range(rows * columns // 4 // threads):
        at = np.uint32(4 * (tid + i * threads))
        y, x = np.uint32(at // columns), np.uint32(at % columns)
        store4(tile, y, x, read4(source, np.uint32(first_row + y), np.uint32(first_column + x)))


@cuda.jit(device=True, forceinline=True)
def load_transposed(tile, BM, source, first_row, first_column, tid, threads):
    """As ``load_rows``, but element (y, x) of the part becomes tile[x, y]."""
    BK = tile.shape[0]
    for i in range(BM * BK // 4 // threads):
        at = np.uint32(4 * (tid + i * threads))
        y, x = np.uint32(at // BK), np.uint32(at % BK)
        four = read4(source, np.uint32(first_row + y), np.uint32(first_column + x))
        tile[x, y], tile[x + 1, y], tile[x + 2, y], tile[x + 3, y] = four


@cuda.jit(device=True, forceinline=True)
def read4(source, row, column):
    """Return four neighbors of a matrix of any width, zeros from outside."""
    rows, columns = source.shape
    zero = np.float32(0)
    if columns % 4 == 0:  # each row starts at a multiple of 16 bytes: all four are inside, or none
        if row < rows and column < columns:
            return load4(source, row, column)
        return zero, zero, zero, zero
    return (
        source[row, column] if row < rows and column < columns else zero,
        source[row, column + 1] if row < rows and column + 1 < columns else zero,
        source[row, column + 2] if row < rows and column + 2 < columns else zero,
        source[row, column + 3] if row < rows and column + 3 < columns else zero,
    )


# --8<-- [end:tiles]


# --8<-- [start:multiply]
@cuda.jit(device=True, forceinline=True)
def fetch(tile, k, first, step, values):
    """Read a thread's part of row k of a tile: four values at ``first``, four a ``step`` on."""
    for i in range(0, values.size, 4):
        four = load4(tile, k, first + i // 4 * step)
        values[i], values[i + 1], values[i + 2], values[i + 3] = four


@cuda.jit(device=True, forceinline=True)
def add_products(a_frag, b_frag, acc):
    """Add the products of all pairs, row by row, in serpentine order."""
    last = b_frag.size - 1
    for i in range(0, a_frag.size, 2):
        for j in range(b_frag.size):
            acc[i, j] += a_frag[i] * b_frag[j]
        for j in range(b_frag.size):
            acc[i + 1, last - j] += a_frag[i + 1] * b_frag[last - j]


# --8<-- [end:multiply]


# --8<-- [start:write]
@cuda.jit(device=True, forceinline=True)
def write(c, first_row, first_column, step_y, step_x, acc):
    """Write a thread's results. They come in squares of 4 x 4, which are a step apart."""
    TM, TN = acc.shape
    if c.shape[1] % 4 == 0:
        for i in range(TM):
            row = np.uint32(first_row + i // 4 * step_y + i % 4)
            for j in range(0, TN, 4):
                column = np.uint32(first_column + j // 4 * step_x)
                if row < c.shape[0] and column < c.shape[1]:
                    four = acc[i, j], acc[i, j + 1], acc[i, j + 2], acc[i, j + 3]
                    store4(c, row, column, four)
    else:
        for i in range(TM):
            row = np.uint32(first_row + i // 4 * step_y + i % 4)
            for j in range(TN):
                column = np.uint32(first_column + j // 4 * step_x + j % 4)
                if row < c.shape[0] and column < c.shape[1]:
                    c[row, column] = acc[i, j]


# --8<-- [end:write]


# --8<-- [start:kernel]
def make_vectors(BM, BN, BK, TM, TN, pad=0):
    """Return a kernel as ``make_rectangle`` does, with 16-byte loads and stores.

    The tile of ``a`` is transposed, and each of its rows has ``pad`` unused elements behind it.
    """
    threads_x, threads_y = BN // TN, BM // TM
    threads, pitch = threads_x * threads_y, BM + pad

    @cuda.jit(launch_bounds=(threads, 2))
    def vectors_kernel(a, b, c):
        tile_a = cuda.shared.array((BK, pitch), np.float32, alignment=16)
        tile_b = cuda.shared.array((BK, BN), np.float32, alignment=16)
        acc = cuda.local.array((TM, TN), np.float32)
        a_frag = cuda.local.array(TM, np.float32)
        b_frag = cuda.local.array(TN, np.float32)
        tx, ty = np.uint32(cuda.threadIdx.x), np.uint32(cuda.threadIdx.y)
        tid = np.uint32(ty * threads_x + tx)
        row0 = np.uint32(cuda.blockIdx.y * BM)
        column0 = np.uint32(cuda.blockIdx.x * BN)
        for i in range(TM):
            for j in range(TN):
                acc[i, j] = 0
        for start in range(0, a.shape[1], BK):
            load_transposed(tile_a, BM, a, row0, np.uint32(start), tid, threads)
            load_rows(tile_b, b, np.uint32(start), column0, tid, threads)
            cuda.syncthreads()
            for k in range(BK):
                fetch(tile_a, k, 4 * ty, 4 * threads_y, a_frag)
                fetch(tile_b, k, 4 * tx, 4 * threads_x, b_frag)
                add_products(a_frag, b_frag, acc)
            cuda.syncthreads()
        write(c, row0 + 4 * ty, column0 + 4 * tx, 4 * threads_y, 4 * threads_x, acc)

    return vectors_kernel


# --8<-- [end:kernel]


# --8<-- [start:host]
def product(kernel, tile, threads, a, b):
    """Return ``a @ b`` as float32. ``tile``: rows and columns of a block's results."""
    d_a, d_b = (cuda.to_device(np.ascontiguousarray(m, dtype=np.float32)) for m in (a, b))
    d_c = cuda.device_array((d_a.shape[0], d_b.shape[1]), np.float32)
    blocks = -(-d_c.shape[1] // tile[1]), -(-d_c.shape[0] // tile[0])
    kernel[blocks, threads](d_a, d_b, d_c)
    return d_c.copy_to_host()


def matrices(m, n, k):
    """Return two matrices of small integers, whose product float32 holds exactly.

    --8<-- [start:example]
    >>> a, b = matrices(129, 127, 131)
    >>> vectors = make_vectors(128, 128, BK=8, TM=8, TN=8)
    >>> np.array_equal(product(vectors, (128, 128), (16, 16), a, b), a @ b)
    True
    >>> a4, b4 = matrices(129, 132, 44)  # rows that start at multiples of 16 bytes
    >>> np.array_equal(product(vectors, (128, 128), (16, 16), a4, b4), a4 @ b4)
    True

    --8<-- [end:example]

    --8<-- [start:padded]
    >>> padded = make_vectors(128, 128, BK=8, TM=8, TN=8, pad=4)
    >>> np.array_equal(product(padded, (128, 128), (16, 16), a4, b4), a4 @ b4)
    True

    --8<-- [end:padded]
    """
    random = np.random.default_rng(1)
    return random.integers(-9, 10, (m, k)), random.integers(-9, 10, (k, n))


# --8<-- [end:host]

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
def load_rows(tile, source, first_row, first_column, me, threads):
    """Copy a part of ``source`` into a tile, four elements at a time, zeros from outside."""
    rows, columns = tile.shape
    for i in range(rows * columns // 4 // threads):
        at = np.uint32(4 * (me + i * threads))
        y, x = np.uint32(at // columns), np.uint32(at % columns)
        store4(tile, y, x, read4(source, np.uint32(first_row + y), np.uint32(first_column + x)))


@cuda.jit(device=True, forceinline=True)
def load_turned(tile, rows, source, first_row, first_column, me, threads):
    """As ``load_rows``, but element (y, x) of the part becomes tile[x, y]."""
    columns = tile.shape[0]
    for i in range(rows * columns // 4 // threads):
        at = np.uint32(4 * (me + i * threads))
        y, x = np.uint32(at // columns), np.uint32(at % columns)
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
def add_products(some_a, some_b, totals):
    """Add the products of all pairs, row by row, to and fro."""
    last = some_b.size - 1
    for i in range(0, some_a.size, 2):
        for j in range(some_b.size):
            totals[i, j] += some_a[i] * some_b[j]
        for j in range(some_b.size):
            totals[i + 1, last - j] += some_a[i + 1] * some_b[last - j]


# --8<-- [end:multiply]


# --8<-- [start:write]
@cuda.jit(device=True, forceinline=True)
def write(c, first_row, first_column, step_y, step_x, totals):
    """Write a thread's results. They come in squares of 4 x 4, which are a step apart."""
    high, wide = totals.shape
    if c.shape[1] % 4 == 0:
        for i in range(high):
            row = np.uint32(first_row + i // 4 * step_y + i % 4)
            for j in range(0, wide, 4):
                column = np.uint32(first_column + j // 4 * step_x)
                if row < c.shape[0] and column < c.shape[1]:
                    four = totals[i, j], totals[i, j + 1], totals[i, j + 2], totals[i, j + 3]
                    store4(c, row, column, four)
    else:
        for i in range(high):
            row = np.uint32(first_row + i // 4 * step_y + i % 4)
            for j in range(wide):
                column = np.uint32(first_column + j // 4 * step_x + j % 4)
                if row < c.shape[0] and column < c.shape[1]:
                    c[row, column] = totals[i, j]


# --8<-- [end:write]


# --8<-- [start:kernel]
def make_vectors(rows, columns, depth, high, wide, pad=0):
    """Return a kernel as ``make_rectangle`` does, with 16-byte loads and stores.

    The tile of ``a`` is turned, and each of its rows has ``pad`` unused elements behind it.
    """
    threads_x, threads_y = columns // wide, rows // high
    threads, pitch = threads_x * threads_y, rows + pad

    @cuda.jit(launch_bounds=(threads, 2))
    def vectors_kernel(a, b, c):
        tile_a = cuda.shared.array((depth, pitch), np.float32, alignment=16)
        tile_b = cuda.shared.array((depth, columns), np.float32, alignment=16)
        totals = cuda.local.array((high, wide), np.float32)
        some_a = cuda.local.array(high, np.float32)
        some_b = cuda.local.array(wide, np.float32)
        tx, ty = np.uint32(cuda.threadIdx.x), np.uint32(cuda.threadIdx.y)
        me = np.uint32(ty * threads_x + tx)
        row0 = np.uint32(cuda.blockIdx.y * rows)
        column0 = np.uint32(cuda.blockIdx.x * columns)
        for i in range(high):
            for j in range(wide):
                totals[i, j] = 0
        for start in range(0, a.shape[1], depth):
            load_turned(tile_a, rows, a, row0, np.uint32(start), me, threads)
            load_rows(tile_b, b, np.uint32(start), column0, me, threads)
            cuda.syncthreads()
            for k in range(depth):
                fetch(tile_a, k, 4 * ty, 4 * threads_y, some_a)
                fetch(tile_b, k, 4 * tx, 4 * threads_x, some_b)
                add_products(some_a, some_b, totals)
            cuda.syncthreads()
        write(c, row0 + 4 * ty, column0 + 4 * tx, 4 * threads_y, 4 * threads_x, totals)

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
    >>> vectors = make_vectors(128, 128, depth=8, high=8, wide=8)
    >>> np.array_equal(product(vectors, (128, 128), (16, 16), a, b), a @ b)
    True
    >>> a4, b4 = matrices(129, 132, 44)  # rows that start at multiples of 16 bytes
    >>> np.array_equal(product(vectors, (128, 128), (16, 16), a4, b4), a4 @ b4)
    True

    --8<-- [end:example]

    --8<-- [start:padded]
    >>> padded = make_vectors(128, 128, depth=8, high=8, wide=8, pad=4)
    >>> np.array_equal(product(padded, (128, 128), (16, 16), a4, b4), a4 @ b4)
    True

    --8<-- [end:padded]
    """
    random = np.random.default_rng(1)
    return random.integers(-9, 10, (m, k)), random.integers(-9, 10, (k, n))


# --8<-- [end:host]

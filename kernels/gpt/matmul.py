"""Matrix products for the model from a kernel of our own: TF32, any layout and any size."""

# --8<-- [start:imports]
import functools

import numpy as np
from cuda.bindings import driver
from numba import cuda, float32, int32, int64, typeof

# --8<-- [end:imports]
from kernels.gpt.tiles import TUNED
from kernels.tensor_cores.ptx import ptx

# --8<-- [start:fragments]
BK = 32  # numbers of the sum in a stage
shared_address = ptx("{ .reg .b64 x; cvta.to.shared.u64 x, %1; cvt.u32.u64 %0, x; }", "=r l")
end_of_stage = ptx("cp.async.commit_group;")
copies = {  # the width of a copy, in numbers; what lies outside becomes zeros
    4: ptx("cp.async.cg.shared.global [%0], [%1], 16, %2;", "r l r"),
    1: ptx("cp.async.ca.shared.global [%0], [%1], 4, %2;", "r l r"),
}


def make_load(size, pitch, along_k, is_a, matrices):
    """Return a device function: a warp's operand for one step of 8, rounded to TF32.

    It has ``size`` rows of a, or columns of b, and lies in shared memory in rows of ``pitch``
    numbers: pieces along k, or across. A lane reads its numbers word by word, or, of pieces along
    k and with ``matrices``, ldmatrix hands them out as mma wants them.
    """
    registers, text = size // 4, []
    step_k, step_across = (1, pitch) if along_k else (pitch, 1)
    for i in range(0, registers, 4):
        if along_k and matrices:
            here = f"[%1 + {4 * i * pitch * 4}]"
            text.append(f"ldmatrix.sync.aligned.m8n8.x4.shared.b16 %0[{i}:{i + 4}], {here};")
            continue
        for r in range(4):  # a: rows g and g + 8, then k + 4. b: k and k + 4, then columns g + 8
            across, down = (r % 2, r // 2) if is_a else (r // 2, r % 2)
            here = 4 * ((4 * i + 8 * across) * step_across + 4 * down * step_k)
            text.append(f"ld.shared.b32 %0[{i + r}], [%1 + {here}];")
    hopper = cuda.get_current_device().compute_capability >= (9, 0)
    way = "rn" if hopper else "rna"  # to nearest: an instruction since Hopper, before that two
    text += [f"cvt.{way}.tf32.f32 %0[{r}], %0[{r}];" for r in range(registers)]
    return ptx(" ".join(text), f"=r{registers} r")


def make_multiply(WM, WN):
    """Return a device function: acc += a @ b for a warp's WM x 8 and 8 x WN."""
    text = " ".join(
        "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32"
        f" %0[{d}:{d + 4}], %1[{4 * i}:{4 * i + 4}], %2[{2 * j}:{2 * j + 2}], %0[{d}:{d + 4}];"
        for i in range(WM // 16)
        for j in range(WN // 8)
        for d in [4 * (i * (WN // 8) + j)]
    )
    return ptx(text, f"+f{WM * WN // 32} r{WM // 4} r{WN // 4}")


def make_zeros(count):
    return ptx(" ".join(f"mov.f32 %0[{i}], 0f00000000;" for i in range(count)), f"=f{count}")


def make_store(WM, WN, add, pairs):
    """Return a device function that writes a warp's scale * acc, or adds it, inside the result.

    With ``pairs`` two columns at a time, which wants them aligned.
    """
    text = "{ .reg .pred row, both; .reg .b64 to; .reg .f32 x<2>; mov.u64 to, %0; "
    for i in range(WM // 8):
        text += f"setp.gt.s32 row, %2, {8 * i}; "
        for j in range(WN // 8):
            d = 4 * (i // 2 * (WN // 8) + j) + i % 2 * 2
            for first, some in [(0, "x0, x1")] if pairs else [(0, "x0"), (1, "x1")]:
                here, kind = 32 * j + 4 * first, "v2.f32" if pairs else "f32"
                some = "{" + some + "}" if pairs else some
                text += f"setp.gt.and.s32 both, %3, {8 * j + first}, row; "
                values = range(2) if pairs else [first]
                text += " ".join(f"mov.f32 x{c}, 0f00000000; " for c in values) if add else ""
                text += f"@both ld.global.{kind} {some}, [to + {here}]; " if add else ""
                for c in values:
                    way = f"fma.rn.f32 x{c}, %5[{d + c}], %4, x{c}; "
                    text += way if add else f"mul.f32 x{c}, %5[{d + c}], %4; "
                text += f"@both st.global.{kind} [to + {here}], {some}; "
        text += "add.u64 to, to, %1; "
    return ptx(text + "}", f"l l r r f f{WM * WN // 32}")


# --8<-- [end:fragments]


# --8<-- [start:copy]
def make_copy_tile(rows, columns, pitch, width, threads):
    """Return a device function that asks for a tile, whose columns lie side by side in memory."""
    line, copy = columns // width, copies[width]
    jump = threads // line

    @cuda.jit(device=True, forceinline=True)
    def copy_tile(to, start, step, rows_left, columns_left):
        y, x = int32(cuda.threadIdx.x // line), int32(cuda.threadIdx.x % line * width)
        at = int32(to + (y * pitch + x) * 4)
        source = start + (int64(y) * step + x) * 4
        size = int32(min(max(columns_left - x, 0), width) * 4)
        for i in range(rows // jump):
            inside = y + i * jump < rows_left
            copy(at + i * jump * pitch * 4, source + int64(i * jump) * step * 4, size * inside)

    return copy_tile


# --8<-- [end:copy]


# --8<-- [start:place]
BAND = 16  # tile rows that run at about the same time, so that they share what they read


@cuda.jit(device=True, forceinline=True)
def place(tile, rows, columns):
    """Return the row and the column of a tile: down a band of rows, then to the next column."""
    band, inside = int32(tile // (BAND * columns)), int32(tile % (BAND * columns))
    height = int32(min(BAND, rows - band * BAND))
    return int32(band * BAND + inside % height), int32(inside // height)


# --8<-- [end:place]


# --8<-- [start:kernel]
@functools.cache
def make_matmul(BM, BN, WM, WN, stages, blocks, matrices, a_along_k, b_along_k, width, add, pairs):
    """Return a kernel for tiles of BM x BN, its threads, and its bytes of shared memory.

    A warp has WM x WN of a tile. Operands lie in rows along k, or in rows across, with a pitch
    that keeps a warp's reads in 32 banks; ``width`` numbers are copied at a time. ``matrices``
    is make_load's.
    """
    warps_x = BN // WN
    threads = 32 * (BM // WM) * warps_x
    pitch_a, pitch_b = (BK + 4 if a_along_k else BM + 8), (BK + 4 if b_along_k else BN + 8)
    bytes_a = 4 * pitch_a * (BM if a_along_k else BK)
    stage = bytes_a + 4 * pitch_b * (BN if b_along_k else BK)
    next_a, next_b = (32 if a_along_k else 32 * pitch_a), (32 if b_along_k else 32 * pitch_b)
    tile_a, tile_b = (BM, BK) if a_along_k else (BK, BM), (BN, BK) if b_along_k else (BK, BN)
    copy_a = make_copy_tile(*tile_a, pitch_a, width, threads)
    copy_b = make_copy_tile(*tile_b, pitch_b, width, threads)
    load_a = make_load(WM, pitch_a, a_along_k, True, matrices)
    load_b = make_load(WN, pitch_b, b_along_k, False, matrices)
    multiply, zeros = make_multiply(WM, WN), make_zeros(WM * WN // 32)
    store = make_store(WM, WN, add, pairs)
    wait_for_stage = ptx(f"cp.async.wait_group {stages - 2};")

    @cuda.jit(device=True, forceinline=True)
    def copy_stage(to, a, b, step_a, step_b, rows, columns, left):
        if a_along_k:
            copy_a(to, a, step_a, rows, left)
        else:
            copy_a(to, a, step_a, left, rows)
        if b_along_k:
            copy_b(to + bytes_a, b, step_b, columns, left)
        else:
            copy_b(to + bytes_a, b, step_b, left, columns)

    @cuda.jit(launch_bounds=(threads, blocks))
    def matmul_kernel(a, b, out, shape, steps, stacks, splits, scale):
        m, n, k = shape
        step_a, step_b, step_out = steps
        memory = cuda.shared.array(0, np.uint8, alignment=128)
        tiles = int32(shared_address(memory.ctypes.data))
        rows, columns = int32((m + BM - 1) // BM), int32((n + BN - 1) // BN)
        part = int32(cuda.blockIdx.x // (rows * columns))
        row, column = place(int32(cuda.blockIdx.x - part * rows * columns), rows, columns)
        row, column = int32(row * BM), int32(column * BN)
        inner, a_outer, a_inner, b_outer, b_inner, out_outer, out_inner = stacks
        splits, chunk, out_split = splits
        split, item = int32(part % splits), int32(part // splits)
        outer, within = item // inner, item % inner
        k0 = int32(split * chunk)
        k = int32(min(k - k0, chunk))  # of this split's own sum
        a += 4 * (outer * a_outer + within * a_inner)
        b += 4 * (outer * b_outer + within * b_inner)
        a += 4 * (int64(row) * step_a + k0 if a_along_k else int64(k0) * step_a + row)
        b += 4 * (int64(column) * step_b + k0 if b_along_k else int64(k0) * step_b + column)
        on_a = int64(4 * BK) * (1 if a_along_k else step_a)
        on_b = int64(4 * BK) * (1 if b_along_k else step_b)

        warp, lane = int32(cuda.threadIdx.x // 32), int32(cuda.threadIdx.x % 32)
        warp_row, warp_column = int32(warp // warps_x * WM), int32(warp % warps_x * WN)
        group, pair = int32(lane // 4), int32(lane % 4)
        if a_along_k and matrices:
            at_a = (warp_row + lane % 16) * pitch_a + lane // 16 * 4
        elif a_along_k:
            at_a = (warp_row + group) * pitch_a + pair
        else:
            at_a = pair * pitch_a + warp_row + group
        if b_along_k and matrices:
            at_b = (warp_column + lane % 8 + lane // 16 * 8) * pitch_b + lane // 8 % 2 * 4
        elif b_along_k:
            at_b = (warp_column + group) * pitch_b + pair
        else:
            at_b = pair * pitch_b + warp_column + group
        at_a, at_b = int32(tiles + at_a * 4), int32(tiles + bytes_a + at_b * 4)

        high, wide, count = int32(m - row), int32(n - column), int32((k + BK - 1) // BK)
        for s in range(stages - 1):
            if s < count:
                to, left = int32(tiles + s * stage), int32(k - s * BK)
                copy_stage(to, a, b, step_a, step_b, high, wide, left)
            end_of_stage()
            a, b = a + on_a, b + on_b
        acc = zeros()
        slot = int32(0)
        wait_for_stage()
        cuda.syncthreads()
        a0, b0 = load_a(at_a), load_b(at_b)
        for s in range(count):
            free = int32(slot - 1 if slot > 0 else stages - 1)  # all are done with the one before
            ahead = int32(s + stages - 1)
            here_a, here_b = int32(at_a + slot * stage), int32(at_b + slot * stage)
            a1, b1 = load_a(here_a + next_a), load_b(here_b + next_b)
            if ahead < count:
                to, left = int32(tiles + free * stage), int32(k - ahead * BK)
                copy_stage(to, a, b, step_a, step_b, high, wide, left)
            end_of_stage()
            a, b = a + on_a, b + on_b
            acc = multiply(acc, a0, b0)
            a0, b0 = load_a(here_a + 2 * next_a), load_b(here_b + 2 * next_b)
            acc = multiply(acc, a1, b1)
            a1, b1 = load_a(here_a + 3 * next_a), load_b(here_b + 3 * next_b)
            acc = multiply(acc, a0, b0)
            wait_for_stage()
            cuda.syncthreads()  # the next stage is there, and nobody reads this one any more
            slot = int32(slot + 1 if slot < stages - 1 else 0)
            a0, b0 = load_a(at_a + slot * stage), load_b(at_b + slot * stage)
            acc = multiply(acc, a1, b1)

        row, column = int32(row + warp_row + group), int32(column + warp_column + pair * 2)
        out += 4 * (outer * out_outer + within * out_inner + split * out_split)
        out += 4 * (int64(row) * step_out + column)
        store(out, int64(step_out) * 32, m - row, n - column, scale, acc)

    return matmul_kernel, threads, stages * stage


# --8<-- [end:kernel]


# --8<-- [start:parts]
@cuda.jit
def add_parts_kernel(parts, out, count, scale, add):
    """out = scale * the sum of ``count`` products that split a long sum, or out += it."""
    i = cuda.grid(1)
    if i < out.size:
        total = float32(0)
        for part in range(count):
            total += parts[part * out.size + i]
        row, column = i // out.shape[1], i % out.shape[1]
        total *= scale
        if add:
            total += out[row, column]
        out[row, column] = total


# --8<-- [end:parts]


# --8<-- [start:tiles]
TILES = {  # BM, BN, WM, WN, stages, blocks on a multiprocessor, pieces along k by ldmatrix?
    "128x128": (128, 128, 64, 64, 3, 2, False),
    "128x256": (128, 256, 64, 64, 3, 1, False),
    "256x128": (256, 128, 64, 64, 3, 1, False),
    "128x64": (128, 64, 64, 32, 2, 3, False),
    "64x64": (64, 64, 32, 32, 3, 4, False),
    "128x128 ldmatrix": (128, 128, 64, 64, 3, 2, True),
    "128x256 ldmatrix": (128, 256, 64, 64, 3, 1, True),
    "64x64 ldmatrix": (64, 64, 32, 32, 3, 4, True),
}
SPACE = 2**24  # numbers: the parts of a split sum
MULTIPROCESSORS = 132


def guess(m, n, k, items):
    """Return a tile's name and into how many parts to split the sum, for sizes nobody timed."""
    name = "128x128" if n > 64 else "128x64"
    if m * n * items < 128 * 64 * MULTIPROCESSORS:
        name = "64x64"
    BM, BN, _, _, _, blocks, _ = TILES[name]
    tiles = -(-m // BM) * -(-n // BN) * items
    parts = min(MULTIPROCESSORS * blocks // tiles, k // 512, SPACE // (m * n))
    return name, max(1, parts) if items == 1 else 1


# --8<-- [end:tiles]


# --8<-- [start:ours]
def allow(kernel, shared, arguments):
    """Let a kernel have more than 48 KB of shared memory."""
    compiled = kernel.compile(tuple(typeof(argument) for argument in arguments))
    limit = driver.CUfunction_attribute.CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES
    handle = compiled.library.get_cufunc().handle
    (error,) = driver.cuKernelSetAttribute(limit, shared, handle, cuda.get_current_device().id)
    if error:
        raise ValueError(f"{shared} bytes of shared memory: {error.name}")


class Operand:
    """What a kernel has to know of a matrix, or of a stack of them, in numbers of 4 bytes."""

    def __init__(self, x):
        self.address = x.__cuda_array_interface__["data"][0]
        strides = [stride // 4 for stride in x.strides]
        self.in_rows = strides[-1] == 1  # else it is stored transposed
        if 1 not in strides[-2:]:
            raise ValueError(f"a matrix with strides {x.strides} has no unit step")
        self.step = strides[-2] if self.in_rows else strides[-1]
        self.stack = [0, 0, *strides[:-2]][-2:]

    def is_by(self, count):
        """Tell whether each row begins at a multiple of ``count`` numbers."""
        return not any(x % count for x in (self.address // 4, self.step, *self.stack))


class Ours:
    """Products by the kernels above, with the method of ``Cublas``."""

    def __init__(self, stream=0):
        self.stream, self.allowed = stream, set()
        self.space = cuda.device_array(SPACE, np.float32)  # once: a graph must not allocate

    def choose(self, layout, m, n, k, items):
        return TUNED.get((layout, m, n, k, items)) or guess(m, n, k, items)

    def gemm(self, a, b, out, scale=1.0, add=False):
        """out = scale * a @ b, or out += it. Matrices, or stacks of them: the last two axes."""
        (m, k), n = a.shape[-2:], b.shape[-1]
        items = out.size // (m * n)
        of_a, of_b, of_out = Operand(a), Operand(b), Operand(out)
        if not of_out.in_rows:
            raise ValueError("the result is stored transposed")
        layout = ("N" if of_a.in_rows else "T") + ("N" if of_b.in_rows else "T")
        name, parts = self.choose(layout, m, n, k, items)
        chunk = -(-k // (parts * BK)) * BK
        parts = -(-k // chunk)
        if parts > 1:
            of_out = Operand(self.space[: parts * m * n].reshape(parts * m, n))
        width = 4 if of_a.is_by(4) and of_b.is_by(4) else 1
        how = (
            of_a.in_rows,
            not of_b.in_rows,
            width,
            add and parts == 1,
            n % 2 == 0 and of_out.is_by(2),
        )
        kernel, threads, shared = make_matmul(*TILES[name], *how)
        blocks = -(-m // TILES[name][0]) * -(-n // TILES[name][1]) * items * parts
        inner = out.shape[-3] if out.ndim > 2 else 1
        arguments = (
            *(np.int64(x.address) for x in (of_a, of_b, of_out)),
            tuple(map(np.int32, (m, n, k))),
            tuple(map(np.int32, (of_a.step, of_b.step, of_out.step))),
            tuple(map(np.int64, (inner, *of_a.stack, *of_b.stack, *of_out.stack))),
            tuple(map(np.int32, (parts, chunk, m * n))),
            np.float32(scale if parts == 1 else 1),
        )
        if kernel not in self.allowed:  # at the first call, which is before a capture
            allow(kernel, shared, arguments)
            self.allowed.add(kernel)
        kernel[blocks, threads, self.stream, shared](*arguments)
        if parts > 1:
            result = cuda.as_cuda_array(out, sync=False)
            last = np.int32(parts), np.float32(scale), add
            add_parts_kernel[-(-m * n // 256), 256, self.stream](self.space, result, *last)


# --8<-- [end:ours]

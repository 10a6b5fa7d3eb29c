"""The CUDA C++ of the pages: against NumPy at awkward sizes on a GPU, compiled without one.

On a GPU each array is an allocation of its own, of exactly its size: in CuPy's pool
compute-sanitizer would not see an access beyond its end. Each launch is repeated with room behind
every array, where a sentinel must survive.
"""

import ast
import contextlib
import os
from itertools import product
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from lockstep_site.gpu import languages

ROOT = Path(__file__).resolve().parent.parent
SIMULATOR = os.environ.get("NUMBA_ENABLE_CUDASIM") == "1"
if not SIMULATOR:
    import cupy as cp

SIZES = [1, 2, 31, 127, 128, 129, 1009]
if os.environ.get("LOCKSTEP_SMALL") != "1":
    SIZES.append(100_003)
THREADS = [1, 32, 96, 128]  # of a block
BLOCKS = [(1, 1), (8, 2), (3, 5), (16, 16)]  # threads along x and y


def longer(array, room, fill):
    """Return the elements of array, and ``room`` more that hold ``fill``."""
    return np.concatenate([array.ravel(), np.full(room, fill, array.dtype)])


def exact(array):
    """Return a copy on the GPU in an allocation of its own, of array.nbytes bytes."""
    with cp.cuda.using_allocator(None):
        return cp.asarray(array)


def launched(kernel, grid, block, arrays, sizes):
    """Launch on copies of host arrays. Returns the copies as host arrays after the launch."""
    copies = [exact(array) for array in arrays]
    kernel(grid, block, (*copies, *sizes))
    return [copy.get() for copy in copies]


def launches_1d():
    """Yield n, blocks (one more than needed), threads, room for what all threads could touch."""
    for n, threads in product(SIZES, THREADS):
        blocks = -(-n // threads) + 1
        yield n, (blocks,), (threads,), 0
        yield n, (blocks,), (threads,), blocks * threads - n


def grid_over(rows, columns, block):
    """Return a grid that sticks out by a whole block on both sides, and its threads."""
    grid = -(-columns // block[0]) + 1, -(-rows // block[1]) + 1
    return grid, grid[0] * block[0], grid[1] * block[1]


def same(got, expected, *launch):
    np.testing.assert_array_equal(got, expected, err_msg=f"launch: {launch}")


def check_add(kernel):
    for n, grid, block, room in launches_1d():
        a = np.arange(1, n + 1, dtype=np.float32)
        b = 3 * a[::-1] + 7
        arrays = [longer(a, room, 0), longer(b, room, 0), np.full(n + room, -1, np.float32)]
        got = launched(kernel, grid, block, arrays, [np.int64(n)])
        same(got[2], longer(a + b, room, -1), n, grid, block, room)
        same(got[0], arrays[0])
        same(got[1], arrays[1])


def check_square(kernel):
    for n, grid, block, room in launches_1d():
        x = np.arange(n, dtype=np.float32) % 4093 - 2046  # their squares are exact
        [got] = launched(kernel, grid, block, [longer(x, room, 7)], [np.int64(n)])
        same(got, longer(x * x, room, 7), n, grid, block, room)


def check_whoami(kernel):
    for n, grid, block, room in launches_1d():
        empty = np.full(n + room, -1, np.int32)
        index, lane, where = launched(kernel, grid, block, [empty] * 3, [np.int64(n)])
        number = np.arange(n, dtype=np.int32)
        same(index, longer(number, room, -1), n, grid, block, room)
        same(lane, longer(number % block[0] % 32, room, -1), n, grid, block, room)
        assert (where[:n] >= 0).all() and (where[n:] == -1).all(), (n, grid, block, room)
        first_of_block = where[number // block[0] * block[0]]
        same(where[:n], first_of_block, n, grid, block, room)  # a block is never split


def check_matmul(kernel):
    shapes = [(1, 1, 1), (1, 127, 3), (127, 1, 2), (7, 129, 13), (129, 5, 7), (31, 37, 1)]
    for (m, n, k), block, roomy in product(shapes, BLOCKS, (False, True)):
        grid, wide, high = grid_over(m, n, block)
        a = (np.arange(m * k) - m * k // 2).reshape(m, k)
        b = (np.arange(k * n) - k * n // 3).reshape(k, n)
        expected = a @ b
        assert (abs(a) @ abs(b)).max() < 2**24 - 1  # float32 holds every partial sum
        arrays = [  # room: as far as a thread without a guard would reach
            longer(a.astype(np.float32), roomy * (high - m) * k, 0),
            longer(b.astype(np.float32), roomy * (wide - n), 0),
            np.full(m * n + roomy * (high * n + wide), 2**24, np.float32),
        ]
        got = launched(kernel, grid, block, arrays, [np.int32(size) for size in (m, n, k)])
        room = arrays[2].size - m * n
        same(got[2], longer(expected.astype(np.float32), room, 2**24), m, n, k, block, roomy)
        same(got[0], arrays[0])
        same(got[1], arrays[1])


def check_gray(kernel):
    shapes = [(1, 1), (1, 127), (129, 1), (7, 131), (31, 17), (128, 3)]
    for (height, width), block, roomy in product(shapes, BLOCKS, (False, True)):
        grid, wide, high = grid_over(height, width, block)
        random = np.random.default_rng(seed=height)
        color = random.integers(0, 256, (height, width, 3), dtype=np.uint8)
        color[-1, -1] = 255
        expected = ((color.astype(int) * [54, 183, 19]).sum(axis=2) // 256).astype(np.uint8)
        room = roomy * (high * width + wide)
        # Behind the image the color is black: a pixel that is made of it loses the sentinel.
        arrays = [longer(color, 3 * room, 0), np.full(height * width + room, 170, np.uint8)]
        got = launched(kernel, grid, block, arrays, [np.int32(width), np.int32(height)])
        same(got[1], longer(expected, room, 170), height, width, block, roomy)
        same(got[0], arrays[0])


def check_add_elements(kernel):
    for shape, threads in product([(1,), (127,), (128,), (1009,), (3, 43), (129, 7)], THREADS):
        a = np.arange(1, np.prod(shape) + 1, dtype=np.float32).reshape(shape)
        b = 3 * a[::-1] + 7
        with cp.cuda.using_allocator(None):  # for the result that the kernel allocates
            got = kernel(exact(a), exact(b), block_size=threads)
        assert got.dtype == np.float32
        same(got.get(), a + b, shape, threads)
        memory = exact(np.full(a.size + 200, -1, np.float32))
        kernel(exact(a), exact(b), memory[: a.size].reshape(shape), block_size=threads)
        same(memory.get(), longer(a + b, 200, -1), shape, threads)


def check_swiglu(kernel):
    random = np.random.default_rng(seed=1)
    for shape in [(1,), (127,), (128,), (1009,), (3, 43)]:
        gate, up = random.standard_normal((2, *shape), dtype=np.float32)
        memory = exact(np.full(gate.size + 200, -1, np.float32))
        kernel(exact(gate), exact(up), memory[: gate.size].reshape(shape))
        expected = gate / (1 + np.exp(-gate.astype(np.float64))) * up
        np.testing.assert_allclose(memory[: gate.size].get(), expected.ravel(), rtol=1e-6)
        assert (memory[gate.size :] == -1).all(), shape


def check_step(kernel):
    for n in SIZES:
        x = np.arange(n, dtype=np.float32)
        memory = exact(np.full(n + 200, -1, np.float32))
        kernel(exact(x), memory[:n])
        same(memory.get(), longer(x / 2 + 1, 200, -1), n)


# Each CUDA C++ file, whose kernel has the file's name, and what proves it.
FILES = {
    "snippets/vector_add/add.cu": check_add,
    "snippets/execution_model/square.cu": check_square,
    "snippets/threads_and_blocks/whoami.cu": check_whoami,
    "snippets/naive_matmul/matmul.cu": check_matmul,
    "snippets/pmpp_1_4/gray.cu": check_gray,
}
# Each kernel that a page makes with CuPy.
MADE = {
    ("kernels/vector_add/cupy_add.py", "add_elements"): check_add_elements,
    ("kernels/vector_add/cupy_add.py", "add_raw"): check_add,
    ("kernels/execution_model/cupy_model.py", "square_raw"): check_square,
    ("kernels/threads_and_blocks/cupy_whoami.py", "whoami"): check_whoami,
    ("kernels/naive_matmul/cupy_matmul.py", "naive"): check_matmul,
    ("kernels/pmpp_1_4/cupy_images.py", "gray_raw"): check_gray,
    ("kernels/elementwise/cupy_swiglu.py", "swiglu_fused"): check_swiglu,
    ("kernels/streams/graph.py", "step"): check_step,
}
MAKERS = {"RawKernel", "RawModule", "ElementwiseKernel", "ReductionKernel"}


def compiled(text, where, symbol):
    """Compile CUDA C++ to a cubin and assert that a kernel is in it under its plain name."""
    cubin = languages.compile_cuda(SimpleNamespace(text=text, where=where))
    assert f".text.{symbol}\0".encode() in cubin, f"{where}: no extern C kernel {symbol}"
    return cubin


class Compiler:
    """Stands in for CuPy without a GPU: makes the same kernels as cubins."""

    class RawModule:
        def __init__(self, *, code):
            self.code = code

        def get_function(self, name):
            return compiled(self.code, "RawModule", name)

    @staticmethod
    def RawKernel(code, name):
        return compiled(code, "RawKernel", name)

    @staticmethod
    def ElementwiseKernel(inputs, output, work, name):
        kind, result = output.split()
        types = {"float32": "float", "int32": "int"}
        parameters = [p.split() for p in inputs.split(",")] + [[kind, f"&{result}"]]
        listed = ", ".join(f"{types[kind]} {name}" for kind, name in parameters)
        passed = ", ".join(p[1] for p in parameters[:-1])
        code = (
            f"__device__ void work({listed}) {{ {work}; }}\n"
            f'extern "C" __global__ void {name}({listed.replace("&", "*")}) '
            f"{{ work({passed}, *{result}); }}"
        )
        return compiled(code, "ElementwiseKernel", name)


def names_in(node):
    """Return the names, attributes and imported names in a piece of code; comments do not count."""
    fields = {ast.Name: "id", ast.Attribute: "attr", ast.alias: "name"}
    return {getattr(n, fields[type(n)]) for n in ast.walk(node) if type(n) in fields}


def statements(path):
    """Return the statements of a file that make kernels with CuPy."""
    tree = ast.parse((ROOT / path).read_text(encoding="utf-8"))
    if not names_in(tree) & MAKERS:
        return []
    makers = MAKERS | {"get_function"}
    return [s for s in ast.walk(tree) if isinstance(s, ast.stmt) and names_in(s) & makers]


@pytest.mark.parametrize("path", FILES)
def test_cuda_cpp_file(path):
    text, symbol = (ROOT / path).read_text(encoding="utf-8"), Path(path).stem
    if SIMULATOR:
        compiled(text, path, symbol)
    else:
        FILES[path](cp.RawModule(code=text).get_function(symbol))


@pytest.mark.parametrize(("path", "name"), MADE)
def test_kernel_that_a_page_makes(path, name):
    """The page's own statements make the kernel, in the folder of the page's .cu file, if any."""
    namespace = {"cp": Compiler if SIMULATOR else cp}
    folder = ROOT / "snippets" / Path(path).parent.name
    with contextlib.chdir(folder if folder.is_dir() else ROOT):
        for statement in statements(path):
            exec(compile(ast.Module([statement], []), path, "exec"), namespace)
    if not SIMULATOR:  # the stand-in has compiled them
        MADE[path, name](namespace[name])
    assert name in namespace

"""What numba-cuda-mlir 0.6 cannot, each with the smallest kernel that shows it."""

# --8<-- [start:imports]
import re

import numpy as np
from numba_cuda_mlir import cuda, types
from numba_cuda_mlir.cuda import experimental, intrin
from numba_cuda_mlir.cuda import tensor_map as its_tensor_map
from numba_cuda_mlir.extending import intrinsic
from numba_cuda_mlir.types import float32
from numba_cuda_mlir.types import ptr as pointer  # `ptr` is a type: a pointer to anything

# --8<-- [end:imports]

# --8<-- [start:refusal]
FLOATS = (float32[::1],)


def refusal(function, about, chip="sm_90a"):
    """Compile a kernel of one float32 array, and return what the compiler says ``about`` it."""
    try:
        cuda.compile_cubin(function, FLOATS, chip=chip)
    except Exception as error:
        return re.search(about, str(error))[0]
    return "compiles"


# --8<-- [end:refusal]


# --8<-- [start:intrinsics]
def init_kernel(x):
    barrier = cuda.shared.array(1, np.uint64)
    intrin.mbarrier_init(pointer(barrier), 1)


def expect_kernel(x):
    barrier = cuda.shared.array(1, np.uint64)
    intrin.mbarrier_arrive_expect_tx(pointer(barrier), 8192)


def box_kernel(x):
    box, barrier = cuda.shared.array(4096, np.uint16), cuda.shared.array(1, np.uint64)
    intrin.cp_async_bulk_tensor_2d(pointer(box), pointer(x), 0, 0, pointer(barrier))


def rank_kernel(x):
    x[0] = intrin.cluster_ctarank()


def map_of(array):
    return its_tensor_map.create_tensor_map_from_tensor(array, (64, 64))


# --8<-- [end:intrinsics]


# --8<-- [start:eleven]
@cuda.jit
def minus_kernel(x):
    first = x[0]
    experimental.inline_ptx("sub.f32 %0, %0, %1;", "+f", first, "f", x[1])  # first -= x[1]
    x[0] = first


@cuda.jit
def third_kernel(x):
    x[0] = experimental.inline_ptx("mov.f32 %0, %2;", "=f", 0.0, "f", x[1], "f", x[2])


@cuda.jit
def eleventh_kernel(x):
    first = x[0]
    experimental.inline_ptx(
        "add.f32 %10, %10, %0;",  # first += x[1]
        "f", x[1], "f", x[2], "f", x[3], "f", x[4], "f", x[5], "f", x[6], "f", x[7], "f", x[8],
        "f", x[9], "f", x[10], "+f", first,
    )  # fmt: skip
    x[0] = first


# Results are only written, operands go by their names, and each of them is in the text.
ADDED = " ".join(f"add.f32 sum, sum, {{$r{i}}};" for i in range(2, 12))
SUM = "{ .reg .f32 sum; mov.f32 sum, {$r1}; " + ADDED + " mov.f32 {$w0}, sum; }"


@cuda.jit
def sum_kernel(x):
    x[0] = experimental.inline_ptx(
        SUM, "=f", 0.0, "f", x[0], "f", x[1], "f", x[2], "f", x[3], "f", x[4], "f", x[5],
        "f", x[6], "f", x[7], "f", x[8], "f", x[9], "f", x[10],
    )  # fmt: skip


def first_after(kernel):
    """Return x[0] after a kernel, for x = [100, 1, 2, ..., 10]."""
    x = np.arange(11, dtype=np.float32)
    x[0] = 100
    d_x = cuda.to_device(x)
    kernel[1, 1](d_x)
    return float(d_x.copy_to_host()[0])


# --8<-- [end:eleven]


# --8<-- [start:plus]
@cuda.jit
def twice_kernel(x):
    value = x[0]
    before = value
    experimental.inline_ptx("add.f32 %0, %0, %0;", "+f", value)
    x[1], x[2] = before, value


# --8<-- [end:plus]


# --8<-- [start:laneid]
def laneid_kernel(x):
    x[0] = experimental.inline_ptx("mov.u32 %0, %laneid;", "=r", 0)


def direct_kernel(x):
    x[0] = cuda.inline_ptx("mov.u32 %0, 1;", "=r", 0)


# --8<-- [end:laneid]


# --8<-- [start:aligned]
def aligned_kernel(x):
    memory = cuda.shared.array(0, np.float32, alignment=1024)
    x[0] = memory[cuda.threadIdx.x]


def fence_kernel(x):
    experimental.inline_ptx("wgmma.fence.sync.aligned;")


def visible_kernel(x):
    cuda.threadfence()


# --8<-- [end:aligned]


# --8<-- [start:part]
def part_kernel(x):
    tiles = cuda.shared.array((2, 4, 4), np.float32)
    tile = tiles[1]
    tile[0, 0] = x[0]


def rows_kernel(x):
    tiles = cuda.shared.array((2 * 4, 4), np.float32)
    tile = tiles[4:8]
    tile[0, 0] = x[0]


# --8<-- [end:part]


# --8<-- [start:late]
@intrinsic
def nothing(context):
    def generate(builder, target, args, kwargs):
        builder.store_var(target, None)

    return types.void(), generate


def late_kernel(x):
    nothing()


# --8<-- [end:late]


def shown():
    r"""The sessions of the page.

    --8<-- [start:intrinsics_refused]
    >>> for kernel in (init_kernel, expect_kernel, box_kernel, rank_kernel):
    ...     print(refusal(kernel, "unsupported NVVM op.*"))
    unsupported NVVM op: nvvm.mbarrier.init
    unsupported NVVM op: nvvm.mbarrier.arrive.expect_tx
    unsupported NVVM op: nvvm.cp.async.bulk.tensor.shared.cluster.global
    unsupported NVVM op: nvvm.read.ptx.sreg.cluster.ctarank
    >>> map_of(cuda.device_array((64, 64), np.uint16))
    Traceback (most recent call last):
        ...
    AttributeError: 'DeviceNDArray' object has no attribute 'stride'. Did you mean: 'strides'?

    --8<-- [end:intrinsics_refused]
    --8<-- [start:eleven_run]
    >>> first_after(minus_kernel)  # 100 - 1 is 99
    -99.0
    >>> first_after(third_kernel)  # x[2] is 2
    1.0
    >>> first_after(eleventh_kernel)  # 100 + 1 is 101
    10.0
    >>> first_after(sum_kernel)  # 100 + 1 + 2 + ... + 10
    155.0

    --8<-- [end:eleven_run]
    --8<-- [start:plus_run]
    >>> d_x = cuda.to_device(np.array([21, 0, 0], dtype=np.float32))
    >>> twice_kernel[1, 1](d_x)
    >>> d_x.copy_to_host()  # in Python it would be 21, 21, 42
    array([21., 42., 42.], dtype=float32)

    --8<-- [end:plus_run]
    --8<-- [start:laneid_refused]
    >>> refusal(laneid_kernel, "Bad.*")
    "Bad $ operand number in inline asm string: 'mov.u32 $0, $laneid;'"
    >>> refusal(direct_kernel, "Unknown attribute 'inline_ptx'")
    "Unknown attribute 'inline_ptx'"

    --8<-- [end:laneid_refused]
    --8<-- [start:aligned_made]
    >>> made, _ = cuda.compile_ptx(aligned_kernel, FLOATS)
    >>> re.findall(r"\.shared .*", made)
    ['.shared .align 16 .b8 __dynamic_shmem__0;']
    >>> refusal(fence_kernel, "Instruction.*", chip="sm_90")
    "Instruction 'wgmma.fence' not supported on .target 'sm_90'"
    >>> refusal(fence_kernel, "", chip="sm_90a")
    'compiles'
    >>> refusal(visible_kernel, "triggered a compiler bug")
    'triggered a compiler bug'

    --8<-- [end:aligned_made]
    --8<-- [start:part_refused]
    >>> refusal(part_kernel, "triggered a compiler bug")
    'triggered a compiler bug'
    >>> refusal(rows_kernel, "")
    'compiles'

    --8<-- [end:part_refused]
    --8<-- [start:late_refused]
    >>> refusal(late_kernel, "Untyped global name.*?:")
    "Untyped global name 'nothing':"

    --8<-- [end:late_refused]
    """

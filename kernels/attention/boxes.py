"""Boxes of (heads, length, head dimension) by the copy engine; the two products of attention."""

import ctypes

import numpy as np
from cuda.bindings import driver

from kernels.tensor_cores.ptx import ptx

# --8<-- [start:boxes]
load_head = ptx(
    "cp.async.bulk.tensor.3d.shared::cluster.global.mbarrier::complete_tx::bytes"
    " [%0], [%1, {%2, %3, %4}], [%5];",
    "r l r r r r",
)


def head_map(array, box_rows):
    """Describe a device array of bfloat16, (heads, length, head dimension), to the copy engine.

    A box is ``box_rows`` x 64 elements of one head. Rows past the head's end arrive as zeros, not
    as the first rows of the next head: that is why the map has three dimensions.
    """
    heads, length, depth = array.shape
    address, _ = array.__cuda_array_interface__["data"]
    error, filled = driver.cuTensorMapEncodeTiled(
        driver.CUtensorMapDataType.CU_TENSOR_MAP_DATA_TYPE_BFLOAT16,
        3,
        address,
        [driver.cuuint64_t(x) for x in (depth, length, heads)],
        [driver.cuuint64_t(x) for x in (depth * 2, length * depth * 2)],  # bytes
        [driver.cuuint32_t(x) for x in (64, box_rows, 1)],
        [driver.cuuint32_t(1)] * 3,
        driver.CUtensorMapInterleave.CU_TENSOR_MAP_INTERLEAVE_NONE,
        driver.CUtensorMapSwizzle.CU_TENSOR_MAP_SWIZZLE_128B,
        driver.CUtensorMapL2promotion.CU_TENSOR_MAP_L2_PROMOTION_L2_256B,
        driver.CUtensorMapFloatOOBfill.CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE,  # zeros
    )
    if error:
        raise ValueError(f"no tensor map of {array.shape} at {address:#x}: {error.name}")
    return np.frombuffer(ctypes.string_at(filled.getPtr(), 128), dtype=np.uint8)


# --8<-- [end:boxes]


# --8<-- [start:products]
BOX = 128 * 128  # bytes of 128 keys x 64 elements


def scores_text(depth, q_box):
    """Return PTX that starts scores = q @ k.T for 64 queries and 128 keys, from shared memory.

    16 elements of the head dimension a step: 32 bytes along a row, and after four steps the next
    box. The first step does not add to what was in the registers.
    """
    text = "{ .reg .b64 a, b; .reg .pred no; setp.ne.b32 no, 0, 0; wgmma.fence.sync.aligned; "
    for k in range(depth // 16):
        box, step = divmod(k, 4)
        text += f"add.s64 a, %1, {(box * q_box >> 4) + 2 * step}; "
        text += f"add.s64 b, %2, {(box * BOX >> 4) + 2 * step}; "
        text += "wgmma.mma_async.sync.aligned.m64n128k16.f32.bf16.bf16"
        text += f" %0, a, b, {'1' if k else 'no'}, 1, 1, 0, 0; "
    return text + "wgmma.commit_group.sync.aligned; }"


def values_text(depth):
    """Return PTX that starts out += weights @ v: weights from registers, 128 values from shared."""
    text = "{ .reg .b64 b; wgmma.fence.sync.aligned; "
    for k in range(8):
        text += f"add.s64 b, %2, {128 * k}; "  # 16 keys further: 2,048 bytes
        text += f"wgmma.mma_async.sync.aligned.m64n{depth}k16.f32.bf16.bf16"
        text += f" %0, %1[{4 * k}:{4 * k + 4}], b, 1, 1, 1, 1; "
    return text + "wgmma.commit_group.sync.aligned; }"


wait_but_one = ptx("wgmma.wait_group.sync.aligned 1;")  # all but the latest group are done
# --8<-- [end:products]

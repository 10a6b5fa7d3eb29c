"""The copy engine (TMA) from Numba: barriers that count bytes, and boxes of a matrix."""

# --8<-- [start:imports]
import ctypes

import numpy as np
from cuda.bindings import driver
from numba import cuda

# --8<-- [end:imports]
from kernels.tensor_cores.ptx import ptx

# --8<-- [start:barriers]
shared_address = ptx("{ .reg .b64 x; cvta.to.shared.u64 x, %1; cvt.u32.u64 %0, x; }", "=r l")
barrier_init = ptx("mbarrier.init.shared::cta.b64 [%0], %1;", "r r")
barrier_init_done = ptx("fence.mbarrier_init.release.cluster;")
barrier_arrive = ptx("mbarrier.arrive.shared::cta.b64 _, [%0];", "r")
barrier_expect = ptx("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;", "r r")
barrier_try = ptx(
    "{ .reg .pred done; mbarrier.try_wait.parity.shared::cta.b64 done, [%1], %2;"
    " selp.u32 %0, 1, 0, done; }",
    "=r r r",
)


@cuda.jit(device=True)
def barrier_wait(barrier, parity):
    """Wait until the phase of this parity is complete."""
    while not barrier_try(barrier, parity):
        pass


# --8<-- [end:barriers]


# --8<-- [start:boxes]
use_map = ptx("fence.proxy.tensormap::generic.acquire.sys [%0], 128;", "l")
load_box = ptx(
    "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes"
    " [%0], [%1, {%2, %3}], [%4];",
    "r l r r r",
)
store_box = ptx(
    "cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [%0, {%1, %2}], [%3];"
    " cp.async.bulk.commit_group;",
    "l r r r",
)
stores_read_but_one = ptx("cp.async.bulk.wait_group.read 1;")
stores_done = ptx("cp.async.bulk.wait_group 0;")
show_to_engine = ptx("fence.proxy.async.shared::cta;")


def tensor_map(array, box_rows):
    """Describe a device matrix of bfloat16 to the copy engine, in 128 bytes.

    A box is ``box_rows`` x 64 elements. Each of its rows fills 128 bytes of shared memory.
    Addresses and the length of a row in bytes must be multiples of 16.
    """
    rows, columns = array.shape
    address, _ = array.__cuda_array_interface__["data"]
    error, filled = driver.cuTensorMapEncodeTiled(
        driver.CUtensorMapDataType.CU_TENSOR_MAP_DATA_TYPE_BFLOAT16,
        2,
        address,
        [driver.cuuint64_t(columns), driver.cuuint64_t(rows)],
        [driver.cuuint64_t(columns * 2)],  # bytes from row to row
        [driver.cuuint32_t(64), driver.cuuint32_t(box_rows)],
        [driver.cuuint32_t(1), driver.cuuint32_t(1)],
        driver.CUtensorMapInterleave.CU_TENSOR_MAP_INTERLEAVE_NONE,
        driver.CUtensorMapSwizzle.CU_TENSOR_MAP_SWIZZLE_128B,
        driver.CUtensorMapL2promotion.CU_TENSOR_MAP_L2_PROMOTION_L2_256B,
        driver.CUtensorMapFloatOOBfill.CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE,  # zeros
    )
    if error:
        raise ValueError(f"no tensor map of {array.shape} at {address:#x}: {error.name}")
    return np.frombuffer(ctypes.string_at(filled.getPtr(), 128), dtype=np.uint8)


# --8<-- [end:boxes]

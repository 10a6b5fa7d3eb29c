"""Matrix product in CuTe DSL on Hopper: TMA, a ring of tiles and wgmma, by two warpgroups."""

# --8<-- [start:kernel]
import cutlass
import cutlass.cute as cute
from cutlass import pipeline, utils
from cutlass.cute.nvgpu import cpasync, warpgroup
from cutlass.utils import hopper_helpers as hopper

BM, BN, BK, STAGES, BAND = 128, 256, 64, 4, 8
AHEAD = STAGES - 1  # tiles that are on their way while one is multiplied
K_MAJOR = utils.LayoutEnum.ROW_MAJOR  # rows along k, of a and of b transposed


@cute.jit
def fetch(ring, state, load_a, from_a, to_a, load_b, from_b, to_b):
    """Start the copies of the next tiles of a and b into the next slot of the ring."""
    ring.producer_acquire(state)
    full, tile, slot = ring.producer_get_barrier(state), state.count, state.index
    cute.copy(load_a, from_a[None, tile], to_a[None, slot], tma_bar_ptr=full)
    cute.copy(load_b, from_b[None, tile], to_b[None, slot], tma_bar_ptr=full)
    state.advance()
    return state


@cute.jit
def multiply(mma, acc, a_frag, b_frag, slot):
    """Start the products of the tiles in a slot. Only the very first is not added to acc."""
    warpgroup.fence()
    for i in cutlass.range(cute.size(a_frag, mode=[2]), unroll_full=True):
        at = None, None, i, slot
        cute.gemm(mma, acc, a_frag[at], b_frag[at], acc)
        mma.set(warpgroup.Field.ACCUMULATE, True)
    warpgroup.commit_group()


@cute.kernel
def matmul_kernel(load_a, a, load_b, b, c, mma, layout_a, layout_b):
    thread, _, _ = cute.arch.thread_idx()
    row, x, band = cute.arch.block_idx()
    y = band * BAND + row  # bands of rows, whose tiles stay in the L2 cache
    warp = cute.arch.make_warp_uniform(cute.arch.warp_idx())

    memory = utils.SmemAllocator()
    barriers = memory.allocate_array(cutlass.Int64, 2 * STAGES)
    tiles_a = memory.allocate_tensor(c.element_type, layout_a.outer, 1024, layout_a.inner)
    tiles_b = memory.allocate_tensor(c.element_type, layout_b.outer, 1024, layout_b.inner)
    ring = pipeline.PipelineTmaAsync.create(
        barrier_storage=barriers,
        num_stages=STAGES,
        producer_group=pipeline.CooperativeGroup(pipeline.Agent.Thread),
        consumer_group=pipeline.CooperativeGroup(pipeline.Agent.Thread, 8),  # of 8 warps
        tx_count=2 * BK * (BM + BN),
        cta_layout_vmnk=cute.make_layout((1, 1, 1, 1)),
    )

    # This block's rows of a and b, tile by tile along k, and its tile of c
    part_a = cute.local_tile(a, (BM, BK), (y, None))
    part_b = cute.local_tile(b, (BN, BK), (x, None))
    part_c = cute.local_tile(c, (BM, BN), (y, x))
    one = cute.make_layout(1)
    to_a, from_a = cpasync.tma_partition(
        load_a, 0, one, cute.group_modes(tiles_a, 0, 2), cute.group_modes(part_a, 0, 2)
    )
    to_b, from_b = cpasync.tma_partition(
        load_b, 0, one, cute.group_modes(tiles_b, 0, 2), cute.group_modes(part_b, 0, 2)
    )
    mine = mma.get_slice(thread)
    a_frag = mma.make_fragment_A(mine.partition_A(tiles_a))  # descriptors of shared memory
    b_frag = mma.make_fragment_B(mine.partition_B(tiles_b))
    to_c = mine.partition_C(part_c)
    acc = cute.make_rmem_tensor(to_c.shape, cutlass.Float32)

    steps = cute.size(part_a, mode=[2])
    filled = pipeline.make_pipeline_state(pipeline.PipelineUserType.Producer, STAGES)
    used = pipeline.make_pipeline_state(pipeline.PipelineUserType.Consumer, STAGES)
    done = pipeline.make_pipeline_state(pipeline.PipelineUserType.Consumer, STAGES)
    copies = load_a, from_a, to_a, load_b, from_b, to_b
    for k in cutlass.range(AHEAD, unroll_full=True):
        if warp == 0 and k < steps:
            filled = fetch(ring, filled, *copies)
    mma.set(warpgroup.Field.ACCUMULATE, False)
    ring.consumer_wait(used)
    multiply(mma, acc, a_frag, b_frag, used.index)
    mma.set(warpgroup.Field.ACCUMULATE, True)
    used.advance()
    for k in cutlass.range(1, steps, unroll=1):
        ring.consumer_wait(used)
        multiply(mma, acc, a_frag, b_frag, used.index)
        warpgroup.wait_group(1)  # until the step before is done
        ring.consumer_release(done)
        used.advance()
        done.advance()
        if warp == 0 and k + AHEAD - 1 < steps:
            filled = fetch(ring, filled, *copies)
    warpgroup.wait_group(0)

    narrow = cute.make_rmem_tensor(to_c.shape, c.element_type)
    narrow.store(acc.load().to(c.element_type))
    cute.autovec_copy(narrow, to_c)


@cute.jit
def matmul(a: cute.Tensor, b: cute.Tensor, c: cute.Tensor, stream):
    """c = a @ b.T for a (m, k), b (n, k), c (m, n) in bfloat16: whole bands of tiles."""
    kind = a.element_type
    major = K_MAJOR.sm90_mma_major_mode()
    mma = hopper.make_trivial_tiled_mma(
        kind, kind, major, major, cutlass.Float32, (2, 1, 1), tiler_mn=(64, BN)
    )
    layout_a = hopper.make_smem_layout_a(K_MAJOR, (BM, BN, BK), kind, STAGES)
    layout_b = hopper.make_smem_layout_b(K_MAJOR, (BM, BN, BK), kind, STAGES)
    load = cpasync.CopyBulkTensorTileG2SOp()
    load_a, map_a = cpasync.make_tiled_tma_atom(
        load, a, cute.slice_(layout_a, (None, None, 0)), (BM, BK)
    )
    load_b, map_b = cpasync.make_tiled_tma_atom(
        load, b, cute.slice_(layout_b, (None, None, 0)), (BN, BK)
    )
    grid = BAND, c.shape[1] // BN, c.shape[0] // (BM * BAND)
    matmul_kernel(load_a, map_a, load_b, map_b, c, mma, layout_a, layout_b).launch(
        grid=grid, block=[256, 1, 1], stream=stream
    )


# --8<-- [end:kernel]

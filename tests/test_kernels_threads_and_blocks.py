"""The kernels of docs/roadmap/foundation/threads-and-blocks.md, at awkward sizes."""

import os

import numpy as np
import pytest
from numba import cuda

from kernels.threads_and_blocks.divergence import count_lanes, two_sides_kernel
from kernels.threads_and_blocks.image import number_pixels, number_pixels_kernel
from kernels.threads_and_blocks.mirror import mirror, mirror_kernel
from kernels.threads_and_blocks.tickets import tickets
from kernels.threads_and_blocks.warps import warps
from kernels.threads_and_blocks.whoami import whoami
from kernels.wrong.threads_and_blocks_thread_index_only import square_first_block

SIMULATOR = os.environ.get("NUMBA_ENABLE_CUDASIM") == "1"


@pytest.mark.parametrize("threads", [1, 7, 32])
@pytest.mark.parametrize("n", [1, 31, 127, 128, 129] + ([] if SIMULATOR else [100_003]))
def test_every_index_is_written_by_the_thread_that_the_formula_names(n, threads):
    blocks = -(-n // threads) + 1  # one block more than needed: it must write nothing
    block, thread, index = whoami(n, blocks, threads)
    assert index.tolist() == list(range(n))
    assert (block == np.arange(n) // threads).all()
    assert (thread == np.arange(n) % threads).all()


@pytest.mark.parametrize("threads", [(1, 1), (4, 2), (3, 5)])
@pytest.mark.parametrize("shape", [(1, 1), (1, 13), (13, 1), (7, 11)])
def test_pixels(shape, threads):
    rows, columns = np.indices(shape)
    assert (number_pixels(*shape, threads) == 10 * rows + columns).all()


def test_pixels_outside_the_image_are_left_alone():
    whole = cuda.to_device(np.full((9, 5), -1, dtype=np.int32))
    number_pixels_kernel[(3, 6), (4, 2)](whole[:7])  # 12 x 12 threads for 7 rows of 5
    result = whole.copy_to_host()
    rows, columns = np.indices((7, 5))
    assert (result[:7] == 10 * rows + columns).all()
    assert (result[7:] == -1).all()


@pytest.mark.parametrize("threads", [1, 31, 32, 33, 127] + ([] if SIMULATOR else [1024]))
def test_warps_and_lanes(threads):
    warp, lane = warps(threads)
    assert (warp == np.arange(threads) // 32).all()
    assert (lane == np.arange(threads) % 32).all()


@pytest.mark.parametrize("threads", [32, 64, 96])
@pytest.mark.parametrize("n", [1, 33, 127, 200])
def test_lanes_on_each_side_of_the_branch(n, threads):
    side = (np.arange(n) * 7 % 11 < 4).astype(np.int64)
    lanes = count_lanes(side, threads)
    for warp in range(-(-n // 32)):
        mine = side[32 * warp : 32 * warp + 32]
        assert lanes[warp].tolist() == [(mine == 0).sum(), (mine == 1).sum()]


@pytest.mark.parametrize("n", [1, 31, 65])
def test_two_sides(n):
    side = np.arange(n, dtype=np.int32) % 2
    start = np.arange(n + 3, dtype=np.float32)
    x = cuda.to_device(start)
    two_sides_kernel[-(-n // 32) + 1, 32](cuda.to_device(side), x[:n], 3)
    expected = start.copy()
    for _ in range(3):  # few rounds of powers of two: exact, however it is rounded
        new = np.where(side == 0, expected[:n] / 2 + 1, expected[:n] / 4 + 2)
        expected[:n] = new
    assert x.copy_to_host().tolist() == expected.tolist()


@pytest.mark.parametrize("blocks", [1, 13] + ([] if SIMULATOR else [10_007]))
@pytest.mark.parametrize("threads", [1, 5])
def test_each_block_draws_one_ticket(blocks, threads):
    assert sorted(tickets(blocks, threads).tolist()) == list(range(blocks))


@pytest.mark.parametrize("threads", [(1, 1), (8, 8), (5, 2)])
@pytest.mark.parametrize("shape", [(1, 1), (1, 13), (13, 1), (7, 11)])
def test_mirror(shape, threads):
    image = np.arange(np.prod(shape), dtype=np.int32).reshape(shape)
    assert (mirror(image, threads) == image[:, ::-1]).all()


def test_mirror_writes_nothing_below_the_image():
    image = np.arange(21, dtype=np.int32).reshape(3, 7)
    out = cuda.to_device(np.full((5, 7), -1, dtype=np.int32))
    mirror_kernel[(2, 3), (4, 2)](cuda.to_device(image), out[:3])
    result = out.copy_to_host()
    assert (result[:3] == image[:, ::-1]).all()
    assert (result[3:] == -1).all()


@pytest.mark.parametrize("n", [5, 10, 127])
def test_known_wrong_thread_index_alone_is_caught(n):
    threads = 4
    result = square_first_block(n, threads)
    squares = np.arange(n, dtype=np.float32) ** 2
    assert (result != squares).any()
    assert (result[:threads] == squares[:threads]).all()  # every block wrote here
    assert (result[threads:] == -1).all()  # and none here
    assert (square_first_block(threads, threads) == squares[:threads]).all()  # one block hides it

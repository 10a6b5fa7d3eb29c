"""Several GPUs: the kernel that adds a peer's array, and our all-reduces against NumPy.

A rank is a stream and its memory, so several fit one GPU: the all-reduces are tested with one GPU,
and with two where there are two. Not under compute-sanitizer, which lets kernels of one GPU run one
after another, where these wait for one another.
"""

import contextlib
import os
from pathlib import Path

import numpy as np
import pytest
from numba import cuda

from kernels.multi_gpu.peer_loads import add_kernel
from lockstep_site.gpu import languages

SOURCES = Path("snippets/multi_gpu")
SIMULATOR = os.environ.get("NUMBA_ENABLE_CUDASIM") == "1"
MAPS = Path("/proc/self/maps")
SANITIZER = MAPS.is_file() and "compute-sanitizer" in MAPS.read_text()


@pytest.mark.parametrize("n", [1, 31, 32, 33, 127, 1001])
def test_the_peers_array_is_added(n):
    theirs, mine = np.arange(n, dtype=np.float32), np.full(n, 0.5, np.float32)
    out = cuda.to_device(np.full(n + 1, np.nan, np.float32))
    add_kernel[n // 32 + 1, 32](cuda.to_device(theirs), cuda.to_device(mine), out[:n])
    np.testing.assert_array_equal(out.copy_to_host()[:n], theirs + mine)
    assert np.isnan(out.copy_to_host()[n])


@pytest.mark.parametrize("name", ["copy", "one_shot", "peers"])
def test_the_cuda_sources_compile(name):
    assert languages._cubin((SOURCES / f"{name}.cu").read_text(), "sm_90")


def test_flags_between_gpus_are_ordered_for_the_whole_system():
    """A flag of less than system scope may overtake its data, and no run need show it."""
    text = (SOURCES / "peers.cu").read_text()
    assert "st.release.sys.global.u32" in text and "ld.acquire.sys.global.u32" in text
    text = (SOURCES / "one_shot.cu").read_text()
    assert "st.relaxed.sys.global.u64" in text and "ld.relaxed.sys.global.u64" in text


if not SIMULATOR and not SANITIZER:
    import cupy as cp

    from kernels.multi_gpu.all_reduce import Ranks
    from kernels.multi_gpu.peers import on_each, reach

    LAYOUTS = [[0, 0], [0, 0, 0]]
    if cp.cuda.runtime.getDeviceCount() > 1:
        LAYOUTS += [[0, 1], [0, 1, 0, 1], [0, 1, 1]]
        with contextlib.suppress(cp.cuda.runtime.CUDARuntimeError):
            reach([0, 1])  # unless it is on already

    def group(devices, most, patience=5.0):
        rubbish = [
            on_each(lambda rank, k=k: cp.full(128, 1000 * k + rank, cp.uint32), devices)
            for k in range(8)
        ]
        del rubbish  # the pool gives this memory out again: what is not set is not zero
        return Ranks(devices, most, patience, blocks=7, folder=SOURCES)

    @pytest.mark.parametrize("devices", LAYOUTS, ids=str)
    @pytest.mark.parametrize("name", ["one_shot", "read_all", "two_shot", "ring"])
    def test_every_rank_gets_the_sum_and_nothing_beyond_is_written(name, devices):
        ranks = group(devices, most=70_000)
        for size in (4, 8, 12, 1004, 4096, 65_536) + ((1, 3, 1001) if name == "one_shot" else ()):
            for turn in range(3):  # the boxes are used in turns
                host = [
                    np.random.default_rng(turn + rank).random(size, dtype=np.float32)
                    for rank in range(len(devices))
                ]
                x = on_each(lambda rank, host=host: cp.asarray(host[rank]), devices)
                room = on_each(
                    lambda rank, size=size: cp.full(size + 64, cp.nan, cp.float32), devices
                )
                ranks.prepare(name, x, [array[:size] for array in room])()
                ranks.wait()
                for rank, array in enumerate(room):
                    got = array.get()
                    np.testing.assert_allclose(got[:size], sum(host), rtol=1e-6)
                    np.testing.assert_array_equal(got[:size], room[0].get()[:size])
                    assert np.isnan(got[size:]).all(), (name, size, rank)

    @pytest.mark.parametrize("name", ["one_shot", "two_shot", "ring"])
    def test_a_rank_that_never_comes_is_named_in_time(name):
        ranks = group([0, 0, 0], most=64, patience=0.2)
        x = on_each(lambda rank: cp.ones(64, cp.float32), ranks.devices)
        ranks.prepare(name, x, x)(only=[0, 2])
        with pytest.raises(TimeoutError, match=r"waited 0\.2 s for rank (0|1|2)"):
            ranks.wait()

    def test_arrays_that_do_not_fit_are_refused():
        ranks = group([0, 0], most=64)
        odd = on_each(lambda rank: cp.ones(63, cp.float32), [0, 0])
        with pytest.raises(ValueError, match="63 elements are no multiple of 4"):
            ranks.prepare("ring", odd, odd)
        with pytest.raises(ValueError, match="one size for all"):
            ranks.prepare("one_shot", odd, [odd[0], odd[0][:4]])
        long = on_each(lambda rank: cp.ones(Ranks.SMALL + 1, cp.float32), [0, 0])
        with pytest.raises(ValueError, match="2 to 8 ranks, not 1"):
            group([0], most=64)
        with pytest.raises(ValueError, match="one shot takes 65536 elements at most"):
            ranks.prepare("one_shot", long, long)

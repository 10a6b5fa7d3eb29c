"""The page on ROCm: renaming, waves of both widths, OpenCL on a CPU, HIP where it compiles."""

import re
import shutil
from pathlib import Path

import numpy as np
import pytest

from kernels.rocm import hipify as renaming
from kernels.rocm import waves
from simulator import cuda_cpp, hip, hosts

ROOT = Path(__file__).resolve().parent.parent
SOURCES = ROOT / "snippets/rocm"


def test_renaming_leaves_nothing_of_cuda_and_only_names_change():
    before = (SOURCES / "saxpy.cu").read_text("utf-8")
    after, doubts = renaming.hipify(before)
    assert "cuda" not in after and doubts == []
    assert after.replace("hip/hip_runtime.h", "cuda_runtime.h").replace("hip", "cuda") == before
    assert after == (SOURCES / "saxpy.hip").read_text("utf-8")  # which the page has compiled


@pytest.mark.parametrize(
    ("line", "doubtful"),
    [
        ("unsigned lane = threadIdx.x & 31;", True),
        ("unsigned warp = threadIdx.x >> 5;", True),
        ('asm volatile("bar.sync 0;");', True),
        ("x = __ballot_sync(0xffffffff, p);", True),
        ("int k = i % 320;", False),
        ("y[i] = a * x[i];", False),
    ],
)
def test_what_no_renaming_makes_right_is_named(line, doubtful):
    assert bool(renaming.hipify(line)[1]) == doubtful


def test_the_reduction_pair_is_full_of_doubts_in_cuda_and_free_of_them_in_hip():
    cuda, ours = (
        (ROOT / f"snippets/pairs/reduction/kernel.{end}").read_text("utf-8")
        for end in ("cu", "hip")
    )
    assert len(renaming.hipify(cuda)[1]) >= 4
    assert not renaming.hipify(ours)[1]


@pytest.mark.parametrize("width", [32, 64])
def test_waves(width):
    lanes = np.random.default_rng(width).integers(-9, 10, width)
    assert waves.sum_of_any_wave(lanes) == lanes.sum()
    assert waves.sum_written_for_32(lanes) == lanes[:32].sum()
    flags = lanes > 0
    for lane in range(width):
        assert waves.rank_in_64_bits(flags, lane) == flags[:lane].sum()
        if width == 32:
            assert waves.rank_in_32_bits(flags, lane) == flags[:lane].sum()
    assert waves.ballot(flags).bit_count() == flags.sum()


def test_opencl_on_this_cpu(monkeypatch):
    pytest.importorskip("pyopencl", reason="PyOpenCL is not installed here")
    monkeypatch.chdir(SOURCES)
    from kernels.rocm.opencl import block_sums

    for n in (1, 31, 32, 33, 1000):
        x = np.random.default_rng(n).integers(-9, 10, n)
        for size in (1, 2, 64, 256):
            right = np.add.reduceat(x, np.arange(0, n, size))
            np.testing.assert_array_equal(block_sums(x, size), right)


def test_hip_compiles_where_there_is_its_compiler():
    source = (SOURCES / "compact.hip").read_text("utf-8")
    assert hip.compile("snippets/rocm/compact.hip", source) == hip.architectures()
    saxpy = (SOURCES / "saxpy.hip").read_text("utf-8")
    assert hip.compile("snippets/rocm/saxpy.hip", saxpy) == hip.architectures()


def test_votes_are_counted_in_as_many_bits_as_a_wave_has_lanes():
    for architecture in hip.architectures() if shutil.which(hip.CLANG) else ():
        made = hip.assembly((SOURCES / "compact.hip").read_text("utf-8"), architecture)
        width = hip.WAVES[architecture]
        assert set(re.findall(r"s_bcnt1_i32_b(\d+)", made)) == {str(width)}
        assert f".wavefront_size: {width}" in re.sub(" +", " ", made)
        assert ("v_mbcnt_hi" in made) == (width == 64)


needs_cxx = pytest.mark.skipif(hosts.compiler() is None, reason=hosts.WHY_NOT)


def compacted(source, width, n, block):
    """Run compact.hip's text on a CPU in waves of a width. Returns what was kept, and the right."""
    unit = hip.waves(SOURCES / "compact.hip", source, width)
    x = np.random.default_rng(n).standard_normal(n, dtype=np.float32)
    kept, count = np.full(n, -1, np.float32), np.zeros(1, np.uint32)
    blocks = -(-n // block)
    cuda_cpp.launch(unit, "compact", blocks, block, [x, np.uint32(n), kept, count])
    return np.sort(kept[: count[0]]), np.sort(x[x >= 0])


@needs_cxx
@pytest.mark.parametrize("width", [32, 64])
@pytest.mark.parametrize(("n", "block"), [(1, 32), (63, 64), (97, 64), (1000, 96), (1000, 256)])
def test_the_very_source_of_the_compaction_in_waves_of_both_widths(width, n, block):
    source = (SOURCES / "compact.hip").read_text("utf-8")
    np.testing.assert_array_equal(*compacted(source, width, n, block))


@needs_cxx
def test_a_mask_of_32_bits_is_right_in_waves_of_32_and_wrong_in_waves_of_64():
    source = (SOURCES / "compact.hip").read_text("utf-8")
    assert "unsigned long long votes" in source
    narrow = source.replace("unsigned long long votes", "unsigned votes")
    np.testing.assert_array_equal(*compacted(narrow, 32, 1000, 64))
    kept, right = compacted(narrow, 64, 1000, 64)
    assert kept.size < right.size


@needs_cxx
@pytest.mark.parametrize("width", [32, 64])
@pytest.mark.parametrize("block", [64, 128, 512])
def test_the_reduction_pair_in_waves_of_both_widths(width, block):
    unit = hip.waves(ROOT / "snippets/pairs/reduction/kernel.hip", None, width)
    x = np.random.default_rng(block).integers(-9, 10, 1000).astype(np.float32)
    sums = np.zeros(-(-x.size // block), np.float32)
    arguments = [x, sums, np.uint32(x.size)]
    cuda_cpp.launch(unit, "block_sums", sums.size, block, arguments)
    np.testing.assert_array_equal(sums, np.add.reduceat(x, np.arange(0, x.size, block)))

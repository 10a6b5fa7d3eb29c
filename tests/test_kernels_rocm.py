"""The page on ROCm: renaming, waves of both widths, OpenCL on a CPU, HIP where it compiles."""

from pathlib import Path

import numpy as np
import pytest

from kernels.rocm import hipify as renaming
from kernels.rocm import waves
from simulator import hip

ROOT = Path(__file__).resolve().parent.parent
SOURCES = ROOT / "snippets/rocm"


def test_renaming_leaves_nothing_of_cuda_and_only_names_change():
    before = (SOURCES / "saxpy.cu").read_text("utf-8")
    after, doubts = renaming.hipify(before)
    assert "cuda" not in after and doubts == []
    assert after.replace("hip/hip_runtime.h", "cuda_runtime.h").replace("hip", "cuda") == before


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

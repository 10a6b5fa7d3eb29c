"""Which kernels ``benchmarks/webgpu_kernels.py`` times, and that it times today's WGSL."""

import json
from collections import Counter

import pytest

from simulator.hardware import webgpu_rates as rates
from simulator.hardware.webgpu import shader
from simulator.hardware.webgpu_shaders import OPTIONS
from simulator.wgsl import Refused

FOLDER = rates.ROOT / "evidence/nvidia-h200/benchmarks"
ROWS = [
    row
    for file in sorted(FOLDER.glob("*.json"))
    for row in json.loads(file.read_text(encoding="utf-8"))["rows"]
]
ELSEWHERE = {"PTX of its own, which no simulator reads": 49}  # of the kernels with a benchmark
EVERY = rates.RATES | rates.LATER


def test_every_kernel_with_a_benchmark_has_a_rate_or_a_reason():
    known = rates.benchmarked(ROWS)
    rated = {f"{rate.file}:{rate.kernel}" for rate in EVERY.values()}
    plain = {name for name, why in known.items() if why is None}
    assert rated | rates.WITHOUT.keys() == plain
    assert not rated & rates.WITHOUT.keys()
    assert Counter(why for why in known.values() if why) == ELSEWHERE
    assert (len(rated), len(rates.WITHOUT)) == (83, 13)
    print(f"{len(rated)} kernels have a rate, {len(rates.WITHOUT)} of their files have none, and "
          f"{sum(ELSEWHERE.values())} have PTX")  # fmt: skip


@pytest.mark.parametrize("id", EVERY)
def test_its_text_is_what_the_compiler_makes(id):
    """Records are bound to these files by hash: another text makes them stale."""
    [(path, text)] = rates.texts([id]).items()
    mend = "python -m simulator.hardware.webgpu_rates, and measure again"
    assert path.read_text(encoding="utf-8") == text, f"{path.name}: {mend}"


def test_no_text_is_left_of_a_kernel_that_is_not_timed():
    assert {file.stem for file in rates.FOLDER.glob("*")} == EVERY.keys()


def test_the_tile_of_a_merge_is_refused_as_it_says():
    """The one kernel in WITHOUT that a function makes: test_wgsl.py has the refusals of others."""
    half, parts = rates.F(4096), rates.I(5, high=4096, dtype="int64")
    given = map(rates.array, (half, half, parts, rates.F(8192)))
    with pytest.raises(Refused, match="bounds that may lie outside"):
        shader("kernels.merge.merge_path", lambda m: m.make_merge("float32", 256, 8)[1], (4,),
               (256,), *given, **OPTIONS)  # fmt: skip


# Of the copy rate of the same minute, or of the same Numba kernel: the least that an H200 may show.
BARS = {
    "webgpu-copy": ("copy_share", 0.95),
    "webgpu-vector-add": ("copy_share", 0.95),
    "webgpu-tiled-matmul": ("reference_share", 0.50),
    "webgpu-reduction": ("reference_share", 0.60),
}


def test_the_records_hold_the_bars_of_wgsl():
    rows = {row["id"]: row for row in ROWS}
    found = {id: rows[id][share] for id, (share, _) in BARS.items()}
    print(found)
    assert all(found[id] >= least for id, (_, least) in BARS.items()), found
    named = {rows[id]["reference_name"] for id, (share, _) in BARS.items() if "reference" in share}
    assert named == {"Numba, the same kernel", "Numba, the same kernels"}

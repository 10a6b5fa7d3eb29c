"""The stepper held against a GPU: counts and results of the recorded run, case by case.

What has changed since the run is not compared; `make status` lists it. Everything else is.
"""

import re
from collections import Counter

import numpy as np
import pytest

from lockstep_site.gpu import counters, profile
from simulator.hardware import compare, ladder, traffic
from simulator.hardware.cases import CASES, Case
from simulator.stepper import counts as stepper_counts
from tests.pages import ROOT
from tests.records import all_records

RECORDS = all_records().others["counters"]
RECORDED = [
    (case, record)
    for name, record in RECORDS.items()
    if name.endswith("/stepper")
    for case in record["cases"]
    if case in CASES
]


def rows():
    for name, record in RECORDED:
        if counters.fresh(ROOT, record, CASES[name]):
            yield name, record["cases"][name]


def test_every_case_is_on_record_with_what_it_launches_now():
    known = {name: record["cases"][name] for name, record in RECORDED}
    for name, case in CASES.items():
        mend = "To mend: make gpu, on a machine with a GPU"
        assert name in known, f"{name} was never launched on a GPU. {mend}"
        assert known[name]["launch"] == case.digest(), f"{name} launches something else. {mend}"


def test_the_counts_are_the_gpus_or_the_difference_is_explained():
    stepped, compared, wrong = compare.stepped(), set(), []
    for name, row in rows():
        wrong += compare.unlike(name, row["counters"], stepped[name][0])
        compared.add(CASES[name].kernel)
    assert not wrong, "\n".join(wrong)
    site = {CASES[name].kernel for name, _ in rows() if name.startswith("kernels/")}
    assert len(site) >= 20, "fewer than 20 kernels of the site are compared: make gpu"


def test_instructions_issued_are_held_against_the_gpu():
    """What the source has, what no compiler leaves out, and what the GPU issued."""
    counted = compare.count_issued()
    assert {name: compare.issued()[name] for name in counted} == counted, (
        "To mend: python -m simulator.hardware.compare, where numba-cuda's tests are installed"
    )
    wrong = [
        said
        for name, row in rows()
        for said in compare.unlike_issued(name, row["counters"][compare.INSTRUCTIONS])
    ]
    assert not wrong, "\n".join(wrong)
    name = "kernels/vector_add/add.py:add_kernel"
    ours, least = compare.issued()[name]
    for theirs in (least - 1, ours - 1, compare.MOST_MORE * ours + 1):
        assert list(compare.unlike_issued(name, theirs))


def test_traffic_beyond_the_first_level_cache_is_what_the_list_says():
    mend = "To mend: python -m simulator.hardware.traffic, where numba-cuda's tests are installed"
    found = {name: counts[compare.TRAFFIC] for name, (counts, _) in compare.stepped().items()}
    found |= traffic.count(traffic.LARGE)
    assert {name: traffic.known()[name] for name in found} == found, mend


def test_a_gpus_traffic_is_what_it_can_be():
    """No record is there before a GPU has run; then nothing of it may be out of its limits."""
    wrong, compared = [], set()
    for name, record in RECORDS.items():
        if name.endswith("/traffic"):
            for case in traffic.LAUNCHES.values():
                if counters.fresh(ROOT, record, case):
                    wrong += traffic.unlike(case.name, record["cases"][case.name]["counters"])
                    compared.add(case.kernel)
    assert not wrong, "\n".join(wrong)
    assert not compared or len(compared) >= 40


def test_an_impossible_traffic_would_be_seen():
    name = "kernels/vector_add/add.py:add_kernel, large"
    ours = traffic.known()[name]
    theirs = {
        traffic.READS: ours["reads"], traffic.WRITES: ours["writes"], traffic.HBM_READ: ours["HBM"],
        "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum": ours["loads"],
        "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum": ours["writes"],
    }  # fmt: skip
    assert not list(traffic.unlike(name, theirs)) and traffic.reason(name, theirs) is None
    for metric, by in (
        (traffic.READS, 1), (traffic.READS, -1), (traffic.WRITES, 1), (traffic.HBM_READ, -1)
    ):  # fmt: skip
        off = theirs | {metric: theirs[metric] + by}
        assert len(list(traffic.unlike(name, off))) == 1
    assert traffic.reason(name, theirs | {traffic.READS: 1}) == traffic.FEWER


@pytest.mark.parametrize(
    ("kernel", "by"),
    [*(("offset", by) for by in (0, 1, 8, 16, 32, 64)), *(("stride", by) for by in (1, 8, 16, 32))],
)
def test_traffic_is_that_of_the_profiles(kernel, by):
    """Long reads with an offset and with a stride, as an H200 was seen to make them.

    Every block does the same, so that four blocks of the stepper's tell of all.
    """
    blocks, threads, all_threads = 4, 256, 2**24
    n = blocks * threads
    path = f"kernels/memory_hierarchy/{kernel.replace('stride', 'strided')}_read.py"
    function = {"offset": "offset_kernel", "stride": "strided_kernel"}[kernel]
    given = lambda: [np.zeros(n * 64 + 64, np.float32), by, np.zeros(n, np.float32)]  # noqa: E731
    case = Case("profile", path, function, ((blocks, 1), (threads, 1)), given)
    ours = traffic.count({"profile": case})["profile"]
    row, _ = all_records().figure("micro", f"profile-read-{kernel}-{by}")
    scale = all_threads / n
    assert row["l2_read_sectors"] == pytest.approx(ours["reads"] * scale, rel=1e-3)
    halo = traffic.PIECE if by % 16 and kernel == "offset" else 0  # of the last block alone
    assert row["dram_read_bytes"] == pytest.approx((ours["HBM"] - halo) * scale, rel=1e-3)


@pytest.mark.parametrize(
    ("size", "step", "turns"),
    [
        (4, 0, 1),  # all lanes read one word
        (4, 4, 1),  # neighbors, in one line
        (4, 4 * 32, 32),  # 32 words of one bank
        (4, 4 * 33, 8),  # 32 banks, and 32 lines: four are looked up in a cycle
        (4, 8, 2),
        (16, 16, 4),  # a quarter of a warp in each
    ],
)  # fmt: skip
def test_what_a_read_of_global_memory_takes_of_the_data_pipe(size, step, turns):
    group = [(lane, 512 + step * lane) for lane in range(32)]
    lines = len({at >> 7 for _, at in group})
    assert stepper_counts.moved(group, 0, size, lines) == turns


@pytest.mark.parametrize(("shared_by", "turns"), [(16, 2), (4, 2), (2, 2), (1, 4)])
def test_a_wide_read_is_two_wavefronts_where_neighbors_share(shared_by, turns):
    group = [(lane, 16 * (lane // shared_by)) for lane in range(32)]
    assert stepper_counts.wavefronts(group, 0, 16)[0] == turns
    apart = [(lane, 16 * (lane % 4)) for lane in range(32)]  # the same places 4 lanes apart
    assert stepper_counts.wavefronts(apart, 0, 16)[0] == 4


# Whose limit is another than the one that no compiler escapes, and why
OTHER_LIMIT = {
    "naive": "Numba issues twelve times what the product needs, most of it index arithmetic; its "
    "twin in CUDA C++ has the limit of the counts"
}
SHARES = {"issue": "issue_share", "L1": "l1_data_share", "L2": "l2_share", "HBM": "dram_share"}


@pytest.mark.parametrize("id", ladder.RUNGS)
def test_the_limit_of_each_matmul_rung_is_the_profilers(id):
    """Its binding ceiling, and the wavefronts, by the stepper and as an H200 was seen to have."""
    ours = ladder.known()[id]
    mend = "To mend: python -m simulator.hardware.ladder"
    assert ladder.count(id) == ours, mend
    figure = all_records().figure
    row, _ = figure("micro", f"profile-sgemm-{id}")
    times = ladder.ceilings(ours)
    limit = max(times, key=times.get)
    seen = max(SHARES, key=lambda part: row[SHARES[part]])
    if id in OTHER_LIMIT:
        assert seen == "issue" != limit and row["instructions"] > 10 * ours["instructions"]
        twin, _ = figure("micro", f"profile-sgemm-cuda-{id}")
        seen = max(SHARES, key=lambda part: twin[SHARES[part]])
    assert limit == seen
    # Copies in the background pass the pipe up to four times, which NVIDIA does not explain.
    assert 0.83 < ours["wavefronts"] / row["l1_wavefronts"] < 1.01
    assert 0.98 < ours["l2_sectors"] / (row["l2_read_sectors"] + ladder.SIZE**2 / 8) < 1.34
    rate = 2 * ladder.SIZE**3 / max(times.values()) / 1e12
    measured, _ = figure("bench", f"sgemm-{id}.tflops")
    assert measured["tflops"] <= rate, "a ceiling is beaten"


def test_nothing_that_was_measured_is_faster_than_a_ceiling():
    """The four rates of the ceilings beside the best that an H200 has reached."""
    measured = {
        name: all_records().figure("micro", name)[0]["value"]
        for name in ("throughput-fma32", "bandwidth-shared", "bandwidth-l2", "bandwidth-hbm-write")
    }
    fma, shared, l2, hbm = measured.values()
    for name, rate, most in (
        ("issue", fma * 1e12 / 64, stepper_counts.ISSUED),  # 32 lanes, 2 operations each
        ("L1", shared * 1e9 / 128, stepper_counts.PIPE),
        ("L2", l2 * 1e9, stepper_counts.L2_BANDWIDTH),
        ("HBM", hbm * 1e9, stepper_counts.HBM_BANDWIDTH),
    ):
        assert most / 2 < rate <= most, f"{name}: {rate:.3g} a second, of {most:.3g}"


def test_the_results_are_the_gpus():
    """To the last bit, or within what the case says: a GPU may fuse a product and a sum."""
    stepped = compare.stepped()
    for name, row in rows():
        case, ours = CASES[name], stepped[name][1]
        assert len(ours) == len(row["results"]) > 0
        for one, packed in zip(ours, row["results"], strict=True):
            theirs = profile.unpacked(packed)
            assert one.shape == theirs.shape and one.dtype == theirs.dtype, name
            if case.tolerance:
                assert compare.error(one, theirs) <= case.tolerance, name
            else:
                np.testing.assert_array_equal(one, theirs, err_msg=name)


def test_a_wrong_count_or_result_would_be_seen():
    """The comparison itself: one number off is one sentence."""
    name = "kernels/vector_add/add.py:add_kernel"
    counts = compare.stepped()[name][0]
    theirs = {**counts, compare.BRANCHES: 0, compare.EFFICIENCY: 0}
    assert not list(compare.unlike(name, theirs, counts))
    for metric, long in compare.METRICS.items():
        if metric not in {"branch efficiency", "divergent branches"}:
            assert len(list(compare.unlike(name, theirs | {long: counts[long] + 1}, counts))) == 1
    known = "kernels/setup/double.py:double_kernel"  # listed as a difference
    counts = compare.stepped()[known][0]
    (said, more) = compare.unlike(known, {**counts, compare.BRANCHES: 0, compare.EFFICIENCY: 0},
                                  counts)  # fmt: skip
    assert "requests, loads" in said and "sectors, loads" in more
    assert compare.error(np.ones(3), np.array([1, 1, 2])) == 0.5


def test_what_is_packed_is_unpacked():
    array = np.arange(12, dtype=np.float32).reshape(3, 4) / 7
    np.testing.assert_array_equal(profile.unpacked(profile.packed(array)), array)


TABLE = """\
==PROF== Profiling "add" - 0: 0%....100% - 8 passes
"ID","Process ID","Kernel Name","{0}","{1}"
"","","","request","sector"
"0","77","kernels::add::add_kernel[abi:v1](Array<float>)","1,016","64"
"1","77","kernels::double_kernel(Array<float>)","8","32"
"""


def test_a_table_of_nsight_compute_is_read():
    one, two = profile.METRICS[0], profile.METRICS[2]
    found = profile.profiled(TABLE.format(one, two))
    assert [profile.plain(name) for name, _ in found] == ["add_kernel", "double_kernel"]
    assert found[0][1] == {one: 1016.0, two: 64.0}


# ---------------------------------------------------------------- no kernel is left out silently


def test_every_kernel_of_the_site_is_compared_or_its_reason_is_listed():
    """By a case here, or by its page, whose output a GPU run has printed alike."""
    cased = {f"{case.file}:{case.kernel}" for case in CASES.values()}
    files = [*(ROOT / "kernels").rglob("*.py"), *(ROOT / "snippets").rglob("*.py")]
    words = Counter(w for f in files for w in re.findall(r"\w+", f.read_text(encoding="utf-8")))
    for source, file in compare.kernels(ROOT).items():
        path = source.split(":")[0]
        left_out = {source, path} & compare.LEFT_OUT.keys()
        refused = compare.refused(ROOT, file)
        launched = words[source.split(":")[1]] > 1  # by what a page shows
        assert source in cased or left_out or refused or launched, (
            f"{source} is not compared with a GPU. To mend: give it an example, a case in "
            "simulator/hardware/cases.py, or a reason in compare.py"
        )
        assert not (source in cased and (left_out or refused)), f"{source} has a case and a reason"


def test_what_is_left_out_is_there():
    known = compare.kernels(ROOT)
    for source in compare.LEFT_OUT:
        assert source in known or any(k.startswith(f"{source}:") for k in known), source


def test_a_gpu_ran_at_least_200_generated_kernels():
    (record,) = (r for name, r in RECORDS.items() if name.endswith("/generated"))
    assert record["kernels"] >= 200 and record["programs"] >= 10


@pytest.mark.parametrize("which", ["cases", "differences", "refused", "traffic"])
def test_the_tables_of_the_page(which):
    text = counters.render(which, ROOT, all_records())
    expected = {"cases": "transpose_tile_kernel", "differences": "unrolled", "refused": "PTX"}
    assert expected.get(which, "") in text

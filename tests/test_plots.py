"""The roofline that is drawn from the evidence, and the list of what was measured twice."""

import json
import re
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest

from lockstep.evidence import Evidence
from lockstep.page import find_root
from lockstep_site import flows, plots, summary, timelines


def micro(value, **more):
    return {"value": value, "fresh": True, "unit": "x"} | more


@pytest.fixture
def records():
    """A GPU with a slope of 4 TB/s and roofs of 60, 300 and 600 TFLOP/s."""

    def row(flops, moved, tflops, dtype="float32", fresh=True):
        return {"title": "A <title>", "flops": flops, "bytes": moved, "tflops": tflops} | {
            "dtype": dtype,
            "fresh": fresh,
        }

    found = SimpleNamespace(
        microbenchmarks={
            "occupancy-bandwidth-100-x4": micro(4000, in_flight_bytes=4e6),
            "device-copy": micro(4000),
            "occupancy-fma-75-x4": micro(60),
            "matmul-tf32": micro(300),
            "wgmma-ceiling": micro(600),
            "roofline-dial-1": micro(0.9, intensity=0.25),
        },
        benchmarks={
            "on-the-slope": row(1e9, 1e9, 2.0),
            "on-the-roof": row(1e12, 1e9, 30.0),
            "on-the-third-roof": row(1e12, 1e9, 300.0, "bfloat16"),
            "on-the-second-roof": row(1e12, 1e9, 150.0) | {"kernel": sorted(plots.TF32)[0]},
            "old": row(1e12, 1e9, 1.0, fresh=False),
            "no-arithmetic": {"fresh": True, "bytes": 1, "dtype": "float32"},
        },
    )
    for name, row in found.benchmarks.items():
        row["title"] = f"A <{name}> of 8 x 8, float32"
    return found


def test_each_kernel_is_compared_with_its_own_roof(records):
    text = plots.render("roofline", records, as_text=True)
    lines = [line for line in text.split("\n") if line.startswith("| `")]
    assert [re.findall(r"`(.*?)`|([\d.]+)\u202f%", line)[0][0] for line in lines] == [
        "on-the-slope",
        "on-the-roof",
        "on-the-second-roof",
        "on-the-third-roof",
    ]
    assert [line.split("|")[4].strip() for line in lines] == ["50.0\u202f%"] * 4
    heads = [line for line in text.split("\n") if line.startswith("The kernels that")]
    assert [line.split()[-1] for line in heads] == ["1", "1", "2"]  # memory, float32, tensor cores


def test_zeros_that_are_skipped_are_under_no_roof(records):
    kernel = {"kernel": "kernels/ampere/torch_sparse.py"}
    records.benchmarks["sparse"] = records.benchmarks["on-the-third-roof"] | kernel
    assert "`sparse`" not in plots.render("roofline", records, as_text=True)


def test_the_numbers_of_each_kernel_are_declared():
    """A record has the type of what a kernel takes; the kernel's text says if that is cut."""
    root = find_root(Path(__file__).parent)
    rows = Evidence(root).benchmarks.values()
    rows = [row for row in rows if row.get("flops") and row.get("bytes")]
    assert {row["dtype"] for row in rows} <= plots.CEILINGS.keys() | plots.NO_ROOF
    kernels = {row["kernel"] for row in rows if row["dtype"] == "float32"}
    cut = re.compile(r"tf32|precision\.high|\btl\.dot\(|torch\.matmul", re.IGNORECASE)
    found = {kernel for kernel in kernels if cut.search((root / kernel).read_text())}
    assert found == plots.TF32
    assert plots.SPARSE <= {row["kernel"] for row in rows}


def test_no_kernel_of_this_site_is_above_its_roof():
    """A ceiling that a kernel passes by more than a measurement spreads is the wrong ceiling."""
    table = plots.render("roofline", Evidence(find_root(Path(__file__).parent)), as_text=True)
    for line in table.split("\n"):  # none, while a figure of a ceiling awaits a run
        if not line.startswith("| `"):
            continue
        name, share = re.search(r"`(.*?)`.*\| ([\d.,]+)\u202f%", line).groups()
        assert float(share.replace(",", "")) <= 102, f"{name}: {share} % of its roof"


def test_the_picture_has_a_dot_for_each_and_says_so(records):
    picture = plots.render("roofline", records)
    assert picture.count("<circle") == 4 and "A &lt;on-the-roof&gt; of 8 x 8, float32" in picture
    assert "4 benchmarks are dots" in picture
    for name in ("on-the-slope", "on-the-second-roof"):
        assert picture.count(f">A &lt;{name}&gt; of 8<") == 1  # up to the comma; a square once
    assert "at 15.0 operations for each byte" in picture
    assert "TF32 by cuBLAS 300\u202fTFLOP/s" in picture
    assert picture.rindex("<circle") < picture.index("<text")  # names stand in front


def test_a_point_higher_or_further_right_is_drawn_so():
    assert plots._y(10) < plots._y(1) and plots._x(10) > plots._x(1)
    assert plots._x(2.0**-9) == plots.LEFT  # what is outside stands at the edge


def test_names_do_not_overlap():
    points = [(f"kernel-{i}", f"Kernel {i}", 1.0, 1.0, 0.5) for i in range(5)]
    assert len(plots._labels(points)) == 1


def test_a_name_stands_once():
    points = [(f"a-{i}", f"Sum, size {i}", 4.0**i, 10.0**i, 0.5) for i in range(3)]
    assert len(plots._labels(points)) == 1


def test_without_its_ceilings_there_is_no_picture(records):
    records.microbenchmarks["occupancy-bandwidth-100-x4"]["fresh"] = False
    assert plots.render("roofline", records) == "Awaiting a GPU run: occupancy-bandwidth-100-x4."


def test_no_plot_mixes_two_gpus():
    records = Evidence(find_root(Path(__file__).parent))
    (usual, second), ceiling = records.project.machines, "occupancy-bandwidth-100-x4"
    for rows in (rows for ids in records._rows.values() for rows in ids.values()):
        rows[:] = [row for row in rows if row["machine"] == usual]
        other = {"machine": second, "device": {"name": "NVIDIA H100"}}
        rows += [row | other | ({"value": 3e3} if row["id"] == ceiling else {}) for row in rows]
    text = plots.of_each("roofline", records)
    first, rest = text.split("<summary>The same, measured on NVIDIA H100</summary>")
    assert "reads at 3.00\u202fTB/s" in rest and "reads at 3.00\u202fTB/s" not in first
    records._rows["microbenchmarks"][ceiling][0]["fresh"] = False
    alone = plots.of_each("roofline", records)
    assert alone.startswith("Measured on NVIDIA H100.\n\n") and alone.count("<svg") == 1


def test_an_unknown_plot_is_refused(records):
    with pytest.raises(KeyError, match="no plot pie"):
        plots.render("pie", records)


def test_bytes_in_flight_and_the_law(records):
    del records.microbenchmarks["occupancy-bandwidth-100-x4"]  # the roofline's
    records.microbenchmarks |= {
        "latency-hbm": micro(660, ns=300.0),
        "occupancy-bandwidth-25": micro(1000, in_flight_bytes=500_000),
        "occupancy-bandwidth-25-x4": micro(3500, in_flight_bytes=2_000_000),
    }
    picture = plots.render("inflight", records)
    assert picture.count("<circle") == 2 and "four a thread: 3.50\u202fTB/s" in picture
    text = plots.render("inflight", records, as_text=True)
    assert text.startswith("- 0.50 MB in flight, one a thread: 1.00\u202fTB/s")
    records.microbenchmarks["latency-hbm"]["fresh"] = False
    assert plots.render("inflight", records) == "Awaiting a GPU run: latency-hbm."


def test_chains_of_multiply_adds_and_the_law(records):
    records.microbenchmarks |= {
        "latency-fma32": micro(4, ns=2.0),
        "occupancy-bandwidth-25": micro(1, in_flight_bytes=200_000),  # a load of 4 bytes a thread
        "occupancy-bandwidth-25-x4": micro(1, in_flight_bytes=800_000),
        "occupancy-fma-25": micro(45),
        "occupancy-fma-25-x4": micro(58),
    }
    lines = plots.render("chains", records, as_text=True).splitlines()
    assert lines[0] == "- 50.00 thousand multiply-adds in flight, one a thread: 45.0\u202fTFLOP/s"
    assert lines[1].startswith("- 200.00 thousand multiply-adds in flight, four a thread")
    picture = plots.render("chains", records)
    law = re.search(
        r'<line x1="56.0" y1="276.0" x2="([\d.]+)" y2="([\d.]+)" style="[^"]*6 4', picture
    )
    # 60 TFLOP/s, which is the ceiling, at 2 operations in 2 ns: 60 thousand in flight
    assert float(law[1]) == pytest.approx(56 + 606 * 60 / 210, abs=0.1)


def twice(**again):
    point = {"value": 12.0, "spread": 0.02, "gpu": "b", "difference": 0.2, "differs": True}
    row = {"value": 10.0, "unit": "us", "spread": 0.01, "title": "A wait", "fresh": True}
    row |= {"gpu": "a", "again": [point | again]}
    return SimpleNamespace(benchmarks={}, microbenchmarks={"wait": row, "old": {"fresh": False}})


def test_what_differs_is_listed():
    text = summary._twice(twice())
    assert text.startswith("1 of 1 figures were measured a second time, 1 of them on another GPU")
    assert "| A wait<br>`wait` | 10.0\u202fµs | 12.0\u202fµs | 20.0\u202f% |" in text


def test_what_agrees_is_counted_and_not_listed():
    text = summary._twice(twice(differs=False, gpu="a"))
    assert "0 of them on another GPU" in text and "No pair is further apart" in text
    assert "A wait" not in text


def spans(*rows):
    return micro(1.0, spans=[list(row) for row in rows], title="T", device={"name": "A GPU"})


@pytest.fixture
def photos():
    first = spans(("decode", "host", 0, 60), ("HtoD", "copies", 60, 70))
    second = spans(("HtoD", "copies", 0, 1), ("blur", "kernels", 1, 2.5))
    rows = {"photos-first": first, "photos-second": second}
    return SimpleNamespace(microbenchmarks=rows)


def test_a_timeline_draws_each_span_in_its_lane(photos, monkeypatch):
    assert plots.render("photos", photos, as_text=True).split("\n") == [
        "- six photos, decoded on the CPU: 70.0\u202fms",
        "- six photos, decoded on the GPU: 2.50\u202fms",
    ]
    drawn = plots.render("photos", photos)
    assert drawn.count("<rect") == 3 + 4  # the key, and the spans
    assert "decode<" in drawn and "HtoD<" in drawn  # each timeline has its own scale
    assert ">64 ms<" in drawn and ">2 ms<" in drawn and ">3 ms<" not in drawn
    shared = replace(timelines.PLOTS["photos"], alone=False)
    monkeypatch.setitem(timelines.PLOTS, "photos", shared)
    drawn = plots.render("photos", photos)
    assert "blur<" not in drawn and ">2 ms<" not in drawn  # a name that does not fit is left out


def test_a_trace_to_take_away_is_in_chromes_format(photos):
    found = timelines.traces("photos", photos)["photos-second.trace.json"]
    assert [e["ph"] for e in found["traceEvents"]] == ["M", "M", "M", "M", "X", "X"]
    assert found["traceEvents"][-1] == {
        "ph": "X", "pid": 1, "tid": 2, "name": "blur", "cat": "kernels", "ts": 1000, "dur": 1500
    }  # fmt: skip
    photos.microbenchmarks["photos-first"]["fresh"] = False
    assert list(timelines.traces("photos", photos)) == ["photos-second.trace.json"]
    assert "Awaiting" in plots.render("photos", SimpleNamespace(microbenchmarks={}, project=None))


def test_what_the_page_adds_up_of_the_photos_is_in_the_record_and_the_listing():
    root = find_root(Path(__file__))
    page = (root / "docs/roadmap/optimization/timelines.md").read_text(encoding="utf-8")
    listing = (root / "snippets/output/timelines/print.txt").read_text(encoding="utf-8")
    each = [line.split()[2] for line in listing.splitlines()]
    typed = re.search(r"\[\[worked:0\.785 ms; ([^]]+)\]\]", page)[1]
    assert typed.split(" + ") == each
    for part in ("0.022 + 0.046", "0.411 ms in the listing", "12 MB in 0.228 ms"):
        assert set(re.findall(r"0\.\d+", part)) <= set(each) and part in page, part
    record = root / "evidence/nvidia-h200/microbenchmarks/photos.json"
    first = next(
        row for row in json.loads(record.read_text())["rows"] if row["id"] == "photos-first"
    )
    copies = [end - start for name, _, start, end in first["spans"] if name == "HtoD"]
    assert f"[[worked:{min(copies):.1f} to {max(copies):.1f} ms; its six copies" in page
    assert min(copies) < 5.4 < max(copies)


def ring(place, radius):
    """Return a field, 24 by 16: larger toward a place, and the circle of ``radius`` is at 50."""
    x, y = place
    return [
        [50 + 10 * (radius - ((x - i) ** 2 + (y - j) ** 2) ** 0.5) for i in range(24)]
        for j in range(16)
    ]


def area(line):
    ends = zip(line, line[1:] + line[:1], strict=True)
    return sum(x * v - u * y for (x, y), (u, v) in ends) / 2


def test_a_contour_goes_around_what_is_above_its_level():
    (line,) = flows.contours(ring((11, 8), 5), 50)
    assert all(((x - 11) ** 2 + (y - 8) ** 2) ** 0.5 == pytest.approx(5, abs=0.1) for x, y in line)
    assert area(line) == pytest.approx(78.5, rel=0.02)  # against the clock
    hole = [[100 - value for value in line] for line in ring((11, 8), 5)]
    assert sorted(map(area, flows.contours(hole, 50))) == pytest.approx([-78.5, 23 * 15], rel=0.1)
    (cut,) = flows.contours(ring((0, 8), 5), 50)  # closed along the edge of the field
    assert area(cut) == pytest.approx(78.5 / 2, rel=0.1)
    assert flows.contours(ring((11, 8), 5), 500) == []
    saddle = flows.contours([[9, 0], [0, 9]], 5)
    assert len(saddle) == 2 and all(area(line) > 0 for line in saddle)


def test_the_flow_is_drawn_in_two_colors_with_the_body_in_it():
    bump = ring((6, 8), 5)
    field = ["".join(f"{min(200, max(0, int(100 + n - 50))):02x}" for n in line) for line in bump]
    rows = {"flow-cylinder": micro(1.0, field=field, body=[[1, 1], [2, 1], [2, 2]])}
    records = SimpleNamespace(microbenchmarks=rows, project=None)
    assert "24 by 16 numbers, the largest 100" in plots.render("cylinder", records, True)
    drawn = plots.render("cylinder", records)
    assert "turns to the left" in drawn and "turns to the right" in drawn
    layers = re.findall(r'<path d="([^"]*)" style="fill: var\((--ls-\w+)\)', drawn)
    assert [color for _, color in layers].count("--ls-accent") == 3  # the bump rises to 50
    assert layers[-1][1] == "--ls-ink" and layers[-1][0].count("l") == 1  # a path of the body
    assert "Awaiting" in plots.render("wing", records)


def test_latency_under_load(records):
    awaited = "Awaiting a GPU run: serving-static, serving-continuous."
    assert plots.render("load", records) == awaited
    records.microbenchmarks |= {
        "serving-static-500": micro(4.0, p50_ms=2.0, tokens_per_second=4000),
        "serving-static-3000": micro(90.0, p50_ms=50.0, tokens_per_second=21000),
        "serving-continuous-500": micro(3.0, p50_ms=1.0, tokens_per_second=4001),
        "serving-continuous-3000": micro(8.0, p50_ms=3.0, tokens_per_second=24000),
        "serving-continuous": micro(9000),  # another row, no point
    }
    picture = plots.render("load", records)
    assert picture.count("<circle") == 8 and "static, 3000 a second: p50 50.0\u202fms" in picture
    table = plots.render("load", records, as_text=True)
    assert table.count("\n") == 5 and "21,000" in table


def scaled(**rows):
    """Return records with a row of scaling for each id: its efficiency, or None for a stale one."""
    found = {
        name.replace("_", "-"): micro(1, efficiency=value or 1, fresh=value is not None)
        for name, value in rows.items()
    }
    return SimpleNamespace(microbenchmarks=found, benchmarks={})


def test_scaling_is_drawn_by_size_a_line_for_each_kind():
    records = scaled(gpt_strong_8=0.4, gpt_strong_64=0.8, gpt_weak_8=0.9, gpt_weak_64=1.0)
    told = plots.render("gptscaling", records, as_text=True)
    assert (
        told == "- Efficiency, strong: 8: 0.400, 64: 0.800\n- Efficiency, weak: 8: 0.900, 64: 1.00"
    )
    drawn = plots.render("gptscaling", records)
    assert "strong: 8: 0.400, 64: 0.800" in drawn and drawn.count("<polyline") == 2
    dots = [tuple(map(float, dot)) for dot in re.findall(r'cx="([\d.]+)" cy="([\d.]+)"', drawn)]
    assert len(dots) == 4
    assert dots[0][0] == dots[2][0] < dots[1][0] == dots[3][0]  # 8 left of 64
    assert dots[0][1] > dots[1][1] > dots[3][1] and dots[2][1] > dots[3][1]  # more is higher


def test_scaling_without_fresh_rows_awaits_them():
    assert "gpt-weak-" in plots.render("gptscaling", scaled(gpt_strong_8=0.4, gpt_weak_8=None))
    heat = {
        f"heat_{kind}_1024_staged{more}": 0.5
        for kind in ("strong", "weak")
        for more in ("", "_overlap")
    }
    drawn = plots.render("heatscaling", scaled(**heat))
    assert drawn.count("<circle") == 4 and "strong, overlapped: 1,024: 0.500" in drawn


def test_scaling_on_four_takes_the_rows_of_four_alone():
    four = {
        f"heat_{kind}_1024_staged{more}_4": 0.25
        for kind in ("strong", "weak")
        for more in ("", "_overlap")
    }
    two = {name.removesuffix("_4"): 0.5 for name in four}
    drawn = plots.render("heatfour", scaled(**four, **two))
    assert "Efficiency on four GPUs" in drawn and "0.250" in drawn and "0.500" not in drawn
    assert "0.250" not in plots.render("heatscaling", scaled(**four, **two))

"""The picture of a ladder: bars as long as their figures, in the order of the rungs."""

import ast
import re
import xml.etree.ElementTree as ElementTree
from types import SimpleNamespace

from lockstep.page import find_root
from lockstep_site import ladder, plots
from tests.records import all_records

ROOT = find_root()


def records(*rungs, ceiling=None):
    rows = {
        f"sgemm-{name}": {
            "title": f"SGEMM 8 x 8 x 8 in Numba, {name}",
            "rung": rung,
            "ours": ours,
            "reference": 50.0,
            "ratio": ours / 50,
            "unit": "TFLOP/s",
            "kernel": "kernels/gemm/tiled.py",
            "fresh": True,
        }
        for rung, name, ours in rungs
    }
    micro = {ladder.CEILING: {"value": ceiling, "fresh": True}} if ceiling else {}
    return SimpleNamespace(benchmarks=rows, microbenchmarks=micro)


def test_bars_stand_in_order_and_are_as_long_as_their_figures():
    found = plots.render("ladder", records((2, "tiled", 40.0), (1, "naive", 10.0), ceiling=80.0))
    for image, (width, left, right) in zip(
        ElementTree.fromstring(found).iter("svg"), (ladder.PAGE, ladder.PHONE), strict=True
    ):
        bars = [bar for bar in image.iter("rect") if bar.get("x") == str(left)]
        first, second = (float(bar.get("width")) for bar in bars)
        assert abs(second - 4 * first) < 1
        assert second * 2 == width - left - right  # half of the longest, 80
    words = image.get("aria-label")
    assert words.index("naive") < words.index("tiled") < words.index("cuBLAS")
    assert all(figure in words for figure in ("10.0", "40.0", "50.0", "80.0"))


def test_a_thin_bar_is_the_same_kernel_in_the_other_language():
    found = records((1, "naive", 10.0), (2, "deep", 40.0), ceiling=80.0)
    found.benchmarks["sgemm-naive"]["cuda_tflops"] = 20.0
    found.benchmarks["sgemm-deep"]["kernel"] = "snippets/gemm/sgemm.cu"
    image = next(ElementTree.fromstring(plots.render("ladder", found)).iter("svg"))
    bars = [bar for bar in image.iter("rect") if bar.get("x") == str(ladder.PAGE[1])]
    wide, high = ([float(bar.get(side)) for bar in bars] for side in ("width", "height"))
    assert wide[1] == 2 * wide[0] and wide[2] == 4 * wide[0]
    assert high[:3] == [ladder.BAR, ladder.THIN, ladder.THIN]  # behind them the legend's
    text = plots.render("ladder", found, as_text=True).replace("\u202f", " ")
    assert "naive 10.0 TFLOP/s in Numba and 20.0 TFLOP/s in CUDA C++" in text
    assert "deep 40.0 TFLOP/s in CUDA C++" in text


def test_a_figure_stands_beside_the_bar_that_it_tells_and_covers_no_line():
    found = records((1, "slow", 10.0), (2, "near", 45.0), ceiling=60.0)
    found.benchmarks["sgemm-slow"]["cuda_tflops"] = 20.0
    for image, room in zip(
        ElementTree.fromstring(plots.render("ladder", found)).iter("svg"),
        (ladder.PAGE, ladder.PHONE),
        strict=True,
    ):
        width, left, right = room
        words = {text.text.split()[0]: text for text in image.iter("text")}
        slow, near = (words[figure] for figure in ("10.0", "45.0"))
        assert float(slow.get("x")) == round(left + (width - left - right) / 6, 1) + 6
        shapes = list(image.iter())
        if near.get("text-anchor") == "start":  # it begins before cuBLAS's line: that ends there
            under = shapes[shapes.index(near) - 1]
            assert "--ls-ground" in under.get("style") and under.tag == "rect"
        ends = {"start": lambda x, n: x + n, "end": lambda x, n: x}
        for text in image.iter("text"):
            long = len(text.text) * ladder.LETTER
            assert ends[text.get("text-anchor")](float(text.get("x")), long) <= width + 1, text.text


def test_a_ladder_without_figures_says_so():
    empty = SimpleNamespace(benchmarks={"copy": {"fresh": True}}, microbenchmarks={})
    assert "ladder" in plots.render("ladder", empty) and "<svg" not in plots.render("ladder", empty)


def test_the_text_has_a_line_for_each_bar_and_line():
    text = plots.render("ladder", records((1, "naive", 10.0)), as_text=True)
    assert len(text.splitlines()) == 2


def test_the_last_rung_has_the_best_of_the_tiles_that_the_search_found():
    """The search is five launches each; the harness decides among its quick ones."""
    found = (ROOT / "snippets/output/matmul-worklog/search.txt").read_text(encoding="utf-8")
    quick = [ast.literal_eval(tile) for tile in re.findall(r"TFLOP/s (\(.*\))", found)[:8]]
    script = (ROOT / "benchmarks/gemm.py").read_text(encoding="utf-8")
    measured = ast.literal_eval(re.search(r"^BEST = (.*)$", script, re.M)[1])
    assert measured[:7] in quick
    rows = all_records().benchmarks
    tuned = {i: row["ours"] for i, row in rows.items() if re.fullmatch(r"sgemm-tuned-\d.*", i)}
    BM, BN, BK, *_, stages, _ = measured[:7]
    assert max(tuned, key=tuned.get) == f"sgemm-tuned-{BM}x{BN}x{BK}-{stages}"
    kernel = (ROOT / "kernels/gemm/tuned.py").read_text(encoding="utf-8")
    call = re.search(r"^tuned = make_tuned\((.*)\)$", kernel, re.M)[1]
    shown = [int(word.rpartition("=")[2]) for word in call.split(", ")]
    assert tuple(shown) == measured[:7]


def test_no_name_of_this_site_is_cut_on_a_page_or_a_phone():
    """On a phone the first letter of the longest one was beyond the edge."""
    found = plots.render("ladder", all_records())
    images = list(ElementTree.fromstring(found).iter("svg"))
    assert len(images) == 2
    for image, (_, left, _) in zip(images, (ladder.PAGE, ladder.PHONE), strict=True):
        names = [t.text for t in image.iter("text") if t.get("x") == str(left - 8)]
        assert len(names) > 10
        assert [name for name in names if ladder.LETTER * len(name) > left - 8] == []

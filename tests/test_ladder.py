"""The picture of a ladder: bars as long as their figures, in the order of the rungs."""

import xml.etree.ElementTree as ElementTree
from types import SimpleNamespace

from lockstep import ladder, plots


def records(*rungs, ceiling=None):
    rows = {
        f"sgemm-{name}": {
            "title": f"SGEMM 8 x 8 x 8 in Numba, {name}",
            "rung": rung,
            "ours": ours,
            "reference": 50.0,
            "ratio": ours / 50,
            "unit": "TFLOP/s",
            "fresh": True,
        }
        for rung, name, ours in rungs
    }
    micro = {ladder.CEILING: {"value": ceiling, "fresh": True}} if ceiling else {}
    return SimpleNamespace(benchmarks=rows, microbenchmarks=micro)


def test_bars_stand_in_order_and_are_as_long_as_their_figures():
    found = plots.render("ladder", records((2, "tiled", 40.0), (1, "naive", 10.0), ceiling=80.0))
    image = ElementTree.fromstring(found)
    first, second = (float(bar.get("width")) for bar in image.iter("rect"))
    assert second == 4 * first
    assert second * 2 == ladder.WIDTH - ladder.LEFT - ladder.RIGHT  # half of the longest, 80
    words = image.find("svg").get("aria-label")
    assert words.index("naive") < words.index("tiled") < words.index("cuBLAS")
    assert all(figure in words for figure in ("10.0", "40.0", "50.0", "80.0"))


def test_a_ladder_without_figures_says_so():
    empty = SimpleNamespace(benchmarks={"copy": {"fresh": True}}, microbenchmarks={})
    assert "ladder" in plots.render("ladder", empty) and "<svg" not in plots.render("ladder", empty)


def test_the_text_has_a_line_for_each_bar_and_line():
    text = plots.render("ladder", records((1, "naive", 10.0)), as_text=True)
    assert len(text.splitlines()) == 2

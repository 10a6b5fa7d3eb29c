"""Figures that move: recorded by their scripts, true to what they show, and played in a page."""

import gzip
import json
import re
from importlib import import_module

import numpy as np
import pytest

from lockstep.page import PageError
from lockstep_site import motion
from snippets import motion as scripts
from snippets.diagrams import sectors
from snippets.motion import bank_conflicts, coalescing, cp_async, ring_all_reduce, warp_scheduling
from tests.browser import axe
from tests.pages import PAGES, ROOT, switch, url_of

NAMES = scripts.names()
LESSONS = [page for page in PAGES if page.meta["kind"] == "lesson"]
SHOWN = {
    name: [page for page in LESSONS if f"[[motion:{name}]]" in (page.written or page.body)]
    for name in NAMES
}
# What issue and lessons ask to see in motion, and the figure that does it.
EIGHT = {
    "warp scheduling": "motion:warp-scheduling",
    "coalescing": "motion:coalescing",
    "bank conflicts": "motion:bank-conflicts",
    "the data path of a tiled product": "play:tiled-product",
    "a cp.async pipeline": "motion:cp-async",
    "tree reduction": "play:tree-sum",
    "scan": "play:scan",
    "ring all-reduce": "motion:ring-all-reduce",
}


def test_eight_ideas_move_on_lessons():
    lacking = [
        idea
        for idea, figure in EIGHT.items()
        if not any(f"\n[[{figure}]]\n" in (page.written or page.body) for page in LESSONS)
    ]
    assert not lacking


@pytest.mark.parametrize("name", NAMES)
def test_a_figure_is_what_its_script_records(name):
    made = scripts.text(import_module(f"snippets.motion.{name.replace('-', '_')}").record())
    file = ROOT / motion.FOLDER / f"{name}.json"
    assert file.read_text("utf-8") == made, "make it again: python -m snippets.motion"
    assert len(gzip.compress(made.encode())) <= 3000
    assert SHOWN[name], "no lesson shows it"


@pytest.mark.parametrize("name", NAMES)
def test_a_figure_says_what_to_see_and_fits_its_player(name):
    data = motion.load(name, ROOT)
    assert len(data["caption"].split()) >= 20 and data["caption"].endswith(".")
    known = {letter for letter, _ in data["legend"]} | {".", " "}
    assert known <= {*scripts.LOOKS, " "}
    for frame in data["frames"]:
        assert frame["words"].endswith(".")
        for number, panel in enumerate(data["panels"]):
            size = len(panel["rows"]) * panel["columns"]
            letters = panel.get("cells") or frame["cells"][number]
            assert len(letters) == size and set(letters) <= known
            if "cells" in panel:
                assert len(data["frames"]) == panel["columns"] + 1
        for one, a, other, b in frame.get("links", []):
            assert frame["cells"][one][a] != "." or frame["text"][one][a]
            assert frame["cells"][other][b] != "."


def test_no_recording_is_left_over():
    assert {file.stem for file in (ROOT / motion.FOLDER).glob("*")} == set(NAMES)


def test_a_name_that_is_wrong_says_how_to_mend_it():
    with pytest.raises(PageError, match=r"no such figure.*python -m snippets\.motion"):
        motion.load("rings", ROOT)


@pytest.mark.parametrize("row", sectors.ROWS)
def test_coalescing_shows_the_sectors_that_the_stepper_counts(row):
    frames, said = coalescing.case(*row)
    cells = frames[-1]["cells"][1]
    moved = [n for n in range(0, len(cells), coalescing.SECTOR) if cells[n : n + 8].strip(".")]
    assert len(moved) == said == sectors.warp_reads(*row)[0]
    assert cells.count("a") == 32


@pytest.mark.parametrize("padding, kind, _", bank_conflicts.CASES)
def test_banks_take_the_turns_that_the_stepper_counts(padding, kind, _):
    frames = bank_conflicts.case(padding, kind, "")
    assert len(frames) - 1 == bank_conflicts.accesses(padding)[1][kind]
    assert sum(len(frame.get("links", [])) for frame in frames) == 32
    for frame in frames[1:]:  # no bank gives two lanes different words in one turn
        banks = [bank for _, _, _, bank in frame["links"]]
        assert len(set(banks)) == len(banks)


def test_a_scheduler_issues_one_ready_warp_a_cycle():
    for warps in warp_scheduling.WARPS:
        rows, issued = warp_scheduling.schedule(warps)
        for cycle, warp in enumerate(issued):
            column = [row[cycle] for row in rows]
            assert column.count("a") == (warp is not None)
            assert warp is not None or "o" not in column  # an idle slot: nobody was ready
    alone = warp_scheduling.schedule(1, 3400)[1]
    period = warp_scheduling.LATENCY + warp_scheduling.WORK * warp_scheduling.EACH
    share = sum(warp is not None for warp in alone) / len(alone)
    assert share == pytest.approx((warp_scheduling.WORK + 1) / period, rel=0.01)
    assert None not in warp_scheduling.schedule(8)[1][warp_scheduling.LATENCY + 8 :]  # as it says


def test_the_pipeline_has_the_order_of_the_kernel():
    copies = [step[1] for step in cp_async.order(2) if step[0] == "copy"]
    assert copies[:4] == [0, 1, 0, 1]
    assert [step for step in cp_async.order(3) if step[0] == "wait"][0] == ("wait", 1)
    for stages in (2, 3):
        cells, _, end = cp_async.timeline(stages)
        assert cells[-1].count("a") == cp_async.TILES * cp_async.MULTIPLY
        assert end == len(cells[-1].rstrip("."))
        for own in zip(*cells, strict=True):  # the tile in use is one that has come
            assert (own[-1] == "a") == ("a" in own[:-1])
    assert cp_async.timeline(3)[2] < cp_async.timeline(2)[2] < cp_async.alternating()[2]


def test_the_ring_ends_with_all_sums_everywhere():
    frames = ring_all_reduce.record()["frames"]
    ranks = ring_all_reduce.RANKS
    assert len(frames) == 2 * (ranks - 1) + 1
    assert set(frames[-1]["text"][0]) == {"sum"}
    for frame in frames[1:]:  # each rank sends once, and to its right neighbor
        ways = np.array([(a // ranks, b // ranks) for _, a, _, b in frame["links"]])
        assert sorted(ways[:, 0]) == list(range(ranks))
        assert ((ways[:, 0] + 1) % ranks == ways[:, 1]).all()
    assert [frame["text"][0].count("sum") for frame in frames] == [0, 0, 0, 4, 8, 12, 16]


# ---------------------------------------------------------------- in a browser


@pytest.fixture
def opened(chromium, server):
    """Open the lesson of a figure, and return the tab and the figure."""
    contexts = []

    def go(name, **settings):
        contexts.append(chromium.new_context(**settings))
        tab = contexts[-1].new_page()
        tab.errors = []
        tab.on("pageerror", lambda error: tab.errors.append(str(error)))
        tab.goto(url_of(SHOWN[name][0], server))
        found = tab.locator(f'figure[data-motion="{name}"]')
        found.scroll_into_view_if_needed()
        if settings.get("java_script_enabled", True):
            tab.locator(f'figure.is-ready[data-motion="{name}"]').wait_for()
        return tab, found

    yield go
    for context in contexts:
        context.close()


def test_it_steps_and_plays_by_keyboard(opened):
    tab, found = opened("ring-all-reduce", reduced_motion="reduce")
    said, where = found.locator(".steps__said"), found.locator("output")
    assert where.inner_text() == "0 / 6" and not found.locator("path[pathLength]").count()
    found.get_by_role("button", name="One step forward").press("Enter")
    assert said.inner_text().startswith("Reduce-scatter, step 1: part 0 to rank 1")
    assert found.locator("path[pathLength]").count() == 4
    assert found.locator(".motion__grid").inner_text().count("0+1") == 1
    slider = found.get_by_role("slider", name="Step")
    slider.press("End")
    assert slider.get_attribute("aria-valuetext") == said.inner_text()
    assert found.locator('.motion__grid [data-is="a"]').count() == 16
    found.get_by_role("button", name="First step").click()
    found.get_by_role("button", name="Play").press("Enter")
    tab.wait_for_function("() => document.querySelector('figure.motion output').value[0] !== '0'")
    found.get_by_role("button", name="Pause").press("Enter")
    assert found.get_by_role("button", name="Play").count() == 1 and not tab.errors


@pytest.mark.parametrize("motion_wanted", ["reduce", "no-preference"])
def test_nothing_moves_before_it_is_asked_to(motion_wanted, opened):
    tab, found = opened("bank-conflicts", reduced_motion=motion_wanted)
    assert found.locator("output").inner_text() == "0 / 36"
    found.get_by_role("button", name="One turn forward").click()
    moving = "document.querySelector('figure.motion').getAnimations({subtree: true}).length"
    assert bool(tab.evaluate(moving)) == (motion_wanted == "no-preference")


@pytest.mark.parametrize("width", [390, 1280])
@pytest.mark.parametrize("name", NAMES)
def test_axe_finds_nothing_in_it_and_nothing_is_cut(name, width, opened):
    tab, found = opened(name, viewport={"width": width, "height": 844}, reduced_motion="reduce")
    half = len(motion.load(name, ROOT)["frames"]) // 2
    found.get_by_role("slider").fill(str(half))
    assert tab.evaluate("document.documentElement.scrollWidth") == width
    cells = "[...document.querySelectorAll('.motion__grid i')]"
    for wrong in ("n.clientWidth < 4", "n.scrollWidth > n.clientWidth + 1"):
        assert tab.evaluate(f"{cells}.filter(n => {wrong}).length") == 0, wrong
    tab.evaluate(axe())
    for scheme in ("light", "dark"):
        switch(tab, scheme)
        wrong = tab.evaluate("axe.run('figure.motion', VIOLATIONS)")["violations"]
        assert wrong == [], json.dumps([(v["id"], [n["html"] for n in v["nodes"]]) for v in wrong])


def test_without_javascript_the_frames_are_words(opened):
    _, found = opened("cp-async", java_script_enabled=False)
    assert re.search(r"\d+ frames, in words", found.locator("summary").inner_text())
    assert found.locator("li").first.text_content() == "No tile has been asked for."
    assert found.locator(".motion__stage").is_hidden()

"""The scheduler in a page: a recording of the code that the page shows, and how it plays."""

import json

import pytest

from kernels.paging.pool import Pool, Request, Scheduler
from lockstep_site import schedule
from tests.browser import axe
from tests.pages import PAGES, ROOT, switch, url_of

SPECS = schedule.specs(ROOT)
LESSON = next(page for page in PAGES if page.path.endswith("paged-attention.md"))


@pytest.mark.parametrize("name", SPECS)
def test_a_schedule_is_what_the_pages_scheduler_does(name):
    file = ROOT / schedule.FOLDER / f"{name}.json"
    made = schedule.text(schedule.record(name, ROOT))
    assert file.read_text("utf-8") == made, "make it again: python -m lockstep schedules"
    assert len(made.encode()) <= 30_000


def test_no_schedule_is_left_over_or_unseen():
    assert {file.stem for file in (ROOT / schedule.FOLDER).glob("*.json")} == set(SPECS)
    text = "".join(page.written or page.body for page in PAGES)
    assert all(f"[[schedule:{name}]]" in text for name in SPECS)


@pytest.mark.parametrize("name", SPECS)
def test_watching_changes_nothing(name):
    """The same requests without anybody watching: the same tables after each step."""
    spec, frames = SPECS[name], schedule.load(name, ROOT)["frames"]
    scheduler = Scheduler(Pool(spec["blocks"]), budget=spec["budget"])
    coming, number = list(spec["requests"]), 0
    while coming or scheduler.waiting or scheduler.running:
        number += 1
        while coming and coming[0]["step"] == number:
            asked = coming.pop(0)
            try:
                scheduler.submit(Request(tuple(asked["prompt"]), asked["answer"]))
            except ValueError as error:
                assert any(str(error) in frame["words"] for frame in frames)
        scheduler.step()
        last = [frame for frame in frames if frame["step"] == number][-1]
        assert [row[6] for row in last["rows"] if row[1] == "runs"] == [
            request.blocks for request in scheduler.running
        ]
        assert last["free"] == list(scheduler.pool.free)
        assert [users for _, users, _ in last["blocks"]] == scheduler.pool.users
    assert frames[-1]["step"] == number


@pytest.fixture
def opened(chromium, server):
    """Open the page and return the tab and its first schedule."""
    contexts = []

    def go(**settings):
        contexts.append(chromium.new_context(**settings))
        tab = contexts[-1].new_page()
        tab.errors = []
        tab.on("pageerror", lambda error: tab.errors.append(str(error)))
        tab.goto(url_of(LESSON, server))
        found = tab.locator("figure.schedule").first
        found.scroll_into_view_if_needed()
        if settings.get("java_script_enabled", True):
            tab.locator("figure.schedule.is-ready").first.wait_for()
        return tab, found

    yield go
    for context in contexts:
        context.close()


def test_it_scrubs_and_plays_by_keyboard(opened):
    tab, found = opened(reduced_motion="reduce")
    said, where = found.locator(".steps__said"), found.locator("output")
    assert where.inner_text() == "0 / 48" and not found.locator(".is-now").count()
    found.get_by_role("button", name="One change forward").press("Enter")
    assert said.inner_text() == "Step 1. A comes and waits."
    assert found.locator(".is-now").inner_text().strip() == "self.waiting.append(request)"
    slider = found.get_by_role("slider", name="Change")
    slider.press("End")
    assert where.inner_text() == "48 / 48" and "is done" in found.inner_text()
    assert slider.get_attribute("aria-valuetext") == said.inner_text()
    slider.press("ArrowLeft")
    assert said.inner_text() == "Step 5. Block 0 is free again."
    found.get_by_role("button", name="First change").click()
    found.get_by_role("button", name="Play").click()
    found.get_by_role("button", name="Pause").wait_for()
    tab.wait_for_function("() => document.querySelector('figure.schedule output').value[0] !== '0'")
    found.get_by_role("button", name="Pause").click()
    assert found.get_by_role("button", name="Play").count() == 1 and not tab.errors


@pytest.mark.parametrize("width", [390, 1280])
def test_axe_finds_nothing_in_it_and_nothing_scrolls_sideways(width, opened):
    tab, found = opened(viewport={"width": width, "height": 844}, reduced_motion="reduce")
    found.get_by_role("slider", name="Change").fill("30")  # two requests share blocks
    assert tab.evaluate("document.documentElement.scrollWidth") == width
    tab.evaluate(axe())
    for scheme in ("light", "dark"):
        switch(tab, scheme)
        wrong = tab.evaluate("axe.run('figure.schedule', VIOLATIONS)")["violations"]
        assert wrong == [], json.dumps([(v["id"], [n["html"] for n in v["nodes"]]) for v in wrong])


def test_without_javascript_the_changes_are_words(opened):
    _, found = opened(java_script_enabled=False)
    assert "recorded changes, in words" in found.locator("summary").inner_text()
    assert found.locator("li").first.text_content() == "Step 1: A comes and waits."
    assert found.locator(".schedule__stage").is_hidden()

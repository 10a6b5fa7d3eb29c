"""Recorded steps: made by the stepper, small, true to their programs, and played without Python."""

import json

import pytest

from lockstep_site import recording, run_here
from tests.browser import axe
from tests.pages import PAGES, ROOT, switch, url_of

NAMES = list(recording.specs(ROOT))
SHOWN = {
    name: [page for page in PAGES if f"[[play:{name}]]" in (page.written or page.body)]
    for name in NAMES
}
HOME = next(page for page in PAGES if page.path == "docs/index.md")


@pytest.mark.parametrize("name", NAMES)
def test_a_recording_is_what_the_stepper_makes_of_its_program(name):
    file = ROOT / recording.FOLDER / f"{name}.json"
    assert not recording.stale(name, ROOT), "make it again: python -m lockstep recordings"
    assert file.read_text("utf-8") == recording.text(recording.record(name, ROOT))
    assert file.stat().st_size <= recording.LIMIT


def test_no_recording_is_left_over_or_unseen():
    kept = {file.stem for file in (ROOT / recording.FOLDER).glob("*.json")}
    assert kept == set(NAMES)
    assert all(SHOWN.values()), [name for name, pages in SHOWN.items() if not pages]


def test_the_home_page_and_eight_lessons_play():
    pages = {page.path: page for found in SHOWN.values() for page in found}
    lessons = [page for page in pages.values() if page.meta["kind"] == "lesson"]
    assert HOME.path in pages and len(lessons) >= 8, sorted(pages)


def test_a_changed_program_is_seen(tmp_path, monkeypatch):
    name = NAMES[0]
    monkeypatch.setattr(run_here, "apply", lambda code, edits: code + "# changed\n")
    assert recording.stale(name, ROOT)


@pytest.fixture
def figure(chromium, server):
    """Open the first figure of a page: what a reader sees who scrolls to it."""
    contexts = []

    def go(page, **settings):
        context = chromium.new_context(**({"viewport": {"width": 1280, "height": 900}} | settings))
        contexts.append(context)
        tab = context.new_page()
        tab.asked = []
        tab.on("request", lambda request: tab.asked.append(request.url))
        tab.goto(url_of(page, server))
        tab.wait_for_load_state("networkidle")
        found = tab.locator("figure.play").first
        found.scroll_into_view_if_needed()
        return tab, found

    yield go
    for context in contexts:
        context.close()


LESSON = next(page for page in SHOWN["grid-stride"])


def test_it_plays_steps_and_scrubs_without_python(figure):
    tab, found = figure(LESSON, reduced_motion="reduce")
    tab.wait_for_selector("figure.play.is-ready")
    where, words = found.locator("output"), found.locator(".rh-words")
    assert where.inner_text().startswith("0 / ")
    found.get_by_role("button", name="One step forward").press("Enter")
    assert where.inner_text().startswith("1 / ") and "warp 0" in words.inner_text()
    assert found.locator(".play__line--now").count() == 1
    found.get_by_role("slider", name="Step").press("End")
    found.get_by_role("button", name="One step back").click()
    found.get_by_role("button", name="First step").click()
    found.get_by_role("button", name="Play").click()
    tab.wait_for_function("() => document.querySelector('figure.play output').value[0] !== '0'")
    found.get_by_role("button", name="Pause").click()
    assert not [url for url in tab.asked if "pyodide" in url or "panel.js" in url]


def test_nothing_of_it_is_loaded_before_it_comes_into_sight(figure):
    tab, _ = figure(LESSON)
    tab.wait_for_selector("figure.play.is-ready")
    early = tab.asked[: next(n for n, url in enumerate(tab.asked) if "player.js" in url)]
    assert not [url for url in early if "recordings/" in url]


def test_the_hero_plays_by_itself_unless_motion_is_reduced(figure):
    tab, _ = figure(HOME)
    tab.wait_for_selector("figure.play.is-ready")
    tab.wait_for_function("() => document.querySelector('figure.play output').value[0] !== '0'")
    tab, found = figure(HOME, reduced_motion="reduce")
    tab.wait_for_selector("figure.play.is-ready")
    assert found.get_by_role("button", name="Play").count() == 1
    assert found.locator("output").inner_text().startswith("0 / ")


@pytest.mark.parametrize("page", [HOME, LESSON], ids=lambda page: page.path)
def test_to_take_over_opens_the_program_at_that_step(page, figure):
    tab, found = figure(page, reduced_motion="reduce")
    tab.wait_for_selector("figure.play.is-ready")
    for _ in range(2):
        found.get_by_role("button", name="One step forward").click()
    at = found.locator("output").inner_text()
    found.get_by_role("button", name="Take over").press("Enter")
    tab.wait_for_selector(".rh-status[data-level=good], .rh-status[data-level=bad]")
    assert tab.locator("dialog.rh output").inner_text() == at
    tab.keyboard.press("Escape")
    assert "play__take" in tab.evaluate("document.activeElement.className")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_in_it(scheme, figure):
    tab, _ = figure(LESSON, reduced_motion="reduce")
    tab.wait_for_selector("figure.play.is-ready")
    switch(tab, scheme)
    tab.evaluate(axe())
    found = tab.evaluate("axe.run('figure.play', VIOLATIONS)")["violations"]
    assert found == [], json.dumps([(v["id"], [n["html"] for n in v["nodes"]]) for v in found])


def test_on_a_phone_nothing_scrolls_sideways(figure):
    tab, _ = figure(LESSON, viewport={"width": 390, "height": 844})
    tab.wait_for_selector("figure.play.is-ready")
    assert tab.evaluate("document.documentElement.scrollWidth") <= 390
    assert tab.evaluate(
        "[...document.querySelectorAll('.play__view *')].every(n => n.scrollWidth <= 390)"
    )


def test_without_javascript_the_steps_are_words(figure):
    _, found = figure(LESSON, java_script_enabled=False)
    assert "recorded steps, in words" in found.locator("summary").inner_text()
    assert "Line " in found.locator("li").first.text_content()
    assert found.locator(".play__stage").is_hidden()

"""Exercises in the page: solved and graded by keyboard and by mouse, kept, and readable without."""

import json

import pytest

from lockstep_site import exercise
from tests.browser import axe
from tests.pages import PAGES, ROOT, switch, url_of

LESSON = next(page for page in PAGES if page.name.endswith("/vector-add"))
NAME = "share_the_work"


@pytest.fixture(scope="module")
def tab(chromium, server):
    context = chromium.new_context(viewport={"width": 1280, "height": 900}, reduced_motion="reduce")
    tab = context.new_page()
    errors = []
    tab.on("pageerror", lambda error: errors.append(str(error)))
    tab.goto(url_of(LESSON, server))
    tab.wait_for_load_state("networkidle")
    yield tab
    context.close()
    assert not errors


@pytest.fixture
def panel(tab):
    if not tab.locator("dialog.rh[open]").count():
        tab.locator(f'[data-graded="{NAME}"] button').press("Enter")
        tab.wait_for_selector("dialog.rh[open]")
    return tab.locator("dialog.rh")


def write(tab, code):
    tab.locator(".rh .cm-content").click()
    tab.keyboard.press("Control+a")
    tab.keyboard.press("Delete")
    tab.keyboard.insert_text(code)


def check(tab):
    """Press Check, by keyboard, and return what is said."""
    tab.locator(".rh [data-el=check]").press("Enter")
    tab.wait_for_selector(".rh-verdict:not([hidden])")
    return tab.locator(".rh-status").inner_text()


def state(tab):
    return json.loads(tab.evaluate("localStorage.lockstep ?? '{}'"))


def test_the_start_is_right_and_above_par(tab, panel):
    assert "Few threads, many pixels" in panel.locator("h2").inner_text()
    assert "Brighten a picture" in panel.locator(".rh-task").inner_text()
    assert "above par: 1018 sectors" in check(tab)
    assert panel.locator(".rh-case").count() == 5
    assert "1,018" in panel.locator(".rh-over").inner_text()
    key = tab.locator(f'[data-graded="{NAME}"] + .exercise').get_attribute("data-exercise")
    assert key in state(tab)["solved"] and key not in state(tab)["par"]


def test_a_wrong_answer_says_what_failed_at_which_line(tab, panel):
    code = exercise.load(NAME, ROOT).solution
    write(tab, code.replace("pixels[i] + by", "pixels[i] - by"))
    said = check(tab)
    assert "n = 1: out[0] is -40, and should be 40. Line" in said
    assert "wrote it last" in panel.locator(".rh-note").first.inner_text()
    assert panel.locator(".rh-case--bad").inner_text() == "✗ n = 1"


def test_the_solution_reaches_par_and_is_kept(tab, panel):
    write(tab, exercise.load(NAME, ROOT).solution)
    assert "at par" in check(tab)
    tab.keyboard.press("Escape")
    frame = tab.locator(f'[data-graded="{NAME}"]')
    assert "is-par" in frame.get_attribute("class")
    assert tab.locator(f'[data-graded="{NAME}"] + .exercise [data-solved]').is_checked()
    kept = state(tab)
    assert list(kept["par"]) and "gridsize" in next(iter(kept["code"].values()))
    tab.reload()
    tab.wait_for_load_state("networkidle")
    assert "is-par" in tab.locator(f'[data-graded="{NAME}"]').get_attribute("class")
    tab.locator(f'[data-graded="{NAME}"] button').click()
    tab.wait_for_selector("dialog.rh[open]")
    assert "as you left it" in tab.locator(".rh-status").inner_text()
    assert "gridsize" in tab.locator(".rh .cm-content").inner_text()


def test_hints_come_one_at_a_time_and_are_remembered_on_the_page(tab, panel):
    hint = panel.locator("[data-el=hint]")
    assert hint.inner_text() == "Hint 1 of 2"
    hint.press("Enter")
    assert "read at the same moment" in panel.locator(".rh-hints").inner_text()
    assert hint.inner_text() == "Hint 2 of 2"
    assert list(state(tab)["hints"].values()) == [1]


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_in_it(scheme, tab, panel):
    check(tab)
    switch(tab, scheme)
    tab.evaluate(axe())
    found = tab.evaluate("axe.run(document.querySelector('dialog.rh'), VIOLATIONS)")["violations"]
    assert found == [], json.dumps([(v["id"], [n["html"] for n in v["nodes"]]) for v in found])
    switch(tab, "light")


def test_on_a_phone_nothing_scrolls_sideways(tab, panel):
    tab.set_viewport_size({"width": 390, "height": 844})
    assert tab.evaluate("document.querySelector('dialog.rh').scrollWidth") <= 390
    assert tab.evaluate("document.querySelector('.rh-code').scrollWidth") <= 390
    tab.set_viewport_size({"width": 1280, "height": 900})


@pytest.mark.parametrize("width", [390, 1440])
def test_no_line_of_the_code_is_cut(width, tab, panel):
    """What is longer than the column is wrapped, and set in."""
    tab.set_viewport_size({"width": width, "height": 844})
    write(tab, f"x = 1  # {'a long comment ' * 20}")
    tab.wait_for_function("() => document.querySelectorAll('.rh .cm-line').length === 1")
    wide = "(s => s.scrollWidth - s.clientWidth)(document.querySelector('.rh .cm-scroller'))"
    assert tab.evaluate(wide) <= 0
    tab.set_viewport_size({"width": 1280, "height": 900})


def test_without_javascript_it_reads(chromium, server):
    context = chromium.new_context(java_script_enabled=False)
    tab = context.new_page()
    tab.goto(url_of(LESSON, server))
    frame = tab.locator(f'[data-graded="{NAME}"]')
    assert "Brighten a picture" in frame.inner_text() and not frame.locator("button").count()
    boxes = tab.locator(f'[data-graded="{NAME}"] + .exercise > details')
    assert boxes.count() == 3
    boxes.last.locator("summary").first.click()
    assert "cuda.gridsize(1)" in boxes.last.inner_text()
    context.close()


def test_the_table_of_puzzles_says_what_is_solved(chromium, server):
    context = chromium.new_context()
    tab = context.new_page()
    tab.goto(f"{server}puzzles/")
    states = tab.locator(".puzzle-state")
    assert states.all_inner_texts() == [""] * states.count()
    keys = [exercise.key(name, ROOT) for name in ("receipt", "relay")]
    kept = {"lockstep": 1, "solved": dict.fromkeys(keys, "2026-01-02")}
    kept["par"] = {keys[1]: "2026-01-02"}
    tab.evaluate("kept => { localStorage.lockstep = JSON.stringify(kept) }", kept)
    tab.reload()
    tab.wait_for_function("() => document.querySelector('.puzzle-state').textContent")
    total = states.count() - 1
    said = [text for text in states.all_inner_texts() if text]
    assert said == [f"2 of {total} solved", "✓ solved", "✓ par"]
    context.close()

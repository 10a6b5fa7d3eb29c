"""Quizzes, exercises, ticks and progress in a browser: by keyboard, remembered, nothing lost."""

import json

import pytest

from tests.browser import axe
from tests.pages import PAGES, url_of

LESSON = next(page for page in PAGES if page.path.endswith("foundation/vector-add.md"))
ROADMAP = next(page for page in PAGES if page.path == "docs/roadmap/index.md")
HOME = next(page for page in PAGES if page.path == "docs/index.md")


@pytest.fixture
def tab(context):
    tab = context.new_page()
    tab.errors = []
    tab.on("pageerror", lambda error: tab.errors.append(str(error)))
    yield tab
    assert tab.errors == [] and context.elsewhere == []


@pytest.fixture
def go(tab, server):
    def go(page):
        tab.goto(url_of(page, server))
        return tab

    return go


def kept(tab):
    return json.loads(tab.evaluate("localStorage.getItem('lockstep')"))


def answer(form, index):
    form.locator("input").nth(index).check()
    form.get_by_role("button", name="Check").click()


def place_of_right(form):
    kinds = form.locator(".quiz__why li").evaluate_all("all => all.map(li => li.className)")
    return kinds.index("right")


# ---------------------------------------------------------------- quizzes


def test_a_quiz_is_answered_by_keyboard_and_says_why(go):
    tab = go(LESSON)
    form = tab.locator("form.quiz").first
    right = place_of_right(form)
    group = tab.get_by_role("group", name="Question 1 of 3")
    assert group.get_by_role("radio").count() == 3
    # A region that is there before its text comes is read out when it comes.
    said = form.locator(".quiz__said")
    assert said.get_attribute("aria-live") == "polite" and said.inner_text() == ""
    assert not form.locator(".quiz__why").is_visible()

    group.get_by_role("radio").first.focus()
    tab.keyboard.press("Tab")
    assert tab.evaluate("document.activeElement.textContent") == "Check"
    tab.keyboard.press("Enter")
    assert said.inner_text() == "Choose an answer first."

    tab.keyboard.press("Shift+Tab")  # to the radio buttons, then down and up again
    tab.keyboard.press("Space")
    tab.keyboard.press("ArrowDown")
    assert said.inner_text() == "Choose an answer first."  # the arrows choose, and check nothing
    if right == 1:
        tab.keyboard.press("ArrowDown")
    tab.keyboard.press("Enter")
    assert said.inner_text().startswith("Not so.") and len(said.inner_text()) > 30
    assert said.locator("p").count() >= 1
    assert form.locator(".is-wrong").count() == 1
    assert form.locator(".quiz__why").is_visible()

    answer(form, right)
    assert said.inner_text().startswith("Right.")
    score = tab.locator(".score__said")
    assert score.inner_text() == "1 of 3 answered, 0 right at the first try."


def test_only_what_is_new_is_read_out(go):
    tab = go(LESSON)
    answer(tab.locator("form.quiz").first, 0)
    tab.evaluate("""() => {
        window.changes = 0
        const watch = new MutationObserver(all => { changes += all.length })
        const first = document.querySelector(".quiz__said")
        watch.observe(first, { childList: true, subtree: true, characterData: true })
    }""")
    answer(tab.locator("form.quiz").nth(1), 0)
    tab.locator(".tick input").check()
    assert tab.evaluate("changes") == 0


def test_answers_are_remembered_and_can_be_given_again(go):
    tab = go(LESSON)
    forms = tab.locator("form.quiz").all()
    for form in forms:
        answer(form, place_of_right(form))
    score = "3 of 3 answered, 3 right at the first try."
    assert tab.locator(".score__said").inner_text() == score
    tab.reload()
    assert tab.locator(".score__said").inner_text() == score
    for form in tab.locator("form.quiz").all():
        assert form.locator(".quiz__said").inner_text().startswith("Right.")
        assert form.locator("input").nth(place_of_right(form)).is_checked()
    tab.get_by_role("button", name="Try again").click()
    assert kept(tab)["quiz"] == {} and not tab.locator(".score").is_visible()
    assert tab.locator("form.quiz input:checked").count() == 0
    assert tab.evaluate("document.activeElement.closest('form.quiz') !== null")


def test_hints_come_one_after_another_and_are_remembered(go):
    tab = go(LESSON)
    exercise = tab.locator(".exercise").first
    hints = exercise.locator("details.hint")
    assert [hint.is_visible() for hint in hints.all()] == [True, False]
    assert exercise.locator(".solution").is_visible()
    hints.first.locator("summary").press("Enter")
    hints.nth(1).wait_for(state="visible")
    exercise.get_by_label("I have solved it").press("Space")
    tab.reload()
    assert [hint.is_visible() for hint in hints.all()] == [True, True]
    assert exercise.get_by_label("I have solved it").is_checked()


def test_it_works_after_instant_navigation(go, tab, server, built):
    """The theme puts a new page into the old one: scripts run once, pages change."""
    # It does so for addresses of the sitemap, which has the public ones.
    sitemap = (built / "sitemap.xml").read_text()
    public = sitemap.split("<loc>")[1].split("</loc>")[0]
    body = sitemap.replace(f"<loc>{public}", f"<loc>{server}")
    tab.route("**/sitemap.xml", lambda route: route.fulfill(body=body, content_type="text/xml"))
    with tab.expect_response("**/sitemap.xml"):
        go(HOME)
    tab.evaluate("window.here = true")
    tab.locator(".hero").get_by_role("link", name="Roadmap").click()
    tab.get_by_role("link", name="Your first kernel: vector addition").click()
    tab.locator("form.quiz").first.wait_for()
    answer(tab.locator("form.quiz").first, 0)
    assert tab.locator(".quiz__said").first.inner_text()
    tab.locator(".tick input").check()
    tab.locator(".tick").get_by_role("link", name="Your roadmap").click()
    tab.locator("#f-vector-add input:checked").wait_for()
    assert tab.evaluate("window.here")
    assert kept(tab)["last"]["path"] == url_of(LESSON, server).removeprefix(server)


# ---------------------------------------------------------------- the roadmap


def test_a_tick_fills_the_bar_and_shows_the_way_on(go, server):
    tab = go(HOME)
    assert not tab.locator(".continue").is_visible()
    go(LESSON)
    go(HOME)
    link = tab.locator(".continue")
    assert link.inner_text() == "Continue: Vector addition"
    link.click()
    # Checked where the page stands: to scroll to the tick would be to come to its last section.
    tab.locator(".tick input").evaluate("input => input.click()")
    go(ROADMAP)
    assert tab.get_by_label("Done: Your first kernel: vector addition").is_checked()
    phase = tab.locator(".phase").first
    assert phase.locator("i.is-done").count() == 1
    assert phase.locator(".phase__done").inner_text() == "1 of 11 done"
    assert tab.locator(".needs__page.is-done").inner_text() == "Vector addition"
    assert tab.locator(".continue").inner_text() == "Next: Threads and blocks"
    tab.get_by_label("Done: NCCL overview").check()
    assert phase.locator(".phase__done").inner_text() == "2 of 11 done"
    tab.get_by_label("Done: Your first kernel: vector addition").uncheck()
    assert list(kept(tab)["done"]) == ["f-nccl"]
    assert tab.locator(".continue").inner_text() == "Continue: Vector addition"


def test_continue_leads_to_the_section_where_the_reader_stopped(go, tab, server):
    go(LESSON)
    heading = tab.locator("h2#what-goes-wrong-the-sixth-thread")
    heading.evaluate("node => scrollTo(0, node.getBoundingClientRect().top + scrollY - 300)")
    tab.wait_for_function("() => JSON.parse(localStorage.getItem('lockstep')).last.at")
    go(LESSON)  # a look at the top of the page is no new start
    go(HOME)
    link = tab.locator(".continue")
    assert link.inner_text() == "Continue: Vector addition, “What goes wrong: the sixth thread”"
    link.click()
    tab.wait_for_url("**/vector-add/#what-goes-wrong-the-sixth-thread")
    top = heading.evaluate("node => node.getBoundingClientRect().top")
    assert 0 <= top < 500
    tab.evaluate("scrollTo(0, 0)")
    tab.wait_for_function("() => !JSON.parse(localStorage.getItem('lockstep')).last.at")
    go(HOME)
    assert link.inner_text() == "Continue: Vector addition"


def choose(tab, text, name="mine.json"):
    said = tab.locator(".progress__said")
    before = said.inner_text()
    with tab.expect_file_chooser() as chooser:
        tab.get_by_role("button", name="Load a file").click()
    file = {"name": name, "mimeType": "application/json", "buffer": text.encode()}
    chooser.value.set_files(file)
    tab.wait_for_function(
        "t => document.querySelector('.progress__said').innerText !== t", arg=before
    )
    return said.inner_text()


def test_progress_goes_to_a_file_and_back(go, tab):
    go(LESSON)
    answer(tab.locator("form.quiz").first, 1)
    tab.locator(".tick input").check()
    tab.locator(".hint summary").first.click()
    go(ROADMAP)
    with tab.expect_download() as download:
        tab.get_by_role("button", name="Save as a file").click()
    assert download.value.suggested_filename == "lockstep-progress.json"
    text = download.value.path().read_text(encoding="utf-8")
    before = kept(tab)
    assert json.loads(text) == before

    tab.once("dialog", lambda dialog: dialog.dismiss())
    tab.get_by_role("button", name="Forget all").click()
    assert kept(tab) == before
    tab.once("dialog", lambda dialog: dialog.accept())
    tab.get_by_role("button", name="Forget all").click()
    assert tab.evaluate("localStorage.getItem('lockstep')") is None
    assert tab.locator(".item input:checked").count() == 0

    assert choose(tab, text) == "Added 1 page and 1 quiz answer from “mine.json”."
    assert kept(tab) == before
    assert tab.get_by_label("Done: Your first kernel: vector addition").is_checked()
    assert tab.locator(".phase__done").first.inner_text() == "1 of 11 done"


def test_a_file_adds_and_takes_nothing_away(go, tab):
    go(ROADMAP)
    tab.get_by_label("Done: NCCL overview").check()
    day = kept(tab)["done"]["f-nccl"]
    other = {"lockstep": 1, "done": {"f-nccl": "2020-01-01", "f-simt": "2020-01-01"}}
    choose(tab, json.dumps(other))
    assert kept(tab)["done"] == {"f-nccl": day, "f-simt": "2020-01-01"}


GOOD = {"lockstep": 1, "done": {"f-simt": "2026-11-20"}, "quiz": {"0123abcd": [1]}}
FOREIGN = {
    "not JSON": ("<html>", "it is not JSON"),
    "cut off": (json.dumps(GOOD)[:-9], "it is not JSON"),
    "empty": ("", "it is not JSON"),
    "another program's": ('{"todo": [1, 2]}', "it is not progress on this site"),
    "a list": ("[1]", "it is not progress on this site"),
    "null": ("null", "it is not progress on this site"),
    "a later version's": (json.dumps(GOOD | {"lockstep": 2}), "another version of this site"),
    "a bad day": (json.dumps(GOOD | {"done": {"f-simt": True}}), "its part “done” is damaged"),
    "a bad name": (json.dumps(GOOD | {"done": {"<b>": "2026-11-20"}}), "its part “done”"),
    "a bad answer": (json.dumps(GOOD | {"quiz": {"0123abcd": [-1]}}), "its part “quiz”"),
    "a text for a map": (json.dumps(GOOD | {"hints": "many"}), "its part “hints” is damaged"),
    "a prototype": ('{"lockstep": 1, "done": {"__proto__": "2026-11-20"}}', "its part “done”"),
}


def test_a_foreign_or_broken_file_is_refused_and_nothing_is_lost(go, tab):
    go(ROADMAP)
    tab.get_by_label("Done: NCCL overview").check()
    before = tab.evaluate("localStorage.getItem('lockstep')")
    for name, (text, why) in FOREIGN.items():
        said = choose(tab, text, f"{name}.json")
        assert said.startswith(f"“{name}.json” was refused: {why}"), name
        assert said.endswith("Nothing was changed.")
        assert tab.evaluate("localStorage.getItem('lockstep')") == before, name
        assert tab.get_by_label("Done: NCCL overview").is_checked()


@pytest.mark.parametrize("name", ["not JSON", "a later version's", "a bad day"])
def test_what_a_browser_kept_and_cannot_be_read_is_set_aside_with_a_word(go, tab, name):
    go(HOME)
    text = FOREIGN[name][0]
    tab.evaluate("text => localStorage.setItem('lockstep', text)", text)
    go(ROADMAP)
    assert "set aside unchanged" in tab.locator(".progress__said").inner_text()
    tab.get_by_label("Done: NCCL overview").check()
    assert list(kept(tab)["done"]) == ["f-nccl"]
    aside = "Object.entries(localStorage).filter(([key]) => key.startsWith('lockstep-unread-'))"
    assert [value for _, value in tab.evaluate(aside)] == [text]
    go(ROADMAP)  # the word stays until the reader decides
    assert "set aside unchanged" in tab.locator(".progress__said").inner_text()
    with tab.expect_download() as download:
        tab.get_by_role("button", name="Save what was set aside").click()
    assert download.value.path().read_text(encoding="utf-8") == text
    assert tab.evaluate(aside) == [] and tab.locator(".progress__said").inner_text() == ""
    assert list(kept(tab)["done"]) == ["f-nccl"]
    go(ROADMAP)
    assert tab.locator(".progress__said").inner_text() == ""


def test_a_browser_that_keeps_nothing_says_so(go, tab):
    tab.add_init_script("Storage.prototype.setItem = () => { throw new Error('full') }")
    go(LESSON)
    assert "keeps nothing" in tab.locator(".progress__said").inner_text()
    answer(tab.locator("form.quiz").first, 0)
    assert tab.locator(".quiz__said").first.inner_text()
    tab.locator(".tick input").check()
    assert tab.locator(".tick input").is_checked()


def test_a_file_cannot_lead_elsewhere(go, tab):
    go(ROADMAP)
    for path in ("javascript:alert(1)", "//example.org/", "https://example.org/", "/../../x"):
        tab.evaluate("localStorage.clear()")
        last = {"title": "Here", "path": path, "ids": ["f-simt"]}
        choose(tab, json.dumps(GOOD | {"done": {}, "last": last}), f"{len(path)}.json")
        link = tab.locator(".continue")
        if link.is_visible():
            assert link.evaluate("a => a.origin === location.origin"), path


# ---------------------------------------------------------------- for everybody


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_on_a_lesson_at_work(scheme, chromium, server):
    context = chromium.new_context(color_scheme=scheme, viewport={"width": 390, "height": 800})
    tab = context.new_page()
    tab.goto(url_of(LESSON, server))
    for index, form in enumerate(tab.locator("form.quiz").all()):
        answer(form, index)  # right ones and wrong ones
        form.locator("summary").click()
    tab.locator(".hint summary").first.click()
    tab.locator(".tick input").check()
    tab.evaluate("new Promise(done => setTimeout(done, 400))")
    wide = tab.evaluate("document.documentElement.scrollWidth - window.innerWidth")
    tab.evaluate(axe())
    found = tab.evaluate("axe.run('.md-content', VIOLATIONS).then(r => r.violations)")
    context.close()
    said = [f"{v['id']}: {[n['target'] for n in v['nodes']][:3]} {v['help']}" for v in found]
    assert not said, "\n".join(said)
    assert wide <= 0


def test_without_javascript_all_is_there_and_nothing_is_offered_in_vain(chromium, server):
    context = chromium.new_context(java_script_enabled=False)
    tab = context.new_page()
    tab.goto(url_of(LESSON, server))
    form = tab.locator("form.quiz").first
    assert form.get_by_text("3,907 blocks; 192 threads do nothing").first.is_visible()
    form.locator("summary").click()
    assert form.locator(".quiz__why li.right").is_visible()
    assert form.locator(".quiz__why li.wrong").count() == 2
    assert all(hint.is_visible() for hint in tab.locator(".exercise .hint").all())
    for control in ("form.quiz input", "form.quiz button", ".tick input", ".score button"):
        assert not tab.locator(control).first.is_visible(), control
    tab.goto(url_of(ROADMAP, server))
    assert not tab.locator("li input").first.is_visible()
    assert not tab.locator("[data-progress]").first.is_visible()
    assert tab.locator("a.needs__page").first.is_visible()
    context.close()

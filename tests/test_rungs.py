"""The worklog as a game: 13 bets, the ceilings before them, the record after, and the score."""

import json
import re

import pytest

from lockstep import figures
from lockstep_site import bet, rungs
from simulator.hardware import ladder
from tests.browser import axe
from tests.pages import PAGES, switch, url_of
from tests.records import all_records

PAGE = next(page for page in PAGES if page.name.endswith("/matmul-worklog"))


def test_every_rung_of_the_worklog_is_a_bet_on_its_rate():
    """Its answer is the rung's measured rate, and its ceilings stand right below it."""
    found = re.findall(
        r'\?\?\? bet "[^\n]* \(TFLOP/s: 0 to \d+\)"\n    \[\[bench:sgemm-([a-z-]+)\.tflops\]\]'
        r"[^\n]*\n\n\[\[rung:([a-z-]+)\]\]",
        PAGE.body,
    )
    assert [first for first, _ in found] == [second for _, second in found] == list(ladder.RUNGS)
    assert "[[rung:score]]" in PAGE.body


@pytest.fixture(scope="module")
def records():
    return all_records()


@pytest.mark.parametrize("id", ladder.RUNGS)
def test_the_bars_are_the_counts_and_the_record_has_its_three_stalls(id, records):
    times = {
        rungs.PARTS[part][0]: seconds
        for part, seconds in ladder.ceilings(ladder.known()[id]).items()
    }
    row = records.benchmarks[f"sgemm-{id}"]
    peak = 132 * 4 * 32 * 2 * 1.98e9  # float32 operations a second
    times["issue, as compiled"] = 2 * 4096**3 * row["loop"] / row["ffma"] / peak
    text = rungs.render(id, records, plain=False)
    lit = re.findall(r'<tr class="is-binding"><th scope="row">([^<]+) <b>binds</b>', text)
    assert lit == [max(times, key=times.get)]
    assert row["tflops"] < 2 * 4096**3 / max(times.values()) / 1e12  # a ceiling is one
    widths = [float(wide) for wide in re.findall(r'style="width: ([\d.]+)%"', text)]
    assert len(widths) == 5 and max(widths) == 100
    row, _ = records.figure("micro", f"profile-sgemm-{id}")
    said = re.findall(r"\(`(\w+)`\)", text)
    most = sorted((row[f"stall_{reason}"] for reason in rungs.STALLS), reverse=True)
    assert [row[f"stall_{reason}"] for reason in said] == most[: rungs.MOST]
    for name, share in rungs.PARTS.values():
        assert f"{name} {figures.quantity(row[share], '%')}" in text
    assert "<" not in rungs.render(id, records, plain=True)


# Rungs whose lit bar is not the part that the profiler found fullest: the reason, by rung.
LIT_OTHERWISE: dict[str, str] = {}


@pytest.mark.parametrize("id", ladder.RUNGS)
def test_the_lit_ceiling_is_the_part_that_the_profiler_found_fullest(id, records):
    """The page's claim, bar by bar, against ncu: both bars of issue are the issue slots."""
    (lit,) = (name for name, _, binds in rungs.rows(id, records.benchmarks[f"sgemm-{id}"]) if binds)
    seen, _ = records.figure("micro", f"profile-sgemm-{id}")
    fullest, _ = max(rungs.PARTS.values(), key=lambda part: seen[part[1]])
    lit = rungs.PARTS["issue"][0] if lit == rungs.COMPILED else lit
    assert (lit == fullest) == (id not in LIT_OTHERWISE), (lit, fullest)


def test_a_rung_that_is_none_is_refused(records):
    with pytest.raises(KeyError, match="no rung sideways"):
        rungs.render("sideways", records, plain=False)


def converted(text):
    """What becomes of Markdown by the bets alone, with what folds their answers."""
    from markdown import Markdown

    md = Markdown(extensions=["pymdownx.details", "tables"])
    bet.BetPart().extend(md, None, None)
    return md.convert(text)


BOX = '??? bet "How fast? (TB/s: 0 to 5)"\n    [[bench:add.gbps]]. It waits.\n\n'


BELOW = """Why?

It is [[bench:add.gbps]].

- so [[bench:add.gbps]]

Other [[bench:add.spread]].

    code [[bench:add.gbps]]

## Next

Now [[bench:add.gbps]].
"""


def test_what_names_the_answer_below_a_bet_is_folded():
    html = converted(BOX + BELOW)
    [(of, inside)] = re.findall(
        r'<details class="told" data-told="(\w+)" open.*?>(.*?)</d', html, re.S
    )
    assert of == bet.key("How fast? (TB/s: 0 to 5)")
    assert "It is" in inside and "so [[" in inside
    for open_ in ("Why?", "Other", "code", "Now"):
        assert open_ in html and open_ not in inside


# ---------------------------------------------------------------- in the browser


def opened(chromium, server, **more):
    context = chromium.new_context(**more)
    tab = context.new_page()
    tab.goto(url_of(PAGE, server))
    tab.wait_for_load_state("networkidle")
    return context, tab


def test_all_13_are_played_and_scored_and_the_score_is_kept(chromium, server):
    context, tab = opened(chromium, server, viewport={"width": 390, "height": 800})
    tab.locator("div.rungs").evaluate("node => node.scrollIntoView()")  # its script comes then
    boxes = tab.locator("details.bet:has(+ .rung)")
    said = tab.locator(".rungs__said")
    assert boxes.count() == 13 and said.inner_text() == "No bet yet: there are 13 on this page."
    assert not tab.locator(".rungs td").get_by_text("0.502").count()  # the score tells nothing yet
    assert tab.locator(".rung").first.is_visible()
    rates = tab.evaluate("[...document.querySelectorAll('.rung')].map(n => Number(n.dataset.rate))")
    for n, right in enumerate(rates):
        box = boxes.nth(n)
        told = tab.locator(f"details.told[data-told='{box.get_attribute('data-bet')}']").first
        stalls = told.get_by_text("Cycles that a warp waits")
        assert not stalls.is_visible()
        slider = box.get_by_role("slider", name="Your guess")
        aim = right if n < 10 else right / 2  # the last three are far off
        slider.evaluate(
            "(n, v) => { n.step = 'any'; n.value = v; n.dispatchEvent(new Event('input')) }", aim
        )
        box.get_by_role("button", name="Show what it is").press("Enter")
        assert stalls.is_visible() and not told.locator("summary").is_visible()
    assert said.inner_text().startswith("10 of 13 within a fifth")
    assert tab.evaluate("document.documentElement.scrollWidth") == 390
    tab.reload()
    tab.wait_for_load_state("networkidle")
    tab.locator("div.rungs").evaluate("node => node.scrollIntoView()")
    assert said.inner_text().startswith("10 of 13 within a fifth")
    sent = []
    tab.on("request", lambda request: sent.append(request.url))
    tab.get_by_role("button", name="Copy my score").click()
    text = tab.get_by_label("Your score, to share").input_value()
    assert "■" * 10 + "□" * 3 in text and "10 of 13 within a fifth" in text and PAGE.name in text
    assert not sent  # nothing leaves the browser
    context.close()


def test_an_answer_can_be_opened_without_a_bet(chromium, server):
    context, tab = opened(chromium, server)
    told = tab.locator("details.told").first
    assert told.get_attribute("open") is None
    told.locator("summary").press("Enter")
    assert told.get_by_text("Cycles that a warp waits").is_visible()
    assert tab.get_by_text("The 32 rows begin on the same bank").is_visible()  # the box below it
    assert json.loads(tab.evaluate("localStorage.lockstep ?? '{}'")).get("bets", {}) == {}
    context.close()


def test_without_javascript_all_is_open(chromium, server):
    context, tab = opened(chromium, server, java_script_enabled=False)
    assert tab.locator("details.told:not([open])").count() == 0
    assert tab.get_by_text("Cycles that a warp waits").first.is_visible()
    assert tab.locator(".rung").first.is_visible()
    context.close()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_in_the_game(scheme, chromium, server):
    context, tab = opened(chromium, server)
    switch(tab, scheme)
    first = tab.locator("details.bet:has(+ .rung)").first
    first.get_by_role("slider").press("ArrowRight")
    first.get_by_role("button").click()
    tab.locator("div.rungs").evaluate("node => node.scrollIntoView()")
    tab.locator(".rungs table").wait_for()
    tab.evaluate(axe())
    for where in (".rung", ".rungs", "details.told"):
        found = tab.evaluate("where => axe.run(where, VIOLATIONS)", where)["violations"]
        assert found == [], json.dumps([(v["id"], [n["html"] for n in v["nodes"]]) for v in found])
    context.close()

"""What a clock must tell, on a machine that does nothing else: each limit as it was promised.

Each is for a machine at its usual speed, and grows on one that is slower: ``tests.pace``.

The site has 500 pages here, a few more than it has. ``make scale`` runs this, and so does .ci/run;
``make test``, which keeps every core busy, does not.
"""

import json
import os
import resource
import subprocess
import sys
import time

import pytest

from tests import pace, scale
from tests.conftest import serving
from tests.pages import ROOT, url_of
from tests.test_run_here import MATMUL, VECTOR_ADD, Panel
from tests.test_search import FIELD, RESULT, ask
from tests.test_serve import PAGE, Preview

PAGES = 500  # more than the site has: what is added are copies
# Seen on one machine within ten minutes, of one commit: 84 and 113 s. 5 s are promised until a
# changed page is seen; the guards leave room for slow minutes.
SECONDS = 130
SEEN = 8  # seconds until a changed page is seen
# Both as promised, from the press to the painted frame. Seen, of a processor: 0.7 s for the first
# result, 1.7 for the first recording and 1.3 for the next, when its code is compiled.
FIRST = 3  # seconds to the first result of Run here, or of Check
RECORDED = 3  # seconds for 64 x 64 with each access recorded
SOON = 100  # ms


@pytest.fixture(scope="module")
def large(tmp_path_factory):
    """The built site, the seconds of one core, at its usual speed, that building it took, and a
    preview of it, whose first build goes on beside that one: the clock here is that of the core."""
    root = scale.make(ROOT, tmp_path_factory.mktemp("scale") / "house", PAGES)
    site = root / "site"
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "-d", site]
    preview = Preview(root, wait=False)
    slow = pace.slow()
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    env = os.environ | {"NO_MKDOCS_2_WARNING": "1"}
    done = subprocess.run(command, cwd=root, env=env, capture_output=True, text=True)
    after, wall = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter() - start
    assert done.returncode == 0, (done.stdout + done.stderr)[-3000:]
    seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    slow = (slow + pace.slow()) / 2
    print(f"{PAGES} pages: {seconds:.0f} s of one core, {wall:.0f} s by the clock")
    print(f"the machine is {slow:.2f} times slower than usual")
    preview.ready()  # what follows is told by a clock, on a machine that does nothing else
    yield site, seconds / slow, preview
    preview.stop()


def test_500_pages_are_built_in_time(large):
    """MkDocs uses one core. Its time there is what it takes on a machine that does nothing else."""
    site, seconds, _ = large
    rows = json.loads((site / "data/pages.json").read_text(encoding="utf-8"))
    assert len(rows) == PAGES, "the site has outgrown PAGES"
    assert sum(bool(row["blocks"]) for row in rows) > PAGES / 2  # the others are terms and tables
    assert seconds <= SECONDS


@pytest.fixture(scope="module")
def server(large):
    """The address of a local server of that site."""
    with serving(large[0]) as address:
        yield address


def test_the_search_of_500_pages_answers_within_100_ms(server, chromium):
    tab = chromium.new_page(viewport={"width": 1280, "height": 900})
    tab.goto(f"{server}{PAGE}/")
    tab.wait_for_load_state("networkidle")
    with tab.expect_request_finished(lambda request: "search/index." in request.url):
        tab.click(FIELD)
    tab.wait_for_timeout(250)  # between opening it and the first key
    times = {"first key": ask(tab, "s")}
    for question in ("add_kernel", "cuda.syncthreads", "coalesc", "warp"):
        times[question] = ask(tab, question)
        assert tab.locator(RESULT).count()
    tab.close()
    print({question: round(ms) for question, ms in times.items()})
    # Another process may take the core for a moment: one of five may be late.
    assert sorted(times.values())[-2] < SOON * pace.slow(), times


def test_a_change_of_one_of_500_pages_is_seen_in_time(large):
    """`make serve` builds the changed page alone."""
    *_, preview = large
    preview.edit(f"docs/{PAGE}.md", "## Launch it", "## Launch it, zebra")
    took = preview.shown_after(f"{PAGE}/", "Launch it, zebra")
    print(f"a changed page is seen after {took:.1f} s")
    assert took <= SEEN * pace.slow()


# From a press until what it asked for is painted. It ends: with words where that does not come.
PAINTED = """([press, shown, limit]) => new Promise((done, fail) => {
    const start = performance.now()
    const look = () => {
        if (!document.querySelector(shown)) return
        watch.disconnect()
        requestAnimationFrame(() => setTimeout(() => done((performance.now() - start) / 1e3)))
    }
    const watch = new MutationObserver(look)
    watch.observe(document, { attributes: true, childList: true, subtree: true })
    const said = () => document.querySelector(".rh-status")?.textContent ?? "no panel is open"
    const never = what => fail(new Error(`${what}, and the panel says: ${said()}`))
    setTimeout(() => never(`nothing after ${limit} s`), limit * 1e3)
    const button = document.querySelector(press)
    if (button.disabled) never(`${press} is disabled`)
    button.click()
})"""
LATE = 100  # seconds after which a press has failed, on a machine of any load
OPEN, RUN = '[data-run="1"] button', '.rh [data-el="run"]'
TOLD = ".rh-status[data-level=good]"
THREADS = f"{TOLD} ~ .rh-body .rh-memory"
CHECKED = ".rh-verdict:not([hidden])"


def painted(chromium, tab, press, shown):
    """Seconds from a press until its result is painted, less what it waited for a core."""
    before = pace.threads(chromium)
    clock = tab.evaluate(PAINTED, [press, shown, LATE])
    seconds = pace.alone(clock, before, pace.threads(chromium))
    print(f"{press}: painted after {clock:.2f} s, on a free machine {seconds:.2f} s")
    return seconds


@pytest.fixture
def new(chromium, server):
    """A tab of a fresh profile on a lesson: nothing of the panel was ever loaded there."""
    context = chromium.new_context(viewport={"width": 1280, "height": 900})
    tab = context.new_page()
    tab.goto(url_of(VECTOR_ADD, server))
    tab.wait_for_load_state("networkidle")
    yield tab
    context.close()


def test_a_first_press_shows_its_result_in_time(chromium, new):
    seconds = painted(chromium, new, OPEN, THREADS)
    assert new.locator(".rh-threads .rh-thread").count() >= 2
    assert seconds <= FIRST * pace.slow()


def test_a_first_check_is_told_in_time(chromium, new):
    """From opening the exercise, with Check pressed as soon as it is there."""
    opened = painted(chromium, new, "[data-graded] [data-run] button", ".rh[open]")
    checked = painted(chromium, new, '.rh [data-el="check"]', CHECKED)
    assert opened + checked <= FIRST * pace.slow()


def test_a_tiled_product_of_64_is_shown_in_time_with_every_access_recorded(chromium, new):
    """The first, of a profile in which one other program ran, and those after it.

    Without recording it takes less than a second.
    """
    painted(chromium, new, OPEN, THREADS)
    reader = Panel(new)
    reader.write(MATMUL)
    recorded = [painted(chromium, new, RUN, THREADS) for _ in range(3)]
    assert reader.output.inner_text().strip() == "1572090.0"
    assert new.locator(".rh-threads .rh-thread").count() == 256
    reader.record.uncheck()
    plain = [painted(chromium, new, RUN, TOLD) for _ in range(2)]
    assert "Record each step" in reader.empty.inner_text()
    slow = pace.slow()
    assert max(recorded) <= RECORDED * slow and max(plain) < slow

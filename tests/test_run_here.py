"""Run here: the panel does what its reader wants, in a browser."""

import re
import time

import pytest

from lockstep_site import run_here
from tests.browser import axe
from tests.conftest import serving
from tests.pages import PAGES, ROOT, url_of

WITH_BUTTONS = [page for page in PAGES if run_here.programs(page)]
VECTOR_ADD = next(page for page in PAGES if page.name.endswith("/vector-add"))


# ---------------------------------------------------------------- weight


def test_a_page_grows_by_less_than_5_kb_before_the_button_is_pressed(built):
    """The loader, the style of the button and the marks, all without compression."""
    loader = (built / "assets/js/run-here.js").stat().st_size
    css = (built / "assets/css/proof.css").read_text()
    style = sum(len(rule) for rule in re.findall(r"\.run-here[^{]*\{[^}]*\}", css))
    heaviest = 0
    for page in WITH_BUTTONS:
        folder = page.name.removesuffix("index")
        text = (built / folder / "index.html").read_text(encoding="utf-8")
        marks = re.findall(r' data-run="\d+"', text)
        assert marks, page.name
        assert "vendor/site.js" in text  # the loader is a part of it
        assert "panel.js" not in text and "run-here.css" not in text and "pyodide" not in text
        heaviest = max(heaviest, sum(map(len, marks)))
    total = loader + style + heaviest
    print(f"before the button is pressed: {total} bytes")
    assert 0 < style and total < 5000
    # What the reader's own GPU costs whoever does not press: 1,934 bytes before it, without
    # compression, and no more than 2 KB beside.
    source = (ROOT / "docs/assets/js/run-here.js").stat().st_size
    assert max(loader, source) <= 1934 + 2048


# ---------------------------------------------------------------- the panel


class Panel:
    """The panel as a reader uses it."""

    def __init__(self, tab, page=VECTOR_ADD, key="1"):
        self.tab, self.page = tab, page
        self.button = tab.locator(f'[data-run="{key}"] button')
        self.status = tab.locator(".rh-status")

    def __getattr__(self, name):
        return self.tab.locator(f'.rh [data-el="{name}"]')

    def button_of(self, name):
        return self.tab.locator(".rh").get_by_role("button", name=name, exact=True)

    def press(self, name):
        self.button_of(name).click()

    def done(self):
        """Wait for a result and return what the panel says of it."""
        self.tab.wait_for_selector(".rh-status[data-level=good], .rh-status[data-level=bad]")
        return self.status.inner_text()

    def running(self):
        """Wait until the program runs."""
        self.tab.wait_for_selector(".rh [data-el=stop]:enabled")

    def write(self, code):
        self.tab.locator(".rh .cm-content").click()
        self.tab.keyboard.press("Control+a")
        self.tab.keyboard.press("Delete")
        self.tab.keyboard.insert_text(code)

    def run(self, code=None):
        if code is not None:
            self.write(code)
        self.press("Run")
        return self.done()

    def notes(self):
        """The sentences below lines, by the text of the line."""
        return self.tab.evaluate(
            """[...document.querySelectorAll(".rh .rh-note")].map(note =>
                [note.previousElementSibling.textContent.trim(), note.textContent])"""
        )

    def cells(self, name):
        """What a memory shows, as (text, read, written)."""
        figure = self.tab.locator(".rh-memory").filter(has=self.tab.locator("b", has_text=name))
        return figure.locator(".rh-cell:not(.rh-cell--none)").evaluate_all(
            """all => all.map(cell => [cell.textContent, cell.classList.contains("rh-cell--read"),
                                       cell.classList.contains("rh-cell--write")])"""
        )


@pytest.fixture(scope="module")
def panel(chromium, server):
    """The panel on the lesson on vector addition, opened once. Its engine stays warm."""
    context = chromium.new_context(
        viewport={"width": 1280, "height": 900},
        reduced_motion="reduce",
        permissions=["clipboard-read", "clipboard-write"],
    )
    elsewhere, early = [], []
    context.on("request", lambda r: elsewhere.append(r.url))
    tab = context.new_page()
    errors = []
    tab.on("pageerror", lambda error: errors.append(str(error)))
    tab.goto(url_of(VECTOR_ADD, server))
    tab.wait_for_load_state("networkidle")
    early += [url for url in elsewhere if re.search(r"pyodide|vendor/run-here|run\.json", url)]
    panel = Panel(tab)
    panel.button.scroll_into_view_if_needed()
    panel.button.press("Enter")
    panel.done()
    panel.early, panel.context, panel.errors = early, context, errors
    yield panel
    outside = [u for u in elsewhere if not u.startswith((server, "data:", "blob:"))]
    context.close()
    assert not outside and not errors


@pytest.fixture
def fresh(panel):
    """The open panel with the page's own program, run."""
    if not panel.tab.locator("dialog.rh[open]").count():
        panel.button.press("Enter")
        panel.done()
    panel.press("Reset")
    panel.done()
    return panel


def test_nothing_is_loaded_before_and_the_first_result_comes(panel):
    """How soon, the clock of test_scale.py tells."""
    assert panel.early == []
    assert "Nothing wrong was found" in panel.status.inner_text()
    assert "array([11., 22., 33., 44., 55.], dtype=float32)" in panel.output.inner_text()


def test_the_code_can_be_edited_and_run(fresh):
    code = fresh.tab.evaluate("document.querySelector('.rh .cm-content').innerText")
    assert "def add_kernel(a, b, out):" in code
    fresh.run("import numpy as np\nfrom numba import cuda\n\nprint(np.arange(3) * 7)\n1 + 1\n")
    assert fresh.output.inner_text().split("\n")[:2] == ["[ 0  7 14]", "2"]
    fresh.press("Reset")
    fresh.done()
    assert "array([11., 22." in fresh.output.inner_text()


def test_an_error_stands_below_its_line(fresh):
    fresh.run("x = 1\ny = x + missing\nprint(y)\n")
    assert fresh.notes() == [["y = x + missing", "NameError: name 'missing' is not defined"]]
    assert "Line 2" in fresh.findings.inner_text()
    fresh.run("def f(:\n    pass\n")
    assert fresh.notes()[0][0] == "def f(:"


def test_what_the_stepper_cannot_run_is_refused_by_line(fresh):
    fresh.run(
        "from numba import cuda\n\n@cuda.jit\ndef k(a):\n    s = {1: 2}\n    a[0] = s[1]\n\n"
        "import numpy as np\nk[1, 1](np.zeros(1))\n"
    )
    assert fresh.notes()[0][0] == "s = {1: 2}"


def test_breaking_it_is_caught_with_a_sentence(fresh):
    fresh.press("Remove the guard")
    assert "1 finding" in fresh.done()
    line, sentence = fresh.notes()[0]
    assert line == "out[i] = a[i] + b[i]"
    assert "thread 1 of block 2 uses the index 5" in sentence and "out of bounds" in sentence
    assert sentence.replace("`", "") in fresh.findings.inner_text()
    # The view is at the thread that did it.
    assert fresh.block.input_value() == "2"
    assert fresh.threads.inner_text().split()[-1] == "✗"


def test_an_edit_that_does_not_fit_leaves_the_code_alone(fresh):
    fresh.run("print('mine')\n")
    fresh.press("Remove the guard")
    assert fresh.status.inner_text() == "This edit does not fit the code any more: Reset first."
    assert "mine" in fresh.tab.locator(".rh .cm-content").inner_text()


def test_reset_chooses_the_inputs_of_the_page(fresh):
    fresh.presets.select_option(label="100 elements, blocks of 32")
    fresh.done()
    fresh.press("Remove the guard")
    fresh.done()
    assert fresh.presets.input_value() != "0"  # the edit leaves the inputs as they are
    fresh.press("Reset")
    fresh.done()
    assert fresh.presets.input_value() == "0"


def test_code_that_changes_while_it_runs_gets_no_result(fresh):
    fresh.write("import time\ntime.sleep(0.2)\nprint('old')\n")
    # In one turn of the page: no result can come between.
    fresh.button_of("Run").evaluate(
        "run => { run.click(); document.querySelector('.rh .cm-content').focus();"
        " document.execCommand('insertText', false, '1') }"
    )
    assert fresh.done() == "The code was changed while it ran: press Run."
    assert "old" not in fresh.output.inner_text()
    fresh.press("Run")
    assert "Ran in" in fresh.done()


def test_a_late_launch_keeps_its_number(fresh):
    fresh.run(
        "import numpy as np\nfrom numba import cuda\n\n@cuda.jit\ndef k(o):\n"
        "    o[cuda.grid(1)] = 1\n\no = cuda.to_device(np.zeros(4))\n"
        "for _ in range(45):\n    k[1, 4](o)\nk[1, 8](o)\n"
    )
    assert "46 launches. 1 finding." in fresh.status.inner_text()
    chosen = fresh.launch.evaluate("node => node.selectedOptions[0].textContent")
    assert chosen == "46: k[1, 8]"


def test_check_tries_several_orders_and_finds_what_depends_on_them(fresh):
    fresh.write(
        "import numpy as np\nfrom numba import cuda\n\n@cuda.jit\ndef last_kernel(out):\n"
        "    out[0] = cuda.blockIdx.x\n\n"
        "out = cuda.to_device(np.zeros(1, dtype=np.int32))\nlast_kernel[4, 1](out)\n"
        "int(out.copy_to_host()[0])\n"
    )
    fresh.press("Check")
    assert "3 orders of the threads" in fresh.done()
    assert "writes element [0] of out, which thread 0 of block" in fresh.findings.inner_text()
    assert "depends on the order" in fresh.findings.inner_text()


def test_steps_go_forward_and_back(fresh):
    slider, where = fresh.slider, fresh.where
    assert where.inner_text() == "0 / 3"
    assert fresh.cells("out") == [["?", False, False]] * 5
    for _ in range(3):
        fresh.forward.click()
    assert where.inner_text() == "3 / 3" and fresh.forward.is_disabled()
    assert fresh.cells("out") == [["11", False, True], ["22", False, True]] + 3 * [
        ["?", False, False]
    ]
    assert [read for _, read, _ in fresh.cells("a")] == [True, True, False, False, False]
    said = "Step 3 of 3: warp 0, line 8, all 2 lanes: reads a[0, 1] and b[0, 1], writes out[0, 1]."
    assert fresh.words.inner_text() == said
    assert slider.get_attribute("aria-valuetext") == said
    assert fresh.tab.locator(".rh .rh-current").inner_text().strip() == "out[i] = a[i] + b[i]"
    fresh.back.click()
    assert fresh.cells("out") == [["?", False, False]] * 5
    # The last block: its second thread is masked by the guard, and all before it is done.
    fresh.block.select_option("2")
    slider.fill("3")
    assert fresh.threads.get_attribute("aria-label") == "2 threads: 1 running, 1 done"
    assert [text for text, _, _ in fresh.cells("out")] == ["11", "22", "33", "44", "55"]
    # All of it as text.
    fresh.tab.locator(".rh-text summary").click()
    # It is written when the box has opened, which a browser says later.
    fresh.textBody.filter(has_text="11 22 33 44 55").wait_for()
    assert "sectors a request" in fresh.textBody.inner_text()
    fresh.tab.locator(".rh-text summary").click()


def test_a_thread_that_is_pointed_at_lights_up_its_cells(fresh):
    def lit(name):
        figure = fresh.tab.locator(".rh-memory").filter(has=fresh.tab.locator("b", has_text=name))
        return figure.locator(".rh-cell").evaluate_all(
            "all => all.flatMap((c, k) => c.classList.contains('rh-cell--chosen') ? [k] : [])"
        )

    fresh.slider.fill("2")
    fresh.threads.locator(".rh-thread").nth(1).hover()
    assert [lit(name) for name in ("a", "b", "out")] == [[1], [1], [1]]
    said = "Thread 1, warp 0, lane 1: runs this step, line 7. "
    said += "In all it reads a[1] and b[1], writes out[1]."
    assert fresh.thread.inner_text() == said
    fresh.where.hover()
    assert lit("out") == [] and "Point at a thread" in fresh.thread.inner_text()
    # The same by keyboard, and read out.
    fresh.slider.focus()
    fresh.tab.keyboard.press("Tab")
    assert fresh.threads.evaluate("node => node === document.activeElement")
    assert lit("out") == [0]
    fresh.tab.keyboard.press("ArrowRight")
    assert lit("out") == [1] and fresh.threads.get_attribute("aria-valuetext") == said
    fresh.tab.keyboard.press("Tab")
    assert lit("out") == []


def test_it_plays_and_pauses(fresh):
    assert fresh.pace.input_value() == "slow"  # this reader asked for less motion
    fresh.pace.select_option("fast")
    fresh.play.click()
    fresh.tab.wait_for_function(
        "() => document.querySelector('.rh [data-el=where]').textContent === '3 / 3'"
    )
    assert fresh.play.get_attribute("aria-pressed") == "false"


def test_counts_stand_beside_the_lines(fresh):
    fresh.presets.select_option(label="100 elements, blocks of 32")
    fresh.done()
    counts = fresh.tab.locator(".rh .rh-count").all_inner_texts()
    # 3 full warps and one of 4 lanes: 100 / 4 lanes, and (3 * 4 + 1) / 4 sectors a request.
    assert [re.sub(r"\s+", " ", c) for c in counts][-1].replace("ln", "ln ").split() == [
        "25", "ln", "3.3", "sec"
    ]  # fmt: skip
    fresh.presets.select_option("0")
    fresh.done()


def test_a_link_restores_code_and_step(fresh):
    panel, tab = fresh, fresh.tab
    panel.press("Remove the guard")
    panel.done()
    panel.block.select_option("1")
    panel.slider.fill("2")
    panel.share.click()
    tab.wait_for_function(
        "() => document.querySelector('.rh [data-el=share]').textContent === 'Copied'"
    )
    link = tab.evaluate("navigator.clipboard.readText()")
    assert link == tab.url and "#run=" in link
    other = panel.context.new_page()
    other.goto(link)
    reader = Panel(other)
    reader.done()
    assert reader.where.inner_text() == "2 / 2" and reader.block.input_value() == "1"
    assert "if i < out.size" not in other.locator(".rh .cm-content").inner_text()
    other.keyboard.press("Escape")
    other.wait_for_function("() => !location.hash.startsWith('#run=')")

    # A link that holds nothing opens nothing.
    other.goto("about:blank")
    other.goto(tab.url.split("#")[0] + "#run=nonsense")
    other.wait_for_load_state("networkidle")
    assert other.locator("dialog.rh[open]").count() == 0

    # Code that is not the page's own is shown, and not run before its reader says so.
    panel.write("print('from a stranger')\n")
    panel.share.click()
    tab.wait_for_function("old => location.href !== old", arg=link)
    other.goto("about:blank")
    other.goto(tab.url)
    other.wait_for_selector("dialog.rh[open]")
    assert "came with the link" in reader.status.inner_text()
    other.wait_for_timeout(300)
    assert "came with the link" in reader.status.inner_text()
    assert reader.stop.is_disabled() and reader.output.inner_text() == ""
    other.close()


def test_all_of_it_by_keyboard(fresh):
    tab = fresh.tab
    tab.keyboard.press("Escape")
    assert not tab.locator("dialog.rh[open]").count()
    focused = "document.activeElement.textContent"
    assert tab.evaluate(focused) == "Run here"
    tab.keyboard.press("Enter")
    tab.wait_for_selector("dialog.rh[open]")
    reached = []
    for _ in range(40):
        name = tab.evaluate(
            "document.activeElement.dataset.el || document.activeElement.className"
            " || document.activeElement.tagName"
        )
        reached.append(name)
        if name == "slider":
            break
        tab.keyboard.press("Tab")
    for name in ("run", "check", "reset", "record", "share", "presets", "block", "forward", "play"):
        assert name in reached, f"{name} is not reached by Tab: {reached}"
    assert "cm-content" in " ".join(reached)
    before = fresh.where.inner_text()
    tab.keyboard.press("Home")
    tab.keyboard.press("ArrowRight")
    tab.keyboard.press("ArrowRight")
    assert fresh.where.inner_text() == "2 / 3", before
    tab.keyboard.press("ArrowLeft")
    assert fresh.where.inner_text() == "1 / 3"
    # Inside the editor: Ctrl+Enter runs, Tab leaves, Escape closes.
    tab.locator(".rh .cm-content").focus()
    tab.keyboard.press("Control+Enter")
    fresh.done()
    tab.keyboard.press("Escape")
    assert not tab.locator("dialog.rh[open]").count() and tab.evaluate(focused) == "Run here"


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_in_the_panel(scheme, fresh):
    tab = fresh.tab
    tab.emulate_media(color_scheme=scheme)
    wanted = {"light": "default", "dark": "slate"}[scheme]
    tab.wait_for_selector(f"body[data-md-color-scheme={wanted}]")
    fresh.press("Remove the guard")
    fresh.done()
    tab.locator(".rh-text summary").click()
    tab.evaluate(axe())
    found = tab.evaluate(
        "axe.run(document.querySelector('.rh'), VIOLATIONS).then(r => r.violations)"
    )
    tab.locator(".rh-text summary").click()
    tab.emulate_media(color_scheme="light")
    said = [f"{v['id']}: {[n['target'] for n in v['nodes']][:3]} {v['help']}" for v in found]
    assert not said, "\n".join(said)


def test_on_a_phone_nothing_scrolls_sideways(fresh):
    tab = fresh.tab
    try:
        for width in (390, 360):
            tab.set_viewport_size({"width": width, "height": 844})
            tab.wait_for_timeout(100)
            wide = tab.evaluate(
                "[document.documentElement,"
                " ...document.querySelectorAll('.rh, .rh-body, .rh-view, .rh-code')]"
                ".map(node => node.scrollWidth - node.clientWidth)"
            )
            assert max(wide) <= 0, f"{wide} px too wide at {width} px"
            small = tab.evaluate(
                "[...document.querySelectorAll('.rh-bar button, .rh-buttons button')]"
                ".map(b => Math.min(b.offsetWidth, b.offsetHeight))"
            )
            assert min(small) >= 24, "a button is too small for a finger"
    finally:
        tab.set_viewport_size({"width": 1280, "height": 900})


MATMUL = """\
import numpy as np
from numba import cuda

TILE = 16


@cuda.jit
def matmul_tiled_kernel(a, b, c):
    sa = cuda.shared.array((TILE, TILE), np.float32)
    sb = cuda.shared.array((TILE, TILE), np.float32)
    x, y = cuda.grid(2)
    tx, ty = cuda.threadIdx.x, cuda.threadIdx.y
    total = np.float32(0)
    for tile in range(a.shape[1] // TILE):
        sa[ty, tx] = a[y, tile * TILE + tx]
        sb[ty, tx] = b[tile * TILE + ty, x]
        cuda.syncthreads()
        for k in range(TILE):
            total += sa[ty, k] * sb[k, tx]
        cuda.syncthreads()
    c[y, x] = total


n = 64
one = np.arange(n * n, dtype=np.float32).reshape(n, n)
c = cuda.device_array((n, n), np.float32)
matmul_tiled_kernel[(4, 4), (16, 16)](cuda.to_device(one % 7), cuda.to_device(one % 5), c)
float(c.copy_to_host().sum())
"""


ENDLESS = """\
import numpy as np
from numba import cuda

@cuda.jit
def endless_kernel(a):
    i = 0
    while i < a.size:
        a[0] += 1

endless_kernel[1, 1](cuda.to_device(np.zeros(4, dtype=np.int32)))
"""


def test_an_endless_kernel_ends_at_the_limit_and_the_page_stays_alive(fresh):
    fresh.record.uncheck()
    fresh.write(ENDLESS)
    start = time.perf_counter()
    fresh.press("Run")
    fresh.running()
    fresh.tab.evaluate("new Promise(requestAnimationFrame)")
    assert fresh.stop.is_enabled(), "the page was frozen until the end"
    fresh.done()
    assert time.perf_counter() - start > 9
    assert fresh.notes()[0][0].startswith("while i < a.size")
    assert "limit" in fresh.findings.inner_text() and "never end" in fresh.findings.inner_text()


def test_stop_ends_an_endless_program_and_the_next_one_runs(fresh):
    fresh.write("while True:\n    pass\n")
    fresh.press("Run")
    fresh.running()
    fresh.press("Stop")
    assert fresh.done() == "Stopped."
    fresh.press("Reset")
    fresh.done()
    assert "array([11., 22." in fresh.output.inner_text()


def test_it_works_without_a_network_after_the_first_time(chromium, built):
    context = chromium.new_context(viewport={"width": 1280, "height": 900})
    try:
        tab = context.new_page()
        with serving(built) as address:
            tab.goto(url_of(VECTOR_ADD, address))
            panel = Panel(tab)
            panel.button.click()
            panel.done()
            tab.wait_for_selector("dialog.rh[data-offline=ready]")
        tab.reload()
        panel.button.click()
        assert "Nothing wrong was found" in panel.done()
        assert "array([11., 22." in panel.output.inner_text()
    finally:
        context.close()

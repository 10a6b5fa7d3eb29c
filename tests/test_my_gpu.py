"""Run on my GPU: the panel compiles a page's kernel to WGSL, runs it, compares and measures.

On Chromium's software adapter, with the panel as the site serves it and no site around it.
"""

import contextlib
import functools
import http.server
import json
import mimetypes
import re
import threading

import pytest

from lockstep_site import exercise, run_here
from tests import browser, webgpu
from tests.browser import axe
from tests.conftest import serving
from tests.pages import PAGES, ROOT, url_of

PAGE = next(p for p in PAGES if p.name.endswith("/vector-add"))
HTML = """<!doctype html><html lang="en"><meta charset="utf-8"><title>Panel</title>
<meta name="viewport" content="width=device-width">
<meta http-equiv="Content-Security-Policy" content="default-src 'self'; img-src 'self' data:;
script-src 'self' 'wasm-unsafe-eval'; style-src 'self' 'unsafe-inline'">
<link rel="stylesheet" href="/assets/css/lockstep.css"><main><h1>Panel</h1>
<button id="open">Run here</button></main></html>"""
PUZZLE = next(p for p in PAGES if p.name.endswith("puzzles/brighten"))
# In what the build bundled: seconds of a measurement, and bytes of the copy. They are most of this
# file's time, and how exact a rate of the software adapter is nobody asks. The site's own numbers
# are measured with where it needs no network. And a busy machine's adapter may take its time.
QUICK = {name: [(rb">\.12\|\|", b">.004||")] for name in ("measure.js", "my-gpu.js")}
QUICK["my-gpu.js"] += [
    (rb"\bsoftware\?1<<26:", b"software?1<<22:"),
    # And no launch of more elements, or operations, behind the first that is large: what the
    # fourth size says, the three before it say as well.
    (
        rb"(\.size\.shader&&)(\w+\.seconds\*\((\w+)/\w+\.amount\)\*\*\w+>\w+)(?=\)break)",
        rb"\1(\2||\3>6e6)",
    ),
]
PATIENCE = rb"(\bpatience:\w+=)8\b"


@functools.cache
def quick(file, patience):
    """What is served of a file: of what measures, with other numbers."""
    text = file.read_bytes()
    if file.parent.name != "run-here" or file.name not in QUICK:
        return text
    for long, short in [*QUICK[file.name], (PATIENCE, rb"\g<1>%d" % patience)]:
        text, found = re.subn(long, short, text)
        assert found == 1, f"{file.name} has {found} of {long}: is it written otherwise now?"
    return text


OPEN = """async block => {
    const state = { hints: {}, code: {}, solved: {}, par: {} }
    window.lockstep = { read: () => state, change: how => how(state), today: () => "2026-01-01" }
    const { open } = await import("/assets/vendor/run-here/panel.js")
    await open({ base: location.origin + "/", block, button: document.querySelector("#open") })
}"""


# As data/benchmarks.json has them: fewer columns than a record.
ROWS = [
    {"id": "transpose", "kernel": "kernels/transpose/t.py", "unit": "GB/s", "reference": 4213.0},
    {"id": "sgemm-tiled", "unit": "TFLOP/s", "ours": 8.0, "reference": 52.0},
    {"id": "naive-matmul-2048", "unit": "TFLOP/s", "ours": 1.3},
    {"id": "vector-add-numba", "unit": "GB/s", "ours": 3390.0},
    {"id": "vector-add-block-32", "unit": "GB/s", "ours": 5000.0},
]
ROWS = [row | {"device": "NVIDIA H200"} for row in ROWS]
# The panel says "H200", so a row of another GPU is none of its.
ROWS.insert(0, {"id": "vector-add-numba", "unit": "GB/s", "ours": 1.0, "device": "NVIDIA H100"})
KINDS = {".mjs": "text/javascript", ".js": "text/javascript", ".wasm": "application/wasm"}
KEPT = ("/assets/vendor/pyodide/", "/assets/vendor/run-here/")


def asset(path, patience=60):
    """Return a file of the site's own by its path, with its type, or None."""
    file = ROOT / "docs" / path[1:]
    if not file.is_file():
        return None
    guess = mimetypes.guess_type(file.name)[0] or "application/octet-stream"
    return quick(file, patience), KINDS.get(file.suffix, guess)


class Site(http.server.ThreadingHTTPServer):
    """The panel's files on this machine, and for each page that is opened an address of its own.

    A server, and not routes of the browser's driver: each panel loads 20 MB, which the driver hands
    on as text, and which a browser that is routed neither keeps nor compiles once for all.
    """

    daemon_threads = True

    def __init__(self, patience=60):
        super().__init__(("127.0.0.1", 0), _Files)
        self.patience, self.pages = patience, {}
        self.address = f"http://localhost:{self.server_address[1]}/"

    def place(self, page):
        """Return an address of a page at which nobody was before."""
        path = f"/{len(self.pages)}/"
        self.pages[path] = page
        return self.address + path[1:]

    def found(self, path):
        """Return what stands at a path, with its type, or None."""
        folder, _, name = path.rpartition("/")
        page = self.pages.get(f"{folder}/")
        if page and name in ("", "run.json"):
            data = json.dumps(run_here.data(page)).encode()
            return (data, "application/json") if name else (HTML.encode(), "text/html")
        if path == "/data/benchmarks.json":
            return json.dumps(ROWS).encode(), "application/json"
        return asset(path, self.patience)


class _Files(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *arguments):
        pass

    def do_GET(self):
        path = self.path.split("?")[0]
        data, kind = self.server.found(path) or (None, None)
        self.send_response(404 if data is None else 200)
        self.send_header("Content-Length", str(len(data or b"")))
        if data is not None:
            self.send_header("Content-Type", kind)
        if path.startswith(KEPT):
            self.send_header("Cache-Control", "max-age=3600")
        self.end_headers()
        self.wfile.write(data or b"")


@contextlib.contextmanager
def served(patience=60):
    with Site(patience) as site:
        threading.Thread(target=site.serve_forever, daemon=True).start()
        yield site
        site.shutdown()


@pytest.fixture(scope="module")
def files():
    with served() as site:
        yield site


@pytest.fixture(scope="module")
def chrome(playwright):
    """Chromium with WebGPU on its software adapter."""
    made = playwright.chromium.launch(executable_path=browser.find(), args=webgpu.FLAGS)
    yield made
    made.close()


# Without what keeps it for later, which loads all of it once more
WINDOW = {"viewport": {"width": 1280, "height": 900}, "service_workers": "block"}


class Panel:
    """The panel in a tab: of a profile of its own, or of one that has its files already."""

    def __init__(self, chrome, site, script="", profile=None):
        self.own = profile is None
        self.site, self.context = site, profile or chrome.new_context(**WINDOW)
        self.asked, self.errors = [], []
        self.context.on("request", lambda r: self.asked.append(r.url))
        self.tab = self.context.new_page()
        self.tab.on("pageerror", lambda e: self.errors.append(str(e)))
        if script:
            self.tab.add_init_script(script)
        self.card = self.tab.locator('.rh [data-el="card"]')

    def open(self, page=PAGE, block="1", width=1280, height=900):
        """Open it on a page where nobody was before: the first in a tab loads all."""
        self.tab.set_viewport_size({"width": width, "height": height})
        place = self.site.place(page)
        if self.tab.url.startswith(self.site.address):
            # As the browser's own way to another page: Python stays there.
            self.tab.evaluate("document.querySelector('dialog.rh').close()")
            self.tab.evaluate("place => history.pushState(null, '', place)", place)
        else:
            self.tab.goto(place)
        self.tab.evaluate(OPEN, block)
        if not block.startswith("x-"):  # an exercise waits for its reader
            self.done()
        return self

    def close(self):
        self.context.close() if self.own else self.tab.close()
        assert not self.errors

    def done(self, words=""):
        """Wait for a verdict (with these words) and return it."""
        handle = self.tab.wait_for_function(
            """words => { const s = document.querySelector(".rh-status")
                return /good|bad/.test(s.dataset.level) && s.textContent.includes(words) &&
                    !document.querySelector('.rh [data-el="gpu"]').disabled && s.textContent }""",
            arg=words,
            timeout=120_000,
        )
        return handle.json_value()

    def press(self, name, words="GPU"):
        self.tab.locator(".rh").get_by_role("button", name=name, exact=True).press("Enter")
        return self.done(words)

    def write(self, code):
        self.tab.locator(".rh .cm-content").click()
        self.tab.keyboard.press("Control+a")
        self.tab.keyboard.press("Delete")
        self.tab.keyboard.insert_text(code)


@pytest.fixture(scope="module")
def panel(chrome, files):
    """The panel on the lesson on vector addition, in a profile that has seen nothing."""
    made = Panel(chrome, files).open()
    made.first = list(made.asked)
    yield made
    made.close()


@pytest.fixture(scope="module")
def profile(chrome):
    """A profile for tabs whose test says nothing of a first visit: it loads the files once."""
    context = chrome.new_context(**WINDOW)
    yield context
    context.close()


@pytest.fixture(scope="module")
def warm(chrome, files, profile):
    """A tab whose Python has started."""
    made = Panel(chrome, files, profile=profile)
    yield made
    made.close()


@pytest.fixture
def opened(warm):
    """The panel on whatever page is asked for, opened anew in a tab whose Python has started."""
    yield warm.open
    assert not warm.errors


@pytest.fixture
def changed(chrome, files, profile):
    """The panel in a browser that a script has changed before anything of the page runs."""
    made = []

    def open(script, **options):
        made.append(Panel(chrome, files, script, profile))
        return made[-1].open(**options)

    yield open
    for panel in made:
        panel.close()


def some_blocks(compared):
    """Whether so many results are those of a few blocks of 256 threads.

    Four, if the stepper has the time: on a busy machine it may end after two.
    """
    return 300 <= int(compared.replace(",", "")) <= 1023


def test_the_pages_kernel_runs_on_the_readers_gpu(panel):
    assert not [u for u in panel.first if "my-gpu" in u or "wgsl.zip" in u]  # only on the press
    said = panel.press("Run on my GPU", "on your GPU")
    text = panel.card.inner_text()
    assert said == "1 launch on your GPU, with the stepper's result."
    assert "swiftshader" in text and "It is a software adapter" in text
    assert "add_kernel, 3 blocks of 2" in text and "for this launch, 3 blocks of 2" in text
    card, code = (panel.tab.locator(x).bounding_box() for x in (".rh-gpu-name", ".rh-editor"))
    assert card["x"] > code["x"] + code["width"]  # beside the code, where threads would stand
    assert "✓ The same result as the stepper's." in text
    rows = panel.card.locator("tr").all_inner_texts()
    assert len(rows) >= 3 and rows[1].split()[:2] == ["5", "all"] and "%" in rows[2]
    assert all(some_blocks(row.split()[1]) for row in rows[2:])
    assert "the first and the last among them" in panel.card.inner_text()
    assert "Of this adapter's copy rate" in rows[0]
    meters = panel.card.locator("meter").evaluate_all("all => all.map(m => [m.ariaLabel, m.value])")
    assert [name for name, _ in meters] == ["Your GPU", "H200, Numba"]
    assert all(0 < value <= 1 for _, value in meters)
    assert round(meters[1][1], 2) == 0.80  # of the row in GB/s
    aim = panel.card.locator(".rh-gpu-par").inner_text()
    assert re.search(r"par: your kernel reaches [\d.]+ % of this card's own copy rate", aim)
    assert "Par is 80 %, what it reaches on the H200" in aim
    panel.card.locator("summary").press("Enter")
    python, wgsl = panel.card.locator("pre").all_inner_texts()
    assert python.startswith("@cuda.jit\ndef add_kernel(")
    left, right = (panel.card.locator("pre").nth(k).bounding_box() for k in (0, 1))
    assert left["y"] == right["y"] and left["x"] < right["x"]
    assert "fn add_kernel(" in wgsl and "out[i] = a[i] + b[i];" in wgsl
    assert panel.tab.evaluate("document.activeElement.tagName") != "BODY"


def test_stop_gives_up_the_gpu_and_the_next_press_asks_for_it_again(panel):
    panel.tab.locator(".rh").get_by_role("button", name="Run on my GPU", exact=True).press("Enter")
    panel.tab.wait_for_function(
        """() => document.querySelector(".rh-status").textContent.startsWith("Measuring") &&
            !document.querySelector('.rh [data-el="stop"]').disabled"""
    )
    assert panel.press("Stop", "Stopped").startswith("Stopped. The GPU was given up")
    assert panel.tab.locator('.rh [data-el="stop"]').is_disabled()
    assert panel.press("Run on my GPU", "on your GPU").startswith("1 launch")


def test_on_a_phone_the_result_is_not_wider_than_the_screen_and_axe_finds_nothing(panel):
    """After the result of the test before."""
    assert panel.card.locator("table").is_visible()
    panel.tab.set_viewport_size({"width": 390, "height": 844})
    # What the table says of itself is not cut with it: it stands before what can be scrolled.
    how = panel.card.locator("p.rh-gpu-how")
    assert how.get_attribute("id") == panel.card.locator("table").get_attribute("aria-describedby")
    box = how.bounding_box()
    assert box["x"] >= 0 and box["x"] + box["width"] <= 390
    wide = """[document.documentElement, ...document.querySelectorAll(".rh, .rh-body, .rh-code")]
        .map(node => node.scrollWidth - node.clientWidth)"""
    assert max(panel.tab.evaluate(wide)) <= 0
    panel.tab.evaluate(axe())
    found = panel.tab.evaluate("axe.run('.rh', VIOLATIONS)")["violations"]
    panel.tab.set_viewport_size({"width": 1280, "height": 900})
    assert found == [], json.dumps([(v["id"], [n["html"] for n in v["nodes"]]) for v in found])


OTHER = """import numpy as np
from numba import cuda

@cuda.jit
def add_kernel(a, b, out):
    i = cuda.grid(1)
    if i < out.size:
        out[i] = a[i] * b[i]

a, out = np.arange(5, dtype=np.float32), np.zeros(5, np.float32)
add_kernel[1, 32](a, a, out)
"""


def test_another_kernel_is_not_held_against_the_record_of_the_pages(panel):
    """Even of the same name; but a launch of the page's own with other blocks is."""
    panel.write(OTHER)
    panel.press("Run on my GPU", "on your GPU")
    assert "Of this adapter's copy rate" in panel.card.inner_text()
    assert "H200" not in panel.card.inner_text()
    panel.write(run_here.data(PAGE)["programs"]["1"]["code"].replace("threads=2", "threads=4"))
    panel.press("Run on my GPU", "on your GPU")
    assert "Par is 80 %, what it reaches on the H200" in panel.card.inner_text()


def test_what_is_as_short_as_a_launch_is_held_against_no_par(panel):
    panel.write(
        "import numpy as np\nfrom numba import cuda\n\n@cuda.jit\ndef k(x, y):\n"
        "    i, j = cuda.grid(2)\n    x[i, j] = y[i]\n\n"
        "k[1, (2, 2)](np.ones((2, 2), np.float32), np.ones(3, np.float32))\n"
    )
    for _ in range(3):  # the launch that is timed beside it may have been a slow one
        panel.press("Run on my GPU", "on your GPU")
        text = panel.card.inner_text()
        if "Too short to hold against a par" in text:
            break
    assert "Too short to hold against a par" in text and "A launch of nothing takes" in text
    assert not panel.card.locator("meter, .rh-gpu-par").count()


def test_a_product_is_measured_at_several_sizes_and_held_against_the_roof(opened):
    """The page launches it on 3 x 5 numbers: what is measured is asked for in sizes.yml."""
    page = next(p for p in PAGES if p.name.endswith("/naive-matmul"))
    key = next(p.key for p in run_here.programs(page) if "matmul_kernel" in p.sizes)
    panel = opened(page, key)
    panel.press("Run on my GPU", "on your GPU")
    rows = panel.card.locator("tr").all_inner_texts()
    assert rows[0].endswith("Of its roof")
    assert rows[1].startswith("20\t") and rows[1].endswith("not counted")
    assert rows[2].startswith("65,536") and "FLOP/s" in rows[2]
    meters = panel.card.locator("meter").evaluate_all("all => all.map(m => [m.ariaLabel, m.value])")
    assert [name for name, _ in meters] == ["Your GPU", "H200, Numba"]
    assert round(meters[1][1], 3) == 0.025  # 1.3 of 52
    aim = panel.card.locator(".rh-gpu-par").inner_text()
    assert re.search(r"your kernel reaches [\d.]+ % of this card's own roof. Par is 2.5 %", aim)
    panel.tab.set_viewport_size({"width": 390, "height": 844})
    wide = """[document.documentElement, ...document.querySelectorAll(".rh, .rh-body, .rh-code")]
        .map(node => node.scrollWidth - node.clientWidth)"""
    assert max(panel.tab.evaluate(wide)) <= 0


def test_it_works_without_a_network_after_the_first_time(chrome, built):
    """And there the site's own measurements are made, as long as a reader's."""
    context = chrome.new_context(viewport={"width": 1280, "height": 900})
    tab = context.new_page()
    run = tab.get_by_role("button", name="Run on my GPU")

    def press():
        tab.locator('[data-run="1"] button').first.click()
        tab.wait_for_selector(".rh-status[data-level=good]")
        run.press("Enter")
        tab.wait_for_selector(".rh-gpu-right")
        tab.wait_for_function(
            "() => document.querySelector('.rh-status').innerText.includes('launch on')"
        )

    with serving(built) as address:
        tab.goto(url_of(PAGE, address))
        press()
        tab.wait_for_selector("dialog.rh[data-offline=gpu]")
    tab.reload()
    press()
    assert "swiftshader" in tab.locator('.rh [data-el="card"]').inner_text()
    assert tab.locator(".rh-bars meter").count() == 2  # with the H200's record beside it
    rows = [row.split()[:2] for row in tab.locator(".rh-par tr").all_inner_texts()]
    assert len(rows) > 4 and all(some_blocks(compared) for _, compared in rows[2:])
    context.close()


LARGE = """import numpy as np
from numba import cuda

@cuda.jit
def scale_kernel(x, y):
    i = cuda.grid(1)
    if i < x.size:
        y[i] = 2 * x[i]

n = 1_000_000
x = cuda.to_device(np.arange(n, dtype=np.float32))
y = cuda.device_array(n, np.float32)
scale_kernel[(n + 255) // 256, 256](x, y)
assert y.copy_to_host()[-1] == 2 * (n - 1)
"""


def test_a_million_threads_of_the_readers_own_reach_the_gpu(panel):
    """The stepper runs some blocks of them, and the program up to that launch."""
    panel.write(LARGE)
    said = panel.press("Run on my GPU", "on your GPU")
    assert said == "1 launch on your GPU, with the stepper's result."
    text = panel.card.inner_text()
    # Three whole blocks, and of the last one the 64 threads that the guard lets through; the last
    # is the first to run, and as many of the others as there is time for.
    said = re.search(r"✓ The same result as the stepper's in (\d+) elements: of so many", text)
    assert said and 64 <= int(said[1]) <= 832, text
    rows = panel.card.locator("tr").all_inner_texts()
    assert len(rows) == 2 and rows[1].split()[:2] == ["1,000,000", said[1]]
    output = panel.tab.locator('.rh [data-el="output"]').inner_text()
    assert "up to its first launch of more than 65,536 threads" in output
    panel.write(LARGE.replace("if i < x.size:", "if i <= x.size:"))
    said = panel.press("Run on my GPU", "mend")
    assert said.startswith("Not sent to your GPU: mend the error first. ")
    assert "1000000" in panel.tab.locator(".rh-findings").inner_text().replace(",", "")


def test_a_sum_by_atomics_is_compared_at_every_size_and_held_against_no_par_of_a_thousandth(opened):
    page = next(p for p in PAGES if p.name == "patterns/reduction")
    programs = run_here.programs(page)
    last = lambda p: p.code.strip().splitlines()[-1]  # noqa: E731
    key = next(p.key for p in programs if last(p).startswith("sum_atomics("))
    panel = opened(page, key)
    assert panel.press("Run on my GPU", "on your GPU").endswith("with the stepper's result.")
    row = panel.card.locator("section", has_text="sum_atomics_kernel").first
    rows = row.locator("tr").all_inner_texts()
    assert len(rows) >= 3 and {r.split()[1] for r in rows[2:]} == {"1"}
    notes = row.locator(".rh-gpu-notes li").all_inner_texts()
    assert [n for n in notes if "with the same sum in float64" in n]
    assert not [n for n in notes if "not compared" in n] and not row.locator(".rh-gpu-par").count()


def test_what_cannot_be_compiled_is_said_by_line(panel):
    panel.write(
        "import numpy as np\nfrom numba import cuda\n\n@cuda.jit\ndef k(x):\n    i = cuda.grid(1)\n"
        "    x[i] = x[i] * 0.1 + 1.0\n\nk[1, 4](np.ones(4, np.float32))\n"
    )
    said = panel.press("Run on my GPU", "compiled.")
    assert said == "1 launch was not compiled."  # which is no wrong result
    assert "Not compiled: line 7:" in panel.card.inner_text()
    assert "float64" in panel.card.inner_text()


@pytest.mark.parametrize("body", ["pass", "if cuda.grid(1) < x.size:\n        x[cuda.grid(1)] = 1"])
def test_a_launch_that_writes_nothing_is_no_error_of_its_reader(panel, body):
    """A kernel that does nothing, or one on no elements at all."""
    panel.write(
        "import numpy as np\nfrom numba import cuda\n\n@cuda.jit\ndef k(x):\n"
        f"    {body}\n\nk[1, 4](np.ones(0, np.float32))\n"
    )
    assert panel.press("Run on my GPU", "compiled.") == "1 launch was not compiled."
    said = "line 5: this launch writes to no array, so there is nothing to compare."
    assert said in panel.card.inner_text()


WIDE = """import numpy as np
from numba import cuda

@cuda.jit
def wide_kernel(x, y):
    i = cuda.grid(1)
    if i < x.size:
        y[i] = x[i] * 0.1 + 1.0{}

x, y = np.arange(6, dtype=np.float64), np.zeros(6)
wide_kernel[1, 32](x, y)
"""


def narrowed(panel, code):
    """Press Run on my GPU, choose float32 by the keyboard, and return what is said."""
    panel.write(code)
    panel.press("Run on my GPU", "not compiled")
    assert "Not compiled: line" in panel.card.inner_text()
    offer = panel.card.locator(".rh-gpu-offer")
    text = offer.inner_text()
    assert "This kernel computes in float64, which WebGPU does not have." in text
    assert "7 digits of a number instead of 16" in text and "0.002\u00a0%" in text
    offer.get_by_role("button", name="Run it in float32").press("Enter")
    return panel.done("on your GPU")


def test_a_kernel_of_float64_runs_in_float32_if_its_reader_says_so(opened):
    """On a phone, by the keyboard: what it means is said before, how near it came beside it."""
    panel = opened(width=320, height=700)
    said = narrowed(panel, WIDE.format(" + x[i] * 0.3 - 0.7"))
    assert said == "1 launch on your GPU, with the stepper's result."
    right = panel.card.locator(".rh-gpu-right").inner_text()
    assert "The stepper's result in float64, as near as float32 comes" in right
    assert re.search(r"the largest difference is \d\.\de-[89], and 0.00002 of the largest", right)
    assert "f64" not in panel.card.locator("pre").last.inner_text()
    assert not panel.card.locator(".rh-gpu-offer").count()
    assert panel.tab.evaluate("document.activeElement.textContent") == "Run on my GPU"
    assert "H200" not in panel.card.inner_text()  # whose figure is that of float64
    wide = """[document.documentElement, ...document.querySelectorAll(".rh, .rh-body, .rh-code")]
        .map(node => node.scrollWidth - node.clientWidth)"""
    assert max(panel.tab.evaluate(wide)) <= 0
    panel.tab.evaluate(axe())
    found = panel.tab.evaluate("axe.run('.rh', VIOLATIONS)")["violations"]
    assert found == [], json.dumps([(v["id"], [n["html"] for n in v["nodes"]]) for v in found])
    # Emulated by integers, it is the stepper's to the last digit.
    panel.write(WIDE.format(" + 1e8 - 1e8"))
    panel.press("Run on my GPU", "not compiled")
    panel.card.get_by_role("button", name="Run it with float64 emulated").press("Enter")
    assert panel.done("on your GPU") == "1 launch on your GPU, with the stepper's result."
    assert "float64 was emulated by integers" in panel.card.inner_text()
    assert panel.card.locator(".rh-gpu-right").inner_text() == "✓ The same result as the stepper's."
    # One that needs the digits: 1e8 and a little, less 1e8.
    said = narrowed(panel, WIDE.format(" + 1e8 - 1e8"))
    assert said == "1 of 1 launches gave no right result on your GPU."
    text = panel.card.inner_text()
    assert "✗ y[" in text and "may need the digits that float32 does not have" in text
    assert not panel.card.locator("table, .rh-gpu-right").count()


def test_what_the_stepper_finds_wrong_is_sent_to_no_gpu(panel):
    panel.write(
        "import numpy as np\nfrom numba import cuda\n\n@cuda.jit\ndef k(x):\n    i = cuda.grid(1)\n"
        "    x[i] = i\n\nk[1, 8](np.ones(4, np.float32))\n"
    )
    said = panel.press("Run on my GPU", "1 finding")
    assert said.startswith("Not sent to your GPU: mend the finding first. ")
    assert panel.card.is_hidden()
    panel.write("import numpy\n1 / 0\n")
    assert panel.press("Run on my GPU", "error").startswith(
        "Not sent to your GPU: mend the error first. "
    )


MISCOMPILED = """
    const make = GPUDevice.prototype.createShaderModule
    GPUDevice.prototype.createShaderModule = function (given) {
        const code = given.code.replace("= a[i] + b[i];", "= a[i] + b[i] + f32(i == 3);")
        window.changed = (window.changed ?? 0) + (code !== given.code)
        return make.call(this, { ...given, code })
    }"""


def test_a_wrong_result_is_shown_with_its_place_and_no_rate(changed):
    """A GPU that adds 1 to one element: the comparison is the panel's own, the shader is not."""
    panel = changed(MISCOMPILED)
    said = panel.press("Run on my GPU", "launches")
    assert panel.tab.evaluate("window.changed") == 1
    assert said == "1 of 1 launches gave no right result on your GPU."
    text = panel.card.inner_text()
    assert "✗ out[3] is 45 on this GPU and 44 in the stepper." in text
    assert "It is the only one of 5 that differs." in text and "It was not measured" in text
    assert "or our compiler's: tell us." in text and "subnormal" not in text
    assert "✓" not in text and "B/s" not in text and "par" not in text.lower().split()
    assert not panel.card.locator("table, meter, .rh-gpu-par, .rh-gpu-right").count()
    assert panel.card.locator(".rh-gpu-wrong").count() == 1
    panel.tab.evaluate(axe())
    found = panel.tab.evaluate("axe.run('.rh', VIOLATIONS)")["violations"]
    assert found == [], json.dumps([(v["id"], [n["html"] for n in v["nodes"]]) for v in found])


SUBNORMAL = """import numpy as np
from numba import cuda

@cuda.jit
def grow_kernel(x, y):
    i = cuda.grid(1)
    if i < x.size:
        y[i] = x[i] * np.float32(1e10)

x = cuda.to_device(np.full(64, 1e-40, np.float32))
y = cuda.device_array(64, np.float32)
grow_kernel[2, 32](x, y)
"""


def test_subnormal_numbers_are_named_where_a_gpu_takes_them_for_0(opened):
    """This adapter does."""
    panel = opened()
    panel.write(SUBNORMAL)
    assert panel.press("Run on my GPU", "launches").startswith("1 of 1 launches gave no right")
    text = panel.card.inner_text()
    assert "✗ y[0] is 0 on this GPU" in text and "subnormal numbers" in text
    assert "driver" not in text and "tell us" not in text
    panel.write(SUBNORMAL.replace("1e-40", "1e-30"))
    assert panel.press("Run on my GPU", "on your GPU").startswith("1 launch on your GPU")
    assert "subnormal" not in panel.card.inner_text()


LARGE_ONLY = MISCOMPILED.replace("f32(i == 3)", "f32(i == 65534)")


def test_a_wrong_result_of_a_large_launch_is_shown_and_has_no_rate(changed):
    """The page's own five numbers are right; of 65,535 the last but one is not."""
    panel = changed(LARGE_ONLY)
    said = panel.press("Run on my GPU", "launches")
    assert said == "1 of 1 launches gave no right result on your GPU."
    text = panel.card.inner_text()
    assert "✗ With 65,535 elements the result is wrong. out[65534] is" in text
    assert "It is the only one of 1,023 compared that differs." in text
    assert not panel.card.locator("table, meter, .rh-gpu-par").count()


UNTIMED = """
    const make = GPUComputePassEncoder.prototype.dispatchWorkgroups
    GPUComputePassEncoder.prototype.dispatchWorkgroups = function (...groups) {
        window.dispatched = (window.dispatched ?? 0) + 1
        make.apply(this, window.dispatched > %d ? [70000, 1, 1] : groups)
    }"""


def test_what_fails_when_it_is_timed_shows_no_rate(changed):
    """The kernel runs once and is right; the launches behind it are refused by the browser."""
    panel = changed(UNTIMED % 1)
    said = panel.press("Run on my GPU", "measured")
    assert said == "1 launch on your GPU, with the stepper's result. 1 could not be measured."
    text = panel.card.inner_text()
    assert "✓ The same result as the stepper's." in text
    assert "✗ It could not be measured: " in text and "70000" in text
    assert "B/s" not in text and not panel.card.locator("table, meter").count()


FAILING = """async how => {
    const { Gpu } = await import("/gpu.js")
    const gpu = await Gpu.open()
    const wgsl = `@group(0) @binding(0) var<storage, read_write> x: array<u32>;
        @compute @workgroup_size(1) fn k() { x[0] = 1u; }`
    const shader = { name: "k", wgsl, groups: [70000, 1, 1], block: [1, 1, 1], shared: 0,
                     params: new Uint8Array(0),
                     bindings: [{ name: "x", written: true, data: new Uint8Array(4) }] }
    const said = async work => {
        try {
            return ["a rate", await work()]
        } catch (error) {
            return [error.constructor.name, error.message]
        }
    }
    const found = []
    for (const way of ["run", "time", "launches"]) found.push(await said(() => gpu[way](shader)))
    gpu.timed = false // by the page's clock
    found.push(await said(() => gpu.time(shader)))
    const one = { ...shader, groups: [1, 1, 1] }
    found.push(await said(() => gpu.run(one)), await said(() => gpu.time(one)))
    return found
}"""


def test_a_dispatch_that_fails_is_an_error_and_never_a_rate(chrome):
    tab = chrome.new_page()
    webgpu.route(tab)
    *failed, ran, timed = tab.evaluate(FAILING)
    assert [kind for kind, _ in failed] == ["Refusal"] * 4
    assert all("70000" in text for _, text in failed), failed
    assert ran[0] == timed[0] == "a rate"  # the device is as it was
    tab.close()


# An adapter that says of its subgroups what it likes, and a probe that finds what it is given.
SAYS = """
    const info = Object.getOwnPropertyDescriptor(GPUAdapter.prototype, "info").get
    Object.defineProperty(GPUAdapter.prototype, "info", { get() {
        const { vendor, device } = info.call(this)
        return { vendor, device, subgroupMinSize: 32, subgroupMaxSize: 32 }
    } })"""
FINDS = """
    const make = GPUDevice.prototype.createShaderModule
    GPUDevice.prototype.createShaderModule = function (given) {
        if (given.code.includes("fn lanes(")) window.probed = (window.probed ?? 0) + 1
        const code = given.code.replace("= lane;", "= LANE;").replace("= size;", "= 32u;")
            .replace("subgroupShuffle(index, 0u)", "index - index % 32u")
        return make.call(this, { ...given, code })
    }"""
ABLE = """async () => {
    const { abilities } = await import("/assets/vendor/run-here/my-gpu.js")
    return [(await abilities()).subgroups, (await abilities()).subgroups, window.probed ?? 0]
}"""


@pytest.mark.parametrize(
    ("script", "subgroups", "probes"),
    [
        (FINDS, 0, 0),  # SwiftShader's have 4 lanes, and it says so
        (SAYS, 0, None),  # it says 32, and the probe finds 4
        (SAYS + FINDS.replace("LANE", "index % 32u"), 32, 3),
        (SAYS + FINDS.replace("LANE", "(index + 1u) % 32u"), 0, 1),  # lanes in another order
        (SAYS + FINDS.replace("LANE", "(index * 2u) % 32u"), 0, 1),
    ],
)
def test_subgroups_stand_for_warps_only_where_a_probe_finds_them_so(
    files, profile, script, subgroups, probes
):
    tab = profile.new_page()
    tab.add_init_script(script)
    tab.goto(files.place(PAGE))
    first, again, probed = tab.evaluate(ABLE)
    assert first == again == subgroups
    assert probes in (None, probed)  # once an adapter: one for each shape of a block
    tab.close()


def test_a_puzzle_is_graded_and_then_its_largest_case_runs_on_the_readers_gpu(opened):
    """Also where the reader deleted the example: the check's own launches are what runs."""
    known = exercise.load("brighten", ROOT)
    panel = opened(PUZZLE, "x-brighten")
    panel.write(next(iter(known.wrong.values()))[0])
    said = panel.press("Run on my GPU", "mend")
    assert said.startswith("Not sent to your GPU: mend the answer first. ")
    assert panel.tab.locator(".rh-case--bad").count() == 1 and panel.card.is_hidden()
    panel.write(known.solution)
    said = panel.press("Run on my GPU", "on your GPU")
    assert said == "1 launch on your GPU, with the stepper's result."
    text = panel.card.inner_text()
    assert "brighten, 4 blocks of 32" in text and "✓ The same result as the stepper's." in text
    aim = panel.card.locator(".rh-gpu-par").inner_text()  # both are measured on this card
    assert re.search(r"Par is [\d.]+ %, what the reference solution reaches on it", aim)
    assert "Every case is right" in panel.tab.locator(".rh-verdict").inner_text()


def test_an_exercise_is_timed_on_more_than_its_check_has(opened):
    """The reader's kernel and the reference, both by the launch in exercises.yml."""
    page = next(p for p in PAGES if "unit_rows" in exercise.named(p.written or ""))
    case = run_here.read_sizes(ROOT, run_here.EXERCISES)["unit_rows"]
    panel = opened(page, "x-unit_rows")
    code = exercise.load("unit_rows", ROOT).solution
    panel.write(code.replace("out", "result"))  # names of arguments are the reader's own affair
    panel.press("Run on my GPU", "on your GPU")
    rows = panel.card.locator("tr").all_inner_texts()
    rows_and_columns = case["arrays"]["x"]
    assert rows[-1].startswith(f"{rows_and_columns[0] * rows_and_columns[1]:,}")
    assert "the check's own for larger arrays" in panel.card.locator(".rh-gpu-how").inner_text()
    aim = panel.card.locator(".rh-gpu-par").inner_text()
    assert re.search(r"Par is [\d.]+ %, what the reference solution reaches on it", aim)


def test_without_a_gpu_it_says_what_to_do(changed):
    without = "Object.defineProperty(navigator, 'gpu', { value: undefined })"
    panel = changed(without, width=390, height=844)
    assert panel.press("Run on my GPU") == "No GPU to run it on."
    assert "This browser gives no GPU." in panel.card.inner_text()
    link = panel.card.get_by_role("link", name="What to do in your browser")
    assert link.get_attribute("href") == f"{panel.site.address}my-gpu/#if-it-finds-no-gpu"
    wide = "document.documentElement.scrollWidth <= innerWidth"
    assert panel.tab.evaluate(wide)


FOREVER = MISCOMPILED.replace('f32(i == 3);"', 'f32(0); while (out[i] > -1.0) { out[i] += 1e-9; }"')


def test_a_kernel_that_does_not_end_on_the_gpu_is_told_in_the_panel(chrome):
    """In a browser of its own: the software adapter computes on."""
    own = chrome.browser_type.launch(executable_path=browser.find(), args=webgpu.FLAGS)
    with served(patience=8) as site:
        panel = Panel(own, site, FOREVER).open()
        said = panel.press("Run on my GPU", "launches")
        assert panel.tab.evaluate("window.changed") == 1
        assert said == "1 of 1 launches gave no right result on your GPU."
        text = panel.card.inner_text()
        assert "did not end within 8 s. The GPU was given up" in text
        assert "quit all of it and start it again" in text
        assert "B/s" not in text and not panel.card.locator("table, meter").count()
        own.close()
    assert not panel.errors


# Some threads never end: of 391 blocks the stepper runs four, and in those they do.
LATE = """import numpy as np
from numba import cuda

@cuda.jit
def late(x):
    i = cuda.grid(1)
    if i < x.size:
        y = x[i]
        while 50_000 < i < 51_000 and y >= 0:
            y += np.float32(1e-9)
        x[i] = y + np.float32(1)

n = 100_000
x = np.ones(n, np.float32)
late[(n + 255) // 256, 256](x)
"""
# A loop that waits: all threads of a block make its turns together.
LATE_TOGETHER = """import numpy as np
from numba import cuda

@cuda.jit
def together(x):
    i = cuda.grid(1)
    tile = cuda.shared.array(256, np.float32)
    while cuda.blockIdx.x == 200:
        tile[cuda.threadIdx.x] = np.float32(i)
        cuda.syncthreads()
    if i < x.size:
        x[i] += np.float32(1)

x = np.ones(100_000, np.float32)
together[391, 256](x)
"""
FRAMES = """() => new Promise(done => {
    let n = 0
    const next = () => (++n > 20 ? done(n) : requestAnimationFrame(next))
    next()
})"""


@pytest.mark.parametrize("code", [LATE, LATE_TOGETHER], ids=["by threads", "by blocks"])
def test_a_kernel_that_ends_in_the_blocks_seen_and_not_in_others_is_not_run(opened, code):
    """Its loops are counted in a trial; the browser draws on, and the next kernel runs."""
    panel = opened()
    panel.write(code)
    said = panel.press("Run on my GPU", "launch")
    assert said == "1 launch was not run: loops of too many turns, or that never end."
    text = panel.card.inner_text()
    assert "never end, so it was not run. They were counted in a trial, and left when" in text
    assert "The stepper ran only a few of the blocks, and in those they ended." in text
    assert not panel.card.locator("table, meter, .rh-gpu-right").count()
    assert panel.tab.evaluate(FRAMES) == 21
    panel.tab.screenshot()  # a browser that no longer draws takes none
    panel.write(code.replace("50_000 < i < 51_000", "i > x.size").replace("== 200", "== 400"))
    assert panel.press("Run on my GPU", "stepper") == (
        "1 launch on your GPU, with the stepper's result."
    )


OWN = """import numpy as np
from numba import cuda

@cuda.jit
def flip(a, out):
    tile = cuda.shared.array((4, 5), np.float32)
    x, y = cuda.threadIdx.x, cuda.threadIdx.y
    tile[y, x] = a[cuda.blockIdx.y * 4 + y, cuda.blockIdx.x * 4 + x]
    cuda.syncthreads()
    out[cuda.blockIdx.x * 4 + y, cuda.blockIdx.y * 4 + x] = tile[x, y]

a = np.arange(64, dtype=np.float32).reshape(8, 8)
out = np.zeros_like(a)
flip[(2, 2), (4, 4)](a, out)
"""


def test_a_readers_own_matrix_is_timed_at_sizes_that_say_something(opened):
    panel = opened()
    panel.write(OWN)
    assert "with the stepper's result" in panel.press("Run on my GPU", "stepper")
    rows = [row.split()[:2] for row in panel.card.locator("tr").all_inner_texts()]
    assert rows[1] == ["64", "all"] and rows[2] == ["65,536", "64"]  # 256 x 256; four blocks of 16
    assert not panel.card.locator(".rh-gpu-short").count()


def test_the_wgsl_is_opened_at_the_kernel(opened):
    panel = opened(width=390)
    panel.press("Run on my GPU", "stepper")
    panel.card.locator("summary", has_text="The WGSL").click()
    seen = panel.tab.wait_for_function(
        """() => {
            const code = [...document.querySelectorAll(".rh-both pre")].at(-1)
            const text = code.firstChild
            const range = document.createRange()
            const at = text.data.indexOf("fn add_kernel")
            range.setStart(text, at)
            range.setEnd(text, at + 1)
            const [line, box] = [range, code].map(x => x.getBoundingClientRect())
            return line.top >= box.top && line.bottom <= box.bottom && box.height
        }"""
    )
    assert seen.json_value() > 200


ENDLESS = """async () => {
    const { Gpu } = await import("/gpu.js")
    const gpu = await Gpu.open({ patience: 1 })
    const wgsl = `@group(0) @binding(0) var<storage, read_write> x: array<u32>;
        @compute @workgroup_size(1) fn k() { while (x[0] < 5u) { x[1] = (x[1] + 1u) % 7u; } }`
    const data = new Uint8Array(8)
    const shader = { name: "k", wgsl, groups: [1, 1, 1], block: [1, 1, 1], shared: 0,
                     params: new Uint8Array(0), bindings: [{ name: "x", written: true, data }] }
    try {
        await gpu.run(shader)
        return ["it ended", gpu.gone]
    } catch (error) {
        return [error.message, gpu.gone]
    }
}"""


def test_a_kernel_that_does_not_end_is_lost_with_its_device(chrome):
    """In a browser of its own: the software adapter computes on, and gives no other device."""
    own = chrome.browser_type.launch(executable_path=browser.find(), args=webgpu.FLAGS)
    tab = own.new_page()
    webgpu.route(tab)
    said, gone = tab.evaluate(ENDLESS)
    own.close()
    assert "did not end within 1 s" in said and gone == "given up"


SLOW = """async () => {
    const { Gpu } = await import("/gpu.js")
    const gpu = await Gpu.open({ patience: 1 })
    const make = gpu.device.createComputePipelineAsync.bind(gpu.device)
    gpu.device.createComputePipelineAsync = async how => {
        const made = await make(how)
        await new Promise(done => setTimeout(done, 2500))
        return made
    }
    const wgsl = `@group(0) @binding(0) var<storage, read_write> x: array<u32>;
        @compute @workgroup_size(1) fn k() { x[0] = 7u; }`
    const shader = { name: "k", wgsl, groups: [1, 1, 1], block: [1, 1, 1], shared: 0,
                     params: new Uint8Array(0),
                     bindings: [{ name: "x", written: true, data: new Uint8Array(4) }] }
    const { x } = await gpu.run(shader)
    return [x[0], gpu.gone ?? ""]
}"""


def test_the_time_that_a_driver_compiles_is_not_the_kernels(chrome):
    """Here it takes longer than a kernel may run."""
    tab = chrome.new_page()
    webgpu.route(tab)
    assert tab.evaluate(SLOW) == [7, ""]
    tab.close()

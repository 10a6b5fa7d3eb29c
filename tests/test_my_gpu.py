"""Run on my GPU: the panel compiles a page's kernel to WGSL, runs it, compares and measures.

On Chromium's software adapter, with the panel as the site serves it and no site around it.
"""

import json
import mimetypes

import pytest

from lockstep_site import run_here
from tests import browser, webgpu
from tests.pages import PAGES, ROOT

PAGE = next(p for p in PAGES if p.name.endswith("/vector-add"))
HTML = """<!doctype html><html lang="en"><meta charset="utf-8"><title>Panel</title>
<meta name="viewport" content="width=device-width">
<meta http-equiv="Content-Security-Policy" content="default-src 'self'; img-src 'self' data:;
script-src 'self' 'wasm-unsafe-eval'; style-src 'self' 'unsafe-inline'">
<link rel="stylesheet" href="/assets/css/lockstep.css"><main><h1>Panel</h1>
<button id="open">Run here</button></main></html>"""
OPEN = """async () => {
    window.lockstep = { read: () => ({ hints: {}, code: {} }), change() {} }
    const { open } = await import("/assets/vendor/run-here/panel.js")
    await open({ base: location.origin + "/", block: "1", button: document.querySelector("#open") })
}"""


def serve(route):
    path = "/" + route.request.url.split("://", 1)[1].split("/", 1)[1].split("?")[0]
    rows = ROOT / "evidence/nvidia-h200/benchmarks/vector_add.json"
    made = {
        "/": (HTML, "text/html"),
        "/run.json": (json.dumps(run_here.data(PAGE)), "application/json"),
        "/data/benchmarks.json": (rows.read_text(), "application/json"),
    }
    if path in made:
        return route.fulfill(body=made[path][0], content_type=made[path][1])
    file = ROOT / "docs" / path[1:]
    if not file.is_file():
        return route.fulfill(status=404)
    kind = {".mjs": "text/javascript", ".js": "text/javascript", ".wasm": "application/wasm"}
    guess = mimetypes.guess_type(file.name)[0] or "application/octet-stream"
    return route.fulfill(body=file.read_bytes(), content_type=kind.get(file.suffix, guess))


@pytest.fixture(scope="module")
def chrome(playwright):
    """Chromium with WebGPU on its software adapter."""
    made = playwright.chromium.launch(executable_path=browser.find(), args=webgpu.FLAGS)
    yield made
    made.close()


class Panel:
    def __init__(self, chrome, script="", **options):
        self.context = chrome.new_context(
            **({"viewport": {"width": 1280, "height": 900}} | options)
        )
        self.context.route("**/*", serve)
        self.asked, self.errors = [], []
        self.context.on("request", lambda r: self.asked.append(r.url))
        self.tab = self.context.new_page()
        self.tab.on("pageerror", lambda e: self.errors.append(str(e)))
        if script:
            self.tab.add_init_script(script)
        self.tab.goto("http://localhost/")
        self.tab.evaluate(OPEN)
        self.done()
        self.card = self.tab.locator('.rh [data-el="card"]')

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
def panel(chrome):
    made = Panel(chrome)
    made.first = list(made.asked)
    yield made
    made.context.close()
    assert not made.errors


def test_the_pages_kernel_runs_on_the_readers_gpu(panel):
    assert not [u for u in panel.first if "my-gpu" in u or "wgsl.zip" in u]  # only on the press
    said = panel.press("Run on my GPU", "on your GPU")
    text = panel.card.inner_text()
    assert said == "1 launch on your GPU, with the stepper's result."
    assert "swiftshader" in text and "It is a software adapter" in text
    assert "✓ The same result as the stepper's." in text
    rows = panel.card.locator("tr").all_inner_texts()
    assert len(rows) >= 3 and rows[1].split()[0] == "5" and "%" in rows[2]
    assert "Of this adapter's copy rate" in rows[0]
    meters = panel.card.locator("meter").evaluate_all("all => all.map(m => [m.ariaLabel, m.value])")
    assert [name for name, _ in meters] == ["Your GPU", "H200, Numba"]
    assert all(0 < value <= 1 for _, value in meters)
    panel.card.locator("summary").press("Enter")
    wgsl = panel.card.locator("pre").inner_text()
    assert "fn add_kernel(" in wgsl and "out[i] = a[i] + b[i];" in wgsl
    assert panel.tab.evaluate("document.activeElement.tagName") != "BODY"


def test_what_cannot_be_compiled_is_said_by_line(panel):
    panel.write(
        "import numpy as np\nfrom numba import cuda\n\n@cuda.jit\ndef k(x):\n    i = cuda.grid(1)\n"
        "    x[i] = x[i] * 0.1 + 1.0\n\nk[1, 4](np.ones(4, np.float32))\n"
    )
    said = panel.press("Run on my GPU", "launches")
    assert said == "1 of 1 launches gave no right result on your GPU."
    assert "Not compiled: line 7:" in panel.card.inner_text()
    assert "float64" in panel.card.inner_text()


def test_what_the_stepper_finds_wrong_is_sent_to_no_gpu(panel):
    panel.write(
        "import numpy as np\nfrom numba import cuda\n\n@cuda.jit\ndef k(x):\n    i = cuda.grid(1)\n"
        "    x[i] = i\n\nk[1, 8](np.ones(4, np.float32))\n"
    )
    assert "1 finding" in panel.press("Run on my GPU", "finding")
    assert panel.card.is_hidden()


def test_without_a_gpu_it_says_what_to_do(chrome):
    panel = Panel(
        chrome,
        "Object.defineProperty(navigator, 'gpu', { value: undefined })",
        viewport={"width": 390, "height": 844},
    )
    assert panel.press("Run on my GPU") == "No GPU to run it on."
    assert "This browser gives no GPU." in panel.card.inner_text()
    assert "--enable-unsafe-webgpu" in panel.card.inner_text()  # in Chrome on Linux
    wide = "document.documentElement.scrollWidth <= innerWidth"
    assert panel.tab.evaluate(wide)
    panel.context.close()


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

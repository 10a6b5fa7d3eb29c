"""Headless Chromium with WebGPU on its software adapter: many kernels in one page."""

import base64
import contextlib
import json
from pathlib import Path

from simulator.wgsl import as_json
from tests import browser

ROOT = Path(__file__).resolve().parent.parent
FLAGS = ["--no-sandbox", "--disable-dev-shm-usage", "--enable-unsafe-webgpu"]
FLAGS += ["--use-webgpu-adapter=swiftshader", "--enable-features=Vulkan"]
PAGE = "http://localhost/"
RUN = """async shaders => {
    const { Gpu, unpacked, text } = await import("/gpu.js")
    window.gpu ??= await Gpu.open({ patience: 60 })
    const found = []
    for (const shader of JSON.parse(shaders)) {
        if (gpu.gone) window.gpu = await Gpu.open({ patience: 60 })
        try {
            const out = await gpu.run(unpacked(shader))
            for (const name in out) out[name] = text(out[name])
            found.push({ out })
        } catch (error) {
            found.push({ error: String(error.message ?? error) })
        }
    }
    return JSON.stringify(found)
}"""


def route(tab):
    """Open a page that serves the module gpu.js of the panel, and nothing else."""
    script = (ROOT / "web/run-here/gpu.js").read_text(encoding="utf-8")

    def serve(route):
        module = route.request.url.endswith(".js")
        route.fulfill(
            body=script if module else "<title>WebGPU</title>",
            content_type="text/javascript" if module else "text/html",
        )

    tab.route(PAGE + "**", serve)
    tab.goto(PAGE)


@contextlib.contextmanager
def page(playwright):
    """A page in which the module gpu.js of the panel can be imported."""
    chromium = playwright.chromium.launch(executable_path=browser.find(), args=FLAGS)
    tab = chromium.new_page()
    route(tab)
    yield tab
    chromium.close()


def run(tab, records):
    """Run launches. For each: {buffer: bytes}, or the text of what went wrong."""
    found = json.loads(
        tab.evaluate(RUN, json.dumps([as_json(r.shader, r.before) for r in records]))
    )
    return [
        row["error"]
        if "error" in row
        else {name: base64.b64decode(data) for name, data in row["out"].items()}
        for row in found
    ]

"""Headless Chromium with WebGPU on its software adapter: many kernels in one page."""

import base64
import contextlib
import json
import re
from pathlib import Path

import numpy as np

from simulator.wgsl import as_json
from tests import browser

ROOT = Path(__file__).resolve().parent.parent
FLAGS = ["--no-sandbox", "--disable-dev-shm-usage", "--enable-unsafe-webgpu"]
FLAGS += ["--use-webgpu-adapter=swiftshader", "--enable-features=Vulkan"]
PAGE = "http://localhost/"
NAME = """async () => {
    const { Gpu } = await import("/gpu.js")
    return (window.gpu ??= await Gpu.open({ patience: 60 })).name
}"""
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


def wider(record):
    """A launch for an adapter without float16: the same text with f32 for f16, which holds each.

    No number is rounded where it is stored, so the result is that of two bytes.
    """
    shader = as_json(record.shader, record.before)
    if "f16" in record.shader.features:
        lines = [x for x in shader["wgsl"].split("\n") if not x.startswith("enable f16")]
        shader["wgsl"] = re.sub(r"\bf16\b", "f32", "\n".join(lines))
        for b in shader["bindings"]:
            if b["kind"] == "h":
                halves = np.frombuffer(base64.b64decode(b["data"]), np.float16)
                data = halves[: b["elements"]].astype(np.float32).tobytes()
                b["data"] = base64.b64encode(data).decode()
    return shader


def narrower(record, found):
    """What came back, with the numbers that ``wider`` widened in two bytes again."""
    for b in record.shader.bindings:
        if b.half and b.name in found:
            found[b.name] = np.frombuffer(found[b.name], np.float32).astype(np.float16).tobytes()
    return found


def run(tab, records):
    """Run launches. For each: {buffer: bytes}, or the text of what went wrong."""
    found = json.loads(tab.evaluate(RUN, json.dumps([wider(r) for r in records])))
    return [
        row["error"]
        if "error" in row
        else narrower(r, {name: base64.b64decode(data) for name, data in row["out"].items()})
        for r, row in zip(records, found, strict=True)
    ]

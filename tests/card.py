"""The record of the software adapter, as the page My GPU saves it: ``python -m tests.card``.

A busy machine measures itself, so the card is measured until two records that follow each other
agree, and each with itself, within what the page allows a copy that it measures twice. Only then is
evidence/webgpu/google-swiftshader.json written, or a file of that name in the folder that is given,
with the site's own numbers; else nothing is, and the exit status is 1.
"""

import argparse
import json
import mimetypes
import re
import sys
from pathlib import Path
from urllib.parse import urlsplit

from lockstep_site import my_gpu
from tests import browser, webgpu
from tests.pages import ROOT
from tests.test_measure import HTML, READY

MINUTES = 10  # that a measurement may take
TRIES = 6
PAGE = ROOT / "web/run-here/measure.js"


def serve(route):
    """The page's files, as they are; no other card."""
    path = urlsplit(route.request.url).path
    file = ROOT / "docs" / path[1:]
    if path == "/":
        return route.fulfill(body=HTML, content_type="text/html")
    if path.startswith("/data/"):
        return route.fulfill(body="[]", content_type="application/json")
    if not file.is_file():
        return route.fulfill(status=404)
    guess = mimetypes.guess_type(file.name)[0] or "application/octet-stream"
    return route.fulfill(body=file.read_bytes(), content_type=guess)


def bar():
    """How far two measurements of one thing may be apart, as the page has it."""
    return float(re.search(r"^const SHAKEN = ([\d.]+)$", PAGE.read_text("utf-8"), re.MULTILINE)[1])


def figures(card):
    """Figures of a record that another measurement of the card leaves as well."""
    strides = {row["stride"]: row["gbps"] for row in card["strides"]}
    wide = {row["bytes"]: row["gbps"] for row in card["widths"]}
    found = {"largest copy": card["copy"][-1]["gbps"], "copy of 16 bytes a thread": wide[16]}
    return found | {"reads without a stride": strides[1], "multiply-adds": card["tflops"]}


def apart(card, before, most):
    """Yield what of a record differs from itself, or from the one before, by more than ``most``."""
    found = figures(card)
    pairs = [("a copy, measured twice", found["largest copy"], found["copy of 16 bytes a thread"])]
    if before:
        pairs += [(what, n, figures(before)[what]) for what, n in found.items()]
    for what, one, two in pairs:
        if max(one, two) > most * min(one, two):
            yield f"{what}: {one:.3g} and {two:.3g}"


def measured(chrome):
    """(name of the file that the page saves, its text)."""
    tab = chrome.new_context(accept_downloads=True).new_page()
    tab.context.route("**/*", serve)
    tab.add_init_script(READY)
    tab.goto("http://localhost/")
    tab.get_by_role("button", name="Measure").press("Enter")
    save = tab.get_by_role("link", name="Save the record")
    save.wait_for(timeout=MINUTES * 60_000)
    tab.wait_for_function(
        """() => document.querySelector(".my-gpu__status").textContent.includes("Measured:")""",
        timeout=MINUTES * 60_000,
    )
    with tab.expect_download() as download:
        save.click()
    text = Path(download.value.path()).read_text(encoding="utf-8")
    name = download.value.suggested_filename
    tab.context.close()
    return name, text


def settled(measure, most, tries=TRIES):
    """What ``measure`` returns once two of its records agree, or None."""
    before = None
    for k in range(tries):
        name, text = measure()
        card = json.loads(text)
        differ = list(apart(card, before, most))
        print(f"{k + 1}: {'; '.join(differ) or figures(card)}", flush=True)
        if before and not differ:
            return name, text
        # One that does not agree with itself is nothing to hold the next against.
        before = None if list(apart(card, None, most)) else card
    return None


def main():
    parse = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parse.add_argument("folder", type=Path, nargs="?", default=ROOT / my_gpu.FOLDER)
    folder = parse.parse_args().folder
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        flags = webgpu.FLAGS
        chrome = playwright.chromium.launch(executable_path=browser.find(), args=flags)
        found = settled(lambda: measured(chrome), bar())
        chrome.close()
    if not found:
        print(f"no two of {TRIES} measurements agree: this machine is busy, and nothing is written")
        return 1
    (folder / found[0]).write_text(found[1], encoding="utf-8")
    print(f"written: {folder / found[0]}")
    return 0


if __name__ == "__main__":
    sys.exit(main())

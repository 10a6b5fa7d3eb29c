"""The record of the software adapter, as the page My GPU saves it: ``python -m tests.card``.

For an idle machine: a busy one measures itself. It writes evidence/webgpu/google-swiftshader.json,
or a file of that name in the folder that is given, with the site's own numbers.
"""

import argparse
import mimetypes
from pathlib import Path
from urllib.parse import urlsplit

from lockstep_site import my_gpu
from tests import browser, webgpu
from tests.pages import ROOT
from tests.test_measure import HTML, READY

MINUTES = 10  # that a measurement may take


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


def main():
    parse = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parse.add_argument("folder", type=Path, nargs="?", default=ROOT / my_gpu.FOLDER)
    folder = parse.parse_args().folder
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        flags = webgpu.FLAGS
        chrome = playwright.chromium.launch(executable_path=browser.find(), args=flags)
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
        file = folder / download.value.suggested_filename
        download.value.save_as(file)
        print(f"{file}: {tab.locator('.my-gpu__status').inner_text()}")
        chrome.close()


if __name__ == "__main__":
    main()

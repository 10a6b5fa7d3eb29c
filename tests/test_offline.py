"""The site as an archive: unpacked, opened from the file system, and searched."""

import subprocess
import sys
import zipfile

import pytest

from tests.pages import ROOT


@pytest.fixture(scope="module")
def unpacked(tmp_path_factory):
    folder = tmp_path_factory.mktemp("taken along")  # with a space, as folders of readers have
    archive = folder / "site.zip"
    command = [sys.executable, "tools/offline.py", archive]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-3000:]
    with zipfile.ZipFile(archive) as zipped:
        assert {name.split("/")[0] for name in zipped.namelist()} == {"lockstep"}
        zipped.extractall(folder)
    return folder / "lockstep"


def test_it_opens_from_the_file_system_and_its_search_works(unpacked, chromium):
    context = chromium.new_context(viewport={"width": 1280, "height": 900})
    tab, asked, errors = context.new_page(), [], []
    tab.on("request", lambda request: asked.append(request.url))
    tab.on("pageerror", lambda error: errors.append(str(error)))
    tab.goto((unpacked / "index.html").as_uri())
    tab.click(".md-tabs__link:has-text('Roadmap')")
    tab.wait_for_url("**/roadmap/index.html")
    tab.click(".md-search__input")
    tab.keyboard.type("add_kernel")
    result = tab.locator(".md-search-result__item > a[href*='vector-add.html']").first
    result.wait_for()
    result.click()
    tab.wait_for_url("**/vector-add.html*")
    assert tab.inner_text("h1").startswith("Vector addition")
    assert tab.locator("[data-copy-script]").is_hidden()  # a page of the file system cannot fetch
    button = tab.locator(".run-here").first
    button.click()  # no browser starts a worker from a file
    assert "python -m http.server" in button.inner_text()
    context.close()
    away = [url for url in asked if not url.startswith(("file:", "data:", "blob:", "about:"))]
    assert away == [] and errors == []


def test_its_links_lead_to_files(unpacked):
    """No link ends at a folder: a file system shows a list of files there."""
    from tests.test_site import Links

    broken = []
    for file in unpacked.rglob("*.html"):
        if file.name == "404.html":
            continue
        links = Links()
        links.feed(file.read_text(encoding="utf-8"))
        for href in links.links + links.loads:
            path = href.split("#")[0].split("?")[0]
            if path and ":" not in path and not (file.parent / path).is_file():
                broken.append(f"{file.relative_to(unpacked)}: {href}")
    assert not broken, "\n".join(broken[:20])

"""The site as an archive: unpacked, opened from the file system, and searched."""

import subprocess
import sys
import zipfile
from types import SimpleNamespace

import pytest

from lockstep.mkdocs.plugin import LockstepPlugin
from tests.pages import ROOT
from tests.test_site import Links
from tools import offline


@pytest.fixture(scope="module")
def unpacked(built, tmp_path_factory):
    folder = tmp_path_factory.mktemp("taken along")  # with a space, as folders of readers have
    archive = folder / "site.zip"
    command = [sys.executable, "tools/offline.py", archive, built]
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
    result = tab.locator(".md-search-result__item > a[href*='vector-add/index.html']").first
    result.wait_for()
    result.click()
    tab.wait_for_url("**/vector-add/index.html*")
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
    broken, files = [], 0
    for file in unpacked.rglob("*.html"):
        if file.name == "404.html":
            continue
        files += 1
        links = Links()
        links.feed(file.read_text(encoding="utf-8"))
        for href in links.links + links.loads:
            path = href.split("#")[0].split("?")[0]
            if path and ":" not in path and not (file.parent / path).is_file():
                broken.append(f"{file.relative_to(unpacked)}: {href}")
    assert not broken, "\n".join(broken[:20])
    assert files > 400


@pytest.mark.parametrize(
    ("link", "file"),
    [
        ("../a/", "../a/index.html"),
        ("..", "../index.html"),
        (".", "./index.html"),
        ("a/b.py", "a/b.py"),
        ("../a.html", "../a.html"),
        ("", ""),
        ("https://example.org/a/", "https://example.org/a/"),
        ("//example.org/", "//example.org/"),
        ("mailto:a@example.org", "mailto:a@example.org"),
    ],
)
def test_a_link_to_a_folder_leads_to_its_file(link, file):
    assert offline.to_file(link) == file
    for end in ("", "#part", "?q=1#part"):
        tag = '<a class="x" title="1 > 0" href="{}{}">y</a> href="z/"'
        assert offline.page(tag.format(link, end)) == tag.format(file, end)


def test_a_page_that_moved_leads_to_a_file():
    url = '<meta http-equiv="refresh" content="0; url={0}"><script>location.replace("{0}" + 1)'
    assert offline.page(url.format("../new/")) == url.format("../new/index.html")


def test_a_page_of_the_archive_has_no_policy_no_address_and_fetches_no_page(unpacked, built):
    name = "roadmap/foundation/vector-add/index.html"
    here, there = ((site / name).read_text(encoding="utf-8") for site in (built, unpacked))
    for part in ("Content-Security-Policy", 'rel="canonical"', "og:url", "navigation.instant"):
        assert part in here and part not in there, part
    code = "<pre"
    assert there.count(code) == here.count(code) > 5
    assert not list(unpacked.rglob("*.map")) and not (unpacked / "assets/vendor/pyodide").exists()


def test_without_a_site_it_says_how_to_make_one(tmp_path, capsys):
    assert offline.main(tmp_path / "a.zip", tmp_path) == 1
    assert "To mend: make site" in capsys.readouterr().err
    assert not (tmp_path / "a.zip").exists()


def test_the_plugin_of_the_theme_for_such_a_site_gets_pages_without_a_policy():
    """Other projects may build theirs with Material's plugin."""
    page = '<meta charset="utf-8"><title>x</title>'
    with_it, without = (SimpleNamespace(plugins={name: None}) for name in ("offline", "search"))
    assert LockstepPlugin()._protected(page, with_it) == page
    assert "Content-Security-Policy" in LockstepPlugin()._protected(page, without)

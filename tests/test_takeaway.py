"""What a reader takes away: the page's script by a button, a section on one page, old bookmarks."""

import os
import re
import shutil
import subprocess
import sys

import pytest

from lockstep import export
from lockstep.mkdocs import moved, printing
from lockstep.page import PageError
from lockstep_site import roadmap
from tests.conftest import serving
from tests.pages import PAGES, ROOT, open_page
from tests.test_site import Links

PAGE = next(page for page in PAGES if page.name.endswith("vector-add"))


def test_the_button_copies_the_script_of_the_download(context, server, built):
    tab = open_page(context, PAGE, server)
    tab.click("[data-copy-script]")
    tab.wait_for_function("() => document.querySelector('.downloads [role=status]').textContent")
    text = tab.evaluate("navigator.clipboard.readText()")
    assert text == (built / f"{PAGE.name}.py").read_text(encoding="utf-8")
    assert text.startswith(f"# {PAGE.title}\n")


def test_a_section_stands_on_one_page_with_the_text_of_each_of_its_pages(built):
    file = built / "print/roadmap/foundation/index.html"
    text = file.read_text(encoding="utf-8")
    folder = ROOT / "docs/roadmap/foundation"
    assert text.count('<section class="sheet"') == len(list(folder.glob("*.md")))
    lessons = [page for page in PAGES if page.path.startswith("docs/roadmap/foundation/")]
    assert text.count("<pre") == sum(len(page.blocks) for page in lessons)
    links = Links()
    links.feed(text)
    ids = re.findall(r'\sid="([^"]+)"', text.split("<article")[1])
    twice = sorted({name for name in ids if ids.count(name) > 1})
    assert not twice, f"ids that are there twice: {twice[:5]}"
    assert "<script src" not in text and "noindex" in text
    index = (built / "roadmap/foundation/index.html").read_text(encoding="utf-8")
    assert "print/roadmap/foundation/" in index
    places = (built / "search/search_index.json").parent.glob("index.*.json")
    assert all('"print/' not in place.read_text(encoding="utf-8") for place in places)


def test_a_section_page_reads_well_on_paper_and_on_a_phone(context, server):
    tab = context.new_page()
    tab.goto(server + "print/roadmap/foundation/")
    tab.set_viewport_size({"width": 360, "height": 800})
    assert tab.evaluate("document.documentElement.scrollWidth - window.innerWidth") <= 0
    tab.emulate_media(media="print")
    assert len(tab.pdf(format="A4")) > 100_000
    closed = tab.locator("details:not([open])").count()
    assert closed == 0 and context.elsewhere == []


@pytest.mark.parametrize("phase", [phase["id"] for phase in roadmap.load(ROOT)["phases"]])
def test_a_cheat_sheet_is_one_printed_page(context, server, phase):
    tab = context.new_page()
    tab.goto(f"{server}roadmap/{phase}/cheat-sheet/")
    edge = dict.fromkeys(("top", "right", "bottom", "left"), "10mm")
    for paper in ("A4", "Letter"):
        sheet = tab.pdf(format=paper, margin=edge)
        assert len(re.findall(rb"/Type\s*/Page\b", sheet)) == 1, paper


def test_links_of_a_section_page_lead_where_they_did():
    one = '<h1 id="a">A</h1><a href="../two/#b">2</a><a href="#a">a</a><img src="../../i.svg">'
    one += ' <a href="../../x/">x</a><a href="https://example.org/">e</a>'
    one += '<table><tr><th style="x"></th><th>n</th></tr></table>'
    two = '<h2 id="b">B</h2><a href="../one/">1</a>'
    text = printing.render([("s/one/", one), ("s/two/", two)], "print/s/")
    assert 'id="s-one--a"' in text and 'href="#s-one--a"' in text
    assert 'href="#s-two--b"' in text and 'id="s-two--b"' in text
    assert 'href="#s-one--top"' in text and 'id="s-one--top"' in text
    assert 'src="../../i.svg"' in text and 'href="../../x/"' in text
    assert 'href="https://example.org/"' in text
    assert '<td style="x"></td><th>n</th>' in text


# ---------------------------------------------------------------- a small site, built for real

HEAD = "---\ntitle: {0}\ndescription: About it.\nkind: other\n---\n\n# {0}\n\n"


@pytest.fixture
def small(tmp_path):
    """Returns a function that builds a site of a few pages with this site's own settings."""
    config = (ROOT / "mkdocs.yml").read_text(encoding="utf-8")
    config, found = re.subn(r"\nnav:\n(?:[ -].*\n|\n)*", "\n", config)
    assert found == 1
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    (tmp_path / "mkdocs.yml").write_text(config, encoding="utf-8")
    for part in ("overrides", "lockstep", "lockstep_site", "simulator"):
        shutil.copytree(ROOT / part, tmp_path / part)
    for part in ("css", "js"):
        shutil.copytree(ROOT / "docs/assets" / part, tmp_path / "docs/assets" / part)
    for folder in ("kernels", "snippets", "evidence"):
        (tmp_path / folder).mkdir()

    def build(repository="", **files):
        for name, text in ({"index.md": HEAD.format("Home")} | files).items():
            file = tmp_path / "docs" / name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text, encoding="utf-8")
        site = tmp_path / "site"
        command = [sys.executable, "-m", "mkdocs", "build", "--strict", "-d", site]
        env = os.environ | {"NO_MKDOCS_2_WARNING": "1", "REPOSITORY": repository}
        done = subprocess.run(command, cwd=tmp_path, env=env, capture_output=True, text=True)
        return done.returncode, done.stdout + done.stderr, site

    return build


def test_a_bookmark_to_a_page_that_moved_leads_on(small, chromium):
    files = {
        "new/place.md": HEAD.format("Place") + "## Part\n\nHere it is.\n",
        "moved.yml": "old/spot.md: new/place.md\nold/index.md: index.md\n",
    }
    code, said, site = small("https://example.org/us/", **files)
    assert code == 0, said
    # A page that no commit has yet has no date, and can be read, edited and reported all the same.
    place = (site / "new/place/index.html").read_text(encoding="utf-8")
    for end in ("blob/main/docs/new/place.md", "edit/main/docs/new/place.md", "issues/new?"):
        assert f'href="https://example.org/us/{end}' in place
    tab = chromium.new_page()
    with serving(site) as address:
        tab.goto(f"{address}new/place/")
        links = tab.locator(".changed a")
        assert links.all_inner_texts() == ["Source", "Edit", "Report a mistake"]
        for link in links.all():
            assert link.is_visible()
            assert link.get_attribute("href").startswith("https://example.org/us/")
        report = links.last.get_attribute("href")
        assert "template=page-is-wrong.yml&page=http" in report and "new/place" in report
    text = (site / "old/spot/index.html").read_text(encoding="utf-8")
    assert 'href="../../new/place/"' in text and "noindex" in text
    assert '<a href="../">' in (site / "old/index.html").read_text(encoding="utf-8")
    with serving(site) as address:
        tab.goto(f"{address}old/spot/#part")
        tab.wait_for_url("**/new/place/#part")
        assert tab.inner_text("h1").startswith("Place")
        tab.close()


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("old.md: nowhere.md", "docs/moved.yml:2: old.md moved to nowhere.md, which is not there"),
        ("index.md: index.md", "docs/moved.yml:2: index.md is still there"),
        ("old: index.md", "docs/moved.yml:2: old is no page of docs/"),
    ],
)
def test_a_move_that_leads_nowhere_is_refused(line, said, tmp_path):
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs/index.md").write_text("x")
    (tmp_path / "docs/moved.yml").write_text(f"# moved\n{line}\n")
    with pytest.raises(PageError, match=re.escape(said)):
        moved.read(tmp_path)


DEAD = {
    "See [it](nowhere.md).": "contains a link 'nowhere.md'",
    "See [it](index.md#nothing).": "does not contain an anchor '#nothing'",
    "See [it](#nothing).": "there is no such anchor on this page",
}
SILENT = {
    "![](assets/x.svg)": "an image without a text alternative",
    '<img src="assets/x.svg">': "",  # a page has no HTML images at all
}


@pytest.mark.parametrize("mistakes", [DEAD, SILENT], ids=["dead links", "silent images"])
def test_dead_links_and_silent_images_end_the_build_with_file_and_line(mistakes, small):
    files = {f"page{n}.md": HEAD.format("Page") + f"{x}\n" for n, x in enumerate(mistakes)}
    code, output, _ = small(**files, **{"assets/x.svg": "<svg/>"})
    assert code != 0
    for number, said in enumerate(mistakes.values()):
        lines = [line for line in output.splitlines() if f"docs/page{number}.md:9: " in line]
        assert lines and said in lines[0], output[-1500:]


def test_a_notebook_opens_in_colab_once_the_repository_has_an_address(tmp_path):
    from types import SimpleNamespace

    from lockstep.mkdocs.plugin import LockstepPlugin

    whole = [f"https://example.org/x/{PAGE.name}.ipynb"]
    for base, wanted in (("", []), ("https://example.org/x/", whole), (whole[0][:21], whole)):
        plugin = LockstepPlugin()
        plugin.load_config({"colab": base})
        config = SimpleNamespace(config_file_path=str(ROOT / "mkdocs.yml"))
        page = SimpleNamespace(file=SimpleNamespace(src_uri=PAGE.path[5:]), meta={})
        plugin.on_page_markdown("", page, config, None)
        links = [row["href"] for row in page.meta["downloads"] if "Colab" in row["label"]]
        assert links == wanted
    assert len(export.downloads(PAGE)) == 3
    page = SimpleNamespace(file=SimpleNamespace(src_uri="contribute/markup.md"), meta={})
    plugin.on_page_markdown("", page, config, None)
    assert [row["label"] for row in page.meta["downloads"]] == ["Markdown"]  # it has no Python


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_paper_shows_what_is_folded_and_is_white(scheme, chromium, server):
    context = chromium.new_context(color_scheme=scheme, viewport={"width": 800, "height": 1100})
    tab = open_page(context, PAGE, server)
    tab.evaluate("document.querySelectorAll('details').forEach(d => { d.open = false })")
    tab.emulate_media(media="print", color_scheme=scheme)
    for part in (".hint p", ".solution p", ".solution pre", ".quiz__why li"):
        for found in tab.locator(part).all():
            assert found.is_visible() and found.bounding_box()["height"] > 10, part
    for control in (".quiz__act button", ".tick", ".downloads", ".run-here", ".md-header"):
        assert not tab.locator(f"{control}:visible").count(), control
    ink = tab.locator(".md-content p").first.evaluate("p => getComputedStyle(p).color")
    assert max(map(int, re.findall(r"\d+", ink)[:3])) < 120, f"{ink} on paper"
    wide = tab.evaluate("document.documentElement.scrollWidth - window.innerWidth")
    context.close()
    assert wide <= 0

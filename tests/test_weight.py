"""A first visit: how much it weighs, whether it moves, and what is left without scripts."""

import gzip
import re
from html import unescape
from urllib.parse import urlsplit

import pytest

from lockstep.mkdocs import lighter
from tests.pages import PAGES, sample, url_of
from tools.assets import MATHS

LESSONS = [page for page in PAGES if page.meta["kind"] == "lesson"]
HOME = next(page for page in PAGES if page.path == "docs/index.md")
KB = 1000
TEXT = {".html", ".css", ".js", ".mjs", ".json", ".svg", ".xml", ".txt", ".yml"}


def weight(file):
    """Return a file's bytes on the way to a browser, from a server that compresses text."""
    data = file.read_bytes()
    return len(gzip.compress(data, 6)) if file.suffix in TEXT else len(data)


def longest(built):
    """The lesson with the most HTML."""
    folders = {page.path: built / page.name / "index.html" for page in LESSONS}
    return max(LESSONS, key=lambda page: folders[page.path].stat().st_size)


# The first of each kind, and what has the most pictures and formulas
SHOWN = [*sample(PAGES), *(page for page in LESSONS if page.name.endswith("in-parallel")), None]
SHOWN += [page for page in PAGES if page.name == "metal/map"]  # the longest table
SHOWN += [page for page in PAGES if page.meta["kind"] == "lab" and page not in SHOWN]
REGISTER = "docs/evidence/index.md"  # each run and number of the site, on one page


@pytest.mark.parametrize("page", SHOWN, ids=lambda page: page.path if page else "longest lesson")
def test_a_first_visit_weighs_at_most_200_kb(page, context, server, built):
    page = page or longest(built)
    weigh(page, context, server, built)


def test_the_heaviest_pages_weigh_at_most_200_kb(chromium, server, built):
    """By their HTML, and the fonts of formulas: eight of all, and four that have formulas."""
    weights, maths = {}, set()
    for page in PAGES:
        data = (built / page.name.removesuffix("index") / "index.html").read_bytes()
        weights[page.path] = len(gzip.compress(data, 1))
        if b"katex" in data:
            maths.add(page.path)
    pages = sorted(PAGES, key=lambda page: -weights[page.path])
    assert pages[0].path == REGISTER
    heavy = pages[1:9] + [page for page in pages[9:] if page.path in maths][:4]
    for page in [*heavy, pages[0]]:
        context = chromium.new_context(viewport={"width": 1280, "height": 800})
        context.elsewhere = []
        most = 250 if page.path == REGISTER else 200
        weigh(page, context, server, built, most)
        context.close()


SET = re.compile(r'<span class="(m[a-z]+(?: [a-z]+)*)"[^>]*>([^<]+)<')


def test_a_formula_has_its_letters(built):
    """tools/assets.py keeps of the two fonts of formulas the characters that are named there."""
    seen, wrong = set(), set()
    for page in PAGES:
        html = (built / page.name.removesuffix("index") / "index.html").read_text(encoding="utf-8")
        for formula in html.split('class="katex-html"')[1:]:
            for classes, text in SET.findall(formula.partition("</p>")[0]):
                names = set(classes.split()) - {"mtight"}
                font = "Math-Italic" if "mathnormal" in names else "Main-Regular"
                if names <= {"mord", "mathnormal", "mbin", "mrel", "mopen", "mclose", "mpunct"}:
                    letters = set(unescape(text)) - {" ", "\u200b", "\u00a0"}
                    seen |= letters
                    wrong |= {(page.path, font, x) for x in letters - set(MATHS[f"KaTeX_{font}"])}
    assert {"∂", "π", "x", "="} <= seen, "it reads no formulas any more"
    assert not wrong, f"add to MATHS in tools/assets.py: {sorted(wrong)}"


def weigh(page, context, server, built, most=200):
    tab, asked = context.new_page(), set()
    context.on("request", lambda request: asked.add(request.url))
    tab.goto(url_of(page, server))
    tab.wait_for_load_state("networkidle")
    tab.wait_for_timeout(300)
    total = {}
    for url in asked:
        file = built / urlsplit(url).path.lstrip("/")
        file = file / "index.html" if file.is_dir() else file
        if url.startswith(server) and file.is_file():
            total[file.name] = weight(file)
    heaviest = sorted(total.items(), key=lambda item: -item[1])[:8]
    assert "index.html" in total and len(total) > 5
    print(f"{page.path}: {sum(total.values()) / KB:.0f} kB in {len(total)} files")
    assert sum(total.values()) <= most * KB, heaviest
    assert context.elsewhere == []


SHIFTS = """() => new Promise(resolve => {
  let sum = 0
  new PerformanceObserver(list => {
    for (const entry of list.getEntries()) if (!entry.hadRecentInput) sum += entry.value
  }).observe({ type: "layout-shift", buffered: true })
  setTimeout(() => resolve(sum), 500)
})"""


@pytest.mark.parametrize("width", [390, 1280])
@pytest.mark.parametrize("page", [HOME, LESSONS[0], LESSONS[-1]], ids=lambda page: page.path)
def test_a_page_does_not_move_while_it_loads(page, width, chromium, server):
    context = chromium.new_context(viewport={"width": width, "height": 800})
    tab = context.new_page()
    tab.goto(url_of(page, server))
    tab.wait_for_load_state("networkidle")
    moved = tab.evaluate(SHIFTS)
    context.close()
    assert moved < 0.1


IMAGE = re.compile(r"<img [^>]*>")
BOX = re.compile(r'viewBox="0 0 ([\d.]+) ([\d.]+)"')


def test_every_picture_says_how_large_it_is(built):
    """Its place is then kept before it comes, in a window of any width."""
    wrong, seen = [], 0
    for page in PAGES:
        folder = built / page.name.removesuffix("index")
        article = (folder / "index.html").read_text(encoding="utf-8").partition("<article")[2]
        for image in IMAGE.findall(article):
            said = dict(re.findall(r'([a-z]+)="([^"]*)"', image))
            box = BOX.search((folder / said["src"].partition("#")[0]).read_text(encoding="utf-8"))
            seen += 1
            if (said.get("width"), said.get("height")) != (box[1], box[2]):
                wrong.append(f"{page.path}: {said['src']} is {box[1]} by {box[2]}")
    assert seen > 200
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize("width", [390, 1280])
def test_a_page_does_not_move_while_somebody_scrolls_fast(width, chromium, server):
    """The page with the most code: what comes late comes while it is passed and read."""
    page = next(page for page in PAGES if page.name.endswith("/matmul-worklog"))
    context = chromium.new_context(viewport={"width": width, "height": 900})
    tab = context.new_page()
    tab.goto(url_of(page, server))
    tall = tab.evaluate("document.documentElement.scrollHeight")
    for top in range(0, tall, 3000):
        tab.evaluate("top => scrollTo(0, top)", top)
        tab.wait_for_timeout(10)
    tab.wait_for_load_state("networkidle")
    moved = tab.evaluate(SHIFTS)
    grown = tab.evaluate("document.documentElement.scrollHeight") - tall
    context.close()
    assert moved < 0.02
    assert grown < 100, "something took its place after the page was there"


PAINTED = """() => new Promise(resolve => {
  new PerformanceObserver(resolve).observe({ type: "paint", buffered: true })
}).then(() => true)"""


def hold(tab, files):
    """Keep a tab's files back. Returns what lets them go, and says how many there were."""
    held, late = [], []

    def go():
        late.append(True)
        for route in held:
            route.continue_()
        return len(held)

    tab.route(files, lambda route: route.continue_() if late else held.append(route))
    return go


FONTS_CAME = """() => [...document.fonts].filter(font => font.display === "optional")
  .every(font => font.status === "loaded")"""


@pytest.mark.parametrize("width", [390, 1440])
def test_what_comes_after_the_first_paint_has_its_place(width, chromium, server):
    """On a slow line: fonts, then the scripts with the forms of the glossary, the library and the
    map, and the sliders of bets."""
    context = chromium.new_context(viewport={"width": width, "height": 800})
    for path in ("glossary/", "library/", "metal/map/", "roadmap/optimization/cpu-caches/"):
        tab = context.new_page()
        fonts, scripts = hold(tab, "**/*.woff2"), hold(tab, "**/*.js")
        tab.goto(server + path, wait_until="commit")
        tab.wait_for_selector("footer", state="attached")
        tab.evaluate(PAINTED)
        assert fonts()
        tab.wait_for_function(FONTS_CAME)
        assert scripts()
        tab.wait_for_load_state("networkidle")
        moved = tab.evaluate(SHIFTS)
        tab.close()
        assert moved < 0.01, f"{path}: {moved:.3f}"
    context.close()


@pytest.mark.parametrize("page", [HOME, LESSONS[0]], ids=lambda page: page.path)
def test_a_page_reads_without_scripts(page, chromium, server):
    context = chromium.new_context(java_script_enabled=False)
    tab = context.new_page()
    tab.goto(url_of(page, server))
    assert tab.locator("h1").is_visible()
    assert tab.locator(".md-content pre").first.is_visible()
    for heading in tab.locator(".md-content h2").all():
        assert heading.is_visible()
    assert tab.locator(".md-tabs a, .md-nav a").first.get_attribute("href")
    assert not tab.locator("[data-copy-script]:visible").count()
    context.close()


def test_a_script_is_served_without_its_comments_and_a_template_as_it_is():
    text = "// What it does\nif (a) {\n  // why\n  b() // here\n  c = `\n  // no comment\n  x`\n}\n"
    served = "if (a) {\nb() // here\nc = `\n  // no comment\n  x`\n}\n"
    assert lighter.script(text) == served
    assert lighter.script(served) == served
    for unclear in ("// a `\nb", "// a\n`\\``"):
        assert lighter.script(unclear) == unclear

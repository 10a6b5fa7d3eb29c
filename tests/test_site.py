"""The built site: quick to build, complete, and all of its own links lead somewhere."""

import functools
import re
from html.parser import HTMLParser
from urllib.parse import unquote, urldefrag, urljoin, urlsplit

import pytest

from lockstep.site import site
from lockstep_site.roadmap import RoadmapPart
from tests.pages import PAGES, ROOT

BASE = "http://site.test/"
HREF = re.compile('href="([^"]*)"')


class Links(HTMLParser):
    def __init__(self):
        super().__init__()
        self.links, self.ids, self.loads = [], set(), []

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        if "id" in attributes:
            self.ids.add(attributes["id"])
        if tag == "a" and attributes.get("href"):
            self.links.append(attributes["href"])
        for name in ("src", "href"):
            if tag in {"img", "script", "link", "source"} and attributes.get(name):
                if attributes.get("rel") not in {"canonical", "alternate", "license"}:
                    self.loads.append(attributes[name])


@functools.cache
def read_site(built):
    found = {}
    for file in built.rglob("*.html"):
        links = Links()
        links.feed(file.read_text(encoding="utf-8"))
        name = file.relative_to(built).as_posix()
        found[BASE + name.removesuffix("index.html")] = links
    return found


def test_it_builds_from_nothing_in_time(built):
    """At a machine's usual speed, ``tests.pace``. It is some 95 s there; the rest is for noise."""
    seconds, slow = map(float, (built / ".seconds").read_text().split())
    print(f"{seconds:.0f} s of one core, {slow:.2f} times slower than usual")
    assert seconds < 130 * slow


def test_every_page_is_there(built):
    for page in PAGES:
        name = page.name.removesuffix("index").rstrip("/")
        assert (built / name / "index.html").is_file(), page.path


def test_sidebar_footer_and_box_have_one_next(built):
    """At the end of a phase too, where cheat sheets and other pages stand after the lessons."""
    pages, boxes = RoadmapPart().path(site(ROOT)), 0
    assert len(pages) > 50
    for uri in pages[:-1]:
        place = BASE + uri.removesuffix("index.md").removesuffix(".md").rstrip("/") + "/"
        file = built / urlsplit(place).path.lstrip("/") / "index.html"
        text = file.read_text(encoding="utf-8")

        def leads(name, text=text, place=place):
            found = re.search(f'<a [^>]*class="[^"]*{name}[^>]*>', text)
            return found and urljoin(place, HREF.search(found[0])[1])

        side = text.partition("md-sidebar--primary")[2].partition("md-sidebar--secondary")[0]
        links = [a for a in re.findall(r"<a [^>]*md-nav__link[^>]*>", side) if "href" in a]
        links = [urljoin(place, HREF.search(link)[1]) for link in links]
        links = list(dict.fromkeys(link for link in links if "#" not in link))
        footer, box = leads("md-footer__link--next"), leads("tick__next")
        assert footer == links[links.index(place) + 1], uri
        assert box in {footer, None}, uri
        boxes += box is not None
    assert boxes > 40


def test_every_link_and_anchor_leads_somewhere(built):
    site, broken = read_site(built), []
    for url, links in site.items():
        if url.endswith("404.html"):
            continue
        for href in links.links + links.loads:
            target, anchor = urldefrag(urljoin(url, href))
            if not target.startswith(BASE):
                continue
            path = unquote(urlsplit(target).path).lstrip("/")
            file = built / path
            if file.is_dir() and (file / "index.html").is_file():
                page = site.get(BASE + path.rstrip("/") + ("/" if path else ""), None)
                if anchor and page and unquote(anchor) not in page.ids:
                    broken.append(f"{url}: no anchor {href}")
            elif not file.is_file():
                broken.append(f"{url}: {href} leads nowhere")
    assert not broken, "\n".join(broken)


def test_nothing_is_loaded_from_another_host(built):
    away = []
    for url, links in read_site(built).items():
        away += [f"{url}: {x}" for x in links.loads if re.match(r"(https?:)?//", x)]
    for file in [*built.rglob("*.css")]:
        text = file.read_text(encoding="utf-8")
        away += [f"{file.name}: {x}" for x in re.findall(r"url\(['\"]?(https?:[^)]+)", text)]
    assert not away, "\n".join(away)


@pytest.mark.parametrize(
    ("page", "told"), [("labs/roofline", True), ("metal/pairs/add", True), ("glossary/warp", False)]
)
def test_a_page_with_kernels_says_where_they_run(page, told, built):
    text = (built / page / "index.html").read_text(encoding="utf-8")
    assert ('<ul class="facts"' in text and "Runs on" in text) == told

"""What a published site offers besides its pages: dates and a feed from git, robots.txt, cards."""

import os
import re
import struct
import subprocess
import xml.etree.ElementTree as ET
import zlib
from datetime import UTC, datetime
from urllib.parse import quote

import jinja2
import numpy as np
import pytest

from lockstep.mkdocs import published
from lockstep.source import find_root
from tests.pages import PAGES, ROOT
from tools import cards, drawing

ATOM = "{http://www.w3.org/2005/Atom}"
URL = "https://example.org/learn/"


def git(folder, *arguments, date="2026-01-01T00:00:00Z"):
    who = {"GIT_AUTHOR_NAME": "a", "GIT_AUTHOR_EMAIL": "a@example.org"}
    who |= {"GIT_COMMITTER_NAME": "a", "GIT_COMMITTER_EMAIL": "a@example.org"}
    env = os.environ | who | {"GIT_COMMITTER_DATE": date, "GIT_AUTHOR_DATE": date}
    subprocess.run(["git", "-C", str(folder), *arguments], check=True, env=env, capture_output=True)


@pytest.fixture
def tree(tmp_path):
    """Return a repository with two pages, one of which was changed later."""
    root = tmp_path / "tree"
    (root / "docs/a").mkdir(parents=True)
    git(root, "init", "-q")
    for name, date in (("docs/index.md", "2026-01-02"), ("docs/a/b.md", "2026-03-04")):
        for text in ("one", "two") if name.endswith("b.md") else ("one",):
            (root / name).write_text(text)
            git(root, "add", ".")
            git(root, "commit", "-qm", text, date=f"{date}T01:00:00+02:00")
    return root


def test_dates_are_those_of_the_last_commit(tree):
    found = published.changed(tree, ["docs"])
    assert found == {
        "docs/index.md": datetime(2026, 1, 1, 23, tzinfo=UTC),
        "docs/a/b.md": datetime(2026, 3, 3, 23, tzinfo=UTC),
    }
    git(tree, "mv", "docs", "site")  # a project may lie below the root of its repository
    (tree / "below").mkdir()
    git(tree, "mv", "site", "below/docs")
    git(tree, "commit", "-qm", "moved", date="2026-04-05T00:00:00Z")
    below = published.changed(tree / "below", ["docs"])
    assert below == dict.fromkeys(found, datetime(2026, 4, 5, tzinfo=UTC))


def test_a_commit_that_only_changes_front_matter_changes_no_page(tree):
    page = tree / "docs/index.md"

    def commit(text, day):
        page.write_text(text)
        git(tree, "commit", "-qam", text, date=f"2026-05-{day:02}T00:00:00Z")
        return published.changed(tree, ["docs"])["docs/index.md"].day

    assert commit("---\nterms: []\n---\none\n---\ntwo\n", 1) == 1
    assert commit("---\nterms: [a]\nneeds: [b]\n---\none\n---\ntwo\n", 2) == 1
    assert commit("---\nterms: [a]\n---\none\n---\n2\n", 3) == 3


def test_a_page_changes_with_the_code_that_it_shows():
    page = next(page for page in PAGES if page.path == "docs/patterns/scan.md")
    code = "kernels/scan/block.py"
    assert code in {block.path for block in page.blocks}
    day = {n: datetime(2026, 1, n, tzinfo=UTC) for n in range(1, 4)}
    other = {"kernels/gemm/tuned.py": day[3]}
    assert published.of_page(page, {page.path: day[1]} | other) == day[1]
    assert published.of_page(page, {page.path: day[1], code: day[2]} | other) == day[2]
    assert published.of_page(page, {page.path: day[2], code: day[1]} | other) == day[2]
    assert published.of_page(page, {code: day[2]}) is None  # not committed yet


def test_without_the_whole_history_there_is_no_date(tree, tmp_path, monkeypatch):
    assert published.changed(tmp_path, ["docs"]) == {}
    subprocess.run(
        ["git", "clone", "-q", "--depth", "1", f"file://{tree}", tmp_path / "shallow"], check=True
    )
    assert published.changed(tmp_path / "shallow", ["docs"]) == {}
    monkeypatch.setenv("PATH", "/nowhere")
    assert published.changed(tree, ["docs"]) == {}


def test_the_feed_has_the_newest_first_and_every_address_is_whole():
    rows = [
        published.Entry(f"<{n}> & more", "About", f"p{n}/", datetime(2026, 1, 1, n // 60, n % 60))
        for n in range(40)
    ]
    feed = ET.fromstring(published.feed(rows, "Learn", URL, "feed.xml"))
    entries = feed.findall(f"{ATOM}entry")
    assert len(entries) == published.NEWEST
    assert entries[0].find(f"{ATOM}title").text == "<39> & more"
    assert entries[0].find(f"{ATOM}id").text == f"{URL}p39/"
    assert feed.find(f"{ATOM}updated").text == "2026-01-01T00:39:00Z"
    assert [link.get("href") for link in feed.findall(f"{ATOM}link")] == [URL, f"{URL}feed.xml"]


def test_a_style_sheet_travels_without_what_was_written_for_people():
    sheet = """/* a reader's
    note */
a {  /* "one */
  content: "/* none */ \\" '";

  background: url('x/*y*/.svg');
}
"""
    light = published.lighter(sheet)
    assert light == "a {\ncontent: \"/* none */ \\\" '\";\nbackground: url('x/*y*/.svg');\n}\n"
    assert published.lighter(light) == light


def test_robots():
    assert f"Sitemap: {URL}sitemap.xml\n" in published.robots(URL)


def test_every_address_of_the_site_comes_from_one_setting(built):
    """What says where a page is to be found: all of it begins with site_url."""
    url = "http://127.0.0.1:8000/"  # the default of SITE_URL in mkdocs.yml
    html = (built / "patterns/scan/index.html").read_text(encoding="utf-8")
    said = re.findall(r'<link rel="canonical" href="([^"]+)"', html)
    said += re.findall(r'<meta property="og:url" content="([^"]+)"', html)
    assert said == [f"{url}patterns/scan/"] * 2
    assert f'content="{url}assets/vendor/cards/patterns/scan.png"' in html
    assert published.robots(url) == (built / "robots.txt").read_text(encoding="utf-8")
    for file, tag in (("sitemap.xml", "loc"), ("feed.xml", "id")):
        found = re.findall(rf"<{tag}>([^<]+)</{tag}>", (built / file).read_text(encoding="utf-8"))
        assert found and all(at.startswith(url) for at in found)


@pytest.mark.parametrize("repository", ["", "https://github.com/some/where"])
def test_each_page_links_its_source_an_edit_and_a_report(repository):
    """By the theme's own page, once the repository has an address; and the places are there."""
    theme = {"main.html": (ROOT / "overrides/main.html").read_text(encoding="utf-8")}
    theme["base.html"] = "{% block content %}{% endblock %}"
    theme["lanes.html"] = "{% macro cover(path) %}{% endmacro %}"
    theme["partials/content.html"] = ""
    made = jinja2.Environment(loader=jinja2.DictLoader(theme))
    made.filters["url"] = str
    template = made.get_template("main.html")
    for page in PAGES:
        where = page.path.removeprefix("docs/")
        html = template.render(
            config={"extra": {"repository": repository}},
            page={"file": {"src_uri": where}, "meta": page.meta, "canonical_url": URL + "a b/"},
        )
        links = dict(re.findall(r'<a href="([^"]+)">(Source|Edit|Report a mistake)</a>', html))
        form = f"{repository}/issues/new?template=page-is-wrong.yml&amp;page={quote(URL + 'a b/')}"
        wanted = {f"{repository}/blob/main/{page.path}": "Source"}
        wanted |= {f"{repository}/edit/main/{page.path}": "Edit", form: "Report a mistake"}
        assert links == (wanted if repository else {}), page.path
        assert (ROOT / page.path).is_file()
    form = (ROOT / ".github/ISSUE_TEMPLATE/page-is-wrong.yml").read_text(encoding="utf-8")
    assert "id: page\n" in form  # the field that the link fills in


# ---------------------------------------------------------------- cards


def test_a_shape_covers_its_area():
    square = [(10.25, 20.5), (30.75, 20.5), (30.75, 40.0), (10.25, 40.0)]
    triangle = [(100.0, 100.0), (300.0, 150.0), (120.0, 350.0)]
    for points, area in ((square, 20.5 * 19.5), (triangle, (200 * 250 - 20 * 50) / 2)):
        for order in (points, points[::-1]):
            got = cards.cover(list(cards.closed(order)))
            assert got.sum() == pytest.approx(area, rel=1e-9)
    assert got[160, 160] == 1 and got[90, 90] == 0


def test_a_curve_ends_where_it_should():
    curve = cards.bezier([(0, 0), (0, 2), (2, 2)])
    assert curve[-1] == (2, 2) and (0.5, 1.5) in curve


def test_a_png_is_read_back():
    rng = np.random.default_rng(1)
    colors = np.array([[255, 255, 255], [1, 2, 3], [40, 50, 60]])
    pixels = rng.integers(0, 3, (cards.HEIGHT, cards.WIDTH)).astype(np.uint8)
    data = cards.png(pixels, colors)
    assert data.startswith(b"\x89PNG\r\n\x1a\n")
    found, at = {}, 8
    while at < len(data):
        (length,) = struct.unpack(">I", data[at : at + 4])
        name, body = data[at + 4 : at + 8], data[at + 8 : at + 8 + length]
        assert struct.unpack(">I", data[at + 8 + length : at + 12 + length]) == (
            zlib.crc32(name + body),
        )
        found[name], at = body, at + 12 + length
    assert struct.unpack(">II", found[b"IHDR"][:8]) == cards.SIZE
    palette = np.frombuffer(found[b"PLTE"], np.uint8).reshape(-1, 3)
    rows = np.frombuffer(zlib.decompress(found[b"IDAT"]), np.uint8)
    index = rows.reshape(cards.HEIGHT, cards.WIDTH + 1)[:, 1:]
    assert np.array_equal(palette[index], colors[pixels])


def test_every_page_has_a_card_of_its_own_and_they_are_small():
    folder = find_root() / "docs/assets/vendor/cards"
    files = {f.relative_to(folder).with_suffix("").as_posix(): f for f in folder.rglob("*.png")}
    assert set(files) == {page.path.removeprefix("docs/").removesuffix(".md") for page in PAGES}
    assert all(file.stat().st_size < 30_000 for file in files.values())
    titles = set(cards.titles(find_root()).values())
    assert len({file.read_bytes() for file in files.values()}) == len(titles)


@pytest.fixture(scope="module")
def painter():
    root = find_root()
    inter = root / "node_modules/@fontsource/inter/files"
    fonts = {w: (inter / f"inter-latin-{w}-normal.woff2").read_bytes() for w in (400, 700)}
    return cards.Painter(fonts, root / "docs/assets/logo.svg")


def test_every_title_fits_beside_the_logo_and_loses_no_word(painter):
    for _, title in cards.titles(find_root()).values():
        size, lines = painter.lines(title)
        assert " ".join(lines) == " ".join(title.split())
        assert max(painter.width(700, size, line) for line in lines) <= cards.ROOM
        assert set(title) <= {chr(c) for c in painter.known[700]}, title


def test_the_title_is_drawn_where_nothing_else_is(painter):
    image = np.zeros((cards.HEIGHT, cards.WIDTH), np.uint8)
    painter.write(image, 700, 72, "Puzzle", cards.LEFT, 300)
    assert image.max() == 32 and not (image.astype(bool) & painter.logo.astype(bool)).any()
    rows, columns = np.nonzero(image)
    assert columns.min() >= cards.LEFT and 240 < rows.min() < rows.max() < 330


def test_each_kind_of_page_shows_a_drawing_of_the_site_beside_its_title(painter):
    assert cards.DRAWINGS.keys() == set(cards.KINDS.values()) - {"Lockstep"}
    assert len(set(cards.DRAWINGS.values())) == len(cards.DRAWINGS)
    x, y, width, height = cards.AREA
    assert x >= cards.LEFT + cards.ROOM
    for kind in cards.DRAWINGS:
        pixels, colors = painter.drawing(kind)
        rows, columns = np.nonzero(pixels)
        assert y <= rows.min() and rows.max() <= y + height
        assert x <= columns.min() and columns.max() <= x + width
        assert np.ptp(columns) > 0.8 * width or np.ptp(rows) > 0.8 * height
        assert len(colors) <= 256 and pixels.max() < len(colors)
        # White letters on a dark square: later shapes lie on earlier ones.
        assert len(np.unique(pixels)) > 5


def test_a_drawing_is_painted_as_its_svg_says_and_nothing_is_left_out(tmp_path):
    body = (
        '<defs><path id="l" d="M0 0V10H10Q10 5 5 0Z"/></defs>'
        '<rect x="0" y="0" width="10" height="10" fill="#ff0000" stroke="none"/>'
        '<polygon points="0,10 10,10 0,20" fill="#00ff00"/>'
        '<line x1="10" y1="15" x2="20" y2="15" stroke="#0000ff" stroke-width="2"/>'
        '<g fill="#000000" transform="translate(10 10) scale(0.5 -0.5)"><use href="#l" x="10"/></g>'
    )
    file = tmp_path / "x.svg"

    def painted(body):
        head = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 20 20">'
        file.write_text(f"{head}{body}</svg>", encoding="utf-8")
        image = np.full((50, 60, 3), 255.0)
        drawing.paint(file, image, (5, 5, 50, 40), cards.cover, cards.bezier)
        return image

    image = painted(body)  # twice as large, in the middle: it begins at 10, 5
    assert image[15, 20].tolist() == [255, 0, 0] and image[15, 9].tolist() == [255] * 3
    assert image[27, 13].tolist() == [0, 255, 0] and image[42, 28].tolist() == [255] * 3
    assert image[35, 40].tolist() == [0, 0, 255] and image[32, 40].tolist() == [255] * 3
    assert image[17, 42].tolist() == [0, 0, 0] and image[17, 38].tolist() == [255] * 3
    with pytest.raises(ValueError, match="x.svg: <circle>, which a card cannot draw"):
        painted('<circle r="3"/>')
    with pytest.raises(ValueError, match="the color 'red'"):
        painted(body.replace("#ff0000", "red"))


def test_a_page_names_its_card(built):
    html = (built / "puzzles/profit/index.html").read_text(encoding="utf-8")
    (image,) = re.findall(r'<meta property="og:image" content="http[^"]*?/(assets/[^"]+)"', html)
    assert image == "assets/vendor/cards/puzzles/profit.png" and (built / image).is_file()
    assert '<meta property="og:title" content="Puzzle 2: Three arrays in, one out"' in html
    assert re.search(r'<meta property="og:description" content="A map over three', html)

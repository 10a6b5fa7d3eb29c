"""The pictures of the pages are those that their scripts draw, from the code as it is now."""

import re
from importlib import import_module

import pytest

from lockstep import numbers
from lockstep.page import PageError
from lockstep_site import lesson, pictures
from snippets import diagrams
from snippets.diagrams import (
    bank_conflicts,
    common,
    divergence,
    matmul_warp,
    palette,
    panels,
    sectors,
    step_ahead,
    terms,
    two_gpus,
)
from tests.pages import PAGES, ROOT

NAMES = panels.names(diagrams)
TERMS = [name.replace("_", "-") for name in panels.names(terms)]
CORE = 60  # terms with a picture, at least
KB = 1000


@pytest.mark.parametrize("name", NAMES)
def test_a_picture_is_what_its_script_draws(name, tmp_path):
    draw = import_module(f"snippets.diagrams.{name}").draw
    for path in palette.write(name.replace("_", "-"), draw, tmp_path):
        shown = common.FOLDER / path.name
        message = f"{shown.name} is old. To mend: .venv/bin/python -m snippets.diagrams {name}"
        assert path.read_text(encoding="utf-8") == shown.read_text(encoding="utf-8"), message


def test_drawings_have_the_colors_of_the_site():
    """Those of lessons, and what a picture of a term falls back to when it is opened alone."""
    sheet = (ROOT / "docs/assets/css/lockstep.css").read_text(encoding="utf-8")
    light, _, dark = sheet.partition('[data-md-color-scheme="slate"] {')
    for theme, text in ((palette.LIGHT, light), (palette.DARK, dark)):
        site = dict(re.findall(r"--ls-([a-z]+): (#[0-9a-f]{6});", text))
        for own, name in palette.NAMED.items():
            assert theme[own] == site[name], (theme["name"], own)
        for name, pair in panels.COLORS.items():
            assert pair[theme is palette.DARK] == site[name], (theme["name"], name)


def test_every_picture_is_shown_in_both_schemes_with_one_text():
    """What a screen reader says is the same for both; a picture that no page shows is left over."""
    shown = "\n".join(p.read_text(encoding="utf-8") for p in (ROOT / "docs").rglob("*.md"))
    for name in NAMES:
        texts = []
        for scheme in ("light", "dark"):
            before, found, _ = shown.partition(f"diagrams/{name.replace('_', '-')}-{scheme}.svg#")
            assert found, f"no page shows {name} in {scheme}"
            texts.append(before.rpartition("![")[2])
        assert texts[0].split("](")[0] == texts[1].split("](")[0], name


CAPTION = re.compile(r"(?P<words>\S[^\n]*(?:\n(?!\{:)[^\n]+)*)\n *\{: \.caption \}")


def test_every_drawing_of_a_lesson_has_a_caption():
    """It stands right below the drawing, and says something that the text alternative does not."""
    lacking, seen = [], 0
    for page in PAGES:
        if page.meta["kind"] != "lesson":
            continue
        body = page.written or page.body
        for found in re.finditer(r"^ *!\[(.*)\]\(.*#only-dark\)\n+", body, re.MULTILINE):
            seen += 1
            caption = CAPTION.match(body[found.end() :].lstrip(" "))
            if not caption or len(caption["words"].split()) < 5 or caption["words"] in found[1]:
                lacking.append(f"{page.path}: {found[0].strip()[-60:]}")
    assert seen > 90
    assert not lacking, "write a line below it, and {: .caption } under that:\n" + "\n".join(
        lacking
    )


def test_the_texts_of_the_lessons_say_what_the_kernels_do():
    """Numbers that a page's words repeat from its pictures."""
    assert [sectors.warp_reads(*row)[0] for row in sectors.ROWS] == [4, 5, 8, 32]
    assert [bank_conflicts.read(shape)[1] for shape in bank_conflicts.SHAPES] == [8, 2]
    assert [len(bank_conflicts.read(shape)[0]) for shape in bank_conflicts.SHAPES] == [4, 31]
    assert [len(divergence.masks(n)) for n in (0, 1)] == [11, 8]
    assert [sum(len(lanes) == 16 for _, lanes in divergence.masks(n)) for n in (0, 1)] == [6, 0]
    assert [[len(p) for p in matmul_warp.places(s)] for s in (False, True)] == [
        [1, 8, 8],
        [8, 1, 8],
    ]
    fills, reads, steps = step_ahead.rounds(step_ahead.record())[1]
    assert [k for _, _, k, _, _ in steps] == [1, 2, 3, 4, 5, 6, 7, 0]  # step 0 is the next tile's
    assert [barrier for *_, barrier in steps] == [False] * 7 + [True]
    assert (fills, reads, steps[-1][1]) == (0, 1, 2)  # it fills what the round before used up


# ---------------------------------------------------------------- pictures of terms


@pytest.mark.parametrize("name", TERMS)
def test_a_picture_of_a_term_is_what_its_script_draws(name, tmp_path):
    module = import_module(f"snippets.diagrams.terms.{name.replace('-', '_')}")
    path = panels.write(name, module.draw(), tmp_path)
    shown = ROOT / pictures.FOLDER / path.name
    message = f"{shown.name} is old. To mend: .venv/bin/python -m snippets.diagrams {name}"
    text = path.read_text(encoding="utf-8")
    assert text == shown.read_text(encoding="utf-8"), message
    assert len(text.encode()) <= 12 * KB, f"{name}.svg is too heavy for a page of a term"


def test_sixty_terms_have_a_picture():
    """Each drawing stands on one page; that of a term on the term's own, and in lessons."""
    shown = {}
    for page in PAGES:
        for name in re.findall(r"^\[\[picture:([a-z0-9-]+)\]\]", page.body, re.MULTILINE):
            shown.setdefault(name, []).append(page)
    assert set(shown) == set(TERMS)
    pictured = [page for page in PAGES if page.meta["kind"] == "term" and "[[picture:" in page.body]
    assert len(pictured) >= CORE
    ids = {page.meta["id"] for page in pictured}
    for name, pages in shown.items():
        terms = [page.path for page in pages if page.meta["kind"] == "term"]
        if name in ids:
            assert terms == [f"docs/glossary/{name}.md"], name
        else:
            assert len(pages) == 1, f"{name} is on {[page.path for page in pages]}"


@pytest.mark.parametrize("name", TERMS)
def test_a_picture_of_a_term_says_what_it_shows(name):
    """Text alternative, caption and panels of a phone's width; no measured number is typed."""
    alt, see, drawn = pictures.read(name, ROOT)
    assert len(alt.split()) >= 15 and alt.endswith("."), "say in words what is drawn"
    assert len(see.split()) >= 15 and see.endswith("."), "say what to see in it"
    assert 1 <= len(drawn) <= 4
    words = [alt, see]
    for panel in drawn:
        assert f'viewBox="0 0 {panels.WIDTH} ' in panel
        words += re.findall(r"<t(?:ext|span)[^>]*>([^<]+)<", panel)
    assert [found for text in words for found in numbers.typed(text)] == []


def test_words_of_a_panel_keep_their_size_and_their_place():
    sheet = panels.SHEET.read_text(encoding="utf-8")
    sizes = [float(size) for size in re.findall(r"font-size: ([\d.]+)px", sheet)]
    assert sorted(sizes) == [panels.SMALL, panels.TEXT] and panels.SMALL >= 11
    panel = panels.Panel("A title")
    with pytest.raises(ValueError, match="covers 'A title'"):
        panel.text(20, 14, "other")
    with pytest.raises(ValueError, match="leaves the panel"):
        panel.text(330, 50, "a long row of words", "", "start")
    with pytest.raises(ValueError, match="its box"):
        panel.box(0, 60, 30, 20, "fa", "too many words")


def test_a_picture_that_is_not_there_is_refused():
    with pytest.raises(PageError, match="there is no picture 'weaver'.*write snippets/diagrams"):
        pictures.read("weaver", ROOT)


# Of every .picture: pixels of its smallest words, the tops and the widths of its panels.
LAID_OUT = """small => [...document.querySelectorAll('.picture')].map(figure => {
  const boxes = [...figure.querySelectorAll('svg')].map(svg => svg.getBoundingClientRect());
  return {
    words: Math.min(...[...figure.querySelectorAll('svg')].map(
      svg => small * svg.getBoundingClientRect().width / svg.viewBox.baseVal.width)),
    tops: boxes.map(box => Math.round(box.top)), share: boxes[0].width / figure.clientWidth,
    aside: document.documentElement.scrollWidth - innerWidth};
})"""


@pytest.mark.parametrize("width", [390, 1440])
def test_panels_stand_below_one_another_on_a_phone_and_side_by_side_beside_it(
    width, chromium, server
):
    context = chromium.new_context(viewport={"width": width, "height": 900})
    tab = context.new_page()
    for term, panel_count in (("warp", 2), ("lane", 1)):
        tab.goto(f"{server}glossary/{term}/")
        (found,) = tab.evaluate(LAID_OUT, panels.SMALL)
        assert found["words"] >= 11 and found["aside"] <= 0, found
        assert len(set(found["tops"])) == (panel_count if width == 390 else 1), found
        assert (found["share"] > 0.9) == (width == 390), found
    tab.goto(f"{server}glossary/bank-conflict/")
    said = tab.locator(".picture figcaption").first.inner_text()
    words = ("Above, all 32", "Below, an unused") if width == 390 else ("Left, all 32", "Right, an")
    assert all(word in said for word in words), said
    assert len(re.findall(r"\b(?:Left|Right|Above|Below),", said)) == 2
    context.close()


def test_a_picture_that_is_drawn_again_has_its_new_size(tmp_path):
    """As `make serve` sees it: one process, and a file that changes."""
    file = tmp_path / "a.svg"
    assert lesson._size_of(file) is None
    for width in ("10", "200"):
        file.write_text(f'<svg viewBox="0 0 {width} 20"></svg>', encoding="utf-8")
        assert lesson._size_of(file) == (width, "20")


def test_links_are_drawn_as_they_were_read():
    """Four GPUs at two processors, of which two have a switch; and a table without one of them."""
    table = """\tGPU0\tGPU1\tGPU2\tGPU3\tCPU Affinity\tNUMA Affinity
GPU0\t X \tNV4\tSYS\tSYS\t0-31\t0
GPU1\tNV4\t X \tSYS\tSYS\t0-31\t0
GPU2\tSYS\tSYS\t X \tPHB\t32-63\t1
GPU3\tSYS\tSYS\tPHB\t X \t32-63\t1"""
    ends = (
        "4 NVLinks, to an NVSwitch",
        "4 NVLinks, to an NVSwitch",
        *["0 NVLinks, to nothing"] * 2,
    )
    links = [f"GPU {k}: {end}; 8 lanes of PCIe 4 to the host" for k, end in enumerate(ends)]
    gpus = two_gpus.read("\n".join(links), table)
    assert [gpu[3] for gpu in gpus] == ["0", "0", "1", "1"] and gpus[2][4][3] == "PHB"
    drawn = two_gpus.picture(common.LIGHT, gpus)
    assert drawn.count("<line") == 4 + 2 * 4  # PCIe of each, and the links of two
    assert "GPU 3: 0 NVLinks to nothing, PCIe 4 x8, PHB and SYS" in drawn
    with pytest.raises(ValueError, match="3 GPUs in links.txt, 4 in topology.txt"):
        two_gpus.read("\n".join(links[:3]), table)

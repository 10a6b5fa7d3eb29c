"""The glossary: what is refused, the web of terms, and the words that lead to them."""

import gzip
import json
import re
from urllib.parse import urldefrag, urljoin

import markdown
import pytest

from lockstep import export, site
from lockstep import markdown as extension
from lockstep.evidence import Evidence
from lockstep.page import PageError, read, read_all
from lockstep_site import glossary, tables
from lockstep_site.glossary import Glossary
from tests.browser import axe
from tests.houses import settle
from tests.pages import PAGES, ROOT, open_at
from tests.records import all_records

SETTINGS = """
groups:
  - {id: execution, title: Execution}
  - {id: memory, title: Memory}
platforms:
  - {id: cuda, title: CUDA}
  - {id: metal, title: Metal}
words: {1: 30, 2: 15}
planned: [later]
"""
TERM = """---
title: {title}
description: The definition of {title}, in one sentence of a fair length.
kind: term
id: {id}
group: execution
priority: 2
aliases: [{id} alias]
tooltip: [{id}]
names: {{cuda: "`{id}`", metal: M {id}}}
related: [{related}]
sources:
  - {{title: A book, url: "https://example.org/book", read: page}}
---

# {title}

This is what {title} is, said in a first paragraph, one that has words enough to be a definition.
"""
LESSON = """---
title: A lesson
description: It uses words.
kind: lesson
---

# A warp in a heading

A Warp is one, two warps are more; `warp` is code, and a [warp](other.md) in a link is no term.

??? quiz "What is a warp?"
    - [x] A warp

        Indeed, a warp.

    - [ ] A lane

        No warp.

## A second warp

| warp | other |
|---|---|
| cell | a bank
conflict is no match over cells |

Prewarp, warp-level and warp.size stay, a *bank
conflict* does not, and warps come once.
"""


@pytest.fixture
def house(tmp_path):
    """A small glossary: warp, lane and bank conflict, and a lesson that names the first."""
    settle(tmp_path)

    def put(path, text):
        file = tmp_path / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")

    put("docs/glossary/glossary.yml", SETTINGS)
    for ident, related in (("warp", "lane"), ("lane", "bank"), ("bank", "warp, later")):
        put(
            f"docs/glossary/{ident}.md", TERM.format(id=ident, title=ident.title(), related=related)
        )
    put.root = tmp_path

    def look():
        return Glossary(tmp_path, read_all(tmp_path))

    def change(old, new, ident="warp"):
        file = tmp_path / f"docs/glossary/{ident}.md"
        text = file.read_text(encoding="utf-8")
        assert old in text
        file.write_text(text.replace(old, new, 1), encoding="utf-8")
        return look().mistakes

    put.look, put.change = look, change
    return put


def test_a_sound_glossary_has_no_mistake(house):
    assert house.look().mistakes == []


# old text of warp.md, new text, what is said, line of it
REFUSED = {
    "no sources": (
        '\n  - {title: A book, url: "https://example.org/book", read: page}',
        " []",
        "has no sources",
        12,
    ),
    "nothing opened": ("read: page", "read: not_opened", "none of its sources was opened", 12),
    "read in no known way": ("read: page", "read: skimmed", "'skimmed' is unknown", 13),
    "a source without address": ("https://example.org/book", "a shelf", "is no address", 13),
    "an unknown term": ("related: [lane]", "related: [lana]", "there is no term 'lana'", 11),
    "itself": ("related: [lane]", "related: [warp]", "related to itself", 11),
    "a name of another": ("warp alias", "LANE", "'lane' is claimed", 8),
    "an alias of another": ("warp alias", "Lane Alias", "'lane alias' is claimed", 8),
    "a word of another": ("tooltip: [warp]", "tooltip: [lane]", "'lane' is claimed", 9),
    "an unknown group": ("group: execution", "group: other", "unknown group 'other'", 6),
    "an unknown platform": ("metal:", "vulkan:", "unknown platform 'vulkan'", 10),
    "an odd id": ("id: warp", "id: wrap", "not the name of the file", 5),
    "too short": (", one that has words enough to be a definition", "of few words", "has 1", 16),
    "no definition": ("This is what", "- This is what", "definition is missing", 18),
    "a long tooltip": ("in one sentence", "in one" + " long" * 40, "characters", 3),
    "no words for pages": ("tooltip: [warp]\n", "", "has no tooltip", 1),
    "a second heading": ("\nThis is", "\n## More\n\nThis is", "a second heading", 18),
    "another heading": ("# Warp", "# Warps", "the heading is not the title", 16),
    "another priority": ("priority: 2", "priority: 1", "the term has 19 words", 16),
}


@pytest.mark.parametrize("case", REFUSED)
def test_a_mistake_is_refused_with_file_line_and_mend(case, house):
    old, new, what, line = REFUSED[case]
    mistakes = house.change(old, new)
    said = [mistake for mistake in mistakes if what in mistake.what]
    assert said, mistakes
    assert (said[0].path, said[0].line) == ("docs/glossary/warp.md", line)
    assert said[0].mend and len(mistakes) <= 2


def test_the_command_refuses_an_id_that_no_term_has(house, capsys):
    assert glossary.check_terms(house.root, ["wrap"]) == 1
    said = capsys.readouterr().out
    assert "docs/glossary/wrap.md:1: there is no such term" in said and "Nothing" not in said


def test_a_term_that_few_pages_link_is_refused_when_all_are_written(house):
    mistakes = house.change("related: [warp, later]", "related: []", "bank")
    assert mistakes == []  # others are to come
    house("docs/glossary/glossary.yml", SETTINGS.replace("planned: [later]", ""))
    [first, second] = house.look().mistakes
    assert "1 pages link this term" in first.what and first.path == "docs/glossary/bank.md"
    assert second.path == "docs/glossary/warp.md"


def test_a_term_without_a_glossary_is_refused(house):
    (house.root / "docs/glossary/glossary.yml").unlink()
    assert "no docs/glossary/glossary.yml" in house.look().mistakes[0].what


# ---------------------------------------------------------------- the words


def html_of(house, name):
    """Return the HTML of a page as the extension makes it."""
    site.forget()
    page = read(house.root / name, house.root)
    ours = extension.LockstepExtension(root=str(house.root))
    names = ["attr_list", "md_in_html", "tables", "pymdownx.details", "pymdownx.superfences"]
    return markdown.markdown(page.body, extensions=[*names, ours])


def words(html):
    return re.findall(r'<a (?=[^>]*data-term="\w)[^>]*class="term"[^>]*>([^<]+)</a>', html)


def test_the_words_of_terms_become_links_once_in_a_section(house):
    house("docs/lessons/a.md", LESSON)
    house("docs/lessons/other.md", LESSON.replace("kind: lesson", "kind: other") + "More.\n")
    house.change("tooltip: [bank]", "tooltip: [bank conflict]", "bank")
    html = html_of(house, "docs/lessons/a.md")
    assert words(html) == ["Warp", "bank\nconflict", "warps"]
    assert 'href="../glossary/warp.md">Warp</a>' in html
    assert words(html_of(house, "docs/lessons/other.md")) == []  # a page about the site
    assert words(html_of(house, "docs/glossary/warp.md")) == ["Lane", "Bank"]  # not on its own


def test_a_form_with_a_capital_is_matched_as_it_is_written(house):
    house.change("tooltip: [warp]", "tooltip: [SM, shared memory]")
    found = house.look()

    def spotted(text):
        return [text[start:end] for start, end, _ in found.spot(text)]

    assert spotted("SM, SMs, Sm, sm_90, SM-like, a SM.") == ["SM", "SMs", "SM"]
    assert spotted("Shared memory, shared Memory, shared\nmemory") == [
        "Shared memory",
        "shared\nmemory",
    ]


def test_the_longest_form_wins(house):
    house.change("tooltip: [lane]", "tooltip: [warp scheduler]", "lane")
    [(start, end, term)] = house.look().spot("the warp schedulers")
    assert (start, end, term.id) == (4, 19, "lane")


def test_a_link_to_a_term_that_is_to_come_is_no_link_yet(house):
    house.change("words enough", "[words](later.md) enough, [other](lane.md#x)")
    html = html_of(house, "docs/glossary/warp.md")
    assert "<span>words</span>" in html and "later.md" not in html
    assert re.search(r'<a (?=[^>]*class="term")[^>]*href="lane.md#x"[^>]*>other</a>', html)


def test_a_page_may_say_which_terms_it_is_about(house):
    house("docs/lessons/a.md", LESSON.replace("kind: lesson", "kind: lesson\nterms: [lane, later]"))
    html = html_of(house, "docs/lessons/a.md")
    assert re.search(r'<p class="about"[^>]*><strong>Terms</strong> <a [^>]*>Lane</a></p>', html)
    found = house.look()
    assert [page.path for page in found.used_in(found.terms["lane"])] == ["docs/lessons/a.md"]
    house("docs/lessons/a.md", LESSON.replace("kind: lesson", "kind: lesson\nterms: [lana]"))
    [mistake] = house.look().mistakes
    assert mistake.path == "docs/lessons/a.md" and mistake.line == 5


def test_a_long_list_of_uses_is_folded_by_kind(house, monkeypatch):
    house("docs/lessons/a.md", LESSON)
    assert "1 lesson" not in html_of(house, "docs/glossary/warp.md")
    monkeypatch.setattr(glossary, "FEW", 0)
    html = html_of(house, "docs/glossary/warp.md")
    assert re.search(r'<details class="folded".*?<summary>1 lesson</summary>', html, re.DOTALL)
    assert "../lessons/a.md" in html


def test_names_relations_uses_and_sources_stand_below_a_term(house):
    house(
        "kernels/k.py", '"""What a warp does."""\n\n# --8<-- [start:a]\nx = 1\n# --8<-- [end:a]\n'
    )
    house("docs/lessons/a.md", LESSON + '\n```python\n--8<-- "kernels/k.py:a"\n```\n')
    house.change("sources:", 'unverified: ["How wide it is."]\nsources:')
    html = html_of(house, "docs/glossary/warp.md")
    assert re.search(r"<dt>CUDA</dt>\s*<dd><code>warp</code></dd>", html)
    found = house.look()
    warp = found.terms["warp"]
    assert [term.id for term in found.related(warp)] == ["lane", "bank"]  # bank names warp
    assert [page.path for page in found.used_in(warp)] == ["docs/lessons/a.md"]
    assert [path for path, _ in found.kernels(warp)] == ["kernels/k.py"]
    for text in ("See also", "Used in", "../lessons/a.md", "1 file of code", "How wide it is."):
        assert text in html
    assert 'href="https://example.org/book"' in html
    [row] = [
        row
        for row in glossary.rows(found, Evidence(house.root), export.address)
        if row["id"] == "warp"
    ]
    assert row["related"] == ["lane", "bank"] and row["names"]["cuda"] == "warp"
    assert [use["kind"] for use in row["used_in"]] == ["lesson", "kernel"]
    assert row["snippet"] is None and row["measured"] == []


def test_the_lists_have_every_term(house):
    found = house.look()
    assert glossary.render("groups", found, "glossary").count("<li") == 3
    assert glossary.render("letters", found, "glossary").count("<li") == 3
    table = glossary.render("metal", found, "glossary/platforms")
    assert "| M lane | [Lane](../lane.md) |" in table
    plain = glossary.plain_text(glossary.render("groups", found, "glossary"))
    assert "<" not in plain and "CUDA `warp`; Metal M warp" in plain


def test_a_name_may_hold_what_markdown_and_html_would_read(house):
    house.change("M warp", "'a|b __c__ `buffer<T>|x`'")
    found = house.look()
    table = glossary.render("metal", found, "glossary")
    groups = glossary.render("groups", found, "glossary")
    for text in (table, groups):
        html = markdown.markdown(text, extensions=["attr_list", "md_in_html", "tables"])
        assert "a|b __c__ <code>buffer&lt;T&gt;|x</code>" in html


def test_figures_of_a_term_are_found_from_its_keys(house):
    house.change("words enough", "words, [[micro:a-b.times]], [[bench:c.ours]] and `[[micro:d]]`,")
    assert house.look().terms["warp"].measured == ["a-b", "c"]


# ---------------------------------------------------------------- tables of facts

FACTS = """
sources:
  book: {title: A book, url: "https://example.org/b", read: page}
  talk: {title: A talk, url: "https://example.org/t", read: secondary}
tables:
- id: chips
  title: Chips
  columns: [{id: name, title: Chip}, {id: cores, title: Cores}, {id: speed, title: "Speed, GB/s"}]
  rows:
  - {id: a, name: A|B, cores: 65536, speed: 1.5, sources: [book, talk]}
  - {id: b, name: B, cores: 8, unverified: [cores], note: Said so., sources: [talk]}
"""


def test_a_table_shows_values_doubts_and_sources(house):
    house("docs/glossary/hardware.yml", FACTS)
    text = tables.render("chips", house.root)
    assert "| Chip | Cores | Speed, GB/s | Sources |" in text
    assert r"| A\|B | 65,536 | 1.5 | [1](https://example.org/b){ .source } [2]" in text
    assert "| B † | 8 (?) | – | [2]" in text and "A value with (?)" in text
    assert "Rows with †:\n\n- **B**: Said so.\n" in text
    assert "2. [A talk](https://example.org/t) (not the vendor's)" in text
    [first, second] = tables.rows(house.root)
    assert first["values"] == {"name": "A|B", "cores": 65536, "speed": 1.5}
    assert second["unverified"] == ["cores"] and second["values"]["speed"] is None


@pytest.mark.parametrize(
    "old, new, what, line",
    [
        ("unverified: [cores], ", "", "the row 'b' has no source that was opened", 11),
        ("unverified: [cores]", "unverified: [speed]", "doubts what it does not say", 11),
        ("speed: 1.5", "sped: 1.5", "the unknown column 'sped'", 10),
        ("sources: [book, talk]", "sources: [film]", "names the source 'film'", 10),
        ("id: b,", "id: a,", "is there twice", 10),
        ("read: secondary", "read: heard", "the source 'talk' is not whole", 4),
        ("name: B, ", "", "the row 'b' has no name", 11),
        ("https://example.org/t", "example.org/t", "the source 'talk' has no address", 4),
        ("  rows:", "  lines:", "it cannot be read: 'rows'", 1),
    ],
)
def test_a_mistake_in_a_table_is_refused(old, new, what, line, house):
    assert old in FACTS
    house("docs/glossary/hardware.yml", FACTS.replace(old, new, 1))
    with pytest.raises(PageError) as caught:
        tables.load(house.root)
    assert what in str(caught.value)
    assert caught.value.mistakes[0].line == line


def test_two_tables_of_one_name_are_refused(house):
    again = (
        FACTS[FACTS.index("- id: chips") :].replace("id: a,", "id: c,").replace("id: b,", "id: d,")
    )
    house("docs/glossary/hardware.yml", FACTS + again.lstrip("\n"))
    with pytest.raises(PageError, match="the table 'chips' is there twice"):
        tables.load(house.root)


def test_a_table_that_is_not_there_is_refused(house):
    with pytest.raises(PageError, match="names no table"):
        tables.render("chips", house.root)


# ---------------------------------------------------------------- this glossary


@pytest.fixture(scope="module")
def ours():
    return Glossary(ROOT, PAGES)


def test_every_term_of_this_glossary_is_sound(ours):
    assert ours.mistakes == []


def test_the_glossary_is_whole(ours):
    """What it promises: no term to come, none alone, and the least that it has of each kind."""
    rows = glossary.rows(ours, all_records(), export.address)
    found = {
        "terms": len(rows),
        "to come": len(ours.planned),
        "linked from fewer than two pages": sum(
            len(ours.linked_from(term)) < glossary.LINKS for term in ours.terms.values()
        ),
        "proved on a GPU or CPU": sum(row["snippet"] in {"gpu", "cpu"} for row in rows),
        "with a measured number": sum(bool(row["measured"]) for row in rows),
        "with names on three platforms": sum(len(row["names"]) >= 3 for row in rows),
    }
    least = {"terms": 283, "proved on a GPU or CPU": 90, "with a measured number": 60}
    least["with names on three platforms"] = 120
    assert not found["to come"] and not found["linked from fewer than two pages"], found
    assert all(found[name] >= number for name, number in least.items()), found


def test_what_uses_a_term_links_it_on_the_built_site(built):
    """The text of a page and its tree are searched apart: they must find the same words."""
    rows = json.loads((built / "data/glossary.json").read_text(encoding="utf-8"))
    links: dict[str, set[str]] = {}
    for row in rows:
        for use in row["used_in"]:
            url = use["url"].removeprefix("./")
            if use["kind"] in {"kernel", "map"}:
                continue
            if url not in links:
                text = (built / url / "index.html").read_text(encoding="utf-8")
                text = re.search(r"<article.*?</article>", text, re.DOTALL)[0]
                found = (urljoin(f"http://x/{url}", a) for a in re.findall(r'href="([^"]+)"', text))
                links[url] = {urldefrag(address)[0] for address in found}
            assert f"http://x/{row['url']}" in links[url], (row["id"], url)
    assert len(rows) > 0 and len(links) > 5


# ---------------------------------------------------------------- in a browser

LESSON_URL = "roadmap/foundation/memory-hierarchy/"


def test_a_definition_shows_under_the_pointer_and_for_the_keyboard(context, server):
    tab = open_at(context, server + LESSON_URL)
    assert tab.locator(":is(h1, h2, h3, h4, pre, code, nav, form, th) a.term").count() == 0
    word = tab.locator("p a.term").first
    word.hover()
    tip = tab.locator(".defined")
    tip.wait_for()
    assert tip.inner_text() == word.get_attribute("data-term")
    assert word.get_attribute("aria-describedby") == tip.locator("[role=tooltip]").get_attribute(
        "id"
    )
    near, box = word.bounding_box(), tip.bounding_box()
    assert abs(box["y"] - near["y"] - near["height"]) < 20 or near["y"] > box["y"] + box["height"]
    tip.hover()  # it stays while the pointer is on it
    tab.wait_for_timeout(300)
    assert tip.count() == 1
    tab.keyboard.press("Escape")
    assert tip.count() == 0 and word.get_attribute("aria-describedby") is None
    word.focus()
    tip.wait_for()
    tab.evaluate(axe())
    assert tab.evaluate("axe.run(VIOLATIONS).then(r => r.violations.map(v => v.id))") == []
    tab.keyboard.press("Escape")
    assert tip.count() == 0
    tab.keyboard.press("Enter")  # a link, and in place: the theme does not load the page anew
    tab.wait_for_url("**/glossary/**")
    assert tip.count() == 0
    second = tab.locator(".terms a.term").first
    second.focus()
    tip.wait_for()
    box = tip.bounding_box()
    assert box["x"] >= 0 and box["x"] + box["width"] <= 1280


def test_a_tap_shows_the_definition_and_a_link_in_it_goes_on(chromium, server):
    context = chromium.new_context(viewport={"width": 390, "height": 800}, has_touch=True)
    tab = open_at(context, server + LESSON_URL)
    word = tab.locator("p a.term").first
    word.tap()
    tip = tab.locator(".defined")
    tip.wait_for()
    assert tab.url.split("#")[0] == server + LESSON_URL
    assert tab.evaluate("document.documentElement.scrollWidth") <= 390
    tab.locator("h1").tap()
    assert tip.count() == 0
    word.tap()
    tip.get_by_role("link").tap()
    tab.wait_for_url("**/glossary/**")
    context.close()


def test_the_index_is_filtered_and_put_in_a_platforms_words_by_keyboard(context, server):
    tab = open_at(context, server + "glossary/")
    entries = tab.locator(".entries > li")
    whole = entries.count()
    tab.get_by_label("Filter").focus()
    tab.keyboard.type("simd-group warp")
    shown = [entry for entry in entries.all() if entry.is_visible()]
    assert 0 < len(shown) < whole
    assert tab.locator(".finder [role=status]").inner_text() == f"{len(shown)} of {whole} terms"
    assert tab.locator(".letters > li:visible").count() == len(shown)
    tab.get_by_label("Show first the name of").focus()
    tab.keyboard.type("Metal")
    entry = tab.locator(".entries > li", has=tab.get_by_role("link", name="Warp", exact=True)).first
    assert entry.inner_text().startswith("SIMD-group")
    tab.get_by_label("Filter").focus()
    tab.keyboard.press("Control+A")
    tab.keyboard.type("wavefront work-items")
    tab.keyboard.press("Enter")
    tab.wait_for_url("**/glossary/wavefront/")
    first = tab.locator(".names > div").first
    first.locator("dt", has_text="Metal").wait_for()  # in place
    tab.reload()
    assert tab.locator(".names > div").first.inner_text().split() == ["Metal", "SIMD-group"]


def test_the_filter_shows_names_before_definitions_and_matches_the_beginnings_of_words(
    context, server
):
    tab = open_at(context, server + "glossary/")
    links = tab.locator(".entries > li:visible > a")
    whole = links.count()
    tab.get_by_label("Filter").fill("LDS")
    assert links.first.inner_text() == "Local data share (LDS)"
    assert "All-gather" not in links.all_inner_texts()  # holds
    tab.get_by_label("Filter").fill("warp")
    assert links.first.inner_text() == "Warp"
    assert 1 < links.count() < whole
    tab.get_by_label("Filter").fill("arpgroup")
    assert links.count() == tab.locator(".letters > li:visible").count() == 0
    tab.get_by_label("Filter").fill("")
    assert links.count() == tab.locator(".letters > li:visible").count() == whole


def test_the_glossary_reads_without_scripts(chromium, server):
    context = chromium.new_context(java_script_enabled=False)
    tab = context.new_page()
    tab.goto(server + "glossary/")
    assert tab.locator(".entries > li:visible").count() == tab.locator(".letters > li").count()
    tab.locator(".finder").get_by_role("link", name="Metal").click()
    assert tab.locator("td", has_text="SIMD-group").first.is_visible()
    context.close()


def test_the_script_is_light(built):
    file = built / "assets/js/glossary.js"
    assert len(gzip.compress(file.read_bytes())) < 2304

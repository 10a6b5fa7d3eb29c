"""The map: rows that are sound, mistakes that end the build, and a filter for every reader."""

import json
import re

import jsonschema
import markdown
import numpy as np
import pytest

from lockstep.page import PageError
from lockstep_site import mapping
from lockstep_site.glossary import Glossary
from simulator import hosts, metal
from tests.pages import PAGES, ROOT

DATA = """
columns: [{id: cuda, title: CUDA}, {id: metal, title: Metal}, {id: hip, title: HIP}]
equivalences: [{id: exact, title: exact, meaning: same}, {id: none, title: none, meaning: nothing}]
groups: [{id: basics, title: Basics}]
planned: {terms: [warp], pairs: [add]}
claims:
- {claim: "`a` is `b`", verdict: narrow, rows: [first], why: Not always.}
sources:
  book: {title: A book, url: "https://example.org/book", read: page}
  rumor: {title: A rumor, url: "https://example.org/rumor", read: secondary}
rows:
- {id: first, group: basics, cuda: "`a|b`", metal: x < y_z, equivalence: exact, sources: {book: 1}}
- {id: second, group: basics, cuda: c, metal: none, equivalence: none, unverified: [metal]}
"""


@pytest.fixture
def small(tmp_path):
    def write(text=DATA):
        path = tmp_path / mapping.DATA
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        return tmp_path

    return write


# ---------------------------------------------------------------- data


def test_the_map_has_its_rows_groups_and_claims():
    data, rows = mapping.load(ROOT), mapping.rows(ROOT)
    assert len(rows) >= 168 and len(data["groups"]) == 15 and len(data["claims"]) >= 20
    assert {row["equivalence"] for row in rows} == {kind["id"] for kind in data["equivalences"]}
    assert {claim["verdict"] for claim in data["claims"]} == set(mapping.VERDICTS)


def test_the_schema_wants_an_opened_source_or_a_word_that_there_is_none():
    text = (mapping.MappingPart.schemas / "mapping.json").read_text(encoding="utf-8")
    schema = jsonschema.Draft202012Validator(json.loads(text))
    rows = mapping.rows(ROOT)
    assert not list(schema.iter_errors(rows))
    row = next(row for row in rows if not row["unverified"])
    for wrong in ({"sources": []}, {"equivalence": "like"}, {"hip": ""}, {"pair": "metal/x"}):
        assert list(schema.iter_errors([row | wrong]))


@pytest.mark.parametrize(
    ("old", "new", "said", "line"),
    [
        ("sources: {book: 1}}", "sources: {rumor: 1}}", "no source that was opened", 12),
        ("none, unverified: [metal]", "none", "no source that was opened", 13),
        ("{book: 1}", "{paper: 1}", "unknown source 'paper'", 12),
        ("equivalence: exact", "equivalence: alike", "unknown equivalence 'alike'", 12),
        ("group: basics, cuda: c", "group: other, cuda: c", "unknown group 'other'", 13),
        ("id: second", "id: first", "the id 'first' is used twice", 13),
        ("cuda: c,", "cuda: c, terms: [wrap],", "links to 'wrap', which is no page", 13),
        ("cuda: c,", "cuda: c, pair: sub,", "links to 'sub', which is no page", 13),
        ("cuda: c,", "cuda: c, note: x,", "unknown key note", 13),
        ("metal: none,", "", "says nothing of metal", 13),
        ("verdict: narrow", "verdict: maybe", "unknown verdict 'maybe'", 7),
        ("rows: [first]", "rows: [third]", "'third', which is no row", 7),
        ("read: page", "read: skimmed", "does not say how it was read", 9),
        ("rows:\n-", "rows:\n -- {", "not YAML", 12),
    ],
)
def test_a_mistake_is_named_with_its_line_and_a_way_to_mend_it(old, new, said, line, small):
    assert DATA.count(old) == 1
    with pytest.raises(PageError) as error:
        mapping.load(small(DATA.replace(old, new)))
    mistakes = [m for m in error.value.mistakes if said in m.what]
    assert mistakes and f"{mapping.DATA}:{line}: " in str(mistakes[0]), str(error.value)
    assert mistakes[0].mend


def test_a_term_or_pair_that_is_written_is_linked(small):
    linked = DATA.replace("cuda: c,", "cuda: c, terms: [warp], pair: add,")
    root = small(linked)
    assert "glossary/warp" not in mapping.render("all", root, "metal")
    for path in ("docs/glossary/warp.md", "docs/metal/pairs/add.md"):
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text("x", encoding="utf-8")
    text = mapping.render("all", root, "metal")
    assert "(../glossary/warp.md)" in text and "(pairs/add.md)" in text
    assert mapping.rows(root)[1]["pair"] == "metal/pairs/add/"


def test_a_row_survives_markdown(small):
    root = small()
    extensions = ["attr_list", "md_in_html", "tables"]
    html = markdown.markdown(mapping.render("all", root, "metal"), extensions=extensions)
    first, second = re.findall(r"<tr>\s*<td.*?</tr>", html, re.DOTALL)
    assert re.search(r'<td [^>]*id="first"', first) and "<code>a|b</code>" in first
    assert "x &lt; y_z" in first and "Claim: <code>a</code> is <code>b</code>." in first
    assert 'href="https://example.org/book"' in first and "Unverified:" in second
    assert first.count("<td") == second.count("<td") == 5
    plain = mapping.as_text("all", root, "metal")
    assert "<form" not in plain and "<span" not in plain and "#first" in plain
    with pytest.raises(PageError, match="names no part"):
        mapping.render("nothing", root, "metal")


def said_names(text):
    """The words of a cell, without the marks and the little words between the names."""
    little = set("a and as by for from in is it of on or other others to with".split())
    found = {word.replace("_", "").replace("-", "") for word in re.findall(r"[\w-]+", text.lower())}
    return {word.rstrip("s") for word in found} - little - {""}


def test_the_map_and_the_glossary_call_one_thing_by_one_name():
    rows = {row["id"]: row for row in mapping.rows(ROOT)}
    terms = Glossary(ROOT, PAGES).terms
    columns = [column["id"] for column in mapping.load(ROOT)["columns"]]
    differ = []
    for ident, same in mapping.load(ROOT)["same"].items():
        if ident == mapping.LINE:
            continue
        row = rows[ident]
        for term in same:
            assert term in row["terms"], f"the row {ident} does not link to {term}"
            for column in columns:
                ours, theirs = row[column], terms[term].names.get(column)
                if bool(ours) != bool(theirs):
                    differ.append(f"{ident} and {term}, {column}: {ours or theirs} in one alone")
                elif ours and not said_names(ours) & said_names(theirs):
                    differ.append(f"{ident} and {term}, {column}: {ours} is not {theirs}")
    assert not differ, "\n".join(differ)


# ---------------------------------------------------------------- the filter, in a browser


FILTER = "form.map-filter"
URL = "metal/map/"


@pytest.fixture(scope="module")
def opened(chromium, server):
    context = chromium.new_context(reduced_motion="reduce")
    tab = context.new_page()
    tab.goto(f"{server}{URL}")
    yield tab
    context.close()


@pytest.fixture
def tab(opened):
    """The map, as it is before anything is filtered."""
    opened.set_viewport_size({"width": 1280, "height": 900})
    opened.wait_for_selector(f"{FILTER} [name=q]:visible")
    opened.evaluate("location.hash = 'q='")
    opened.wait_for_selector(f"{FILTER} [type=reset]", state="hidden")
    opened.wait_for_selector(".map--all tbody tr >> nth=-1")  # no row is hidden any more
    return opened


def shown(tab, selector=".map--all tbody tr"):
    """How many rows a reader sees: quicker than to ask for each of them."""
    script = "rows => rows.filter(row => row.getClientRects().length).length"
    return tab.locator(selector).evaluate_all(script)


def said(tab):
    return tab.locator(f"{FILTER} [role=status]").text_content()


def test_the_filter_works_by_keyboard_and_can_be_passed_on(tab, server):
    total = shown(tab)
    assert total == len(mapping.rows(ROOT)) and said(tab) == f"{total} rows."
    tab.locator(f"{FILTER} [name=q]").focus()
    tab.keyboard.type("shuffle down")
    few = shown(tab)
    assert 0 < few < 10 and tab.locator("#shfl-dir").is_visible()
    assert said(tab) == f"{few} of {total} rows."
    tab.keyboard.press("Tab")  # to the group
    tab.keyboard.type("Warp")  # a letter or more chooses an option
    tab.keyboard.press("Tab")  # to the first kind of match
    tab.keyboard.press("Tab")
    tab.keyboard.press("Space")
    assert tab.evaluate("document.activeElement.value") == "close"
    assert shown(tab) == shown(tab, ".map--all .map__eq--close")
    link = tab.url
    assert link.endswith("#q=shuffle+down&group=simd&eq=close")
    other = tab.context.new_page()
    other.goto(link)
    other.wait_for_selector(f"{FILTER} [name=q]:visible")
    assert said(other) == said(tab) and other.locator("h2:visible").count() == 2  # and Sources
    tab.locator(f"{FILTER} [type=reset]").focus()
    tab.keyboard.press("Enter")
    tab.wait_for_function("() => location.hash === ''")
    assert said(tab) == f"{total} rows."
    assert tab.evaluate("document.activeElement.name") == "q"


def test_a_link_to_a_row_shows_it_whatever_is_filtered(tab, server):
    tab.goto(f"{server}{URL}#group=atomics")
    tab.wait_for_function("() => document.querySelector('#syncthreads').closest('tr').hidden")
    tab.goto(f"{server}{URL}#syncthreads")
    tab.wait_for_selector("#syncthreads:visible")


def test_each_choice_narrows_the_rows_to_those_that_have_it(tab):
    rows = mapping.rows(ROOT)
    claims = {ident for claim in mapping.load(ROOT)["claims"] for ident in claim["rows"]}
    wanted = {
        "eq=none": sum(row["equivalence"] == "none" for row in rows),
        "eq=exact.metal-only": sum(row["equivalence"] in ("exact", "metal-only") for row in rows),
        "only=claims": len(claims),
        "only=unverified": sum(bool(row["unverified"]) for row in rows),
        "only=pairs&group=simd": sum(bool(r["pair"]) and r["group"] == "simd" for r in rows),
    }
    for hash, count in wanted.items():
        tab.evaluate("hash => { location.hash = hash }", hash)
        tab.wait_for_function(
            f"() => document.querySelector('{FILTER}').textContent.includes('{count} of')"
        )
        assert shown(tab) == count, hash


def test_on_a_phone_rows_are_cards_and_nothing_scrolls_sideways(tab):
    tab.set_viewport_size({"width": 360, "height": 780})
    tab.evaluate("location.hash = 'with=hip.opencl.sycl.webgpu'")
    tab.wait_for_function("() => document.querySelectorAll('[name=with]:checked').length === 4")
    assert tab.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0
    card = tab.locator("tr:has(#syncthreads)")
    assert card.evaluate("node => getComputedStyle(node).display") == "block"
    lefts = card.locator("td:visible").evaluate_all(
        "cells => cells.map(cell => cell.getBoundingClientRect().left)"
    )
    assert len(lefts) == 8 and len(set(lefts)) == 1  # one below the other
    named = card.locator("td").first.evaluate("c => getComputedStyle(c, '::before').content")
    assert named == '"CUDA"'
    tab.fill(f"{FILTER} [name=q]", "syncthreads")
    assert 0 < shown(tab) < 20


def test_without_scripts_the_tables_are_there_and_columns_switch(chromium, server):
    context = chromium.new_context(java_script_enabled=False)
    tab = context.new_page()
    tab.goto(f"{server}{URL}")
    assert shown(tab) == len(mapping.rows(ROOT))
    assert not tab.locator(f"{FILTER} [name=q]").is_visible()
    cell = tab.locator("tr:has(#syncthreads) td").nth(3)
    assert not cell.is_visible()
    tab.check(f"{FILTER} [value=hip]")
    assert cell.is_visible() and cell.text_content() == "__syncthreads()"
    context.close()


# ---------------------------------------------------------------- the Metal of its pages


def dispatch(file, kernel, arguments, threads, group):
    if not hosts.compiler():
        pytest.skip("no C++ compiler here")
    source = metal.read(ROOT / f"snippets/metal/{file}.metal")
    metal.dispatch_threads(source, kernel, arguments, threads=threads, group=group)


def test_the_kernels_of_the_traps_do_what_their_pages_say():
    x = np.random.default_rng(7).uniform(-1, 1, 32).astype(np.float32)
    total, turned, sizes = np.zeros(1, np.float32), np.zeros(32, np.float32), np.zeros(2, np.uint32)
    dispatch("sixteen", "sum_sixteen", [x, total], 32, 32)
    np.testing.assert_allclose(total, x[:16].sum(), rtol=1e-5)
    dispatch("reverse", "reverse", [x, turned], 32, 32)
    np.testing.assert_array_equal(turned, x[::-1])
    dispatch("particle", "sizes", [sizes], 1, 1)
    assert sizes.tolist() == [32, 16]
    scratch = np.zeros(32, np.float32)
    dispatch("barrier_stands", "pass_on", [x, scratch, turned], 32, 32)
    np.testing.assert_array_equal(turned, np.roll(x, -1))

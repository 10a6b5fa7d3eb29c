"""The library: whole entries, mistakes that end the build, a filter for every reader."""

import re

import pytest

from lockstep.page import PageError
from lockstep_site import lesson, library, roadmap
from tests.pages import PAGES, ROOT

DATA = """
kinds: {book: book, video: video}
levels: {start: to start with, deep: to go deep}
languages: {en: English, ru: Russian}
sections:
- id: first
  title: First
  rows:
  - {title: "A [book]", url: "https://example.org/a_(b)", note: "It is one.", kind: book, lang: en, level: start, phase: foundation, topics: [cuda]}
  - {title: Film, url: "https://www.example.org/film/", note: "It moves.", kind: video, lang: ru, level: deep, phase: distributed, topics: [tensor cores, cuda]}
"""  # noqa: E501


@pytest.fixture
def small(tmp_path):
    def write(text=DATA):
        path = tmp_path / library.DATA
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        return tmp_path

    return write


def test_the_library_names_what_readers_collected_in_both_languages():
    rows = library.rows(ROOT)
    assert len(named(rows)) >= 190
    assert len({row["url"] for row in rows}) == len({row["title"] for row in rows}) == len(rows)
    assert sum(row["lang"] == "ru" for row in rows) >= 10


def named(rows):
    """The rows that have the title of what they lead to: an address, or what stands in where
    nobody could open the page, as its note says, is none."""
    bare = re.compile(r"^(https?://|www\.)|^[\w.-]+\.\w+/\S*$")
    return [
        row
        for row in rows
        if not bare.search(row["title"])
        and "could not open it to give its title" not in row["note"]
    ]


def test_the_page_says_how_many_entries_have_no_title():
    """And one that has none is not counted as named: neither an address nor a number is a title."""
    rows = library.rows(ROOT)
    others = [row for row in rows if row not in named(rows)]
    words = ("no", "one", "two", "three", "four", "five")
    text = (ROOT / "docs/library/index.md").read_text(encoding="utf-8")
    assert f"; {words[len(others)]} entries have no title, and say so." in text
    assert named([rows[0] | {"title": rows[0]["url"]}, rows[0] | {"title": "habr.com/ru/1"}]) == []
    numbers = [row["title"] for row in named(rows) if re.search(r"статья \d+$", row["title"])]
    assert numbers == []


def test_a_sentence_stands_alone_because_the_list_is_filtered():
    leaning = r"\b(above|below|the same (book|course|talk|article|algorithm|puzzles|list))\b"
    assert [r["note"] for r in library.rows(ROOT) if re.search(leaning, r["note"], re.I)] == []


def test_each_lesson_has_three_entries_that_fit_it():
    chosen = library.fitting(ROOT)
    items = {row["id"]: row for row in roadmap.items(ROOT)}
    assert set(chosen) <= set(items)
    lessons = {i for page in PAGES if page.meta["kind"] == "lesson" for i in page.meta["roadmap"]}
    assert lessons <= set(chosen) | {i for i in items if i.startswith("q-")}
    page = next(page for page in PAGES if page.meta.get("roadmap") == ["o-roofline"])
    links = [link.get("href") for link in lesson.further(page).iter("a")]
    assert links == [row["url"] for row in chosen["o-roofline"]] and len(set(links)) == 3


def test_terms_with_a_picture_have_two_entries_that_go_further():
    chosen = library.beyond(ROOT)
    terms = {page.meta["id"]: page for page in PAGES if page.meta["kind"] == "term"}
    assert set(chosen) <= set(terms)
    assert all(len(rows) == 2 for rows in chosen.values())
    pictured = {ident for ident, page in terms.items() if "[[picture:" in page.body}
    # Of the library's entries none is about paging a KV cache.
    assert pictured - set(chosen) == {"pagedattention"}


def test_further_reading_stands_below_the_sources(built):
    text = (built / "glossary/roofline-model/index.html").read_text(encoding="utf-8")
    below = text.partition('id="sources"')[2].partition('id="further-reading"')[2]
    for row in library.beyond(ROOT)["roofline-model"]:
        assert f'href="{row["url"]}"' in below


def test_an_entry_for_a_lesson_that_the_library_lacks_is_refused_at_its_line(small):
    root = small(DATA)
    file = root / library.LESSONS
    both = "- https://example.org/a_(b)\n- https://www.example.org/film/\n"
    file.write_text(f"# three\nf-vector-add:\n{both}- https://example.org/none\n", encoding="utf-8")
    with pytest.raises(PageError) as caught:
        library.fitting(root)
    (mistake,) = caught.value.mistakes
    assert (mistake.path, mistake.line) == (library.LESSONS, 5) and "is not in" in mistake.what
    file.write_text(f"f-vector-add:\n{both}", encoding="utf-8")
    with pytest.raises(PageError, match="has 2 different entries"):
        library.fitting(root)


# Where pages of the list were, and no longer are: moved by their owners.
MOVED = {
    "github.com/cuda-mode/": "github.com/gpu-mode/",
    "youtube.com/@CUDAMODE": "youtube.com/@GPUMODE",
    "docs.pytorch.org/docs/stable/torch.compiler": "…/stable/user_guide/torch_compiler/",
    "pytorch/blob/main/docs/source/torch.compiler": "docs.pytorch.org, user_guide/torch_compiler/",
}


@pytest.mark.parametrize("name", [library.DATA, library.LESSONS])
def test_nothing_is_named_where_it_no_longer_is(name):
    text = (ROOT / name).read_text(encoding="utf-8")
    assert [f"{old} is now {new}" for old, new in MOVED.items() if old in text] == []


@pytest.mark.parametrize(
    ("old", "new", "what"),
    [
        ("It is one.", "", "has no note"),
        ("It is one.", "It is one", "no sentence"),
        ("kind: book", "kind: scroll", "unknown kind 'scroll'"),
        ("level: deep", "level: abyss", "unknown level 'abyss'"),
        ("lang: ru", "lang: xx", "unknown lang 'xx'"),
        ("phase: distributed", "phase: later", "unknown phase 'later'"),
        ("https://example.org/a_(b)", "example.org", "odd address"),
        ("https://www.example.org/film/", "http://example.org/a_(b)", "an earlier row has"),
        ("topics: [cuda]", "topics: [cuda], stars: 5", "unknown key stars"),
        ("sections:", "parts:", "cannot be read"),
    ],
)
def test_a_mistake_names_file_line_and_remedy(small, old, new, what):
    root = small(DATA.replace(old, new, 1))
    with pytest.raises(PageError) as caught:
        library.load(root)
    (mistake,) = caught.value.mistakes
    assert what in mistake.what and mistake.path == library.DATA and mistake.mend
    wrong = "Film" if new.startswith(("level: abyss", "lang: xx", "phase: later", "http:")) else "["
    line = DATA.splitlines()[mistake.line - 1]
    assert wrong in line or "cannot be read" in what


def test_an_entry_becomes_a_line_with_its_marks(small):
    text = library.render("all", small())
    assert "- [A \\[book\\]](https://example.org/a_%28b%29): It is one." in text
    assert 'data-kind="video" data-lang="ru" data-level="deep" data-phase="distributed"' in text
    assert 'data-topics="tensor-cores cuda"' in text and "video, Russian, to go deep" in text
    plain = library.as_text("all", small())
    assert "<" not in plain and "data-" not in plain and "It moves." in plain
    with pytest.raises(PageError, match="names no part"):
        library.render("some", small())


# ---------------------------------------------------------------- the filter, in a browser


FILTER = "form.library-filter"
SHOWN = "rows => rows.filter(row => row.getClientRects().length).length"


@pytest.fixture(scope="module")
def tab(chromium, server):
    context = chromium.new_context(reduced_motion="reduce")
    tab = context.new_page()
    tab.goto(f"{server}library/")
    tab.wait_for_selector(f"{FILTER} [name=q]:visible")
    yield tab
    context.close()


def shown(tab):
    return tab.locator(".library li").evaluate_all(SHOWN)


def test_the_filter_narrows_the_list_and_can_be_passed_on(tab, server):
    rows = library.rows(ROOT)
    wanted = {
        "lang=ru": sum(row["lang"] == "ru" for row in rows),
        "topics=attention&kind=paper": sum(
            "attention" in row["topics"] and row["kind"] == "paper" for row in rows
        ),
        "level=start&phase=foundation": sum(
            (row["level"], row["phase"]) == ("start", "foundation") for row in rows
        ),
    }
    for chosen, count in wanted.items():
        tab.goto(f"{server}library/#{chosen}")
        said = f"{count} of {len(rows)} entries."
        tab.wait_for_function(
            "([selector, said]) => document.querySelector(selector).textContent === said",
            arg=[f"{FILTER} [role=status]", said],
        )
        # The words come before the layout: without one, no entry has a place on the screen yet.
        tab.wait_for_selector(".library li:not([hidden])")
        assert shown(tab) == count > 0
    tab.locator(f"{FILTER} [type=reset]").click()
    tab.wait_for_function("() => location.hash === ''")
    assert shown(tab) == len(rows)
    tab.locator(f"{FILTER} [name=q]").press_sequentially("decoupled")
    assert 0 < shown(tab) < 5 and tab.url.endswith("#q=decoupled")


def test_without_scripts_every_entry_is_there(chromium, server):
    context = chromium.new_context(java_script_enabled=False)
    tab = context.new_page()
    tab.goto(f"{server}library/")
    assert shown(tab) == len(library.rows(ROOT))
    assert not tab.locator(FILTER).is_visible()
    context.close()

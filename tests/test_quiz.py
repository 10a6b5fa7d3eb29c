"""Quizzes, exercises and what else stands around a lesson: right markup, and what is refused."""

import gzip
import html
import posixpath
import re
from itertools import pairwise
from pathlib import Path
from xml.etree.ElementTree import Element

import markdown
import pytest
from mkdocs.config import load_config
from mkdocs.exceptions import BuildError

from lockstep import collect, site
from lockstep.page import PageError, read
from lockstep_site import lesson, quiz, roadmap
from tests.houses import settle
from tests.pages import PAGES, ROOT

LESSONS = [page for page in PAGES if page.meta["kind"] == "lesson"]
META = "---\ntitle: A page\ndescription: It asks.\nkind: other\n---\n"
QUIZ = """??? quiz "Is `a < b`?"
    - [ ] No, *never*

        It is: a comes first.

        And b comes after it.

    - [x] Yes
        and always

        Look again.

"""
EXERCISE = """??? hint
    Look.

??? hint "The second"
    Look closer.

??? solution
    ```pycon
    --8<-- "snippets/example.txt"
    ```

"""


@pytest.fixture(scope="module")
def extensions():
    """The extensions of the real site."""
    config = load_config(str(ROOT / "mkdocs.yml"))
    return {"extensions": config.markdown_extensions, "extension_configs": config.mdx_configs}


@pytest.fixture
def house(tmp_path, monkeypatch):
    """A tiny repository. Call it to write a page, and read it."""
    settle(tmp_path)
    for folder in ("docs/roadmap", "kernels", "snippets"):
        (tmp_path / folder).mkdir(parents=True)
    (tmp_path / "snippets/example.txt").write_text(">>> 1 + 1\n2\n")
    (tmp_path / "snippets/silent.txt").write_text(">>> x = 1\n")
    (tmp_path / "snippets/claim.py").write_text("x = 1\nassert x + 1 == 2\n")
    (tmp_path / "snippets/plain.py").write_text("x = 1\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(site, "RECHECK", 0)
    monkeypatch.delenv("LOCKSTEP_DRAFT", raising=False)

    def plant(body, meta=META, name="page"):
        file = tmp_path / f"docs/{name}.md"
        file.write_text(meta + body, encoding="utf-8")
        return read(file, tmp_path)

    return plant


def refused(house, body):
    with pytest.raises(PageError) as error:
        house(body)
    assert all("To mend: " in str(mistake) for mistake in error.value.mistakes)
    return [str(mistake).split(". To mend")[0] for mistake in error.value.mistakes]


def words(text):
    return " ".join(html.unescape(re.sub(r"<[^>]*>", " ", text)).split())


# ---------------------------------------------------------------- quizzes


def test_a_quiz_is_read(house):
    page = house("Text.\n\n" + QUIZ + "More.\n\n" + QUIZ.replace("Is ", "Was "))
    (first, second), exercises = quiz.read(page.body, page.body_line, page.blocks)
    assert exercises == []
    assert (first.line, first.question) == (8, "Is `a < b`?")
    assert [(a.line, a.right, a.text) for a in first.answers] == [
        (9, False, "No, *never*"),
        (15, True, "Yes and always"),
    ]
    assert re.fullmatch("[0-9a-f]{8}", first.key) and first.key != second.key


def test_another_wording_of_a_reason_is_the_same_quiz(house):
    def key(text):
        return quiz.read(text, 1, [])[0][0].key

    assert key(QUIZ) == key(QUIZ.replace("Look again", "Look once more"))
    assert key(QUIZ) != key(QUIZ.replace("never", "seldom"))


def test_a_quiz_becomes_a_form_whose_answers_are_explained(house, extensions):
    page = house("# A page\n\n" + QUIZ + "\n" + QUIZ.replace("Is ", "Was "))
    text = markdown.Markdown(**extensions).convert(page.body)
    form, other = re.findall(r"<form.*?</form>", text, re.DOTALL)
    assert 'data-quiz="' in form and "data-search-exclude" in form
    legend = re.search(r"<legend>(.*?)</legend>", form, re.DOTALL)[1]
    assert words(legend) == "Question 1 of 2 Is a < b ?" and "<code>a &lt; b</code>" in legend
    labels = re.findall(r"<label.*?</label>", form, re.DOTALL)
    assert [words(label) for label in labels] == ["No, never", "Yes and always"]
    assert all(f'type="radio" value="{n}"' in label for n, label in enumerate(labels))
    assert "<em>never</em>" in labels[0]
    reasons = re.findall(r'<li class="(\w+)">(.*?)</li>', form, re.DOTALL)
    assert [(kind, words(reason)) for kind, reason in reasons] == [
        ("wrong", "Wrong: No, never It is: a comes first. And b comes after it."),
        ("right", "Right: Yes and always Look again."),
    ]
    assert form.index('aria-live="polite"') < form.index("<details") and "task-list" not in text
    assert words(other).startswith("Question 2 of 2 Was a < b ?")
    assert text.count('class="score"') == 1 and text.index('class="score"') > text.rindex("</form>")


def test_a_quiz_alone_is_not_numbered(house, extensions):
    page = house("# A page\n\n" + QUIZ)
    text = markdown.Markdown(**extensions).convert(page.body)
    assert words(re.search(r"<legend>(.*?)</legend>", text, re.DOTALL)[1]) == "Is a < b ?"


# What is planted instead of what, and what is refused. The quiz begins on line 6.
BAD_QUIZZES = {
    "no right answer": ("[x] Yes", "[ ] Yes", [":6: a quiz without a right answer"]),
    "two right answers": ("[ ] No", "[x] No", [":13: a second right answer"]),
    "no explanation": ("        Look again.\n", "", [":13: an answer without an explanation"]),
    "explanation too far left": (
        "        Look again.",
        "    Look again.",
        [":16: this line belongs to no answer", ":13: an answer without an explanation"],
    ),
    "explanation without an empty line": (
        "always\n\n        Look",
        "always\n        Look",
        [":13: an answer without an explanation"],
    ),
    "no question": (' "Is `a < b`?"', "", [":6: a quiz without a question"]),
    "the same answer twice": (
        "Yes\n        and always",
        "No, *never*",
        [":7: the same answer twice", ":13: the same answer twice"],
    ),
    "a mistyped mark": (
        "- [x] Yes",
        "- [y] Yes",
        [
            ":13: this line belongs to no answer",
            ":6: a quiz with one answer only",
            ":6: a quiz without a right answer",
        ],
    ),
    "text before the answers": (
        "    - [ ] No",
        "    Think.\n\n    - [ ] No",
        [":7: this line belongs to no answer"],
    ),
    "indented": ("???", "    ???", [":6: a quiz inside something else"]),
}


@pytest.mark.parametrize("name", BAD_QUIZZES)
def test_a_bad_quiz_is_refused_with_file_and_line(house, name):
    old, new, says = BAD_QUIZZES[name]
    assert QUIZ.count(old) == 1
    assert refused(house, QUIZ.replace(old, new)) == [f"docs/page.md{line}" for line in says]


def test_a_quiz_with_one_answer_and_one_with_none_are_refused(house):
    one = QUIZ[: QUIZ.index("    - [x]")].replace("[ ]", "[x]")
    assert refused(house, one) == ["docs/page.md:6: a quiz with one answer only"]
    assert refused(house, '??? quiz "Why?"\n\nText.\n') == [
        "docs/page.md:6: a quiz without an answer"
    ]


def test_a_quiz_that_the_site_would_not_show_ends_the_build(house, extensions):
    """Inside HTML, Markdown sees no box."""
    page = house("# A page\n\n<div>\n" + QUIZ + "</div>\n")
    with pytest.raises(BuildError, match=r"docs/page.md:\d+: 0 quizzes and 0 exercises are shown"):
        markdown.Markdown(**extensions).convert(page.body)


# ---------------------------------------------------------------- exercises


def test_an_exercise_is_hints_and_then_solutions(house, extensions):
    page = house("# A page\n\n" + EXERCISE + "Text.\n\n" + EXERCISE)
    _, exercises = quiz.read(page.body, page.body_line, page.blocks)
    assert [(len(e.hints), len(e.solutions)) for e in exercises] == [(2, 1), (2, 1)]
    text = markdown.Markdown(**extensions).convert(page.body)
    frames = text.split('<div class="exercise"')[1:]
    assert len(frames) == 2
    titles = re.findall(r"<summary>(.*?)</summary>", frames[0])
    titles = [title for title in titles if title != "Record"]  # of a block in the solution
    assert titles == ["Hint 1 of 2", "Hint 2 of 2: The second", "Solution"]
    assert f'data-solved="{exercises[0].key}"' in frames[0]
    assert 'class="tip hint"' in frames[0] and 'class="success solution"' in frames[0]


def test_two_exercises_that_follow_each_other_are_two(house):
    page = house(EXERCISE + EXERCISE)
    assert len(quiz.read(page.body, page.body_line, page.blocks)[1]) == 2


def test_a_python_solution_with_an_assert_is_proved(house):
    body = EXERCISE.replace("pycon", "python").replace("example.txt", "claim.py")
    assert len(quiz.read(body, 1, house(body).blocks)[1]) == 1


HINT, SOLUTION = EXERCISE.split("??? hint")[1], EXERCISE[EXERCISE.index("??? solution") :]
BAD_EXERCISES = {
    "one hint": ("??? hint" + HINT, "", ":6: an exercise with one hint"),
    "no hint": (EXERCISE, SOLUTION, ":6: an exercise with no hint"),
    "no solution": (SOLUTION, "", ":6: an exercise without a solution"),
    "an empty hint": ("    Look.\n", "", ":6: an empty hint"),
    "nothing runs": (SOLUTION, "??? solution\n    It is 2.\n", ":12: a solution that nothing"),
    "no output": ("example.txt", "silent.txt", ":12: a solution that nothing proves"),
    "only shown": ("pycon", 'text shown="why"', ":12: a solution that nothing proves"),
    "no assert": (
        'pycon\n    --8<-- "snippets/example.txt',
        'python\n    --8<-- "snippets/plain.py',
        ":12: a solution that nothing proves",
    ),
}


@pytest.mark.parametrize("name", BAD_EXERCISES)
def test_a_bad_exercise_is_refused_with_file_and_line(house, name):
    old, new, says = BAD_EXERCISES[name]
    assert EXERCISE.count(old) == 1
    said = refused(house, EXERCISE.replace(old, new))
    assert any(line.startswith(f"docs/page.md{says}") for line in said), said


def test_a_solution_that_fails_fails_the_run_with_file_and_line(house):
    root = house(EXERCISE).root
    (root / "snippets/example.txt").write_text(">>> 1 + 1\n3\n")
    said = []
    done, _ = collect.run_page(root / "docs/page.md", said.append)
    assert not done and "snippets/example.txt:1" in "\n".join(said)


# ---------------------------------------------------------------- every lesson


@pytest.mark.parametrize("page", LESSONS, ids=lambda page: page.path)
def test_each_lesson_asks_three_questions_and_has_an_exercise(page):
    quizzes, exercises = quiz.read(page.body, page.body_line, page.blocks)
    assert len(quizzes) >= 3 and all(len(q.answers) >= 3 for q in quizzes)
    assert exercises
    assert page.meta.get("minutes") and "??? question" not in page.body


def test_the_right_answer_is_not_always_in_the_same_place():
    """Whoever always takes the second answer must not pass."""
    places = [0, 0, 0]
    for page in LESSONS:
        for q in quiz.read(page.body, page.body_line, page.blocks)[0]:
            places[[a.right for a in q.answers].index(True)] += 1
    assert max(places) <= 0.5 * sum(places), places


def test_keys_are_unique():
    keys = []
    for page in LESSONS:
        for row in quiz.read(page.body, page.body_line, page.blocks):
            keys += [part.key for part in row]
    assert len(set(keys)) == len(keys)


# ---------------------------------------------------------------- facts, ticks, the graph

DATA = """
phases:
- {id: one, title: One, timeline: now, focus: all, groups: [{title: G, items: [
    {id: f-a, title: A}, {id: f-b, title: B}, {id: f-c, title: C}, {id: f-d, title: D}]}]}
questions:
- {id: q-install, title: "How?"}
ways:
- {title: I know B, text: Then go on., items: [f-c, f-d], knows: [f-b]}
"""


def claim(name, needs="[]", more="kind: lesson\nminutes: 70\n"):
    return (
        f"---\ntitle: Page {name}\ndescription: x\n{more}roadmap: [f-{name}]\nneeds: {needs}\n---\n"
    )


@pytest.fixture
def lessons(house):
    """Pages a, b and c, where c needs both others; d is planned."""
    root = house("# X\n").root
    (root / roadmap.DATA).write_text(DATA)
    house("# Page a\n\nFirst.\n", claim("a"), "a")
    house("# Page b\n\nSecond.\n", claim("b", "[f-a]"), "b")
    house("# Page c\n\nThird.\n\nFourth.\n", claim("c", "[f-a, f-b, f-d]"), "c")
    return root


def facts(page, items, folder="."):
    rows = list(lesson.facts(page, items, folder))
    return [words("".join(part.itertext())) for part in rows]


def test_a_lesson_begins_with_its_time_its_needs_and_where_it_runs(lessons, extensions):
    page = read(lessons / "docs/c.md", lessons)
    items = {row["id"]: row for row in roadmap.items(lessons)}
    place, time, needs, runs = facts(page, items)
    assert place == "Lesson 3 of 3, One"
    assert time == "Time 1 h 10 min"
    assert needs == "You need Page a, Page b and D (planned)"
    assert runs == "Runs on any computer, without a GPU."
    text = markdown.Markdown(**extensions).convert(page.body)
    assert text.index("Third") < text.index('class="facts"') < text.index("Fourth")
    assert 'href="a.md"' in text  # the site's engine checks and rewrites it


@pytest.mark.parametrize("kind", ["pattern", "other", "lab", "lesson"])
def test_a_page_of_any_kind_begins_with_the_gpu_that_it_needs(house, extensions, kind):
    """Where that is more than any CUDA GPU."""
    Path("kernels/one.py").write_text("from numba import cuda\n\nassert cuda\n")
    body = '# Page\n\nFirst.\n\nSecond.\n\n```python\n--8<-- "kernels/one.py"\n```\n'
    needs = META.replace("kind: other", f"kind: {kind}").replace(
        "\n---\n", '\ncompute_capability: "8.0"\n---\n'
    )
    page = house(body, needs)
    text = markdown.Markdown(**extensions).convert(page.body)
    assert (
        text.index("First") < text.index("compute capability 8.0 or newer") < text.index("Second")
    )
    page = house(body.replace("Page", "Another"), META)
    assert 'class="facts"' not in markdown.Markdown(**extensions).convert(page.body)


def test_where_a_page_runs_is_what_its_blocks_and_front_matter_say():
    say = {page.name.split("/")[-1]: lesson.where_it_runs(page) for page in LESSONS}
    assert re.fullmatch(
        r"any CUDA GPU; \d+ of its \d+ blocks of code also without one, in Numba's simulator\.",
        say["vector-add"],
    )
    assert say["nccl"].startswith("2 CUDA GPUs in one machine; ")


def test_the_tick_names_the_items_and_the_next_page(lessons):
    page = read(lessons / "docs/b.md", lessons)
    items = {row["id"]: row for row in roadmap.items(lessons)}
    box = lesson.tick(page, [items["f-b"]], items, ".")
    assert box.find(".//input").get("data-done") == "f-b"
    assert box.find(".//a[@class='tick__next']").get("href") == "c.md"
    last = lesson.tick(read(lessons / "docs/c.md", lessons), [items["f-c"]], items, ".")
    assert last.find(".//a[@class='tick__next']") is None


def test_the_graph_leaves_out_what_follows_and_keeps_lines_short():
    rows = [
        {"id": "a", "needs": []},
        {"id": "b", "needs": ["a"]},
        {"id": "c", "needs": ["a"]},
        {"id": "d", "needs": ["a"]},
        {"id": "e", "needs": ["b", "a"]},
        {"id": "f", "needs": ["d", "b", "c"]},
        {"id": "g", "needs": ["d"]},
    ]
    lines, arrows = lesson.layout(rows)
    assert [sorted(line) for line in lines] == [["a"], ["b", "c", "d"], ["e", "f", "g"]]
    assert ("a", "e") not in arrows and ("b", "e") in arrows and len(arrows) == 8
    assert (lines[1].index("b") < lines[1].index("d")) == (
        lines[2].index("e") < lines[2].index("g")
    )


def test_a_wide_level_takes_several_lines():
    rows = [{"id": "a", "needs": []}] + [{"id": f"b{n}", "needs": ["a"]} for n in range(7)]
    assert [len(line) for line in lesson.layout(rows)[0]] == [1, 3, 3, 1]


def test_the_picture_and_the_words_say_the_same(lessons):
    rows = roadmap.items(lessons)
    said = roadmap.render("graph", lessons, ".")
    assert "- [Page c](c.md): after [Page a](a.md) and [Page b](b.md) and D (planned)" in said
    drawn: Element = lesson.graph(rows, ".")
    assert {n.get("data-item") for n in drawn.iter() if n.get("data-item")} == {
        "f-a", "f-b", "f-c", "f-d"
    }  # fmt: skip
    assert {n.get("href") for n in drawn.iter("a")} == {"a.md", "b.md", "c.md"}


def test_the_ways_in_are_links_with_a_time(lessons):
    said = roadmap.render("ways", lessons, ".")
    assert "1. [Page c](c.md)" in said and "2. D (planned)" in said
    assert words(said.split("\n")[2]) == "- **I know B** · 1 h 10 min"


def test_a_phase_sums_its_time(lessons):
    assert "3 of 4 written, 3\u00a0h\u00a030\u00a0min" in roadmap.render("one", lessons, ".")


@pytest.mark.parametrize(
    ("name", "needs", "says"),
    [
        ("a", "[f-z]", "docs/a.md:7: the roadmap has no item 'f-z'"),
        ("a", "f-b", "docs/a.md:7: needs is not a list"),
        ("a", "[f-c]", "docs/a.md:7: this page needs itself, by way of 'f-a'"),
        ("a", "[f-a]", "docs/a.md:7: this page needs itself, by way of 'f-a'"),
    ],
)
def test_wrong_needs_are_refused_with_file_and_line(lessons, name, needs, says):
    (lessons / f"docs/{name}.md").write_text(claim(name, needs) + "# Page\n")
    with pytest.raises(PageError) as error:
        roadmap.items(lessons)
    assert str(error.value).startswith(says)


def test_a_way_over_nothing_is_refused(lessons):
    (lessons / roadmap.DATA).write_text(DATA.replace("[f-c, f-d]", "[f-c, f-q]"))
    with pytest.raises(PageError, match=r"roadmap.yml:8: the way 'I know B' leads over 'f-q'"):
        roadmap.load(lessons)


def test_the_order_of_the_path_is_held_against_what_is_needed(lessons):
    early = DATA.replace("{id: f-a, title: A}, {id: f-b, title: B}", "{id: f-b, title: B}")
    early = early.replace("{id: f-c, title: C}", "{id: f-c, title: C}, {id: f-a, title: A}")
    (lessons / roadmap.DATA).write_text(early)
    with pytest.raises(PageError, match=r"docs/b.md:7: f-b needs f-a, which comes later"):
        roadmap.items(lessons)


def test_a_way_in_leads_over_nothing_before_what_it_needs(lessons):
    (lessons / roadmap.DATA).write_text(DATA.replace("knows: [f-b]", "knows: [f-a]"))
    with pytest.raises(PageError, match=r"'I know B' leads to f-c before f-b, which it needs"):
        roadmap.items(lessons)


def test_one_list_orders_the_sidebar_the_next_box_and_the_phases():
    rows = roadmap.path(roadmap.items(ROOT))
    phases = [phase["id"] for phase in roadmap.load(ROOT)["phases"]]
    nav = [{"Roadmap": [{"A phase": [f"roadmap/{phase}/index.md"]} for phase in phases]}]
    roadmap.RoadmapPart().navigation(nav, site.site(ROOT))
    told = [page for phase in nav[0]["Roadmap"] for page in phase["A phase"][1:]]
    assert told == [row["page"] for row in rows]
    # Every lesson, and a page of another kind where the roadmap has an item for it.
    pages = {page.uri: page for page in PAGES if page.uri in told}
    assert {page.uri for page in LESSONS} <= set(told) == set(pages)
    items = {row["id"]: row for row in roadmap.items(ROOT)}
    for here, there in pairwise(rows):
        claimed = [items[ident] for ident in pages[here["page"]].meta["roadmap"]]
        box = lesson.tick(pages[here["page"]], claimed, items, "roadmap")
        link = box.find(".//a[@class='tick__next']").get("href")
        assert posixpath.normpath(posixpath.join("roadmap", link)) == there["page"]
    for phase in phases:
        shown = re.findall(r"\]\(([\w-]+\.md)\)", roadmap.render(phase, ROOT))
        own = [row["page"].split("/")[-1] for row in roadmap.path(list(items.values()), phase)]
        assert shown == own


def test_a_lesson_without_a_place_is_refused(lessons, house):
    (lessons / "docs/roadmap").mkdir(exist_ok=True)
    house("# Page q\n", claim("q").replace("roadmap: [f-q]\n", ""), "roadmap/q")
    with pytest.raises(PageError, match=r"docs/roadmap/q.md:1: this lesson has no place"):
        roadmap.RoadmapPart().navigation([], site.site(lessons))


def test_the_scripts_are_small():
    files = [ROOT / f"docs/assets/js/{name}.js" for name in ("progress", "quiz")]
    assert len(gzip.compress(b"".join(file.read_bytes() for file in files))) < 6000

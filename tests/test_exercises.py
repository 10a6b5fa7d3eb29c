"""Graded exercises: each solution passes, each tempting wrong answer does not, and it says why."""

import copy
import functools
import re
from types import SimpleNamespace

import pytest

from lockstep.evidence import file_digest
from lockstep.page import PageError
from lockstep_site import bet, exercise, lesson, puzzles, quiz, waiting
from simulator import grade
from tests.pages import PAGES, ROOT
from tests.records import all_records

NAMES = exercise.names(ROOT)
TEXTS = {name: exercise.load(name, ROOT).text for name in NAMES}
# Wrong in result, where the exercise's own file, which measurements are bound to, has one such
# answer beside those that are right and above par.
WRONG_TOO = {
    ("relative", "divided by the last price"): (
        [["prices[row, 0]", "prices[row, -1]"]],
        "should be",
    ),
    ("relative", "the first price of all"): ([["prices[row, 0]", "prices[0, 0]"]], "should be"),
    ("quarter_turn", "turned the other way"): (
        [["shared[31 - lane, row]", "shared[lane, 31 - row]"]],
        "should be",
    ),
    ("quarter_turn", "turned over, not around"): (
        [["shared[31 - lane, row]", "shared[lane, row]"]],
        "should be",
    ),
}
WRONG = [(name, label) for name in NAMES for label in exercise.load(name, ROOT).wrong]


@functools.cache
def graded(name, code):
    """Return the verdict on an answer, which several tests ask for: nobody changes one."""
    return grade.grade(TEXTS[name], code)


@pytest.mark.parametrize("name", NAMES)
def test_the_solution_passes_and_reaches_par(name):
    known = exercise.load(name, ROOT)
    verdict = graded(name, known.solution)
    assert verdict["passed"] and not verdict["notes"], verdict["message"]
    assert verdict["met"] is (True if known.par else None)
    assert [passed for _, passed in verdict["cases"]] == [True] * len(verdict["cases"])


@pytest.mark.parametrize("name", NAMES)
def test_what_the_reader_starts_from_is_not_the_answer(name):
    """It fails, or it is right and above par: something is left to do."""
    known = exercise.load(name, ROOT)
    verdict = grade.grade(TEXTS[name], known.program)
    assert not verdict["passed"] or verdict["met"] is False, verdict["message"]


def wrong_answer(name, label):
    """Return the program of a wrong answer, and words of its verdict."""
    known = exercise.load(name, ROOT)
    if label in known.wrong:
        return known.wrong[label]
    edits, says = WRONG_TOO[name, label]
    return grade.edited(known.solution, edits, 1), says


@pytest.mark.parametrize(("name", "label"), [*WRONG, *WRONG_TOO])
def test_a_tempting_answer_is_refused_with_a_reason(name, label):
    code, says = wrong_answer(name, label)
    verdict = graded(name, code)
    assert not verdict["passed"] or verdict["met"] is False
    assert not verdict["passed"] or (name, label) not in WRONG_TOO
    assert says in verdict["message"]
    if verdict["line"]:
        assert 1 <= verdict["line"] <= len(code.splitlines())


def test_cases_are_awkward():
    """A kernel without its guard passes where every block is full."""
    for name in NAMES:
        cases = grade._cases(exercise.load(name, ROOT))
        assert len(set(cases)) == len(cases)
        assert len(cases) >= 2 or "one warp" in TEXTS[name].lower(), name


@pytest.fixture(scope="module")
def in_the_browser(request, pyodide):
    """{name: verdict} of every solution of this run, in the Python of the reader's browser."""
    items = [i for i in request.session.items if "in_the_browser" in getattr(i, "fixturenames", ())]
    names = [item.callspec.params["name"] for item in items]
    jobs = [["grade", exercise.load(name, ROOT).solution, TEXTS[name]] for name in names]
    return dict(zip(names, pyodide(jobs), strict=True))


@pytest.mark.parametrize("name", NAMES)
def test_the_browser_grades_as_this_python_does(name, in_the_browser):
    """Without NumPy: the same verdict, the same counts, and time to spare."""
    here = graded(name, exercise.load(name, ROOT).solution)
    there = in_the_browser[name]["verdict"]
    assert there | {"seconds": 0} == here | {"seconds": 0}
    assert in_the_browser[name]["launches"], "nothing to step through"
    # Of a core, as another process may have it for a while; a launch is stopped after ten.
    assert in_the_browser[name]["seconds"] < 5


def test_every_exercise_is_on_one_page():
    pages = {}
    for page in PAGES:
        for name in exercise.named((ROOT / page.path).read_text("utf-8")):
            pages.setdefault(name, []).append(page.path)
    assert {name: len(where) for name, where in pages.items()} == dict.fromkeys(NAMES, 1)


# ---------------------------------------------------------------- what the grader says

HEAD = "import numpy as np\nfrom numba import cuda\n\n"


@pytest.mark.parametrize(
    ("code", "says", "line"),
    [
        ("x = 1\n", "There is no `reverse` in your program", None),
        (HEAD + "def reverse(x, out):\n    pass\n", "put `@cuda.jit` above it", 4),
        (HEAD + "@cuda.jit\ndef reverse(x, out):\n    out[0] = x[\n", "SyntaxError", 6),
        ("@cuda.jit\ndef reverse(x, out):\n    pass\n", "Write `from numba import cuda` above", 1),
        (
            "from numba import cuda\n\n\n@cuda.jit\ndef reverse(x, out):\n"
            "    out[0] = np.float32(x[0])\n",
            "Write `import numpy as np` above",
            6,
        ),
        (HEAD + "@cuda.jit\ndef reverse(x, out):\n    pass\n", "No thread wrote it", None),
        (HEAD + "@cuda.jit\ndef reverse(x):\n    pass\n", "argument", None),
        (
            HEAD + "@cuda.jit\ndef reverse(x, out):\n    i = cuda.grid(1)\n"
            "    if i < x.size:\n        out[i] = x[i]\n",
            "is 1, and should be 5. Line 8 wrote it last.",
            8,
        ),
    ],
    ids=["no name", "no kernel", "syntax", "no cuda", "no np", "nothing", "arguments", "wrong"],
)
def test_a_failure_names_what_failed_and_where(code, says, line):
    verdict = grade.grade(TEXTS["reverse"], code)
    assert not verdict["passed"] and says in verdict["message"], verdict["message"]
    assert line is None or verdict["line"] == line


def test_an_endless_kernel_ends():
    code = HEAD + "@cuda.jit\ndef reverse(x, out):\n    while x[0] == x[0]:\n        pass\n"
    verdict = grade.grade(TEXTS["reverse"], code, time_limit=0.2)
    assert not verdict["passed"] and verdict["line"], verdict


def test_a_launch_of_the_readers_own_is_not_graded():
    """The example below the kernel may be changed, or fail."""
    code = exercise.load("reverse", ROOT).solution
    more = "reverse[1, 64](cuda.to_device(np.zeros(3)), cuda.to_device(np.zeros(1)))\n"
    assert grade.grade(TEXTS["reverse"], code + "\n\n" + more)["passed"]


@pytest.mark.parametrize(
    ("find", "replace", "says"),
    [
        ('"""Reverse an array\n', '"""', "lacks a title or a statement"),
        ("[start:solution]", "[start:answer]", "no section solution"),
        ("HINTS = [", "OTHER = [", "fewer than two hints"),
        ("WRONG = {", "OTHER = {", "fewer than two tempting wrong answers"),
        ("CASES = [", "OTHER = [", "there are no CASES"),
        ("CASES = [", 'PAR = ["speed"]\n\nCASES = [', "'speed', which is not counted"),
        ('[["x.size - 1 - i", "x.size - i"]]', '[["y", "x"]]', "no 'y' to change"),
        ("def test(", "def check(", "no function test"),
        ("def test(reverse", "def test(backwards", "asks for none of reverse"),
        ("CASES = [", "CASES = [n, ", "not made of plain values"),
    ],
)
def test_a_file_that_lacks_something_is_refused_by_line(find, replace, says):
    text = TEXTS["reverse"].replace(find, replace, 1)
    assert text != TEXTS["reverse"]
    if "lacks a title" in says:
        text = '"""Reverse an array"""\n' + text.split('"""', 2)[2]
    with pytest.raises(grade.Bad, match=r"line \d+: ") as caught:
        grade.read(text)
    assert says in str(caught.value) and "To mend:" in str(caught.value)


def test_in_a_terminal(tmp_path, capsys):
    assert exercise.main(None, None, ROOT) == 0
    assert "Reverse an array" in capsys.readouterr().out
    assert exercise.main("reverse", None, ROOT) == 0
    program = capsys.readouterr().out
    assert "pass  # your lines here" in program
    file = tmp_path / "answer.py"
    file.write_text(program)
    assert exercise.main("reverse", str(file), ROOT) == 1
    assert f"FAIL  {file}: " in capsys.readouterr().out
    file.write_text(exercise.load("share_the_work", ROOT).solution)
    assert exercise.main("share_the_work", str(file), ROOT) == 0
    out = capsys.readouterr().out
    assert "Right, and at par." in out and "sectors of global memory" in out
    assert exercise.main("revers", None, ROOT) == 2
    assert "there is no exercise 'revers'" in capsys.readouterr().err
    assert exercise.main("reverse", str(tmp_path / "none.py"), ROOT) == 2


GRADED = {
    page.name.split("/")[-1]: [exercise.load(name, ROOT) for name in exercise.named(page.written)]
    for page in PAGES
    if page.meta["kind"] in {"lesson", "pattern"}
}


def kind(wanted):
    return {p.name.split("/")[-1]: p.written for p in PAGES if p.meta["kind"] == wanted}


def test_a_lesson_has_two_pictures_two_graded_exercises_one_with_a_par_and_a_bet():
    lessons = kind("lesson")
    assert not {n for n, text in lessons.items() if len(lesson.PICTURE.findall(text)) < 2}
    assert not {n for n in lessons if len(GRADED[n]) < 2}
    assert not {n for n in lessons if not any(known.par for known in GRADED[n])}
    assert all(bet.read(text, 1) for text in lessons.values())


def test_a_lesson_points_at_its_button():
    said = ("*Solve it here*", "*Check*")
    assert not {n for n, text in kind("lesson").items() if not any(w in text for w in said)}


def test_a_pattern_has_a_graded_exercise():
    assert not {n for n in kind("pattern") if not GRADED[n]}


def test_puzzles_are_numbered_and_listed_in_that_order():
    rows = puzzles.ordered(PAGES)
    assert len(rows) >= 24
    nav = (ROOT / "mkdocs.yml").read_text("utf-8")
    places = [nav.index(f"- {page.path.removeprefix('docs/')}") for page, *_ in rows]
    assert places == sorted(places)
    for _, _, name in rows:  # beside what is right and above par
        answers = [wrong_answer(*row) for row in [*WRONG, *WRONG_TOO] if row[0] == name]
        failing = [code for code, _ in answers if not graded(name, code)["passed"]]
        assert len(failing) >= 2, name
    table = puzzles.table(PAGES, plain=False)
    keys = re.findall(r'data-puzzle="(\w+)"', table)
    assert len(set(keys)) == len(rows)
    for key, (page, *_) in zip(keys, rows, strict=True):
        frames = quiz.read(page.body, page.body_line, page.blocks)[1]
        assert [frame.key for frame in frames] == [key], page.path


def test_the_pars_of_the_table_are_what_the_stepper_counts():
    records = all_records().others["pars"]
    (found,) = records.values()
    mend = "To mend: python -m lockstep_site.puzzles"
    assert found["pars"] == puzzles.pars(ROOT), mend
    assert found["sources"] == {path: file_digest(ROOT / path) for path in found["sources"]}, mend
    rows = puzzles.table(PAGES, plain=True, records=records).splitlines()[2:]
    for row, (_, known, name) in zip(rows, puzzles.ordered(PAGES), strict=True):
        par = row.rsplit("|", 2)[1].strip()
        assert par.endswith(f"({found['pars'][name]['case']})") if known.par else par == "–"
    stale = {"cpu/puzzles": found | {"sources": dict.fromkeys(found["sources"], "another")}}
    assert "| sectors, barriers |" in puzzles.table(PAGES, plain=True, records=stale)


def test_a_puzzle_shows_what_its_kernels_take_on_a_gpu():
    home = {
        "puzzle-relay": {
            "title": "Puzzle “A sum”: the solution, 4 x 5000",
            "device": {"name": "X1"},
            "fresh": True,
        },
        "puzzle-relay-a-tree-in-shared-memory": {
            "title": "Puzzle “A sum”: a tree, 4 x 5",
            "device": {"name": "X1"},
            "fresh": True,
        },
        "puzzle-relay2": {"title": "Puzzle “Another”: the solution, 64"},
    }
    records = SimpleNamespace(microbenchmarks=home, elsewhere={})
    relay = exercise.load("relay", ROOT)
    assert puzzles.times(relay, "relay", records).splitlines() == [
        "| One launch, 4 x 5,000 | The check says | X1 |",
        "| --- | --- | ---: |",
        "| The solution | right | [[micro:puzzle-relay]] |",
        "| A tree in shared memory | right, above par |"
        " [[micro:puzzle-relay-a-tree-in-shared-memory]] |",
        "| One shuffle too few | wrong result | awaiting a GPU run |",
        "| Only the lanes that matter | a mask of lanes that do not come | not run |",
    ]
    assert puzzles.times(relay, "relay", SimpleNamespace(microbenchmarks={}, elsewhere={})) == ""


def test_a_puzzle_names_the_card_that_timed_its_wrong_answers():
    """The solution beside them, in the same run; and a race that did no harm in it."""
    home = {"puzzle-balance": {"title": "of, 9", "device": {"name": "X1"}, "fresh": True}}
    row = {"device": {"name": "X2"}, "value": 4, "solution_us": 2, "unit": "us", "fresh": True}
    asked = [*puzzles.answers(exercise.load("balance", ROOT), "balance")][1:]
    elsewhere = {key: [row | {"wrong": n}] for n, key in enumerate(asked)}
    records = SimpleNamespace(microbenchmarks=home, elsewhere=elsewhere)
    shown = puzzles.times(exercise.load("balance", ROOT), "balance", records).splitlines()
    assert shown[0].endswith("| X1 | X2 |")
    assert shown[2] == "| The solution | right | [[micro:puzzle-balance]] | 2.00\u202fµs |"
    assert shown[3].endswith("| a race, and right this time | not measured | 4.00\u202fµs |")
    assert shown[4].endswith("| wrong result | not measured | 4.00\u202fµs |")
    elsewhere[asked[1]][0]["wrong"] = 0
    elsewhere["puzzle-balance"] = [row | {"value": 3}]  # in another run
    shown = puzzles.times(exercise.load("balance", ROOT), "balance", records).splitlines()
    assert shown[2].endswith("| [[micro:puzzle-balance]] | 2.00 to 3.00\u202fµs |")
    assert "| wrong result, and right at this size |" in shown[4]
    # On the first card, too, both of its figures stand there; the page's own is one end of them.
    first = {"device": {"name": "X1"}, "unit": "us", "fresh": True, "value": 4}
    for own, other, said in (
        (3, 2, "2.00 to [[micro:puzzle-balance]]"),
        (2, 3, "[[micro:puzzle-balance]] to 3.00\u202fµs"),
        (2.001, 2.0, "[[micro:puzzle-balance]]"),  # both read the same
    ):
        wrong = {key: first | {"solution_us": other, "wrong": 1} for key in asked}
        here = {"puzzle-balance": first | {"title": "of, 9", "value": own}} | wrong
        both = SimpleNamespace(microbenchmarks=here, elsewhere={})
        shown_here = puzzles.times(exercise.load("balance", ROOT), "balance", both)
        assert shown_here.splitlines()[2] == f"| The solution | right | {said} |"
    here["puzzle-balance"]["fresh"] = False  # and then there is no figure of the page's own
    shown_here = puzzles.times(exercise.load("balance", ROOT), "balance", both).splitlines()
    assert shown_here[2].endswith("| not measured |") or "awaiting" in shown_here[2]
    # The pages show the figures of the second card where the first has none: its column is its own.
    records.microbenchmarks = home | {key: rows[0] for key, rows in elsewhere.items()}
    records.microbenchmarks["puzzle-balance"] = home["puzzle-balance"]
    records.elsewhere = {"puzzle-balance": elsewhere["puzzle-balance"]}
    assert puzzles.times(exercise.load("balance", ROOT), "balance", records).splitlines() == shown
    # And the other way round, a run of older code counts for nothing.
    old = {key: [row | {"device": {"name": "X1"}, "fresh": False}] for key in asked}
    records.elsewhere |= old
    assert puzzles.times(exercise.load("balance", ROOT), "balance", records).splitlines() == shown


def test_each_time_of_an_answer_stands_in_its_cards_column():
    """On every page: none is printed as another card's, none left out."""
    records = all_records()
    timed = {(r["id"], r["device"]["name"]) for r in records.every("microbenchmarks") if r["fresh"]}
    for _, known, name in puzzles.ordered(PAGES):
        text = puzzles.times(known, name, records).splitlines()
        head, _, *rows = ([cell.strip() for cell in line.split("|")[3:-1]] for line in text)
        for key, row in zip(puzzles.answers(known, name), rows, strict=True):
            for card, cell in zip(head, row, strict=True):
                is_time = "[[micro:" in cell or cell.endswith("s")
                assert is_time == ((key, card) in timed), (key, card, cell)
                assert cell != waiting.AWAITING or not any(k == key for k, _ in timed), key


def test_each_puzzle_shows_its_times():
    pages = [page for page, _, _ in puzzles.ordered(PAGES)]
    names = [name for _, _, name in puzzles.ordered(PAGES)]
    assert [re.findall(r"\[\[puzzles:(\w+)\]\]", p.body) for p in pages] == [[n] for n in names]


def test_each_puzzle_has_a_wrong_answer_that_a_gpu_can_time():
    """And each verdict says whether that answer is one."""
    for _, known, name in puzzles.ordered(PAGES):
        runs = [runs for *_, runs in puzzles.answers(known, name).values()]
        assert len(runs) == 1 + len(known.wrong) and sum(runs) >= 2, name


def test_what_a_puzzle_practices_links_it():
    """Each puzzle from a lesson or a pattern, in order, and back."""
    rows = [page for page, _, _ in puzzles.ordered(PAGES)]
    links = puzzles.practice(PAGES)
    assert {page.path for found in links.values() for page in found} == {p.path for p in rows}
    given = links["patterns/reduction.md"]
    box = lesson.practice(given, "patterns")
    assert [link.get("href") for link in box.iter("a")] == [
        "../puzzles/receipt.md", "../puzzles/tallest.md", "../puzzles/relay.md"
    ]  # fmt: skip
    box = lesson.after(given[0], PAGES, "puzzles")
    assert "../patterns/reduction.md" in [link.get("href") for link in box.iter("a")]


def test_a_puzzle_that_follows_nothing_is_refused():
    page = copy.copy(next(page for page in PAGES if page.meta["kind"] == "puzzle"))
    for follows in ([], ["glossary/grid.md"]):
        page.meta = page.meta | {"follows": follows}
        with pytest.raises(PageError, match="no lesson and no pattern.*To mend: name what it"):
            puzzles.practice([page])


def test_a_puzzle_in_a_terminal(tmp_path, capsys):
    assert puzzles.main(1, None, ROOT, PAGES) == 0
    said = capsys.readouterr()
    assert "Brighten a photo" in said.out and "puzzle 1 FILE" in said.err
    file = tmp_path / "answer.py"
    file.write_text(exercise.load("brighten", ROOT).solution)
    assert puzzles.main(1, str(file), ROOT, PAGES) == 0
    capsys.readouterr()
    assert puzzles.main(None, None, ROOT, PAGES) == 0
    assert "\n24  A small attention (par)\n" in capsys.readouterr().out
    hints = exercise.load("brighten", ROOT).hints
    assert puzzles.main(1, None, ROOT, PAGES, hint=len(hints)) == 0
    assert capsys.readouterr().out == hints[-1] + "\n"
    assert puzzles.main(1, None, ROOT, PAGES, hint=len(hints) + 1) == 2
    assert puzzles.main(99, None, ROOT, PAGES) == 2
    assert "there is no puzzle 99 (there are 1 to" in capsys.readouterr().err

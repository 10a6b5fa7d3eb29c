"""Quizzes and exercises: how a page writes them, what is refused, and the HTML they become.

A quiz is a box with a list of answers, one of them ticked, each with its explanation below it::

    ??? quiz "How many sectors does a warp touch?"
        - [ ] 32

            One for each thread would be so if each thread read from another sector.

        - [x] 4

            32 threads of 4 bytes are 128 bytes, and a sector has 32.

An exercise is a row of hints and, after them, its solutions, with code that a run checks::

    ??? hint
        Which thread has no element?

    ??? hint
        Start from `add_kernel`.

    ??? solution
        (blocks)

Both are ``pymdownx.details`` boxes, so that another engine shows them, too. Everything works by
``docs/assets/js/quiz.js``; without JavaScript the answers and their explanations fold open.
"""

import hashlib
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from xml.etree.ElementTree import Element, SubElement

from lockstep import rendered

BOX = re.compile(
    r'(?P<indent>[ \t]*)\?{3}\+? ?(?P<kind>quiz|hint|solution)(?: +"(?P<title>.*)")? *'
)
ANSWER = re.compile(r" {4}- \[(?P<mark>[ x])\] +(?P<text>\S.*)")
NEAR_ANSWER = re.compile(r"\s*[-*+]\s*\[.?\]")  # what its writer took for an answer
MARK = re.compile(r"\[[ x]\]\s+")

Wrong = Callable[[int, str, str], None]  # takes line, what is wrong, how to mend it


@dataclass
class Answer:
    line: int
    right: bool
    text: str
    explained: bool = False


@dataclass
class Quiz:
    """One question. ``key`` names it in a reader's browser: another wording is another quiz."""

    line: int
    question: str
    answers: list[Answer] = field(default_factory=list)

    @property
    def key(self) -> str:
        return _key([self.question, *(answer.text for answer in self.answers)])


@dataclass
class Box:
    kind: str  # hint or solution
    line: int
    end: int  # its last line
    empty: bool


@dataclass
class Exercise:
    """Hints and solutions that stand together. ``key`` names it in a reader's browser."""

    hints: list[Box]
    solutions: list[Box]
    key: str = ""


def exercise_key(sources: list[str]) -> str:
    """Return the name, in a reader's browser, of the exercise with these blocks of solutions."""
    return _key(sources[:1])


def _key(parts: Iterable[str]) -> str:
    return hashlib.sha256("\n".join(parts).encode("utf-8")).hexdigest()[:8]


# ---------------------------------------------------------------- from the text of a page


def read(
    body: str, first: int, blocks: Iterable, wrong: Wrong = lambda *_: None
) -> tuple[list[Quiz], list[Exercise]]:
    """Return the quizzes and the exercises of a page's body, which starts at line ``first``.

    ``blocks`` are the page's code blocks. ``wrong`` is called for each mistake.
    """
    quizzes: list[Quiz] = []
    exercises: list[Exercise] = []
    lines = body.splitlines()
    row: Exercise | None = None  # the exercise that the next box may belong to
    at = 0
    while at < len(lines):
        opening = BOX.fullmatch(lines[at])
        if not opening:
            row = row if not lines[at].strip() else None
            at += 1
            continue
        line, start = first + at, at + 1
        at = start
        while at < len(lines) and (not lines[at].strip() or lines[at].startswith("    ")):
            at += 1
        inside = [(first + n, lines[n]) for n in range(start, at)]
        kind = opening["kind"]
        if opening["indent"]:
            wrong(line, f"a {kind} inside something else", "move it to the left margin")
        elif kind == "quiz":
            row = None
            quizzes.append(_quiz(line, opening["title"], inside, wrong))
        else:
            if row is None or (kind == "hint" and row.solutions):
                row = Exercise([], [])
                exercises.append(row)
            used = [n for n, text in inside if text.strip()]
            box = Box(kind, line, used[-1] if used else line, not used)
            (row.hints if kind == "hint" else row.solutions).append(box)
    for exercise in exercises:
        _check_exercise(exercise, list(blocks), wrong)
    return quizzes, exercises


def _quiz(line: int, title: str | None, inside: list[tuple[int, str]], wrong: Wrong) -> Quiz:
    quiz, ended = Quiz(line, (title or "").strip()), False
    for number, text in inside:
        last = quiz.answers[-1] if quiz.answers else None
        if not text.strip():
            ended = True  # the answer; what follows explains it
        elif answer := ANSWER.fullmatch(text):
            quiz.answers.append(Answer(number, answer["mark"] == "x", answer["text"].strip()))
            ended = False
        elif NEAR_ANSWER.match(text) or last is None or (ended and not text.startswith(" " * 8)):
            mend = 'write "    - [ ] answer" or "    - [x] answer", an empty line, and the '
            wrong(number, "this line belongs to no answer", mend + "explanation, indented by 8")
        elif ended:
            last.explained = True
        else:
            last.text += " " + text.strip()
    if not quiz.question:
        wrong(line, "a quiz without a question", 'write ??? quiz "The question"')
    if len(quiz.answers) < 2:
        what = ("a quiz without an answer", "a quiz with one answer only")[len(quiz.answers)]
        wrong(line, what, "write what a reader might believe as another, - [ ] and why it is wrong")
    right = [answer for answer in quiz.answers if answer.right]
    if quiz.answers and not right:
        wrong(line, "a quiz without a right answer", "mark the right one with - [x]")
    for answer in right[1:]:
        wrong(answer.line, "a second right answer", "keep one - [x], and mark the others - [ ]")
    for answer in quiz.answers:
        if not answer.explained:
            mend = "leave a line empty below it and say why, indented by 8"
            wrong(answer.line, "an answer without an explanation", mend)
        if sum(other.text == answer.text for other in quiz.answers) > 1:
            wrong(answer.line, "the same answer twice", "word them apart, or drop one")
    return quiz


def _check_exercise(exercise: Exercise, blocks: list, wrong: Wrong) -> None:
    line = min(box.line for box in exercise.hints + exercise.solutions)
    if len(exercise.hints) < 2:
        have = ("no hint", "one hint")[len(exercise.hints)]
        mend = "write two or more ??? hint boxes before the solution, the gentlest first"
        wrong(line, f"an exercise with {have}", mend)
    if not exercise.solutions:
        wrong(line, "an exercise without a solution", "put a ??? solution box below its hints")
    for box in exercise.hints + exercise.solutions:
        if box.empty:
            wrong(box.line, f"an empty {box.kind}", "write its text below it, indented by 4")
    held = [
        [b for b in blocks if b.runs and box.line <= b.page_line <= box.end]
        for box in exercise.solutions
    ]
    for box, proofs in zip(exercise.solutions, held, strict=True):
        if not box.empty and not any(_checks(block) for block in proofs):
            mend = "include an example (pycon, or Python with an assert) that the suite runs"
            wrong(box.line, "a solution that nothing proves", mend)
    sources = [block.source for proofs in held for block in proofs]
    exercise.key = exercise_key(sources or [str(line)])


def _checks(block) -> bool:
    """Whether running a block can fail because the solution is wrong."""
    if block.language == "pycon":
        return bool(re.search(r"^(?!>>>|\.\.\.|\s*$)", block.text, re.MULTILINE))
    return bool(re.search(r"^\s*assert\b|\.assert_", block.text, re.MULTILINE))


# ---------------------------------------------------------------- to HTML


def render(root: Element, quizzes: list[Quiz], exercises: list[Exercise]) -> tuple[int, int]:
    """Turn the boxes of a document's tree into quizzes and exercises.

    Returns how many of each were found. It changes nothing unless these are as many as were read.
    """
    boxes = [(child, _kind(child)) for child in root]
    asked = [child for child, kind in boxes if kind == "quiz"]
    rows: list[list[Element]] = []
    before = None
    for child, kind in boxes:
        if kind in {"hint", "solution"}:
            if before in {None, "quiz"} or (kind == "hint" and before == "solution"):
                rows.append([])
            rows[-1].append(child)
        before = kind
    found = len(asked), len(rows)
    if found != (len(quizzes), len(exercises)):
        return found
    for number, (box, quiz) in enumerate(zip(asked, quizzes, strict=True), start=1):
        place = list(root).index(box)
        root.remove(box)
        root.insert(place, _form(box, quiz, number, len(quizzes)))
        if number == len(quizzes):
            root.insert(place + 1, _score())
    for row, exercise in zip(rows, exercises, strict=True):
        place = list(root).index(row[0])
        for box in row:
            root.remove(box)
        root.insert(place, _exercise(row, exercise))
    return found


def _kind(element: Element) -> str | None:
    if element.tag == "details" and element.get("class") in {"quiz", "hint", "solution"}:
        return element.get("class")
    return None


def _form(box: Element, quiz: Quiz, number: int, of: int) -> Element:
    form = Element(
        "form",
        {
            "class": "quiz",
            "data-quiz": quiz.key,
            "data-search-exclude": "",
            rendered.MARK: rendered.MINE,
        },
    )
    fields = SubElement(form, "fieldset")
    legend = SubElement(fields, "legend")
    if of > 1:
        SubElement(legend, "span", {"class": "quiz__number"}).text = f"Question {number} of {of}"
        legend[0].tail = " "  # it is read out
    SubElement(legend, "span", {"class": "quiz__question"}).text = box.find("summary").text
    why = Element("details", {"class": "quiz__why"})
    SubElement(why, "summary").text = "Every answer explained"
    explained = SubElement(why, "ul")
    for index, (item, answer) in enumerate(zip(box.iter("li"), quiz.answers, strict=False)):
        head, *rest = list(item)
        text = MARK.sub("", head.text, count=1)
        label = SubElement(fields, "label", {"class": "quiz__answer"})
        SubElement(label, "input", {"type": "radio", "name": "answer", "value": str(index)})
        SubElement(label, "span").text = text
        reason = SubElement(explained, "li", {"class": "right" if answer.right else "wrong"})
        verdict = SubElement(reason, "p", {"class": "quiz__verdict"})
        SubElement(verdict, "strong").text = "Right:" if answer.right else "Wrong:"
        verdict[0].tail = " "
        SubElement(verdict, "span").text = text
        reason.extend(rest)
    act = SubElement(form, "p", {"class": "quiz__act"})
    SubElement(act, "button", {"class": "md-button", "type": "submit"}).text = "Check"
    SubElement(form, "div", {"class": "quiz__said", "aria-live": "polite"})
    form.append(why)
    return form


def _score() -> Element:
    score = Element("p", {"class": "score", "hidden": "", "data-search-exclude": ""})
    score.set(rendered.MARK, rendered.MADE)
    SubElement(score, "span", {"class": "score__said", "aria-live": "polite"})
    SubElement(score, "button", {"class": "md-button", "type": "button"}).text = "Try again"
    return score


def _exercise(row: list[Element], exercise: Exercise) -> Element:
    frame = Element("div", {"class": "exercise", "data-exercise": exercise.key})
    hints = len(exercise.hints)
    for number, box in enumerate(row, start=1):
        title = box.find("summary")
        if number <= hints:
            # Material knows tip and success by these names, and draws their signs.
            box.set("class", "tip hint")
            own = "" if title.text in {None, "Hint"} else f": {title.text}"
            title.text = f"Hint {number} of {hints}{own}"
        else:
            box.set("class", "success solution")
        frame.append(box)
    done = SubElement(frame, "p", {"class": "exercise__done", "data-search-exclude": ""})
    label = SubElement(done, "label")
    SubElement(label, "input", {"type": "checkbox", "data-solved": exercise.key})
    SubElement(label, "span").text = "I have solved it"
    return frame

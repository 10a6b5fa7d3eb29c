"""Quizzes and exercises in a download: it asks before it answers."""

import html
import re
from collections.abc import Iterator

from lockstep import figures, numbers
from lockstep.block import Block, Page
from lockstep.export import notebook_codes
from lockstep.parts import Part, Told, Wrong
from lockstep_site import quiz

DIGITS = re.compile(r"\d[\d.,]*(?<![.,])")
# A question of what a measurement says, where it supposes no number: its right answer is a claim.
MEASURES = re.compile(
    r"(?i)\bhow (?:long|fast|quick\w*|slow\w*|much (?:time|bandwidth|power|of a copy))\b"
    r"|\b(?:what|which) (?:time|rate|share|bandwidth|throughput|latency|speed|fraction|part)\b"
    r"|\bwhat (?:does|do|did) [^?]{1,60} (?:cost|reach|get|achieve|deliver|need|take)\b"
)
SUPPOSES = re.compile(r"(?i)\d|\b(?:if|suppose|imagine|would|say|at most|at best|at least)\b")


class QuizPart(Part):
    """Questions, hints and solutions of a page."""

    name = "quiz"

    def check(self, body: str, first: int, blocks: list[Block], wrong: Wrong) -> None:
        quiz.read(body, first, blocks, wrong)

    def invented(self, page: Page) -> set[int]:
        """Return the lines of the page's questions: they may make numbers up."""
        return {number for lines in _questions(page) for number, _ in lines}

    def explained(self, page: Page) -> set[int]:
        """Return the lines that explain an answer and say other numbers than its question."""
        found = set()
        for lines in _questions(page):
            asked = "\n".join(line for _, line in lines if not _explains(line))
            found |= {at for at, line in lines if _explains(line) and not _repeats(line, asked)}
            question = lines[0][1]
            if MEASURES.search(question) and not SUPPOSES.search(question):
                found |= {at for at, line in lines if line.lstrip().startswith("- [x]")}
        return found

    def told(self, parts: Told, page: Page, cells: bool) -> Told:
        return told(parts, page, cells)

    def folded(self, page: Page) -> set[int]:
        _, exercises = quiz.read(page.body, page.body_line, page.blocks)
        boxes = [box for exercise in exercises for box in exercise.solutions]
        return {b.index for b in page.blocks for x in boxes if x.line <= b.page_line <= x.end}


def _questions(page: Page) -> Iterator[list[tuple[int, str]]]:
    """Yield the lines of each question of a page, with their numbers."""
    lines: list[tuple[int, str]] = []
    for number, line in enumerate(page.body.splitlines(), start=page.body_line):
        if line and not line.startswith(" "):
            if lines:
                yield lines
            lines = [(number, line)] if line.startswith("??? quiz ") else []
        elif lines:
            lines.append((number, line))
    if lines:
        yield lines


def _explains(line: str) -> bool:
    return line.startswith(" " * 8)


def _repeats(text: str, asked: str) -> bool:
    """Whether the measured numbers of a text, if it has any, are in the question."""
    said = " ".join(numbers.typed(figures.KEY.sub("", numbers.WORKED.sub("", text))))
    return (
        not said
        or bool(DIGITS.findall(said))
        and set(DIGITS.findall(said)) <= set(DIGITS.findall(numbers.plain(asked)))
    )


def told(parts: Told, page: Page, cells: bool = False) -> Told:
    """Yield the parts of a page for a reader who is to think first.

    Hints and solutions are folded, and the answers of all questions stand at the end. With
    ``cells``, code stays outside what is folded: a notebook has it in cells of its own.
    """
    quizzes, exercises = quiz.read(page.body, page.body_line, page.blocks)
    questions = {asked.line: n for n, asked in enumerate(quizzes, start=1)}
    titles = {box.line: "Solution" for exercise in exercises for box in exercise.solutions}
    for hints in (exercise.hints for exercise in exercises):
        titles |= {box.line: f"Hint {n} of {len(hints)}" for n, box in enumerate(hints, start=1)}
    answers: list[tuple[int, str | Block, str]] = []
    parts, at = list(parts), 0
    while at < len(parts):
        number, part, indent = parts[at]
        at += 1
        if number not in questions and number not in titles:
            yield number, part, indent
            continue
        start = at
        while at < len(parts) and _is_inside(parts[at]):
            at += 1
        inside = [
            (n, p[4:], i) if isinstance(p, str) else (n, p, i[4:]) for n, p, i in parts[start:at]
        ]
        while inside and isinstance(inside[-1][1], str) and not inside[-1][1].strip():
            inside.pop()
        own = quiz.BOX.fullmatch(part)["title"]
        if number in titles:
            title = f"{titles[number]}: {own}" if own else titles[number]
            yield from _folded(html.escape(title), number, inside, cells)
        else:
            place = f"Question {questions[number]} of {len(quizzes)}"
            yield number, f"**{place}.** {own}", ""
            yield number, "", ""
            yield from _asked(place, number, inside, answers)
    if answers:
        line = answers[0][0]
        yield from ((line, text, "") for text in ("", "## Answers"))
        yield from answers


def _is_inside(part: tuple[int, str | Block, str]) -> bool:
    """Whether a part belongs to the box above it."""
    _, what, indent = part
    text = indent if isinstance(what, Block) else what
    return text.startswith("    ") or (isinstance(what, str) and not what.strip())


def _folded(title: str, line: int, inside: list, cells: bool) -> Iterator[tuple]:
    """Yield a hint or a solution in ``details``, which GitHub, Jupyter and Colab fold."""
    opened = False
    for number, part, indent in inside:
        if cells and isinstance(part, Block) and notebook_codes(part):
            if opened:
                yield number, "</details>", ""
            else:
                yield number, f"*{title}: open the next cell to read it.*", ""
            opened = False
            yield number, part, indent
        elif opened or isinstance(part, Block) or part.strip():
            if not opened:
                head = ("<details>", f"<summary>{title}</summary>", "")
                yield from ((number, text, "") for text in head)
            opened = True
            yield number, part, indent
    if opened:
        yield from ((line, text, "") for text in ("", "</details>"))
    yield line, "", ""


def _asked(place: str, line: int, inside: list, answers: list) -> Iterator[tuple]:
    """Yield the answers of a question to choose from, and put what is said of each elsewhere."""
    rows: list[tuple[str, bool]] = []  # letter, right
    said: list[tuple] = []
    waits = False  # for the explanation of an answer
    for number, part, _ in inside:
        choice = isinstance(part, str) and quiz.ANSWER.fullmatch(f"    {part}")
        if choice:
            letter = chr(ord("A") + len(rows))
            rows.append((letter, choice["mark"] == "x"))
            yield number, f"- {letter}. {choice['text']}", ""
            waits, begun = True, False
        elif isinstance(part, Block):
            said.append((number, part, "  "))
        elif not part.strip():
            begun = True
            if not waits:
                said.append((number, "", ""))
        elif not begun:  # the answer goes on
            yield number, f"  {part.strip()}", ""
        else:
            letter, right = rows[-1]
            verdict = f"- **{letter}** is {'right' if right else 'wrong'}. " if waits else "  "
            said.append((number, verdict + part.removeprefix("    "), ""))
            waits = False
    yield line, "", ""
    while said and said[-1][1] == "":
        said.pop()
    right = "".join(letter for letter, is_right in rows if is_right)
    answers += [(line, "", ""), (line, f"**{place}: {right}**", ""), (line, "", ""), *said]

"""What a page tells of devices, tools and runs has a record, or a link to who reports it.

A sentence is read with what gives it its place: the label of its row and the head of its column,
the name of its tab, the term that it explains, the sentence that a footnote belongs to. It passes
with a figure, with a link to who says so, and where it supposes, asks, or says that there is no
record (``reported`` has the words).
"""

import functools
import re
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from lockstep import figures, machines, reported, tabled, told, verdicts
from lockstep.block import Page
from lockstep.english import SENTENCE
from lockstep.evidence import Evidence
from lockstep.fitting import HEADING, stems
from lockstep.mistakes import Mistake
from lockstep.reported import (
    BY,
    CAME,
    DEVICE,
    FIGURE,
    HERE,
    HOW_TO,
    INNER,
    LANDS,
    LINK,
    PLACED,
    PLATFORM,
    RACE,
    RACED,
    RESULT,
    SAYS,
    THERE,
    TOOLS,
    TRIED,
    UNTRIED,
    WE,
    WHO,
    free,
    tells,
)


class Said(NamedTuple):
    line: int
    text: str  # a sentence
    place: str = ""  # what it stands under: a tab, a term, a row and a column
    around: str = ""  # its paragraph, and what the colon at its end leads to
    kind: str = "prose"


_BOX = re.compile(r"^(\s*)(?:\?\?\?\+?|!!!|===[!+]?)\s*([\w-]*)[^\"]*(?:\"(.*)\")?\s*$")
_TERM = re.compile(r":\s{2,}\S")
_NOTE = re.compile(r"^\[\^([\w-]+)\]:\s")
_ITEM = re.compile(r"\s*(?:[-*+]|\d+\.)\s")
_CAPTION = re.compile(r"\*(?!\*)[^*]*\*")
_ALT = re.compile(r"!\[([^\]]*)\]\(")
_HOVER = re.compile(r"\]\([^()\s]*\s+[\"']([^\"']*)[\"']\)")
_RULE = re.compile(r"[\s|:-]+")


def statements(page: Page) -> Iterator[Said]:
    """Yield what a page says, sentence by sentence."""
    rows = page.body.split("\n")
    notes = {found[1]: rows[n][found.end() :]
             for n, row in enumerate(rows) if (found := _NOTE.match(row))}  # fmt: skip
    paragraphs = list(_paragraphs(rows, page.body_line))
    for at, (line, text, place, kind) in enumerate(paragraphs):
        table = at + 1 < len(paragraphs) and paragraphs[at + 1][3] == "row"
        leads = kind != "prose" or table or text.rstrip(" *_").endswith(":")
        after = _after(paragraphs, at, 1 if kind == "prose" else 4) if leads else ""
        if kind == "fence":
            continue
        if kind == "row":
            yield Said(line, text, place, "", kind)
            continue
        for alt in _ALT.findall(text):
            yield Said(line, alt, "", "", "alt")
        for title in _HOVER.findall(text):
            yield Said(line, title, "", "", "title")
        text = _ALT.sub("(", text)
        if kind == "prose" and _CAPTION.fullmatch(text):
            kind = "caption"
        for sentence in SENTENCE.split(text):
            for name in re.findall(r"\[\^([\w-]+)\](?!:)", sentence):
                yield Said(line, notes.get(name, ""), sentence, text, "note")
            yield Said(line, sentence, place, f"{text} {after}", kind)


def _after(paragraphs: list[tuple[int, str, str, str]], at: int, most: int) -> str:
    """Return what stands behind a paragraph: the next ones, a table as a whole."""
    found: list[str] = []
    for _, text, _, kind in paragraphs[at + 1 : at + 60]:
        if kind != "row":
            most -= 1
            if most < 0:
                break
        elif most < 1 and found and found[-1] != "|":
            break
        found.append(text)
        if kind == "row":
            most = max(most, 0)
    return " ".join(found)


def _paragraphs(rows: list[str], first: int) -> Iterator[tuple[int, str, str, str]]:
    """Yield (line, text, place, kind) of paragraphs, items, headings, titles and cells."""
    boxes: list[tuple[int, str]] = []
    heads: list[str] = []
    inside = False
    held: list[str] = []
    start, before = first, ""

    def end() -> Iterator[tuple[int, str, str, str]]:
        if held:
            place = boxes[-1][1] if boxes else ""
            yield start, " ".join(r.strip() for r in held), place, "prose"
            held.clear()

    for number, row in enumerate([*rows, ""], start=first):
        if row.lstrip().startswith("```"):
            yield from end()
            inside = not inside
            if inside:
                yield number, "```", "", "fence"
            continue
        if inside:
            continue
        if not row.strip():
            yield from end()
            heads = []
            continue
        depth = len(row) - len(row.lstrip())
        while boxes and depth <= boxes[-1][0]:
            yield from end()
            boxes.pop()
        if box := _BOX.match(row):
            yield from end()
            if box[3]:
                yield number, box[3], "", box[2] or "tab"
            boxes.append((depth, box[3] or "" if not box[2] else ""))
        elif title := HEADING.match(row):
            yield from end()
            yield number, title[2], "", "heading"
        elif row.lstrip().startswith("|"):
            yield from end()
            cells = tabled.cells(row)
            if heads:
                if not _RULE.fullmatch(row):
                    for n, cell in enumerate(cells):
                        head = heads[n] if n < len(heads) else ""
                        place = head if not n else f"{cells[0]} , {head}"
                        yield number, cell, place, "row"
            else:
                heads = cells
        elif _TERM.match(row):
            term = before
            yield from end()
            for part in SENTENCE.split(row[1:].strip()):
                yield number, part, term, "term"
        else:
            if held and _ITEM.match(row):
                yield from end()
            start = start if held else number
            held.append(row)
        before = row


# The architecture of a device by its compute capability.
_GENERATIONS = {"7.0": "Volta", "7.5": "Turing", "8.0": "Ampere", "8.6": "Ampere", "8.9": "Ada",
                "9.0": "Hopper", "10.0": "Blackwell", "12.0": "Blackwell"}  # fmt: skip
_OF_HARDWARE = stems(
    "memory cache tensor core register shared instruction matrix precision format capability"
    " hardware lane bank bandwidth latency compiler assembler cluster barrier architecture vector"
    " width wide float int half rate copy fast slow chip multiprocessor befor wher add use call"
    " wait sync own mak load read generation device row too layer parallel rank torch step"
    " product opera async bfloat format"
)
_FACT = re.compile(
    r"(?i)\b(?:c[ao]mes?\ with|came\ with|needs?\ an?\b|before|since|replac\w+|calls?|called"
    r"|supports?|promis\w+|instructions?|compute\ capability|lanes?|formats?|compil\w+|drivers?"
    r"|interface|generation|sources?|library|libraries|language|wavefronts?)\b|`"
)
MEASURE = (
    "measure it there and pull it by key, link who did, or write it as what you expect; or leave it"
    " out"
)


@functools.lru_cache(maxsize=4)
def recorded(records: Evidence) -> str:
    """Return the names of all devices that have a record, and of their generations."""
    rows = (row for kind in ("benchmarks", "microbenchmarks") for row in records.every(kind))
    return _devices(rows)


def _devices(rows: Iterable[dict]) -> str:
    """Return the names of the devices of rows or runs, and of their generations."""
    found: set[str] = set()
    for row in rows:
        device = row.get("device", {})
        found.add(str(device.get("name")))
        found.add(_GENERATIONS.get(str(device.get("compute_capability")), ""))
    return " ".join(sorted(found))


def _elsewhere(said: Said, known: str, own: frozenset[str], devices: list[str]) -> Iterator[str]:
    """Yield what a sentence tells of a device of which there is no record.

    ``own``: the words of what the page has measured; ``devices``: those that it names without one.
    """
    whole = f"{said.place} : {said.text}" if said.place else said.text
    if not any(device in whole for device in devices):
        return
    every = [PLACED.sub("", found[0]) for found in DEVICE.finditer(whole)]
    names = [name for name in every if name.rstrip("s") not in known]
    # Ours has records on other pages, and "our other cards" are none.
    names = [name for name in names if name.startswith("other ") or f"our {name}" not in whole]
    if not names or free(said.text) or free(said.place):
        return
    if FIGURE.search(whole) or LINK.search(whole):
        return
    race = RACE.search(whole)
    if race and len(names) < len(every) and re.match(r"(?i)(?:our|ours|we|us)\b", race[0]):
        return  # ours is on the one that is known
    if race or (own and said.kind != "row" and not _FACT.search(whole) and not INNER.search(whole)
                and not own.isdisjoint(stems(DEVICE.sub(" ", whole)))):  # fmt: skip
        about = f"{race[0].strip()!r} is" if race else "this is"
        yield f"{about} said of {names[0]}, and no record is of that"


# The head of a column of what a profiler says, and a cell in words.
_HEADED = re.compile(
    r"(?i)\b(?:stall(?:s|ed)?|waits?\ (?:mostly|longest|above\ all)\ (?:for|on)|(?:bound|limited"
    r"|held\ up)\ by"
    r"|bottleneck|limiter|profiler|ncu|nsight|sanitizer|racecheck|memcheck)\b"
)
_NAMES = tuple(
    frozenset(words.split())
    for words in (
        "nsight nsys timeline trace",
        "nsight ncu nvprof profiler profilers counter counters",
        "compute sanitizer sanitizers memcheck racecheck initcheck synccheck valgrind",
        "ptxas nvdisasm cuobjdump disassembly disassembler",
        "meter stopwatch wall",
    )
)
_HEADS = frozenset("stall stalls stalled waits bound limited held bottleneck limiter profiler ncu"
                   " nsight sanitizer racecheck memcheck".split())  # fmt: skip
RAN = (
    "show what it printed, in a block of this page, or link the record of it; or say what it would"
    " show"
)


def _unstarted(said: Said, missing: list[int], keyed: bool, headed: bool) -> Iterator[str]:
    """Yield what a tool is said to say that nothing on the page has started.

    ``missing``: the families of such tools; ``keyed``: whether the page shows results of runs;
    ``headed``: whether columns of its tables may be what a profiler says.
    """
    if said.kind == "row":
        head = said.place.rpartition(" , ")[2] if " , " in said.place else ""
        if (
            headed
            and not FIGURE.search(said.text)
            and _HEADED.search(head)
            and re.search(r"[a-z]{3}", said.text)
        ):
            yield f"{said.text!r} under {head!r} is what a profiler says, and none ran on this page"
        return
    for number in missing:
        for found in TOOLS[number][0].finditer(said.text):
            if FIGURE.search(said.text + said.around) or LINK.search(said.text):
                return
            if INNER.search(said.text):
                return
            before, behind = said.text[: found.start()], said.text[found.end() :]
            if re.search(r"\b(?:lets?|helps?|makes?)\ (?:the\ )?$", before):
                continue
            inside = before.count("`") % 2 and not behind.startswith("`")  # a command
            says = SAYS.match(behind) and keyed
            by = BY.search(before) and RESULT.search(said.text)
            if inside or free(said.text) or HOW_TO.match(said.text):
                continue
            if said.kind == "heading" and not RESULT.search(said.text):
                continue
            if says or by or (said.kind in {"alt", "title"} and RESULT.search(said.text)):
                yield f"{found[0]!r} is said to tell something, and it did not run on this page"
                return


_ASKED = re.compile(
    r"(?i)\b(?:did|have)\ (?:we|it|they|ours|the\ \w+)\ (?:see|measure|get|find|take|gain|lose"
    r"|need)\b"
)
# A condition at the head of a sentence, and how the race stands under it.
UNDER = re.compile(
    r"^\W*(?:With|Under|Without|After|On|In|At|Inside|From"
    r"|Over)\ (?P<how>[^.;:?,\ufffc]{3,60}(?:,\ with\ [^,]{3,40})?),\ "
    r"(?P<then>[^.;:?\ufffc]*)"
)
STANDS = re.compile(
    r"(?i)\b(?:order|ranking|lead|gap|picture|rungs?|winner)\b[^,.;]{0,30}\ (?:holds?|stays?"
    r"|stands?|survives?|keeps?"
    r"|is\ (?:the\ same|unchanged)|remains?)\b"
)
REPORT = (
    "say the figure by key in this paragraph, link the record of it, or say that it is not on"
    " record"
)


def _did(said: Said, known: str, live: list[re.Pattern]) -> Iterator[str]:
    """Yield what a sentence tells of something that somebody did, and no figure is near.

    ``known``: the words of the records that the page prints; ``live``: the rules that find
    something on the page.
    """
    text = said.text.rstrip(" *_")
    if not any(rule.search(said.text) for rule in live):
        return
    if LINK.search(said.text) or INNER.search(said.text) or "```" in said.around:
        return
    figure = re.search(r"\[\[(?:bench|micro):|\{(?:bench|micro):", said.around)
    if said.kind == "quiz" and not figure and (asked := _ASKED.search(text)):
        yield f"{asked[0]!r} asks for what a run gave"
        return
    if text.endswith((":", "?")) or UNTRIED.search(said.text):
        return
    rules = (WE, CAME, LANDS, RACED) if known and said.kind == "prose" else (WE, CAME, LANDS)
    for rule in (CAME,) if FIGURE.search(said.around) else rules:
        every = (f for f in rule.finditer(said.text) if rule is not WE or tells(said.text, f))
        if not figure and (found := next(every, None)):
            clause = said.text[said.text.rfind(",", 0, found.start()) + 1 :]
            if rule is WE or not verdicts.HEDGE.search(clause):
                yield f"{found[0].strip()!r} tells of a run, and no figure is near"
                return
    under = UNDER.match(said.text)
    if under and STANDS.search(under["then"]) and not FIGURE.search(said.text):
        words = {w for w in re.findall(r"[A-Za-z][\w-]{2,}", under["how"].lower())}
        missing = sorted(word for word in words - _SMALL if word[:7] not in known)
        if missing and not free(said.text):
            yield f"{missing[0]!r} is a condition that no record of this page has"


_SMALL = frozenset("the and its their our this that these those with one two each both all".split())


# What stands by itself, and is read by itself: it is held to the rules of words outside of pages.
_BY_ITSELF = frozenset(
    "alt title heading caption bet tab note tip hint warning example info".split()
)
_SCALE = re.compile(r"\s*\([^()]*\)\s*$")  # of a bet
_ASKING_WORD = re.compile(r"(?i)\W*(?:what|how|why|which|when|where|who|whether|if|does|is|are)\b")


def _by_itself(said: Said, rules: list[re.Pattern], tools: bool) -> Iterator[str]:
    """Yield what a heading, a caption, a picture's text or the title of a box tells of a run.

    ``rules``: of those that read reports the ones that find something on the page; ``tools``:
    whether it names any.
    """
    if FIGURE.search(said.text) or LINK.search(said.text):
        return
    where = _KINDS.get(said.kind, said.kind)
    if tools and not UNTRIED.search(said.text) and (tool := reported.heard(said.text, False)):
        yield f"{tool!r} is said to tell something in a {where}, without a figure"
    for part in re.split(r":\s", _SCALE.sub("", said.text)):
        if part.rstrip().endswith("?") or _ASKING_WORD.match(part):
            continue
        hedged = verdicts.HEDGE.search(part) or UNTRIED.search(part)
        heard = [found[0] for rule in rules if not hedged and (found := rule.search(part))]
        for what in (*heard, *verdicts.find(part), *told.find(part)):
            yield f"{what.strip()!r} is told in a {where}, without a figure"


_KINDS = {"alt": "picture's text", "title": "link's title", "tab": "tab's name"}


def _trials(
    said: Said, known: str, rules: list[re.Pattern], places: frozenset[str]
) -> Iterator[str]:
    """Yield what is said to have run where there is no record, or to have come out somehow.

    ``known``: the names of the devices that have a record; ``rules``: those that find something
    on the page; ``places``: words of other devices that it has.
    """
    text = said.text
    near = bool(places) and _near(text.lower(), places)
    if near and (place := reported.elsewhere(text, known)):
        if not LINK.search(text):
            yield f"something is said to have run on {place!r}, and no record is of that"
            return
    for piece in told.SENTENCE.split(text) if rules else ():
        if FIGURE.search(piece) or free(piece) or _NONE.search(piece):
            continue
        # A link to who says so is one for its own clause.
        linked = LINK.search(piece) or INNER.search(piece)
        for clause in _CLAUSE.split(piece) if linked else (piece,):
            if linked and "](" in clause:
                continue
            if found := next(filter(None, (rule.search(clause) for rule in rules)), None):
                yield f"{found[0].strip()!r} tells of a run, and the sentence has no figure"
                return


# A cell that says how a tool's run came out, or one on a device: its column or its row names that.
_CLEAN = re.compile(
    r"(?i)\W*(?:clean|ok|okay|pass(?:es|ed)?|ran|works?|worked|quiet|silent|none|nothing|yes"
    r"|✓|✔|green"
    r"|no (?:\w+ )?(?:errors?|hazards?|races?|leaks?|findings?)|0(?: \w+)?)\W*"
)
_CHECKERS = re.compile(r"\b(?:mem|race|init|sync)check\b")


def _verdicts(said: Said, page: Page, known: str, records: Evidence) -> Iterator[str]:
    """Yield the cells that say how something came out, of which there is no record.

    Of a checker that is one of a file that the page shows; of a device, one that has any.
    """
    if said.kind != "row" or not _CLEAN.fullmatch(said.text):
        return
    if tool := _CHECKERS.search(said.place):
        paths = {block.path for block in page.blocks}
        every = (one for kind in records.others.values() for one in kind.items())
        for name, record in every:
            if f"/{tool[0]}/" in f"/{name}/" and not paths.isdisjoint(record.get("sources", ())):
                return
        yield f"{said.text!r} is said of {tool[0]}, and no record of it is of this page's files"
    for cell in said.place.split(" , "):
        found = _PLATFORM.fullmatch(cell.strip(" *_`"))
        if found and found[0] not in known and re.search(r"(?i)pass|ran|ok|clean|✓|✔", said.text):
            yield f"{said.text!r} is said of {cell.strip()!r}, and no record is of that"


_PLATFORM = re.compile(rf"(?i:on |under |in )?{PLATFORM}")
_NONE = re.compile(r"(?i)\b(?:none|nothing|nobody|neither|never)\b")
_CLAUSE = re.compile(r"[;:]\s|,\s(?:and|but|so|while|where)\s")


# ---------------------------------------------------------------- a page


_ANY = re.compile(rf"\b{WHO}")  # wherever a sentence begins
# Words of which a page has one, in small letters, if a rule can find something.
_ASKS = (
    (_ANY, "we i us colleague reader friend student reviewer maintainer nobody"),
    (CAME, "bore borne came turned true proved way branch path rid apart overnight evenings nights"
           " tries attempts hours days weeks weekends us that nothing anything"),
    (RACED, "took lost won gained saved needed got fell rose dropped survived beat trailed matched"
            " agreed slowed suffered"),
    (LANDS, "land lands fall falls end ends come comes rank ranks leave leaves stay stays remain"
            " remains behave behaves fare fares do does launch run trace timeline profile"),
    (_ASKED, "did have"),
    (STANDS, "holds hold stays stands survives keeps unchanged remains same"),
)  # fmt: skip
# Without regard to case a search costs several times as much: a page is read in small letters.
_ASKING = tuple(
    (rule, re.compile(rule.pattern.removeprefix("(?i)")), frozenset(words.split()))
    for rule, words in _ASKS
)
_WORD = re.compile(r"[a-z]+")
_THERE = (("ran on", "through on", "passed on", "worked on"), THERE)
_HERE = (("ran here", "ran as", "ran unchanged", "went through", "came through"), HERE)
# Words of a place without a record: they alone, of a card, a GPU or a machine, and of a card.
_PLACES = frozenset(
    "colab kaggle wsl windows macos ios android chromeos freebsd mac macs macbook macbooks imac"
    " iphone iphones ipad chromebook laptop laptops phone phones tablet workstation console netbook"
    " desktop tpu tpus slice slices pod pods trillium ironwood trainium inferentia gaudi"
    " jetson raspberry".split()
)
_SORTS = frozenset(
    "gaming consumer notebook borrowed newer older smaller cheaper bigger second spare desk closet"
    " basement office home shelf".split()
)
_CARDS = frozenset("card cards".split())


def _near(small: str, places: frozenset[str]) -> bool:
    """Whether a sentence, in small letters, has words of a place without a record."""
    if "card" in small:
        return True
    here = [place for place in places if place in small]
    return bool(here) and (
        not _SORTS.issuperset(here) or any(of in small for of in ("gpu", "machine", "computer"))
    )


def check(page: Page, invented: set[int], records: Evidence) -> Iterator[Mistake]:
    """Yield what a page tells of devices, tools and runs, and has no record of."""
    body = page.body.replace("\n", " ")
    small = body.lower()
    words = frozenset(_WORD.findall(small))
    devices = {PLACED.sub("", found[0]) for found in DEVICE.finditer(body)}
    named = [n for n, (tool, _) in enumerate(TOOLS)
             if not words.isdisjoint(_NAMES[n]) and tool.search(body)]  # fmt: skip
    did = [WE if rule is _ANY else rule for rule, found, asks in _ASKING
           if not words.isdisjoint(asks)
           and found.search(body if rule is _ANY else small)]  # fmt: skip
    headed = not words.isdisjoint(_HEADS) and _HEADED.search(body) is not None
    places = (_PLACES | _SORTS | _CARDS) & words
    rows = [row for line in page.body.split("\n") if "[[" in line
            for _, row, _ in figures.measured(records, line)]  # fmt: skip
    ran = records.by_hash.get(page.sha256, ())
    known = _known(rows, ran, records)
    elsewhere = [name for name in devices if name.rstrip("s") not in known]
    told = " ".join(str(v) for row in rows for v in row.values() if isinstance(v, str)).lower()
    shown = f"{told} {page.meta.get('title')} {' '.join(block.text for block in page.blocks)}"
    trials = [rule for asks, rule in (*TRIED, _THERE, *(() if ran else (_HERE,)))
              if any(words in small for words in asks) and rule.search(body)]  # fmt: skip
    missing = [n for n in named if not TOOLS[n][1].search(shown)]
    headed = headed and not TOOLS[1][1].search(shown)
    keyed = bool(rows) or any(run.get("outputs") for run in ran)
    pattern = records.project.devices
    others = {
        name.rstrip("s") for name in devices if pattern and re.match(pattern, name.rstrip("s"))
    }
    ours = machines.Ours(page.root, pattern, shown, known, [*rows, *ran])
    ours.ask(words, others, machines.WORD.search(body) is not None)
    alone = [*(rule for rule in (CAME, RACED) if rule in did), reported.CARD_DID]
    seen: set[str] = set()  # a picture for light and dark says the same
    own: frozenset[str] = frozenset()
    if rows and not page.meta.get("sources"):
        about = " ".join(f"{r['id']} {r.get('title') or r.get('what') or ''}" for r in rows)
        own = frozenset(stems(about) - _OF_HARDWARE)
    for said in statements(page):
        if said.line in invented and said.text.lstrip().startswith("- [ ]"):
            continue  # a wrong answer
        at = page.at(said.line)
        for what in _elsewhere(said, known, own, elsewhere) if elsewhere else ():
            yield Mistake(page.path, at, what, MEASURE)
        if missing or headed:
            for what in _unstarted(said, missing, keyed, keyed and headed):
                yield Mistake(page.path, at, what, RAN)
        if trials or places:
            for what in _trials(said, known, trials, places):
                yield Mistake(page.path, at, what, REPORT)
        if said.kind in _BY_ITSELF and said.line not in invented and said.text not in seen:
            seen.add(said.text)
            for what in _by_itself(said, alone, bool(named)):
                yield Mistake(page.path, at, what, REPORT)
        for what in _verdicts(said, page, known, records):
            yield Mistake(page.path, at, what, RAN)
        for what in ours.wrong(said.text, said.place) if ours.asked else ():
            if not LINK.search(said.text):
                yield Mistake(page.path, at, what, UNDER_WHAT)
        if did and (said.line not in invented or said.kind == "quiz"):
            for what in _did(said, told, did):
                yield Mistake(page.path, at, what, REPORT)


UNDER_WHAT = "say what its runs were made under, as the records have it; or measure it there"


def _known(rows: list[dict], ran: Sequence[dict], records: Evidence) -> str:
    """Return the names of the devices on which something of a page was measured, or ran."""
    others = (r for row in rows for r in records.elsewhere.get(row.get("id", ""), ()))
    named = _devices([*rows, *ran, *others])
    return named if re.search(r"\d", named) else recorded(records)

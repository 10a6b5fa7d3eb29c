"""The last look at a page's HTML, before its proofs are put in: nothing forged, nothing typed."""

import re
from collections.abc import Iterator

from lockstep import claims, figures, forged, lookalikes, numbers, project, rendered
from lockstep.block import Block, Page
from lockstep.fitting import DEFINED
from lockstep.mistakes import Mistake


def check(page: Page, text: str) -> list[Mistake]:
    """Return what is wrong with the HTML of a page: elements off the whitelist, typed numbers."""
    found: dict[Mistake, None] = {}

    def wrong(at: int, what: str, mend: str) -> None:
        found[Mistake(page.path, line(page, text, at, what), what, mend)] = None

    def drawn(src: str) -> str:
        folder = page.root / page.docs
        file = folder / re.sub(r"^(?:\.\./)+|#.*$", "", src)
        if file.suffix != ".svg" or not file.is_file() or folder not in file.parents:
            return ""
        return " ".join(SAYS.findall(file.read_text(encoding="utf-8")))

    language = project.of(page.root).language
    reader, looks = numbers.Reader(wrong, drawn, language), lookalikes.Lookalikes(wrong)
    for piece, start, _, stack in rendered.walk(text, wrong):
        reader.read(piece, start, stack, text)
        looks.read(piece, start, stack)
    reader.end()
    looks.end()
    if page.meta:
        rendered.check_heading(text, wrong)
    for at, what in levels(page):
        mend = "a legend shows all levels, each once; elsewhere write the level's name"
        found[Mistake(page.path, at, what, mend)] = None
    for key in ("title", "description"):
        for number in numbers.typed(str(page.meta.get(key, ""))):
            what = f"{number!r} is typed in the {key}, which search results show"
            found[Mistake(page.path, 1, what, "say it without the number")] = None
        said = str(page.meta.get(key, ""))
        if stamp := forged.stamp(said) or forged.label(said):
            what = f"{stamp!r}, in the {key}, {lookalikes.LIKE}"
            found[Mistake(page.path, 1, what, lookalikes.TAKE)] = None
    for at, said, mend in told(page):
        found[Mistake(page.path, at, said, mend)] = None
    for block, said in called_results(page):
        what = f"{said!r} calls what is only shown a result, and no run wrote it"
        mend = "print it in a block, with an output block below, or call it an example"
        found[Mistake(page.path, page.line_of(block), what, mend)] = None
    for at, said in (*outputs(page), *called(page)):
        what = f"`{said}` is said to be printed, and no block of this page holds it"
        found[Mistake(page.path, at, what, "show it as a session, whose output a run compares")] = (
            None
        )
    return list(found)


# A value in prose that some code is said to give.
PRINTS = re.compile(
    r"(?:\b(?:print(?:s|ed)|output(?:s|ted)|return(?:s|ed)|display(?:s|ed)|gives?|gave|shows|yields?"
    r"|you (?:get|see)|evaluates? to|comes? out as|results? (?:is|in))\s+|\)`\s*(?:→|->|=|⇒)\s*)"
    r"`((?:-?\.?\d|[\[(\"'{]|True\b|False\b|array\().*?)`"
    # What an expression is: `x.std()` is `29.0`.
    r"|`[^`]*[A-Za-z_]\w*[.(\[][^`]*`(?: (?:now|then|there|here))? (?:is|are|was|equals|holds|=)"
    r"(?: (?:now|then))? `(-?\.?\d[\d._e+-]*|\[-?\d[\d., -]*\]|True|False)`"
    # Set bold, and seen on the screen.
    r"|\b(?:print(?:s|ed)|output(?:s|ted)?|return(?:s|ed)|display(?:s|ed)|shows?|yields?"
    r"|you (?:will )?(?:get|see)|evaluates? to|comes? out as|(?:answers?|replie[sd])(?: with)?)\s+"
    r"(?:\*\*|__|[\"“])(-?\.?\d[\d., e+-]*|\[[^*\"]*\]|\([\d., -]+\)|True|False|array\([^*\"]*\))"
    r"(?:\*\*|__|[\"”])"
    # A call and its result in two cells of a row.
    r"|\|[^|`]*`[\w.]+\([^`|]*\)`\s*\|\s*`(-?\.?\d[\d.e+-]*|[\[(][^`a-z]*[\])]|True|False|array\([^`]*)`"
)


# A word of success that some code is said to give: it reports `PASSED`.
_SUCCESS = (
    r"(?:PASS(?:ED|ES)?|OK|SUCCESS\w*|[Ss]uccess\w*|[Pp]assed|passes|True|DONE|Done|CORRECT"
    r"|[Cc]orrect|VERIFIED|[Vv]erified|[Aa]ll [\w ]*(?:pass|passed|ok|OK|correct|equal)"
    r"|[Nn]o errors?(?: found)?|0 (?:errors|failures|failed)|identical|equal|match(?:es)?)"
)
SUCCESS = re.compile(
    r"\b(?:print(?:s|ed)?|output(?:s|ted)?|return(?:s|ed)?|reports?|reported|says?|said|answers?"
    r"|answered|displays?|ends (?:with|in)|comes? back(?: with| as)?|shows|gives?|writes?)"
    r"(?: us| you| back)?:? (?:a |an |the )?(?:\w+ )?"
    rf"(?:`({_SUCCESS}[.!]?)`|\*\*({_SUCCESS}[.!]?)\*\*|[\"“]({_SUCCESS}[.!]?)[\"”])"
)


# Words that some program is said to give: it prints `ok: 12 kernels agree`, and warns about `...`.
SPOKEN = re.compile(
    r"(?i)\b(?:prints?|printed|outputs|says|said|reports?|reported|answers?|answered|repl(?:ies|ied)"
    r"|warns?|warned|complains?|complained|logs|logged|writes|wrote|displays|displayed|echoe[sd]"
    r"|shows|showed|ends|ended|emits|emitted|announces|announced|saw|sees|reads)"
    r"(?: (?:us|you|back|about|with|in|out|that|of|the (?:line|words|message|warning|error)|an?|the"
    r"|as|line \d+|something like|there|then|here|now))*[:,]? (?:`([^`]*)`|\*\*([^*]*)\*\*)"
)
_PHRASE = re.compile(r"[A-Za-z]{2,}[:,;]? +[\w'\"][\w'\"]*(?:[ ,.;:!?']|$)")
_CODE = re.compile(
    r"[={}\[\]<>]|\w\(|^(?:import|from|return|for|if|while|with|def|class|print|assert|del)\b"
)
# Two instructions of a compiled kernel, with registers of their own.
ASSEMBLY = re.compile(
    r"`(?:@!?%?\w+ )?([A-Za-z]\w*(?:\.\w+)* +(?=[^`]*(?:%[a-z]+\d|\bU?R\d))[^`]*,[^`]*)`"
)


# The head of a table of what is said to be printed.
PRINTED = re.compile(
    r"(?i)\b(?:what|which) (?:it|that|the \w+) (?:prints?|printed|says|said)\b"
    r"|\|\s*printed\s*\|"
)
# What a program says, in quotes; and what leads to it, in the line above.
_PRINTER = (
    r"\b(?:programs?|scripts?|kernels?|commands?|runs?|tests?|code|examples?|shell|terminal|console"
    r"|block|session|compiler|profiler|interpreter|REPL|notebook|debugger|linker|driver|machine|GPU"
    r"|assembler|tool|loader|log|last line|function|call|it|this|which|Python|nvcc|ncu|you)"
    r"\ (?:\w+\ )?"
    r"(?:prints?|printed|outputs?|says?|said|reports?|reported|answers?|answered|writes?|wrote"
    r"|replie[sd]|says|shows?|showed|displays?|gives?|gave|get|see|ends\ with|returns?)"
)
QUOTED = re.compile(
    rf"{_PRINTER}[:,]?\ (?:[\"“]([^\"”“]*\d[^\"”“]*)[\"”]|«([^»]*\d[^»]*)»)", re.IGNORECASE
)
LEADS = re.compile(
    rf"(?:{_PRINTER}[^.;:]{{0,60}}|\b(?:outputs?|printed|terminal|console)\b[^.;:]{{0,30}}):\W*$",
    re.IGNORECASE,
)
# And without a colon, above a block quote.
SAYS_SO = re.compile(rf"{_PRINTER}(?:\ \w+){{0,3}}$", re.IGNORECASE)
# A line of a block quote, or one that is in quotes or set bold or italic as a whole.
QUOTE = re.compile(
    r"\s*(?:>\s?)+(.*\d.*)|\s*(?:[-*+]\ +)?(?:\*\*|__|[*_\"“«])(.*\d.*?)(?:\*\*|__|[*_\"”»])\W*$"
)


# Who returns True where that says that something worked: a check, or a call with what it got.
_CHECK = re.compile(
    r"(?i)\b(?:checks?|tests?|comparisons?|asserti\w+|runs?|programs?|kernels?|scripts?|verif\w+"
    r"|compare[sd]?|results?|answers?|we|ours|here|allclose|array_equal|equal)\b|`[\w.]+\([^)`]+\)`"
)


def _described(match: re.Match, said: str) -> bool:
    """Whether prose says what a function is for: it returns `True`, or `False` for none."""
    if said not in {"True", "False"} or not match[0].startswith(("return ", "returns ")):
        return False
    row = match.string[: match.start()]
    return not _CHECK.search(re.split(r"(?<=[.!?])\s", row)[-1])


def _spoken(match: re.Match) -> bool:
    """Whether what a program is said to give is words, and no code."""
    said = match[match.lastindex or 1]
    return bool(_PHRASE.search(said)) and not _CODE.search(said)


# Numbers that somebody is said to see, and how the last line or the result begins and ends.
_NUMBER = r"-?\.?\d(?:[\d.,]*[\d.])?"
_VALUES = rf"({_NUMBER}(?:(?:,? and|,) {_NUMBER})*)"
READS = re.compile(
    r"(?i)\b(?:the|its) (?:last|first|second|third|next|only"
    r"|final) lines? (?:then )?(?:reads?|says?"
    r"|shows?|prints?|gives?)\b:?(?P<read>[^.;:]*?\d[^;:]*?)(?=[.;](?:\s|$)|$)"
    r"|\b(?:you|we|one) (?:then |now |will |should |can )*(?:see|get|read)s? (?:then "
    r"|now )?(?:the |an? )?"
    rf"(?:\w+ )?(?:numbers?|values?|figures?|lines?|results?) {_VALUES}"
    r"|\b(?:the|its|our) (?:results?|outputs?|arrays?|lists?|vectors?|answers?)"
    rf" (?:begins?|starts?|ends?)(?: with| in| at)? {_VALUES}(?:[^.;]*? ends? (?:with |in "
    rf"|at )?{_VALUES})?"
    rf"|\bc[ao]mes? out as {_VALUES} (?:in place|instead) of\b"
)
# And the message with which it is said to end, in emphasis.
ENDS = re.compile(
    r"\b(?:aborts?|aborted|dies|died|stops?|stopped|fails?|failed|crash(?:es|ed)|ends?|ended)"
    r" with (?:an? |the )?(?:\w+ )?(?<!\*)[*_]([A-Za-z][^*_]{8,})[*_](?!\*)"
)
# Inline code that looks like a line which a program printed.
LOOKS = re.compile(
    r"array\(.*\)|\[-?\d[\d.]*(?:,? +-?\d[\d.e+-]*){2,}.*\]"
    r"|\(-?\d+(?:\.\d+)?(?:, -?\d+(?:\.\d+)?){2,}\)"
    r"|-?\d+\.\d{3,}(?:e[+-]?\d+)?|[A-Za-z]\w* [\w ]{2,30}: -?\d[\d.,]*(?: ?[A-Za-z/%]+)?"
    r"|\d+ of \d[\d,]* .*|\d+ (?:passed|failed|errors?|mismatches)\b.*"
    r"|(?:max(?:imum)?|mean) (?:error|difference)\b.*\d.*"
)
_CODED = re.compile(r"(?<!`)`([^`]+)`(?!`)")
_VALUE = re.compile(r"-?\.?\d[\d.,]*(?<![,.])")


def _quoted(row: str, shown: str, code: bool) -> Iterator[str]:
    """Yield what a row says that a program printed, by its values or its look.

    ``code``: the page has blocks, which could have printed it.
    """
    plain = numbers.INLINE.sub("", LINKED.sub("", row))
    for found in READS.finditer(plain) if _VALUE.search(plain) else ():
        for said in filter(None, found.groups()):
            values = _VALUE.findall(said)
            row_of = re.sub(r"[\s,]", "", re.sub(r"\band\b", "", said)).strip(".")
            whole = re.search(r"[A-Za-z]{3}", said) is None or found["read"] is None
            if any(value not in shown for value in values) or (
                (len(values) > 1 or not whole) and row_of not in shown.replace(",", "")
            ):
                yield said.strip()
    for found in ENDS.finditer(row) if " with " in row else ():
        if re.sub(r"\s", "", found[1]) not in shown:
            yield found[1]
    for coded in _CODED.finditer(row) if code and "`" in row else ():
        if LOOKS.fullmatch(coded[1].strip()) and re.sub(r"\s", "", coded[1]) not in shown:
            yield coded[1]


def outputs(page: Page) -> Iterator[tuple[int, str]]:
    """Yield (line, value) of values that prose says are printed, and that no block shows."""
    shown = re.sub(r"\s", "", "".join(block.text for block in page.blocks))
    before, head, fenced = "", "", False
    for number, row in enumerate(page.body.split("\n"), start=page.body_line):
        fenced ^= row.lstrip().startswith("```")
        head = (head or row) if row.lstrip().startswith("|") else ""
        if "`" in row and head != row and PRINTED.search(head):
            for said in re.findall(r"`([^`]*\d[^`]*)`", row):
                if re.sub(r"\s", "", said) not in shown:
                    yield number, said
        marked = "`" in row or "**" in row
        found = list(PRINTS.finditer(row)) if marked or '"' in row else []
        if row.strip() and not LINK.search(row):
            if '"' in row or "“" in row or "«" in row:
                found += QUOTED.finditer(row)
            leads = LEADS.search(before) or (row.lstrip()[:1] == ">" and SAYS_SO.search(before))
            if (quote := QUOTE.match(row)) and leads and not LINK.search(before):
                found.append(quote)
            if marked:
                found += filter(_spoken, SPOKEN.finditer(row))
            if not fenced:
                yield from ((number, said) for said in _quoted(row, shown, bool(page.blocks)))
            if row.count("`") > 3 and len(read := list(ASSEMBLY.finditer(row))) > 1:
                found += read
            if '"' in row or "“" in row or "`" in row or "**" in row:
                found += SUCCESS.finditer(row)
        for match in found:
            said = match[match.lastindex or 1]
            if _described(match, said):
                continue
            if figures.KEY.sub("", said).strip() and re.sub(r"\s", "", said) not in shown:
                yield number, said
        before = row if row.strip() and not row.lstrip().startswith(">") else before


# A decimal, as a function gives one; and one that fills a line, an item or the title of a box.
_DECIMAL = re.compile(r"(?<![\w.,/-])-?\d+\.\d+(?![\w.%]|\s?[×x%])")
_FILLS = re.compile(
    r"\s*(?:[-*+>:]\s+|\d+\.\s+)?(?:(?:!!!|\?\?\?\+?|===)[^\"]*\")?[\[=*+$_\"(`]*"
    r"(-?\d+\.\d+)[\]=*+$_\")`]*\s*"
)
_GOES_ON = re.compile(r"    |\s*:\s")  # of a tab, and of a term


def called(page: Page) -> Iterator[tuple[int, str]]:
    """Yield (line, value) of values beside a call of this page's functions, which no block shows.

    And of those that stand alone in a line: between blocks they look printed.
    """
    names = {name for block in page.blocks for name in DEFINED.findall(block.text)}
    shown = re.sub(r"\s", "", "".join(block.text for block in page.blocks))
    calls = re.compile(
        rf"[`\"](?:\w+\.)?(?:{'|'.join(map(re.escape, sorted(names))) or '(?!)'})"
        r"\([^`\"]*[\d\[][^`\"]*\)[`\"]"
    )
    near, fenced = "", False  # the paragraph that is read
    start = page.body_line
    for number, row in enumerate([*page.body.split("\n"), "", "."], start=page.body_line):
        fenced ^= row.lstrip().startswith("```")
        if not fenced and page.blocks and (alone := _FILLS.fullmatch(row)):
            if alone[1] not in shown:
                yield number, alone[1]
        if row.strip() and not fenced:
            goes_on = near.endswith("\n") and _GOES_ON.match(row)
            if near.endswith("\n") and not goes_on:
                near = ""
            start = start if near else number
            near = f"{near} {row}"
            continue
        if calls.search(near) and not near.endswith("\n"):
            said = calls.sub("", figures.KEY.sub("", numbers.WORKED.sub("", LINKED.sub("", near))))
            for value in _DECIMAL.findall(said):
                if value not in shown:
                    yield start, value
        near = f"{near}\n" if near.strip() and calls.search(near) else ""


# A box, a tab or a term that looks as if a program had written what stands under it.
SCREEN = re.compile(
    r"\s*(?:(?:!!!|\?\?\?\+?|===[!+]?)[^\"]*\"(?P<title>[^\"]*)\"|(?P<term>[A-Z][a-z ]{4,30})$)"
)
SCREENS = re.compile(
    r"(?i)(?:the |its |standard |program |kernel )?(?:output|terminal|console|stdout|stderr|shell"
    r"|standard (?:output|error)|what (?:it|the \w+) (?:prints|says))"
)
# Outcomes of runs in the cells of a row.
OUTCOME = re.compile(
    r"(?i)(?<=\|)[\s*_`]*(?:agree[sd]?|disagree[sd]?|differ[sd]?|nan|inf|out of memory|oom"
    r"|pass(?:e[sd])?|fail(?:s|ed)?|crash(?:es|ed)?|hangs?|hung|correct|wrong|identical|diverge[sd]?|converge[sd]?)"
    r"[\s*_`]*(?=\|)"
)
_FEW = r"(?:\d[\d,]*|no|zero|nothing|eight|sixteen|twenty|thirty-two|forty|sixty-four)"
_COUNTED = (
    rf"(?i)\b(?:compiler|ptxas|nvcc|assembler)\b [^.|;:\[]{{0,25}}?\b(?:gives|uses|takes|allots"
    rf"|assigns|needs|used|gave|took|spends|allocates)\b[^.|;:\[]{{0,30}}?\b{_FEW} registers\b",
    r"(?i)(?<!if it )\bspill(?:s|ed) (?:nothing|none\b|no (?:registers?|bytes)|\d+)"
    r"|\b\d+ bytes? (?:is|are|were) spilled",
    rf"(?i)\b(?:becomes?|became|compiles? (?:in)?to|turns? into) (?:only |just |about )?{_FEW}"
    r" instructions",
    r"(?i)\b(?:answers?|answered|gets|got|solve[sd]?|classifie[sd]|pass(?:es|ed)?|agree[sd]?"
    r"|match(?:es|ed)?|recogni[sz]e[sd]?|predict(?:s|ed)) (?:on |in |with )?\d+ (?:of|out of)"
    r" (?:the |all |our )?\d+|\b\d+ (?:of|out of) (?:the |all |our )?\d+\b[^.|;:\[]{0,25}"
    r"\b(?:correctly|agree|pass(?:ed)?)\b",
)
COUNTED = tuple(map(re.compile, _COUNTED))
# A bet on what a run shows, and an answer that is a number alone.
BET = re.compile(r"\s*\?\?\?\+? bet \"(?P<asks>[^\"]*)\"")
RACES = re.compile(
    r"(?i)\btimes as (?:fast|quick|slow)\b|\b(?:faster|slower|speed-?up)\b|\bhow (?:fast|quick)\b"
    r"|\([GTM]?B/s|\((?:[mnµu]?s|seconds|TFLOP/s)[:)]"
)
# The range of its answers, and a number in front that something came to.
RANGED = re.compile(r"\((?:[^()]{1,20}: ?)?[\d.,]+ to [\d.,]+\)\s*$")
ANSWERED = re.compile(
    rf"(?i)\b(?:took|takes|needed|needs|costs?|was|were|got|gave|reached|made|came to"
    rf"|comes to|ours)(?: us| me| it| ours)? (?:about |only )?{claims.BARE}"
)
ALONE = re.compile(r"\s*\*\*[~≈]?\d[\d.,]*[^*\d]*\*\*[^\d\[]*$")
# A rate of typed numbers, on a card of ours.
CARDED = re.compile(
    r"\[\[worked:[^\]{]*?(?:/s|[mnµu]?s)\b[^\]{]*\]\][^.|;:\[]*\bon (?:our|my) (?:own )?"
    r"(?:card|GPU|machine|H200|device)\b"
)
PULL = "pull it by key, or show the block that prints it; or give it as the text of a link"


def told(page: Page) -> Iterator[tuple[int, str, str]]:
    """Yield (line, what, mend) of what a run alone could tell, and the prose says by itself."""
    inside, asks, screen = False, "", ""
    for number, row in enumerate(page.body.split("\n"), start=page.body_line):
        if row.lstrip().startswith("```"):
            inside, screen = not inside, ""
            continue
        if inside or not row.strip():
            continue
        if screen and (row[:1] == " " or row.lstrip()[:1] == ":") and "[[" not in row:
            what = f"what stands under {screen!r} is typed, as if a program had written it"
            yield number, what, "show it as a session or an output block, which a run compares"
        screen = ""
        if (box := SCREEN.match(row)) and SCREENS.fullmatch(box["title"] or box["term"] or ""):
            screen = box["title"] or box["term"]
        if bet := BET.match(row):
            asks = bet["asks"]
            if ranged := RANGED.search(asks):
                for said in ANSWERED.finditer(numbers.plain(asks[: ranged.start()])):
                    what = f"{said[0]!r} is typed in a bet, whose range gives it a unit"
                    yield number, what, PULL
        elif asks and RACES.search(asks) and ALONE.match(row):
            yield number, f"{row.strip()[:30]!r} answers what a run alone can tell", PULL
        asks = asks if bet else ""
        if "](http" in row or "[[" in row and "[[worked" not in row:
            continue
        if row.lstrip().startswith("|") and len(found := OUTCOME.findall(row)) > 1:
            what = f"{found[0].strip()!r} in a row of outcomes is typed, as if something had run"
            yield number, what, "show the run that tells it, or link the record of it"
        for pattern in COUNTED if re.search(r"register|spill|instructions| of ", row) else ():
            if counted := pattern.search(row):
                yield number, f"{counted[0]!r} is typed, and a run or a compiler counts it", PULL
        if "[[worked" in row and (carded := CARDED.search(row)):
            what = f"{carded[0]!r} is worked from typed numbers, and said of a card of ours"
            yield number, what, PULL


# Data that a page shows, or gives a block to read, and words that call it what a run gave.
DATA = {"json", "yaml", "toml", "csv", "text", "ini", "xml", "console", "markdown", "sql"}
RESULT = re.compile(
    r"\b(?:results?|outputs?|timings?|measurements?|measured(?! (?:figure|number))"
    r"|printed|reports?|reported|benchmarks?"
    r"|(?:we|you|I) (?:got|get|saw|see|found)"
    r"|(?:run|script|program|kernel|it) (?:wrote|gave|writes"
    r"|gives|prints|says|reports))\b",
    re.IGNORECASE,
)

CALLS = re.compile(r"(?:That|This|It|These|Those|Here|Above)\b[^.]{0,20}\b(?:is|are|was|were)\b")
NONE = re.compile(r"\b(?:nothing|none|no|never|not|example|such as|might|would|could)\b")


def called_results(page: Page) -> Iterator[tuple[Block, str]]:
    """Yield (block, words) of data that nothing printed, and that words around it call a result."""
    rows = page.body.split("\n")
    for block in page.blocks:
        if block.language not in DATA or block.runs and "file" not in block.options:
            continue
        above = rows[: block.page_line - page.body_line]
        lead = next((row for row in reversed(above) if row.strip()), "")
        lead = lead if lead.rstrip(" *_").endswith(":") and not LINK.search(lead) else ""
        lead = "" if NONE.search(lead) else lead
        said = (re.split(r"(?<=[.!?])\s", lead)[-1], *map(str, block.options.values()))
        below = next((r for r in rows[len(above) :][3:] if r.strip()), "")
        said = (*said, below if CALLS.match(below) else "")
        if words := next(filter(None, map(RESULT.search, said)), None):
            yield block, words[0]


LINKED = re.compile(r"\[[^\]]*\]\([^)]*\)")
LINK = re.compile(r"\]\(https?:")  # words of a source, which a reader can open


def levels(page: Page) -> Iterator[tuple[int, str]]:
    """Yield (line, what) where a page shows the mark of a proof, and is no legend of all of them.

    Beside some words it would look as the mark of a block, which a run alone can give.
    """
    shown = [
        (number, level["level"])
        for number, row in enumerate(page.body.split("\n"), start=page.body_line)
        if "[[proof:" in row
        for piece, is_prose in figures.outside_code(row)
        for level in (numbers.INLINE.finditer(piece) if is_prose else ())
        if level["level"]
    ]
    wanted = sorted(project.of(page.root).marks)
    if shown and sorted(level for _, level in shown) != wanted:
        number, level = shown[0]
        yield number, f"[[proof:{level}]] looks like the proof of a block"


# What a drawing says: its label, and its text where that is not drawn as paths.
SAYS = re.compile(r"aria-label=\"[^\"]*\"|>[^<>]+(?=<)")


IN_TABLE = "in a table where"  # of a message that names a cell, and one that gives it its unit


def _row(lines: list[str], cell: str, other: str) -> int | None:
    """Return the number of the line of a table's cell, where another cell of the table is known."""
    tables: list[list[tuple[int, list[str]]]] = [[]]
    for number, row in enumerate(lines):
        if row.lstrip().startswith("|"):
            tables[-1].append((number, [c.strip(" *`") for c in row.strip(" |").split("|")]))
        elif tables[-1]:
            tables.append([])
    for table in tables:
        if any(other in cells for _, cells in table):
            if found := [number for number, cells in table if cell in cells]:
                return found[-1] if cell == other else found[0]
    return None


def line(page: Page, text: str, at: int, what: str) -> int:
    """Return the line of the page's file that the HTML at ``at`` most likely came from.

    HTML has no lines of its source: the words in quotes of the message are looked for, then those
    that follow the place.
    """
    lines = [numbers.plain(row) for row in page.body.split("\n")]
    if "\\" in page.body:  # a formula is read without its commands
        lines = [f"{row} {numbers.plain(numbers.formula(row))}" for row in lines]
    after = re.sub(r"<[^>]*>", "\n", text[at : at + 400])
    quoted = re.findall(r"'([^']+)'|\"([^\"]+)\"|<(\w+)", what)
    wanted = [word for words in quoted for word in words if word]
    if IN_TABLE in what and len(wanted) > 1:
        if found := _row(lines, *wanted[:2]):
            return page.body_line + found
    wanted = [w if w.isalnum() is False or len(w) > 3 else f"<{w}" for w in wanted]
    wanted += [numbers.plain(piece).strip()[:40] for piece in after.split("\n") if len(piece) > 3]
    for words in wanted:
        for number, row in enumerate(lines, start=page.body_line):
            if words and words in row:
                return number
    return page.body_line

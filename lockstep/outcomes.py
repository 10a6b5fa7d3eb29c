"""Outcomes of runs in words alone: "noticeably slower", "scales perfectly", "no difference".

No number gives them away, and each says what a measurement would. So the paragraph, or the item of
a list, has a figure: a key, or a number that is worked out. Or the sentence leads to the
measurement, by a link that is none to a term; or the section shows it, in a table of keys or as
what a run printed. What the sentence supposes, asks or expects is no outcome.
"""

import re
from collections.abc import Iterator
from typing import NamedTuple

from markdown.extensions.toc import slugify

from lockstep import figures, numbers
from lockstep.asking import Asking
from lockstep.block import RECORDED, Page
from lockstep.claims import FRACTION
from lockstep.fitting import HEADING, SENTENCE, TAG
from lockstep.mistakes import Mistake
from lockstep.worked import CARDS

MEND = (
    "say the figure by key in this paragraph, link the page that measured it, or write it as what"
    " you expect"
)
_FASTER = r"(?:faster|slower|quicker)"
_DEGREE = (
    r"(?:noticeably|measurably|clearly|visibly|markedly|significantly|considerably|substantially"
    r"|distinctly|slightly|marginally|hardly|barely|scarcely|somewhat|(?:many|several)\ times"
    r"|an?\ (?:\w+\ )?(?:deal|bit|lot|little|touch|hair|trifle)|much|far|no|not|never|even|any)"
)
_CARD = rf"(?:{CARDS}|T4|M[1-9](?:\ (?:Pro|Max|Ultra))?|Hopper|Blackwell|Ampere|Volta|Turing|Ada)\b"
_TOOL = (
    r"(?:Nsight(?:\ Compute|\ Systems)?|ncu|nsys|(?:the\ )?profiler|ptxas|cuobjdump"
    r"|(?:the\ )?counters?)"
)
_COSTS = r"(?:speed|rate|times?|bandwidth|throughput|latency|performance|run-?time|pace)"
# For each rule the words of which a sentence must have one, in small letters.
RULES: tuple[tuple[tuple[str, ...], str], ...] = (
    (("faster", "slower", "quicker", "ahead", "behind"),
     rf"\b{_DEGREE}\ (?:{_FASTER}|(?:ahead|behind)\b(?!\ (?:the|an?|it|them)\b))\b"),
    (("faster", "slower", "quicker", "fastest", "slowest", "quickest"),
     rf"(?<!\bthat\ )(?<!\bwhich\ )\b(?:is|was|are|were|runs?|ran|gets?|got|becomes?|became"
     rf"|c[ao]mes?"
     rf"|turn(?:s|ed)\ out|proved|stay(?:s|ed))\ (?:out\ )?(?:the\ )?"
     rf"(?:{_FASTER}|fastest|slowest|quickest)\b"),
    (("faster", "slower", "quicker"),
     rf"\b(?:made|makes|making)\b[^.;:]{{0,40}}?\ (?:kernel|version|variant|loop|code|copy"
     rf"|tile|rung"
     rf"|program|scan|sort|sum|reduction|it|them|everything|this|one)\ (?:\w+\ )?{_FASTER}\b"),
    (("difference", "effect"),
     r"\b(?:ma(?:kes?|de)|is|was|saw|see|found|had|has|shows?|showed)"
     r"\ (?:\w+\ )?(?:no|little|any)\ (?:\w+\ )?(?:difference|effect)\b(?!\ between)"),
    (("scale", "scaling"),
     r"\bscale[sd]?\ (?:\w+\ )?(?:perfectly|linearly|well|badly|poorly|as\ it\ should|nicely"
     r"|beautifully|ideally)\b|\b(?:perfect|linear|ideal)\ scaling\b"
     r"|\bscaling\ (?:is|was|stays)\ (?:\w+\ )?(?:perfect|linear|ideal|good|bad|poor)\b"),
    (("order", "rank", "picture", "pattern", "outcome", "winner", "gap"),
     r"\b(?:(?:order|pattern)s?(?:\ of\ (?:the\ |our\ |all\ )?(?:\w+\ )?(?:rungs|kernels|versions"
     r"|variants|times|rates|speeds|figures|results))?|ranking|picture|outcome|winner|gap)s?\b"
     r"(?!\ of)[^.;:]{0,40}?\b(?:is|was|are|were"
     r"|stay(?:s|ed)|remain(?:s|ed)|c[ao]mes?\ out|h[eo]lds?)\ (?:\w+\ )?(?:the\ same|unchanged"
     r"|alike|too)"
     r"(?=\W*$|[.,;:)]|\ (?:on|with|for|at|in|and|here|there|as)\b)"),
    (("depend", "change", "move", "suffer", "drop", "fall", "vary", "constant", "flat"),
     rf"\b(?:the|our|its|this)\ (?:\w+\ )?{_COSTS}\b[^.;:]{{0,30}}?\ (?:(?:does|do"
     rf"|did)(?:\ not|n't)"
     r"\ (?:depend\ on|change|move|suffer|drop|fall|vary)"
     r"|(?:is|was|stay(?:s|ed)|remain(?:s|ed))\ (?:flat|constant))\b"),
    (("nsight", "ncu", "nsys", "profiler", "ptxas", "cuobjdump", "counter"),
     rf"\b{_TOOL}\ (?:then\ |also\ )?(?:shows?|says?|reports?|finds?|sees|counts|gives|showed|said"
     rf"|reported|found|saw)\ (?:no|few|hardly\ any|not|none|zero|nothing|only|many)\b"),
    (("half", "third", "quarter", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth",
      "twelfth", "twentieth", "hundredth", "thousandth"),
     rf"\b(?:los[et]s?|lost|loses|leaves?|left|brings?|brought|gain(?:s|ed)?|saved|costs?|won"
     rf"|(?:keeps?|kept)(?!\ half)|reach(?:es|ed)|score[sd]?|recover(?:s|ed))\ (?:\w+\ ){{0,2}}?"
     rf"(?:{FRACTION}|another\ (?:half|third|quarter|fifth|sixth|seventh|eighth|ninth|tenth"
     rf"|twentieth)|an?\ twentieth|(?:two\ thirds|three\ quarters|\w+\ (?:tenths|eighths|fifths)))"
     r"(?=[.,;:)]|$|\ (?:on|more|to|of\ (?:it|them|that|what|the|its)|and|but|here|there|in"
     r"|with)\b)"),
    ((" hair", "neck and neck", "on a par", "on par", "indistinguishable", "equally", "just as",
      "by far", "hands down", "at all sizes", "at every size", "every time"),
     r"\b(?:within\ a\ hair|neck\ and\ neck|on\ (?:a\ )?par\b|indistinguishable"
     r"|(?:equally|just\ as)\ (?:fast|slow|quick)"
     r"|(?:wins?|won|los(?:es|t)|beats?|leads?|trails?)\ (?:\w+\ )?(?:by\ far|hands\ down|easily"
     r"|clearly|by\ a\ (?:hair|nose|wide\ margin)|(?:at|for|on)\ (?:all|every)\ sizes?"
     r"|every\ time))\b"),
    (("same", "unchanged", "faster", "slower", "quicker", "wins", "won", "loses", "lost", "ahead",
      "behind", "holds", "difference", "order", "ranking", "better", "worse"),
     rf"\b[Oo]n\ (?:an?|the|our|any|every|each|my|some|all)\ (?:NVIDIA\ |AMD\ |Apple\ )?{_CARD}"
     rf"[^.;:]{{0,60}}?\b(?:the\ same|unchanged|{_FASTER}|wins|won|loses|lost|ahead|behind|holds?"
     rf"|no\ difference|better|worse)\b"
     rf"|\b(?:the\ same|unchanged|{_FASTER}|wins|won|loses|lost|ahead|behind|holds?|no\ difference"
     rf"|better|worse)\b[^.;:]{{0,30}}?\ on\ (?:an?|the|our|any|every|each|my|some|all)"
     rf"\ (?:NVIDIA\ |AMD\ |Apple\ )?{_CARD}"),
    (("accurate", "precise"),
     r"\b(?:is|was|are|were|gets?|got|stay(?:s|ed))\ (?:\w+\ )?(?:(?:more|less|as|equally|just\ as"
     r"|most|least)\ (?:accurate|precise))\b"),
    (("memory", "register", "power", "energy", "bandwidth"),
     r"\b(?:uses?|used|needs?|needed|takes?|took|has|had|draws?|drew|gets?|got)\ (?:\w+\ )?(?:less"
     r"|fewer|more|half\ the|twice\ the|the\ same|as\ much|as\ many)\ (?:shared\ )?(?:memory"
     r"|registers|power|energy|bandwidth)\b"  # and no limit: more than it has
     r"(?!\ than\ [^.;]*\b(?:has|have|had|may|fits?|are\ there)\b)"),
    (("best", "fastest", "record"),
     r"\b(?:our|my|the)\ (?:best|fastest|record)\ (?:so\ far|yet|of\ all|until\ now|today)\b"),
)  # fmt: skip
ASKING = Asking([words for words, _ in RULES])
_READY = tuple(re.compile(rule, re.VERBOSE | re.IGNORECASE) for _, rule in RULES)
# What is supposed, asked, or said of most GPUs and by somebody else.
HEDGE = re.compile(
    r"(?i)\b(?:if|whether|can|could|would|should|may|might|must|suppose|imagine|probably|likely"
    r"|expect\w*|predict\w*|guess\w*|perhaps|maybe|suspect\w*|seems?|usually|often|mostly|typically"
    r"|in\ general|generally|sometimes|why|how|unless)\b".replace("\\ ", " ")
)
# A figure, and a link that is none to the meaning of a word.
_FIGURE = re.compile(r"\[\[(?:bench|micro|worked):")
_LINK = re.compile(r"\]\((?!#|\S*glossary/)")
_HERE = re.compile(r"\]\(#([^)\s]+)\)")  # and to another section of the page
_ITEM = re.compile(r"\s*(?:[-*+]|\d+\.)\s")
_TITLE = re.compile(r"^\s*(?:\?\?\?\+?|!!!|===!?)\s*\w*\s*\"[^\"]*\"")
_ROW = re.compile(r"\s*\|")
# The head of a column that names who won, and a cell that says it.
_WINNER = re.compile(
    r"(?i)(?:the )?(?:winner|fastest|faster|slowest|slower|wins?|who (?:wins|won)|won by"
    r"|which (?:\w+ )?(?:wins|won|is (?:faster|fastest))|best(?: (?:version|kernel|one|variant))?"
    r"|better|verdict|ranking|rank)"
)
_VERDICT = re.compile(
    r"(?i)(?:(?:much|far|a little|slightly|no|not) )?(?:faster|slower|quicker|fastest|slowest)"
    r"|wins|loses|won|lost|tie|a draw|no difference|winner"
)


class _Unit(NamedTuple):
    line: int
    text: str
    section: int


def check(page: Page, invented: set[int]) -> Iterator[Mistake]:
    """Yield the outcomes that a page tells in words, and shows no figure of."""
    units, shown, led = _read(page)
    heads: list[str] = []
    for unit in units:
        cells = _cells(unit.text)
        whole, heads = not heads, cells and (heads or cells)
        if unit.line in invented or unit.section in shown or _FIGURE.search(unit.text):
            continue
        if not led.isdisjoint(_HERE.findall(unit.text)):
            continue
        for what in (*_said(unit.text), *(() if whole else _won(heads, cells))):
            at = unit.line - page.body_line
            place = page.typed[at] if page.typed else unit.line
            yield Mistake(page.path, place, what, MEND)


def _cells(text: str) -> list[str]:
    return [c.strip(" *_`") for c in text.strip().strip("|").split("|")] if _ROW.match(text) else []


def _won(heads: list[str], cells: list[str]) -> Iterator[str]:
    """Yield what a row of a table says of who won, where its head asks for that."""
    if _LINK.search(" ".join(cells)):
        return
    for head, cell in zip(heads, cells, strict=False):
        if _WINNER.fullmatch(head) and re.search(r"\w", cell):
            yield f"{cell!r} under {head!r} tells how a run came out, and its row has no figure"
    if verdict := next(filter(_VERDICT.fullmatch, cells), None):
        yield f"{verdict!r} in a row tells how a run came out, and its row has no figure"


def _said(text: str) -> Iterator[str]:
    if not ASKING.rules(text.lower()):
        return
    row = text.lstrip().startswith("|")
    for sentence in SENTENCE.split(_TITLE.sub("", text)):
        rules = ASKING.rules(sentence.lower())
        if not rules or _LINK.search(text if row else sentence) or HEDGE.search(sentence):
            continue
        said = TAG.sub("", sentence)
        for number in rules if not said.rstrip(' "”)').endswith("?") else ():
            if found := _READY[number].search(said):
                yield f"{found[0]!r} tells how a run came out, and no figure is near"
                break


def _read(page: Page) -> tuple[list[_Unit], set[int], set[str]]:
    """Return the paragraphs and items of a page, and the sections that show a measurement.

    These by their number, and by what a link to one of them says.
    """
    titles: list[str] = [""]
    measured: set[int] = set()
    units: list[_Unit] = []
    shown: set[int] = set()
    rows: list[str] = []
    start, section, fenced = page.body_line, 0, False
    printed = {block.page_line for block in page.blocks if block.language in RECORDED}
    compared = {block.page_line for block in page.blocks if block.language == "pycon"}

    def end() -> None:
        if rows:
            units.append(_Unit(start, " ".join(rows), section))
            rows.clear()

    for number, row in enumerate([*page.body.split("\n"), ""], start=page.body_line):
        fence = row.lstrip().startswith("```")
        if fence or fenced or not row.strip() or HEADING.match(row):
            end()
            fenced ^= fence
            if not fenced and not fence and (title := HEADING.match(row)):
                section += 1
                titles.append(slugify(title[2], "-"))
            if number in printed:
                shown.add(section)
            if number in compared:
                measured.add(section)
            continue
        table = row.lstrip().startswith("|")
        if table and figures.KEY.search(numbers.WORKED.sub("", row)):
            shown.add(section)
        if rows and (table or _ITEM.match(row)):
            end()
        if row.lstrip().startswith("!["):  # what a drawing says for who can't see it
            continue
        if figures.KEY.search(row):
            measured.add(section)
        start = start if rows else number
        rows.append(row)
    return units, shown, {titles[n] for n in shown | measured}

"""Whether a key fits the sentence around it: its unit, and the size, device and kernel it names.

A measured number says what it measures on hover, and one of code that another page shows links
there (``lockstep.markdown``). What can be told from the words beside it is refused here.
"""

import functools
import math
import re
from collections.abc import Iterator

from lockstep import figures, numbers, tabled, worked
from lockstep.block import Page
from lockstep.english import SENTENCE, TAG
from lockstep.evidence import Evidence
from lockstep.mistakes import Mistake

_UNIT = re.compile(
    rf"[\s\u00a0\u202f*_]*(?:(?P<unit>{numbers.UNIT}|×(?!\s?[\d\w]))"
    r"|(?P<many>(?:hundred|thousand|[mb]illion|trillion|dozen|k|M|G)\b))",
    re.VERBOSE,
)
_COMPARED = re.compile(r"(?:times|x|×)\s|×$")
RATIO = re.compile(r"ratio|times|speed")
# 4096 × 4096, 16 x 28672 x 4096
SIZES = re.compile(r"(?<![\w.])\d[\d,]*(?:\s?[×x]\s?\d[\d,]*)+(?![\w.])")
NUMBER = re.compile(r"\d[\d,]*")
CODE = re.compile(r"`([A-Za-z_]\w+)(?:\([^`]*\))?`")
DEFINED = re.compile(r"^\s*(?:def|class|.*__global__ void|kernel void)\s+(\w+)", re.MULTILINE)
LINK = re.compile(r"\]\([^)]*\)")
POWER = re.compile(r"\b2\s?(?:\^|\*\*|<sup>)\{?([1-3]?\d)\b")
SIZED = re.compile(rf"\b(?:[Tt]he|[Oo]ur|[Tt]his|[Aa])\ [\w-]+(?:\ kernel)?,?\ of\ {POWER.pattern}")
DOES_ = "needs?|takes?|runs?|reach(?:es)?|does|gets?|manages?|is|moves?|sustains?"
LEAST = 128  # smaller ones are tiles and blocks
RATES = {"bytes", "flops"}
# The head of a column, and what quantity it promises.
HEADS = {
    "time": re.compile(r"(?:^|[\s(,])(?:ns|us|µs|μs|ms|s|seconds)\)?$"),
    "bytes": re.compile(r"[kMGT]?i?B/s\)?$"),
    "flops": re.compile(r"[kMGTP]?FLOP/?s?/s\)?$|TFLOPS\)?$"),
    "%": re.compile(r"%\)?$"),
}


def quantity(unit: str | None) -> str | None:
    """Return what kind of quantity a unit is of."""
    for scale, name in zip(figures.SCALES, ("time", "bytes", "flops"), strict=True):
        if unit in scale or (name == "time" and unit == "us"):
            return name
    return unit


def check(page: Page, records: Evidence) -> Iterator[Mistake]:
    """Yield what is wrong with the keys of a page."""
    defined: dict[str, set[str]] = {}
    for block in page.blocks:
        for name in DEFINED.findall(block.text):
            defined.setdefault(name, set()).add(block.path)
    heads: list[str] = []
    inside = False
    own = {block.path for block in page.blocks}
    titles: dict[int, str] = {}  # the headings that a line stands under, by their level
    above = ""  # the line of text in front of it
    paragraphs: list[tuple[int, list[str]]] = [(page.body_line, [])]
    invented = {line for part in records.project.parts for line in part.invented(page)}

    for number, line in enumerate([*page.body.splitlines(), ""], start=page.body_line):
        inside ^= line.lstrip().startswith("```")
        if not line.strip() or inside:
            paragraphs.append((number + 1, []))
        else:
            paragraphs[-1][1].append(line)
        if inside or not line.strip():
            heads = heads if inside else []
            continue
        at = page.at(number)
        row = line.lstrip().startswith("|")
        if row and not heads:
            heads = line.strip().strip("|").split("|")
        elif not row:
            heads = []
        for what, mend in _line(line, heads if row else [], records, defined):
            yield Mistake(page.path, at, what, mend)
        if title := HEADING.match(line):
            level = len(title[1])
            titles = {n: words for n, words in titles.items() if n < level} | {level: title[2]}
        if "[[" in line:
            around = " ".join([above, *heads, *(t for n, t in titles.items() if n > 1)])
            for what, mend in _unnamed(
                line, row, around, records, own, str(page.meta.get("title"))
            ):
                yield Mistake(page.path, at, what, mend)
        above = above if row else line
    read = [(start, " ".join(rows)) for start, rows in paragraphs if rows]
    keyed = [figures.KEY.search(text) is not None for _, text in read]
    shown = "".join(block.text for block in page.blocks)
    given = records.project.given
    stated = page.meta.get("sources")
    sources = stated if isinstance(stated, list) else []
    listed = {str(source.get("url")) for source in sources if isinstance(source, dict)}
    for n, (start, text) in enumerate(read):
        for what, mend in _printed(text, shown):
            yield Mistake(page.path, page.at(start), what, mend)
        if "[[worked:" in text and start not in invented:
            for what, mend in (*_worked(text), *_alone(text, shown), *_unheard(text, page, shown)):
                yield Mistake(page.path, page.at(start), what, mend)
        if "](http" in text:
            for what, mend in (*_borrowed(text), *_sourced(text, given, listed)):
                yield Mistake(page.path, page.at(start), what, mend)
        for what, mend in _changed(text) if keyed[n] else ():
            yield Mistake(page.path, page.at(start), what, mend)
        if not (any(keyed[max(0, n - 1) : n + 2]) or start in invented):
            for what, mend in _compared(text):
                yield Mistake(page.path, page.at(start), what, mend)


# Whose a figure is: ours, or that of the reference, which is somebody's library.
LIBRARY = (
    r"(?:cu[A-Z]\w+|CUB|CUTLASS|NCCL|CuPy|(?:Py)?[Tt]orch|NumPy|SciPy|Triton|FlashAttention"
    r"|Thrust|MAGMA|MPI|(?:[Tt]he|[Ii]ts|NVIDIA's)\ (?:library|reference|baseline))\b"
)
# Words for a comparison of two things that run, such as a kernel and a library.
_RUNS = r"(?:kernels?|versions?|implementations?|program|librar(?:y|ies)|baseline|reference|rungs?)"
_THEM = (
    rf"(?:{LIBRARY}|(?:ours|(?:(?:the|our|its|this|that|a|any|every|all)\ )(?:[\w-]+\ ){{0,2}}"
    rf"(?:{_RUNS}|(?:naive|tiled|first|second|other|old|previous|serial)\ one))\b)"
)
COMPARES = re.compile(
    rf"\b(?:(?:fast|slow|quick)er\ than|as\ (?:fast|slow|quick)\ as|ahead\ of"
    rf"|beats?|beat(?:s|en)?\ by|outperform(?:s|ed)?|outruns?|outpace[sd]?|overtakes?"
    rf"|surpass(?:es|ed)?"
    rf"|wins\ (?:over|against)|loses\ (?:to|against)|trails|no\ match\ for)\ {_THEM}"
    rf"|\b(?:fastest|slowest|quickest)\ (?:one\ )?is\ {_THEM}|\bbetter\ than\ {LIBRARY}"
    rf"|\b(?:fastest|slowest|quickest)\ of\ (?:all|them|the|our|these|those)\b"
    rf"|\b{_RUNS}\ (?:is|was|runs|ran|are|were)\ the\ (?:fastest|slowest|quickest)\b"
)
HYPOTHETIC = re.compile(
    r"(?i)\b(?:if|whether|can|could|would|should|may|might|when|must|to\ (?:beat|be)|how|suppose)\b"
)


# Whose a number is that somebody else's page is said to give.
GIVEN = re.compile(r"\[([^\[\]]*)\]\((https?://[^)\s]*)[^)]*\)")
MINE = re.compile(
    r"\b(?:(?:[Oo]f|[Oo]n)\ this\ (?:page|lesson|section|chapter)\b|[\w-]+\ (?:kernel"
    r"|version|tile|copy"
    r"|loop|rung|variant|program|scan|sort|sum|one)s?\ (?:above|below|here)\b|"
    r"[Oo]urs|[Oo]ur(?!\ own\ page)\ [a-zA-Z]\w*|(?:[Ww]e|I)\ (?:have\ |had\ |also\ )?"
    r"(?:measured?|timed|clocked|saw|got|get|reach(?:ed)?|ran|benchmarked))\b"
)


# Where anybody writes, and nobody reviews it.
_ANYBODY = re.compile(
    r"(?:gist\.|(?:\w+\.)*(?:wikipedia|wikimedia|medium|reddit|pastebin|blogspot|substack|quora"
    r"|wordpress|tumblr|facebook|twitter|youtube|tiktok|discord|dev)\.\w+$"
    r"|x\.com$|t\.co$|(?:\w+\.)*(?:gitlab|github|netlify|vercel|pages)\.(?:io|app|dev)$)"
)
# A site or a repository as a whole: no page of it that a reader could look a number up in.
_WHOLE = re.compile(
    r"https?://(?:[^/]+/?|(?:www\.)?(?:github|gitlab)\.com/[^/]+(?:/[^/]+)?/?|[^/]+/(?:docs?"
    r"|blog|en)/?)"
    r"(?:[?#].*)?$"
)
_HOST = re.compile(r"https?://(?:www\.)?([^/:?#]+)")


def _sourced(text: str, given: tuple[str, ...], listed: set[str]) -> Iterator[tuple[str, str]]:
    """Yield the numbers whose link leads to no source: a site of ``given``, or one listed above."""
    for link in GIVEN.finditer(text):
        place = _HOST.match(link[2])
        host = place[1].lower() if place else ""
        if link[2] in listed or not (found := numbers.typed(link[1])):
            continue
        if _WHOLE.match(link[2]):
            what = f"{found[0]!r} has its source at {link[2]}, which is no page that gives it"
            yield what, "link the page that says it: a file, a section, a chapter"
            continue
        known = not given or any(host == site or host.endswith(f".{site}") for site in given)
        if not known or (_ANYBODY.match(host) and host not in given):
            what = f"{found[0]!r} has its source at {host}, which is no source of numbers here"
            yield (
                what,
                "link who measured or makes it; or list this address under sources in the front"
                " matter, or its site under given in pyproject.toml, for a reviewer to see",
            )


def _borrowed(text: str) -> Iterator[tuple[str, str]]:
    """Yield the numbers that a sentence calls ours, under a link to somebody else's page."""
    for sentence in SENTENCE.split(text):
        mine = MINE.search(GIVEN.sub("", sentence)) if not figures.KEY.search(sentence) else None
        for link in GIVEN.finditer(sentence) if mine else ():
            if mine and (found := numbers.typed(link[1])):
                what = f"{found[0]!r} is given by {link[2]}, and the sentence says {mine[0]!r}"
                yield what, "pull what was measured here by key, or name who gives the number"


def _printed(text: str, shown: str) -> Iterator[tuple[str, str]]:
    """Yield the worked numbers that an output is said to give, and no block of the page holds."""
    for found in numbers.WORKED.finditer(text):
        if not worked.PRINTED.search(found["how"]) or NUMBER.search(found["how"]):
            continue
        if re.search(r"\]\([^):]*\.md", text):  # the output of another page, which it links
            continue
        if any(digits not in shown for digits in re.findall(r"\d[\d.]*", found["number"])):
            what = f"{found[0]} is said to be printed, and no block of this page holds it"
            yield what, "show the output that has it, or say how the number follows"


# Who says of a worked number that this page's code, a tool or a library has it.
_DID = r"(?:gets?|got|takes?|took|reach(?:es|ed)|runs?|ran|does|did|moves?|moved|manages?|needs?)"
_AT = r"(?:about\ |only\ |some\ |nearly\ )?\[\[worked:"
WORKED_OURS = re.compile(
    rf"(?i:\b(?:copy|kernel|code|sum|program|scan|block)s?"
    rf"\ (?:above|below|of\ this\ page|here)\ {_DID}"
    rf"\ {_AT}|\b(?:profiler|timer|Nsight\ \w+|ncu)\ (?:shows?|says?|said|reports?|gives?|sees)"
    rf"\ {_AT}|\bthe\ speed-?up\ (?:is|was|comes\ to|of)\ {_AT}|\brun\ it\b[^.\[]*{_AT}"
    rf"|\b(?:the|our|this)\ {tabled.VARIANT}(?:\ \w+)?\ {_DID}\ {_AT}"
    rf"|\bin\ (?:our|my)\ (?:own\ )?hands\b[^.\[]*{_AT})|\b{LIBRARY}\ {_DID}\ {_AT}"
)


def _worked(text: str) -> Iterator[tuple[str, str]]:
    """Yield the worked numbers that a sentence calls those of a run, with no key in it."""
    sentences = SENTENCE.split(text) if WORKED_OURS.search(text) else []
    for before, sentence in zip(["", *sentences], sentences, strict=False):
        sentence = f"{before} {sentence}" if before.endswith(":") else sentence
        found = WORKED_OURS.search(sentence)
        if found and not (figures.KEY.search(sentence) or worked.INPUT.search(sentence)):
            said = found[0].partition("[[")[0].strip()
            what = f"{said!r} says that a number was measured, and it is typed"
            yield (
                what,
                "pull it by key, or make the key an input: [[worked:...; {bench:ID.FIELD} ...]]",
            )


# A ratio of two numbers, and words that say that it is one.
_QUOTIENT = re.compile(
    r"\s*(?:about )?\(?(\d[\d,.]*)\)?\s?(?:/|over"
    r"|÷)\s?\(?(\d[\d,.]*)\)?\s*(?:[−-]\s?1)?\s*(?:[a-z,].*)?"
)
_RATIO = re.compile(r"(?i)times|%|percent|fast|slow|half|third|quarter|tenth|factor|×|fold")


def _alone(text: str, shown: str) -> Iterator[tuple[str, str]]:
    """Yield the worked numbers whose reason is a single typed time or rate, which somebody took."""
    for found in numbers.WORKED.finditer(text):
        how = worked.AMOUNT.fullmatch(found["how"].strip())
        if how and (how["span"] or how["rate"]) and f"{how['figure']} {how['span']}" not in shown:
            what = f"{how[0].strip()!r}, the reason of {found[0]!r}, is a typed time or rate"
            yield what, "make the key its input, {bench:ID.FIELD}; or say what it follows from"


def _unheard(text: str, page: Page, shown: str) -> Iterator[tuple[str, str]]:
    """Yield the ratios of numbers that neither the code nor the words of the page say."""
    for found in numbers.WORKED.finditer(text):
        ratio = _QUOTIENT.fullmatch(found["how"])
        if not ratio or not _RATIO.search(found["number"] + text[found.end() : found.end() + 12]):
            continue
        for figure in ratio.groups():
            figure = figure.rstrip(".,")
            digits = re.sub(r"[.,]", "", figure).strip("0")
            if len(digits) > 2 and page.body.count(figure) < 2:
                if figure not in shown and figure.replace(",", "") not in shown:
                    what = f"{figure!r} in {found[0]!r} is typed, and nothing on this page gives it"
                    yield (
                        what,
                        "make the key its input, {bench:ID.FIELD}; or show where it stands or"
                        " follows from",
                    )
                    break


def _compared(text: str) -> Iterator[tuple[str, str]]:
    """Yield the comparisons of a paragraph that has no figure, nor its neighbors one."""
    if not COMPARES.search(text) or numbers.WORKED.search(text):
        return
    for sentence in SENTENCE.split(TAG.sub("", text)):
        found = COMPARES.search(sentence)
        if found and not (HYPOTHETIC.search(sentence) or sentence.rstrip().endswith("?")):
            what = f"{found[0]!r} compares what was measured, and no figure is near"
            yield what, "say both figures by key in this paragraph, or leave the words out"


def _changed(text: str) -> Iterator[tuple[str, str]]:
    """Yield what makes another number of a figure, in whatever line of a paragraph it stands."""
    said = figures.KEY.sub(numbers.KEY, numbers.WORKED.sub("", text))
    said = TAG.sub("", said)
    if rival := numbers.RIVAL.search(said):
        what = f"{rival[0].replace(numbers.KEY, '[[...]]')!r}: a typed number beside a key's"
        yield what, numbers.MEND
    said = numbers.plain(numbers.formula(said) if "\\" in said else said)
    for found in numbers.CHANGED.finditer(said):
        what = f"{found[0].replace(numbers.KEY, '[[...]]')!r} makes another number of a key's"
        yield what, "say it by a key of its own, or as [[worked:NUMBER; how it follows]]"


def _line(
    line: str, heads: list[str], records: Evidence, defined: dict[str, set[str]]
) -> Iterator[tuple[str, str]]:
    if heads:
        yield from _columns(line, heads, records)
    sentences = SENTENCE.split(line)
    for before, sentence in zip(["", *sentences], sentences, strict=False):
        keys, last = [], 0
        for key, row, name in figures.measured(records, sentence):
            keys.append((key[0], row))
            yield from _unit(sentence[key.end() :], key[0], row, name)
            yield from _promised(sentence[last : key.start()], key[0], row, name)
            yield from _side(sentence[last : key.start()], sentence[key.end() :], key[0], row, name)
            last = key.end()
        if keys:
            words = figures.KEY.sub("", numbers.WORKED.sub("", sentence))
            words = f"{before} {words}" if before.endswith(":") else words  # Our scan: KEY
            yield from _size(words, keys)
            first = figures.KEY.search(sentence)
            lead = sentence[: first.start()] if first else ""
            lead = f"{before} {lead}" if before.endswith(":") else lead
            yield from _subject(lead, keys, _kernels(records))
            yield from _device(LINK.sub("]", words), keys, records.project.devices)
            yield from _kernel(words, keys, defined)
            yield from _conditions(words, keys)
            if name != "ratio":  # of two things, which may differ in that
                yield from _types(words, keys)


HEADING = re.compile(r"(#{1,6}) (.*)")
_WORD = re.compile(r"[a-z]{3,}[a-z0-9]*|[a-z]+\d+[a-z0-9]*")
ENDING = re.compile(r"(?<=[a-z]{3})(?:ing|ies|ied|ed|es|s|e|y)$")
# Words that many rows have, and that so name none of them.
_COMMON = frozenset(
    ENDING.sub("", word)[:5]
    for word in (
        "kernel float nvidia numba cuda micro bench benchmark which with from that this each their"
        " than then over into what time block thread byte element first second one two three four"
        " eight without alone same other more most all only gpu number array size data value our"
        " the and for not its are has pass model code program version plain run machine million"
        " billion card page take move reach does get new old few many much per snippet kernels"
    ).split()
)
# A row by its words, and by what else its subject is called.
_ALIASES = {
    "gemm": "product matmul multiplication multiply",
    "matmul": "product gemm multiplication multiply",
    "hbm": "memory",
    "rawkernel": "cupy",
    "elementwise": "cupy",
    "copy": "memory bandwidth",
    "attention": "flashattention",
}


def stems(text: str) -> set[str]:
    found = _WORD.findall(re.sub(r"[_/.-]", " ", text.lower()))
    return {ENDING.sub("", word)[:5] for word in found} - _COMMON


@functools.lru_cache(maxsize=1 << 12)
def names_of(texts: str) -> frozenset[str]:
    """Return the words by which a sentence can name a row."""
    found = stems(texts)
    for name, more in _ALIASES.items():
        if name in texts.lower():
            found |= stems(more)
    return frozenset(found)


def _unnamed(
    line: str, row: bool, around: str, records: Evidence, own: set[str], title: str
) -> Iterator[tuple[str, str]]:
    """A key whose subject neither its sentence names, nor what stands right before and above it.

    ``row``: the line is one of a table, whose cells belong together; ``own``: the files that the
    page shows, and whose subject its title may name.
    """
    titled = stems(title)
    sentences = [line] if row else SENTENCE.split(line)
    for before, sentence in zip(["", *sentences], sentences, strict=False):
        known = [(key[0], *found) for key, *found in figures.measured(records, sentence)]
        if not known:
            continue
        here = stems(read_by_eye(sentence))
        said = here | stems(read_by_eye(f"{before} {around}"))
        rows = [(key, row, names_of(_texts(row, name))) for key, row, name in known]
        for key, found, of in rows:
            # Beside another figure of the same code its subject is that one's.
            near = (o for _, other, o in rows if other.get("kernel") == found.get("kernel"))
            about = said | titled if found.get("kernel") in own else said
            if about.isdisjoint(of) and all(map(about.isdisjoint, near)):
                of_what = found.get("title") or found.get("what")
                what = f"{key} is of {of_what}, and nothing near says so"
                yield what, "name what was measured, in its sentence, the one before or the heading"
        # The words of one kernel, and nothing of what its figures are of.
        others = (here & _families(records)) - set().union(*(of for *_, of in rows))
        if others and not row and not any(of & here for *_, of in rows):
            key, found, _ = rows[0]
            what = f"{key} is of {found.get('title') or found.get('what')}, and the sentence says "
            yield what + min(others), "use the key of that, or name what was measured"


def read_by_eye(text: str) -> str:
    """Return the words of some Markdown that a reader sees, without keys and worked numbers."""
    text = figures.KEY.sub("", numbers.WORKED.sub("", text))
    return re.sub(r"<[^>]*>|\{[:#.][^}]*\}", "", LINK.sub("] ", text))


# Names of what kernels do, as sentences say them.
_FAMILIES = (
    "softmax scan transpose gather scatter histogram reduction convolution attention stencil sort"
    " sum dot product matmul gemm gemv norm dropout merge swiglu quantization"
    " decode prefill training generation token backward forward disk sampling fft top-k spmv"
)


@functools.lru_cache(maxsize=4)
def _families(records: Evidence) -> frozenset[str]:
    return frozenset(stems(_FAMILIES))


def _texts(row: dict, name: str) -> str:
    said = [str(row.get(key, "")) for key in ("id", "title", "what", "kernel", "reference_name")]
    if name.startswith("reference") or name == "ratio":
        said.append("library reference")
    return " ".join([*said, name.replace("gbps", "")])


def _unit(rest: str, key: str, row: dict, name: str) -> Iterator[tuple[str, str]]:
    found = _UNIT.match(rest)
    if not found:
        return
    said, unit = found["unit"] or found["many"], figures.unit_of(row, name)
    if unit:
        yield (
            f"{key} comes with its unit, {unit}, and {said!r} follows",
            f"take {said!r} out: the key brings its unit",
        )
    elif found["unit"] and not (_COMPARED.match(said) and RATIO.search(name)):
        mend = "use a field that has this unit"
        yield f"{key} is a plain number, and {said!r} follows", mend


_LEADS = (
    r"(?:\ (?:is|was|are|of|at|to|about|only|it|its|by|here|for|the|copy|kernel|a|in))*[\s*_]*$"
)
PROMISED = (
    (re.compile(rf"\b(?:bandwidth|throughput|rate)s?{_LEADS}"), {"time"}),
    (re.compile(rf"\b(?:latency|duration|run-?\ ?time|lasts|waits){_LEADS}"), RATES),
    (re.compile(rf"\b(?:energy|power|accuracy|error|occupancy){_LEADS}"), {"time", *RATES}),
)
TYPES = re.compile(
    r"(?i)\b(?:b?float(?:8|16|32|64)|(?:FP|TF|BF|fp|bf|tf)(?:4|8|16|32|64)|u?int(?:4|8|16|32|64))\b"
)


PRECISION = re.compile(
    r"(?i)\b(half|double) precision\b|(?<=[\d^] )(doubles)\b|\b(?:of|in) (doubles)\b"
)
PRECISIONS = {"half": "float16", "double": "float64", "doubles": "float64"}


def _promised(before: str, key: str, row: dict, name: str) -> Iterator[tuple[str, str]]:
    """The words that lead to a figure promise another quantity: a bandwidth of 3 ms."""
    kind = quantity(figures.unit_of(row, name))
    for words, others in PROMISED if kind else ():
        if kind in others and (found := words.search(before)):
            said = found[0].split()[0]
            yield (
                f"{key} is in {figures.unit_of(row, name)}, behind {said!r}",
                ("use the key of that quantity, or name the quantity that the key has"),
            )


def _types(sentence: str, keys: list[tuple[str, dict]]) -> Iterator[tuple[str, str]]:
    """The sentence names one type of its elements, and what was measured names another."""
    said = {_type(found) for found in TYPES.findall(sentence)}
    said |= {PRECISIONS["".join(found).lower()] for found in PRECISION.findall(sentence)}
    key, row = keys[0]
    words = " ".join(str(row.get(name, "")) for name in ("id", "title", "what", "dtype"))
    measured = {_type(found) for found in TYPES.findall(words)}
    if len(keys) == 1 and len(said) == 1 and measured and not said & measured:
        what = f"{key} is of {' and '.join(sorted(measured))}, and the sentence says {[*said][0]}"
        yield what, "use the key of that type, or name the type that was measured"


# Under what something was measured, and the words of a record that say so, too.
CONDITIONS: tuple[tuple[str, str], ...] = (
    (
        r"(?<!after a )(?<!after the )(?<!after one )(?<!at its )(?<!at the )(?<!before the )"
        r"\bfirst (?:call|launch)\b"
        r"|\bcompil(?:ation|ing) included\b|\b(?:with|including) (?:the )?compil(?:ation|ing)\b",
        r"first|compil",
    ),
    (r"\bpower (?:limit|cap)\w*|\b(?:capped|limited) (?:at|to) [\d,]+ ?W\b", r"power"),
    (
        r"\b(?:including|counting|with) (?:all |both |the |its )*(?:copies|copying|transfers?)"
        r" (?:to|from|over|in|both|and)\b",
        r"copies|transfer|host|pageable|pinned|PCIe|to and from",
    ),
    (r"\bECC\b", r"\bECC\b"),
    (r"\b(?:under|over)(?:volt|clock)\w*", r"(?:under|over)(?:volt|clock)"),
    (
        r"\bclocks? (?:locked|fixed|pinned|held|set)\b|\block(?:ed|ing) (?:the )?clocks?\b",
        r"lock|clock",
    ),
    (r"\b(?:at|with) (?:the |its )?(?:base|boost|lowest|highest) clocks?\b", r"clock"),
    (r"\bdriver (?:version )?\d+|\bCUDA \d+\.\d+\b", r"driver|CUDA \d"),
    (r"\b(?:MIG|MPS)\b", r"\b(?:MIG|MPS)\b"),
    (r"\bbatch(?: size)?(?: of)? \d+\b|\bbatches of \d+\b", r"batch|\bx\b|×|sequences|rows"),
    (r"\b(?:from|with) (?:a )?cold caches?\b|\bcaches? (?:emptied|flushed)\b", r"cold|flush|empt"),
    (
        r"\ball (?:\d+ |the |its )?layers\b|\b(?:the |a )whole model\b|\bof a model of\b"
        r"|\b\d+B (?:model|parameters)\b",
        r"layer|model",
    ),
)
# And other devices, other counts of them, other loads.
CONDITIONS += (
    (
        r"\b[Oo]n (?:an?|my|your|the|any|every|each) (?:\w+ )?"
        r"(?:laptop|phone|desktop|workstation|notebook|MacBook|Mac|TPU|tablet|cluster|console)\b",
        r"laptop|phone|desktop|workstation|Mac|Apple|TPU|cluster",
    ),
    (
        r"\b(?:[Ww]ith|[Oo]n|[Oo]ver|[Aa]cross|[Uu]sing) (?:all )?(?:two|three|four|six|eight"
        r"|sixteen|dozens of|hundreds of|\d+) (?:of (?:the|our|these) )?"
        r"(?:GPUs|cards|H\d00s|nodes|devices)\b",
        r"GPUs|cards|rank|node|NCCL|DDP|FSDP|all-?reduce|two|four|eight|peer|NVLink",
    ),
    (r"\b(?:from|to|off) (?:the |a )?(?:disk|SSD|network|internet)\b", r"disk|file|SSD|network"),
    (
        r"\b(?:over|for|in) (?:an?|the|one) (?:whole |full )?(?:day|week|month|night)\b"
        r"|\bof traffic\b"
        r"|\bin production\b",
        r"day|week|month|night|traffic|production|client|load",
    ),
    (
        r"\b(?:[Bb]efore|[Aa]fter) (?:the|this|our|that|a) "
        r"(?:change|patch|fix|update|upgrade|rewrite)\b",
        r"change|patch|fix|update|upgrade|rewrite",
    ),
    (r"\b(?:backward|training) (?:pass|step)\b", r"backward|gradient|training|step|DDP|FSDP"),
    (
        r"\b[Oo]n (?:any|every|all|most|both|either|each) (?:of (?:the"
        r"|our) )?(?:\w+ )?(?:cards?|GPUs?)\b"
        r"(?! of\b)",
        r"cards?\b|GPUs\b|each|rank|NCCL|all-?reduce",
    ),
    (r"\b(?:Llama|Mistral|Qwen|Gemma)\b", r"Llama|Mistral|Qwen|Gemma"),
)
LATER = re.compile(
    r"(?i)\b(?:later|afterwards?|after that|from then on|any other|the next|second)\b"
)
_CONDITIONS = tuple((re.compile(said), re.compile(f"(?i){told}")) for said, told in CONDITIONS)


def _conditions(sentence: str, keys: list[tuple[str, dict]]) -> Iterator[tuple[str, str]]:
    """The sentence names a condition that no record of its figures knows."""
    for pattern, told in _CONDITIONS:
        said = pattern.search(sentence)
        if not said or HYPOTHETIC.search(sentence) or LATER.search(sentence):
            continue
        rows = (" ".join(v for v in row.values() if isinstance(v, str)) for _, row in keys)
        if not any(map(told.search, rows)):
            what = f"{keys[0][0]} says nothing of {said[0]!r}, which the sentence names"
            yield what, "measure it under that condition, or leave the condition out"


def _type(name: str) -> str:
    return re.sub(r"^fp", "float", re.sub(r"^bf(?=\d)", "bfloat", name.lower()))


def _size(sentence: str, keys: list[tuple[str, dict]]) -> Iterator[tuple[str, str]]:
    """No key of a sentence is of the size that the sentence names."""
    named = [[int(n.replace(",", "")) for n in NUMBER.findall(s)] for s in SIZES.findall(sentence)]
    named = [sizes for sizes in named if max(sizes) >= LEAST]
    for power in SIZED.findall(sentence):
        elements, whole = 2 ** int(power), [w for _, row in keys for w in sizes_of(row)]
        if elements >= LEAST and whole and not any(w / 64 <= elements <= w for w in whole):
            yield (
                f"{keys[0][0]} is of no 2^{power} elements, which the sentence says",
                "use the key of that size, or name the size that was measured",
            )
            return
    if not named:
        return
    wanted = {n for sizes in named for n in (*sizes, math.prod(sizes)) if n >= LEAST}
    for _, row in keys:
        if wanted & sizes_of(row):
            return
    for key, row in keys:
        said = " x ".join(map(str, named[0]))
        what = f"{key} is of {row.get('title') or row.get('what')}, and the sentence says {said}"
        yield what, "use the key of that size, or name the size that was measured"


def _device(sentence: str, keys: list[tuple[str, dict]], devices: str) -> Iterator[tuple[str, str]]:
    """The sentence names devices, and the figures are of none of them."""
    named = set(re.findall(devices, sentence)) if devices else set()
    for key, row in keys:
        if named and not any(name in row["device"]["name"] for name in named):
            what = f"{key} was measured on {row['device']['name']}, and the sentence says "
            yield what + " and ".join(sorted(named)), "name the device that it was measured on, too"


def _kernel(
    sentence: str, keys: list[tuple[str, dict]], defined: dict[str, set[str]]
) -> Iterator[tuple[str, str]]:
    """The sentence names functions of this page, and the figures are of other files."""
    named = [name for name in CODE.findall(sentence) if name in defined]
    files = set().union(*(defined[name] for name in named))
    if named and not any(row["kernel"] in files for _, row in keys):
        key, row = keys[0]
        what = f"{key} is of {row['kernel']}, and the sentence names {named[0]}"
        yield what, "use the key of that kernel, or name what was measured"


COMMON = frozenset(
    "softmax scan transpose gather scatter histogram reduction convolution attention".split()
)


@functools.lru_cache(maxsize=4)
def _kernels(records: Evidence) -> frozenset[str]:
    """Return the names of kernels that the records have, by their files."""
    rows = [row for kind in ("benchmarks", "microbenchmarks") for row in records.every(kind)]
    parts = {part for row in rows for part in re.split(r"[/_.]", str(row.get("kernel", "")))}
    return COMMON | {part for part in parts if len(part) > 3}


SAID = re.compile(
    rf"\b(?:[Tt]he|[Oo]ur|[Tt]his)\ ([a-z]{{4,}})(?:\ (?:kernel|version))?"
    rf"(?:,\ of\ [^,:;]{{1,30}}:|\ (?:{DOES_})\b|:)\W*$"
)


def _subject(
    sentence: str, keys: list[tuple[str, dict]], known: frozenset[str]
) -> Iterator[tuple[str, str]]:
    """The sentence is about one kernel by its name, and the figure is of another's file."""
    said = SAID.search(re.sub(r"[\s.]*$", "", sentence)) if len(keys) == 1 else None
    key, row = keys[0]
    texts = ("id", "title", "what", "kernel", "method", "reference_name")
    words = " ".join(str(row.get(name, "")) for name in texts).lower()
    if said and said[1] in known and said[1][:5] not in words:
        what = f"{key} is of {row.get('title') or row.get('what')}, and the sentence says {said[1]}"
        yield what, "use the key of that kernel, or name what was measured"


def sizes_of(row: dict) -> set[int]:
    words = " ".join(str(row.get(name, "")) for name in ("id", "title", "what", "method"))
    found = {int(n.replace(",", "")) for n in NUMBER.findall(words)}
    found |= {2 ** int(power) for power in POWER.findall(words)}
    return found | {v for v in row.values() if isinstance(v, int)}


_LIBRARY = re.compile(LIBRARY)
# And not what it is compared with: as fast as cuBLAS, against CuPy.
THEIRS = re.compile(
    rf"(?<!than\ )(?<!\bas\ )(?<!against\ )(?<!\bof\ )(?<!with\ )(?<!over\ )(?<!\bto\ )(?<!from\ )"
    rf"(?<!\bby\ )(?<!beside\ )(?<!\bin\ )(?<!for\ ){LIBRARY}(?!'s)(?!\.)"
)
OURS = re.compile(
    r"\b(?:[Oo]urs\b|(?:[Oo]ur|[Tt]his)(?:\ [\w-]+)?\ (?:kernel|version|code|program"
    r"|product|implementation|function|sum|scan|sort|reduction)\b)"
)
CLAUSE = re.compile(r"[,;:(]|\b(?:and|while|where|but|whereas)\b")
DOES = re.compile(rf"\b(?:{DOES_})\b")
SLOWER = re.compile(r"[\s\u00a0]*(?:times|×|x)\ (?:as\ )?(?:slow|long)")
FASTER = re.compile(
    r"[\s\u00a0]*(?:times|×|x)\ (?:as\ )?(?:fast|quick|(?:the|our)\ (?:speed|rate|pace|throughput))"
)
# What no ratio of two times or rates says.
ELSE = re.compile(
    r"[\s\u00a0]*(?:times|×|x)\ [^.,;:|]{0,40}?(?P<of>\b(?:accura|precis|exact|energy|power|memory"
    r"|watts?|joules?|size|small|large|big|cheap|cost|bytes|registers|lines|short|threads|blocks|warps"
    r"|launch|instructions|operations|flops|misses|conflicts)\w*)"
)
# What no time as a whole says, but the difference of two.
APART = re.compile(r"[\s\u00a0]*(?P<of>faster|slower|quicker|sooner|longer|shorter|less\ time)\b")
WHOLE_TIME = re.compile(r"(?:^|_)[mun]?s$")


def _side(before: str, rest: str, key: str, row: dict, name: str) -> Iterator[tuple[str, str]]:
    """The words around a figure say that it is ours, and it is the reference's; or vice versa.

    ``before``: the words from the key before it on; ``rest``: those behind it.
    """
    if (apart := APART.match(rest)) and WHOLE_TIME.search(name):
        what = f"{key} is a time as a whole, and {apart['of']!r} takes it for a difference"
        yield what, "say the difference by a formula: [[worked:# µs; {bench:A.us} − {bench:B.us}]]"
    reference = row.get("reference_name", "")
    clauses = [clause for clause in CLAUSE.split(before) if re.search(r"\w{2}", clause)]
    clause = clauses[-1] if clauses else ""
    if named := _another(clause, row):
        what = f"{key} is of {named[1]}, and the sentence says {named[0]!r}"
        yield what, "use the key of what the sentence names, or name what was measured"
        return
    if not _LIBRARY.search(reference):
        return
    ours, theirs = OURS.search(clause), THEIRS.search(clause)
    mend = "use the field of that side, or say whose it is"
    if name == "ratio":
        other = ELSE.match(rest)
        if other and other["of"].lower() not in str(row.get("what", row.get("title"))).lower():
            what = f"{key} is a ratio of speeds, and {other['of']!r} follows"
            yield what, "say faster or slower alone, or measure that"
        elif (SLOWER.match(rest) and not theirs) or (FASTER.match(rest) and theirs and not ours):
            what = f"{key} says how many times as fast as {reference} ours is: turned around here"
            yield what, "say whose speed is how many times that of the other"
    elif name == "reference" or name.startswith("reference_") and name != "reference_share":
        if ours and not _LIBRARY.search(clause):
            yield f"{key} is of {reference}, and the sentence says {ours[0]!r}", mend
    elif name == "ours" or f"reference_{name}" in row:
        if theirs and not ours and DOES.search(clause, theirs.end()):
            yield f"{key} is ours, and the sentence says {theirs[0]!r}", mend
        elif (subject := _subject_before(clauses)) and subject in reference:
            if subject not in f"{row.get('title')} {row.get('what')}":
                yield f"{key} is ours, and the sentence says {subject!r}", mend


# A clause without a subject, or with a pronoun: CUB waits, and takes 12; CUB is first: it takes 12.
_GOES_ON = re.compile(
    rf"\W*(?:(?:then|so|yet|still|only|now|also)\ )*(?:(?:it|which|that|they)\ )?(?:\w+ly\ |only\ "
    rf"|still\ |then\ |now\ |also\ )*(?:{DOES_}|took|needed|ran|got|moved|reached|has|had|came\ to"
    r"|comes\ to)\b"
)
_FIRST = re.compile(rf"\W*(?:[A-Z]\w+\ [\w\ ]{{1,30}},\ )?[*`]*({LIBRARY})(?!'s|[.:])")


def _subject_before(clauses: list[str]) -> str | None:
    """Return the library that the clause in front is about, where the last one only goes on."""
    for before, clause in zip(clauses[-2::-1], clauses[:0:-1], strict=False):
        if not _GOES_ON.match(clause) and clause is clauses[-1]:
            return None
        if subject := _FIRST.match(before):
            return subject[1]
        if not _GOES_ON.match(before) and DOES.search(before):
            return None
    return None


# Words that tell one kernel, or one library, from another in the same lesson.
_KIND = (
    r"naive|tiled|coalesced|uncoalesced|strided|vectori[sz]ed|serial|sequential|shared|unrolled"
    r"|fused|unfused|persistent|blocked|padded|swizzled|double-buffered|pipelined"
)
SUBJECT = re.compile(
    rf"\b(?i:the|our|this|a|its)\ (?P<kind>(?i:{_KIND}))\ (?:\w+\ )?"
    r"(?:kernel|version|copy|product|one|code|loop|scan|sum|reduction|transpose)s?\b(?!'s)"
    rf"[^,;]*?\ {DOES.pattern}"
)
KINDS = re.compile(rf"(?i)\b(?:{_KIND})\b")
SPECIFIC = re.compile(
    r"(?<!than\ )(?<!\bas\ )(?<!against\ )(?<!\bof\ )(?<!with\ )(?<!over\ )(?<!\bto\ )(?<!from\ )"
    r"(?<!\bby\ )(?<!beside\ )(?<!\bin\ )(?<!for\ )"
    r"\b(cu[A-Z]\w+|CUB|CUTLASS|NCCL|CuPy|PyTorch|NumPy|SciPy|Triton|FlashAttention|Thrust|MAGMA)"
    r"\b(?:'s\ (?:own\ )?(?:version|kernel|one|code|product|call|implementation))?"
    rf"(?:'s\ own(?:\ [\w-]+){{1,3}})?(?!'s|\.)[^,;]{{0,30}}?\ {DOES.pattern}"
)


def _another(clause: str, row: dict) -> tuple[str, str] | None:
    """Return what a clause is about, and what a figure is of, where these are two kernels."""
    texts = ("id", "title", "what", "kernel", "method", "reference_name")
    words = " ".join(str(row.get(name, "")) for name in texts)
    of = str(row.get("title") or row.get("what") or row["id"])
    if said := SUBJECT.search(clause):
        others = {kind.lower() for kind in KINDS.findall(words)}
        if others and not any(said["kind"].lower()[:6] in kind for kind in others):
            return said["kind"], of
    if said := SPECIFIC.search(clause):
        there = _SPECIFIC_NAMES.findall(words)
        if (there or "'s own" in said[0]) and said[1].lower() not in words.lower():
            return said[1], str(row.get("reference_name") or of)
    return None


_SPECIFIC_NAMES = re.compile(
    r"\b(?:cu[A-Z]\w+|CUB|CUTLASS|NCCL|CuPy|PyTorch|NumPy|SciPy|Triton|FlashAttention)\b"
)


def _columns(line: str, heads: list[str], records: Evidence) -> Iterator[tuple[str, str]]:
    """A column whose head is a unit holds figures of that quantity."""
    for head, cell in zip(heads, line.strip().strip("|").split("|"), strict=False):
        plain = numbers.plain(head).strip(" *")
        promised = next((kind for kind, pattern in HEADS.items() if pattern.search(plain)), None)
        for key, row, name in figures.measured(records, cell) if promised else ():
            unit = figures.unit_of(row, name)
            if quantity(unit) != promised:
                what = f"{key[0]} is in {unit or 'no unit'}, in a column of {plain!r}"
                yield what, "use a field of that unit, or mend the head"

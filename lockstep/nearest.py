"""The words nearest to a key: the library, the variant, the amount and the device that they name.

``fitting`` holds a sentence to its keys as a whole, so a sentence with the right name somewhere may
have the wrong one at the figure. Here the clause counts: what stands between a key and the figure
before it, and between it and the end of its clause. In a row of a table these are the label and the
column's head.
"""

import functools
import re
from collections.abc import Collection, Iterator
from typing import NamedTuple

from lockstep import figures, numbers, tabled, worked
from lockstep.block import Page
from lockstep.crossed import _every
from lockstep.english import SENTENCE
from lockstep.evidence import Evidence
from lockstep.fitting import DOES_, ENDING, LEAST, LINK, sizes_of, stems
from lockstep.mistakes import Mistake

# Somebody's library by the shape of its name, and what the names of its modules are.
LIBRARY = re.compile(
    r"(?<![\w./`-])(?:(?:cu|roc|hip|cl|one)[A-Z]\w+|CUB|CUTLASS|NCCL|RCCL|CuPy|PyTorch|Torch|NumPy"
    r"|SciPy|JAX|TensorFlow|TensorRT|MKL|OpenBLAS|Eigen|Thrust|MAGMA|MLX|Faiss|xFormers|DeepSpeed"
    r"|FlashAttention|vLLM|Halide|TVM|Polars|RAPIDS|pandas|scikit-learn|OpenCV|ArrayFire|Triton)"
    r"(?![\w/]|\.\w)"
)
# A function of a module, by its shape: two names or more, and a dot or a pair of colons between.
DOTTED = re.compile(r"(?<![\w./:-])([A-Za-z_]\w+)((?:(?:\.|::)[A-Za-z_]\w*)+)(?![\w/])")
_FILE = re.compile(r"\.(?:py|md|cu|cuh|h|hpp|cpp|c|js|mjs|json|yml|yaml|toml|txt|sh|metal|hip|so|ai"
                   r"|com|org|net|io|ptx|wgsl|log|csv|svg)$")  # fmt: skip
# Modules of the language in which ours is written, and of what it computes with.
_OURS = frozenset("cuda numba tl triton math self np operator functools random time os sys".split())
_FULL = {"cp": "cupy", "cupyx": "cupy", "np": "numpy", "torch": "pytorch", "jnp": "jax",
         "pd": "pandas", "tf": "tensorflow", "sklearn": "scikit-learn", "cv2": "opencv",
         "torchvision": "pytorch", "flash": "flashattention"}  # fmt: skip
_SAID = re.compile(r"[a-z]+(?:-learn)?")
# What a name stands behind that is not what the figure is of: unlike, in place of, beside.
_ELSE = re.compile(
    r"(?i)\b(?:unlike|instead of|in place of|rather than|not|without|like|as in|see|from|by way of"
    r"|through|with|under|via|inside|calls?|called)\s+(?:the |an? |its )?[*_`\[(]*$"
)
CLAUSE = re.compile(r"[;()]|:(?=\s|$)|,(?=\s)|\b(?:and|while|where|whereas|but|or)\b|—|–")
MEND_LIBRARY = "use the key of what stands there, or name what was measured"


class Key(NamedTuple):
    said: str  # as it stands on the page
    row: dict
    field: str
    start: int
    end: int


def check(page: Page, records: Evidence) -> Iterator[Mistake]:
    """Yield the keys of a page whose nearest words name something else."""
    heads: list[str] = []
    inside = False
    for number, line in enumerate(page.body.split("\n"), start=page.body_line):
        inside ^= line.lstrip().startswith("```")
        row = line.lstrip().startswith("|")
        if inside or not row:
            heads = []
        elif not heads:
            heads = tabled.cells(line)
        if inside or "[[" not in line:
            continue
        found = dict.fromkeys(_row(line, heads, records) if row else _prose(line, records))
        for what, mend in found:
            at = page.at(number)
            yield Mistake(page.path, at, what, mend)


def keys_of(text: str, records: Evidence) -> list[Key]:
    return [
        Key(key[0], row, name, key.start(), key.end())
        for key, row, name in figures.measured(records, text)
    ]


def _row(line: str, heads: list[str], records: Evidence) -> Iterator[tuple[str, str]]:
    """The keys of a table's row: its label, and the column's head."""
    cells = tabled.cells(line)
    label = _seen(" ".join(cell for cell in cells if not figures.KEY.search(cell)))
    for index, cell in enumerate(cells):
        for key in keys_of(cell, records):
            head = _seen(heads[index]) if index < len(heads) else ""
            for words in (label, head):
                told = [*named(words)]
                if told and _theirs(key) and not any(knows(key.row, key.field, n) for n in told):
                    what = f"{key.said} is of {_whose(key)}, and its row or column says {told[0]}"
                    yield what, MEND_LIBRARY
            yield from _amount(key, f"{label} , {head}", "", None)


def _prose(line: str, records: Evidence) -> Iterator[tuple[str, str]]:
    sentences = SENTENCE.split(line)
    for label, sentence in zip(["", *sentences], sentences, strict=False):
        if label.endswith(":"):  # JAX: 12
            sentence = f"{label} {sentence}"
        keys = keys_of(sentence, records)
        made = [w for w in numbers.WORKED.finditer(sentence) if worked.INPUT.search(w["how"])]
        if not keys and not made:
            continue
        text = in_place(sentence)
        for found in made:
            yield from _inputs(found, text, records)
        for key in keys:
            before, behind = around(text, key)
            yield from _library(key, before, behind)
            beside = {k.rpartition(".")[0] or k for _, k in figures.KEY.findall(sentence)}
            for what in variant(key, before, behind, beside, records):
                yield what, MEND_VARIANT
            yield from _amount(key, before, behind, records, sentence)


def _inputs(found: re.Match, text: str, records: Evidence) -> Iterator[tuple[str, str]]:
    """The size beside a number that is worked from keys is none of theirs."""
    wrong: list[tuple[str, str]] = []
    for one in worked.INPUT.finditer(found["how"]):
        try:
            row, name = records.figure(one["kind"], one["key"])
        except KeyError:
            return
        key = Key(one[0], row, name, found.start(), found.end())
        said = [] if "planned" in row else [*_amount(key, *around(text, key), records)]
        if not said:
            return  # the sentence may be about this one
        wrong += said
    yield from wrong[:1]


def around(text: str, key: Key) -> tuple[str, str]:
    """Return what stands before and behind a key, up to the figures beside it."""
    _, figure, before = text[: key.start].rpartition(numbers.KEY)
    if figure and (own := CLAUSE.search(before)):  # what is in front of it belongs to that figure
        before = before[own.start() :]
    behind = text[key.end :].partition(numbers.KEY)[0]
    return before, behind


def clause(behind: str) -> str:
    """Return what stands behind a key and belongs to it: up to where another clause begins."""
    return CLAUSE.split(behind, maxsplit=1)[0]


def in_place(text: str) -> str:
    """Return a sentence with its figures as one sign each, every word at its place."""
    text = LINK.sub(lambda said: "]" + " " * (len(said[0]) - 1), text)
    for pattern in (numbers.WORKED, figures.KEY):
        text = pattern.sub(lambda said: numbers.KEY * len(said[0]), text)
    return text


def _seen(text: str) -> str:
    return re.sub(r"<[^>]*>|[*_`]", "", LINK.sub("]", numbers.WORKED.sub("", text)))


# ---------------------------------------------------------------- libraries


def named(words: str) -> Iterator[str]:
    for _, name in sorted(_places(words)):
        yield name


def _places(words: str) -> Iterator[tuple[int, str]]:
    """Yield the place of each library, and each function of one, that some words name."""
    for found in LIBRARY.finditer(words):
        yield found.start(), found[0]
    for found in DOTTED.finditer(words):
        if not _FILE.search(found[0]) and found[1] not in _OURS and len(found[1]) > 1:
            yield found.start(), found[0]


def _theirs(key: Key) -> bool:
    name = key.field
    return bool(key.row.get("reference_name")) and (
        name == "ratio" or (name.startswith("reference") and name != "reference_share")
    )


def _whose(key: Key) -> str:
    return str(key.row.get("reference_name") or key.row.get("title") or key.row.get("what"))


def knows(row: dict, field: str, name: str) -> bool:
    """Whether a record's words name a library, or a function of one."""
    told = _told(row)
    said = _words(told)
    parts = [part for part in re.split(r"\.|::", name.lower()) if part]
    first = _FULL.get(parts[0], parts[0])
    if len(parts) == 1:
        return first in said
    called = re.search(rf"(?i)[.:]{parts[-1]}\b|\b{parts[-1]}\(", told)
    if first in _FULL.values():  # a function of a library that others of it are named of
        its = (ENDING.sub("", word)[:5] for word in parts[-1].split("_"))  # what it computes
        return first in said and (bool(called) or any(word in told.lower() for word in its))
    return first in said or bool(called)


@functools.lru_cache(maxsize=1 << 12)
def _words(text: str) -> frozenset[str]:
    found = set(re.findall(r"[a-z]+(?:-learn)?\d?", text.lower().replace("_", " ")))
    return frozenset(found | {_FULL[word] for word in found & _FULL.keys()})


def _library(key: Key, before: str, behind: str) -> Iterator[tuple[str, str]]:
    """The library nearest to a figure of a library, or beside one, is another."""
    near: list[tuple[int, str]] = []
    asked = not key.field.startswith("reference")  # whose record does not say whose it is
    label = LABEL.sub("", before)  # JAX: 12
    start = max((m.end() for m in CLAUSE.finditer(label)), default=0)
    for place, name in _places(before):
        away = before[place + len(name) :]
        if place >= start and not _ELSE.search(before[:place]):
            if _theirs(key) or (asked and _SUBJECT.fullmatch(away)):
                near.append((len(away), name))
    for place, name in _places(clause(behind)) if _theirs(key) else ():
        near.append((0 if _THAN.match(behind) else place, name))
    if not near and _theirs(key):  # against X: ours is KEY times as fast
        said = [name for _, name in (*_places(before), *_places(behind))]
        if said and not any(knows(key.row, key.field, name) for name in said):
            near = [(0, said[0])]
    if near:
        _, name = min(near)
        if not knows(key.row, key.field, name):
            what = f"{key.said} is of {_whose(key)}, and the words beside it say {name}"
            yield what, MEND_LIBRARY


# What leads from a subject to its figure, and what leads from a ratio to what it is one of.
_SUBJECT = re.compile(
    rf"[*_`]*(?:'s(?:\s+[\w-]+){{1,3}})?\s+(?:(?!kernel)\w+\s+)?(?:{DOES_}|took|needed|reached|ran|got|moved|has"
    rf"|had|gives|gave|makes|made|delivers|comes\s+to|came\s+to)\s+(?:\w+\s+){{0,2}}[*_]*"
)
_THAN = re.compile(r"[*_]*\s*(?:times|×|x|of)\s")


# ---------------------------------------------------------------- variants

_SMALL = frozenset(
    "vs by in as it is of and not but the for one all with from per each only after before while"
    " along again long two three first last next done read reads write writes add fetch"
    " product products tile tiles big large small whole".split()
)
NOT = re.compile(
    r"(?i)\b(?:without|no|not|nor|unlike|than|from|instead of|in place of|except|beside|against"
    r"|until|since|before|after|if)\s+(?:(?:the|a|an|any|our|its)\s+)?[\w-]+"
)
MEND_VARIANT = "use the key of that one, or name what this key measured"


@functools.lru_cache(maxsize=4)
def _siblings(records: Evidence) -> dict[str, tuple[tuple[frozenset[str], frozenset[str]], ...]]:
    """Return for each name what its siblings' names have that it lacks, and what it has of its own.

    Siblings are rows of one file of records whose names differ in a word or two.
    """
    files: dict[tuple[str, str], dict[str, tuple[frozenset[str], frozenset[str]]]] = {}
    for kind in ("benchmarks", "microbenchmarks"):
        for row in records.every(kind):
            name = str(row["id"])
            every = {word for word in _every(_told(row)) if len(word) > 3 and word not in _SMALL}
            told = frozenset(stems(_told(row)) | every)
            files.setdefault((kind, str(row.get("file"))), {})[name] = _parts(name), told
    found: dict[str, tuple[tuple[frozenset[str], frozenset[str]], ...]] = {}
    for rows in files.values():
        for name, (own, told) in rows.items():
            pairs: dict[tuple[frozenset[str], frozenset[str]], None] = {}
            for other, (its, theirs) in rows.items():
                more = its - own
                if other != name and 0 < len(more) <= 2 and len(own - its) <= 2 and its & own:
                    pairs[frozenset().union(*map(_every, more)), told - theirs] = None
            found[name] = tuple(pairs)
    return found


def _told(row: dict) -> str:
    texts = ("id", "title", "what", "kernel", "method", "reference_name")
    return " ".join(str(row.get(text, "")) for text in texts)


def _parts(name: str) -> frozenset[str]:
    return frozenset(p for p in name.split("-") if len(p) > 2 and p not in _SMALL and p.isalpha())


def variant(
    key: Key, before: str, behind: str, others: Collection[str], records: Evidence
) -> Iterator[str]:
    """The words beside a figure name its sibling, and nothing of what tells it from that one.

    ``others``: the names of the figures of its sentence.
    """
    pairs = _siblings(records).get(str(key.row["id"]), ())
    if not pairs or key.field.startswith("copy_"):  # which is of the copy beside it
        return
    last = TURN.split(LABEL.sub("", before))[-1]
    said = NOT.sub(" ", f"{last} . {clause(behind)}")
    near = stems(said) | _every(said)
    told = f"{_told(key.row)} {key.field}"
    known = stems(told) | _every(f"{told} {' '.join(key.row)}")
    whole = stems(f"{before} {said}") | _every(f"{before} {said}")
    beside = stems(" ".join(others)) | _every(" ".join(others))
    for more, own in pairs:
        if more <= near and not more & (known | beside) and not whole & own:
            said = ", ".join(sorted(more))
            yield f"{key.said} is of {_what(key)}, and the words beside it say {said}"
            return


LABEL = re.compile(r"[:\s*_|]+$")
TURN = re.compile(r"[;()]|:(?=\s|$)|\b(?:and|where|after|but|while|whereas|so|as|than)\b|—|–")


def _what(key: Key) -> str:
    return str(key.row.get("title") or key.row.get("what") or key.row["id"])


# ---------------------------------------------------------------- sizes

_MANY = {"mega": 1e6, "giga": 1e9, "million": 1e6, "billion": 1e9, "thousand": 1e3}
_COUNTED = (
    r"(?:pixels?|elements?|numbers?|values?|keys|floats?|floating-point|points?|samples?|rows"
    r"|columns|tokens|stars|particles|draws|cells|nonzeros?|entries|integers|parameters|words)"
)
# Four megapixels, 268 million numbers, 65,536 rows.
_AMOUNT = re.compile(
    rf"(?<![\w.,-])(?P<figure>\d[\d,]*(?:\.\d+)?)[\s-](?:(?P<many>million|billion|thousand)\s(?:\w+\s)?)?"
    rf"(?P<mega>mega|giga)?(?P<thing>{_COUNTED})\b",
    re.IGNORECASE,
)
# Rows of 1,024: whose length a record may say, too.
_LONG = re.compile(
    r"\b(?P<thing>rows|columns|arrays?|vectors?|lines|sequences|blocks|batch(?:es)?|heads|images?"
    r"|prompts?|table|window)\s+of\s+(?P<figure>\d[\d,]*\d)(?!\d|\.\d|\s?[×x%])"
)
_BARE = re.compile(
    r"(?<![\w.,×-])(?<!×\s)(?<!x\s)\d[\d,]*\d(?!\d|\.\d|\s?[×x]\s|\s?%|\s?(?:bits?|bytes?|%|[kMGT]i?B)\b)"
)
MEND_SIZE = "use the key of that size, or name the size that was measured"


def _number(said: str) -> float:
    return float(said.replace(",", ""))


@functools.lru_cache(maxsize=4)
def _numbered(records: Evidence) -> dict[str, frozenset[int]]:
    """Return for each name with a number the numbers that its siblings have at that place."""
    places: dict[tuple[str, str], dict[str, int]] = {}
    for kind in ("benchmarks", "microbenchmarks"):
        for row in records.every(kind):
            name = str(row["id"])
            for found in re.finditer(r"(?<=-)\d+(?=-|$)", name):
                place = f"{name[: found.start()]}#{name[found.end() :]}"
                places.setdefault((kind, place), {})[name] = int(found[0])
    others: dict[str, set[int]] = {}
    for names in places.values():
        for name, own in names.items():
            others.setdefault(name, set()).update(set(names.values()) - {own})
    return {name: frozenset(some) for name, some in others.items()}


def _amount(
    key: Key, before: str, behind: str, records: Evidence | None, text: str = ""
) -> Iterator[tuple[str, str]]:
    """The words beside a figure say another length or amount than was measured."""
    behind = clause(behind)
    before = LABEL.sub("", before)
    near, further = (f"{cuts.split(before)[-1]} . {behind}" for cuts in (TURN, _AWAY))
    if not re.search(r"\d", further):
        return
    known = {float(size) for size in sizes_of(key.row)}
    for found in _AMOUNT.finditer(further):
        many = (found["many"] or found["mega"] or "").lower()
        amount = _number(found["figure"]) * _MANY.get(many, 1)
        if many and amount >= LEAST and _else(amount, known):
            yield (
                f"{key.said} is of {_what(key)}, and the words beside it say {found[0]}",
                MEND_SIZE,
            )
            return
    told = _told(key.row)
    all_ = {_number(of["figure"]) for of in _LONG.finditer(near)}
    for found in _LONG.finditer(near):
        length = {_number(of["figure"]) for of in _LONG.finditer(told)
                  if of["thing"][:4] == found["thing"][:4]}  # fmt: skip
        amount = _number(found["figure"])
        if length and amount not in length | known and not length & all_:
            yield (
                f"{key.said} is of {_what(key)}, and the words beside it say {found[0]}",
                MEND_SIZE,
            )
            return
    others = _numbered(records).get(str(key.row["id"]), ()) if records else ()
    beside = {float(n) for _, k in figures.KEY.findall(text) for n in re.findall(r"\d+", k)}
    said = [n for n in map(_number, _BARE.findall(near)) if n >= LEAST] if others else []
    said = [n for n in said if n not in beside]  # 8, 32 or 128 ahead: each its own
    if said and not known & {*said} and (other := next((n for n in said if n in others), None)):
        what = f"{key.said} is of {_what(key)}, and the words beside it say {other:,.0f}"
        yield what, MEND_SIZE


_AWAY = re.compile(r"[;:()]|\b(?:where|after|while|whereas|than)\b|—|–")


def _else(amount: float, known: set[float]) -> bool:
    """Whether an amount is none of what a record has, nor a product of two of its sizes."""
    sizes = [size for size in known if size >= 2]
    near = [*sizes, *(a * b for a in sizes for b in sizes), *(a / b for a in sizes for b in sizes)]
    large = [size for size in sizes if size >= LEAST]
    return bool(large) and not any(0.9 <= amount / size <= 1.1 for size in near)

"""What a sentence says of a figure beside its subject, and no record of the figure knows.

``nearest`` and ``fitting`` refuse what a record says otherwise. Here it is turned around: whoever
names a system, a tool, a transfer, a width, a part, a statistic, or says what was counted in and
what was not, says under what or how something was measured. So the record says it, too. A word
that no record of the sentence knows is refused, and not passed over.
"""

import functools
import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from lockstep import figures, numbers
from lockstep.asking import Asking
from lockstep.block import Page
from lockstep.english import SENTENCE
from lockstep.evidence import Evidence
from lockstep.fitting import sizes_of, stems
from lockstep.mistakes import Mistake
from lockstep.nearest import LABEL, NOT, TURN, Key, around, clause, in_place, keys_of

MEND = "measure it so and use that key, or leave these words out"
_NUM = (
    r"(?:\d[\d,]*|an?|one|two|three|four|five|six|seven|eight|nine|ten|twelve|sixteen|twenty"
    r"|a\ hundred|a\ thousand|many|several)"
)
_OF = r"(?:the|its|their|our|all|both|that|this|every|each|any|an?)"
_DONE = (
    r"(?:compiled|built|generated|launched|called|started|timed|measured|profiled|written|rewritten"
    r"|ported|translated|run|emulated|simulated|assembled|linked)"
)
_SYSTEM = (
    r"(?:Windows|macOS|WSL2?|Linux|Ubuntu|Debian|Fedora|RHEL|SUSE|FreeBSD|Android|iOS|Kubernetes"
    r"|Docker|Podman|Singularity|Apptainer|VMware|Hyper-V|Colab|Kaggle|AWS|EC2|Azure|GCP"
    r"|(?:an?\ |the\ )(?:\w+\ )?(?:container|virtual\ machine|VM|hypervisor|emulator|sandbox"
    r"|cloud))"
)
_SPENT = (
    r"(?:launch(?:es|ing)?|compil(?:ation|ing)|cop(?:y|ies|ying)|transfers?|checks?|allocations?"
    r"|allocating|warm-?ups?|synchroni[sz]ation|start-?up|overheads?|conversions?|merging|merge"
    r"|sorting|search|setup|clearing|zeroing)"
)
_WORST = r"(?:worst|best|slowest|fastest|mean|average|shortest|longest|minimum|maximum|quickest)"
_MANY = r"(?:runs?|days?|cards?|machines?|GPUs?|tr(?:y|ies)|cases?|hosts?|devices?|launches)"


# A name that stands for things of every page.
_PLAIN = r"(?!L[1-3]\b|SMs?\b|GPUs?\b|HBM|DRAM|[GKMT]i?B\b|FMA|ALU|Predict|Nsight)"


class Kind(NamedTuple):
    """What says how something was measured, and how a record says it: in the same words, or so."""

    asks: tuple[str, ...]  # a sentence has one of these, in small letters
    said: str
    known: str = ""


# Over PCIe.
TRANSFER = Kind(
    ("pcie", "pci express", "nvlink", "infiniband", "ethernet", "network", "thunderbolt", "usb"),
    r"\b(?i:over|across|through|via)\ (?:the\ |a\ )?(?i:PCIe|PCI\ Express|NVLink|InfiniBand"
    r"|Ethernet|network|Thunderbolt|USB)\b",
    r"pcie|nvlink|host|peer|copies|pinned|pageable|nccl|\bbus\b|\bring|all-?reduce|gpus|rank"
    r"|transfer|infiniband|two-|halves|ddp",
)  # fmt: skip
KINDS = (
    # Under Windows, in a container.
    Kind(
        tuple("windows macos wsl linux ubuntu debian fedora rhel suse freebsd android ios"
              " kubernetes docker podman singularity apptainer vmware hyper-v colab kaggle aws"
              " ec2 azure gcp container virtual vm hypervisor emulator sandbox cloud".split()),
        rf"\b(?i:under|on|in|with|inside|within|for)\ {_SYSTEM}\b",
    ),
    # Compiled by numba-cuda-mlir, rewritten in Rust.
    Kind(
        tuple("compiled built generated launched called started timed measured profiled written"
              " ported translated run emulated simulated assembled linked".split()),
        rf"\b(?i:{_DONE})\ (?:by|with|through|under|in|from|to|as|using)\ (?:the\ |an?\ )?"
        r"[*`]*(?:[A-Z][\w+#-]*(?:\ C\+\+)?|[a-z]+-[a-z]+-[a-z]+|nvcc|nvrtc|clang|gcc|hipcc)",
    ),
    TRANSFER,
    # Including the copy, the check is included in it, the launches are not in that.
    Kind(
        ("includ", "exclud", "counting", "counted", " in it", " in that", " in this", " in them",
         " in the "),
        rf"\b(?i:with|without)\ {_OF}\ (?:\w+\ )?{_SPENT}\b[^.;:,\ufffc]{{0,40}}\ (?:counted|added"
        r"|included)\b"
        rf"|\b(?i:including|excluding|counting)\ (?:\w+\ )?{_OF}\ (?:\w+\ )?{_SPENT}\b"
        rf"|\b{_SPENT}\b[^.;:,\ufffc]{{0,30}}\ (?:is|are|was|were)\ (?:not\ |also\ |already\ )?"
        r"(?:(?:included|counted|part\ of|contained)\b|in\ (?:it|that|this|these|them)\b"
        r"|in\ (?:the|its|our|these|those)\ \ufffc)",
    ),
    # In the worst of a thousand runs, on average over ten cards.
    Kind(
        tuple("worst best slowest fastest mean average percentile shortest longest minimum maximum"
              " quickest".split()),
        rf"\b(?i:in|at|for|on|as|of)\ (?:the\ |our\ |its\ |an?\ )?{_WORST}\ (?:case\b|of\ {_NUM}"
        rf"\ |(?:{_MANY})\b(?!\ of\b))"
        rf"|\b(?:card|machine|GPU|run|host|device|driver)s?\ (?:that|which|where)\ [^.;,\ufffc]"
        rf"{{0,25}}{_WORST}\b"
        rf"|\b(?i:at)\ (?:its|their|our)\ {_WORST}\b"
        rf"|\b(?i:the|our)\ {_WORST}\ of\ (?:our\ |all\ |these\ )?{_NUM}\ (?:\w+\ )?{_MANY}\b"
        rf"|\b[Oo]n\ average\ (?:over|across|of|for)\ (?:\w+\ ){{0,2}}{_MANY}\b",
    ),
    # The kernel alone, from its own clock; for one block.
    Kind(
        ("alone", "own clock", "for one", "for a single"),
        r"\b(?:kernel|launch|transfer)\ alone\b|\bits\ own\ clock\b"
        r"|\b(?:is|are|was|were)\ for\ (?:one|a\ single)\ (?:block|warp|thread|multiprocessor|SM"
        r"|lane)\b",
        r"\bkernel\b|launch|own\ clock|alone|\bwarp\b|one\ (?:block|thread|lane)|single",
    ),
    # On a machine with two sockets, with huge pages.
    Kind(
        ("machine", "host", "node", "server", "box", "workstation", "rack", "hugepage", "huge page",
         "hyper", "turbo", "persistence", "exclusive", "cooling", "cooled", "priority"),
        r"\b(?i:on|in)\ (?:an?|another|our\ other|my|their)\ (?:\w+\ )?(?:machine|host|node|server"
        r"|box|workstation|rack)\ (?:with|of|without|under)\b"
        r"|\b(?i:with|without|under)\ (?:\w+\ )?(?:hugepages|huge\ pages|hyper-?threading|turbo"
        r"|persistence\ mode|exclusive\ mode|(?:water|liquid|air)\ cooling|(?:high|real-time)"
        r"\ priority)\b",
        r"machine|host\b|node|server|huge|hyper|turbo|persistence|exclusive|cool|priority",
    ),
    # For each half of a warp.
    Kind(
        ("half", "third", "quarter"),
        r"\b(?:each|every|one|the\ (?:first|second|other)|a)\ (?:half|third|quarter)\ of\ (?:an?"
        r"|the|each|every)\ (?:warp|block|tile|row|grid|array|matrix|input|data|image|batch"
        r"|column)\b",
        r"half|halves|third|quarter|split",
    ),
)  # fmt: skip
ASKING = Asking([kind.asks for kind in KINDS])
# What a record's files say of how its kernel was made, and started.
WRITTEN = {
    ".py": "python numba numba-cuda cuda jit",
    ".cu": "c++ cuda c nvcc nvrtc cupy rawkernel rawmodule",
    ".wgsl": "wgsl webgpu browser python",
    ".metal": "metal",
}
_READY = [(re.compile(kind.said), re.compile(kind.known, re.I)) for kind in KINDS]
_SUPPOSED = re.compile(r"(?i)\b(?:if|whether|would|suppose|expect\w*|predict\w*)\b|\?\W*$")
_UNSAID = {"sha256", "gpu", "date", "python", "file", "machine"}  # of a row, and nothing of it
_LINKS, _LINKED = _READY[KINDS.index(TRANSFER)]
_EMPTY = stems(
    "under inside within including excluding counting compiled built generated launched called"
    " started timed measured profiled written rewritten ported translated emulated simulated"
    " assembled linked included counted contained"
)


def check(page: Page, records: Evidence) -> Iterator[Mistake]:
    """Yield the keys of a page beside which stands what their records do not know."""
    inside = False
    for number, line in enumerate(page.body.split("\n"), start=page.body_line):
        inside ^= line.lstrip().startswith("```")
        if inside or "[[" not in line or line.lstrip().startswith("|"):
            continue
        for sentence in SENTENCE.split(line):
            for what in _sentence(sentence, page, records):
                at = page.at(number)
                yield Mistake(page.path, at, what, MEND)


def _sentence(sentence: str, page: Page, records: Evidence) -> Iterator[str]:
    if "[[bench:" not in sentence and "[[micro:" not in sentence:
        return
    asked = ASKING.rules(sentence.lower())
    keys = keys_of(sentence, records)
    if not keys or _SUPPOSED.search(sentence):
        return
    text = in_place(sentence)
    plain = re.sub(f"{numbers.KEY}+", numbers.KEY, re.sub(r"[*`]", "", text))
    for number in asked:
        said, known = _READY[number]
        found = said.search(plain)
        if found and not any(_knows(words_of(key.row), found[0], known) for key in keys):
            yield f"{keys[0].said} says nothing of {found[0].strip()!r}, which the sentence names"
    for key in keys:
        yield from _wide(key, text, page.root)
        yield from _foreign(key, text, page)
        yield from _ways(key, text, keys, page)
        yield from _quantity(key, text)


@functools.lru_cache(maxsize=1 << 12)
def _words(told: str) -> frozenset[str]:
    return frozenset(re.findall(r"[a-z]+(?:[-+][a-z+]+)*", told)) | frozenset(stems(told))


def words_of(row: dict) -> str:
    """Return all that a record says in words, in small letters."""
    said = " ".join(str(v) for k, v in row.items() if isinstance(v, str) and k not in _UNSAID)
    said += " c++ nvcc" if "::" in said else ""
    files = f"{row.get('kernel', '')} {row.get('script', '')}"
    return f"{said} {' '.join(w for end, w in WRITTEN.items() if end in files)}".lower()


@functools.lru_cache(maxsize=512)
def source_of(root: Path, name: str) -> str:
    file = root / name
    return file.read_text(encoding="utf-8", errors="replace").lower() if file.is_file() else ""


def _knows(told: str, said: str, known: re.Pattern) -> bool:
    if known.pattern:
        return known.search(told) is not None
    if any(name in told for name in re.findall(r"c\+\+|[a-z]+(?:-[a-z]+)+", said.lower())):
        return True
    return bool((stems(said) - _EMPTY) & _words(told))


# With OptiX, under ROCm, in Rust: a name that stands nowhere else on the page.
_NAMED = re.compile(
    r"\b(?i:under|with|in|by|via|through|using|inside|on|from|as)\ (?:(?:the|an?|our)\ )?[*`]*"
    rf"(?P<name>{_PLAIN}[A-Z]\w*[a-zA-Z]\w*"
    r"(?:[-.][A-Za-z]\w*)*)(?![\w/])"
)


def _foreign(key: Key, text: str, page: Page) -> Iterator[str]:
    """The words beside a figure say a name that neither its record nor the page knows."""
    before, behind = around(text, key)
    near = f"{before} . {clause(behind)}"
    for found in _NAMED.finditer(near):
        name = found["name"]
        told = f"{words_of(key.row)} {key.row['device']['name']} {page.meta.get('title')}"
        if name.lower().rstrip("s") not in told.lower() and page.body.count(name) < 2:
            if not (_LINKS.search(f"over {name}") and _LINKED.search(told)):
                yield f"{key.said} says nothing of {name!r}, which the sentence names"
                return


# ---------------------------------------------------------------- widths and counts

# 64-bit indices, 8-byte loads.
_WIDE = re.compile(r"(?<![\w.,-])(?P<figure>\d[\d,]*)[ -](?P<unit>bit|byte)\b(?!s)")
# Of 4,096 bins, and how a record has them: 256 bins, bins=256.
_COUNTED = re.compile(r"(?<![\w.,×-])(?P<figure>\d[\d,]*)\ (?P<noun>[a-z]{3,})s\b")
_THINGS = re.compile(
    r"(?:bin|stream|expert|head|layer|channel|stage|bucket|table|query|client|sequence|token|request"
    r"|vector|accumulator|digit|color|class|page|session|user|process|worker|rank|GPU|star|atom"
    r"|neighbor|dimension|feature|key)"
)
# An array of one megabyte, a 64 KiB table.
_ARRAY = r"(?:arrays?|tables?|matri(?:x|ces)|vectors?|buffers?|inputs?|images?|files?|messages?)"
_ARRAYS = re.compile(
    rf"\b{_ARRAY} of (?:about |only |just )?(?P<one>\d[\d,]*(?:\.\d+)?|an?|one|two|four|eight|ten"
    r"|sixteen|half an?) ?(?P<unit>[kKMG]i?B|(?:kilo|mega|giga)bytes?)\b"
)
_SMALL = {"a": 1, "an": 1, "one": 1, "two": 2, "four": 4, "eight": 8, "ten": 10, "sixteen": 16}
_BYTES = {"k": 1e3, "m": 1e6, "g": 1e9}


def _wide(key: Key, text: str, root: Path) -> Iterator[str]:
    """The words beside a figure say a width, a count or a size that its record does not know."""
    before, behind = around(text, key)
    near = f"{before} . {clause(behind)}"
    told, code = words_of(key.row), source_of(root, str(key.row.get("kernel", "")))
    for said in (*_widths(near, told, code), *_counts(near, told, key), *_arrays(near, told, key)):
        yield f"{key.said} says nothing of {said!r}, which the sentence names"
        return


def _widths(near: str, told: str, code: str) -> Iterator[str]:
    for found in _WIDE.finditer(near):
        width = int(found["figure"].replace(",", ""))
        known = {int(n) for n in re.findall(r"\d+", told)}
        bits = width * 8 if found["unit"] == "byte" else width
        if {width, bits, bits // 8} & known:
            continue
        if not re.search(rf"(?:int|float)_?{bits}|\b{width}-{found['unit']}", code):
            yield found[0]


def _counts(near: str, told: str, key: Key) -> Iterator[str]:
    for found in _COUNTED.finditer(near):
        noun = found["noun"]
        if not (_THINGS.fullmatch(noun) or f"{noun}s=" in told):
            continue
        some = {int(n) for n in re.findall(r"\d+", told.replace(",", ""))} | sizes_of(key.row)
        if int(found["figure"].replace(",", "")) not in some | {a * b for a in some for b in some}:
            yield found[0]


def _arrays(near: str, told: str, key: Key) -> Iterator[str]:
    for found in _ARRAYS.finditer(near):
        one = _SMALL.get(found["one"]) or (0.5 if "half" in found["one"] else 0)
        size = (one or float(found["one"].replace(",", ""))) * _BYTES[found["unit"][0].lower()]
        known = [float(n) for n in sizes_of(key.row) if n > 1]
        of = [n * by for n in known for by in (1, 2, 4, 8, *(4 * other for other in known))]
        if known and not any(0.85 <= size / n <= 1.15 for n in of):
            yield found[0]


# ---------------------------------------------------------------- what a kernel does

# What tells a version of a kernel from another, and how each begins in another form.
_WAYS = (
    "naive tile coalesc uncoalesc stride strided vectori serial sequen unroll fuse fusing persist"
    " pad swizzl double-buffer pipelin prefetch compress skew random shuffl atomic block-wise"
    " transpos sort recurs privati ticket mma wgmma tma look-back ping-pong speciali quanti"
    " exclusive inclusive"
).split()
_WAY = re.compile(rf"\b(?:{'|'.join(_WAYS)})[a-z]*\b", re.IGNORECASE)


def _ways(key: Key, text: str, keys: list[Key], page: Page) -> Iterator[str]:
    """The words before a figure say what its kernel does, and neither record nor code does so."""
    before, behind = around(text, key)
    last = TURN.split(LABEL.sub("", before))[-1]
    near = NOT.sub(" ", f"{last} . {clause(behind)}")
    if not _WAY.search(near):
        return
    told = " ".join(words_of(one.row) for one in keys)
    files = {str(one.row.get(of, "")) for one in keys for of in ("kernel", "script")}
    for found in _WAY.finditer(near):
        way = next(way for way in reversed(_WAYS) if found[0].lower().startswith(way))
        if way not in told and not any(way in source_of(page.root, file) for file in files):
            yield f"{key.said} says nothing of {found[0]!r}, nor does the code that it measured"
            return


# ---------------------------------------------------------------- quantities

_MORE = re.compile(
    r"[\s*_]*(?:faster|slower|quicker|longer|shorter|more|better|worse|higher|lower|cheaper|ahead"
    r"|behind|dearer)\b(?! of\b)"
)
_GAIN = re.compile(r"\b(?:gain|save|win|add)(?:s|ed|d)?\ (?:us\ |you\ |about\ |only\ )*[*_]*$")
_ERROR = re.compile(
    r"\b(?:error|deviation|inaccuracy|rounding|mistake|loss of precision)s?\b[^.;:,\ufffc]{0,50}?"
    r"\b(?:is|was|are|of|comes to|came to|stays at|reaches|falls to|grows to)\W*$"
)


def _quantity(key: Key, text: str) -> Iterator[str]:
    """A share is no difference, and no error."""
    before, behind = around(text, key)
    name, told = key.field, words_of(key.row)
    share = name.endswith("share") or (name == "ratio" and figures.unit_of(key.row, name) == "%")
    if share and (more := _MORE.match(behind)):
        yield f"{key.said} is a share, and no difference, and {more[0].strip()!r} stands behind it"
    if share and (gain := _GAIN.search(before)):
        yield f"{key.said} is a share, and no difference, and {gain[0].strip()!r} leads to it"
    if (said := _ERROR.search(before)) and "error" not in name and not _EXACT.search(told):
        yield f"{key.said} is no error, and the sentence says {said[0].strip()!r}"


_EXACT = re.compile(r"error|difference|deviat|round|accura|wrong|exact|loss")

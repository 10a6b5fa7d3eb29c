"""A page that said that something was not run, or is not on record, still says so.

Whoever takes out such a sentence, and leaves what stands around it, turns it around: the reader
takes what is left for measured. No rule of words sees what is no longer there, so the page is
compared with the one of the commit where its branch began. It may change when the paragraph gets a
key or a source, or when a run of the page was recorded in the same change.
"""

import re
from collections.abc import Iterator, Set
from pathlib import Path

from lockstep import figures
from lockstep.block import Page
from lockstep.evidence import agreement
from lockstep.mistakes import Mistake

MEND = (
    "say it still, in whatever words; or bring the key, the link or the record of the run in the"
    " same change"
)
_RUN = (
    r"(?:run|tried|measured|timed|tested|profiled|compiled\ or\ run|raced|benchmarked|on\ record"
    r"|recorded|verified)"
)
DENIES = re.compile(
    rf"(?i)\b(?:not|never|n't)\ (?:yet\ |been\ |ourselves\ |also\ |even\ |all\ )*{_RUN}\b"
    rf"|\b(?:we|I)\ (?:have\ |had\ )?(?:{_RUN}|ran)\ (?:neither|none|nothing|no\b)"
    rf"|\b(?:none|nothing|neither)\ (?:\w+\ ){{0,4}}?(?:ran|(?:was|were|is|are|has"
    rf"|have)\ (?:been\ )?{_RUN})\b"
    rf"|\bnobody\ (?:has\ )?(?:{_RUN}|ran)\b"
)
_NOT = re.compile(
    r"(?i)\b(?:not|never|neither|nor|none|nobody|nothing|no|without|open|untested|unknown"
    r"|unmeasured"
    r"|whether|if|would|should|could|probably|expect|suspect|guess|likely|predict)\b|n't\b"
)
_SENTENCE = re.compile(r"(?<=[.!?])[)*_\"”]*\s+|(?<=[.!?]\))\s+")
MANY = 2  # new sentences of a paragraph that was written anew


def check(root: Path, pages: list[Page], only: Set[str] | None = None) -> Iterator[Mistake]:
    """Yield what pages said of themselves at the branch's beginning, and say no longer."""
    since = agreement.parted(root)
    docs = {page.path: page for page in pages}
    if since is None or not docs:
        return
    changed = agreement.changed(root, since)
    ran = {name for name in changed if name.startswith("evidence/")}
    mine = [name for name in changed if name in docs and (only is None or name in only)]
    for name, old in agreement.contents(root, since, mine):
        page = docs[name]
        if any(f"/pages/{page.name}.json" in record for record in ran):
            continue
        now = (page.written or page.body).split("\n")
        for at, said in _gone(old.split("\n"), now):
            what = f"this paragraph said {said!r}, and says it no longer"
            yield Mistake(name, page.body_line + at, what, MEND)


def _gone(old: list[str], now: list[str]) -> Iterator[tuple[int, str]]:
    """Yield (index of a line, what it said) of lines that lost what they denied."""
    kept = set(now)
    for line in old:
        if line in kept or not DENIES.search(line):
            continue
        sentences = _SENTENCE.split(line.strip())
        denied = [one for one in sentences if DENIES.search(one)]
        others = {one for one in sentences if one not in denied and len(one) > 20}
        at, same = max(
            ((n, len(others & {*_SENTENCE.split(row.strip())})) for n, row in enumerate(now)),
            key=lambda found: found[1], default=(0, 0),
        )  # fmt: skip
        if not others or 3 * same < 2 * len(others):
            continue  # the paragraph as a whole is gone, or was written anew
        row = now[at]
        new = [one for one in _SENTENCE.split(row.strip()) if one not in sentences]
        missing = [
            one
            for one, claim in zip(sentences, ["", *sentences], strict=False)
            if one in denied and one not in row and (not claim or claim in row)
        ]  # what the claim in front of it went with is none
        if not missing or sum(bool(_NOT.search(one)) for one in new) >= len(missing):
            continue
        if len(figures.KEY.findall(row)) > len(figures.KEY.findall(line)):
            continue
        if row.count("](") > line.count("](") or len(new) > MANY:
            continue
        yield at, missing[0][:80]

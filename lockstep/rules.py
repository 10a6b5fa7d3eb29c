"""What a page must not do: front matter, prose and files that break the promise.

Each check says what is wrong by calling ``wrong``; ``lockstep.page`` knows the file and the line.
"""

import re
from collections.abc import Callable
from pathlib import Path

from lockstep import forged, numbers, reported, told, verdicts, worked
from lockstep.block import RECORDED, Block
from lockstep.languages.base import mentions
from lockstep.project import Project
from lockstep.source import MARKER

# HTML that prose may hold. Whatever can show code that is in no source file is not here.
TAGS = {"a", "br", "code", "div", "figcaption", "figure", "input", "label", "span", "sub", "sup"}
TAGS |= {"button", "progress", "section"}
# Keys that the site's engine reads, not we.
ENGINE_META: dict[str, type] = {
    "hide": list, "search": dict, "icon": str, "status": str, "tags": list, "social": dict,
}  # fmt: skip
NO_ALTERNATIVE = re.compile(r"!\[\s*\][(\[]")
# Of a page's blocks, so many may be only shown; and never what looks like the output of a run.
SHOWN_AT_MOST = 3
PRINTED = {"pycon", "text", "console"}
# A title that says so of a file.
OUTPUT = re.compile(
    r"(?i)\b(?:outputs?|stdout|prints|printed|results?|console|terminal)\b|^\W*[$>%] ?\w"
    r"|^(?:ncu|nsys|nvprof|python|\./)"
)
WORDS = re.compile(r"\w\W+\w")
TITLED = re.compile(
    r"(?i)\b(?:bit-?\ ?(?:exact|identical|for-bit)|bitwise)\b"
    r"|\b(?:identical|equal|agrees?|match(?:es)?|the\ same)\ (?:with|to|as)\b"
    r"|^\W*(?:correct|right)\b|"
    r"\b(?:checked|compared|verified|tested|proved|measured|run|ran)\ (?:against|with|on|by)\b"
)
# No reason why something does not run: none in words, or that it does.
NO_REASON = re.compile(
    r"^\W*(?:\w+\W*)?$"
    r"|(?<!that\ )\b(?:it|this|that|code|block)\ (?:runs|ran|passe[sd]|works|worked)\b"
    r"|\b(?:covers?|covered|exercises?)\b|\blogs?\ (?:is|are|was)\b"
    r"|\bpassed\b|\bas\ it\ (?:runs|ran)\b"
)
SENTENCE = re.compile(r"(?<=[.!?])\s+(?=[\"“(*A-Z\[])")
KEYED = re.compile(r"\[\[(?:bench|micro):|\{(?:bench|micro):")
LIKE_A_MARKER = re.compile(r"\[\[[A-Za-z]+:[^\]]*\]?\]?")
MARKS = ("--8<--", "-8<-")  # an include, and what is left of a mistyped one


def check_front_matter(
    meta: dict, project: Project, wrong: Callable[[str | None, str, str], None]
) -> None:
    """Check the front matter of a page. ``wrong`` takes the key, or None for a missing one."""
    for key in ("title", "description", "kind"):
        if not meta.get(key):
            wrong(None, f"the front matter has no {key}", f"add {key}: ...")
    for key, value in meta.items():
        known = ENGINE_META | project.meta
        if key not in known:
            wrong(key, f"unknown key {key}", f"use one of {', '.join(project.meta)}")
        elif not isinstance(value, known[key]) or isinstance(value, bool):
            kind = known[key].__name__
            wrong(key, f"{key} is not a {kind}", f"give a {kind}, as YAML writes one")
    if meta.get("kind") and meta["kind"] not in project.kinds:
        mend = f"use one of {', '.join(sorted(project.kinds))}"
        wrong("kind", f"unknown kind {meta['kind']!r}", mend)
    for part in project.parts:
        part.check_front_matter(meta, wrong)


def check_prose(text: str, project: Project, wrong: Callable[[str, str], None]) -> None:
    """Check one line of prose."""
    check_markers(text, project, wrong)
    if MARKER.search(text):
        mend = "write it as <code>&#45;-8&lt;-- [start:name]</code>"
        wrong("a section marker in prose disappears from the page", mend)
    elif NO_ALTERNATIVE.search(re.sub(r"`[^`]*`", "", text)):
        wrong("an image without a text alternative", "say in the brackets what the picture shows")
    elif any(mark in re.sub(r"(`+)(?:(?!`).)*?\1", "", text) for mark in MARKS):
        wrong("an include outside a fence", "put it inside a fenced block")
    elif what := typed_html(text):
        wrong(what, f"move code to {project.folders()} and include it")


def check_markers(text: str, project: Project, wrong: Callable[[str, str], None]) -> None:
    """Refuse a marker that nothing replaces: its reader would see the brackets."""
    if "[[" not in text or any(p.marker and p.marker.match(text) for p in project.parts):
        return
    prose = re.sub(r"(`+)(?:(?!`).)*\1", "``", text)
    for found in numbers.WORKED.finditer(prose):
        if worked.INPUT.search(found["how"]):
            continue  # lockstep.bound holds it to its keys
        if what := worked.unfounded(found["number"], found["how"]):
            mend = "say how the number follows, or measure it and pull it by key"
            wrong(f"{what} in {found[0]}", mend)
    for sentence in SENTENCE.split(prose) if "[[worked:" in prose else ():
        if KEYED.search(sentence):
            continue  # of which the words may speak
        plain = numbers.WORKED.sub("", sentence)
        for found in numbers.WORKED.finditer(sentence):
            if claim := worked.ours(plain, found["how"]):
                mend = "measure it and pull it by key, or take these words out"
                wrong(f"{claim!r} says that somebody measured {found[0]}", mend)
    for found in LIKE_A_MARKER.finditer(prose):
        known = numbers.INLINE.match(prose, found.start())
        if not known or (known["level"] and known["level"] not in project.marks):
            mend = "correct it; one that stands for more than a number is alone on its line"
            if found[0].startswith("[[worked:"):
                mend = "write [[worked:NUMBER; how it follows]]"
            wrong(f"nothing takes the place of {found[0]}", mend)


def typed_html(text: str) -> str | None:
    """Return what is wrong with the HTML in a line of prose, if it could show typed code."""
    prose = re.sub(r"`[^`]*`", "``", text)
    for tag in re.findall(r"<([a-zA-Z][\w-]*)", prose):
        if tag.lower() not in TAGS:
            return f"HTML that could show typed code: <{tag}>"
    if "<" in prose and re.search(r"\bstyle=|\son\w+=|srcdoc|javascript:", prose, re.IGNORECASE):
        return "HTML with a style or a script"
    if "<br" in prose and ("``" in prose or "<code" in prose):
        return "inline code with line breaks"
    if len(re.findall(r"<code\b", prose)) != len(re.findall(r"</code>", prose)):
        return "a <code> that goes over several lines"
    return None


def check_files(
    blocks: list[Block], project: Project, wrong: Callable[[int, str, str], None]
) -> None:
    """A block that is a file must be used by a later one; output must follow what printed it."""
    for i, block in enumerate(blocks):
        alone = project.languages[block.language].alone
        name = None if alone else block.options.get("file")
        if name and not any(mentions(later, name) for later in blocks[i + 1 :] if later.runs):
            what = f"no later block uses the file {name}"
            mend = f'load it in a block after this one, for example open("{name}")'
            wrong(block.page_line, what, mend)
        if block.language in RECORDED:
            before = blocks[i - 1] if i else None
            if before is None or not before.runs or "file" in before.options:
                what = "no block before this one prints its output"
                wrong(block.page_line, what, "put it right after the block that prints it")


# What data says of a run, and what a comment says of what a program gave.
RECORDS = re.compile(
    rf"(?i)[\"']?\b(?:device|gpu|passed|outcome|proof|status|results?|measured|best|worst|median"
    rf"|speed-?up|ran_on|target)\b[\"']?\s*[:=]|[kMGT]i?B\W{{0,3}}(?:per|/)\W{{0,3}}s"
    rf"|\b(?-i:{worked.CARDS})\b"
)
REMARK = re.compile(r"(?:^|\s)(?:#|//|--)\s*(.*)$")
GAVE = re.compile(
    rf"(?<![\w.])\d+\.\d+(?![\w.])|\b(?:{worked.CARDS})\b|\b(?:you|we) (?:read|see|get|got|saw)\b"
)


def _like_a_result(block: Block) -> str | None:
    """Return what a block that nobody ran says of a run."""
    if block.language in {"json", "yaml", "toml", "csv", "ini", "xml"}:
        found = RECORDS.search(block.text)
        return found[0] if found else None
    remarks = filter(None, map(REMARK.search, block.text.split("\n")))
    if said := next(filter(None, (GAVE.search(remark[1]) for remark in remarks)), None):
        return said[0]
    return None


def check_shown(blocks: list[Block], wrong: Callable[[int, str, str], None]) -> None:
    """Few blocks of a page are only shown, none like output, and no title says figures."""
    only = [block for block in blocks if "shown" in block.options]
    for block in only[SHOWN_AT_MOST:]:
        mend = f"run them; at most {SHOWN_AT_MOST} on a page are only shown"
        wrong(block.page_line, f"{len(only)} blocks of this page are only shown", mend)
    for block in only:
        if block.language in PRINTED:
            what = f"a {block.language} block that is only shown, which looks like output"
            wrong(block.page_line, what, "run what prints it, and include that as output")
        elif words := _like_a_result(block):
            what = f"{words!r} in a block that is only shown, which looks like what a run gave"
            wrong(block.page_line, what, "take it out; or run it, and include what it printed")
    for block in blocks:
        for key in ("title", "shown", "unrun"):
            if stamp := forged.stamp(block.options.get(key, "")):
                what = f"{stamp!r} in {key}= reads like a stamp, which a run alone can give"
                mend = "take it out: the block's own mark says what ran, and where"
                wrong(block.page_line, what, mend)
        title = block.options.get("title", "")
        said = TITLED.search(title)
        if words := said[0] if said else forged.title(title):
            what = f"{words!r} in title= says what a run alone can say"
            wrong(block.page_line, what, "name what the block is; its own mark says what ran")
        others = {Path(one.path).name for one in blocks if one.path != block.path}
        if title in others and title != Path(block.path).name:
            what = f"title={title!r} is the name of another file of this page"
            wrong(block.page_line, what, f"write {Path(block.path).name}, or what the block is")
        for key in ("shown", "unrun"):
            reason = block.options.get(key)
            if reason is not None and (said := NO_REASON.search(reason)):
                what = f"{said[0]!r} in {key}= says that it runs"
                if not WORDS.search(reason):
                    if key == "shown" and reason.strip(" .-"):
                        continue  # that it is the reader's is a reason of one word
                    what = f"{key}={reason!r} is no reason in words"
                mend = "say in words why a part of it does not run here, such as needs another GPU"
                wrong(block.page_line, what, mend)
        if "file" in block.options and block.language in PRINTED and block.runs:
            if block.language != "text" or OUTPUT.search(block.options.get("title", "")):
                what = f"a {block.language} block that looks like output, and nothing printed it"
                mend = "run what prints it, and include that as output; or give it another title"
                wrong(block.page_line, what, mend)
        for key in ("title", "shown", "unrun", "file"):
            said = block.options.get(key, "")
            for number in (*numbers.typed(said), *told.find(said)):
                wrong(block.page_line, f"{number!r} is typed, in {key}=", numbers.MEND)
            heard = [] if key == "file" else [*reported.told(said)]
            for words in (*heard, *(verdicts.find(said) if key == "title" else ())):
                what = f"{words!r} in {key}= tells how a run came out"
                wrong(block.page_line, what, "name what the block is; the figure stands by key")

"""The words of a page's stamp and of each block's proof."""

import re
from collections import Counter

from lockstep import evidence, project, running
from lockstep.block import Block, Page
from lockstep.targets import Target

Proof = evidence.Proof
WHOLE = "Every block of this page ran"
BUILD = re.compile(r"(?:\d+x?)?")  # behind the name of a package: cupy-cuda13x


def proof_words(proof: Proof, block: Block, page: Page) -> str:
    """Say in a few words, which follow the name of the level, how far a block is proved."""
    ours = project.of(page.root)
    language = ours.languages[block.language]
    if words := language.proof_words(proof.level, block, proof.runs):
        return words
    if proof.level == "shown":
        return f"only: {proof.reason}"
    if proof.level == "awaiting":
        return _first(page).awaited
    if proof.level == "compiled":
        return "not run"
    if proof.level == "read":
        return "by a later block, not run"
    ran = [ours.targets[run["target"]] for run in proof.runs]
    return max(ran, key=lambda target: target.precedence).proof_words(proof.runs)


def versions(run: dict, page: Page) -> str:
    """List what a reader needs to repeat a run, apart from the tool that ran it."""
    if id(run) not in page.said:  # each block of a page asks for the same; the run is kept along
        page.said[id(run)] = run, _versions(run, page)
    return page.said[id(run)][1]


def _versions(run: dict, page: Page) -> str:
    ours = project.of(page.root)
    target, parts = ours.targets[run["target"]], []
    code = page.code
    for word, name, package in ours.named:
        for key, version in run["packages"].items():
            if key.startswith(package) and BUILD.fullmatch(key, len(package)):
                if word in code:
                    parts.append(f"{name} {version}")
    parts.append(f"Python {run['python']}")
    parts = [part for part in parts if part != target.tool(run, page)]
    return ", ".join(parts + target.circumstances(run))


def _first(page: Page) -> Target:
    """Return the first target that proves a page."""
    return project.of(page.root).targets[running.wanted(page)[0]]


def stamp(page: Page, proofs: list[Proof], records: evidence.Evidence) -> tuple[str, str, str]:
    """Return a page's stamp: its level, what counts most, and the rest."""
    ours = project.of(page.root)
    total, counts = len(proofs), Counter(proof.level for proof in proofs)
    if not any(block.runs for block in page.blocks):
        return "shown", f"Nothing on this page runs: {_blocks(total)} only shown.", ""
    runs, wanted = records.runs(page), running.wanted(page)
    first = _first(page)
    proving = [run for run in runs if run["target"] in wanted]
    stand_in = ours.targets.get(first.stand_in(page) or "")
    told = proving or [run for run in runs if stand_in and run["target"] == stand_in.name]
    level = first.level if proving else "awaiting"
    rest = []
    lead = f"Awaiting {first.awaited}."
    if told:
        best = ours.targets[told[0]["target"]].level
        said, more = _ran(counts[best], total, told, page)
        if proving:
            lead = said
        else:
            more = f"{said} {more}" if counts[best] else ""
        if more:
            rest.append(more)
        if others := _others(page, proofs, best, first, stand_in):
            rest.append(f"Of the others, {', '.join(others)}.")
    if proving and (missing := [t for t in wanted if t not in {run["target"] for run in proving}]):
        rest.append(f"Awaiting a run with {' and '.join(missing)}.")
    for part in ours.parts:
        rest += part.stamped(page, runs)
    marks = Counter(mark for said in beside(page, records).values() for mark, _ in said)
    code = sum(block.runs for block in page.blocks)
    rest += [f"Beside: {mark}, {count} of {code} blocks of code." for mark, count in marks.items()]
    if told and (listed := versions(told[0], page)):
        rest.append(f"{listed}.")
    return level, lead, " ".join(rest)


def beside(page: Page, records: evidence.Evidence) -> dict[int, list[tuple[str, str]]]:
    """Return the further proofs of a page's blocks, by their indices: marks, and what they say."""
    found: dict[int, list[tuple[str, str]]] = {}
    for part in project.of(page.root).parts:
        for index, said in part.proved(page, records).items():
            found.setdefault(index, []).append(said)
    return found


def seal(page: Page, proofs: list[Proof], records: evidence.Evidence) -> str:
    """Return the one line that stands for a page's stamp until it is opened."""
    level, lead, _ = stamp(page, proofs, records)
    if level in {"awaiting", "shown"}:
        return lead.split(":")[0].rstrip(".")
    wanted = running.wanted(page)
    date = next(run["date"] for run in records.runs(page) if run["target"] in wanted)
    return f"{lead.replace(WHOLE, 'Ran', 1)} · {date}"


def _others(
    page: Page, proofs: list[Proof], best: str, first: Target, stand_in: Target | None
) -> list[str]:
    """Say of the blocks that did not reach the best level how far each was proved."""
    ours = project.of(page.root)
    counts = Counter(proof.level for proof in proofs)
    compiled = Counter(
        ours.languages[block.language].compiled_words()
        for block, proof in zip(page.blocks, proofs, strict=True)
        if proof.level == "compiled"
    )
    places = {target.level: target for target in reversed(ours.targets.values())}
    if stand_in:
        places[stand_in.level] = stand_in
    words = {
        **{
            level: ("ran", "ran", places[level].where(page))
            for level in ours.levels
            if level in places
        },
        **{how: ("is", "are", f"{how} and not run") for how in compiled},
        "read": ("is", "are", "read by a later block and not run"),
        "shown": ("is", "are", "only shown"),
        "awaiting": ("awaits", "await", first.awaited),
    }
    counts.update(compiled)
    return [
        f"{counts[k]} {one if counts[k] == 1 else many} {what}"
        for k, (one, many, what) in words.items()
        if counts[k] and k != best
    ]


def _blocks(number: int) -> str:
    return "its block is" if number == 1 else f"its {number} blocks are"


def _ran(number: int, total: int, runs: list[dict], page: Page) -> tuple[str, str]:
    """Say how many blocks ran where; and when and with what. One place and day is said once."""
    targets = project.of(page.root).targets
    places: dict[tuple[str, str], list[str]] = {}
    for run in runs:
        target = targets[run["target"]]
        key = target.place(run, page), run["date"]
        places.setdefault(key, []).append(target.tool(run, page))
    who = WHOLE if number == total else f"{number} of {total} blocks ran"
    first, *others = places
    named = {key: " and ".join(dict.fromkeys(with_what)) for key, with_what in places.items()}
    more = f"on {first[1]} with {named[first]}"
    for place, date in others:
        more += f"; {place} on {date} with {named[place, date]}"
    return f"{who} {first[0]}", f"{more}."

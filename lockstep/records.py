"""What the mark of a block opens: the record of its runs, for a reader who checks.

Device, versions and date; how many lines ran, and which did not; the hash that the record is bound
to, with a button that computes it from the text on the page; where the files are, and the command
that repeats the run.
"""

import ast
import doctest
import functools
import html
import re

from lockstep import compilers, numbers, preprocessed, project, tracing, unproved
from lockstep.block import Block, Page
from lockstep.evidence import Proof
from lockstep.languages.names import code, trees
from lockstep.mistakes import walk
from lockstep.stamps import versions

HASH = 16  # digits of a block's hash in its page
HASHES = "blocks.json"  # the hashes of a page's blocks, whole, in the page's folder


def best(block: Block, proof: Proof) -> dict | None:
    """Return what the run that executed the most lines of a block recorded of it."""
    rows = [run["blocks"][block.index] for run in proof.runs if len(run["blocks"]) > block.index]
    rows = [row for row in rows if "lines" in row]
    return max(rows, key=lambda row: (row["lines"][0], row.get("parts", [-1])[0]), default=None)


def lines(page: Page, block: Block, proof: Proof) -> str:
    """Say how many of a block's lines ran in the best of its runs, or nothing where all did.

    And why that is right: its page says so, or the others would raise an error.
    """
    return told(page, block, proof)[0]


def part(page: Page, block: Block, proof: Proof) -> str:
    """Return what the mark of a block says where some of it did not run. It unfolds to the rest."""
    return told(page, block, proof)[1]


def told(page: Page, block: Block, proof: Proof) -> tuple[str, str]:
    """Return both: what a block's proof says of its lines, and what its mark does."""
    left = _left_out(page, block)
    said = left or _ran(page, block, proof)
    some = re.match(r"\d+ of \d+ lines", said)
    mark = f"in part: {some[0]}" if some else "in part" if said else ""
    more = COMPUTED if not left and computed(block) else ""
    return "; ".join(filter(None, [said, more])), mark


COMPUTED = "its figures are computed, not measured"


@functools.lru_cache(maxsize=4096)
def computed(block: Block) -> bool:
    """Whether a session shows times or rates. It prints the same each time, so none is timed."""
    if block.language != "pycon":
        return False
    examples = doctest.DocTestParser().get_examples(block.text)
    return any(numbers.typed(example.want) for example in examples if example.exc_msg is None)


def _ran(page: Page, block: Block, proof: Proof) -> str:
    """Say the same by what a run noted."""
    row = best(block, proof)
    idle = _unlaunched(page, block) if proof.runs else []
    if row is None:
        row = {"lines": [0, 0]}
    ran, of = row["lines"]
    idle += [k for k, launched in row.get("kernels", {}).items() if not launched and k not in idle]
    said = f"{ran} of {of} lines ran" if ran < of else ""
    if parts := _idle(block, row):
        said += f"{', ' if said else ''}{parts} did not run"
    if idle:
        said += f"{', ' if said else ''}{' and '.join(idle)} was not launched here"
    if said and block.options.get("unrun"):
        said += f": {block.options['unrun']}"
    elif said and not idle and not parts and not unexplained(block, row):
        said += ", the other raises an error" if of - ran == 1 else ", the others raise errors"
    return said


def _left_out(page: Page, block: Block) -> str:
    """Say how many lines of a block that is compiled its compiler gets on a condition alone."""
    ours = project.of(page.root)
    if not ours.languages[block.language].like_c or not block.runs:
        return ""
    files = {b.options["file"]: b.text for b in page.blocks if "file" in b.options}
    left = preprocessed.left_out(block.text, files)
    idle = [name for name, _ in unproved.unnamed(block, page.blocks)]
    if idle and not left:
        return f"{' and '.join(idle)} was not launched here: {block.options.get('unrun')}"
    if not left:
        return ""
    there = len(preprocessed.look(block.text, files).code)
    some = f"{len(left)} of {there} lines {'is' if len(left) == 1 else 'are'}"
    return f"{some} compiled on a condition alone: {block.options.get('unrun', 'no reason given')}"


def _unlaunched(page: Page, block: Block) -> list[str]:
    """Return the functions for a compiler in a block of Python that nothing on its page names."""
    if block.language != "python" or "file" in block.options:
        return []
    if "jit" not in block.text and block.text.isascii():  # see compilers.takes
        return []
    names = compilers.of_page(page.blocks, project.of(page.root).compilers)
    found = compilers.taken(block.text, names)
    said = {name for other in page.blocks if other.runs for name in _said(other)} if found else ()
    return [name for name in found if name not in said]


# What looks at a function and does not call it.
LOOKS = {"print", "repr", "str", "type", "callable", "id", "bool", "isinstance", "hasattr", "hash"}


def _looked_at(node: ast.AST) -> list[ast.expr | None]:
    """Return what a node names, or looks at, without having it run."""
    match node:
        case ast.Expr() | ast.FormattedValue():
            return [node.value]
        case ast.Assert():
            return [node.test]
        case ast.Compare():
            return [node.left, *node.comparators]
        case ast.Assign(targets=[ast.Name(id="_")]):
            return [node.value]
        case ast.Call(func=ast.Name(id=name)) if name in LOOKS:
            return [*node.args]
    return []


@functools.lru_cache(maxsize=4096)
def _said(block: Block) -> frozenset[str]:
    """Return the names that the code of a block uses; of what is no Python, its words."""
    if block.language not in {"python", "pycon"} or "file" in block.options:
        return frozenset(re.findall(r"\w+", block.text)) if block.runs else frozenset()
    found: set[str] = set()
    for tree in trees(block):
        idle: set[ast.expr | None] = set()
        for node in walk(tree):  # what is outside comes first
            idle.update(_looked_at(node))
            if node in idle:
                continue
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
                found.add(node.id)
            elif isinstance(node, ast.Attribute):
                found.add(node.attr)
    return frozenset(found)


def unexplained(block: Block, row: dict) -> list[int]:
    """Return the lines of a block that did not run and have a reader ask why, as its file's."""
    return sorted(_not_run(block, row) - tracing.guards(code(block), block.numbers))


def _not_run(block: Block, row: dict) -> set[int]:
    """Return the lines of a block that did not run, as lines that its file has today."""
    there = len(block.numbers)
    return {block.numbers[line - 1] for line in row.get("not_run", ()) if line <= there}


def _idle(block: Block, row: dict) -> str:
    """Name the parts that did not run of lines that did."""
    found = [(block.numbers[n - 1], words) for n, words in row.get("idle", ())]
    return " and ".join(f"{words} in line {line}" for line, words in found)


def idle(page: Page, block: Block, proof: Proof) -> str | None:
    """Return what of a block did not run, in any of the runs that prove it, without a reason."""
    if {"shown", "unrun"} & block.options.keys() or not proof.runs:
        return None
    if names := _unlaunched(page, block):
        return f"nothing on this page launches or calls {' or '.join(names)}"
    row = best(block, proof)
    if row is None and (block.language != "python" or "file" in block.options):
        return None  # a run of before its lines were traced, or one that tells none
    if row is None:  # a run of before lines were noted, or one that cannot
        others = "\n".join(b.text for b in page.blocks if b is not block and b.runs)
        names = tracing.uncalled(block.text, others)
        return f"nothing on this page calls {' or '.join(names)}" if names else None
    if left := unexplained(block, row):
        return f"{_ranges(left)} of {block.path} did not run"
    if parts := _idle(block, row):
        return f"{parts} of {block.path} did not run"
    names = [name for name, launched in row.get("kernels", {}).items() if not launched]
    return f"{' and '.join(names)} was not launched" if names else None


def details(page: Page, block: Block, proof: Proof) -> str:
    """Return the record of a block as HTML, which its mark unfolds."""
    ours = project.of(page.root)
    rows: list[tuple[str, str]] = []
    for run in proof.runs:
        target = ours.targets[run["target"]]
        row = run["blocks"][block.index] if len(run["blocks"]) > block.index else {}
        text = f"{target.place(run, page)} on {run['date']}, {target.tool(run, page)}"
        text += f", {listed}" if (listed := versions(run, page)) else ""
        if "lines" in row:
            text += f"; {row['lines'][0]} of {row['lines'][1]} lines executed"
            if left := _not_run(block, row):
                text += f", not {_ranges(sorted(left))} of {block.path}"
        if "parts" in row:
            text += f", {row['parts'][0]} of {row['parts'][1]} parts of lines"
        rows.append(("Ran", html.escape(text)))
    # All 64 digits would make a page with 89 blocks 3 kB heavier: the rest is in a file beside the
    # page, which its script reads when a record is opened. It adds a button, too; a browser has
    # blanks in place of tabs, and could not compare.
    mark = "" if "\t" in block.text else ' class="record__hash"'
    rows.append(("SHA-256", f"<code{mark}>{block.sha256[:HASH]}</code>"))
    files = [f"<code>{html.escape(block.where)}</code>"]
    machines = dict.fromkeys(run["machine"] for run in proof.runs if "machine" in run)
    files += [f"<code>evidence/{html.escape(m)}/pages/{page.name}.json</code>" for m in machines]
    rows.append(("Files", ", ".join(files)))
    if block.runs:
        command = f"python -m lockstep run {page.path}"
        rows.append(("Repeat", f"<code>{html.escape(command)}</code>"))
    text = "".join(f"<dt>{name}</dt><dd>{value}</dd>" for name, value in rows)
    return f"<dl>{text}</dl>"


def _ranges(numbers: list[int]) -> str:
    """Return lines in words, neighbors as one: "line 3", "lines 3 to 5, 9"."""
    groups: list[list[int]] = []
    for number in numbers:
        if groups and number == groups[-1][-1] + 1:
            groups[-1].append(number)
        else:
            groups.append([number])
    parts = [f"{g[0]} to {g[-1]}" if len(g) > 1 else str(g[0]) for g in groups]
    return f"line{'s' if len(numbers) > 1 else ''} {', '.join(parts)}"

"""What the mark of a block opens: the record of its runs, for a reader who checks.

Device, versions and date; how many lines ran, and which did not; the hash that the record is bound
to, with a button that computes it from the text on the page; where the files are, and the command
that repeats the run.
"""

import html

from lockstep import project, tracing
from lockstep.block import Block, Page
from lockstep.evidence import Proof
from lockstep.stamps import versions

HASH = 16  # digits of a block's hash in its page
HASHES = "blocks.json"  # the hashes of a page's blocks, whole, in the page's folder


def best(block: Block, proof: Proof) -> dict | None:
    """Return what the run that executed the most lines of a block recorded of it."""
    rows = [run["blocks"][block.index] for run in proof.runs if len(run["blocks"]) > block.index]
    rows = [row for row in rows if "lines" in row]
    return max(rows, key=lambda row: row["lines"][0], default=None)


def lines(block: Block, proof: Proof) -> str:
    """Say how many of a block's lines ran in the best of its runs, or nothing where all did.

    And why that is right: its page says so, or the others would raise an error.
    """
    row = best(block, proof)
    if row is None:
        return ""
    ran, of = row["lines"]
    idle = [name for name, launched in row.get("kernels", {}).items() if not launched]
    said = f"{ran} of {of} lines ran" if ran < of else ""
    if idle:
        said += f"{', ' if said else ''}{' and '.join(idle)} was not launched here"
    if said and block.options.get("unrun"):
        said += f": {block.options['unrun']}"
    elif said and not idle and not unexplained(block, row):
        said += ", the other raises an error" if of - ran == 1 else ", the others raise errors"
    return said


def unexplained(block: Block, row: dict) -> list[int]:
    """Return the lines of a block that did not run and have a reader ask why."""
    return sorted(set(row.get("unrun", ())) - tracing.guards(block.text, block.numbers))


def idle(page: Page, block: Block, proof: Proof) -> str | None:
    """Return what of a block did not run, in any of the runs that prove it, without a reason."""
    if block.language != "python" or {"file", "shown", "unrun"} & block.options.keys():
        return None
    if not proof.runs:
        return None
    row = best(block, proof)
    if row is None:  # a run of before lines were noted, or one that cannot
        others = "\n".join(b.text for b in page.blocks if b is not block and b.runs)
        names = tracing.uncalled(block.text, others)
        return f"nothing on this page calls {' or '.join(names)}" if names else None
    if left := unexplained(block, row):
        return f"{_ranges(left)} of {block.path} did not run"
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
        text += f", {versions(run, page)}" if versions(run, page) else ""
        if "lines" in row:
            text += f"; {row['lines'][0]} of {row['lines'][1]} lines executed"
            if row.get("unrun"):
                text += f", not {_ranges(row['unrun'])} of {block.path}"
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

"""python -m lockstep: status, run, and the commands that a project adds."""

import argparse
import json
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path

from lockstep import collect, evidence, project, running, turns
from lockstep.block import Page
from lockstep.mistakes import PageError
from lockstep.page import INCLUDE, paths, read, read_all
from lockstep.source import find_root


def status(root: Path, as_json: bool) -> int:
    """Print pages, blocks by proof, what is stale or missing. Exit code 1 if anything is."""
    pages = read_all(root)
    records = evidence.Evidence(root)
    problems = records.problems(pages)
    rows = [(page, records.proofs(page)) for page in pages]
    levels = Counter(proof.level for _, proofs in rows for proof in proofs)
    shown = [
        {
            "page": page.path,
            "line": page.line_of(block),
            "source": block.source,
            "reason": proof.reason,
        }
        for page, proofs in rows
        for block, proof in zip(page.blocks, proofs, strict=True)
        if proof.level == "shown"
    ]
    total = sum(levels.values())
    if as_json:
        data = {
            "pages": {
                page.path: {
                    "blocks": dict(Counter(proof.level for proof in proofs)),
                    "targets": sorted({run["target"] for run in records.runs(page)}),
                }
                for page, proofs in rows
            },
            "blocks": {level: levels[level] for level in records.project.levels},
            "total": total,
            "typed": 0,  # read_all refuses a page with a typed block
            "stale": [vars(problem) for problem in problems if problem.kind == "stale"],
            "missing": [vars(problem) for problem in problems if problem.kind == "missing"],
            "shown": shown,
        }
        print(json.dumps(data, indent=1))
        return 1 if problems else 0
    for page, proofs in rows:
        if proofs:
            counts = Counter(proof.level for proof in proofs)
            text = ", ".join(f"{counts[x]} {x}" for x in records.project.levels if counts[x])
            targets = ", ".join(sorted({run["target"] for run in records.runs(page)})) or "nowhere"
            print(f"{page.path}: {text} (ran on {targets})")
    with_blocks = sum(bool(proofs) for _, proofs in rows)
    print(f"\n{total} blocks on {with_blocks} of {len(pages)} pages, 0 typed")
    for level in records.project.levels:
        share = 100 * levels[level] / total if total else 0
        print(f"  {level:9} {levels[level]:4} {share:5.1f} %")
    print(f"\n{len(shown)} only shown:")
    for row in shown:
        print(f"  {row['page']}:{row['line']}: {row['source']}: {row['reason']}")
    counts = Counter(problem.kind for problem in problems)
    print(f"\n{counts['stale']} stale, {counts['missing']} missing")
    for problem in problems:
        print(f"  {problem}")
    if older := records.older(pages):
        print(f"\n{len(older)} of older code; another machine has run today's:")
        print("\n".join(f"  {name}" for name in older))
    for line in (line for part in records.project.parts for line in part.notes(records)):
        print(line)
    return 1 if problems else 0


def make_outputs(file: Path, root: Path) -> list[Path]:
    """Create the output files that a new page includes and no run has written yet."""
    made, folder = [], f"{project.of(root).output}/"
    for line in file.read_text(encoding="utf-8", errors="replace").splitlines():
        include = INCLUDE.fullmatch(line)
        if include and include["path"].startswith(folder) and ".." not in include["path"]:
            output = root / include["path"]
            if not output.exists():
                with turns.alone(root):
                    output.parent.mkdir(parents=True, exist_ok=True)
                    output.write_text("(awaiting a run)\n", encoding="utf-8")
                made.append(output)
    return made


def ours_wrong(page: Page) -> list[str]:
    """Return what is wrong with what a page declares of its blocks."""
    found = []
    for target in project.of(page.root).targets.values():
        skips, says = len(target.skips(page)), target.declared(page)
        if skips != says:
            what = f"{page.path}: {skips} blocks: {target.lacks}, the front matter says {says}"
            found.append(f"{what}: {target.declare(skips)}")
    return list(dict.fromkeys(found))


def run(root: Path, files: list[str], record: bool) -> int:
    """Run pages where you are, on the target of this process."""
    pages, ours = paths(root), project.of(root)
    for name in files:
        if Path(name).resolve() not in pages:
            what = f"there is no such page. Pages are .md files under {ours.docs}/"
            print(f"{name}: {what}.", file=sys.stderr)
            return 2
    target = running.target_of_process(ours)
    if reason := target.missing():
        print(reason, file=sys.stderr)
        return 2
    if target.greeting:
        print(f"{target.greeting}\n")
    failed = 0
    for name in files:
        file = Path(name)
        made = make_outputs(file, root)
        try:
            read(file, root)
        except PageError as error:  # leave nothing behind
            for output in made:
                output.unlink()
            print(error)
            failed += 1
            continue
        done, document = collect.run_page(file)
        if not done:
            failed += 1
            continue
        if wrong := ours_wrong(document.page):
            print("\n".join(wrong))
            failed += 1
            continue
        if not any(block.runs for block in document.page.blocks):
            print(f"{document.page.path} has no code that runs: there is nothing to record.")
            continue
        if record:
            print(f"Recorded in {document.record().relative_to(root)}")
        page = read(file, root)
        left = evidence.Evidence(root, page).of_page(page)
        later = ours.targets[running.wanted(page)[0]].later
        if left and later and all(problem.kind == "missing" for problem in left):
            print(f"Done; {later}.")  # all that could be done here
        else:
            print("\n".join(map(str, left)) or "Every block of this page is proved.")
    return 1 if failed else 0


def check(root: Path, files: list[str]) -> int:
    """Print what is wrong with pages, without running them. Exit code 1 if anything is."""
    from lockstep import check  # it needs MkDocs, which a machine that runs pages may not have

    return check.run(root, files)


def summary(root: Path, since: str) -> int:
    """Print what changed in evidence/ since a commit, for a reviewer."""
    from lockstep.evidence import changes  # figures, which it prints, know evidence

    return changes.summary(root, since)


def review(root: Path) -> int:
    """Take the files that a browser gets as they are into the list of those that were read."""
    from lockstep import reviewed

    changed = reviewed.write(root)
    print("\n".join(f"reviewed: {path}" for path in changed) or "Nothing is new.")
    return 0


def verify(root: Path, bundle: str, files: list[str], repository: str, roots: str) -> int:
    """Print whose run wrote records, by the attestation of a workflow."""
    from lockstep import attestation

    return attestation.verify(root, bundle, files, repository, roots)


def parser(root: Path) -> argparse.ArgumentParser:
    """Return what reads the command line: the core's commands, and those of the project."""
    found = argparse.ArgumentParser(prog="python -m lockstep", description=__doc__)
    commands = found.add_subparsers(dest="command", required=True)

    def add(name: str, help: str, run: Callable[..., int]) -> argparse.ArgumentParser:
        command = commands.add_parser(name, help=help)
        command.set_defaults(run=run)
        return command

    one = add("status", "pages, blocks by proof, what is stale or missing", status)
    one.add_argument("--json", action="store_true", dest="as_json")
    three = add("check", "every guarantee that can be had without running a page", check)
    three.add_argument("files", nargs="*", metavar="PAGE", help="left out: all of them")
    four = add("summary", "what this branch changes in the evidence, for a pull request", summary)
    four.add_argument("--since", default="", metavar="COMMIT", help="left out: where it left main")
    two = add("run", "run a page where you are and record that it ran", run)
    two.add_argument("files", nargs="+", metavar="PAGE", help="such as docs/index.md")
    two.add_argument("--no-record", action="store_false", dest="record")
    add("review", "list scripts, styles and templates as they are now, once you read them", review)
    five = add("verify", "whose run wrote records: reads a workflow's attestation", verify)
    five.add_argument("bundle", metavar="BUNDLE", help="the attestation, a Sigstore bundle in JSON")
    five.add_argument("files", nargs="*", metavar="FILE", help="left out: all that are here")
    whose = "whose runs count; left out: this project's own, by mkdocs.yml or by git's origin"
    five.add_argument("--repository", default="", metavar="OWNER/NAME", help=whose)
    five.add_argument("--roots", default="", metavar="PEM", help="left out: Sigstore's public ones")
    for part in project.of(root).parts:
        part.commands(add)
    return found


def main(arguments: list[str] | None = None) -> int:
    try:
        root = find_root()
        choice = vars(parser(root).parse_args(arguments))
        choice.pop("command")
        return choice.pop("run")(root, **choice)
    except (PageError, OSError) as error:
        print(error, file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(main())

"""python -m lockstep: status, run, gpu, terms."""

import argparse
import ast
import json
import os
import subprocess
import sys
from collections import Counter
from pathlib import Path

from lockstep import environment, evidence, glossary, languages
from lockstep.page import INCLUDE, OUTPUT, Mistake, PageError, find_root, paths, read, read_all


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
            "line": block.page_line,
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
            "blocks": {level: levels[level] for level in evidence.LEVELS},
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
            text = ", ".join(f"{counts[x]} {x}" for x in evidence.LEVELS if counts[x])
            targets = ", ".join(sorted({run["target"] for run in records.runs(page)})) or "nowhere"
            print(f"{page.path}: {text} (ran on {targets})")
    with_blocks = sum(bool(proofs) for _, proofs in rows)
    print(f"\n{total} blocks on {with_blocks} of {len(pages)} pages, 0 typed")
    for level in evidence.LEVELS:
        share = 100 * levels[level] / total if total else 0
        print(f"  {level:9} {levels[level]:4} {share:5.1f} %")
    print(f"\n{len(shown)} only shown:")
    for row in shown:
        print(f"  {row['page']}:{row['line']}: {row['source']}: {row['reason']}")
    counts = Counter(problem.kind for problem in problems)
    print(f"\n{counts['stale']} stale, {counts['missing']} missing")
    for problem in problems:
        print(f"  {problem}")
    return 1 if problems else 0


def make_outputs(file: Path, root: Path) -> list[Path]:
    """Create the output files that a new page includes and no run has written yet."""
    made = []
    for line in file.read_text(encoding="utf-8", errors="replace").splitlines():
        include = INCLUDE.fullmatch(line)
        if include and include["path"].startswith(OUTPUT) and ".." not in include["path"]:
            output = root / include["path"]
            if not output.exists():
                output.parent.mkdir(parents=True, exist_ok=True)
                output.write_text("(awaiting a GPU run)\n", encoding="utf-8")
                made.append(output)
    return made


def run(root: Path, files: list[str], record: bool) -> int:
    """Run pages where you are: on a GPU if there is one, else in Numba's simulator."""
    pages = paths(root)
    for name in files:
        if Path(name).resolve() not in pages:
            print(
                f"{name}: there is no such page. Pages are .md files under docs/.", file=sys.stderr
            )
            return 2
    target = languages.default_target()
    if target in languages.GPU_TARGETS and not environment.gpus():
        return no_gpu()
    languages.prepare(target)
    if target == "simulator":
        print("No GPU here: Numba kernels run in Numba's simulator, on the CPU.\n")
    from lockstep import collect  # after prepare: it must come before numba

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
        asserted = document.page.meta.get("gpu_only", 0)
        found = len(languages.gpu_only(document.page))
        if asserted != found:
            print(
                f"{document.page.path}: {found} blocks need a GPU, the front matter says "
                f"{asserted}: write gpu_only: {found}"
            )
            failed += 1
            continue
        if not any(block.runs for block in document.page.blocks):
            print(f"{document.page.path} has no code that runs: there is nothing to record.")
            continue
        if record:
            print(f"Recorded in {document.record().relative_to(root)}")
        page = read(file, root)
        left = [p for p in evidence.Evidence(root).problems([page]) if page.path in p.what]
        print("\n".join(map(str, left)) or "Every block of this page is proved.")
    return 1 if failed else 0


def no_gpu() -> int:
    print(
        "There is no NVIDIA GPU here (nvidia-smi finds none). To run without one: "
        "`make test`, or `python -m lockstep run docs/PAGE.md`, which use Numba's simulator.",
        file=sys.stderr,
    )
    return 2


def not_on(file: Path) -> dict[str, str]:
    """Return the compilers that a file of kernel tests cannot run with, and why: its ``NOT_ON``."""
    for node in ast.parse(file.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.Assign) and getattr(node.targets[0], "id", "") == "NOT_ON":
            return ast.literal_eval(node.value)
    return {}


def gpu(root: Path, steps: list[str], targets: list[str]) -> int:
    """Run every page and every kernel test on the GPU here and write evidence/."""
    if not environment.gpus():
        return no_gpu()
    found = environment.gpus()
    print(f"{len(found)} x {found[0]['name']}, driver {found[0]['driver']}", flush=True)
    codes = {}
    base = {k: v for k, v in os.environ.items() if k != "NUMBA_ENABLE_CUDASIM"}
    base["LOCKSTEP_NO_SKIP"] = "1"
    pytest = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"]
    for target in targets:
        env = base | {"LOCKSTEP_TARGET": target}
        if "pages" in steps:
            print(f"== pages on {target}", flush=True)
            codes[f"pages {target}"] = subprocess.call(
                [*pytest, "docs", "--record"], cwd=root, env=env
            )
        if "kernels" in steps:
            print(f"== kernel tests on {target}", flush=True)
            tests = []
            for file in sorted((root / "tests").glob("test_kernels*.py")):
                if reason := not_on(file).get(target):
                    print(f"not on {target}: {file.name}: {reason}", flush=True)
                else:
                    tests.append(str(file.relative_to(root)))
            codes[f"kernels {target}"] = subprocess.call([*pytest, *tests], cwd=root, env=env)
    if "sanitizer" in steps:
        from lockstep import sanitizer

        for tool in sanitizer.TOOLS:
            print(f"== compute-sanitizer {tool}", flush=True)
            codes[f"sanitizer {tool}"] = sanitizer.run(root, tool, base)
        print("== known-wrong kernels", flush=True)
        sys.path.insert(0, str(root))
        from tests import wrong_kernels

        codes["known-wrong kernels"] = sanitizer.run_wrong(root, wrong_kernels.CASES, base)
    if "counters" in steps:
        print("== a GPU's counters beside the stepper's", flush=True)
        sys.path.insert(0, str(root))
        from simulator.hardware import run as hardware

        codes["counters"] = hardware.run(root, base)
        codes["generated kernels"] = hardware.generated(root, base)
    if "bench" in steps:
        print("== benchmarks", flush=True)
        codes["benchmarks"] = subprocess.call(
            [sys.executable, "-m", "benchmarks"], cwd=root, env=base
        )
    print()
    for name, code in codes.items():
        print(f"{name}: {'passed' if code == 0 else f'FAILED ({code})'}")
    return 1 if any(codes.values()) else 0


def terms(root: Path, ids: list[str]) -> int:
    """Print each term of the glossary, or those asked for, and what is wrong with them."""
    pages, mistakes = [], []
    for file in paths(root):
        try:
            pages.append(read(file, root))
        except PageError as error:
            mistakes += error.mistakes
    records, found = evidence.Evidence(root), glossary.Glossary(root, pages)
    mistakes += found.mistakes
    for ident in ids or found.terms:
        if term := found.terms.get(ident):
            links = len(found.linked_from(term))
            proof = glossary.snippet(term, records) or "no code"
            line = f"{ident}: {term.words} words, {proof}, {len(term.names)} names"
            print(f"{line}, {len(term.measured)} measured, linked from {links} pages")
            needs, says = len(languages.gpu_only(term.page)), term.page.meta.get("gpu_only", 0)
            if needs != says:
                what = f"{needs} blocks need a GPU, the front matter says {says}"
                at = found.line(term.page, "gpu_only")
                mistakes.append(Mistake(term.page.path, at, what, f"write gpu_only: {needs}"))
        else:
            print(f"{ident}: no such term, or it cannot be read")
    wanted = {f"{glossary.FOLDER}{ident}.md" for ident in ids}
    said = [mistake for mistake in mistakes if not ids or mistake.path in wanted]
    print("\n".join(map(str, said)) or "Nothing is wrong with them.")
    return 1 if said else 0


STEPS = ("pages", "kernels", "sanitizer", "counters", "bench")


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m lockstep", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    one = commands.add_parser("status", help="pages, blocks by proof, what is stale or missing")
    one.add_argument("--json", action="store_true", dest="as_json")
    two = commands.add_parser("run", help="run a page where you are and record that it ran")
    two.add_argument("pages", nargs="+", metavar="PAGE", help="such as docs/index.md")
    two.add_argument("--no-record", action="store_false", dest="record")
    three = commands.add_parser("gpu", help="run everything on the GPU here and write evidence/")
    three.add_argument("--steps", nargs="+", choices=STEPS, default=list(STEPS))
    three.add_argument("--targets", nargs="+", default=["numba-cuda", "numba-cuda-mlir"])
    four = commands.add_parser("terms", help="check the glossary's terms, or those that you name")
    four.add_argument("ids", nargs="*", metavar="ID", help="such as warp")
    choice = parser.parse_args(arguments)
    try:
        root = find_root()
        if choice.command == "status":
            return status(root, choice.as_json)
        if choice.command == "run":
            return run(root, choice.pages, choice.record)
        if choice.command == "terms":
            return terms(root, choice.ids)
        return gpu(root, choice.steps, choice.targets)
    except (PageError, OSError) as error:
        print(error, file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(main())

"""Sybil's side of the machine: a page as a document, its blocks as examples, a run as a record."""

import ast
import tempfile
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any
from unittest import SkipTest

from sybil import Document, Region, Sybil
from sybil.example import Example, SybilFailure

from lockstep import branches, compilers, evidence, judge, project, running, tracing, turns
from lockstep.block import RECORDED, Block, Page
from lockstep.known import read
from lockstep.languages.base import mentions
from lockstep.languages.names import code, traced
from lockstep.mistakes import Failed, Mistake, PageError, parse, walk
from lockstep.source import find_root
from lockstep.targets import Target
from lockstep.vacuous import name_of


class PageDocument(Document):
    """A Markdown page whose text is the expanded page, run block by block in one namespace."""

    page: Page
    target: str | None = None  # None: this page does not run in this process
    skipped: dict[int, str]  # why each block that cannot run here cannot, by its index
    results: dict[int, dict]  # what is recorded of each block that ran
    failed_at: str | None = None
    folder: tempfile.TemporaryDirectory | None = None  # the page's own
    run: judge.Run | None = None

    @property
    def project(self) -> project.Project:
        return project.of(self.page.root)

    @property
    def place(self) -> Target:
        """The target that this page runs on."""
        assert self.target, "a page that runs elsewhere has no target here"
        return project.of(self.page.root).targets[self.target]

    @classmethod
    def parse(cls, path, *parsers, encoding="utf-8"):
        root = find_root(Path(path).parent)
        try:
            page = read(Path(path), root)
        except PageError as error:
            return _Broken.of(str(path), error.mistakes)
        document = cls("\n".join(page.expanded) + "\n", str(path))
        document.page = page
        place = running.here(page)
        document.target = place.name if place else None
        document.skipped = place.skips(page) if place else {}
        document.results = {}
        for parser in parsers:
            for region in parser(document):
                document.add(region)
        return document

    def examples(self):
        for example in super().examples():
            example.line = self.page.line_of(example.region.lexemes["block"])
            example.column = 1
            yield example

    def evaluate(self, example: Example, evaluator) -> None:
        __tracebackhide__ = True
        block = example.region.lexemes["block"]
        if reason := self.why_not_here():
            raise SkipTest(reason)
        if block.index in self.skipped:
            raise SkipTest(f"{self.place.lacks}: {self.skipped[block.index]}")
        if self.failed_at:
            raise SkipTest(f"{self.failed_at} of this page failed")
        if self.folder is None:
            self.folder = tempfile.TemporaryDirectory()
        start = time.perf_counter()
        try:
            if self.run is None:
                self.run = judge.Run(self.page, self.place.name, Path(self.folder.name))
            result = self.run.block(block)
        except Failed as failure:
            self.failed_at = block.where
            if self.run:
                self.run.abandon()  # what it changes now is nobody's proof
            raise SybilFailure(
                example, f"{failure}\non {block.page}:{self.page.line_of(block)}"
            ) from None
        result.setdefault("seconds", round(time.perf_counter() - start, 3))
        self.results[block.index] = result
        if self.done:
            try:
                self.run.finish()
            except Failed as failure:
                self.failed_at = block.where
                raise SybilFailure(example, str(failure)) from None
        if self.done and (never := self._never_called()):
            self.failed_at = never[0].where
            raise SybilFailure(example, "\n".join(map(_uncalled, never)))

    def _never_called(self) -> list[Block]:
        """Return the blocks that define functions and nothing else, of which none was called.

        Where a part of the page cannot run here, nobody can tell.
        """
        if self.skipped:
            return []
        found = []
        for block in self.page.blocks:
            if block.language != "python" or {"unrun"} & block.options.keys():
                continue
            if block.index not in self.results:
                continue
            ran, heads = self._ran(block), tracing.heads(block.text, block.numbers)
            if ran.get("not_run") and ran["lines"][0] <= len(heads):
                found.append(block)
        return found

    def why_not_here(self) -> str | None:
        """Return why this page cannot run on this machine at all, or None."""
        return self.place.can_run(self.page)

    @property
    def done(self) -> bool:
        """Whether every block that can run here has run and passed."""
        runnable = {b.index for b in self.page.blocks if b.runs} - self.skipped.keys()
        return self.failed_at is None and runnable == self.results.keys()

    def record(self) -> Path:
        """Write this run into the page's record, and its recorded output, and return the path.

        Other targets' runs stay, unless they were of other code. It waits for the pages that other
        processes run here.
        """
        with turns.alone(self.page.root):
            return self._record()

    def _record(self) -> Path:
        page, root = self.page, self.page.root
        outputs = self._write_outputs() if self.place.keeps_output else {}
        page = read(root / page.path, root)  # the outputs may have changed it
        file = root / "evidence" / self.place.machine() / "pages" / f"{page.name}.json"
        run = {
            "target": self.target,
            "outcome": "passed",
            **self.place.describe(),
            "blocks": [self._block_record(block) for block in page.blocks],
            "outputs": outputs,
        }
        runs = [run]
        if file.is_file():
            old = evidence.readable(file)  # a damaged record is replaced
            if old and old["sha256"] == page.sha256:
                same = [r for r in old["runs"] if r["target"] == self.target]
                if same and evidence.unchanged(same[0], run):
                    return file  # it says this already, of an earlier day
                runs = [r for r in old["runs"] if r["target"] != self.target] + [run]
        runs.sort(key=lambda r: r["target"])
        record = {
            "schema": evidence.PAGES,
            "page": page.path,
            "sha256": page.sha256,
            "runs": runs,
        }
        evidence.write(file, record)
        return file

    def _block_record(self, block: Block) -> dict:
        result = self.results.get(block.index, {})
        outcome = result.get("outcome", "recorded" if block.language in RECORDED else "not run")
        if not block.runs and block.language not in RECORDED:
            outcome = "shown"
        if outcome in {"compiled", "written"}:
            outcome = self._used(block, outcome) or outcome
        row = {
            "source": block.path,
            "section": block.section,
            "language": block.language,
        }
        row |= {"sha256": block.sha256, "outcome": outcome}
        row |= {key: result[key] for key in ("for", "seconds") if key in result}
        if block.index in self.skipped:
            row["reason"] = self.skipped[block.index]
        elif result:
            row |= self._ran(block)
        return row

    def _ran(self, block: Block) -> dict:
        """Return which of a block's lines ran, and which of its kernels were launched.

        ``lines``: how many ran, of how many that can. ``not_run``: the others, in lines of the
        block. ``parts``: the same of parts of lines. ``idle``: those left out by lines that ran.
        """
        language, result = self.project.languages[block.language], self.results.get(block.index, {})
        if "traced" in result and (can := language.lines(block.text)):
            left = sorted(can - result["traced"])
            return {"lines": [len(can) - len(left), len(can)]} | ({"not_run": left} if left else {})
        if block.language == "python" and "file" in block.options:
            return self._ran_as_file(block)
        if not traced(block) or self.run is None:
            return {}
        text = code(block)
        path = str(self.page.root / block.path)
        compiled = self._compiled(block, text)
        there = tracing.executable(text, block.numbers, compiled)
        unrun = sorted(line for line in there if (path, line) not in self.run.lines)
        found: dict[str, Any] = {"lines": [len(there) - len(unrun), len(there)]}
        if unrun:
            found["not_run"] = [block.numbers.index(line) + 1 for line in unrun]
        parts = branches.of(text, block.numbers, compiled)
        if parts:
            ran = {branch for branch in parts if (path, branch) in self.run.parts}
            lines = {line for file, line in self.run.lines if file == path}
            found["parts"] = [len(ran), len(parts)]
            if left := branches.idle(text, block.numbers, parts, ran, lines):
                found["idle"] = [[block.numbers.index(line) + 1, words] for line, words in left]
        kernels = {k: v for k, v in self.run.kernels.items() if f"def {k}(" in block.text}
        if kernels:
            found["kernels"] = kernels
        return found

    def _compiled(self, block: Block, text: str) -> compilers.Names:
        """Return the names whose decorators compile, on this target or for the CPU beside it.

        A function that is compiled beside a simulator counts where each of its block is called.
        """
        blocks, packages = self.page.blocks, self.project.compilers
        names = self.place.compiled(blocks, packages)
        leading = compilers.of_page(blocks, packages)
        beside = leading & self.place.beside
        beside |= compilers.attributes(blocks, leading, self.place.beside)
        if not beside or "unrun" in block.options:
            return names
        called = {
            name_of(node.func)
            for one in blocks
            if traced(one) and one.index in self.results
            for statement in parse(code(one)).body
            if not isinstance(statement, ast.FunctionDef | ast.ClassDef)
            for node in walk(statement)
            if isinstance(node, ast.Call)
        }
        taken = compilers.taken(text, beside)
        return names | beside if taken and taken.keys() <= called else names

    def _ran_as_file(self, block: Block) -> dict:
        """Return which lines of a file ran in the programs that this page started, if any did."""
        name = evidence.digest(block.text + "\n")
        told = [row for result in self.results.values() for row in result.get("ran_lines", ())]
        ran = {int(line) for of, line in told if of == name}
        there = tracing.of_file(block.text, self.project.compilers)
        left = sorted(there - ran)
        found: dict[str, Any] = {"lines": [len(there) - len(left), len(there)]}
        return (found | ({"not_run": left} if left else {})) if ran else {}

    def _used(self, block: Block, outcome: str) -> str | None:
        """Return what became of a file: "passed" where it ran, "read" where it was read alone.

        A command that names a file may have counted its lines: that it ran, a trace tells.
        """
        name, language = block.options["file"], self.project.languages[block.language]
        later = [
            other
            for other in self.page.blocks[block.index + 1 :]
            if self.results.get(other.index, {}).get("outcome") == "passed"
        ]
        opened = any(name in self.results[other.index].get("opened", ()) for other in later)
        external = [o for o in later if self.project.languages[o.language].external]
        written = evidence.digest(block.text + "\n")
        if any(written in self.results[other.index].get("ran", ()) for other in later):
            return "passed"
        if opened and any(language.uses(block, other) for other in later):
            return "passed"
        # A program of the same language names what it imports; of a shell, nobody knows.
        if language.runs and any(
            mentions(o, name) for o in external if o.language == block.language
        ):
            return "passed"
        named = any(mentions(other, name) for other in external)
        read = (opened or named) and outcome == "written" and not language.needs_file
        return "read" if read else None

    def _write_outputs(self) -> dict[str, str]:
        """Keep what blocks printed, for the output blocks after them. The first compiler writes.

        Not in the place of what another machine printed whose outputs the pages show before this
        one's, as long as its run proves this very page.
        """
        outputs: dict[str, str] = {}
        if not self.place.writes_output:
            return outputs
        rank, kept = self.project.rank, set()
        with suppress(PageError):  # a damaged record is replaced
            for run in evidence.Evidence(self.page.root, self.page).runs(self.page):
                if rank(run["machine"]) < rank(self.place.machine()):
                    kept |= set(run.get("outputs", {}).items())
        for block in self.page.blocks:
            if block.language not in RECORDED:
                continue
            # Tabs would come out at other widths: Markdown has its own.
            text = self.results[block.index - 1]["output"].strip("\n").expandtabs(8)
            file = self.page.root / block.path
            if (block.path, block.sha256) not in kept:
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_text(text + "\n", encoding="utf-8")
                outputs[block.path] = evidence.digest(text)
        return outputs


def _uncalled(block: Block) -> str:
    what = f"{block.where}: nothing on {block.page} calls what this block defines"
    mend = 'call it in a block; or say why not on its fence: unrun="reason"'
    return f"{what}. To mend: {mend} ({block.page})."


class _Broken(PageDocument):
    """A page that cannot be read: one example, which fails and says why."""

    mistakes: list[Mistake]

    @classmethod
    def of(cls, path: str, mistakes: list[Mistake]) -> "_Broken":
        document = cls(Path(path).read_text(encoding="utf-8") or "\n", path)
        document.mistakes = mistakes
        document.add(Region(0, 1, None, lambda example: None, {"mistakes": mistakes}))
        return document

    def examples(self):
        for example in Document.examples(self):
            example.line, example.column = self.mistakes[0].line, 1
            yield example

    def evaluate(self, example, evaluator):
        raise SybilFailure(example, "\n".join(map(str, self.mistakes)))


def parse_blocks(document: Document) -> Iterator[Region]:
    """Sybil parser: one region for each block that runs in this process."""
    if not isinstance(document, PageDocument) or document.target is None:
        return
    start = 0
    for block in document.page.blocks:
        if block.runs:
            # Any ordered, disjoint places do: lines come from the block.
            yield Region(start, start + 1, block, lambda example: None, {"block": block})
            start += 1


class Pages(Sybil):
    def identify(self, example: Example) -> str:
        block = example.region.lexemes.get("block")
        return block.where if block else "page"


def sybil(root: Path | None = None) -> Pages:
    """Return the Sybil that collects every page of a project."""
    return Pages(
        parsers=[parse_blocks],
        pattern="*.md",
        excludes=["README.md", "CONTRIBUTING.md"],
        path=str(root or find_root()),
        document_types={".md": PageDocument},
        setup=lambda namespace: namespace.update(__name__="__main__"),
        name="page",
    )


def run_page(file: Path, say=print) -> tuple[bool, PageDocument]:
    """Run one page where you are and say what happens, block by block."""
    document = sybil().parse(file.resolve())
    assert isinstance(document, PageDocument)
    if isinstance(document, _Broken):
        for mistake in document.mistakes:
            say(str(mistake))
        return False, document
    if document.target is None:
        target = running.target_of_process(project.of(document.page.root))
        say(f"{document.page.path} does not run on {target.name}")
        return False, document
    if reason := document.why_not_here():
        say(reason)
        return False, document
    say(f"{document.page.path} on {document.target}")
    for example in document.examples():
        block = example.region.lexemes["block"]
        label = f"  {block.where} ({block.section or 'whole file'})"
        try:
            example.evaluate()
        except SkipTest as skip:
            say(f"{label}: not run, {skip}")
        except SybilFailure as failure:
            say(f"{label}: FAILED\n{failure.result}")
        else:
            result = document.results[block.index]
            say(f"{label}: {result['outcome']} in {result['seconds']:.2f} s")
    for block in document.page.blocks:
        if "shown" in block.options:
            say(f"  {block.where}: only shown, {block.options['shown']}")
    return document.done, document

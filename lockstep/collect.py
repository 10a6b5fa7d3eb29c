"""Sybil's side of the machine: a page as a document, its blocks as examples, a run as a record."""

import tempfile
import time
from pathlib import Path
from unittest import SkipTest

from sybil import Document, Region, Sybil
from sybil.example import Example, SybilFailure

from lockstep import environment, evidence, languages
from lockstep.page import RECORDED, Block, Mistake, Page, PageError, find_root, mentions, read


class PageDocument(Document):
    """A Markdown page whose text is the expanded page, run block by block in one namespace."""

    page: Page | None = None
    target: str | None = None  # None: this page does not run in this process

    @classmethod
    def parse(cls, path, *parsers, encoding="utf-8"):
        root = find_root(Path(path).parent)
        try:
            page = read(Path(path), root)
        except PageError as error:
            return _Broken.of(str(path), error.mistakes)
        document = cls("\n".join(page.expanded) + "\n", str(path))
        document.page = page
        document.target = languages.target_here(page, languages.default_target())
        document.skipped = languages.gpu_only(page) if document.target in CPU else {}
        document.failed_at = None
        document.results = {}
        document.folder = None
        for parser in parsers:
            for region in parser(document):
                document.add(region)
        return document

    def examples(self):
        for example in super().examples():
            example.line, example.column = example.region.lexemes["block"].page_line, 1
            yield example

    def evaluate(self, example: Example, evaluator) -> None:
        __tracebackhide__ = True
        block = example.region.lexemes["block"]
        if reason := self.why_not_here():
            raise SkipTest(reason)
        if block.index in self.skipped:
            raise SkipTest(f"needs a GPU: {self.skipped[block.index]}")
        if self.failed_at:
            raise SkipTest(f"{self.failed_at} of this page failed")
        if self.folder is None:
            self.folder = tempfile.TemporaryDirectory(prefix="lockstep-")
        start = time.perf_counter()
        try:
            result = languages.run_block(
                block,
                self.namespace,
                Path(self.folder.name),
                self.page.root,
                self.target,
            )
        except languages.Failed as failure:
            self.failed_at = block.where
            raise SybilFailure(example, f"{failure}\non {block.page}:{block.page_line}") from None
        result["seconds"] = round(time.perf_counter() - start, 3)
        self.results[block.index] = result

    def why_not_here(self) -> str | None:
        """Return why this page cannot run on this machine at all, or None."""
        return languages.too_small_for(self.page) if self.target in languages.GPU_TARGETS else None

    @property
    def done(self) -> bool:
        """Whether every block that can run here has run and passed."""
        runnable = {b.index for b in self.page.blocks if b.runs} - self.skipped.keys()
        return self.failed_at is None and runnable == self.results.keys()

    def record(self) -> Path:
        """Write this run into the page's record, and its recorded output, and return the path.

        Other targets' runs stay, unless they were of other code.
        """
        page, root = self.page, self.page.root
        outputs = self._write_outputs() if self.target in languages.GPU_TARGETS else {}
        page = read(root / page.path, root)  # the outputs may have changed it
        machine = environment.machine() if self.target in languages.GPU_TARGETS else "cpu"
        if self.target == "cpu" and environment.gpus():
            machine = environment.machine()
        file = root / "evidence" / machine / "pages" / f"{page.name}.json"
        run = {
            "target": self.target,
            "outcome": "passed",
            **environment.describe(),
            "blocks": [self._block_record(block) for block in page.blocks],
            "outputs": outputs,
        }
        if self.target in CPU:  # a run on a CPU says so, whatever else the machine has
            run["device"] = {"name": run["device"]["name"], "count": 0}
        runs = [run]
        if file.is_file():
            old = evidence.readable(file)  # a damaged record is replaced
            if old and old["sha256"] == page.sha256:
                runs = [r for r in old["runs"] if r["target"] != self.target] + [run]
        runs.sort(key=lambda r: r["target"])
        record = {
            "schema": evidence.SCHEMA,
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
        if outcome in {"compiled", "written"} and self._used(block):
            outcome = "passed"  # a later block loaded this file and passed
        row = {
            "source": block.path,
            "section": block.section,
            "language": block.language,
        }
        row |= {"sha256": block.sha256, "outcome": outcome}
        row |= {key: result[key] for key in ("for", "seconds") if key in result}
        if block.index in self.skipped:
            row["reason"] = self.skipped[block.index]
        return row

    def _used(self, block: Block) -> bool:
        """Whether a later block that passed read this file, or is a command that names it."""
        name = block.options["file"]
        return any(
            name in self.results.get(later.index, {}).get("opened", ())
            or (
                later.language == "bash"
                and mentions(later, name)
                and self.results.get(later.index, {}).get("outcome") == "passed"
            )
            for later in self.page.blocks[block.index + 1 :]
        )

    def _write_outputs(self) -> dict[str, str]:
        """Keep what blocks printed, for the output blocks after them. The first compiler writes."""
        outputs = {}
        for block in self.page.blocks:
            if block.language not in RECORDED:
                continue
            # Tabs would come out at other widths: Markdown has its own.
            text = self.results[block.index - 1]["output"].strip("\n").expandtabs(8)
            file = self.page.root / block.path
            if self.target != "numba-cuda-mlir":
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_text(text + "\n", encoding="utf-8")
                outputs[block.path] = evidence.digest(text)
        return outputs


CPU = languages.CPU_TARGETS


class _Broken(PageDocument):
    """A page that cannot be read: one example, which fails and says why."""

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


def parse_blocks(document: PageDocument):
    """Sybil parser: one region for each block that runs in this process."""
    if document.target is None:
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


def sybil() -> Pages:
    """Return the Sybil that collects every page under docs/."""
    return Pages(
        parsers=[parse_blocks],
        pattern="*.md",
        excludes=["README.md", "CONTRIBUTING.md"],
        path=str(find_root()),
        document_types={".md": PageDocument},
        setup=lambda namespace: namespace.update(__name__="__main__"),
        name="page",
    )


def run_page(file: Path, say=print) -> tuple[bool, PageDocument]:
    """Run one page where you are and say what happens, block by block."""
    document = sybil().parse(file.resolve())
    if isinstance(document, _Broken):
        for mistake in document.mistakes:
            say(str(mistake))
        return False, document
    if document.target is None:
        say(f"{document.page.path} does not run on {languages.default_target()}")
        return False, document
    if reason := document.why_not_here():
        say(reason)
        return False, document
    document.namespace["__name__"] = "__main__"
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

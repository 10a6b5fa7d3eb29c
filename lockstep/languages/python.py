"""Python: a block of a page runs in the page's one namespace, as a script or as a doctest."""

import ast
import contextlib
import doctest
import sys
import traceback
from collections.abc import Iterator
from pathlib import Path
from types import CodeType

from lockstep.block import Block
from lockstep.intact import patched
from lockstep.languages.base import Complaint, Failed, Header, Language, Setting
from lockstep.printed import Printed

EXACT = doctest.DONT_ACCEPT_TRUE_FOR_1


class Python(Language):
    """``hints`` adds to the message of a module that is missing how to install it."""

    name = "python"
    runs = True

    def __init__(self, hints: dict[str, str] | None = None):
        super().__init__()
        self.hints = hints or {}

    def write(self, block: Block, setting: Setting) -> dict:
        compiled(block, setting.root)
        return {"outcome": "written"}

    def run(self, block: Block, setting: Setting) -> str:
        code = compiled(block, setting.root)
        setting.watch(code)
        try:
            exec(code, setting.namespace)
        except KeyboardInterrupt:
            raise
        except BaseException as error:  # SystemExit too: a block that ends Python proves nothing
            raise Failed(self._explain(error, block, setting.root)) from error
        return ""

    def _explain(self, error: BaseException, block: Block, root: Path) -> str:
        """Say which line of the sources failed, and what a contributor can do about it."""
        frames = traceback.extract_tb(error.__traceback__)
        ours = [f for f in frames if f.filename.startswith(str(root / block.path))]
        where = f"{block.path}:{ours[-1].lineno}" if ours else block.where
        message = f"{where}: {type(error).__name__}: {error}"
        if isinstance(error, ModuleNotFoundError):
            message += f"\nInstall it, for example with: pip install {error.name}"
            message += self.hints.get(error.name or "", "")
        if isinstance(error, NameError):
            message += "\nThe page must show the block that defines it before this one."
        return message


def compiled(block: Block, root: Path) -> CodeType:
    """Compile a block under the name and the line numbers of the file that it came from."""
    numbered = [""] * (block.numbers[-1] if block.numbers else 0)
    for number, text in zip(block.numbers, block.text.split("\n"), strict=True):
        numbered[number - 1] = text
    try:
        return compile("\n".join(numbered), str(root / block.path), "exec", dont_inherit=True)
    except SyntaxError as error:
        raise Failed(f"{block.path}:{error.lineno}: {error.msg}") from None


class Pycon(Language):
    """A doctest: its output must match to the space."""

    name = "pycon"
    runs = True

    def check_header(self, header: Header) -> Iterator[Complaint]:
        yield from super().check_header(header)
        if "doctest:" in header.text:
            what = "a doctest directive, which can skip what it shows"
            yield what, "take # doctest: ... out"

    def run(self, block: Block, setting: Setting) -> str:
        """Run the examples and report of each what it printed and which error ended it."""
        examples = doctest.DocTestParser().get_examples(block.text)
        path, display = str(setting.root / block.path), sys.displayhook
        printed = setting.printed or Printed()
        sys.displayhook = sys.__displayhook__
        try:
            for example in examples:
                error = None
                try:
                    with contextlib.redirect_stdout(printed.stream):
                        code = _single(example, block, path)
                        setting.watch(code)
                        exec(code, setting.namespace)
                except KeyboardInterrupt:
                    raise
                except BaseException as raised:
                    kind = type(raised)
                    error = "".join(traceback.format_exception_only(kind, raised))
                if replaced := patched(printed.stream):
                    raise Failed(f"{block.where}: {replaced}. To mend: take that out")
                setting.told.append([printed.take(), error])
        finally:
            sys.displayhook = display
        return ""

    def compare(self, block: Block, told: list) -> None:
        examples = doctest.DocTestParser().get_examples(block.text)
        if not examples:
            raise Failed(f"{block.where}: a pycon block without >>> examples")
        if len(told) != len(examples):
            raise Failed(f"{block.where}: {len(told)} of {len(examples)} examples ran")
        wrong = []
        for example, (printed, error) in zip(examples, told, strict=True):
            where = f"{block.path}:{block.numbers[example.lineno]}: {example.source.rstrip()}"
            if error is not None and example.exc_msg is None:
                wrong.append(f"{where}\n{error.rstrip()}")
                continue
            raised = error is not None
            want, got = (example.exc_msg or "", error) if raised else (example.want, printed)
            # Not even 1 for True, which doctest takes for the same.
            if not doctest.OutputChecker().check_output(want, got, EXACT):
                wrong.append(f"{where}\nexpected: {want.rstrip()}\n     got: {got.rstrip()}")
        if wrong:
            raise Failed("\n".join(wrong))


def _single(example: doctest.Example, block: Block, path: str) -> CodeType:
    """Compile an example as the prompt does, under the lines of the file that it came from."""
    tree = ast.parse(example.source, path, "single")
    ast.increment_lineno(tree, block.numbers[example.lineno] - 1)
    return compile(tree, path, "single", dont_inherit=True)

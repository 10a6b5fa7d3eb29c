"""The judge apart from the judged: ``mkdocs build`` says with it what it says without it.

A small project is built as anybody builds one, by the command, since nothing else asks for it.
"""

import os
import signal
import subprocess
import sys

import pytest

from tests.test_last import SETTINGS

INSIDE = "apart.wanted = lambda: False"
# A job in the background starts with SIGINT ignored, and hands that on.
START = "import os, signal, sys; signal.signal(signal.SIGINT, signal.default_int_handler)\n"
START += "from lockstep.mkdocs import apart; {change}\n"
START += "from mkdocs.__main__ import cli; sys.argv = ['mkdocs', 'build', '--strict', '-q']; cli()"
PAGE = "---\ntitle: {0}\ndescription: It adds.\nkind: other\n---\n# {0}\n\nIt reaches {1}.\n\n"
PAGE += '```python\n--8<-- "code/sum.py"\n```\n'
HTML = {"docs/a.md": PAGE.format("A", "the end"), "docs/b.md": PAGE.format("B", "312 GB/s")}
HTML["docs/c.md"] = PAGE.format("C", "4.2 TB/s")
CODE = HTML | {"code/sum.py": "# coding: latin-1\n" + SETTINGS["code/sum.py"]}


@pytest.fixture
def start(tmp_path):
    """Returns a function that starts a build. ``change``: of the judge, before that."""

    def begin(change="", files=()):
        for name, text in (SETTINGS | dict(files)).items():
            (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / name).write_text(text, encoding="utf-8")
        command = [sys.executable, "-c", START.format(change=change or "pass")]
        pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT, "text": True}
        return subprocess.Popen(
            command, cwd=tmp_path, env={**os.environ, "LOCKSTEP_DRAFT": ""}, **pipes
        )

    return begin


def ended(build):
    return build.communicate()[0], build.returncode


@pytest.mark.parametrize(
    ("files", "place"),
    [(CODE, "code/sum.py:1: a source in latin-1"), (HTML, "docs/b.md:8: '312 GB/s'")],
    ids=["code", "HTML"],
)
def test_a_refusal_is_the_same_with_it_and_without(start, tmp_path, files, place):
    # Of a process that looks at nothing nobody could tell whether it was asked.
    blind = "apart._judged = lambda site, texts: ([], None, len(list(iter(texts.get, None))))"
    assert ended(start(blind, files))[1] == 0
    said, code = ended(start(files=files))
    assert code == 1 and place in said and "TB/s" not in said
    assert not list((tmp_path / "site").rglob("*.html"))
    assert (said, code) == ended(start(INSIDE, files))


def test_what_is_wrong_with_code_is_said_before_what_ends_the_build(start):
    said, code = ended(start(files=CODE | {"docs/a.md": PAGE.format("A", "[[bench:no.key]]")}))
    assert code == 1 and said.index("a source in latin-1") < said.index("docs/a.md:8: ")


@pytest.mark.parametrize(
    ("does", "words"),
    [
        ("os.kill(os.getpid(), signal.SIGKILL)", r"without a verdict (exit code -9)"),
        ("os._exit(0)", r"without a verdict (exit code 0)"),
        ("1 / 0", "ZeroDivisionError: division by zero"),
        ("([], None, 0)", "without a verdict"),
    ],
    ids=["is killed", "ends", "fails", "looks at no page"],
)
def test_a_judge_without_a_verdict_fails_the_build(start, tmp_path, does, words):
    said, code = ended(start(f"apart._judged = lambda site, texts: {does}"))
    assert code == 1 and words in said
    assert not list((tmp_path / "site").rglob("*.html"))


@pytest.mark.parametrize("end", [signal.SIGINT, signal.SIGKILL], ids=["Ctrl+C", "killed"])
def test_it_ends_with_the_build(start, end):
    build = start("apart._judged = lambda *_: (print('here', flush=True), signal.pause())")
    with build:
        assert build.stdout.readline() == "here\n"
        build.send_signal(end)
        build.stdout.read()  # which ends when no process is left that could write
        assert build.wait() != 0

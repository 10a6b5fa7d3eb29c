"""The pages use the field's words: terms that a reader can search for, and no private ones.

So does the code that they show, with its comments, docstrings and names; what an exercise asks, how
it hints, and what its check says of an answer; and the data that pages are drawn from.
"""

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
DOCS = ROOT / "docs"
# What readers of the first lessons stumbled over, and what the field says.
PRIVATE = {
    r"under way": "in flight",
    r"\bmend(s|ed|ing)?\b": "fix",
    r"to and fro": "in serpentine order, back and forth",
    r"the work alone": "nothing else is timed",
    r"a step to the side": "an offset",
    r"at the end of this page": "what the reader will be able to do, first",
    r"test of this site": "what catches the mistake",
    r"(do|does) not know why|don't know why|not know what": "a hypothesis, and what would test it",
    r"helps nothing": "won't help",
    r"turned[_ ](tile|matrix|before)": "transposed",
    r"(is|are|stays?|lies?) at hand": "available, cached",
    r"ways that it seldom": "branches that rarely run",
}
ALLOWED = re.compile(r"`[^`]*`|\]\([^)]*\)|<[^>]*>")
PAGES = sorted(p for p in DOCS.rglob("*.md") if not {"assets", "contribute"} & set(p.parts))
WRITTEN = {
    *(".py", ".cu", ".cuh", ".h", ".cpp", ".hip", ".metal", ".wgsl", ".mlir", ".sh", ".yml"),
    *(".js", ".ts", ".rs", ".jl", ".mojo", ".swift"),
}
AUTHORS = "To mend: "  # so ends what the house's own tools say to who writes a page


def found(text: str) -> list[tuple[int, str, str]]:
    """Return (line, what stands there, what to say) for each private word in prose."""
    body, hits = (
        re.sub(r"\A---\n.*?\n---\n", lambda m: "\n" * m[0].count("\n"), text, flags=re.S),
        [],
    )
    for number, line in enumerate(body.splitlines(), start=1):
        plain = ALLOWED.sub("", line)
        for pattern, instead in PRIVATE.items():
            if match := re.search(
                rf"(?i)\b(?:{pattern})(?![a-z])" if pattern[0].isalpha() else f"(?i){pattern}",
                plain,
            ):
                hits.append((number, match[0], instead))
    return hits


@pytest.mark.parametrize("page", PAGES, ids=lambda p: p.relative_to(DOCS).as_posix())
def test_no_private_words(page):
    hits = found(page.read_text(encoding="utf-8"))
    lines = [
        f"{page.relative_to(DOCS)}:{line}: {word!r}. To fix: say {instead}."
        for line, word, instead in hits
    ]
    assert not lines, "\n".join(lines)


def said(path: Path) -> str:
    """Return a file's words: all of it, or what a program says where readers don't see its code."""
    text = path.read_text(encoding="utf-8")
    if path.name != "grade.py":
        return text.replace(AUTHORS, "") if path.parts[-2] == "diagrams" else text
    tree = ast.parse(text)
    docstrings = {
        id(node.body[0].value)
        for node in ast.walk(tree)
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef)
        and isinstance(node.body[0], ast.Expr)
    }
    return "\n".join(
        node.value.replace(AUTHORS, "")
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant)
        and isinstance(node.value, str)
        and id(node) not in docstrings
    )


def test_no_private_words_in_code_and_data_that_readers_see():
    folders = (ROOT / "kernels", ROOT / "snippets", DOCS)
    files = [p for folder in folders for p in folder.rglob("*") if p.suffix in WRITTEN]
    files = [p for p in files if not {"library", "assets", "contribute"} & set(p.parts)]
    hits = [
        (path.relative_to(ROOT).as_posix(), *hit)
        for path in (*sorted(files), ROOT / "simulator/grade.py")
        for hit in found(said(path))
    ]
    lines = [f"{path}:{n}: {word!r}. To fix: say {instead}." for path, n, word, instead in hits]
    assert not hits, "\n".join(lines)


def test_private_words_are_seen():
    assert [w for _, w, _ in found("Loads are under way. The mend is this.")] == [
        "under way", "mend",
    ]  # fmt: skip
    assert not found("It is turned on, `under way` so, and amended.")

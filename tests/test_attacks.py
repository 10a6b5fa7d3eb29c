"""Somebody wants to break the promise: each recipe of tests/attacks/ is refused, and helpfully.

A recipe is a small page, or a page and a file. It names the place that the refusal must point at,
and words that say how to mend it. What each key means: tests/attacks/README.md. The recipes run
against the core, in a folder with one honest page and one honest module.
"""

import os
import shutil
import warnings
from pathlib import Path

import markdown
import pytest
import yaml
from mkdocs.config import load_config

from lockstep import collect, evidence, reviewed
from lockstep import site as pages
from lockstep.check import Checker
from lockstep.mistakes import PageError
from lockstep.page import digest, find_root, read, read_all
from tests.houses import settle

ROOT = find_root()
CLASSES = {
    file.stem: yaml.safe_load(file.read_text(encoding="utf-8"))
    for file in sorted((ROOT / "tests/attacks").glob("*.yml"))
}
ATTACKS = [
    pytest.param(attack, id=f"{name}: {attack['name']}")
    for name, group in CLASSES.items()
    for attack in group["attacks"]
]
KERNEL = '''"""A module."""

# --8<-- [start:imports]
import math

# --8<-- [end:imports]


# --8<-- [start:host]
def area(r):
    """Return the area of a circle.

    --8<-- [start:example]
    >>> round(area(1), 2)
    3.14

    --8<-- [end:example]
    """
    return math.pi * r * r


# --8<-- [end:host]
'''
FENCE = '```{header}\n--8<-- "kernels/circle.py:{name}"\n```\n\n'
GOOD = FENCE.format(header="python", name="imports") + FENCE.format(header="python", name="host")
GOOD += FENCE.format(header="pycon", name="example")
SUFFIXES = {"python": "py", "pycon": "txt", "cuda": "cu", "bash": "sh", "text": "log"}
SUFFIXES |= {"console": "log"}
META = {"title": "A page", "description": "It has code.", "kind": "other"}


@pytest.fixture(scope="module")
def house(tmp_path_factory):
    """A tiny project, and a converter of Markdown as the site sets it up. Returns both."""
    root = tmp_path_factory.mktemp("house")
    config = load_config(str(ROOT / "mkdocs.yml"))
    options = dict(config.mdx_configs or {})
    options["pymdownx.snippets"] = options["pymdownx.snippets"] | {"base_path": [str(root)]}
    options["lockstep.markdown"] = {"root": str(root)}
    settle(root)
    (root / "docs").mkdir()
    before = Path.cwd()
    os.chdir(root)
    names = config.markdown_extensions
    converter = markdown.Markdown(extensions=names, extension_configs=options)
    yield root, converter, Checker(root)
    os.chdir(before)


def plant(root: Path, attack: dict) -> Path:
    """Write the files of a recipe, and return its page."""
    for folder in ("docs", "kernels", "snippets", "evidence", "overrides"):
        shutil.rmtree(root / folder, ignore_errors=True)
        if folder != "overrides":
            (root / folder).mkdir()
    (root / "kernels/circle.py").write_text(KERNEL)
    (root / "mkdocs.yml").write_text("site_name: x\n", encoding="utf-8")
    body = attack.get("body", "")
    for language, suffix in SUFFIXES.items():
        if language in attack:
            text = attack[language].replace("{root}", str(root))
            (root / f"kernels/a.{suffix}").write_text(text, encoding="utf-8")
            header = f"{language} {attack.get('fence', FILES.get(language, ''))}".strip()
            name = f"kernels/a.{suffix}" + (f":{attack['section']}" if "section" in attack else "")
            body += f'```{header}\n--8<-- "{name}"\n```\n\n'
            if language == "cuda":
                body += '```python\n--8<-- "kernels/load.py"\n```\n'
                (root / "kernels/load.py").write_text('source = open("a.cu").read()\n')
    for name, text in attack.get("files", {}).items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text, encoding="utf-8")
    if attack.get("evidence"):
        evidence.write(root / "evidence/nvidia-x/microbenchmarks/copy.json", MEASURED)
    body = body.replace("{good}", GOOD).replace("{shown5}", SHOWN5)
    meta = META if "meta" not in attack else None
    if attack.get("meta"):
        meta = "\n".join(
            f"{key}: {value}"
            for key, value in META.items()
            if not attack["meta"].startswith(f"{key}:")
        )
        meta = f"{meta}\n{attack['meta']}"
    elif meta:
        meta = "\n".join(f"{key}: {value}" for key, value in META.items())
    start = f"---\n{meta}\n---\n" if meta else ""
    file = root / "docs/page.md"
    title = attack.get("title", "# A page")
    file.write_text(f"{start}{title}\n\n{body}\n", encoding="utf-8")
    return file


MEASURED = {
    "schema": evidence.SCHEMA,
    "script": "kernels/circle.py",
    "sources": {"kernels/circle.py": digest(KERNEL)},
    "device": {"name": "NVIDIA X", "compute_capability": "9.0", "count": 1},
    "packages": {},
    "python": "3.11.7",
    "date": "2026-01-01",
    "rows": [
        {
            "id": "copy",
            "kernel": "kernels/circle.py",
            "sha256": digest(KERNEL),
            "unit": "GB/s",
            "value": 4240.0,
            "what": "a copy of 4096 x 4096 elements",
            "times_memcpy": 0.98,
            "method": "a median",
        }
    ],
}
FILES = {"cuda": 'file="a.cu"'}
SHOWN5 = '```bash shown="installs"\n--8<-- "kernels/circle.py:host"\n```\n\n' * 5


def refusals(root: Path, converter, checker: Checker, file: Path) -> list[str]:
    """Return all that the core says of a project: reading, rendering, running, proving."""
    said = [str(mistake) for mistake in reviewed.check(root)]
    try:
        read_all(root)
    except PageError as error:
        return said + [str(mistake) for mistake in error.mistakes]
    page = read(file, root)
    pages.forget()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            converter.reset().convert(page.body)
    except PageError as error:
        return said + [str(mistake) for mistake in error.mistakes]
    if said:
        return said
    lines: list[str] = []
    done, document = collect.run_page(file, lines.append)
    if not done:
        return lines
    checker.__dict__.pop("records", None)
    for check in (checker.declared, checker.head, checker.fits):
        said += [str(mistake) for mistake in check(page)]
    said += [str(mistake) for mistake in checker.data([page])]
    if page.blocks:
        document.record()
    checker.__dict__.pop("records", None)
    said += [str(mistake) for mistake in checker.covered(page)]
    return said + [str(problem) for problem in evidence.Evidence(root).problems(read_all(root))]


@pytest.mark.parametrize("attack", ATTACKS)
def test_an_attack_is_refused_with_place_and_mend(house, attack):
    root, converter, checker = house
    said = refusals(root, converter, checker, plant(root, attack))
    assert said, "nothing was refused"
    assert any(attack["says"] in line and str(attack["fix"]) in line for line in said), said
    assert "pycon" in attack or not any("Traceback (most" in line for line in said), said


def test_the_honest_page_passes(house):
    """Else each of the others would be refused for nothing."""
    root, converter, checker = house
    assert refusals(root, converter, checker, plant(root, {"body": "{good}"})) == []


def test_there_are_many_attacks_of_many_classes():
    assert len(ATTACKS) >= 150 and len(CLASSES) >= 20
    assert len({param.id for param in ATTACKS}) == len(ATTACKS)


def test_the_files_of_this_site_are_reviewed():
    """Scripts, styles and templates as somebody read them: python -m lockstep review."""
    assert [str(mistake) for mistake in reviewed.check(ROOT)] == []

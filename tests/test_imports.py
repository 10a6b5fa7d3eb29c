"""What a figure depends on: its sources, what they import, the packages around them."""

import json

from lockstep import evidence, imports
from lockstep.page import digest

RECORD = {
    "schema": evidence.SCHEMA,
    "script": "benchmarks/area.py",
    "device": {"name": "X", "count": 1},
    "packages": {},
    "python": "3.11.7",
    "date": "2026-01-01",
}
SCRIPT = "from kernels.round.circle import area\n\narea(1)\n"
KERNEL = "from .unit import pi\n\n\ndef area(r):\n    return pi * r * r\n"


def house(tmp_path):
    """Return a project with a benchmark, a kernel in a package and its import, and the record."""
    texts = {
        "mkdocs.yml": "site_name: x\n",
        "docs/index.md": "",
        "benchmarks/area.py": SCRIPT,
        "kernels/__init__.py": "",
        "kernels/round/__init__.py": '"""Round things."""\n',
        "kernels/round/circle.py": KERNEL,
        "kernels/round/unit.py": "pi = 3\n",
    }
    for path, text in texts.items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(text)
    kernel = "kernels/round/circle.py"
    row = {"id": "area", "kernel": kernel, "sha256": digest(KERNEL), "unit": "us", "value": 1.0}
    sources = {"benchmarks/area.py": digest(SCRIPT), kernel: digest(KERNEL)}
    return RECORD | {"sources": sources, "rows": [row]}


def stale(root):
    return [str(problem) for problem in evidence.Evidence(root).problems([])]


def test_a_record_holds_what_its_sources_bring_with_them(tmp_path):
    record = house(tmp_path)
    file = tmp_path / "evidence/x/microbenchmarks/area.json"
    evidence.write(file, record)
    # A relative import, which the script's own list had left out; no package without statements.
    assert json.loads(file.read_text())["sources"].keys() == {
        "benchmarks/area.py", "kernels/round/circle.py", "kernels/round/unit.py",
    }  # fmt: skip
    assert stale(tmp_path) == []
    (tmp_path / "kernels/round/unit.py").write_text("pi = 4\n")
    assert "stale" in stale(tmp_path)[0]


def test_a_package_that_comes_to_do_something_makes_its_figures_stale(tmp_path):
    record = house(tmp_path)
    file = tmp_path / "evidence/x/microbenchmarks/area.json"
    evidence.write(file, record)
    package = tmp_path / "kernels/round/__init__.py"
    package.write_text('"""Round things, said otherwise."""\n')
    assert stale(tmp_path) == []
    package.write_text("from kernels.round import unit\n\nunit.pi = 0\n")
    assert "benchmarks/area.py" in stale(tmp_path)[0]
    evidence.write(file, record)  # measured again: now the record holds the package, too
    assert stale(tmp_path) == []
    package.write_text("import math\n")
    assert stale(tmp_path)


def test_other_records_hold_the_packages_around_their_sources(tmp_path):
    house(tmp_path)
    (tmp_path / "kernels/__init__.py").write_text("import math\n")
    found = imports.depends(tmp_path, {"sources": {"kernels/round/circle.py": ""}})
    assert found == {"kernels/__init__.py"}

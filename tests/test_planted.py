"""Planted violations: each is refused with file, line and how to mend it."""

import contextlib
import io
import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from types import SimpleNamespace

import pytest

from lockstep import check, cli, collect, evidence
from lockstep.page import PageError, read, read_all
from lockstep_site.gpu import machine
from lockstep_site.gpu.needs import gpu_only
from tests.houses import settle

ROOT = Path(__file__).parents[1]

META = "---\ntitle: A page\ndescription: It has code.\nkind: other\n---\n"
KERNEL = '''"""A module."""

# --8<-- [start:imports]
import math

# --8<-- [end:imports]


# --8<-- [start:host]
def area(r):
    """Return the area of a circle.

    --8<-- [start:example]
    >>> area(0)
    0.0
    >>> round(area(1), 2)
    3.14

    --8<-- [end:example]
    """
    return math.pi * r * r


# --8<-- [end:host]
'''
INCLUDES = ["imports", "host"]
GOOD = "".join(f'```python\n--8<-- "kernels/circle.py:{name}"\n```\n\n' for name in INCLUDES)
GOOD += '```pycon\n--8<-- "kernels/circle.py:example"\n```\n'


@pytest.fixture
def house(tmp_path, monkeypatch):
    """A tiny repository with one page and one module. Returns a function that plants a page."""
    settle(tmp_path)
    (tmp_path / "kernels").mkdir()
    (tmp_path / "snippets").mkdir()
    (tmp_path / "docs").mkdir()
    (tmp_path / "kernels/circle.py").write_text(KERNEL)
    monkeypatch.chdir(tmp_path)

    def plant(body, meta=META):
        file = tmp_path / "docs/page.md"
        file.write_text(meta + body)
        return file

    plant.root = tmp_path
    return plant


def mistakes(house, body, meta=META):
    with pytest.raises(PageError) as refused:
        read(house(body, meta), house.root)
    return [str(mistake) for mistake in refused.value.mistakes]


def run(house, file):
    said = []
    done, document = collect.run_page(file, said.append)
    return done, "\n".join(said), document


def test_a_right_page_is_read_and_runs(house):
    done, said, _ = run(house, house(GOOD))
    assert done, said


# What is planted, and what the refusal must say. The body begins on line 6 of the page.
REFUSED = {
    "typed fence": ("Text.\n\n```python\nprint(1)\n```\n", "docs/page.md:9:", "kernels/"),
    "typed tilde fence": ("~~~python\nprint(1)\n~~~\n", "docs/page.md:7:", "include it"),
    "an extra line": (
        '```python\n--8<-- "kernels/circle.py:imports"\nprint(1)\n```\n',
        "docs/page.md:7:",
        "one include line",
    ),
    "raw pre": ("A\n\n<pre><code>x = 1</code></pre>\n", "docs/page.md:8:", "move code to kernels/"),
    "code element": ("<code>x = 1<br>y = 2</code>\n", "docs/page.md:6:", "move code"),
    "a code element over lines": ("<code>x = 1\ny = 2</code>\n", "docs/page.md:6:", "move code"),
    "spans with breaks": ("`x = 1`<br>`y = 2`\n", "docs/page.md:6:", "move code"),
    "xmp": ("<xmp>x = 1</xmp>\n", "docs/page.md:6:", "move code"),
    "styled as code": ('<div style="white-space:pre">x</div>\n', "docs/page.md:6:", "move code"),
    "a frame": ('<iframe srcdoc="x"></iframe>\n', "docs/page.md:6:", "move code"),
    "a script in a link": ('<a href="javascript:x()">x</a>\n', "docs/page.md:6:", "move code"),
    "a marker in prose": ("Use # --8<-- [start:x] here.\n", "docs/page.md:6:", "&#45;"),
    "line-range include": (
        '```python\n--8<-- "kernels/circle.py:3:7"\n```\n',
        "docs/page.md:7:",
        "name a section",
    ),
    "include outside a fence": ('--8<-- "kernels/circle.py:host"\n', "docs/page.md:6:", "inside"),
    "no such section": (
        '```python\n--8<-- "kernels/circle.py:kernel"\n```\n',
        "kernels/circle.py:1:",
        "there are: example, host, imports",
    ),
    "no such file": (
        '```python\n--8<-- "kernels/square.py"\n```\n',
        "kernels/square.py:1:",
        "page.md:7",
    ),
    "another folder": ('```python\n--8<-- "docs/page.md"\n```\n', "docs/page.md:7:", "kernels/"),
    "a way out": ('```python\n--8<-- "kernels/../x.py"\n```\n', "docs/page.md:7:", "not under"),
    "no language": ('```\n--8<-- "kernels/circle.py:host"\n```\n', "docs/page.md:6:", "language"),
    "unknown language": (
        '```pyhton\n--8<-- "kernels/circle.py:host"\n```\n',
        "docs/page.md:6:",
        "use one of",
    ),
    "unproved shell": (
        '```bash\n--8<-- "kernels/circle.py:host"\n```\n',
        "docs/page.md:6:",
        'shown="reason"',
    ),
    "shown without a reason": (
        '```bash shown=" "\n--8<-- "kernels/circle.py:host"\n```\n',
        "docs/page.md:6:",
        "write the reason",
    ),
    "open fence": ('```python\n--8<-- "kernels/circle.py:host"\n', "docs/page.md:6:", "close it"),
    "a file nobody loads": (
        '```cuda file="x.cu"\n--8<-- "kernels/circle.py:host"\n```\n',
        "docs/page.md:6:",
        'open("x.cu")',
    ),
    "a file named inside another word": (
        '```python file="x"\n--8<-- "kernels/circle.py:imports"\n```\n\n'
        '```python\n--8<-- "kernels/circle.py:host"\n```\n',
        "docs/page.md:6:",
        'open("x")',
    ),
    "an unknown architecture": (
        '```cuda file="x.cu" arch="sm_91"\n--8<-- "kernels/circle.py:host"\n```\n',
        "docs/page.md:6:",
        'arch="sm_90a"',
    ),
    "output of nothing": (
        '```output\n--8<-- "snippets/output/page/x.txt"\n```\n',
        "snippets/output/page/x.txt:1:",
        "create it",
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_a_violation_is_refused_with_file_line_and_mend(house, name):
    body, where, mend = REFUSED[name]
    said = mistakes(house, body)
    assert any(line.startswith(where) and mend in line for line in said), said
    assert all("To mend: " in line for line in said)


@pytest.mark.parametrize(
    "wrong",
    ["<script>x</script>", "```python\nx = 3\n```", '```text title=x\n--8<-- "kernels/a"\n```'],
)
def test_a_mistake_of_markdown_hides_no_number(house, wrong):
    """Whoever mends the one would be told of the other only then."""
    file = house(f"# A page\n\n{wrong}\n\nIt reaches 97 % of a copy, &#57;&#55; GB/s.\n")
    said = [mistake.what for mistake in check.Checker(house.root).page(file)]
    assert any("'97 %' is typed" in what for what in said), said
    assert any("GB/s' is typed" in what for what in said) and len(said) > 2, said


def test_a_fence_that_nobody_closed_is_said_alone(house):
    file = house('# A page\n\n```python\n--8<-- "kernels/circle.py:host"\n\nIt takes 9 ms.\n')
    said = [mistake.what for mistake in check.Checker(house.root).page(file)]
    assert any("never closed" in what for what in said)
    assert not any("is typed" in what for what in said)


def test_a_figure_that_no_row_has_is_refused(house):
    house("It takes [[micro:circle]] and, as code, `[[micro:square]]`.\n\n" + GOOD)
    found = check.Checker(house.root).page(house.root / "docs/page.md")
    assert [m.what for m in found] == ["no micro row circle (near it: none)"]
    assert found[0].line == len(META.splitlines()) + 1 and "correct the key" in found[0].mend


def test_an_unclosed_section_is_refused(house):
    broken = KERNEL.replace("# --8<-- [end:imports]\n", "")
    (house.root / "kernels/circle.py").write_text(broken)
    said = mistakes(house, GOOD)
    assert said[0].startswith("kernels/circle.py:3: section 'imports' starts at lines [3]"), said


FRONT = {
    "no front matter": ("", "docs/page.md:1:", "start it with ---"),
    "no title": ("---\nkind: other\ndescription: x\n---\n", "docs/page.md:1:", "add title"),
    "unknown kind": (META.replace("other", "poem"), "docs/page.md:4:", "use one of"),
    "unknown key": (META.replace("kind:", "knid: x\nkind:"), "docs/page.md:4:", "use one of"),
    "wrong type": (META.replace("kind:", "gpus: two\nkind:"), "docs/page.md:4:", "give a int"),
    "every compiler excused": (
        META.replace("kind:", "not_on: {numba-cuda: a, numba-cuda-mlir: b}\nkind:"),
        "docs/page.md:4:",
        "name one of numba-cuda",
    ),
    "no reason": (
        META.replace("kind:", "not_on: {numba-cuda: ' '}\nkind:"),
        "docs/page.md:4:",
        "say why",
    ),
    "not YAML": ("---\ntitle: [x\n---\n", "docs/page.md:", "To mend"),
}


@pytest.mark.parametrize("name", FRONT)
def test_front_matter_is_checked(house, name):
    meta, where, mend = FRONT[name]
    said = mistakes(house, GOOD, meta)
    assert any(line.startswith(where) and mend in line for line in said), said


def test_all_mistakes_of_all_pages_are_named_at_once(house):
    house("```python\nprint(1)\n```\n\n```python\nprint(2)\n```\n")
    (house.root / "docs/other.md").write_text("no front matter\n")
    with pytest.raises(PageError) as refused:
        read_all(house.root)
    assert {m.path for m in refused.value.mistakes} == {"docs/page.md", "docs/other.md"}
    assert sum("one include line" in m.what for m in refused.value.mistakes) == 2


def test_a_wrong_expected_output_names_the_kernel_file(house):
    (house.root / "kernels/circle.py").write_text(KERNEL.replace("3.14", "3.15"))
    done, said, _ = run(house, house(GOOD))
    assert not done
    assert "kernels/circle.py:16: round(area(1), 2)\nexpected: 3.15\n     got: 3.14" in said


def test_a_missing_import_names_the_line_that_needs_it(house):
    done, said, _ = run(house, house(GOOD.replace(GOOD[: GOOD.index("\n\n") + 2], "")))
    assert not done
    assert "kernels/circle.py:14: area(0)" in said and "NameError: name 'math'" in said


def test_a_failing_block_stops_its_page(house):
    broken = KERNEL.replace("import math", "import maths_that_is_not_there")
    (house.root / "kernels/circle.py").write_text(broken)
    done, said, document = run(house, house(GOOD))
    assert not done and not document.results
    assert "kernels/circle.py:4: ModuleNotFoundError" in said and "pip install" in said
    assert "not run, kernels/circle.py:4 of this page failed" in said


def test_evidence_is_gone_when_the_code_changes(house):
    file = house(GOOD)
    _, _, document = run(house, file)
    document.record()
    page = read(file, house.root)
    records = evidence.Evidence(house.root)
    assert [proof.level for proof in records.proofs(page)] == ["cpu"] * 3
    assert not records.problems([page])

    changed = KERNEL.replace("math.pi * r * r", "math.pi * r**2")
    (house.root / "kernels/circle.py").write_text(changed)
    page = read(file, house.root)
    records = evidence.Evidence(house.root)
    assert [proof.level for proof in records.proofs(page)] == ["awaiting"] * 3
    (problem,) = records.problems([page])
    assert problem.kind == "stale" and "docs/page.md on cpu" in problem.what
    assert "python -m lockstep run docs/page.md" in problem.mend


def test_prose_may_change_without_a_new_run(house):
    file = house(GOOD)
    _, _, document = run(house, file)
    document.record()
    page = read(house("A new sentence.\n\n" + GOOD), house.root)
    assert not evidence.Evidence(house.root).problems([page])


def test_a_failed_page_leaves_its_old_record(house):
    file = house(GOOD)
    _, _, document = run(house, file)
    record = document.record()
    before = record.read_bytes()
    (house.root / "kernels/circle.py").write_text(KERNEL.replace("3.14", "3.15"))
    code = lockstep(house, "run", "docs/page.md")
    assert code.returncode == 1 and record.read_bytes() == before


def test_a_record_is_written_whole_or_not_at_all(tmp_path):
    file = tmp_path / "evidence/x.json"
    evidence.write(file, {"schema": 1})
    with pytest.raises(TypeError):
        evidence.write(file, {"schema": object()})
    written = json.loads(file.read_text())
    assert written.pop("seal") and written == {"schema": 1}
    assert [p.name for p in file.parent.iterdir()] == ["x.json"]


def lockstep(house, *arguments):
    """What a command says, in this process: what it imports is there."""
    said, wrong = io.StringIO(), io.StringIO()
    target = os.environ.pop("LOCKSTEP_TARGET", None)
    try:
        with contextlib.redirect_stdout(said), contextlib.redirect_stderr(wrong):
            code = cli.main(list(arguments))
    finally:
        if target is not None:
            os.environ["LOCKSTEP_TARGET"] = target
    return SimpleNamespace(returncode=code, stdout=said.getvalue(), stderr=wrong.getvalue())


def in_a_terminal(house, *arguments):
    here = str(Path(collect.__file__).parents[1])
    env = {k: v for k, v in os.environ.items() if k != "LOCKSTEP_TARGET"} | {"PYTHONPATH": here}
    command = [sys.executable, "-m", "lockstep", *arguments]
    return subprocess.run(command, cwd=house.root, env=env, capture_output=True, text=True)


def test_status_counts_and_fails_when_something_is_stale(house):
    house(GOOD)
    done = in_a_terminal(house, "status")
    assert done.returncode == 1 and "missing: docs/page.md on cpu" in done.stdout
    assert in_a_terminal(house, "run", "docs/page.md").returncode == 0
    done = in_a_terminal(house, "status", "--json")
    assert done.returncode == 0
    data = json.loads(done.stdout)
    assert data["total"] == 3 and data["blocks"]["cpu"] == 3 and data["stale"] == []


def test_status_names_a_broken_page(house):
    house("```python\nprint(1)\n```\n")
    done = lockstep(house, "status")
    assert done.returncode == 2 and done.stderr.startswith("docs/page.md:7: ")
    assert "Traceback" not in done.stderr


def test_a_damaged_record_is_named(house):
    house(GOOD)
    lockstep(house, "run", "docs/page.md")
    file = house.root / "evidence/cpu/pages/page.json"
    file.write_text(file.read_text()[:50])
    done = lockstep(house, "status")
    assert done.returncode == 2 and done.stderr.startswith("evidence/cpu/pages/page.json:4: ")
    assert lockstep(house, "run", "docs/page.md").returncode == 0  # the mend that it names
    assert lockstep(house, "status").returncode == 0


def test_no_gpu_is_one_clear_line(house, monkeypatch):
    if machine.gpus():
        monkeypatch.setenv("PATH", "")
    done = in_a_terminal(house, "gpu")
    assert done.returncode == 2
    assert done.stderr.startswith("There is no NVIDIA GPU here") and done.stderr.count("\n") == 1


NVML = r"""
#include <string.h>
#define CALL extern "C" int
#define SAYS(what) { strncpy(text, what, size); return 0; }
CALL nvmlInit_v2() { return 0; }
CALL nvmlShutdown() { return 0; }
CALL nvmlSystemGetDriverVersion(char *text, unsigned size) SAYS("580.1")
CALL nvmlSystemGetCudaDriverVersion_v2(int *version) { *version = 13010; return 0; }
CALL nvmlDeviceGetCount_v2(unsigned *count) { *count = 1; return 0; }
CALL nvmlDeviceGetHandleByIndex_v2(unsigned, void **gpu) { *gpu = gpu; return 0; }
CALL nvmlDeviceGetName(void *, char *text, unsigned size) SAYS("NVIDIA X1")
CALL nvmlDeviceGetCudaComputeCapability(void *, int *a, int *b) { *a = 9; *b = 3; return 0; }
CALL nvmlDeviceGetMemoryInfo(void *, unsigned long long *memory) { *memory = 5ull << 30; return 0; }
"""
ASKS = "from lockstep_site.gpu import machine; print(*machine.gpus(), machine.cuda_version())"


@pytest.mark.skipif(not shutil.which("g++"), reason="needs g++")
def test_the_driver_itself_says_which_gpus_there_are(tmp_path):
    """Not a program named nvidia-smi, which may be anybody's."""
    (tmp_path / "nvml.cpp").write_text(NVML)
    (tmp_path / "nvidia-smi").write_text("#!/bin/sh\necho NVIDIA H200, 9.0, 580.1, 143771\n")
    (tmp_path / "nvidia-smi").chmod(0o755)
    library = str(tmp_path / "libnvidia-ml.so.1")
    subprocess.run(["g++", "-shared", "-fPIC", "nvml.cpp", "-o", library], cwd=tmp_path, check=True)
    env = os.environ | {"PATH": f"{tmp_path}:{os.environ['PATH']}"}
    command = [sys.executable, "-c", ASKS]
    there = env | {"LD_LIBRARY_PATH": str(tmp_path)}
    said = [subprocess.check_output(command, env=e, cwd=ROOT, text=True) for e in (env, there)]
    gpu = {"name": "NVIDIA X1", "compute_capability": "9.3", "driver": "580.1", "memory_mib": 5120}
    assert said[1] == f"{gpu} 13.1\n"
    assert "H200" not in said[0] or machine.gpus()


def test_a_simulated_kernel_proves_no_gpu(house, monkeypatch):
    gpu = {"name": "X", "compute_capability": "9.0", "driver": "1", "memory_mib": 1}
    monkeypatch.setattr(machine, "gpus", lambda: (gpu,))
    document = collect.sybil().parse(house(GOOD))
    document.target = "numba-cuda"
    for value, says in (("0", None), ("1", "proves no GPU"), ("2", "proves no GPU")):
        monkeypatch.setenv("NUMBA_ENABLE_CUDASIM", value)
        missing = document.place.missing()
        assert missing is None if says is None else says in missing


def test_a_gpu_too_old_or_too_few_is_said(house, monkeypatch):
    gpu = {"name": "X", "compute_capability": "7.0", "driver": "1", "memory_mib": 1}
    monkeypatch.setattr(machine, "gpus", lambda: (gpu,))
    for key, said in (
        ('compute_capability: "9.0"', "needs compute capability 9.0, this GPU has 7.0"),
        ("gpus: 2", "needs 2 GPUs, this machine has 1"),
    ):
        file = house(GOOD, META.replace("kind:", f"{key}\nkind:"))
        document = collect.sybil().parse(file)
        document.target = "numba-cuda"
        assert said in document.why_not_here()


CUPY = """# --8<-- [start:imports]
import cupy as cp
# --8<-- [end:imports]
# --8<-- [start:make]
x = cp.ones(3)
# --8<-- [end:make]
# --8<-- [start:use]
def f(y):
    return x + y
# --8<-- [end:use]
# --8<-- [start:own]
def g(x):
    return x + 1
assert g(1) == 2
# --8<-- [end:own]
# --8<-- [start:again]
x = [1, 2]
assert x[0] == 1
# --8<-- [end:again]
"""


def test_what_needs_a_gpu_is_found_by_name(house):
    (house.root / "kernels/c.py").write_text(CUPY)
    names = ["imports", "make", "use", "own", "again"]
    body = "".join(f'```python\n--8<-- "kernels/c.py:{n}"\n```\n\n' for n in names)
    page = read(house(body, META.replace("kind:", "gpu_only: 3\nkind:")), house.root)
    reasons = gpu_only(page)
    assert sorted(reasons) == [0, 1, 2], reasons
    assert "uses x: kernels/c.py:5 needs a GPU" in reasons[2]


def test_a_doctest_directive_is_refused(house):
    skipped = KERNEL.replace(">>> area(0)", ">>> area(0)  # doctest: +SKIP")
    (house.root / "kernels/circle.py").write_text(skipped)
    assert any("doctest directive" in line for line in mistakes(house, GOOD))


def test_doctest_output_must_match_to_the_space(house):
    spaced = KERNEL.replace(">>> area(0)\n    0.0", ">>> print('a  b')\n    a b")
    (house.root / "kernels/circle.py").write_text(spaced)
    done, said, _ = run(house, house(GOOD))
    assert not done and "got: a  b" in said


def test_a_block_that_ends_python_fails(house):
    broken = KERNEL.replace(
        "import math", "import argparse\n\nargparse.ArgumentParser().parse_args(['-h'])"
    )
    (house.root / "kernels/circle.py").write_text(broken)
    done, said, _ = run(house, house(GOOD))
    assert not done and "kernels/circle.py:6: SystemExit" in said, said


MAKER = """import pathlib, tempfile

def cache():
    place = pathlib.Path.home() / ".maker/kernels"
    place.mkdir(parents=True)
    with tempfile.NamedTemporaryFile(dir=place) as file:
        file.write(b"compiled")
"""


def test_a_package_may_make_the_folder_of_its_cache(house, tmp_path_factory, monkeypatch):
    """As CuPy does, by Python's own modules, on a machine where it has not been before."""
    names = "dist-packages", "home", "temporary"
    libraries, home, temporary = (tmp_path_factory.mktemp(name) for name in names)
    monkeypatch.setattr(tempfile, "tempdir", str(temporary))  # all below it is the page's own
    (libraries / "maker.py").write_text(MAKER)
    monkeypatch.setenv("PYTHONPATH", str(libraries))
    monkeypatch.setenv("HOME", str(home))
    kernel = KERNEL.replace("import math", "import math\n\nimport maker\n\nmaker.cache()")
    (house.root / "kernels/circle.py").write_text(kernel)
    done, said, _ = run(house, house(GOOD))
    assert done and (home / ".maker/kernels").is_dir(), said


FILES = """# --8<-- [start:file]
raise RuntimeError("this never ran")
# --8<-- [end:file]
# --8<-- [start:names]
name = "data.py"
# --8<-- [end:names]
# --8<-- [start:reads]
text = open("data.py").read()
# --8<-- [end:reads]
"""


@pytest.mark.parametrize("second, outcome", [("names", "written"), ("reads", "read")])
def test_a_file_counts_only_when_a_later_block_reads_it(house, second, outcome):
    (house.root / "kernels/f.py").write_text(FILES)
    body = '```python file="data.py"\n--8<-- "kernels/f.py:file"\n```\n\n'
    body += f'```python\n--8<-- "kernels/f.py:{second}"\n```\n'
    _, _, document = run(house, house(body))
    record = evidence.load(document.record(), "it")
    assert record["runs"][0]["blocks"][0]["outcome"] == outcome
    page = read(house.root / "docs/page.md", house.root)
    records = evidence.Evidence(house.root)
    level = "read" if outcome == "read" else "awaiting"
    assert records.proofs(page)[0].level == level
    assert bool(records.problems([page])) == (level == "awaiting")  # so it is not published


def test_taking_shown_away_takes_the_proof_away(house):
    body = GOOD.replace("```python\n", '```python shown="because"\n', 1)
    body = body.replace("circle.py:imports", "circle.py:imports")
    (house.root / "kernels/circle.py").write_text(KERNEL.replace("math.pi", "3.141592653589793"))
    _, _, document = run(house, house(body))
    document.record()
    page = read(house(body.replace(' shown="because"', "")), house.root)
    assert evidence.Evidence(house.root).problems([page])


def forge(house, change):
    """Record a right page, change the record, and return what status then says."""
    house(GOOD)
    assert lockstep(house, "run", "docs/page.md").returncode == 0
    file = house.root / "evidence/cpu/pages/page.json"
    record = json.loads(file.read_text())
    change(record)
    file.write_text(json.dumps(record))
    return lockstep(house, "status")


def test_a_record_whose_blocks_are_not_the_pages_proves_nothing(house):
    done = forge(house, lambda r: r["blocks"][0].update(sha256="0" * 64))
    assert done.returncode == 1 and "docs/page.md on cpu" in done.stdout


@pytest.mark.parametrize(
    "change",
    [
        lambda r: r.pop("runs"),
        lambda r: r.update(schema=9),
        lambda r: r["runs"]["cpu"].pop("environment"),
        lambda r: r["runs"]["cpu"].update(environment="0" * 12),
        lambda r: r["runs"]["cpu"].update(date="2999-01-01"),
        lambda r: r["blocks"][0]["runs"].pop("cpu"),
    ],
)
def test_a_record_that_no_run_wrote_is_named(house, change):
    done = forge(house, change)
    assert done.returncode == 2 and done.stderr.startswith("evidence/cpu/pages/page.json:1: ")
    assert "Traceback" not in done.stderr


def test_a_format_to_come_is_named(house):
    said = forge(house, lambda r: r.update(schema=9)).stderr
    assert "it has the format 9, and this version knows 1 and 2. To mend: " in said


def test_an_environment_that_somebody_changed_is_no_environment(house):
    house(GOOD)
    assert lockstep(house, "run", "docs/page.md").returncode == 0
    [file] = (house.root / "evidence/environments").iterdir()
    file.write_text(file.read_text().replace('"python": "3', '"python": "4'))
    assert "evidence/cpu/pages/page.json:1: " in lockstep(house, "status").stderr


def test_a_second_run_of_unchanged_code_changes_no_file(house):
    house(GOOD)
    lockstep(house, "run", "docs/page.md")
    files = {f: f.read_bytes() for f in (house.root / "evidence").rglob("*.json")}
    lockstep(house, "run", "docs/page.md")
    assert files == {f: f.read_bytes() for f in (house.root / "evidence").rglob("*.json")}


def test_a_record_of_the_first_format_is_read_and_says_the_same(house):
    house(GOOD)
    assert lockstep(house, "run", "docs/page.md").returncode == 0
    file = house.root / "evidence/cpu/pages/page.json"
    now = evidence.load(file, "it")
    first = {k: v for k, v in now.items() if k not in {"date", "seal"}} | {"schema": 1}
    file.write_text(json.dumps(first))
    assert evidence.load(file, "it") | {"schema": 2, "seal": now["seal"]} == now
    assert lockstep(house, "status").returncode == 0


def bench(root, change=lambda record: None):
    (root / "kernels/k.py").write_text("x = 1\n")
    (root / "bench.py").write_text("y = 1\n")
    sha = evidence.file_digest(root / "kernels/k.py")
    row = {"id": "a", "kernel": "kernels/k.py", "sha256": sha, "unit": "GB/s", "ours": 2.0}
    row |= {"reference": 1.0, "ratio": 2.0, "bytes": 4000, "us": 2.0, "gbps": 2.0}
    record = {"schema": 1, "script": "bench.py", "rows": [row], "device": {"name": "NVIDIA H200"}}
    record |= {"packages": {}, "python": "3", "date": "2026-01-01"}
    record["sources"] = {"kernels/k.py": sha, "bench.py": evidence.file_digest(root / "bench.py")}
    change(record)
    file = root / "evidence/nvidia-h200/benchmarks/b.json"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(json.dumps(record))
    return evidence.Evidence(root).benchmarks["a"]


def test_a_benchmark_is_bound_to_its_kernel_and_its_figures_to_each_other(house):
    assert bench(house.root)["fresh"]
    (house.root / "kernels/k.py").write_text("x = 2\n")
    assert not evidence.Evidence(house.root).benchmarks["a"]["fresh"]
    for change in (
        lambda r: r["rows"][0].update(ours=200.0),
        lambda r: r["rows"][0].update(gbps=9.0),
        lambda r: r["sources"].pop("kernels/k.py"),
        lambda r: r["rows"][0].pop("unit"),
    ):
        with pytest.raises(PageError, match="evidence/nvidia-h200/benchmarks/b.json:1: "):
            bench(house.root, change)


def test_other_endings_are_refused(house):
    house(GOOD)
    (house.root / "docs/assets").mkdir()
    (house.root / "docs/patterns/assets").mkdir(parents=True)
    (house.root / "docs/hid.markdown").write_text("x")
    (house.root / "docs/raw.html").write_text("<pre>x</pre>")
    (house.root / "docs/patterns/assets/hidden.md").write_text("```python\nx = 1\n```\n")
    with pytest.raises(PageError) as refused:
        read_all(house.root)
    found = {m.path for m in refused.value.mistakes}
    assert found == {"docs/hid.markdown", "docs/raw.html", "docs/patterns/assets/hidden.md"}


def test_a_source_that_is_not_utf8_is_named(house):
    (house.root / "kernels/circle.py").write_bytes(KERNEL.encode() + b"# \xff\n")
    assert any(
        "not UTF-8" in line and "kernels/circle.py:" in line for line in mistakes(house, GOOD)
    )


@pytest.mark.parametrize("name", ["docs/nothing.md", "kernels/circle.py", "mkdocs.yml"])
def test_run_names_what_is_no_page_before_it_runs_anything(house, name):
    house(GOOD)
    done = lockstep(house, "run", "docs/page.md", name)
    assert done.returncode == 2 and done.stderr.startswith(f"{name}: there is no such page")
    assert not (house.root / "evidence").exists()


def test_a_refused_page_leaves_nothing_behind(house):
    house(GOOD + '\n```output\n--8<-- "snippets/output/../../../escaped.txt"\n```\n')
    assert lockstep(house, "run", "docs/page.md").returncode == 1
    assert not list(house.root.parent.glob("**/escaped.txt"))
    house(GOOD + '\n```output\n--8<-- "snippets/output/page/x.txt"\n```\n\n```python\nx\n```\n')
    assert lockstep(house, "run", "docs/page.md").returncode == 1
    assert not list(house.root.glob("snippets/output/**/*.txt"))

"""What compute-sanitizer has seen: a record for each file of tests, bound to its imports."""

import stat
import sys
from pathlib import Path

import pytest

from lockstep import evidence
from lockstep.source import find_root
from lockstep_site.gpu import machine, sanitizer
from tests.houses import settle

ROOT = find_root(Path(__file__).parent)
ADD = "from numba import cuda\n\n\n@cuda.jit\ndef add(a):\n    a[0] += 1\n"
TEST = "from kernels.add import add\n\n\ndef test_one():\n    assert add\n"
# Stands in for NVIDIA's program: it runs the tests, and says what it is told to say.
TOOL = """#!{python}
import subprocess, sys
if "--version" in sys.argv:
    print("Compute Sanitizer, version 1")
    sys.exit(0)
code = subprocess.call(sys.argv[sys.argv.index({python!r}):])
print("========= ERROR SUMMARY: {found} errors")
sys.exit(77 if {found} else code)
"""


@pytest.fixture
def house(tmp_path, monkeypatch):
    """A repository with a kernel, its test, and a stand-in for the tool that finds so much."""
    settle(tmp_path)
    for path, text in {
        "kernels/add.py": ADD,
        "kernels/other.py": ADD,
        "kernels/more/deep.py": ADD,
        "snippets/more/x.cu": "__global__ void x() {}",
        "tests/test_kernels_add.py": TEST,
        "tests/test_kernels_other.py": TEST.replace("kernels.add", "kernels.other"),
        "numba.py": "class cuda:\n    jit = staticmethod(lambda function: function)\n",
    }.items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(text)
    gpu = {"name": "NVIDIA H200", "compute_capability": "9.0", "driver": "1", "memory_mib": 1}
    monkeypatch.setattr(machine, "gpus", lambda: (gpu,))
    monkeypatch.setattr(machine, "cuda_version", lambda: "13.0")

    def run(found=0):
        program = tmp_path / "bin/compute-sanitizer"
        program.parent.mkdir(exist_ok=True)
        program.write_text(TOOL.format(python=sys.executable, found=found))
        program.chmod(program.stat().st_mode | stat.S_IEXEC)
        env = {"PATH": f"{program.parent}:/usr/bin:/bin", "PYTHONPATH": str(tmp_path)}
        return sanitizer.run(tmp_path, "memcheck", env)

    run.root, run.folder = tmp_path, tmp_path / "evidence/nvidia-h200/sanitizer/memcheck"
    return run


def unseen(root):
    return [p.what.split()[0] for p in sanitizer.unseen(root, evidence.Evidence(root))]


def test_each_file_of_tests_has_a_record_of_what_it_imports(house):
    assert house() == 0
    record = evidence.load(house.folder / "test_kernels_add.json", "it")
    assert record["sources"].keys() == {"tests/test_kernels_add.py", "kernels/add.py"}
    assert record["tests_passed"] == 1 and record["findings"] == ["0 errors"]
    assert len(list(house.folder.iterdir())) == 2
    assert all(r["fresh"] for r in evidence.Evidence(house.root).others["sanitizer"].values())


def test_a_change_makes_the_files_stale_that_import_it_and_no_others(house):
    house()
    kept = (house.folder / "test_kernels_other.json").stat().st_mtime_ns
    (house.root / "kernels/add.py").write_text(ADD + "# another\n")
    fresh = {n: r["fresh"] for n, r in evidence.Evidence(house.root).others["sanitizer"].items()}
    assert fresh == {
        "nvidia-h200/memcheck/test_kernels_add": False,
        "nvidia-h200/memcheck/test_kernels_other": True,
    }
    house()
    assert (house.folder / "test_kernels_other.json").stat().st_mtime_ns == kept
    assert all(r["fresh"] for r in evidence.Evidence(house.root).others["sanitizer"].values())


def test_what_the_second_gpu_has_seen_today_is_not_asked_of_the_first(house, monkeypatch):
    house()
    (house.root / "kernels/add.py").write_text(ADD + "# another\n")

    def stale():
        found = evidence.Evidence(house.root).problems([])
        return [problem.what for problem in found if problem.kind == "stale"]

    assert stale() == ["sanitizer nvidia-h200/memcheck/test_kernels_add"]
    gpu = machine.gpus()[0] | {"name": "NVIDIA H100 80GB HBM3"}
    monkeypatch.setattr(machine, "gpus", lambda: (gpu,))
    house()
    records = evidence.Evidence(house.root)
    name = "memcheck/test_kernels_add"
    assert records.others["sanitizer"][f"nvidia-h100/{name}"]["fresh"]
    assert stale() == []
    assert records.older([]) == [f"evidence/nvidia-h200/sanitizer/{name}.json"]


def test_a_finding_leaves_the_records_as_they_were(house):
    assert house(found=2) == 77
    assert not house.folder.exists()


def test_a_kernel_that_no_record_has_seen_is_missing(house):
    assert unseen(house.root) == []  # no tool has run: there is nothing to compare with
    house()
    assert unseen(house.root) == ["kernels/more/deep.py", "snippets/more/x.cu"]
    test = house.root / "tests/test_kernels_add.py"
    test.write_text(TEST + '\n\nFOLDER = "snippets/more"\nNAMES = "kernels.more.{}"\n')
    house()
    assert unseen(house.root) == ["kernels/more/deep.py"]  # a pattern is no name
    test.write_text(TEST + '\n\nFOLDERS = "snippets/more", "kernels/more"\n')
    house()
    assert unseen(house.root) == []
    (house.root / "tests/test_kernels_new.py").write_text("def test(): pass\n")
    assert unseen(house.root) == ["tests/test_kernels_new.py"]


def test_a_kernel_without_a_test_says_why_and_the_list_holds_no_other():
    tested = {p for test in sanitizer.tests(ROOT) for p in sanitizer.sources(ROOT, test)}
    kernels = sanitizer.kernels(ROOT)
    for start, reason in sanitizer.UNTESTED.items():
        listed = [path for path in kernels if path.startswith(start)]
        assert listed and reason, f"{start}: no kernel is there"
        assert not set(listed) <= tested, f"{start}: a test launches it: take it off the list"
    left = [p for p in kernels if p not in tested and not p.startswith(tuple(sanitizer.UNTESTED))]
    assert not left, "kernels without a test: " + ", ".join(left)


def test_a_file_that_the_tools_leave_out_launches_nothing():
    held = {p for p in sanitizer.kernels(ROOT) if not p.startswith(tuple(sanitizer.UNTESTED))}
    for path in sanitizer.NO_LAUNCH:
        assert (ROOT / path).is_file()
        assert not held & sanitizer.sources(ROOT, path), f"{path} reaches a kernel: take it out"


def test_what_a_tool_cannot_follow_is_one_of_the_kernel_tests():
    for tool, test in sanitizer.UNSUPPORTED:
        assert tool in sanitizer.TOOLS
        assert test in sanitizer.tests(ROOT)

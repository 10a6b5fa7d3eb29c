"""The stepper as a package of its own: packed, put into a fresh environment, and used there."""

import ast
import json
import os
import re
import subprocess
import sys
import textwrap
import venv
import zipfile
from pathlib import Path

import pytest

from simulator import stepper
from tests.pages import ROOT

STEPPER = ROOT / "simulator/stepper"
RACE = textwrap.dedent(
    """
    from numba import cuda
    import numpy as np

    @cuda.jit
    def k(a):
        a[0] = cuda.grid(1)

    def launch():
        k[1, 64](np.zeros(4, np.int64))
    """
)


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    out = tmp_path_factory.mktemp("wheel")
    code = "import sys; sys.path.insert(0, '.'); import packing; "
    code += "print(packing.build_wheel(sys.argv[1]))"
    done = subprocess.run(
        [sys.executable, "-c", code, out], cwd=STEPPER, capture_output=True, text=True, check=True
    )
    return out / done.stdout.strip()


@pytest.fixture(scope="module")
def fresh(wheel, tmp_path_factory):
    """The python of a fresh environment with the wheel in it and nothing else."""
    home = tmp_path_factory.mktemp("fresh")
    venv.create(home, with_pip=False)
    (place,) = home.glob("lib/python*/site-packages")
    with zipfile.ZipFile(wheel) as packed:
        packed.extractall(place)
    return home / "bin/python"


def run(*words, **more):
    """A command with no variable that would lead it to this repository."""
    left_out = ("PYTHONPATH", "NUMBA_ENABLE_CUDASIM", "STEPPER")
    environment = {k: v for k, v in os.environ.items() if k not in left_out} | more
    return subprocess.run(
        [str(w) for w in words], capture_output=True, text=True, env=environment, cwd="/"
    )


def test_nothing_outside_the_folder_is_imported():
    """Only the standard library, and what is optional: NumPy, Numba, pytest."""
    allowed = {*sys.stdlib_module_names, "numpy", "numba", "pytest"}
    for file in STEPPER.glob("*.py"):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            names = []
            if isinstance(node, ast.Import):
                names = [alias.name.split(".")[0] for alias in node.names]
            elif isinstance(node, ast.ImportFrom) and not node.level:
                names = [node.module.split(".")[0]]
            assert set(names) <= allowed, (file.name, names)


def test_its_own_tests_pass_where_nothing_else_is_installed(fresh):
    done = run(fresh, STEPPER / "tests/test_package.py")
    assert done.returncode == 0, done.stderr


def test_a_race_demo_runs_in_under_a_second(fresh, tmp_path):
    script = tmp_path / "race.py"
    script.write_text(RACE + "launch()\n")
    run(fresh, "-m", "stepper", script)  # Python compiles the package once
    best = 9.0
    for _ in range(3):
        began = os.times()
        done = run(fresh, "-m", "stepper", script)
        ended = os.times()  # of the processor: the machine may have other work
        spent = ended.children_user + ended.children_system
        best = min(best, spent - began.children_user - began.children_system)
        assert done.returncode == 1 and "race.py:7: " in done.stderr
    assert best < 1, f"{best:.2f} s"


def test_the_variable_does_it_for_any_program(fresh, tmp_path):
    script = tmp_path / "race.py"
    script.write_text(RACE + "launch()\nprint('end')\n")
    done = run(fresh, script, STEPPER="check")
    assert done.returncode == 1 and done.stdout == "end\n"
    assert "race.py:7: " in done.stderr
    assert run(fresh, script, STEPPER="run").returncode == 0
    assert "No module named" in run(fresh, script).stderr


def test_processes_that_are_spawned_report_to_the_script(fresh, tmp_path):
    script = tmp_path / "spawn.py"
    script.write_text(
        "import multiprocessing\n"
        + RACE
        + textwrap.dedent(
            """
            if __name__ == "__main__":
                process = multiprocessing.get_context("spawn").Process(target=launch)
                process.start()
                process.join()
                print("status", process.exitcode)
            """
        )
    )
    done = run(fresh, "-m", "stepper", script)
    assert done.returncode == 1 and done.stdout == "status 0\n", done.stderr
    assert done.stderr.count("spawn.py:8: ") == 1


TESTS = RACE + textwrap.dedent(
    """
    import pytest

    def test_finds():
        launch()

    @pytest.mark.stepper_allow("missing-syncwarp", "global-race")
    def test_allows():
        launch()

    @cuda.jit
    def past(a):
        a[cuda.grid(1) + 3] = 1

    @pytest.mark.stepper_allow("out-of-bounds")
    def test_allows_what_ends_a_launch():
        a = np.zeros(4, np.int64)
        past[1, 2](a)
        assert a[3] == 1

    @pytest.mark.stepper_allow("uninitialized")
    def test_allows_something_else():
        launch()

    @pytest.mark.stepper(mode="run")
    def test_only_runs():
        launch()
    """
)


def pytest_run(tmp_path, text, *words):
    """(output, SARIF, JSON) of pytest with the plugin on a file with this text."""
    (tmp_path / "test_it.py").write_text(text)
    sarif, plain = tmp_path / "found.sarif", tmp_path / "found.json"
    done = run(
        *(sys.executable, "-m", "pytest", "-p", "simulator.stepper.pytest_plugin", "--stepper"),
        *(tmp_path / "test_it.py", "-q", "-p", "no:cacheprovider", "--rootdir", tmp_path, *words),
        *(f"--stepper-sarif={sarif}", f"--stepper-json={plain}"),
        PYTHONPATH=str(ROOT),
    )
    results = json.loads(sarif.read_text())["runs"][0]["results"]
    places = [r["locations"][0]["physicalLocation"]["region"]["startLine"] for r in results]
    findings = json.loads(plain.read_text())["findings"]
    assert sorted(places) == sorted(f["line"] for f in findings)
    return done.stdout + done.stderr, places


def test_the_pytest_plugin(tmp_path):
    said, places = pytest_run(tmp_path, TESTS)
    assert "2 failed, 3 passed" in said and "FAILED" in said, said
    assert "test_it.py:7: " in said and set(places) == {7}


def test_what_many_launches_find_at_one_place_is_one_result(tmp_path, fresh):
    script, sarif = tmp_path / "race.py", tmp_path / "found.sarif"
    script.write_text(RACE + "for _ in range(50):\n    launch()\n")
    done = run(fresh, "-m", "stepper", "--format", "sarif", "--output", sarif, script)
    results = json.loads(sarif.read_text())["runs"][0]["results"]
    assert done.returncode == 1 and [r["ruleId"] for r in results] == ["global-race"]
    text = run(fresh, "-m", "stepper", script).stderr
    assert text.count("race.py:7: ") == 1 and "in 50 launches" in text
    found = json.loads(run(fresh, "-m", "stepper", "--format", "json", script).stderr)["findings"]
    assert [(f["launches"], f["line"]) for f in found] == [(50, 7)]


def test_what_is_allowed_ends_no_script(tmp_path, fresh):
    script = tmp_path / "past.py"
    past = "\n@cuda.jit\ndef past(a):\n    a[9] = 1\npast[1, 1](np.zeros(4))\nprint('end')\n"
    script.write_text(RACE + past)
    done = run(fresh, "-m", "stepper", "--allow", "out-of-bounds", script)
    assert (done.returncode, done.stdout, done.stderr) == (0, "end\n", "")
    assert run(fresh, "-m", "stepper", script).stdout == ""
    assert "choose from" in run(fresh, "-m", "stepper", "--allow", "nothing", script).stderr


FIXTURES = RACE + textwrap.dedent(
    """
        import multiprocessing
        import pytest

        @cuda.jit
        def out(a):
            a[cuda.grid(1) + 1] = 1

        @cuda.jit
        def torn(a):
            a[cuda.grid(1) // 2] = cuda.grid(1)

        @pytest.fixture
        def before():
            launch()

        @pytest.fixture
        def after():
            yield
            torn[1, 4](np.zeros(4))

        def test_setup(before):
            pass

        def test_teardown(after):
            pass

        @pytest.mark.stepper_allow("missing-syncwarp", "global-race")
        def test_allowed(before, after):
            pass

        def test_fails_by_itself():
            launch()
            raise KeyError("its own")

        def test_another_process():
            process = multiprocessing.get_context("fork").Process(target=launch)
            process.start()
            process.join()
        """
)


@pytest.mark.parametrize("words", [(), ("-n2",)], ids=["alone", "xdist"])
def test_findings_of_fixtures_and_of_workers_reach_the_one_file(tmp_path, words):
    said, places = pytest_run(tmp_path, FIXTURES, *words)
    ended = {name: word for word, name in re.findall(r"^(ERROR|FAILED) .*::(test_\w+)", said, re.M)}
    assert ended == {
        "test_setup": "ERROR",
        "test_teardown": "ERROR",
        "test_fails_by_itself": "FAILED",
        "test_another_process": "FAILED",
    }, said
    assert "stepper: 2 findings, 2 more are allowed" in said and set(places) == {7, 21}


def test_a_launch_at_import_fails_the_collection(tmp_path):
    said, places = pytest_run(tmp_path, RACE + "launch()\ndef test_it():\n    pass\n")
    assert "1 error" in said and "test_it.py:7: " in said and places == [7], said


def test_numba_itself_stays_beside_it(tmp_path):
    script = tmp_path / "both.py"
    script.write_text(
        textwrap.dedent(
            """
            from numba import cuda, njit, vectorize, float32, types
            import numpy as np

            @njit
            def twice(x):
                return 2 * x

            @vectorize(["float64(float64)"])
            def third(x):
                return x / 3

            @vectorize(["float32(float32)"], target="cuda")
            def half(x):
                return x / 2

            @cuda.jit(types.void(float32[:]))
            def k(a):
                a[cuda.grid(1)] = twice(3)

            a = np.zeros(4, np.float32)
            k[1, 4](a)
            assert (a == 6).all() and twice.signatures == [] and twice(2) == 4
            assert twice.signatures and third(np.ones(2))[0] == 1 / 3
            assert half(np.ones(2, np.float32))[0] == 0.5
            """
        )
    )
    done = run(sys.executable, "-m", "simulator.stepper", script, PYTHONPATH=str(ROOT))
    assert done.returncode == 0, done.stderr


class Shell:
    """The few things of an IPython shell that the magic uses."""

    def __init__(self):
        self.user_ns, self.magics, self.hooks = {"__name__": "__main__"}, {}, []
        self.execution_count, self.number = 1, 0
        self.displayhook = self.events = self.compile = self

    def register_magic_function(self, function, kind, name):
        self.magics[f"%%{name}"] = function

    def register(self, event, hook):
        assert event == "post_run_cell"
        self.hooks.append(hook)

    def format_code_name(self, filename):
        return "Cell", filename

    def run_cell(self, cell):
        first, _, rest = cell.partition("\n")
        if magic := self.magics.get(first.split(" ")[0]):
            magic(first.partition(" ")[2], rest)
        else:
            name = f"In[{self.execution_count}]"
            stepper.remember(name, cell)
            exec(compile(cell, name, "exec"), self.user_ns)
        for hook in self.hooks:
            hook(None)

    def cell(self, text):
        self.run_cell(text)
        self.execution_count += 1


KERNEL = """
from numba import cuda
@cuda.jit
def k(a):
    a[0] += cuda.grid(1)
"""
LAUNCH = "k[1, 32](np.zeros(4))\n"


def test_the_magic_finds_in_every_cell_what_a_kernel_of_another_does(capsys):
    shell = Shell()
    stepper.load_ipython_extension(shell)

    def said(cell):
        shell.cell(cell)
        return capsys.readouterr().out

    assert said("import numpy as np") == ""
    assert said("%%stepper" + KERNEL) == "0 launches, no findings\n"
    assert "Cell In[2]:5:" in said("%%stepper\n" + LAUNCH)  # the magic's own line is the first
    assert "Cell In[2]:5:" in said(LAUNCH)  # in a plain cell
    assert said("%%stepper run\n" + LAUNCH) == ""
    assert said("%%stepper\nk[1, 1](np.zeros(4))") == "1 launches, no findings\n"
    assert stepper.installed() is None
    # A kernel that a plain cell made with Numba: the stepper runs it in a cell with the magic.
    said(KERNEL)
    theirs = shell.user_ns["k"]
    assert type(theirs).__module__.startswith("numba.cuda")
    assert "Cell In[7]:5:" in said("%%stepper\n" + LAUNCH)
    assert shell.user_ns["k"] is theirs


def test_the_version_is_one():
    assert f'version = "{stepper.__version__}"' in Path(STEPPER / "pyproject.toml").read_text()

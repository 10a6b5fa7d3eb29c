"""The stepper as a package of its own: packed, put into a fresh environment, and used there."""

import ast
import os
import subprocess
import sys
import textwrap
import venv
import zipfile
from pathlib import Path

import pytest

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


TESTS = RACE + textwrap.dedent(
    """
    import pytest

    def test_finds():
        launch()

    @pytest.mark.stepper_allow("missing-syncwarp", "global-race")
    def test_allows():
        launch()

    @pytest.mark.stepper_allow("uninitialized")
    def test_allows_something_else():
        launch()

    @pytest.mark.stepper(mode="run")
    def test_only_runs():
        launch()
    """
)


def test_the_pytest_plugin(tmp_path):
    file = tmp_path / "test_it.py"
    file.write_text(TESTS)
    sarif = tmp_path / "found.sarif"
    done = run(
        *(sys.executable, "-m", "pytest", "-p", "simulator.stepper.pytest_plugin", "--stepper"),
        *(file, "-q", "-p", "no:cacheprovider", "--rootdir", tmp_path, f"--stepper-sarif={sarif}"),
        PYTHONPATH=str(ROOT),
    )
    assert "2 failed, 2 passed" in done.stdout, done.stdout + done.stderr
    assert "test_it.py:7: " in done.stdout and "FAILED" in done.stdout
    assert '"startLine": 7' in sarif.read_text()


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


def test_the_magic():
    """The few calls that IPython makes, on a shell that records them."""
    from simulator import stepper

    class Shell:
        magics = {}

        def register_magic_function(self, function, kind, name):
            self.magics[kind, name] = function

        def run_cell(self, cell):
            stepper.remember("<cell>", cell)
            exec(compile(cell, "<cell>", "exec"), {"__name__": "__main__"})

    shell = Shell()
    stepper.load_ipython_extension(shell)
    shell.magics["cell", "stepper"]("run", RACE + "launch()\n")
    assert stepper.installed() is None


def test_the_version_is_one():
    from simulator import stepper

    assert f'version = "{stepper.__version__}"' in Path(STEPPER / "pyproject.toml").read_text()

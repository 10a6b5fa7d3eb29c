"""The kernel pairs: every side gives NumPy's result, on random data at awkward sizes.

Without a GPU: Metal and CUDA C++ in their stand-ins, Numba in the stepper. With one: CUDA C++ and
Numba on it.
"""

import os
import types

import pytest

from lockstep.page import find_root, read
from simulator import hosts, pairs

ROOT = find_root()
SIMULATOR = os.environ.get("NUMBA_ENABLE_CUDASIM") == "1"
HOSTS = {"metal": pairs.on_metal_host, "cuda": pairs.on_cuda_host}
every_pair = pytest.mark.parametrize("pair", pairs.PAIRS.values(), ids=list(pairs.PAIRS))


@pytest.fixture
def compiler():
    if hosts.compiler() is None:
        pytest.skip(hosts.WHY_NOT)


if SIMULATOR:

    @every_pair
    @pytest.mark.parametrize("side", HOSTS)
    def test_on_a_cpu(pair, side, compiler):
        problems = pair.problems()
        for problem in problems:
            pairs.check(pair, problem, HOSTS[side](pair, problem), side)
        # In the other order of threads and groups: no side may rely on the first.
        got = HOSTS[side](pair, problems[-1], backwards=True)
        pairs.check(pair, problems[-1], got, f"{side}, backwards")

    @every_pair
    @pytest.mark.parametrize("side", HOSTS)
    def test_no_race(pair, side, compiler):
        for problem in pair.problems(small=True):
            pairs.check(pair, problem, HOSTS[side](pair, problem, check="races"), side)

    @every_pair
    def test_numba_in_the_stepper(pair):
        from simulator.stepper import Stepper

        stepper = Stepper(mode="check", raise_findings=True)
        with stepper.installed():
            for problem in pair.problems():
                pairs.check(pair, problem, fresh_numba(pair, problem), "Numba in the stepper")
        assert stepper.findings == []

else:

    @every_pair
    def test_cuda_cpp_on_the_gpu(pair):
        for problem in pair.problems():
            pairs.check(pair, problem, pairs.on_cupy(pair, problem), "CUDA C++")

    @every_pair
    def test_numba_on_the_gpu(pair):
        for problem in pair.problems():
            pairs.check(pair, problem, pairs.on_numba(pair, problem), "Numba")


def fresh_numba(pair, problem):
    """Run the Numba side from a fresh copy of its module: another test has imported it."""
    file = ROOT / f"kernels/pairs/{pair.name}.py"
    module = types.ModuleType(pair.name)
    module.__file__ = str(file)
    exec(compile(file.read_text(encoding="utf-8"), str(file), "exec"), module.__dict__)
    return pair.numba(module, problem)


@every_pair
def test_the_page_shows_each_side(pair):
    page = read(ROOT / f"docs/metal/pairs/{pair.name.replace('_', '-')}.md", ROOT)
    shown = {block.path for block in page.blocks}
    sides = {f.relative_to(ROOT).as_posix() for f in pair.folder.iterdir()}
    sides |= {f"kernels/pairs/{pair.name}{suffix}.py" for suffix in ("", "_cuda")}
    assert shown == sides


def test_no_pair_is_forgotten():
    folders = {f.name for f in (ROOT / pairs.FOLDER).iterdir()}
    assert folders == pairs.PAIRS.keys()
    assert len(folders) >= 14
    assert len([f for f in folders if (ROOT / pairs.FOLDER / f / "kernel.hip").exists()]) >= 5

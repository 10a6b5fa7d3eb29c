"""The programs that the pages on profilers profile: right at odd sizes, and what they compile to.

Traces and graphs are proved by their pages: a sanitizer and a profiler both want to listen.
"""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from kernels.profiling import galaxy

ROOT = Path(__file__).resolve().parent.parent
# Read by `python -m lockstep gpu`
NOT_ON = {"numba-cuda-mlir": "the galaxy asks numba.config for the simulator, the rest is PyTorch"}
SIMULATOR = os.environ.get("NUMBA_ENABLE_CUDASIM") == "1"


@pytest.mark.parametrize("stars, grains", [(1, 1), (31, 255), (33, 257), (65, 700)])
def test_a_step_of_the_galaxy_is_right(stars, grains, capsys):
    galaxy.step(stars, grains, blocks=2, threads=32)
    assert capsys.readouterr().out.endswith("of dust: right\n")


def test_a_pull_that_forgets_a_star_is_caught(monkeypatch):
    """The check of the program can fail."""

    class Forgetful:
        def __getitem__(self, config):
            return lambda x, y, z, mass, *out: pull[config](x, y, z, half(mass), *out)

    def half(mass):
        host = mass.copy_to_host()
        host[0] = 0
        return galaxy.cuda.to_device(host)

    pull = galaxy.pull_kernel
    monkeypatch.setattr(galaxy, "pull_kernel", Forgetful())
    with pytest.raises(AssertionError):
        galaxy.step(33, 10, blocks=2, threads=32)


def test_the_fixes_leave_no_float64_and_are_right(tmp_path):
    for path in ("kernels/profiling/galaxy.py", "snippets/profiling/find_f64.py"):
        (tmp_path / Path(path).name).write_text((ROOT / path).read_text())
    run = {"cwd": tmp_path, "capture_output": True, "text": True, "check": True}
    for name in ("fix", "faster"):
        script = (ROOT / f"snippets/profiling/{name}.sh").read_text()
        assert subprocess.run(["bash", "-euc", script], **run).stdout.count("\n") == 2
    run["env"] = os.environ | {"NUMBA_ENABLE_CUDASIM": "0"}
    before = subprocess.run([sys.executable, "find_f64.py"], **run).stdout
    assert "mass[j]" in before
    for name in ("galaxy32", "galaxy3"):
        program = [sys.executable, f"{name}.py", "33", "257", "4", "32"]
        if SIMULATOR:
            run["env"]["NUMBA_ENABLE_CUDASIM"] = "1"
        assert "right" in subprocess.run(program, **run).stdout
    (tmp_path / "galaxy32.py").rename(tmp_path / "galaxy.py")
    run["env"]["NUMBA_ENABLE_CUDASIM"] = "0"
    assert subprocess.run([sys.executable, "find_f64.py"], **run).stdout == ""


if not SIMULATOR:
    from kernels.profiling import photos

    @pytest.mark.parametrize("shape", [(1, 9, 9), (2, 33, 40), (3, 301, 517)])
    def test_photos(shape):
        (images, table), on_gpu = photos.burst(*shape)
        windows = np.lib.stride_tricks.sliding_window_view
        right = [windows(table[image], (9, 9)).mean(dtype=float) for image in images]
        assert np.allclose(photos.decoded_on_cpu(images, table), right, rtol=1e-5)
        assert np.allclose(photos.decoded_on_gpu(*on_gpu), right, rtol=1e-5)

    def test_busy_counts_what_overlaps_once():
        spans = [("host", "a", 0, 10), ("copies", "b", 0, 4), ("kernels", "c", 2, 5)]
        assert photos.busy(spans) == 0.5

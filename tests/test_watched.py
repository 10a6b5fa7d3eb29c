"""What is said of files that change while a page runs, and what is taken away."""

import importlib.util
import os
import py_compile
import subprocess

import pytest

from lockstep import watched


@pytest.fixture
def house(tmp_path):
    """A repository with a module, a tool and what is ignored."""
    subprocess.run(["git", "init", "-q"], cwd=tmp_path, check=True)
    (tmp_path / ".gitignore").write_text("*.pyc\n*.log\n/made/\n__pycache__/\n")
    for name in ("code/a.py", "tools/b.py", "made/x"):
        (tmp_path / name).parent.mkdir()
        (tmp_path / name).write_text("x = 1\n")
    return tmp_path


def after(root, change, modules=()):
    """Return what is said of a change, by paths from the root."""
    before = watched.state(root, modules)
    change()
    found = watched.changed(root, before, watched.state(root, modules))
    return [os.path.relpath(path, root) for path in found]


def cache(root, code="x = 1\n", tag=""):
    """Put what some code compiles to into the cache of code/a.py. Returns its file."""
    (root / "other.py").write_text(code)
    kept = importlib.util.cache_from_source(str(root / "code/a.py")).replace(".pyc", f"{tag}.pyc")
    py_compile.compile(str(root / "other.py"), kept, str(root / "code/a.py"))
    (root / "other.py").unlink()
    return kept


def test_compiled_code_of_its_source_may_come_to_be(house):
    assert after(house, lambda: cache(house)) == []
    assert os.path.isfile(cache(house))


def test_other_compiled_code_is_taken_away(house):
    assert after(house, lambda: cache(house, "x = 2\n")) == [
        os.path.relpath(importlib.util.cache_from_source("code/a.py"))
    ]
    assert not os.path.exists(importlib.util.cache_from_source(str(house / "code/a.py")))


def test_what_others_keep_beside_it_is_made_again(house):
    kept = cache(house, "x = 2\n", "-pytest-8.3.4")
    assert after(house, lambda: cache(house, "x = 33\n", "-pytest-8.3.4")) == []
    assert not os.path.exists(kept)


def test_a_module_elsewhere_is_watched_where_it_is_loaded(house, tmp_path_factory):
    there = tmp_path_factory.mktemp("elsewhere") / "library.py"
    there.write_text("x = 1\n")
    modules = [str(there)]
    found = after(house, lambda: there.write_text("x = 2\n"), modules)
    assert found == [os.path.relpath(there, house)]


def test_what_git_ignores_may_change(house):
    def change():
        (house / "a.log").write_text("x")
        (house / "made/y").write_text("x")

    assert after(house, change) == []


def test_a_file_with_its_old_size_and_time_has_changed(house):
    def change():
        file = house / "tools/b.py"
        old = file.stat()
        file.write_text("x = 2\n")
        os.utime(file, ns=(old.st_atime_ns, old.st_mtime_ns))

    assert after(house, change) == ["tools/b.py"]


def test_what_is_new_among_packages_is_seen(house, tmp_path_factory, monkeypatch):
    """A program writes where no hook sees it; Python would load that when it starts again."""
    packages = tmp_path_factory.mktemp("packages")
    monkeypatch.setattr(watched, "libraries", lambda: (str(packages),))
    (packages / "there").mkdir()
    assert after(house, lambda: (packages / "there/__pycache__").mkdir()) == []
    found = after(house, lambda: (packages / "new.pth").write_text("import os\n"))
    assert found == [os.path.relpath(packages / "new.pth", house)]

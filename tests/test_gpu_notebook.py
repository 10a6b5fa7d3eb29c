"""The notebook that runs make gpu on somebody's GPU: valid, and it says no early."""

import json
import os
import re
import subprocess
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import nbformat
import pytest
import yaml

from lockstep.source import find_root
from lockstep_site.gpu import part

ROOT = find_root()
FILE = ROOT / part.NOTEBOOK
BOOK = json.loads(FILE.read_text(encoding="utf-8"))
CODES = ["".join(cell["source"]) for cell in BOOK["cells"] if cell["cell_type"] == "code"]
SMI = """#!/bin/sh
case "$1" in -L) echo "GPU 0: Tesla";; *) echo {capability};; esac
"""


def test_it_is_a_notebook():
    """By nbformat 4.5, with code that compiles and nothing that it printed."""
    assert (BOOK["nbformat"], BOOK["nbformat_minor"]) == (4, 5)
    nbformat.validate(nbformat.from_dict(BOOK))
    for cell in BOOK["cells"]:
        if cell["cell_type"] == "code":
            assert cell["outputs"] == [] and cell["execution_count"] is None
            compile("".join(cell["source"]), cell["id"], "exec")


def run(code, folder, path, typed=""):
    return subprocess.run(
        [sys.executable, "-c", code],
        cwd=folder,
        env=os.environ | {"PATH": path},
        input=typed + "\n",
        capture_output=True,
        text=True,
        timeout=60,
    )


@pytest.fixture
def machine(tmp_path):
    """Return a machine whose GPU has some capability: its folder, and the PATH to it."""

    def make(capability):
        (tmp_path / "bin").mkdir()
        file = tmp_path / "bin/nvidia-smi"
        file.write_text(SMI.format(capability=capability))
        file.chmod(0o755)
        return f"{tmp_path / 'bin'}:{os.environ['PATH']}"

    return make


def named(code, repository):
    changed, there = re.subn(r'REPOSITORY = "[^"]*"', f"REPOSITORY = {repository!r}", code)
    assert there == 1
    return changed


def test_it_is_one_click_away_where_the_repository_has_an_address(monkeypatch, tmp_path):
    """The address has one setting, which the deployment takes from the repository that it is in;
    without it the page says what to do."""
    monkeypatch.setenv("REPOSITORY", "https://github.com/some/where/")
    link = "https://colab.research.google.com/github/some/where/blob/main/docs/assets/"
    said = part.on_colab(ROOT)
    assert f"({link}lockstep-gpu.ipynb)" in said and "paste `https://github.com/some/where`" in said
    for other in ("", "https://git.example.org/some/where"):  # Colab opens GitHub's files alone
        monkeypatch.setenv("REPOSITORY", other)
        said = part.on_colab(ROOT)
        assert "colab.research.google.com/github" not in said
        assert "Upload notebook" in said and "`extra.repository` in `mkdocs.yml`" in said
    recipe = (ROOT / "docs/contribute/recipes.md").read_text(encoding="utf-8")
    assert "\n[[gpu:colab]]\n" in recipe
    workflow = yaml.safe_load((ROOT / ".github/workflows/site.yml").read_text(encoding="utf-8"))
    (build,) = (s for s in workflow["jobs"]["build"]["steps"] if s.get("run") == "make site")
    given = "${{ github.server_url }}/${{ github.repository }}"
    assert build["env"]["REPOSITORY"] == given


# What the server of a notebook on Colab says of it, by where it was opened from.
OPENED = {
    "fileId=https%3A%2F%2Fgithub.com%2Fa%2Ffork%2Fblob%2Fmain%2Fx.ipynb": "https://github.com/a/fork",
    "/v2/external/fileId=https%3A//github.com/a.b/c-d/blob/main/x.ipynb": "https://github.com/a.b/c-d",
    "fileId=1n0SuchFileOnADrive": "",
    "fileId=https%3A%2F%2Fgithub.com.example.org%2Fa%2Fb%2Fblob%2Fmain%2Fx.ipynb": "",
}


@pytest.mark.parametrize("path", OPENED)
def test_it_takes_the_repository_that_colab_opened_it_from(path, tmp_path):
    """So that a fork's notebook runs the fork, and nobody edits or types its address."""

    class Sessions(BaseHTTPRequestHandler):
        def do_GET(self):
            self.send_response(200 if self.path == "/api/sessions" else 404)
            self.end_headers()
            self.wfile.write(json.dumps([{"name": "x.ipynb", "path": path}]).encode())

        def log_message(self, *_):
            pass

    colab = "{socket.gethostbyname(socket.gethostname())}:9000"
    assert colab in CODES[0]
    with ThreadingHTTPServer(("127.0.0.1", 0), Sessions) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        code = CODES[0].replace(colab, f"127.0.0.1:{server.server_port}")
        asked = code.replace("if not shutil.which", "print(REPOSITORY)\nif not shutil.which")
        said = run(asked, tmp_path, "/nowhere", "https://example.org/typed")
        server.shutdown()
    assert said.stdout.split()[-1] == (OPENED[path] or "https://example.org/typed")
    assert ("address of Lockstep" in said.stdout) == (not OPENED[path])
    assert "No NVIDIA GPU here" in said.stderr


def test_no_address_is_committed():
    """A fork's copy of the file would name the repository that it came from."""
    assert 'REPOSITORY = ""  #' in CODES[0]


def test_it_says_what_is_missing(tmp_path, machine):
    assert "into REPOSITORY" in run(named(CODES[0], ""), tmp_path, "/nowhere").stderr
    typed = run(named(CODES[0], ""), tmp_path, "/nowhere", "https://example.org/a")
    assert "address of Lockstep" in typed.stdout and "No NVIDIA GPU here" in typed.stderr
    code = named(CODES[0], "https://example.org/a")
    assert "No NVIDIA GPU here" in run(code, tmp_path, "/nowhere").stderr
    said = run(code, tmp_path, machine("7.0")).stderr
    assert "compute capability 7.0; Lockstep needs 7.5" in said


def test_it_hands_over_what_a_run_recorded(tmp_path, machine):
    """All cells, on a repository whose ``make gpu`` writes one record."""
    origin, work = tmp_path / "origin", tmp_path / "work"
    for folder in ("origin/evidence", "origin/snippets/output", "work"):
        (tmp_path / folder).mkdir(parents=True)
    for folder in ("evidence", "snippets/output"):
        (origin / folder / "old").write_text("old\n")
    (origin / "Makefile").write_text("gpu:\n\t@echo '{}' > evidence/new.json\n")
    git = ["git", "-C", str(origin), "-c", "user.name=a", "-c", "user.email=a@example.org"]
    for command in (["init", "-q", "-b", "main"], ["add", "."], ["commit", "-qm", "one"]):
        subprocess.run([*git, *command], check=True)
    code = named(CODES[0], "https://example.org/a")
    code += f"\nREPOSITORY = {str(origin)!r}\n"
    done = run("\n".join([code, *CODES[1:]]), work, machine("7.5"))
    assert done.returncode == 0, done.stderr
    patch = (work / "evidence.patch").read_text()
    assert "evidence/new.json" in patch and "+{}" in patch
    assert "evidence.patch lies beside this notebook" in done.stdout

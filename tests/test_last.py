"""Somebody comes after the check of a page, and changes what readers get: the build refuses.

A small project is built by MkDocs as any other. Each way adds an extension, a plugin or a template
to it that does its work after the core has approved the page.
"""

import importlib
import re
import shutil
from pathlib import Path

import pytest
from mkdocs.commands.build import build
from mkdocs.config import load_config
from mkdocs.exceptions import Abort, MkDocsException

from lockstep import collect, export, site

SETTINGS = {
    "mkdocs.yml": "site_name: x\nstrict: true\ntheme:\n  name: mkdocs\n  custom_dir: overrides\n"
    "plugins: [lockstep]\nmarkdown_extensions: [tables]\n",
    "pyproject.toml": '[tool.lockstep]\nsources = ["code"]\noutput = "code/output"\n'
    'kinds = ["other"]\n',
    "code/sum.py": "total = sum(range(9))\nassert total == 36\n",
    "overrides/keep.txt": "",
    "docs/index.md": "---\ntitle: Sum\ndescription: It adds.\nkind: other\n---\n"
    "# Sum\n\nSome words, and [the sum](#sum).\n\n"
    '```python\n--8<-- "code/sum.py"\n```\n',
}


@pytest.fixture(scope="module")
def house(tmp_path_factory):
    """A project of one page, which ran."""
    root = tmp_path_factory.mktemp("house")
    for name, text in SETTINGS.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text, encoding="utf-8")
    done, document = collect.run_page(root / "docs/index.md", lambda line: None)
    assert done
    document.record()
    return root


@pytest.fixture
def root(house, tmp_path, monkeypatch):
    """A copy of it."""
    root = tmp_path / "copy"
    shutil.copytree(house, root)
    monkeypatch.chdir(root)
    monkeypatch.syspath_prepend(root)
    return root


def built(root: Path, change=None) -> Path:
    """Build the site. ``change`` gets the settings before that."""
    site.forget()
    config = load_config(str(root / "mkdocs.yml"), site_dir=str(root / "site"))
    if change:
        change(config)
    build(config)
    return root / "site"


def refused(root: Path, caplog, words: str, change=None) -> None:
    """The build ends, and says where, what and how to mend it."""
    with pytest.raises((MkDocsException, Abort)) as error:
        built(root, change)
    said = f"{error.value}\n{caplog.text}"
    assert re.search(rf"(?:mkdocs\.yml|index\.(?:md|html):1): .*(?:{words}).*To mend: ", said), said


def plugged(priority, **events):
    """Return a change of the settings: one more plugin, with these events."""

    def change(config):
        for name, method in events.items():
            method.mkdocs_priority = priority
            config.plugins._register_event(name.removeprefix("on_"), method, "later")

    return change


def more(text):
    return lambda html, **rest: html + text


def rewrite(config):
    file = Path(config.site_dir) / "index.html"
    text = file.read_text(encoding="utf-8")
    file.write_text(text.replace("Some words", "It reaches 312 GB/s"), encoding="utf-8")


def test_the_honest_site_is_built(root):
    text = (built(root) / "index.html").read_text(encoding="utf-8")
    assert "stamp--cpu" in text and "total" in text


def test_a_line_of_the_nav_that_is_set_less_deep_is_named(root, caplog):
    config = root / "mkdocs.yml"
    nav = "nav:\n  - A:\n    - index.md\n  - two.md\n    - x.md\n"
    config.write_text(config.read_text(encoding="utf-8") + nav, encoding="utf-8")
    with pytest.raises(Abort):
        built(root)
    assert "mkdocs.yml: two.md in the nav is set less deep" in caplog.text
    assert "To mend: put as many spaces" in caplog.text


WAYS = {
    "a page's text, first": (500, {"on_page_content": more("<pre>4.2 TB/s</pre>")}, "its check"),
    "a page's text": (0, {"on_page_content": more("<p>4.2 TB/s</p>")}, "its check"),
    "a page's text, last": (-5000, {"on_page_content": more("<p>x</p>")}, "comes after"),
    "a whole page": (0, {"on_post_page": more("<pre>x = 1</pre>")}, "<pre>"),
    "a forged stamp": (0, {"on_post_page": more('<div class="stamp">Ran</div>')}, "class stamp"),
    "a forged figure": (0, {"on_post_page": more("<p>4.2 TB/s</p>")}, "4.2 TB/s"),
    "a style": (0, {"on_post_page": more("<style>p {display: none}</style>")}, "hides"),
    "a handler": (0, {"on_post_page": more('<p onclick="f()">x</p>')}, "onclick"),
    "a text twice": (0, {"on_post_page": lambda output, **rest: output + output}, "twice"),
    "a text replaced": (
        0, {"on_post_page": lambda output, **rest: output.replace("Some words", "312")}, "not hold"
    ),
    "a link": (
        0,
        {"on_post_page": lambda output, **rest: output.replace('"#sum"', '"x"')},
        "not hold",
    ),
    "a whole page, last": (-5000, {"on_post_page": more("<p>x</p>")}, "comes after"),
    "files, last": (-5000, {"on_post_build": rewrite}, "comes after"),
    "files": (-500, {"on_post_build": lambda config: rewrite(config)}, "after its last check"),
    "files that go": (
        0, {"on_post_build": lambda config: (Path(config.site_dir) / "index.html").unlink()}, "gone"
    ),
    "at the end": (0, {"on_shutdown": lambda: None}, "comes after"),
}  # fmt: skip


@pytest.mark.parametrize("way", WAYS)
def test_what_comes_after_the_check_is_refused(root, way, caplog):
    priority, events, words = WAYS[way]
    refused(root, caplog, words, plugged(priority, **events))


EXTENSION = """
from markdown import Extension
from markdown.postprocessors import Postprocessor


class Late(Postprocessor):
    def run(self, text):
        return text.replace("36", "312")


class Own(Extension):
    def extendMarkdown(self, md):
        {what}


def makeExtension(**options):
    return Own(**options)
"""


@pytest.mark.parametrize(
    "what, words",
    [
        ('md.postprocessors.register(Late(md), "late", -50)', "after its check"),
        ('md.postprocessors.deregister("lockstep")', "without a check"),
    ],
)
def test_an_extension_after_ours_is_refused(root, what, words, caplog):
    name = f"late_{len(what)}"
    (root / f"{name}.py").write_text(EXTENSION.format(what=what), encoding="utf-8")
    importlib.invalidate_caches()
    settings = SETTINGS["mkdocs.yml"].replace("[tables]", f"[lockstep.markdown, {name}]")
    (root / "mkdocs.yml").write_text(settings, encoding="utf-8")
    refused(root, caplog, words)


def test_a_hook_is_refused_by_the_build(root, caplog):
    (root / "hook.py").write_text("def on_post_page(output, **rest):\n    return output\n")
    settings = SETTINGS["mkdocs.yml"] + "hooks: [hook.py]\n"
    (root / "mkdocs.yml").write_text(settings, encoding="utf-8")
    refused(root, caplog, "the hook")


def test_a_template_that_shows_code_is_refused(root, caplog):
    text = (
        '{% extends "base.html" %}{% block content %}{{ page.content }}<pre>x</pre>{% endblock %}'
    )
    (root / "overrides/main.html").write_text(text, encoding="utf-8")
    refused(root, caplog, "<pre>")


# ---------------------------------------------------------------- a page shown from its notebook

JUPYTER = """
  mkdocs-jupyter: {include: ["*.ipynb"], ignore: ["*.md"], cache: false}
  lockstep: {notebooks: [other]}
"""


def with_notebooks(root: Path, plugins: str = JUPYTER) -> None:
    settings = SETTINGS["mkdocs.yml"].replace("plugins: [lockstep]\n", f"plugins:{plugins}")
    (root / "mkdocs.yml").write_text(settings, encoding="utf-8")


def test_a_page_shown_from_its_notebook_is_the_page(root):
    plain = (built(root) / "index.html").read_text(encoding="utf-8")
    with_notebooks(root)
    there = (built(root) / "index.html").read_text(encoding="utf-8")
    body = [re.search(r"<h1.*</details>", text, re.DOTALL)[0] for text in (plain, there)]
    assert body[0] == body[1] and "assert" in body[0]


def test_a_notebook_that_says_something_else_is_refused(root, caplog, monkeypatch):
    def other(page, source):
        book = notebook(page, source)
        book["cells"][-1]["source"] = ["total = 36"]
        return book

    notebook = export.notebook
    monkeypatch.setattr(export, "notebook", other)
    built(root)  # nobody has shown it
    with_notebooks(root)
    refused(root, caplog, "something changed this page after its check: .*36")


@pytest.mark.parametrize(
    "old, new, words",
    [
        (JUPYTER.splitlines()[1], "", "needs the plugin mkdocs-jupyter"),
        ("*.ipynb", "labs/*.ipynb", "mkdocs-jupyter does not show index.md"),
        ("cache: false", "execute: true", "building a site runs nothing"),
        ("", "", "mkdocs-jupyter does not show index.md"),  # behind lockstep
    ],
)
def test_settings_that_show_no_notebook_are_refused(root, caplog, old, new, words):
    turned = "\n" + "\n".join(reversed(JUPYTER.strip("\n").split("\n"))) + "\n"
    with_notebooks(root, JUPYTER.replace(old, new) if old else turned)
    refused(root, caplog, words)

"""What the settings of a site may hold: a whitelist, whose words are plain text.

Of mkdocs.yml: what is not known here could change pages after they were checked, leave some out,
or put words and scripts around them. A plugin or an extension that is not here is code that runs
in the build; ``[tool.lockstep]`` names it, under ``plugins``, and a reviewer sees both lines. And
of what lies in the root beside it, where Python looks before anywhere else.
"""

import re
import sys
from collections.abc import Iterator
from pathlib import Path

import yaml

from lockstep import project
from lockstep.mistakes import Mistake

FILE = "mkdocs.yml"
TEMPLATES = "overrides"
PLAIN = "take it out: pages are checked as the site's own extensions make them"
# Keys, at any depth, and why they are not there.
KEYS = {
    "hooks": ("a hook changes pages after they were checked", "write a Part, which the core calls"),
    "INHERIT": ("settings in another file, which nobody checks", f"write them into {FILE}"),
    "auto_append": ("text that is appended to each page", PLAIN),
    "url_download": ("text that comes from elsewhere", PLAIN),
}
KNOWN = re.compile(r"tag:yaml\.org,2002:python/name:(?:material|pymdownx|lockstep\w*)\.")
# ---------------------------------------------------------------- the whitelist

# A setting is a pattern of its value, a list of one kind of them, or a mapping of its keys; several
# in a tuple. ``None`` for a key stands for all that are not named.
WORDS = r"[^<>]*"
YES = r"(?i:true|false|yes|no)"
NAME = r"[\w./@#:+-]*"
INSIDE = r"(?!/)(?!.*(?:^|/)\.\.(?:/|$))[\w./-]+"  # a path that stays in the project
FILE_ = rf"(?!\w+:|//){INSIDE}"
ADDRESS = r"(?:https?://[^\s<>\"']*)?"
LINKED = r'(?:[^<>]|<a(?: (?:rel="license"|href="https?://[^"<>]*"))*>|</a>|<br ?/?>)*'
SHOUTS = "warn"  # what a build may say of a link that leads nowhere; strict makes it an error
TOGGLE = {"icon": NAME, "name": WORDS}
COLORS = {"media": r"[\w(): -]*", "scheme": NAME, "primary": NAME, "accent": NAME, "toggle": TOGGLE}
THEME = {
    "name": NAME,
    "custom_dir": NAME,  # said below
    **dict.fromkeys(["language", "locale", "logo", "favicon", "direction"], NAME),
    "font": (YES, {None: WORDS}),
    "icon": {None: (NAME, {None: NAME})},
    "palette": (NAME, COLORS, [COLORS]),
    "features": [NAME],
    **dict.fromkeys(["color_mode", "highlightjs", "hljs_style", "navigation_depth"], NAME),
}
SOCIAL = {"icon": NAME, "link": r"(?:https?://|mailto:)[^\s<>\"']*", "name": WORDS}
OPTIONS: dict[str, dict] = {
    "toc": {"permalink": r"(?i:true|false)|[¶#]", "toc_depth": r"[\d-]+", "title": WORDS},
    "footnotes": {},
    "pymdownx.arithmatex": {"generic": YES},
    "pymdownx.caret": {"insert": YES, "superscript": YES},
    "pymdownx.tilde": {"delete": YES, "subscript": YES},
    "pymdownx.emoji": {
        "emoji_index": r"material\.extensions\.emoji\.\w+|",
        "emoji_generator": r"material\.extensions\.emoji\.\w+|",
    },
    "pymdownx.highlight": {"pygments_lang_class": YES, "anchor_linenums": YES},
    "pymdownx.snippets": {
        "base_path": [r"\."],
        "check_paths": "(?i:true|yes)",
        "dedent_subsections": YES,
        "restrict_base_path": "(?i:true|yes)",
    },
    "pymdownx.tabbed": {"alternate_style": "(?i:true|yes)", "combine_header_slug": YES},
    "pymdownx.tasklist": {"custom_checkbox": YES},
    "lockstep.markdown": {},
}
PLAIN_ONES = "abbr admonition attr_list def_list md_in_html tables sane_lists markdown.extensions."
PLAIN_ONES += (
    " pymdownx.betterem pymdownx.details pymdownx.inlinehilite pymdownx.keys pymdownx.mark"
)
PLAIN_ONES += " pymdownx.superfences"
OPTIONS |= {name: {} for name in PLAIN_ONES.split()}
PLUGINS: dict[str, dict] = {
    "search": {"lang": (NAME, [NAME]), "separator": ".*"},
    "privacy": {"assets_fetch": "(?i:false|no)", "assets_exclude": [r"[\w-]+(?:\.[\w-]+)+/.*"]},
    "mkdocs-jupyter": {
        "include": [r"(?:[\w*-]+/)*\*\.ipynb"],
        "ignore": [r"[\w*./-]+"],
        "ignore_h1_titles": YES,
        "cache": YES,
    },
    "lockstep": {
        **dict.fromkeys(
            "search_worker search_synonyms search_asked search_words paper feed".split(), FILE_
        ),
        "formulas": FILE_,
        "search_weights": {None: r"[\d.]+"},
        "colab": ADDRESS,
        "notebooks": [NAME],
    },
}
PLUGINS |= {f"material/{name}": PLUGINS[name] for name in ("search", "privacy")}
SETTINGS: dict = {
    **dict.fromkeys(["site_name", "site_description", "site_author", "repo_name"], WORDS),
    **dict.fromkeys(["site_url", "repo_url"], ADDRESS),
    "edit_uri": r"[\w./?&=-]*",
    "copyright": LINKED,
    **dict.fromkeys(["docs_dir", "site_dir"], INSIDE),
    "strict": "(?i:true|yes)",
    "use_directory_urls": YES,
    "dev_addr": r"[\w.:-]*",
    **dict.fromkeys(["remote_branch", "remote_name"], NAME),
    "watch": [INSIDE],
    # Of what lies below the pages, data alone may stay unpublished.
    "exclude_docs": r"(?:\s*(?:#.*|[\w./*-]+\.(?!md\b)\w+)\s*(?:\n|$))*",
    "validation": {None: (SHOUTS, {None: SHOUTS})},
    "nav": ".*",  # said below
    "theme": (NAME, THEME),
    "extra": {
        "generator": YES,
        **dict.fromkeys(["repository", "homepage"], ADDRESS),
        "social": [SOCIAL],
        "alternate": [{"name": WORDS, "link": NAME, "lang": NAME}],
    },
    "extra_css": [FILE_],
    "extra_javascript": [(FILE_, {"path": FILE_, **dict.fromkeys("defer async".split(), YES),
                                  "type": "module"})],
    "plugins": [(NAME, {})],
    "markdown_extensions": [(NAME, {})],
}  # fmt: skip
KNOWN_ONES = {"plugins": PLUGINS, "markdown_extensions": OPTIONS}

# Python imports these by itself when it starts.
STARTED = {"sitecustomize", "usercustomize"}


def check(root: Path) -> Iterator[Mistake]:
    """Yield what is wrong with the settings of a project, and with names that hide others."""
    found = list(_settings(root))
    yield from found
    said = {(mistake.path, mistake.line) for mistake in found}
    yield from (m for m in _unknown(root) if (m.path, m.line) not in said)
    yield from _hiding(root)


def _unknown(root: Path) -> Iterator[Mistake]:
    """What is not on the whitelist, and words that say more than words may."""
    file = root / FILE
    top = yaml.compose(file.read_text("utf-8"), yaml.SafeLoader) if file.is_file() else None
    if not isinstance(top, yaml.MappingNode):
        return
    own = set(project.of(root).plugins)
    for name, value in top.value:
        line = name.start_mark.line + 1
        if name.value not in SETTINGS:
            if name.value not in KEYS:
                mend = "take it out; what a site may set: lockstep/configured.py"
                yield Mistake(FILE, line, f"the setting {name.value}, which nobody knows", mend)
        elif name.value == "nav":
            yield from _navigation(value)
        elif name.value in KNOWN_ONES:
            yield from _named(value, KNOWN_ONES[name.value], own, name.value)
        else:
            yield from _fits(value, SETTINGS[name.value], name.value)


def _named(node: yaml.Node, known: dict[str, dict], own: set[str], what: str) -> Iterator[Mistake]:
    """Plugins, or extensions of Markdown: a list of names, or of names with options, or these."""
    pairs: list[tuple[yaml.Node, yaml.Node | None]] = []
    for item in node.value if isinstance(node, yaml.SequenceNode) else [node]:
        pairs += item.value if isinstance(item, yaml.MappingNode) else [(item, None)]
    for name, options in pairs:
        said = str(name.value)
        if said in own or (known is OPTIONS and said.startswith("lockstep.")):
            continue
        if said not in known:
            mend = (
                f'take it out; or name it in pyproject.toml: [tool.lockstep] plugins = ["{said}"]'
            )
            yield Mistake(FILE, name.start_mark.line + 1, f"{said} among the {what}", mend)
        elif options is not None and options.value not in ("", "null", "~"):
            yield from _fits(options, known[said], said)


def _navigation(node: yaml.Node) -> Iterator[Mistake]:
    """Names of pages, and pages."""
    if isinstance(node, yaml.SequenceNode):
        for item in node.value:
            yield from _navigation(item)
    elif isinstance(node, yaml.MappingNode):
        for name, value in node.value:
            yield from _fits(name, WORDS, "nav")
            yield from _navigation(value)
    else:
        yield from _fits(node, rf"{INSIDE}|{ADDRESS}", "nav")


def _fits(node: yaml.Node, spec, key: str) -> Iterator[Mistake]:
    """Hold a setting to what it may be."""
    specs = spec if isinstance(spec, tuple) else (spec,)
    line = node.start_mark.line + 1
    if node.tag == "!ENV":
        for value in node.value[1:] if isinstance(node, yaml.SequenceNode) else ():
            yield from _fits(value, spec, key)
        return
    if isinstance(node, yaml.MappingNode):
        one = next((s for s in specs if isinstance(s, dict)), None)
        for name, value in node.value if one is not None else ():
            inner = (one or {}).get(name.value, (one or {}).get(None))
            if inner is None:
                what = f"the setting {name.value} of {key}, which nobody knows"
                mend = "take it out; what a site may set: lockstep/configured.py"
                yield Mistake(FILE, name.start_mark.line + 1, what, mend)
            else:
                yield from _fits(value, inner, str(name.value))
        if one is not None:
            return
    elif isinstance(node, yaml.SequenceNode):
        each = next((s for s in specs if isinstance(s, list)), None)
        for value in node.value if each is not None else ():
            yield from _fits(value, each[0] if each else "", key)
        if each is not None:
            return
    else:
        value = node.tag.partition("python/name:")[2] or str(node.value)
        if any(isinstance(s, str) and re.fullmatch(s, value, re.DOTALL) for s in specs):
            return
        if node.value in ("", "null", "~"):
            return
    said = " ".join(str(node.value).split())[:50] if isinstance(node, yaml.ScalarNode) else "this"
    mend = "write plain words, a path of the project or a switch, as lockstep/configured.py says"
    yield Mistake(FILE, line, f"{said!r} as the setting {key}", mend)


def _settings(root: Path) -> Iterator[Mistake]:
    file = root / FILE
    top = (
        yaml.compose(file.read_text(encoding="utf-8"), yaml.SafeLoader) if file.is_file() else None
    )
    waiting: list[tuple[str, yaml.Node]] = [("", top)] if top else []
    seen: set[int] = set()
    while waiting:
        key, node = waiting.pop()
        if id(node) in seen:
            continue
        seen.add(id(node))
        line = node.start_mark.line + 1
        if node.tag.startswith("tag:yaml.org,2002:python/") and not KNOWN.match(node.tag):
            what = f"a Python name that changes pages: {node.tag.partition('2002:')[2]}"
            yield Mistake(FILE, line, what, PLAIN)
        if isinstance(node, yaml.SequenceNode):
            waiting += [(key, value) for value in node.value]
        elif isinstance(node, yaml.MappingNode):
            for name, value in node.value:
                waiting.append((str(name.value), value))
                if name.value in KEYS:
                    yield Mistake(FILE, name.start_mark.line + 1, *KEYS[name.value])
        elif key == "custom_dir" and str(node.value).strip("./") != TEMPLATES:
            what = f"templates in {node.value}, which nobody reviews"
            yield Mistake(FILE, line, what, f"move them to {TEMPLATES}/")
        elif key in {"extra_javascript", "extra_css"} and re.match(r"(?:\w+:)?//", node.value):
            what = f"a file of another host: {node.value}"
            yield Mistake(FILE, line, what, "put it below docs/, where it is reviewed")


def _hiding(root: Path) -> Iterator[Mistake]:
    """A module in the root whose name is Python's: a run would import it in the other's place."""
    ours = set(project.of(root).sources)
    for file in sorted(root.iterdir()):
        # Sources without an __init__ give way to a module of their folder's name.
        inner = "__init__.*" if file.name in ours else "*.py"
        package = file.is_dir() and next(file.glob(inner), None) is not None
        if file.suffix != ".py" and not package:
            continue
        name = file.stem
        if name in STARTED or name in sys.stdlib_module_names or (_installed(root, name, ours)):
            what = f"{name} hides the module of that name from every page"
            yield Mistake(file.relative_to(root).as_posix(), 1, what, "give it another name")


def _installed(root: Path, name: str, ours: set[str]) -> bool:
    """Whether a package of that name is installed, which a page may mean."""
    if name in ours or name.startswith("lockstep") or name in {"conftest", "tests", "setup"}:
        return False
    for place in map(Path, filter(None, sys.path)):
        if "site-packages" in place.parts or "dist-packages" in place.parts:
            if (place / name).is_dir() or (place / f"{name}.py").is_file():
                return (place / name).resolve() != (root / name).resolve()
    return False

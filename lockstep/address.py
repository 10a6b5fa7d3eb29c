"""The address of the project's repository, by its one setting: ``extra.repository`` in mkdocs.yml.

``!ENV [REPOSITORY, ""]`` there lets a deployment give it. Links to sources, the notebook on Colab
and whose runs ``lockstep verify`` accepts all come from here.
"""

import os
import re
import subprocess
import tomllib
from contextlib import suppress
from pathlib import Path

import yaml

GITHUB = re.compile(r"(?:https://|ssh://git@|git@)github\.com[/:]([\w.-]+/[\w.-]+?)(?:\.git)?/?")


def setting(root: Path) -> str:
    """Return the address, or "" where it is not set."""
    return _set(root, "extra", "repository")


def _set(root: Path, *names: str) -> str:
    file = root / "mkdocs.yml"
    node = yaml.compose(file.read_text("utf-8"), yaml.SafeLoader) if file.is_file() else None
    for name in names:
        rows = node.value if isinstance(node, yaml.MappingNode) else []
        node = next((value for key, value in rows if key.value == name), None)
    if isinstance(node, yaml.SequenceNode):  # !ENV [NAME, NAME, the default]
        *given, default = [value.value for value in node.value]
        return next((os.environ[name] for name in given if name in os.environ), default).rstrip("/")
    return node.value.rstrip("/") if node else ""


def own(root: Path) -> re.Pattern[str]:
    """Return a pattern of the addresses that are the project's own, a fork's among them.

    Those of its settings, and of a repository by the name of its package.
    """
    places = [re.escape(place.rstrip("/")) for place in (setting(root), _site(root)) if place]
    file = root / "pyproject.toml"
    with suppress(tomllib.TOMLDecodeError, OSError, AttributeError):
        if name := tomllib.loads(file.read_text(encoding="utf-8")).get("project", {}).get("name"):
            name = re.escape(name)
            places += [
                rf"https?://(?:www\.)?(?:github\.com|gitlab\.com|codeberg\.org|bitbucket\.org)"
                rf"/[\w.-]+/{name}(?:\.git)?",
                rf"https?://(?:raw\.githubusercontent\.com|cdn\.jsdelivr\.net/gh"
                rf"|colab\.research\.google\.com/github)/[\w.-]+/{name}(?:@[^/]*)?",
                rf"https?://[\w-]+\.(?:github|gitlab)\.io/{name}",
                rf"https?://{name}\.(?:github\.io|readthedocs\.io|pages\.dev)",
                rf"https?://(?:www\.)?pypi\.org/project/{name}",
            ]
    return re.compile(rf"(?:{'|'.join(places) or '$^'})(?:[/?#]|$)", re.IGNORECASE)


def _site(root: Path) -> str:
    """Return the site's address, or "" where it is not set or this machine's."""
    said = _set(root, "site_url")
    return "" if re.match(r"https?://(?:localhost|[\d.]+|\[)", said) else said


def on_github(address: str) -> str:
    """Return OWNER/NAME of an address, or "" where that is not GitHub's."""
    found = GITHUB.fullmatch(address.strip())
    return found[1] if found else ""


def origin(root: Path) -> str:
    """Return the address that this clone came from, or ""."""
    command = ["git", "-C", str(root), "config", "--get", "remote.origin.url"]
    try:
        return subprocess.run(command, capture_output=True, text=True).stdout.strip()
    except OSError:  # there is no git
        return ""

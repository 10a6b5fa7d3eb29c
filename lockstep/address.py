"""The address of the project's repository, by its one setting: ``extra.repository`` in mkdocs.yml.

``!ENV [REPOSITORY, ""]`` there lets a deployment give it. Links to sources, the notebook on Colab
and whose runs ``lockstep verify`` accepts all come from here.
"""

import os
import re
import subprocess
from pathlib import Path

import yaml

GITHUB = re.compile(r"(?:https://|ssh://git@|git@)github\.com[/:]([\w.-]+/[\w.-]+?)(?:\.git)?/?")


def setting(root: Path) -> str:
    """Return the address, or "" where it is not set."""
    file = root / "mkdocs.yml"
    node = yaml.compose(file.read_text("utf-8"), yaml.SafeLoader) if file.is_file() else None
    for name in ("extra", "repository"):
        rows = node.value if isinstance(node, yaml.MappingNode) else []
        node = next((value for key, value in rows if key.value == name), None)
    if isinstance(node, yaml.SequenceNode):  # !ENV [NAME, NAME, the default]
        *names, default = [value.value for value in node.value]
        return next((os.environ[name] for name in names if name in os.environ), default).rstrip("/")
    return node.value.rstrip("/") if node else ""


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

"""Packs the wheel of this folder: a build backend (PEP 517) with nothing to install.

The folder is the package ``stepper`` in the wheel. Beside it the wheel has ``stepper.pth``, by
which Python looks at the environment variable STEPPER when it starts.
"""

import base64
import hashlib
import io
import tarfile
import tomllib
import zipfile
from pathlib import Path

HERE = Path(__file__).parent
LEFT_OUT = {"packing.py"}
PTH = 'import os; os.environ.get("STEPPER") and __import__("stepper").install_from_environment()\n'
STAMP = (2026, 1, 1, 0, 0, 0)  # the same bytes from the same files, whenever it is packed


def project():
    """The project's table of pyproject.toml."""
    return tomllib.loads((HERE / "pyproject.toml").read_text(encoding="utf-8"))["project"]


def sources():
    """The modules of the package, by name."""
    return sorted(p for p in HERE.glob("*.py") if p.name not in LEFT_OUT)


def metadata():
    p = project()
    lines = [
        "Metadata-Version: 2.4",
        f"Name: {p['name']}",
        f"Version: {p['version']}",
        f"Summary: {p['description']}",
        f"Keywords: {','.join(p['keywords'])}",
        f"License-Expression: {p['license']}",
        "License-File: LICENSE",
        f"Requires-Python: {p['requires-python']}",
        "Description-Content-Type: text/markdown",
        "",
        (HERE / p["readme"]).read_text(encoding="utf-8"),
    ]
    return "\n".join(lines)


def entry_points():
    p = project()
    text = "[console_scripts]\n" + "".join(f"{k} = {v}\n" for k, v in p["scripts"].items())
    for group, entries in p["entry-points"].items():
        text += f"\n[{group}]\n" + "".join(f"{k} = {v}\n" for k, v in entries.items())
    return text


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    p = project()
    stem = f"{p['name'].replace('-', '_')}-{p['version']}"
    info = f"{stem}.dist-info"
    files = {f"stepper/{s.name}": s.read_bytes() for s in sources()}
    files["stepper.pth"] = PTH.encode()
    files[f"{info}/METADATA"] = metadata().encode()
    files[f"{info}/entry_points.txt"] = entry_points().encode()
    files[f"{info}/licenses/LICENSE"] = (HERE / "LICENSE").read_bytes()
    files[f"{info}/WHEEL"] = (
        b"Wheel-Version: 1.0\nGenerator: stepper packing\n"
        b"Root-Is-Purelib: true\nTag: py3-none-any\n"
    )
    record = []
    for name, data in files.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
        record.append(f"{name},sha256={digest},{len(data)}")
    record.append(f"{info}/RECORD,,")
    files[f"{info}/RECORD"] = ("\n".join(record) + "\n").encode()
    name = f"{stem}-py3-none-any.whl"
    with zipfile.ZipFile(Path(wheel_directory) / name, "w", zipfile.ZIP_DEFLATED) as wheel:
        for path, data in files.items():
            entry = zipfile.ZipInfo(path, STAMP)
            entry.compress_type, entry.external_attr = zipfile.ZIP_DEFLATED, 0o644 << 16
            wheel.writestr(entry, data)
    return name


def build_sdist(sdist_directory, config_settings=None):
    p = project()
    stem = f"{p['name'].replace('-', '_')}-{p['version']}"
    extra = ("pyproject.toml", "packing.py", "README.md", "CHANGELOG.md", "LICENSE")
    name = f"{stem}.tar.gz"
    with tarfile.open(Path(sdist_directory) / name, "w:gz", format=tarfile.PAX_FORMAT) as archive:
        for path in [*sources(), *(HERE / e for e in extra), *sorted(HERE.glob("tests/*.py"))]:
            archive.add(path, f"{stem}/{path.relative_to(HERE)}")
        data = metadata().encode()
        entry = tarfile.TarInfo(f"{stem}/PKG-INFO")
        entry.size = len(data)
        archive.addfile(entry, io.BytesIO(data))
    return name

"""python tools/assets.py: fill docs/assets/vendor with what the site serves and does not write.

Fonts, KaTeX's styles and Pyodide come from node_modules; the panel of "Run here" is bundled from
web/run-here, and the stepper that it runs is packed from simulator; the scripts and the style
sheets of each page become one file of each kind. The site serves them itself, so that a reader's
browser asks no other host. A file is written only when it differs; a file that is no longer wanted
is removed.
"""

import hashlib
import io
import json
import os
import re
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
FONTS = {
    "inter": ("inter-latin-400-normal", "inter-latin-700-normal"),
    "jetbrains-mono": ("jetbrains-mono-latin-400-normal",),
}


# Kerning, marks, the forms of languages, and figures of one width for tables
FEATURES = ["kern", "mark", "mkmk", "ccmp", "locl", "tnum"]
# What English sets in bold beside ASCII: other letters come from the fallback
ENGLISH = "".join(map(chr, range(127))) + "\u00a0°²³µ·×éèöüäç–—‘’“”…→−≤≥"
# Of the two fonts of nearly every formula, what formulas here are written with: whole, they were a
# sixth of such a page. tests/test_weight.py names what a formula has and this has not.
SIGNS = "abcdefghijklmnopqrstuvwxyz0123456789()[]+-=<>/.,:;!|×·−≤≥≈→∂∇π⋅ˉ"
LETTERS = "abcdefghijklmnopqrstuvwxyzABCEFHLNOTXαπφ"
MATHS = {"KaTeX_Main-Regular": SIGNS + "EFHX", "KaTeX_Math-Italic": LETTERS}
PYODIDE = ("pyodide.mjs", "pyodide.asm.mjs", "pyodide.asm.wasm", "python_stdlib.zip")
PYODIDE_NOTICE = """\
Pyodide {version}, under the Mozilla Public License 2.0: https://www.mozilla.org/MPL/2.0/
Its source is at https://github.com/pyodide/pyodide
It holds CPython, under the Python Software Foundation License: https://docs.python.org/3/license.html
"""

OWN = ("search-start.js", "search-worker.js", "site.js", "site.css")  # not of Run here


def wanted(root: Path) -> dict[str, bytes]:
    """Return what docs/assets/vendor holds: its paths, and the bytes of each.

    Raises:
        FileNotFoundError: a package of package.json is not installed, or there is no node.
    """
    modules, files = root / "node_modules", {}
    for family, names in FONTS.items():
        package = modules / "@fontsource" / family
        for name in names:
            font = (package / f"files/{name}.woff2").read_bytes()
            files[f"fonts/{name}.woff2"] = smaller(root, font, ENGLISH if "700" in name else None)
        files[f"fonts/{family}-LICENSE.txt"] = (package / "LICENSE").read_bytes()
    katex = modules / "katex"
    # Each browser that this site supports reads woff2: the older formats are not shipped.
    css = (katex / "dist/katex.min.css").read_text(encoding="utf-8")
    css = re.sub(r',url\([^)]+\.(?:woff|ttf)\) format\("[a-z]+"\)', "", css)
    files["katex/katex.min.css"] = css.encode()
    for font in sorted((katex / "dist/fonts").glob("*.woff2")):
        files[f"katex/fonts/{font.name}"] = smaller(root, font.read_bytes(), MATHS.get(font.stem))
    files["katex/LICENSE.txt"] = (katex / "LICENSE").read_bytes()
    shim = modules / "iframe-worker"  # MIT, as its first lines say
    files["iframe-worker.js"] = (shim / "shim/index.js").read_bytes()
    return files | pyodide(modules / "pyodide") | run_here(root) | pictures(root)


def pictures(root: Path) -> dict[str, bytes]:
    """Return what a link to each page shows elsewhere, kept in .cache/cards while it is alike."""
    sys.path.insert(0, str(root))  # run as a program, its folder alone is on the path
    from tools.cards import DRAWINGS, FOLDER, Painter, titles

    logo, tools = root / "docs/assets/logo.svg", Path(__file__).parent
    own = [tools / "cards.py", tools / "drawing.py", logo]
    own += [root / FOLDER / f"{name}-light.svg" for name in sorted(DRAWINGS.values())]
    inter = root / "node_modules/@fontsource/inter/files"
    fonts = {w: (inter / f"inter-latin-{w}-normal.woff2").read_bytes() for w in (400, 700)}
    state = hashlib.sha256(b"".join([*fonts.values(), *(file.read_bytes() for file in own)]))

    painter, files = None, {}
    for page, said in titles(root).items():
        name = hashlib.sha256(state.digest() + repr(said).encode()).hexdigest()[:24]
        kept = root / f".cache/cards/{name}.png"
        if not kept.is_file():
            painter = painter or Painter(fonts, logo)
            kept.parent.mkdir(parents=True, exist_ok=True)
            part = kept.with_suffix(f".{os.getpid()}")
            part.write_bytes(painter.card(*said))
            part.replace(kept)
        files[f"cards/{page}.png"] = kept.read_bytes()
    return files


def smaller(root: Path, font: bytes, only: str | None = None) -> bytes:
    """Return a font with its characters, or with some of them, less old hints and ligatures.

    The site turns ligatures of code off. A sixth of what a first visit weighs goes with them. It
    takes a second or two, so what it made of a font is kept in .cache/fonts.
    """
    kept = (
        root
        / ".cache/fonts"
        / hashlib.sha256(repr((FEATURES, only or "")).encode() + font).hexdigest()
    )
    if not kept.is_file():
        from fontTools import subset
        from fontTools.ttLib import TTFont

        options = subset.Options(flavor="woff2", hinting=False, layout_features=FEATURES)
        options.drop_tables += ["STAT"]
        tool = subset.Subsetter(options)
        loaded = TTFont(io.BytesIO(font), recalcTimestamp=False)
        wanted = [c for c in loaded.getBestCmap() if only is None or chr(c) in only]
        tool.populate(unicodes=wanted)
        tool.subset(loaded)
        out = io.BytesIO()
        loaded.flavor = "woff2"
        loaded.save(out)
        kept.parent.mkdir(parents=True, exist_ok=True)
        part = kept.with_suffix(f".{os.getpid()}")
        part.write_bytes(out.getvalue())
        part.replace(kept)
    return kept.read_bytes()


def pyodide(package: Path) -> dict[str, bytes]:
    """Return Pyodide, less its list of packages: none is loaded, so none is named."""
    files = {}
    for name in PYODIDE:
        data = (package / name).read_bytes()
        if name.endswith(".mjs"):  # the maps are not shipped
            data = re.sub(rb"\n//# sourceMappingURL=\S+", b"", data)
        files[f"pyodide/{name}"] = data
    lock = json.loads((package / "pyodide-lock.json").read_text(encoding="utf-8"))
    files["pyodide/pyodide-lock.json"] = json.dumps(lock | {"packages": {}}).encode()
    version = json.loads((package / "package.json").read_text(encoding="utf-8"))["version"]
    files["pyodide/LICENSE.txt"] = PYODIDE_NOTICE.format(version=version).encode()
    return files


def run_here(root: Path) -> dict[str, bytes]:
    """Return the panel, its worker, the stepper as an archive, and the list of what it loads."""
    modules, files = root / "node_modules", {}
    # `make` installs node beside Python where the machine has none.
    node = shutil.which("node") or shutil.which("node", path=str(Path(sys.executable).parent))
    if not node:
        raise FileNotFoundError(2, "there is no node", "node")
    command = [node, str(root / "tools/bundle.mjs")]
    done = subprocess.run(command, cwd=root, capture_output=True, text=True, encoding="utf-8")
    if done.returncode:
        sys.exit(f"assets: {done.stderr.strip()}")
    for name, text in json.loads(done.stdout).items():
        folder = "" if name in OWN else "run-here/"
        files[folder + name] = text.encode()
    files["run-here/stepper.zip"] = archive(
        {
            "session.py": root / "web/run-here/session.py",
            **{
                file.relative_to(root).as_posix(): file
                for file in (
                    root / "simulator/__init__.py",
                    root / "simulator/grade.py",
                    root / "simulator/ranks.py",
                    *(root / "simulator/stepper").glob("*.py"),
                )
            },
        }
    )
    compiler = [root / "simulator/larger.py", *(root / "simulator/wgsl").glob("*.py")]
    files["run-here/wgsl.zip"] = archive({f.relative_to(root).as_posix(): f for f in compiler})
    files["run-here/roofline.json"] = lessons_kernels(root)
    licenses = [
        f"{file.parent.relative_to(modules).as_posix()}\n\n{file.read_text(encoding='utf-8').strip()}"
        for scope in ("@codemirror", "@lezer", "@marijn", "crelt", "style-mod", "w3c-keyname")
        for file in sorted((modules / scope).rglob("LICENSE"))
    ]
    files["run-here/LICENSE.txt"] = ("\n\n---\n\n".join(licenses) + "\n").encode()
    files["run-here/snapshot.bin"] = snapshot(root, node, files["run-here/stepper.zip"])
    # What the panel fetches first, with its size, so that it can say how far it is.
    big = {f"pyodide/{name}": (modules / "pyodide" / name).stat().st_size for name in PYODIDE[2:]}
    big["run-here/snapshot.bin"] = len(files["run-here/snapshot.bin"])
    files["run-here/files.json"] = json.dumps(big).encode()
    return files


def lessons_kernels(root: Path) -> bytes:
    """Return the kernels that "My GPU" runs, as WGSL for a card and for a software adapter."""
    sys.path.insert(0, str(root))
    from simulator.hardware.webgpu_shaders import for_page

    sizes = {"large": (1 << 25, 1024, 1024), "small": (1 << 16, 64, 4)}
    return json.dumps({name: for_page(*size) for name, size in sizes.items()}).encode()


def snapshot(root: Path, node: str, stepper: bytes) -> bytes:
    """Return Pyodide's memory with the stepper in it, kept in .cache/snapshot while both are alike.

    It takes about ten seconds, and saves each reader some of them.
    """
    program, package = root / "tools/snapshot.mjs", root / "node_modules/pyodide"
    state = hashlib.sha256(program.read_bytes() + stepper)
    for name in PYODIDE:
        state.update((package / name).read_bytes())
    kept = root / ".cache/snapshot" / state.hexdigest()[:16]
    if not kept.is_file():
        kept.parent.mkdir(parents=True, exist_ok=True)
        part = kept.with_suffix(f".{os.getpid()}")
        part.write_bytes(stepper)
        done = subprocess.run([node, str(program), str(part)], cwd=root, capture_output=True)
        if done.returncode:
            part.unlink()
            sys.exit(f"assets: no snapshot of Pyodide: {done.stderr.decode()[-2000:]}")
        part.write_bytes(done.stdout)
        part.replace(kept)
    return kept.read_bytes()


def archive(files: dict[str, Path]) -> bytes:
    """Return a zip file of these files; the same files give the same bytes."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as out:
        for name in sorted(files):
            out.writestr(zipfile.ZipInfo(name), files[name].read_bytes(), zipfile.ZIP_DEFLATED)
    return buffer.getvalue()


def copy(root: Path = ROOT) -> int:
    """Bring docs/assets/vendor up to date and return how many files changed."""
    files = wanted(root)
    vendor, changed = root / "docs/assets/vendor", 0
    for name, data in files.items():
        file = vendor / name
        if not file.is_file() or file.read_bytes() != data:
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(data)
            changed += 1
    for file in vendor.rglob("*"):
        if file.is_file() and file.relative_to(vendor).as_posix() not in files:
            file.unlink()
            changed += 1
    return changed


if __name__ == "__main__":
    try:
        copy()
    except FileNotFoundError as error:
        sys.exit(f"assets: {error.filename} is missing: run npm ci")

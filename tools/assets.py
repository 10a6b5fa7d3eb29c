"""python tools/assets.py: copy fonts and KaTeX's styles from node_modules into docs/assets/vendor.

The site serves them itself, so that a reader's browser asks no other host. A file is written only
when it differs; a file that is no longer wanted is removed.
"""

import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
FONTS = {
    "inter": ("inter-latin-400-normal", "inter-latin-700-normal"),
    "jetbrains-mono": ("jetbrains-mono-latin-400-normal",),
}


def wanted(modules: Path) -> dict[str, bytes]:
    """Return what docs/assets/vendor holds: its paths, and the bytes of each.

    Raises:
        FileNotFoundError: a package of package.json is not installed under ``modules``.
    """
    files = {}
    for family, names in FONTS.items():
        package = modules / "@fontsource" / family
        for name in names:
            files[f"fonts/{name}.woff2"] = (package / f"files/{name}.woff2").read_bytes()
        files[f"fonts/{family}-LICENSE.txt"] = (package / "LICENSE").read_bytes()
    katex = modules / "katex"
    # Each browser that this site supports reads woff2: the older formats are not shipped.
    css = (katex / "dist/katex.min.css").read_text(encoding="utf-8")
    css = re.sub(r',url\([^)]+\.(?:woff|ttf)\) format\("[a-z]+"\)', "", css)
    files["katex/katex.min.css"] = css.encode()
    for font in sorted((katex / "dist/fonts").glob("*.woff2")):
        files[f"katex/fonts/{font.name}"] = font.read_bytes()
    files["katex/LICENSE.txt"] = (katex / "LICENSE").read_bytes()
    return files


def copy(root: Path = ROOT) -> int:
    """Bring docs/assets/vendor up to date and return how many files changed."""
    files = wanted(root / "node_modules")
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

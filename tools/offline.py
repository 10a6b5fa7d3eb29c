"""python tools/offline.py [ZIP]: build the site that opens from the file system, as one archive."""

import os
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
FOLDER = "lockstep"  # in the archive


def main(archive: Path) -> int:
    """Build, pack, and return the exit code of the build."""
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet"]
        command += ["-f", ROOT / "mkdocs-offline.yml", "-d", folder]
        env = os.environ | {"NO_MKDOCS_2_WARNING": "1"}
        if code := subprocess.call(command, cwd=ROOT, env=env):
            return code
        archive.parent.mkdir(parents=True, exist_ok=True)
        part = archive.with_suffix(".part")
        with zipfile.ZipFile(part, "w", zipfile.ZIP_DEFLATED) as out:
            for file in sorted(Path(folder).rglob("*")):
                if file.is_file() and file.suffix != ".map":
                    out.write(file, f"{FOLDER}/{file.relative_to(folder).as_posix()}")
        part.replace(archive)
    size = archive.stat().st_size / 1e6
    print(f"{archive.name}: {size:.1f} MB. Unpack it and open {FOLDER}/index.html.")
    return 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1] if len(sys.argv) > 1 else ROOT / "dist/lockstep-site.zip")))

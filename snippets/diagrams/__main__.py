"""Write every picture: python -m snippets.diagrams [NAME ...]"""

import sys
from importlib import import_module
from pkgutil import iter_modules

from snippets import diagrams
from snippets.diagrams import common

names = [m.name for m in iter_modules(diagrams.__path__) if m.name not in {"common", "__main__"}]
for name in sys.argv[1:] or names:
    for path in common.write(
        name.replace("_", "-"), import_module(f"snippets.diagrams.{name}").draw
    ):
        print(path.relative_to(common.FOLDER.parents[2]))

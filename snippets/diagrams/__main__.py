"""Write every picture: python -m snippets.diagrams [NAME ...]"""

import sys
from importlib import import_module

from snippets import diagrams
from snippets.diagrams import common, palette, panels, terms

lessons, of_terms = panels.names(diagrams), panels.names(terms)

for name in sys.argv[1:] or sorted({*lessons, *of_terms}):
    name, paths = name.replace("-", "_"), []
    if name in lessons:
        draw = import_module(f"snippets.diagrams.{name}").draw
        paths += palette.write(name.replace("_", "-"), draw)
    if name in of_terms:
        draw = import_module(f"snippets.diagrams.terms.{name}").draw
        paths.append(panels.write(name.replace("_", "-"), draw()))
    if not paths:
        sys.exit(f"no script draws {name}. To mend: write snippets/diagrams/terms/{name}.py")
    for path in paths:
        print(path.relative_to(common.ROOT))

"""Record every figure that moves: python -m snippets.motion [NAME ...]"""

import sys
from importlib import import_module

from snippets import motion

motion.FOLDER.mkdir(parents=True, exist_ok=True)
for name in sys.argv[1:] or motion.names():
    module = import_module(f"snippets.motion.{name.replace('-', '_')}")
    path = motion.FOLDER / f"{name.replace('_', '-')}.json"
    path.write_text(motion.text(module.record()), encoding="utf-8")
    print(path.relative_to(motion.ROOT))

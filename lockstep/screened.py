"""The packages that run a page, kept from its code by whatever name it asks for them.

A page runs in a process that has imported the core, and the project's own packages: its reader has
neither. ``import lockstep`` in a block is found by its text; ``pkgutil.resolve_name("lockstep.x")``
is not, nor is what looks through ``sys.modules``. So while a page runs, each such module has a
stand-in there. It is the module to those packages' own code, and nothing to any other.
"""

import sys
from collections.abc import Collection, Container
from types import FrameType, ModuleType
from typing import Any

CORE = __name__.partition(".")[0]
LACKS = "shown code imports {}, which its reader does not have"
MEND = "show what is needed of it on the page, or do without"


class Screen:
    """``packages``: the names of the project's own. ``files``: those that a page shows."""

    def __init__(self, packages: Collection[str], files: Container[str]):
        self.packages, self.files = {CORE, *packages}, files
        self._folders: tuple[str, ...] = ()
        self.said: list[str] = []  # of what was asked for: who asks by others may not be told

    def owns(self, name: str) -> bool:
        return name.partition(".")[0] in self.packages

    def drop(self) -> None:
        """Put a stand-in in the place of each module of the packages that is loaded by now."""
        found = {n: m for n, m in sys.modules.items() if self.owns(n) and type(m) is ModuleType}
        places = {str(place) + "/" for m in found.values() for place in getattr(m, "__path__", ())}
        self._folders += tuple(places - {*self._folders})
        for name, module in found.items():
            sys.modules[name] = _stand_in(module, self)  # type: ignore[assignment]

    def refuse(self, name: str) -> str:
        """Return why a module is not to be had, and keep that."""
        self.said.append(f"{LACKS.format(name)}: {MEND}")
        return self.said[-1]

    def lacks(self, frame: FrameType | None) -> bool:
        """Whether a page's code asks, by whomever: one of the packages has not asked before it."""
        while frame:
            name = frame.f_code.co_filename
            if name in self.files:
                return True
            if name.startswith(self._folders):
                return False
            frame = frame.f_back
        return True  # a thread that the page has started


def _stand_in(module: ModuleType, screen: Screen) -> object:
    name, frame = module.__name__, sys._getframe

    class StandIn:
        def __getattribute__(self, key: str) -> Any:
            asks = frame(1)
            if not screen.lacks(asks):
                return getattr(module, key)
            # What imports it asks for this, and takes any other error for none.
            file = asks.f_code.co_filename
            if key == "__spec__" and (file in screen.files or "importlib" in file):
                raise ImportError(screen.refuse(name))
            raise AttributeError(screen.refuse(name))

        def __setattr__(self, key: str, value: Any) -> None:
            if screen.lacks(frame(1)):
                raise AttributeError(screen.refuse(name))
            setattr(module, key, value)

        def __delattr__(self, key: str) -> None:
            if screen.lacks(frame(1)):
                raise AttributeError(screen.refuse(name))
            delattr(module, key)

    return StandIn()

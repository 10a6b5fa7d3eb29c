"""Names: what one is in a text of WGSL, and how those are made that nothing else has.

Python's names are WGSL's, letters outside ASCII with them (Unicode's XID). Python has normalized
those of a syntax tree (NFKC), WGSL compares them as they are. A variable's name is the reader's,
as far as it is free: no word of WGSL, and no other thing that the module or the function has.
"""

import re

from .helpers import RESERVED
from .wide import ALIAS, WIDE_HELPERS

WORD = re.compile(r"(?<![.\w])[^\W\d]\w*")  # no field, and no part of a number


def words(text):
    """The names in lines of WGSL; what a comment says is none."""
    return set(WORD.findall(re.sub("//.*", "", text)))


def spelled(name, otherwise="value"):
    """A name with nothing in it that a pattern takes for something else.

    A combining mark is part of a name, and no letter; WGSL has no names that begin with two
    underscores or with a digit, in whatever script.
    """
    name = re.sub(r"\W", "_", name).lstrip("_") or otherwise
    return name if WORD.match(name) else f"value_{name}"


class Names:
    """The names of a module: its own, which all its functions see, and those inside them."""

    def __init__(self):
        self.own = RESERVED | ALIAS.keys() | WIDE_HELPERS.keys()
        self.inner = set()

    def fresh(self, name):
        """A name for a thing of the module: no function may hide it."""
        name = spelled(name)
        made, k = name, 1
        while made in self.own or made in self.inner:
            made, k = f"{name}_{k}", k + 1
        self.own.add(made)
        return made

    def claim(self, name):
        """Whether a thing of the module may have this very name, which it has from then on."""
        free = name == spelled(name) and name not in self.own | self.inner
        if free:
            self.own.add(name)
        return free

    def inside(self, name, taken):
        """A name for a variable of a function, which has those that are ``taken``."""
        while name in self.own or name in taken:
            name += "_"
        taken.add(name)
        self.inner.add(name)
        return name

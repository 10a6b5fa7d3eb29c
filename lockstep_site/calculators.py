"""Calculators in a page: ``[[calculator:plan]]`` and others, each on a line of its own.

Each becomes an empty form, which the script of its name in ``docs/assets/js`` fills; without
JavaScript the page's own code is there. ``plan``: what a GPU keeps and receives in a training that
is spread over many. ``ranks``: a timeline of ranks and links. ``plate`` and ``tunnel``, both in
``live.js``: heat and waves on a plate, and a wind tunnel, as they run.
"""

import re

from lockstep.page import Mistake, PageError
from lockstep.parts import Part

MARKER = re.compile(r"^\[\[calculator:(?P<name>[a-z]+)\]\][ \t]*$")
LABELS = {
    "plan": "Memory and traffic of a training",
    "ranks": "Ranks and links, as a timeline",
    "plate": "Heat and waves on a plate, live",
    "tunnel": "A wind tunnel, live",
}


class CalculatorsPart(Part):
    """Forms that compute in the page."""

    name = "calculators"
    marker = MARKER

    def render(self, marker: re.Match, site, folder: str, plain: bool) -> str:
        name = marker["name"]
        if name not in LABELS:
            what = f"there is no calculator {name!r} (there are: {', '.join(LABELS)})"
            raise PageError([Mistake(folder, 1, what, "correct the name: nothing is called so")])
        if plain:
            return f"*{LABELS[name]}: a calculator, on the page in a browser.*"
        return f'<form class="{name}" data-search-exclude hidden></form>'

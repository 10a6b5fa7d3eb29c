"""What this site's own programs write into pages, beside prose: tags and classes."""

import re
from pathlib import Path

from lockstep import rendered

# Quizzes and exercises, the roadmap, the glossary, the map, the ways in.
TAGS = {
    "a": {"data-term", "data-platform", "data-item"},
    "button": {"type", "data-progress"},
    "dl": set(),
    "div": {
        *"data-platform data-title data-exercise data-list data-item".split(),
        *"data-graded data-run data-label".split(),
    },
    "figure": {"data-play", "data-schedule", "data-motion"},
    "details": {"data-bet", "data-low", "data-high", "data-unit", "data-card", "data-told"},
    "fieldset": set(),
    "form": {"data-quiz", "data-exercise"},
    "i": {"data-item"},
    "input": {
        *"data-done data-solved aria-label autocomplete spellcheck placeholder accept".split()
    },
    "label": {"title"},
    "legend": set(),
    "li": {"data-aliases", "data-item"},
    "option": {"value"},
    "p": {"data-run"},
    "select": {"name"},
    "span": {"data-platform", "data-of", "data-puzzle"},
    "td": {"data-eq", "data-claim", "data-unverified"},
    "ul": {"data-list"},
}
CLASSES = """
about cards chart cheat chip continue entries entry__names entry__text exercise exercise__done facts
finder folded further go grid hero hero__lead hero__ways hint item item--planned item--written
item__id item__meta item__state item__time item__title items letters map map--all map-filter
map-filter__said map-filter__scripted map__claim map__eq map__eq--close map__eq--exact
map__eq--metal-only map__eq--none map__eq--partial map__id map__small md-button
md-button--primary names needs needs__graph needs__page phase phase__bars phase__done planned plot
progress progress__said progress__tools quiz quiz__act quiz__answer quiz__number quiz__question
quiz__said quiz__verdict quiz__why right score score__said solution source sources term terms
tick tick__next tick__ways unverified uses warp ways written wrong
"""

# Kinds of boxes, and what pages type as HTML: the front page, the cheat sheets, the graded ones.
BOXES = set("bet quiz hint solution folded told told--more".split())
TYPED = {
    "div": {
        "data-search-exclude": "(?:data-search-exclude)?",
        "data-graded": r"[\w-]+",
        "data-run": r"x-[\w-]+",
        "data-label": "Solve it here",
    }
}
TYPED_CLASSES = {name: {"div"} for name in "beside cheat finder hero hero__play messages".split()}
TYPED_CLASSES |= {name: {"div"} for name in ("graded", "graded__act")}
TYPED_CLASSES |= {name: {"p"} for name in ("caption", "hero__lead", "hero__ways")}
TYPED_CLASSES |= {"continue": {"a"}, "warp": {"figure"}}

SELECTOR = re.compile(r"\.([a-z][\w-]*)(?=[^{}]*\{)")
IDS = re.compile(r"#([a-z][\w-]*)(?=[^{};]*\{)")


def allow(root: Path) -> None:
    """Allow them, and the classes that this site's style sheets know; those are reviewed."""
    styled, ids = set(CLASSES.split()), set()
    for sheet in (root / "docs/assets/css").glob("*.css"):
        text = sheet.read_text(encoding="utf-8")
        found = SELECTOR.findall(text)
        styled |= {name for name in found if not name.startswith("md-")}
        ids |= set(IDS.findall(text))
    rendered.allow(TAGS, styled, boxes=BOXES, typed=TYPED, typed_classes=TYPED_CLASSES, taken=ids)

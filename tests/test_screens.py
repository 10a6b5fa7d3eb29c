"""Pictures of the site for people to look at: artifacts/screens/, written by each run."""

import pytest

from tests.pages import PAGES, ROOT, first, switch, url_of

FOLDER = ROOT / "artifacts/screens"
SHOWN = {
    "home": "docs/index.md",
    "roadmap": "docs/roadmap/index.md",
    "lesson": "docs/roadmap/foundation/vector-add.md",
    "glossary": "docs/glossary/index.md",
    "metal": "docs/metal/index.md",
    "evidence": "docs/evidence/index.md",
}
SHOWN |= {kind: page.path for kind in ("term", "map", "lab") if (page := first(kind))}
TALLEST = 6000  # pixels: of a list with hundreds of rows, nobody looks at each
SIZES = {"phone": (390, 844), "desktop": (1440, 900)}


@pytest.mark.parametrize("name", SHOWN)
def test_pages_are_pictured(name, context, server):
    page = next(page for page in PAGES if page.path == SHOWN[name])
    tab = context.new_page()
    FOLDER.mkdir(parents=True, exist_ok=True)
    for size, (width, height) in SIZES.items():
        tab.set_viewport_size({"width": width, "height": height})
        tab.goto(url_of(page, server))
        tab.wait_for_load_state("networkidle")
        for scheme in ("light", "dark"):
            switch(tab, scheme)
            tall = min(TALLEST, tab.evaluate("document.documentElement.scrollHeight"))
            picture = tab.screenshot(
                path=FOLDER / f"{name}-{size}-{scheme}.png",
                full_page=True,
                clip={"x": 0, "y": 0, "width": width, "height": tall},
            )
            assert len(picture) > 10_000, "the picture is empty"

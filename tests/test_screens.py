"""Pictures of the site for people to look at: artifacts/screens/, written by each run."""

import pytest

from tests.pages import PAGES, ROOT, first, url_of

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
SIZES = {"phone": (390, 844), "desktop": (1440, 900)}


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("size", SIZES)
def test_pages_are_pictured(size, scheme, chromium, server):
    width, height = SIZES[size]
    context = chromium.new_context(
        viewport={"width": width, "height": height}, color_scheme=scheme, reduced_motion="reduce"
    )
    tab = context.new_page()
    FOLDER.mkdir(parents=True, exist_ok=True)
    for name, path in SHOWN.items():
        page = next(page for page in PAGES if page.path == path)
        tab.goto(url_of(page, server))
        tab.wait_for_load_state("networkidle")
        dark = tab.evaluate("document.body.dataset.mdColorScheme") == "slate"
        assert dark == (scheme == "dark")
        picture = tab.screenshot(path=FOLDER / f"{name}-{size}-{scheme}.png", full_page=True)
        assert len(picture) > 10_000, "the picture is empty"
    context.close()

"""The site as a reader meets it: no request elsewhere, phone widths, accessibility."""

import pytest

from tests.pages import PAGES, ROOT, open_at, open_page


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.path)
def test_no_request_leaves_the_site_and_nothing_scrolls_sideways(page, context, server):
    tab = open_page(context, page, server)
    errors = []
    tab.on("pageerror", lambda error: errors.append(str(error)))
    for width in (360, 768, 1280):
        tab.set_viewport_size({"width": width, "height": 800})
        wide = tab.evaluate("document.documentElement.scrollWidth - window.innerWidth")
        assert wide <= 0, f"{page.path} is {wide} px too wide at {width} px"
    assert context.elsewhere == [] and errors == []


AXE = ROOT / "node_modules/axe-core/axe.min.js"
# One page of each kind that looks its own way, by its address
TEMPLATES = {
    "home": "",
    "roadmap": "roadmap/",
    "phase": "roadmap/foundation/",
    "lesson": "roadmap/foundation/vector-add/",
    "lesson with formulas": "roadmap/foundation/thinking-in-parallel/",
    "glossary": "glossary/",
    "map": "metal/",
    "evidence": "evidence/",
    "data": "evidence/data/",
    "section for paper": "print/evidence/",
    "not found": "404.html",
}


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("kind", TEMPLATES)
def test_axe_finds_nothing(kind, scheme, chromium, server):
    context = chromium.new_context(color_scheme=scheme, viewport={"width": 1280, "height": 900})
    tab = open_at(context, server + TEMPLATES[kind])
    tab.wait_for_timeout(400)  # our script names what the theme leaves unnamed
    tab.evaluate(AXE.read_text(encoding="utf-8"))
    found = tab.evaluate("axe.run().then(r => r.violations)")
    context.close()
    said = [f"{v['id']}: {[n['target'] for n in v['nodes']][:3]} {v['help']}" for v in found]
    assert not said, "\n".join(said)

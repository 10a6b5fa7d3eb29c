"""The site as a reader meets it: no request elsewhere, phone widths, accessibility."""

import pytest

from tests.pages import PAGES, ROOT, first, open_at, open_page, sample, switch, url_of


@pytest.mark.parametrize("page", sample(PAGES, 3), ids=lambda page: page.path)
def test_no_request_leaves_the_site_and_nothing_scrolls_sideways(page, context, server):
    tab = open_page(context, page, server)
    errors = []
    tab.on("pageerror", lambda error: errors.append(str(error)))
    for width in (360, 768, 1280):
        tab.set_viewport_size({"width": width, "height": 800})
        wide = tab.evaluate("document.documentElement.scrollWidth - window.innerWidth")
        assert wide <= 0, f"{page.path} is {wide} px too wide at {width} px"
    assert context.elsewhere == [] and errors == []


# Each page's content in the place of another's, as the theme's navigation puts it there. Loading
# hundreds of pages would take minutes, and the samples above are loaded whole.
FIT = """async urls => {
  const wide = []
  for (const url of urls) {
    const text = await (await fetch(url)).text()
    const page = new DOMParser().parseFromString(text, "text/html")
    document.querySelector(".md-container").replaceWith(page.querySelector(".md-container"))
    document.querySelectorAll(".md-typeset table:not([class])").forEach(table => {
      const outer = document.createElement("div"), inner = document.createElement("div")
      outer.className = "md-typeset__scrollwrap"
      inner.className = "md-typeset__table"
      table.replaceWith(outer)
      outer.append(inner)
      inner.append(table)
    })
    document.querySelectorAll("details").forEach(details => { details.open = true })
    const over = document.documentElement.scrollWidth - innerWidth
    if (over > 0) wide.push(`${url} is ${over} px too wide`)
  }
  return wide
}"""


@pytest.mark.parametrize("width", [320, 390])
def test_no_page_scrolls_sideways_on_a_phone(width, chromium, server):
    context = chromium.new_context(viewport={"width": width, "height": 800})
    tab = context.new_page()
    formulas = next(page for page in PAGES if page.name.endswith("thinking-in-parallel"))
    tab.goto(url_of(formulas, server))  # it has the styles of formulas, too
    planted = "<p class=planted style=width:999px>wide</p>"
    tab.evaluate("html => document.body.insertAdjacentHTML('beforeend', html)", planted)
    assert tab.evaluate("document.documentElement.scrollWidth") > 900, "it sees nothing"
    tab.evaluate("document.querySelector('.planted').remove()")
    wide = tab.evaluate(FIT, [url_of(page, server) for page in PAGES])
    context.close()
    assert not wide, "\n".join(wide)


def test_the_keyboard_does_not_enter_a_closed_drawer(chromium, server):
    context = chromium.new_context(viewport={"width": 390, "height": 800})
    tab = context.new_page()
    tab.goto(f"{server}metal/map/")
    seen = []
    for _ in range(25):
        tab.keyboard.press("Tab")
        seen.append(tab.evaluate("document.activeElement.closest('.md-sidebar') !== null"))
    assert not any(seen)
    tab.locator("label[for=__drawer].md-header__button").click()
    link = tab.locator(".md-sidebar--primary a:visible").first
    link.focus()
    assert link.evaluate("link => link === document.activeElement")
    context.close()


AXE = ROOT / "node_modules/axe-core/axe.min.js"
COLORS = ["color-contrast", "link-in-text-block"]
# One page of each kind that looks its own way, by its address
TEMPLATES = {
    "home": "",
    "roadmap": "roadmap/",
    "phase": "roadmap/foundation/",
    "lesson": "roadmap/foundation/vector-add/",
    "lesson with formulas": "roadmap/foundation/thinking-in-parallel/",
    "glossary": "glossary/",
    "map": "metal/map/#group=simd&with=hip.opencl.sycl.webgpu",  # axe reads one group of many
    "evidence": "evidence/",
    "data": "evidence/data/",
    "section for paper": "print/roadmap/distributed/",
    "not found": "404.html",
}
for kind in ("term", "map", "lab", "pattern", "puzzle"):
    if page := first(kind):
        TEMPLATES[f"first {kind}"] = url_of(page, "")


# Of a long list's rows, those that have another form than three before them: axe takes milliseconds
# for each of a thousand that are built alike.
ALIKE = """() => {
  const seen = new Map()
  const form = node => node.tagName + node.className + node.getAttributeNames().join() +
    [...node.children].map(form).join()
  for (const row of document.querySelectorAll(".md-content tbody > tr, .md-content li")) {
    const key = form(row), count = seen.get(key) ?? 0
    seen.set(key, count + 1)
    if (count >= 3) row.remove()
  }
}"""


@pytest.mark.parametrize("kind", TEMPLATES)
def test_axe_finds_nothing(kind, chromium, server):
    """All rules in light; in dark those of colors, as nothing else is another."""
    context = chromium.new_context(color_scheme="light", viewport={"width": 1280, "height": 900})
    tab = open_at(context, server + TEMPLATES[kind])
    # Our script names what the theme leaves unnamed, once more after 300 ms of the page's own time.
    tab.evaluate("new Promise(done => setTimeout(done, 400))")
    tab.evaluate(ALIKE)
    tab.evaluate(AXE.read_text(encoding="utf-8"))
    said = []
    for scheme, options in (("light", {}), ("dark", {"runOnly": COLORS})):
        switch(tab, scheme)
        found = tab.evaluate("options => axe.run(options).then(r => r.violations)", options)
        said += [
            f"{scheme}: {v['id']}: {[n['target'] for n in v['nodes']][:3]} {v['help']}"
            for v in found
        ]
    context.close()
    assert not said, "\n".join(said)

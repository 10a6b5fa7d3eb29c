"""The site as a reader meets it: no request elsewhere, phone widths, accessibility."""

import pytest

from tests.browser import axe
from tests.pages import EACH, PAGES, PUT, first, open_at, open_in, sample, switch, url_of


@pytest.mark.parametrize("page", sample(PAGES, 3), ids=lambda page: page.path)
def test_no_request_leaves_the_site_and_nothing_scrolls_sideways(page, visitor, visit, server):
    # The policy of the site is on, and whatever it refuses fails here.
    tab, errors, refused = visit, [], []
    tab.add_init_script(
        "addEventListener('securitypolicyviolation', event =>"
        " console.error('policy: ' + event.violatedDirective + ' ' + event.blockedURI))"
    )
    tab.on("console", lambda m: refused.append(m.text) if m.text.startswith("policy:") else None)
    tab.on("pageerror", lambda error: errors.append(str(error)))
    open_in(tab, url_of(page, server))
    for width in (1280, 768, 360):  # it was loaded at the first
        tab.set_viewport_size({"width": width, "height": 900})
        wide = tab.evaluate("document.documentElement.scrollWidth - window.innerWidth")
        assert wide <= 0, f"{page.path} is {wide} px too wide at {width} px"
    assert visitor.elsewhere == [] and errors == [] and refused == []


PHONES = (320, 390)

# Each page's content in the place of another's, once, in a frame that takes each width in turn; the
# samples above are loaded whole.
FIT = """async ({ urls, widths }) => {
  const put = PUT, each = EACH, wide = []
  await each(urls, (url, text) => {
    // Each part that is not the same on every page
    put(text, ".md-content", ".md-sidebar--secondary", ".md-footer")
    document.querySelectorAll(".md-typeset table:not([class])").forEach(table => {
      const outer = document.createElement("div"), inner = document.createElement("div")
      outer.className = "md-typeset__scrollwrap"
      inner.className = "md-typeset__table"
      table.replaceWith(outer)
      outer.append(inner)
      inner.append(table)
    })
    document.querySelectorAll("details").forEach(details => { details.open = true })
    for (const width of widths) {
      frameElement.style.width = width + "px"
      const over = document.documentElement.scrollWidth - innerWidth
      if (innerWidth !== width) throw new Error(`the frame is ${innerWidth} px wide`)
      if (over > 0) wide.push(`${url} is ${over} px too wide at ${width} px`)
    }
  })
  return wide
}""".replace("PUT", PUT).replace("EACH", EACH)


SEES = """widths => widths.filter(width => {
  frameElement.style.width = width + "px"
  return document.documentElement.scrollWidth > innerWidth
})"""


def test_no_page_scrolls_sideways_on_a_phone(chromium, server):
    context = chromium.new_context()
    tab = context.new_page()
    framed = "<style>iframe { border: 0; height: 800px }</style><iframe></iframe>"
    tab.route(server + "framed", lambda route: route.fulfill(body=framed, content_type="text/html"))
    tab.goto(server + "framed")
    frame = tab.frames[1]
    formulas = next(page for page in PAGES if page.name.endswith("heat-and-wave"))
    frame.goto(url_of(formulas, server))  # it has the styles of formulas, too
    for width in PHONES:  # what is too wide at one of them alone
        rule = f"@media (width: {width}px) {{ p.planted {{ width: 999px }} }}"
        planted = f"<style class=planted>{rule}</style><p class=planted>wide</p>"
        frame.evaluate("html => document.body.insertAdjacentHTML('beforeend', html)", planted)
        assert frame.evaluate(SEES, PHONES) == [width], "it sees nothing"
        frame.evaluate("document.querySelectorAll('.planted').forEach(it => it.remove())")
    urls = [url_of(page, server) for page in PAGES]
    wide = frame.evaluate(FIT, {"urls": urls, "widths": PHONES})
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


# Of a long list's rows, those that have another form than three before them, and of a language's
# blocks the words of five: axe takes milliseconds for each of a thousand that are built alike.
ALIKE = """() => {
  const seen = new Map()
  const form = node => node.tagName + node.className + node.getAttributeNames().join() +
    [...node.children].map(form).join()
  for (const row of document.querySelectorAll(".md-content tbody > tr, .md-content li")) {
    const key = form(row), count = seen.get(key) ?? 0
    seen.set(key, count + 1)
    if (count >= 3) row.remove()
  }
  for (const block of document.querySelectorAll(".md-content .highlight")) {
    const key = block.className, count = seen.get(key) ?? 0
    seen.set(key, count + 1)
    if (count >= 5) block.querySelector("pre > code")?.replaceChildren()
  }
}"""

# Paper has the pages of a section one below the other, each with names of its own: of those, four.
PAPER = """() => {
  const sheets = [...document.querySelectorAll(".sheet")], seen = new Set()
  const ids = [...document.querySelectorAll("[id]")].map(node => node.id)
  sheets.slice(4).forEach(sheet => sheet.remove())
  return ids.filter(id => seen.size === seen.add(id).size)
}"""


@pytest.mark.parametrize("kind", TEMPLATES)
def test_axe_finds_nothing(kind, chromium, server):
    """All rules in light; in dark those of colors, as nothing else is another."""
    context = chromium.new_context(color_scheme="light", viewport={"width": 1280, "height": 900})
    # On paper no script asks for more; of its hundreds of pictures a browser may hold one back, and
    # is not idle then for as long as somebody waits.
    tab = open_at(context, server + TEMPLATES[kind], later=kind != "section for paper")
    # Our script names what the theme leaves unnamed, once more after 300 ms of the page's own time.
    tab.evaluate("new Promise(done => setTimeout(done, 400))")
    assert tab.evaluate(PAPER) == [], "two elements have one id"
    tab.evaluate(ALIKE)
    paper = not tab.locator("[data-md-component=palette]").count()  # white in dark, too
    tab.evaluate(axe())
    said = []
    for scheme, options in (("light", {}), ("dark", {"runOnly": COLORS}))[: 1 if paper else 2]:
        switch(tab, scheme)
        run = "options => axe.run({ ...options, ...VIOLATIONS }).then(r => r.violations)"
        found = tab.evaluate(run, options)
        said += [
            f"{scheme}: {v['id']}: {[n['target'] for n in v['nodes']][:3]} {v['help']}"
            for v in found
        ]
    context.close()
    assert not said, "\n".join(said)

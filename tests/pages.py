"""The pages of the built site, and how a reader opens one."""

from lockstep.known import read_all
from lockstep.page import find_root, read
from tests import concerns

ROOT = find_root()
PAGES = [read(ROOT / concerns.asked, ROOT)] if concerns.asked else read_all(ROOT)


def sample(pages, each=1):
    """Return the first pages of each kind, an index and a page that holds less: not all of 300."""
    found = {}
    for page in pages:
        index = page.name == "index" or page.name.endswith("/index")
        found.setdefault((page.meta["kind"], index), []).append(page)
    return [page for group in found.values() for page in group[:each]]


def first(kind):
    """Return the first page of a kind, or None where there is none yet."""
    return next((page for page in PAGES if page.meta["kind"] == kind), None)


def url_of(page, server):
    name = page.name.removesuffix("index")
    return server + (name if not name or name.endswith("/") else f"{name}/")


def switch(tab, scheme):
    """Let a page be shown light or dark, as its reader's system asks."""
    tab.emulate_media(color_scheme=scheme)
    if tab.locator("[data-md-component=palette]").count():  # paper is always white
        name = {"light": "default", "dark": "slate"}[scheme]
        tab.wait_for_function("name => document.body.dataset.mdColorScheme === name", arg=name)


def open_page(context, page, server):
    return open_at(context, url_of(page, server))


def open_at(context, url, **options):
    return open_in(context.new_page(), url, **options)


def open_in(tab, url, later=True):
    """Load a page, unfolded. ``later``: its scripts ask for more when it is there."""
    tab.goto(url)
    if later:
        tab.wait_for_load_state("networkidle")
    # A solution is folded away: a reader opens it before copying.
    tab.evaluate("document.querySelectorAll('details').forEach(d => { d.open = true })")
    tab.evaluate("document.querySelectorAll('.tabbed-set > input').forEach(i => i.click())")
    return tab


# A function of the page: parts of another page's HTML in the place of its own, as the theme's
# navigation puts them there. Loading hundreds of pages would take minutes.
PUT = """(html, ...parts) => {
  const page = new DOMParser().parseFromString(html, "text/html")
  for (const part of parts)
    document.querySelector(part)?.replaceWith(page.querySelector(part) ?? "")
}"""

# What is done with each page's HTML, in one task for twenty of them: between two tasks a browser
# would draw the page, which is a third of the time, and nobody looks.
EACH = """async (urls, visit) => {
  await Promise.allSettled([...document.fonts].map(font => font.load()))  // not all are on the site
  for (let at = 0; at < urls.length; at += 20) {
    const some = urls.slice(at, at + 20)
    const texts = await Promise.all(some.map(async url => (await fetch(url)).text()))
    texts.forEach((text, i) => visit(some[i], text))
  }
}"""

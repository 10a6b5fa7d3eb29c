"""The pages of the built site, and how a reader opens one."""

from lockstep.page import find_root, read_all

ROOT = find_root()
PAGES = read_all(ROOT)


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


def open_at(context, url):
    tab = context.new_page()
    tab.goto(url)
    tab.wait_for_load_state("networkidle")
    # A solution is folded away: a reader opens it before copying.
    tab.evaluate("document.querySelectorAll('details').forEach(d => { d.open = true })")
    tab.evaluate("document.querySelectorAll('.tabbed-set > input').forEach(i => i.click())")
    return tab

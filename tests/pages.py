"""The pages of the built site, and how a reader opens one."""

from lockstep.page import find_root, read_all

ROOT = find_root()
PAGES = read_all(ROOT)


def url_of(page, server):
    name = page.name.removesuffix("index")
    return server + (name if not name or name.endswith("/") else f"{name}/")


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

"""The room that a page is read in: nothing is cut without a sign, and every place can be found."""

import pytest

from lockstep.mkdocs import repository
from tests.pages import EACH, PAGES, PUT, open_in, switch, url_of

TERM, LESSON = "glossary/warp/", "roadmap/foundation/vector-add/"

# Each page's content in the place of another's; all that is folded is open, as readers open it.
CUT = """async urls => {
  const put = PUT, each = EACH, cut = [], wide = []
  let seen = 0
  await each(urls, (url, text) => {
    put(text, ".md-content")
    document.querySelectorAll("details").forEach(box => { box.open = true })
    document.querySelectorAll(".tabbed-block").forEach(box => { box.style.display = "block" })
    for (const code of document.querySelectorAll(".md-content .highlight pre > code")) {
      seen += code.clientWidth > 200
      const over = code.scrollWidth - code.clientWidth
      if (over > 1) cut.push(`${url}: ${over} px of ${code.textContent.slice(0, 60)}`)
    }
    const boxes = [...document.querySelectorAll(".md-typeset table:not([class]), .plot")]
    if (boxes.some(box => box.scrollWidth > box.parentNode.clientWidth + 1)) wide.push(url)
  })
  return { cut, wide, seen }
}""".replace("PUT", PUT).replace("EACH", EACH)

# A table or a chart wider than its box, without a shadow at the edge beyond which it goes on
UNSAID = """() => [...document.querySelectorAll(".md-content .wide > *, .md-content .plot")]
  .filter(box => box.checkVisibility() && box.scrollWidth > box.clientWidth + 1)
  .filter(box => {
    const frame = box.closest(".wide"), cell = box.querySelector("tbody td")
    const left = element => element.getBoundingClientRect().left
    if (!frame?.dataset.more?.includes("right")) return true
    if (getComputedStyle(frame, "::after").opacity !== "1") return true
    box.scrollLeft = 9999
    return cell && Math.abs(left(cell) - left(box)) > 2
  }).map(box => box.textContent.trim().slice(0, 60))"""

# One that is wider than its box at all, with a shadow or without
HIDDEN = """() => [...document.querySelectorAll(".md-content .wide > *, .md-content .plot")]
  .filter(box => box.checkVisibility() && box.scrollWidth > box.clientWidth + 1)
  .map(box => `${box.scrollWidth} px in ${box.clientWidth}: ${box.textContent.trim().slice(0, 60)}`)
"""

# The theme puts tables into their boxes, our script those into frames, and the shadow fades in.
FRAMED = """() => document.querySelector('.wide') !== null && document.getAnimations().length === 0
  && [...document.querySelectorAll(".md-content :is(.md-typeset__scrollwrap, .plot)")]
    .every(box => box.parentNode.matches(".wide"))"""


@pytest.mark.parametrize("width", [1440, 1920])
def test_no_code_is_cut_and_no_column_hides_on_a_desktop(width, chromium, server):
    context = chromium.new_context(
        viewport={"width": width, "height": 900}, reduced_motion="reduce"
    )
    tab = context.new_page()
    tab.goto(server + LESSON)
    found = tab.evaluate(CUT, [url_of(page, server) for page in PAGES])
    blocks = sum(len(page.blocks) for page in PAGES)
    assert found["seen"] > 0.95 * blocks, f"it saw {found['seen']} of {blocks} blocks"
    hidden = []
    for url in found[
        "wide"
    ]:  # too wide beside a table of contents, which its own page may not have
        open_in(tab, url)
        tab.wait_for_function(FRAMED)
        hidden += [f"{url}: {text}" for text in tab.evaluate(HIDDEN)]
    context.close()
    assert not found["cut"], "\n".join(found["cut"])
    assert any("hardware/nvidia" in url for url in found["wide"]), "it sees no wide table any more"
    assert not hidden, "\n".join(hidden)


def test_the_glossary_is_browsed_from_its_sidebar(context, server, built):
    tab = context.new_page()
    tab.set_viewport_size({"width": 1440, "height": 900})
    tab.goto(server + TERM)
    here = tab.locator(".md-nav--primary .md-nav__link--active[href]").last
    group = here.locator("xpath=ancestor::ul[1]")
    terms = group.locator(":scope > li > a.md-nav__link")
    assert terms.count() > 20 and all(link.is_visible() for link in terms.all())
    box = here.bounding_box()
    assert box["y"] < 900, "the term itself is in view"
    index = (built / "glossary/index.html").read_text(encoding="utf-8")
    for title, anchor in (("Performance", "performance"), ("Inference", "inference")):
        link = tab.locator(f".md-nav--primary a.md-nav__link:has-text('{title}')").first
        assert link.evaluate("link => link.href") == f"{server}glossary/#{anchor}"
        assert f'id="{anchor}"' in index
    crumbs = tab.locator(".md-path__link").evaluate_all("links => links.map(link => link.href)")
    place = "#programming-model-and-device-software"
    assert crumbs[1:] == [f"{server}glossary/", f"{server}glossary/", f"{server}glossary/{place}"]
    assert f'id="{place[1:]}"' in index


def test_an_address_that_leads_nowhere_offers_the_nearest_and_the_search(context, server, built):
    text = (built / "404.html").read_text(encoding="utf-8")
    tab = context.new_page()
    tab.route("**/glossary/wrap/", lambda route: route.fulfill(body=text, content_type="text/html"))
    tab.goto(f"{server}glossary/wrap/")
    near = tab.locator(".lost__near a")
    near.first.wait_for()
    assert any("glossary/warp" in link for link in near.all_inner_texts())
    assert tab.evaluate("document.activeElement.id") == "lost"
    assert tab.locator("#lost").input_value() == "wrap"
    tab.locator("#lost").fill("warp divergence")
    tab.keyboard.press("Enter")
    tab.locator(".md-search-result__item a").first.wait_for()
    ways = tab.locator(".md-content ul a").evaluate_all("links => links.map(link => link.href)")
    for way in ways:
        assert (built / way.removeprefix(server) / "index.html").is_file(), way


def test_the_keys_of_the_search_open_it(context, server):
    tab = context.new_page()
    tab.goto(server + LESSON)
    tab.locator(".md-search__form[data-keys]").wait_for()
    tab.keyboard.press("Control+k")
    tab.wait_for_function(
        "() => document.activeElement.matches('[data-md-component=search-query]')"
    )
    tab.keyboard.type("barrier")
    tab.locator(".md-search-result__item a").first.wait_for()


def test_what_is_done_is_ticked_in_the_sidebar(context, server):
    tab = context.new_page()
    tab.goto(server + LESSON)
    tick = tab.locator(".tick [data-done]")
    assert not tab.locator(".md-nav--primary .is-done").count()
    tick.check()
    tab.locator(".md-nav--primary .is-done").first.wait_for()
    done = tab.locator(".md-nav--primary .is-done").all_inner_texts()
    assert [text.strip() for text in dict.fromkeys(done)] == ["Vector addition"]
    tick.uncheck()
    tab.wait_for_function("() => !document.querySelector('.md-nav--primary .is-done')")


def test_a_drawing_fills_the_window_and_gives_the_focus_back(context, server):
    tab = context.new_page()
    tab.goto(server + "patterns/reduction/")
    image = tab.locator('img[src*="/diagrams/"][role=button]:visible').first
    before = image.bounding_box()["width"]
    image.focus()
    tab.keyboard.press("Enter")
    big = tab.locator("dialog.enlarged img")
    assert big.bounding_box()["width"] > before
    tab.keyboard.press("Escape")
    tab.locator("dialog.enlarged").wait_for(state="detached")
    assert image.evaluate("image => image === document.activeElement")


@pytest.mark.parametrize(
    ("path", "shown"),
    [
        ("glossary/bank-conflict/", ".picture__panels"),
        ("roadmap/optimization/roofline/", ".plot svg"),
    ],
)
def test_a_picture_and_a_chart_fill_the_window_and_give_the_focus_back(
    path, shown, context, server
):
    tab = context.new_page()
    tab.set_viewport_size({"width": 1440, "height": 900})
    tab.goto(server + path)
    button = tab.locator(".md-content button.enlarge").first
    button.wait_for()
    figure = tab.locator(f".md-content :is(.picture, .wide):has(> .enlarge) {shown}").first
    before = figure.bounding_box()
    assert button.get_attribute("aria-label") == f"Enlarge: {figure.get_attribute('aria-label')}"
    button.focus()
    tab.keyboard.press("Enter")
    big = tab.locator(f"dialog.enlarged {shown}")
    box = big.bounding_box()
    assert box["width"] > 1.2 * before["width"] and big.is_visible()
    assert tab.locator(f"dialog.enlarged {shown} text, dialog.enlarged {shown} rect").count() > 3
    tab.keyboard.press("Escape")
    tab.locator("dialog.enlarged").wait_for(state="detached")
    assert button.evaluate("button => button === document.activeElement")
    if "panels" in shown:
        figure.click()
        tab.locator("dialog.enlarged").click()
        tab.locator("dialog.enlarged").wait_for(state="detached")


def test_the_page_alone_stays_alone(context, server):
    tab = context.new_page()
    tab.set_viewport_size({"width": 1440, "height": 900})
    tab.goto(server + LESSON)
    tab.locator("button.alone").click()
    assert tab.locator(".md-sidebar:visible").count() == 0
    tab.goto(server + "patterns/reduction/")
    button = tab.locator("button.alone[aria-pressed=true]")
    button.wait_for()
    assert tab.locator(".md-sidebar:visible").count() == 0
    button.click()
    assert tab.locator(".md-sidebar--primary").is_visible()


def test_a_chart_says_its_numbers_under_a_finger(chromium, server):
    page = next(page for page in PAGES if page.path.endswith("optimization/roofline.md"))
    context = chromium.new_context(viewport={"width": 390, "height": 844}, has_touch=True)
    tab = context.new_page()
    tab.goto(url_of(page, server))
    tab.wait_for_load_state("networkidle")
    # Not ``:has(> title)``: what drives the browser tries that on each shape, for seconds a time.
    title = tab.locator(".plot svg * > title").first
    shape, words = title.locator("xpath=.."), title.text_content()
    shape.scroll_into_view_if_needed()
    box = shape.bounding_box()
    tab.touchscreen.tap(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    tip = tab.locator(".defined[role=status]")
    tip.wait_for()
    assert tip.inner_text() == words
    assert not tab.evaluate(UNSAID)
    # What roofs are called stands in what a phone shows before anybody scrolls.
    tab.reload()
    tab.wait_for_load_state("networkidle")
    roofs = ["float32 multiply-adds", "TF32 by cuBLAS", "bfloat16 by wgmma"]
    ends = tab.evaluate(
        """roofs => [...document.querySelector(".plot svg").querySelectorAll("text")]
          .filter(text => roofs.includes(text.textContent))
          .map(text => text.getBoundingClientRect().right)""",
        roofs,
    )
    assert len(ends) == 3 and max(ends) < 374 - 25, ends  # the shadow at the edge
    context.close()


@pytest.mark.parametrize(("width", "height"), [(1440, 900), (390, 844)])
def test_home_shows_the_whole_player_before_anybody_scrolls(width, height, chromium, server):
    context = chromium.new_context(viewport={"width": width, "height": height})
    tab = context.new_page()
    tab.goto(server)
    tab.locator(".hero__play .play.is-ready").wait_for()
    bottom = tab.locator(".hero__play .play__stage").bounding_box()
    assert bottom["y"] + bottom["height"] <= height
    assert tab.locator("h1").bounding_box()["y"] > 0
    whole = tab.locator(".hero__play .play__code").evaluate(
        """box => [...box.querySelectorAll(".play__line")].map(line => line.getBoundingClientRect())
          .filter(({ top, bottom }) => {
            const edge = box.getBoundingClientRect()
            return top >= edge.top - 1 && bottom <= edge.bottom + 1
          }).length"""
    )
    assert whole >= 5, f"{whole} lines of the program are seen at once"
    if width > 600:  # no line of the program is cut
        code = tab.locator(".hero__play .play__code")
        assert code.evaluate("box => box.scrollWidth - box.clientWidth") <= 0
    first = tab.locator(".hero__ways > a:visible").first
    assert "continue" not in first.get_attribute("class")
    # Who comes back goes on where they were.
    tab.goto(server + LESSON)
    tab.locator(".tick").wait_for()
    tab.goto(server)
    tab.locator(".hero__ways > .continue:visible").wait_for()
    assert "continue" in tab.locator(".hero__ways > a:visible").first.get_attribute("class")
    context.close()


def test_a_section_for_paper_fits(chromium, server, built):
    widths = (1280, 390)
    context = chromium.new_context(viewport={"width": widths[0], "height": 900})
    tab = context.new_page()
    files = sorted((built / "print").rglob("index.html"))
    for file in files:
        tab.goto(server + file.parent.relative_to(built).as_posix() + "/")
        for width in widths:
            tab.set_viewport_size({"width": width, "height": 900})
            over = tab.evaluate("document.documentElement.scrollWidth - innerWidth")
            assert over <= 0, f"{file.parent} is {over} px too wide at {width} px"
        widths = widths[::-1]  # the next one is loaded at the width that the tab has now
    context.close()
    assert files


def test_the_proof_of_a_block_leads_to_its_file():
    base = "https://github.com/OWNER/NAME/blob/main/"
    proof = '<span class="proof__source"><code>kernels/a.py</code> · host</span>'
    assert repository.linked(proof, base) == (
        '<span class="proof__source"><a href="https://github.com/OWNER/NAME/blob/main/kernels/a.py">'
        "<code>kernels/a.py</code></a> · host</span>"
    )


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_lanes_are_drawn_in_the_colors_of_the_site(scheme, context, server):
    tab = context.new_page()
    tab.goto(server + "patterns/")
    switch(tab, scheme)
    lanes = tab.locator(".cover path")
    assert lanes.count() == 4 * 32
    assert tab.locator(".cover .on").count() == 32 + 16 + 8 + 4
    ink = tab.locator(".cover .on").first.evaluate("lane => getComputedStyle(lane).fill")
    ground = tab.evaluate("getComputedStyle(document.body).backgroundColor")
    assert ink != ground
    tab.goto(server + LESSON)
    seal = tab.locator(".stamp svg path").evaluate_all(
        "paths => paths.map(p => p.getAttribute('d'))"
    )
    page = next(page for page in PAGES if page.path.endswith("foundation/vector-add.md"))
    on, off = (path.count("M") for path in seal)
    assert on == f"{int(page.sha256[:8], 16):032b}".count("1") and on + off == 32


# A4 with Chromium's margins of 1 cm, and pages whose tables were cut there
PAPER = 718
PRINTED = """
glossary/hardware/nvidia/ glossary/hardware/amd/ roadmap/optimization/nsight-compute/
evidence/stepper/ evidence/ errors/driver/ roadmap/optimization/matmul-worklog/
print/glossary/hardware/ print/evidence/
""".split()
# A table past the edge of the paper, or of a box that cuts it; a cell whose words run into the next
BEYOND = """() => [...document.querySelectorAll(".md-content table")].flatMap(table => {
  const { right } = table.getBoundingClientRect(), said = []
  let edge = document.documentElement.clientWidth
  for (let box = table.parentElement; box !== document.body; box = box.parentElement)
    if (getComputedStyle(box).overflowX !== "visible")
      edge = Math.min(edge, box.getBoundingClientRect().right)
  if (right > edge + 1) said.push(`${Math.round(right - edge)} px past the edge`)
  for (const cell of table.querySelectorAll("td, th"))
    if (cell.scrollWidth > cell.clientWidth + 1) said.push(`${cell.textContent}: out of its cell`)
  // That leaves most of a page empty.
  if (getComputedStyle(table).breakInside !== "auto") said.push("it is kept whole")
  const name = table.textContent.trim().replace(/\\s+/g, " ").slice(0, 50)
  return said.map(what => `${name}: ${what}`)
})"""
SHADOWS = """boxes => boxes
  .filter(box => getComputedStyle(box, "::after").content !== "none").length"""


def test_a_table_fits_its_page_of_paper(chromium, server):
    context = chromium.new_context(viewport={"width": PAPER, "height": 1000})
    tab = context.new_page()
    tab.emulate_media(media="print")
    found = {}
    for path in PRINTED:
        tab.goto(server + path)
        assert tab.locator(".md-content table").count(), path
        shadows = tab.locator(".wide").evaluate_all(SHADOWS)
        over = tab.evaluate(BEYOND) + [f"{shadows} shadows"] * bool(shadows)
        if over:
            found[path] = over[:4]
    context.close()
    assert not found, found

"""What a browser shows of a page is what was proved: every block is seen, in light and in dark.

One tab walks through every page with code; a check takes some milliseconds a page.
"""

import pytest

from lockstep.evidence import Evidence
from tests.pages import EACH, PAGES, PUT, url_of

WITH_CODE = [page for page in PAGES if page.blocks]

# Every block, its proof and the title: seen, opaque, in its own colors, in no place off the page.
# The mark of each is seen before anything is opened: it is what a reader finds the proof by.
SEEN = """() => {
  const SHOWN = { opacityProperty: true, visibilityProperty: true }
  const marks = document.querySelectorAll(".md-content details.record")
  const unseen = [...marks].filter(record => {
    const mark = record.querySelector("summary"), { width, height } = mark.getBoundingClientRect()
    const folded = record.parentElement.closest("details:not([open]), .tabbed-block")
    const near = record.closest(".proof__block")?.contains(mark) && mark.textContent.trim()
    return !near || (!folded && !(mark.checkVisibility(SHOWN) && width >= 24 && height >= 24))
  })
  document.querySelectorAll(".md-content details").forEach(box => { box.open = true })
  const content = document.querySelector(".md-content")
  const wrong = unseen.map(record => `the mark of a proof is not seen: ${record.className}`)
  const show = element => {
    const panel = element.closest(".tabbed-block")
    if (!panel) return
    const place = [...panel.parentElement.children].indexOf(panel)
    panel.closest(".tabbed-set").querySelectorAll(":scope > input")[place].checked = true
  }
  const rgb = color => color.match(/[\\d.]+/g).map(Number)
  const look = (element, what) => {
    show(element)
    const box = element.getBoundingClientRect(), style = getComputedStyle(element)
    const seen = element.checkVisibility(SHOWN)
    if (!seen || box.width < 40 || box.height < 8) wrong.push(`${what} is not seen`)
    if (box.right <= 0 || box.left >= innerWidth) wrong.push(`${what} is off the page`)
    if (parseFloat(style.fontSize) < 6) wrong.push(`${what} is tiny`)
    if (style.clipPath !== "none" || style.transform !== "none") wrong.push(`${what} is clipped`)
    const [r, g, b, alpha = 1] = rgb(style.color)
    let ground = element
    while (ground && (rgb(getComputedStyle(ground).backgroundColor)[3] ?? 1) === 0)
      ground = ground.parentElement
    const back = ground ? rgb(getComputedStyle(ground).backgroundColor) : [255, 255, 255]
    const far = Math.abs(r - back[0]) + Math.abs(g - back[1]) + Math.abs(b - back[2])
    if (alpha < 0.3 || far < 90) wrong.push(`${what} has the color of its ground`)
  }
  const blocks = [...content.querySelectorAll(".highlight:has(pre)")]
  blocks.forEach((block, i) => look(block.querySelector("pre > code"), `block ${i + 1}`))
  const proofs = [...content.querySelectorAll("p.proof")]
  proofs.forEach((proof, i) => look(proof, `the proof of block ${i + 1}`))
  if (marks.length !== blocks.length) wrong.push("a block without the mark of a proof")
  const levels = proofs.filter(proof => !proof.matches(".proof--webgpu"))  // that one stands beside
  if (levels.length !== blocks.length) wrong.push("a block without a proof, or a proof alone")
  look(content.querySelector("h1"), "the title")
  look(content.querySelector(".stamp"), "the stamp")
  return { blocks: blocks.length, wrong }
}"""


# Each page's content in the place of another's. test_browser.py loads a sample of them whole.
WALK = (
    """async ([urls, schemes]) => {
  const seen = SEEN, put = PUT, each = EACH, found = []
  await each(urls, (url, text) => {
    put(text, ".md-content")
    // As it was, for the next scheme: what it shows before anything is opened
    const boxes = [...document.querySelectorAll("details")].map(box => [box, box.open])
    for (const scheme of schemes) {
      boxes.forEach(([box, open]) => { box.open = open })
      document.body.dataset.mdColorScheme = scheme
      found.push({ scheme, ...seen() })
    }
  })
  return found
}""".replace("SEEN", SEEN)
    .replace("PUT", PUT)
    .replace("EACH", EACH)
)


def walk(tab, pages, server, schemes=("default", "slate")):
    """Return what is wrong with the blocks of pages, as a browser shows them."""
    found = tab.evaluate(WALK, [[url_of(page, server) for page in pages], schemes])
    wrong = []
    for at, one in enumerate(found):
        page = pages[at // len(schemes)]
        if one["blocks"] != len(page.blocks):
            wrong.append(f"{page.path}: {one['blocks']} of {len(page.blocks)} blocks")
        wrong += [f"{page.path} in {one['scheme']}: {what}" for what in one["wrong"]]
    return wrong


def test_every_block_is_seen_on_every_page_with_code_in_light_and_in_dark(context, server):
    tab = context.new_page()
    formulas = next(page for page in WITH_CODE if page.name.endswith("thinking-in-parallel"))
    tab.goto(url_of(formulas, server))  # it has the styles of formulas, too
    wrong = walk(tab, WITH_CODE, server)
    assert not wrong, "\n".join(wrong)
    assert context.elsewhere == []


@pytest.mark.parametrize(
    ("style", "what"),
    [
        (".highlight { display: none }", "block 1 is not seen"),
        (".highlight { position: absolute; left: -9999px }", "block 1 is off the page"),
        (".highlight code { color: var(--md-code-bg-color) }", "has the color of its ground"),
        ("p.proof { font-size: 3px }", "the proof of block 1 is tiny"),
        ("details.record > summary { visibility: hidden }", "the mark of a proof is not seen"),
    ],
    ids=lambda words: words.split()[0],
)
def test_what_hides_a_block_is_found(style, what, context, server):
    page = next(page for page in WITH_CODE if page.path.endswith("vector-add.md"))
    tab = context.new_page()
    tab.goto(url_of(page, server))
    tab.evaluate(
        """text => {
          const sheet = new CSSStyleSheet()
          sheet.replaceSync(text)
          document.adoptedStyleSheets = [sheet]
        }""",
        style.replace(" }", " !important }"),
    )
    assert any(what in line for line in walk(tab, [page], server))


def test_a_reader_compares_each_block_of_a_page_with_its_record(context, server):
    page = next(page for page in WITH_CODE if page.path.endswith("vector-add.md"))
    tab = context.new_page()
    tab.goto(url_of(page, server))
    tab.evaluate("document.querySelectorAll('details').forEach(one => { one.open = true })")
    whole = """() => [...document.querySelectorAll(".record__hash")]
      .every(hash => hash.textContent.length === 64)"""
    tab.wait_for_function(whole)
    hashes = tab.locator(".record__hash").all_text_contents()
    assert hashes == [block.sha256 for block in page.blocks]
    tab.evaluate("document.querySelectorAll('.record__check').forEach(one => one.click())")
    same = (
        f"() => document.querySelectorAll('.record[data-same=true]').length === {len(page.blocks)}"
    )
    tab.wait_for_function(same)
    record = tab.locator("details.record").nth(1)
    assert "it is what ran" in record.locator(".record__said").inner_text()
    # Somebody changes a character in the reader's page; or the last digit of a record.
    tab.evaluate("document.querySelectorAll('.highlight pre > code')[1].append(' ')")
    record.locator(".record__check").click()
    tab.locator("details.record[data-same=false]").wait_for()
    other = tab.locator("details.record").nth(0)
    digit = "1" if hashes[0][-1] == "0" else "0"
    tab.evaluate(
        "text => { document.querySelector('.record__hash').textContent = text }",
        hashes[0][:-1] + digit,
    )
    other.locator(".record__check").click()
    tab.locator("details.record[data-same=false]").nth(1).wait_for()


def test_a_proof_opens_its_record(context, server):
    page = next(page for page in WITH_CODE if page.path.endswith("vector-add.md"))
    run = Evidence(page.root).runs(page)[0]
    tab = context.new_page()
    tab.goto(url_of(page, server))
    record = tab.locator("details.record").nth(1)
    assert not record.locator("p.proof").first.is_visible()
    record.locator("summary").click()
    assert record.locator("p.proof").first.is_visible()
    said = record.inner_text()
    block = page.blocks[1]
    wanted = [run["device"]["name"], run["date"], f"Python {run['python']}", block.where]
    wanted += [f"evidence/{run['machine']}/pages/{page.name}.json", block.sha256[:16]]
    wanted += [f"python -m lockstep run {page.path}", "lines executed"]
    assert [words for words in wanted if words not in said] == []


def test_a_script_that_the_site_did_not_write_does_not_run(context, server):
    tab = context.new_page()
    tab.goto(server)
    tab.evaluate(
        """() => {
          const script = document.createElement("script")
          script.textContent = "window.broken = true"
          document.body.append(script)
          const image = "<img src=x onerror='window.broken = true'>"
          document.body.insertAdjacentHTML("beforeend", image)
        }"""
    )
    tab.evaluate("() => new Promise(requestAnimationFrame)")
    assert tab.evaluate("window.broken") is None

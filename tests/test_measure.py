"""The page My GPU: it measures a card, here Chromium's software adapter, and keeps the record."""

import json
import math
from urllib.parse import urlsplit

import jsonschema
import pytest

from lockstep import export
from lockstep.page import PageError
from lockstep_site import bet, my_gpu
from simulator.hardware import my_gpu as through_wgpu
from tests import browser, webgpu
from tests.browser import axe
from tests.conftest import serving
from tests.pages import PAGES, ROOT, switch, url_of
from tests.test_my_gpu import asset

PAGE = next(page for page in PAGES if page.name.endswith("my-gpu"))

HTML = """<!doctype html><html lang="en"><meta charset="utf-8"><title>My GPU</title>
<meta name="viewport" content="width=device-width">
<meta http-equiv="Content-Security-Policy" content="default-src 'self'; img-src 'self' data:">
<link rel="stylesheet" href="/assets/css/lockstep.css"><main class="md-typeset"><h1>My GPU</h1>
<div class="my-gpu"></div></main>
<script type="module" src="/assets/js/my-gpu.js"></script></html>"""
# As data/benchmarks.json has them: fewer columns than a record.
H200 = [
    {"id": "transpose", "unit": "GB/s", "ours": 3880.0, "reference": 4213.0},
    {"id": "sgemm-tiled", "unit": "TFLOP/s", "ours": 7.96, "reference": 51.2},
    {"id": "vector-add-numba", "unit": "GB/s", "ours": 3390.0, "reference": 2527.0},
    {"id": "sum-warps", "unit": "GB/s", "ours": 3771.0, "reference": 4359.0},
]
H200 = [row | {"device": "NVIDIA H200"} for row in H200]
# The page says "H200", so a row of another GPU is none of its.
H200 = [
    row | {"device": "NVIDIA H100 80GB HBM3", "ours": 1.0, "reference": 1.0} for row in H200
] + H200
# A card that somebody sent: what the page reads of its record.
OTHER = {"name": "Their card, v", "software": False, "copy_gbps": 273.0, "tflops": 4.1}
OTHER |= {"launch_us": 9.0}
READY = "window.document$ = { subscribe: f => f() }"


class Page:
    def __init__(self, chrome, script="", **options):
        self.context = chrome.new_context(**options)
        self.context.route("**/*", self.serve)
        self.asked, self.errors = [], []
        self.context.on("request", lambda r: self.asked.append(r.url))
        self.tab = self.context.new_page()
        self.tab.on("pageerror", lambda e: self.errors.append(str(e)))
        self.tab.add_init_script(READY + ";" + script)
        self.status = self.tab.locator(".my-gpu__status")

    @staticmethod
    def serve(route):
        if route.request.url.split("#")[0] == "http://localhost/":
            return route.fulfill(body=HTML, content_type="text/html")
        for name, rows in (("benchmarks", H200), ("webgpu", [OTHER])):
            if route.request.url.endswith(f"/data/{name}.json"):
                return route.fulfill(body=json.dumps(rows), content_type="application/json")
        if found := asset(urlsplit(route.request.url).path):
            return route.fulfill(body=found[0], content_type=found[1])
        return route.fulfill(status=404)

    def open(self, end=""):
        self.tab.goto("http://localhost/" + end)

    def press(self, words, bet=None):
        """Press the button, bet, and wait until it may be pressed again."""
        self.tab.get_by_role("button", name="Measure").press("Enter")
        if bet:
            slider = self.tab.get_by_role("slider", name="Your bet")
            for key in bet:
                slider.press(key)
        self.tab.wait_for_function(
            """words => document.querySelector(".my-gpu__status").textContent.includes(words) &&
                !document.querySelector(".my-gpu button").disabled""",
            arg=words,
            timeout=170_000,
        )


@pytest.fixture(scope="module")
def chrome(playwright):
    made = playwright.chromium.launch(executable_path=browser.find(), args=webgpu.FLAGS)
    yield made
    made.close()


@pytest.fixture(scope="module")
def measured(chrome, tmp_path_factory):
    """The page after a measurement, and the record that it saves."""
    page = Page(chrome, accept_downloads=True, viewport={"width": 1280, "height": 900})
    page.open()
    page.first = list(page.asked)
    page.press("Measured:", bet=["Home", *["ArrowRight"] * 3])
    with page.tab.expect_download() as download:
        page.tab.get_by_role("link", name="Save the record").click()
    page.file = tmp_path_factory.mktemp("card") / download.value.suggested_filename
    download.value.save_as(page.file)
    page.record = json.loads(page.file.read_text())
    yield page
    page.context.close()
    assert not page.errors


def test_one_button_measures_the_card(measured):
    assert not [u for u in measured.first if "vendor" in u]  # only on the press
    assert "Nothing of it has left your browser" in measured.status.inner_text()
    text = measured.tab.locator(".my-gpu__result").inner_text()
    assert "software adapter" in text and "Subgroups of 4" in text
    others = measured.tab.locator("table:has(caption:text('that readers sent'))").locator("tr")
    first, second = others.all_inner_texts()[1:]
    assert first.split("\t") == ["Their card", "273 GB/s", "4.1 TFLOP/s", "9 µs"]
    assert "(this one)" in second
    rows = measured.tab.locator("table:has(caption:text('lessons'))").locator("tr")
    rows = rows.all_inner_texts()
    assert "80 %" in rows[1] and "not measured" in rows[3], rows  # of the H200's roof, in Numba
    for words in ("The roof", "Copy, by size", "Atomic additions", "of your card's own roof"):
        assert words in text
    card = measured.record
    assert card["software"] and card["clock"] == "gpu"
    for key in ("copy", "widths", "strides", "offsets", "banks", "branches", "atomics"):
        values = [v for point in card[key] for v in point.values()]
        assert len(card[key]) >= 3 and all(v >= 0 for v in values), key
    assert card["copy_gbps"] > 0 and card["tflops"] > 0 and card["launch_us"] > 0
    assert [k["title"] for k in card["kernels"]] == [
        "Vector addition", "Sum", "Naive matrix product", "Tiled matrix product",
    ]  # fmt: skip
    assert len(measured.tab.locator(".my-gpu__roof circle").all()) == 4
    # The bet, and what the lessons' bets take from it.
    told = measured.tab.locator(".my-gpu__told").inner_text()
    share = card["kernels"][3]["share"]
    assert told.startswith("Tiled matrix product: your card reaches ") and "You said 3.0 %" in told
    # 7.96 TFLOP/s of 45: at a software adapter's 64 x 64 the H200's roof is its memory.
    assert "Par is 18 %, what the H200 reaches of its own roof" in told
    aim = 7.96 / (4.213 * card["kernels"][3]["intensity"])
    assert ("below par" in told) == (share < aim) and "within a fifth" not in told
    kept = json.loads(measured.tab.evaluate("localStorage['lockstep-card']"))
    assert kept["kernels"].keys() == set(bet.CARD) and kept["name"] == "google swiftshader"
    title, reached, par = kept["kernels"]["sgemm-tiled"]
    assert (title, reached) == ("Tiled matrix product", share) and round(par - aim, 6) == 0
    # Only this site was asked, and nothing was sent.
    assert all(url.startswith(("http://localhost/", "blob:")) for url in measured.asked)


SHOWN = """card => import("/assets/vendor/run-here/measure.js").then(({ show }) => {
    const place = document.createElement("div")
    show(place, card, null, [])
    return place.textContent
})"""


@pytest.mark.parametrize(("again", "said"), [(1.0, ""), (0.8, ""), (0.44, "1.89"), (2.0, "8.58")])
def test_a_card_that_did_other_work_meanwhile_is_told_to_measure_again(measured, again, said):
    last = measured.record["copy"][-1] | {"gbps": 4288.0}
    widths = [row | {"gbps": 4288.0 * again} for row in measured.record["widths"]]
    card = measured.record | {"copy": [*measured.record["copy"][:-1], last], "widths": widths}
    text = measured.tab.evaluate(SHOWN, card)
    assert ("something else used this card meanwhile" in text) == bool(said)
    assert not said or f"did 4.29 TB/s and then {said} TB/s" in text


def test_the_record_is_as_published(measured, tmp_path):
    schema = jsonschema.Draft202012Validator(export.schema(ROOT, "webgpu"))
    assert not [e.message for e in schema.iter_errors([measured.record])]
    folder = tmp_path / my_gpu.FOLDER
    folder.mkdir(parents=True)
    (folder / measured.file.name).write_text(measured.file.read_text())
    assert my_gpu.rows(tmp_path) == [measured.record]
    none, heading, table = my_gpu.cards(tmp_path).split("\n\n", 2)
    assert none.startswith("No card yet") and heading.startswith("Software adapters")
    assert "swiftshader" in table.lower()
    card = measured.record | {"software": False, "name": "A card"}
    (folder / "card.json").write_text(json.dumps(card))
    first, second = my_gpu.cards(tmp_path).split("Software adapters")
    assert "A card" in first and "A card" not in second


def test_the_reader_says_which_card_it_is_where_the_browser_does_not(measured, tmp_path):
    save = measured.tab.get_by_role("link", name="Save the record")
    field = measured.tab.get_by_label("Which card is it?")
    for typed, name in (
        ("Radeon 780M", f"Radeon 780M (the browser: {measured.record['name']})"),
        ("", measured.record["name"]),
    ):
        field.fill(typed)
        with measured.tab.expect_download() as download:
            save.click()
        download.value.save_as(tmp_path / "card.json")
        assert json.loads((tmp_path / "card.json").read_text()) == measured.record | {"name": name}
        assert download.value.suggested_filename == (
            "radeon-780m.json" if typed else measured.file.name
        )


def test_a_record_through_wgpu_is_as_published_and_says_that_no_browser_made_it():
    """The page's own probes and arithmetic; the seconds are made up."""
    found = through_wgpu.shaders()
    *bursts, _ = found["probes"]
    names = ("id", "title", "flops", "bytes")
    times = {"date": "2026-11-29", "name": "NVIDIA H200", "features": [], "limits": {},
             "seconds": [1e-4 * (1 + k) for k in range(len(bursts))], "launch": 5e-6,
             "kernels": [{k: row[k] for k in names} | {"seconds": 1.0}
                         for row in found["kernels"]]}  # fmt: skip
    card = through_wgpu.record(times)
    schema = jsonschema.Draft202012Validator(export.schema(ROOT, "webgpu"))
    assert not [e.message for e in schema.iter_errors([card])]
    # Rates of 256 MiB and 1 GiB, and of all ways to copy the latter: the best counts.
    large = [row["gbps"] for row in card["copy"] if row["bytes"] >= 1 << 28]
    ways = [row["gbps"] for row in card["widths"]]
    assert (len(large), len(ways)) == (2, 5) and card["copy_gbps"] == max(large + ways)
    # A workgroup without work would cost time: 65,536 groups are no two rows of 65,535.
    for copy in found["probes"][: len(card["copy"]) + len(ways)]:
        threads = copy["bindings"][0]["bytes"] / (256 * math.prod(copy["groups"]))
        assert threads in (4, 8, 16, 64, 1024), copy["groups"]
    assert "in no browser" in card["name"] and not card["software"]


def test_no_card_that_was_sent_passes_its_own_roof():
    """Par and the game are shares of it: a roof that is too low gives them away."""
    for card in my_gpu.rows(ROOT):
        shares = {k["title"]: k["share"] for k in card["kernels"]}
        assert shares and max(shares.values()) <= 1.05, (card["name"], shares)


PASSED = """async record => {
    const { show } = await import("/assets/vendor/run-here/measure.js")
    const place = document.querySelector(".my-gpu__result") ?? document.body
    record.kernels[0].share = 1.27
    show(place, record, null, [])
    return place.innerText
}"""


def test_a_share_above_all_is_explained(measured):
    page = Page(measured.tab.context.browser)
    page.open()
    said = page.tab.evaluate(PASSED, measured.record)
    assert "127 %" in said and "Arrays that fit a cache are read faster" in said
    page.context.close()
    assert not page.errors


@pytest.fixture(scope="module")
def end(measured):
    """What a link to the record ends with."""
    return measured.tab.evaluate(
        """async record => { const { packed } = await import("/assets/vendor/run-here/measure.js")
            return "#card=" + await packed(record) }""",
        measured.record,
    )


def test_a_link_brings_the_record(measured, end, chrome):
    measured.tab.get_by_role("button", name="Copy a link").click()
    page = Page(chrome, viewport={"width": 390, "height": 844})
    page.open(end)
    page.tab.wait_for_selector(".my-gpu__roof")
    assert "came with the link" in page.status.inner_text()
    first = ".my-gpu__result table >> nth=0"
    assert page.tab.inner_text(first) == measured.tab.inner_text(first)
    assert page.tab.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert len(end) < 6000, len(end)
    page.context.close()
    assert not page.errors


@pytest.mark.parametrize("width", [1280, 390])
def test_axe_finds_nothing_in_the_result_on_the_site(width, end, chromium, server):
    """In light and dark, on a desktop and a phone, with the button reached by keyboard."""
    context = chromium.new_context(viewport={"width": width, "height": 900})
    tab = context.new_page()
    tab.goto(url_of(PAGE, server) + end)
    tab.wait_for_selector(".my-gpu__roof")
    assert tab.evaluate("document.documentElement.scrollWidth <= innerWidth")
    button = tab.get_by_role("button", name="Measure my GPU")
    button.focus()
    tab.keyboard.press("Tab")
    focused = "document.activeElement.closest('.my-gpu__result') !== null"
    assert tab.evaluate(focused)  # what was measured comes next
    tab.evaluate(axe())
    for scheme in ("light", "dark"):
        switch(tab, scheme)
        found = tab.evaluate("axe.run('div.my-gpu', VIOLATIONS)")["violations"]
        assert found == [], json.dumps([(v["id"], [n["html"] for n in v["nodes"]]) for v in found])
    context.close()


def test_it_works_without_a_network_after_the_first_time(chrome, built, end):
    context = chrome.new_context()
    tab = context.new_page()
    with serving(built) as address:
        tab.goto(url_of(PAGE, address) + end)
        tab.wait_for_selector(".my-gpu[data-offline=ready]")
    tab.reload()
    tab.wait_for_selector(".my-gpu__roof")  # the card of the link, beside the H200
    assert "H200" in tab.locator("table").nth(0).inner_text()
    tab.get_by_role("button", name="Measure my GPU").press("Enter")
    tab.wait_for_function(
        "() => document.querySelector('.my-gpu__status').innerText.includes('widths')"
    )
    context.close()


def test_without_a_gpu_it_says_what_to_do(chrome):
    page = Page(chrome, "Object.defineProperty(navigator, 'gpu', { value: undefined })")
    page.open()
    page.press("This browser gives no GPU.")
    advice = page.status.locator("a", has_text="What to do in your browser")
    assert advice.get_attribute("href") == "http://localhost/my-gpu/#if-it-finds-no-gpu"
    assert page.tab.get_by_role("button", name="Measure my GPU").count()  # and nothing "again"
    page.context.close()


@pytest.mark.parametrize(
    "text, says", [("{", "is no JSON"), ("{}", "lacks or has beside"), ("[]", "lacks")]
)
def test_a_record_that_was_changed_is_refused_by_file(tmp_path, text, says):
    folder = tmp_path / my_gpu.FOLDER
    folder.mkdir(parents=True)
    (folder / "mine.json").write_text(text)
    with pytest.raises(PageError) as wrong:
        my_gpu.rows(tmp_path)
    assert "evidence/webgpu/mine.json" in str(wrong.value) and says in str(wrong.value)


# Copy rate in GB/s, TFLOP/s, what the four kernels reach of their roof, a product's FLOP a byte
CARDS = {
    "near": (105.2, 3.9, (0.95, 0.9, 0.2, 0.35), 171),
    "all at the roof": (4300.0, 51.0, (1.0, 1.0, 1.0, 1.0), 171),  # and its roof is the H200's
    "slow": (0.6, 0.007, (0.5, 0.1, 0.02, 0.002), 171),
    "far below": (900.0, 20.0, (0.3, 0.3, 0.0004, 0.0004), 171),
    "software": (0.392, 0.01698, (0.3046, 0.1168, 0.0773, 0.0017), 32 / 3),  # as saved, twice
    "software again": (0.849, 0.00687, (0.4176, 0.1315, 0.0391, 0.0012), 32 / 3),
}
OVERLAPS = """([copy_gbps, tflops, shares, product]) =>
    import("/assets/vendor/run-here/measure.js").then(({ roofline }) => {
    const card = { short: "qualcomm adreno-7xx", copy_gbps, tflops }
    const kernels = [["Vector addition", 1 / 12], ["Sum", 1 / 4], ["Naive matrix product", product],
        ["Tiled matrix product", product]].map(([title, intensity], k) => ({ title, intensity,
        gflops: shares[k] * Math.min(copy_gbps * intensity, 1000 * tflops) }))
    const h200 = { short: "H200", copy_gbps: 4213, tflops: 51.2 }
    const svg = roofline([card, h200], kernels)
    document.querySelector(".my-gpu").replaceChildren(svg)
    const frame = svg.getBoundingClientRect()
    const boxes = [...svg.querySelectorAll("text, circle")].map(node => {
        const { left, right, top, bottom } = node.getBoundingClientRect()
        const slack = node.tagName === "text" ? (bottom - top) * 0.15 : 0 // room above letters
        return [node.textContent, left, right, top + slack, bottom - slack]
    })
    const meet = (a, b) => a[1] < b[2] && b[1] < a[2] && a[3] < b[4] && b[3] < a[4]
    const points = [...svg.querySelectorAll(".my-gpu__line")].flatMap(line =>
        Array.from({ length: 400 }, (_, k) => line.getPointAtLength(
            line.getTotalLength() * k / 399).matrixTransform(line.getScreenCTM())))
    const on = a => a[0] && points.some(p => p.x > a[1] && p.x < a[2] && p.y > a[3] && p.y < a[4])
    const named = boxes.filter(b => kernels.some(k => k.title === b[0]))
    // Labels of one column stand in the order of their points.
    const of = label => kernels.find(k => k.title === label[0])
    const swapped = named.filter(a => named.some(b => of(a).gflops > of(b).gflops &&
        a[3] > b[3] && Math.abs(Math.log2(of(a).intensity / of(b).intensity)) < 2))
    return swapped.concat(boxes.filter(on)).concat(boxes.flatMap((a, k) => [
        ...boxes.slice(k + 1).filter(b => (a[0] || b[0]) && meet(a, b)).map(b => [a[0], b[0]]),
        ...(a[1] < frame.left - 1 || a[2] > frame.right + 1 || a[3] < frame.top - 1 ? [a] : []),
    ]))
})"""


def test_no_label_of_the_roofline_lies_on_another_or_on_a_line(chrome):
    """On a phone, where they are largest, and on a desk; and they stand in the points' order."""
    page = Page(chrome)
    page.open()
    for width in (320, 375, 1280):
        page.tab.set_viewport_size({"width": width, "height": 800})
        found = {name: page.tab.evaluate(OVERLAPS, list(card)) for name, card in CARDS.items()}
        assert not any(found.values()), (width, found)
    page.context.close()
    assert not page.errors

"""What stands around a lesson: its facts, its quizzes, its tick, and the graph of what needs what.

Everything is made from front matter, the
roadmap and the page's own blocks, and put into the document's tree, so that links are checked and
rewritten as any others are.
"""

import functools
import posixpath
import re
from itertools import pairwise, permutations, product
from pathlib import Path
from xml.etree.ElementTree import Element, SubElement

from markdown.treeprocessors import Treeprocessor
from markdown.util import AtomicString

from lockstep import export, rendered
from lockstep.languages.names import imports
from lockstep.page import Mistake, Page, PageError
from lockstep.parts import Part
from lockstep_site import bet, exercise, library, puzzles, quiz, roadmap
from lockstep_site.gpu.needs import (
    OPTIONAL,
    Needs,
    asks,
    modules,
    of_page,
    shared_kb,
    simulator_of,
    uses_gpu,
    uses_numba,
)

# A picture in two colors counts once.
PICTURE = re.compile(r"^!\[(?!.*#only-dark)|^\[\[(?:plot|picture):", re.MULTILINE)
BOX = re.compile(r'<svg [^>]*viewBox="0 0 ([\d.]+) ([\d.]+)"')  # of a picture: its width and height
TOLD = ("lab", "map")  # kinds of page that say where their code runs, as a lesson does
# The page on installing, by its roadmap item, and its parts.
SETUP = "q-install"
SETUP_PARTS = (
    ("with an NVIDIA GPU", "an-nvidia-gpu"),
    ("without a GPU", "no-gpu-numbas-simulator"),
    ("on a Mac", "mac"),
    ("on Colab", "colab"),
)


@functools.lru_cache(maxsize=2)  # the roadmap is the same for all pages of a build
def _items(site) -> dict[str, dict]:
    if not (site.root / roadmap.DATA).is_file():
        return {}
    return {row["id"]: row for row in roadmap.items(site.root)}


@functools.lru_cache(maxsize=2)
def _practice(site) -> dict[str, list[Page]]:
    return puzzles.practice(site.pages)


class Lesson(Treeprocessor):
    """Puts them in. ``stopping`` turns a page's mistakes into an error that ends the build."""

    def __init__(self, md, state, stopping):
        super().__init__(md)
        self.state, self.stopping = state, stopping

    def run(self, root: Element) -> None:
        page = self.state.page
        if page is None:  # a draft that cannot be shown
            return
        with self.stopping():
            self._quizzes(root, page)
            items, folder = _items(self.state.site), self.state.folder
            for frame in root.iter("div"):
                if frame.get("class") == "needs":
                    frame.insert(0, graph(list(items.values()), folder or "roadmap"))
            claimed = [items[i] for i in page.meta.get("roadmap", []) if i in items]
            kind = page.meta.get("kind")
            if kind == "lesson" or uses_gpu(page) and (kind in TOLD or demanding(page)):
                root.insert(_after_lead(root), facts(page, items, folder or "."))
            if kind == "puzzle":
                root.insert(_after_lead(root), after(page, self.state.site.pages, folder or "."))
            if given := _practice(self.state.site).get(page.uri):
                root.append(practice(given, folder or "."))
            if kind == "lesson" and (chosen := further(page)):
                root.append(chosen)
            if claimed or kind == "lesson":
                follows = follows_of(self.state.site, page.uri)
                root.append(tick(page, claimed, items, folder or ".", follows))

    @staticmethod
    def _quizzes(root: Element, page: Page) -> None:
        read = quiz.read(page.body, page.body_line, page.blocks)
        found, wanted = quiz.render(root, *read), tuple(map(len, read))
        if found != wanted:
            what = (
                f"{found[0]} quizzes and {found[1]} exercises are shown, "
                f"{wanted[0]} and {wanted[1]} are written"
            )
            mend = "start each box at the left margin, after an empty line"
            at = [q.line for q in read[0]] + [b.line for e in read[1] for b in e.hints]
            raise PageError([Mistake(page.path, min(at, default=1), what, mend)])


class Pictures(Treeprocessor):
    """Lets a picture wait until it comes near: the one for the other scheme is never fetched.

    It says how large the picture is, so that its place is kept and no line moves when it comes.
    """

    def __init__(self, md, state):
        super().__init__(md)
        self.state = state

    def run(self, root: Element) -> None:
        for picture in root.iter("img"):
            picture.set("loading", "lazy")
            size = self._size(picture.get("src", ""))
            if size and not picture.get("width"):
                picture.set("width", size[0])
                picture.set("height", size[1])

    def _size(self, source: str) -> tuple[str, str] | None:
        """Return the width and height of an SVG of this site, as its first line gives them."""
        place, site = source.partition("#")[0], self.state.site
        if not place.endswith(".svg") or "//" in place or site is None:
            return None
        return _size_of(Path(site.root) / "docs" / (self.state.folder or "") / place)


def _size_of(file: Path) -> tuple[str, str] | None:
    if not file.is_file():
        return None  # the build says so
    said = file.stat()
    return _box(file, said.st_mtime_ns, said.st_size)


@functools.lru_cache(maxsize=1024)
def _box(file: Path, modified: int, size: int) -> tuple[str, str] | None:
    found = BOX.search(file.read_text(encoding="utf-8")[:2000])
    return (found[1], found[2]) if found else None


def _after_lead(root: Element) -> int:
    """Return the place after the first paragraph, which says what the page is about."""
    tags = [child.tag for child in root]
    start = tags.index("h1") + 1 if "h1" in tags else 0
    return tags.index("p", start) + 1 if "p" in tags[start:] else start


# ---------------------------------------------------------------- before the reader starts


def facts(page: Page, items: dict[str, dict], folder: str) -> Element:
    """Return the lines that say how long a page takes, what it builds on, and where it runs."""
    box = Element("ul", {"class": "facts", "data-search-exclude": "", rendered.MARK: rendered.MINE})
    if place := _place(page, items):
        number, of, phase = place
        line = _fact(box, "Lesson")
        line.text = AtomicString(f"{number} of {of}, ")
        index = posixpath.relpath(f"roadmap/{phase['id']}/index.md", folder)
        line.append(_link(phase["title"], index))
    if minutes := page.meta.get("minutes"):
        _fact(box, "Time").text = AtomicString(roadmap.duration(minutes))
    needs = [items[ident] for ident in page.meta.get("needs", []) if ident in items]
    if needs or page.meta.get("kind") == "lesson":
        before = [_page_link(row, folder) for row in needs] or ["Python and NumPy, no more"]
        _series(_fact(box, "You need"), before)
    runs = _fact(box, "Runs on")
    runs.text = AtomicString(where_it_runs(page))
    if SETUP in items and items[SETUP]["page"] and uses_gpu(page):
        runs.text = AtomicString(f"{where_it_runs(page)} Set up ")
        to_setup = posixpath.relpath(items[SETUP]["page"], folder)
        parts = [_link(label, f"{to_setup}#{anchor}") for label, anchor in SETUP_PARTS]
        _series(runs, parts, " or ")
        runs[-1].tail = AtomicString(".")
    return box


def after(page: Page, pages: list[Page], folder: str) -> Element:
    """Return the line with the lessons and patterns that a puzzle practices."""
    box = Element("ul", {"class": "facts", "data-search-exclude": "", rendered.MARK: rendered.MINE})
    of = {known.uri: known for known in pages}
    named = [of[uri] for uri in page.meta["follows"]]
    links = [_link(known.title, posixpath.relpath(known.uri, folder)) for known in named]
    _series(_fact(box, "Practices"), links)
    return box


def _place(page: Page, items: dict[str, dict]) -> tuple[int, int, dict] | None:
    """Return a lesson's number in its phase, how many there are, and the phase."""
    own = [items[ident] for ident in page.meta.get("roadmap", []) if ident in items]
    if page.meta.get("kind") != "lesson" or not own or own[0]["phase"] == roadmap.QUESTIONS:
        return None
    pages = [row["page"] for row in roadmap.path(list(items.values()), own[0]["phase"])]
    phases = {phase["id"]: phase for phase in roadmap.load(page.root)["phases"]}
    return pages.index(page.uri) + 1, len(pages), phases[own[0]["phase"]]


def where_it_runs(page: Page) -> str:
    """Say on which machines a page's code runs, and how much of it without a GPU."""
    needs = sorted(modules(page) & OPTIONAL.keys())
    packages = [re.split(r"[\[=]", OPTIONAL[name])[0] for name in needs]
    if not uses_gpu(page):
        also = f", with {' and '.join(packages)} installed" if packages else ""
        # Intrinsics are words of one processor, and C++ needs its compiler
        x86 = any("immintrin.h" in block.text for block in page.blocks)
        computer = "an x86 computer with g++" if x86 else "any computer"
        return f"{computer}, without a GPU{also}."
    gpu = which_gpu(page)
    total = sum(block.runs for block in page.blocks)
    without = total - page.meta.get("gpu_only", 0)
    if not without:
        return f"{gpu}. None of its blocks run without one."
    simulator = ""
    if uses_numba(page):
        names = {"simulator": "Numba's simulator", "stepper": "the simulator of “Run here”"}
        own = (block for block in page.blocks if not block.path.startswith(exercise.FOLDERS))
        what = "" if any("numba" in imports(block) for block in own) else "its exercises "
        simulator = f", {what}in {names[simulator_of(page)]}"
    some = f"all {total}" if without == total else f"{without} of its {total}"
    return f"{gpu}; {some} blocks of code also without one{simulator}."


def demanding(page: Page) -> bool:
    """Whether a page needs more than any CUDA GPU."""
    return bool(asks(page)) or of_page(page) != Needs()


def which_gpu(page: Page) -> str:
    """Say which GPU a page's code needs, before a reader starts it."""
    needs = of_page(page)
    gpu = "any CUDA GPU" if needs.gpus == 1 else f"{needs.gpus} CUDA GPUs in one machine"
    if float(needs.capability):
        gpu = gpu.replace("any", "a") + f" of compute capability {needs.capability}"
        gpu += " alone, since no other has wgmma" if needs.alone else " or newer"
    has = []
    if needs.shared_kb:
        low = [
            cc
            for cc, most in shared_kb().items()
            if float(cc) >= float(needs.capability) and most < needs.shared_kb and not needs.alone
        ]
        but = f" (not {', '.join(low)})" if low else ""
        has.append(f"{needs.shared_kb} KiB of shared memory for a block{but}")
    if needs.memory_gb:
        has.append(f"{needs.memory_gb} GB of memory")
    if has:
        gpu += f", {'each ' if needs.gpus > 1 else ''}with {' and '.join(has)}"
    if parts := asks(page):
        gpu += f"; it leaves out the parts that need compute capability {' or '.join(parts)}"
        gpu += " where the GPU is another"
    return gpu


def _fact(box: Element, name: str) -> Element:
    line = SubElement(box, "li")
    SubElement(line, "strong").text = AtomicString(name)
    line[0].tail = " "
    return SubElement(line, "span")


def _link(text: str, href: str) -> Element:
    link = Element("a", {"href": href})
    link.text = AtomicString(text)
    return link


def _page_link(row: dict, folder: str) -> Element | str:
    if row["page"]:
        return _link(row["name"], posixpath.relpath(row["page"], folder))
    return f"{row['name']} (planned)"


def _series(parent: Element, parts: list, last: str = " and ") -> None:
    """Append texts and elements as a series: a, b and c."""
    for n, part in enumerate(parts):
        between = "" if n == 0 else last if n == len(parts) - 1 else ", "
        if isinstance(part, str):
            part, text = Element("span"), part
            part.text = AtomicString(text)
        if n == 0:
            parent.text = AtomicString((parent.text or "") + between)
        else:
            parent[-1].tail = AtomicString(between)
        parent.append(part)


# ---------------------------------------------------------------- when the reader is done


def practice(given: list[Page], folder: str) -> Element:
    """Return the puzzles that practice what a page taught."""
    box = Element("div", {"class": "further", "data-search-exclude": ""})
    box.set(rendered.MARK, rendered.MINE)
    SubElement(SubElement(box, "p"), "strong").text = "Practice"
    lines = SubElement(box, "ul")
    for puzzle in given:
        line = SubElement(lines, "li")
        line.append(_link(puzzle.title, posixpath.relpath(puzzle.uri, folder)))
        line[0].tail = AtomicString(f": {puzzle.meta['description']}")
    return box


def further(page: Page) -> Element | None:
    """Return what others wrote or filmed that fits a lesson: three entries of the library."""
    chosen = library.fitting(page.root)
    found = [row for item in page.meta.get("roadmap", []) for row in chosen.get(item, ())][:3]
    if not found:
        return None
    box = Element("div", {"class": "further", "data-search-exclude": ""})
    box.set(rendered.MARK, rendered.MINE)
    SubElement(SubElement(box, "p"), "strong").text = "From the library"
    lines = SubElement(box, "ul")
    for row in found:
        line = SubElement(lines, "li")
        line.append(_link(row["title"], row["url"]))
        line[0].tail = AtomicString(f": {row['note']}")
    return box


def follows_of(source, uri: str) -> dict | None:
    """Return the page after one of the phases' pages, in the order of the sidebar."""
    if not (source.root / roadmap.DATA).is_file():
        return None
    pages = {known.uri: known for known in source.pages}
    order = roadmap.way(source.root, pages)
    after = order[order.index(uri) + 1 :] if uri in order else []
    return {"page": after[0], "name": pages[after[0]].title} if after else None


def tick(
    page: Page,
    claimed: list[dict],
    items: dict[str, dict],
    folder: str,
    follows: dict | None = None,
) -> Element:
    """Return the box to tick when a page is done, with the way to the next one.

    ``follows`` has the page and the name of the one that does, where it is no lesson of the path.
    """
    ids = [row["id"] for row in claimed] or [page.name.replace("/", "-")]
    kind = "lesson" if page.meta["kind"] == "lesson" else "page"
    box = Element("div", {"class": "tick", "data-title": page.title, "data-search-exclude": ""})
    line = SubElement(box, "p")
    label = SubElement(line, "label")
    SubElement(label, "input", {"type": "checkbox", "data-done": " ".join(ids)})
    SubElement(label, "span").text = f"I have done this {kind}"
    order = roadmap.path(list(items.values()))
    mine = [n for n, row in enumerate(order) if row["id"] in ids]
    later = [row for row in order[mine[-1] + 1 :] if row["id"] not in ids] if mine else order
    ways = SubElement(line, "span", {"class": "tick__ways"})
    if later or follows:
        ways.text = "Next: "
        link = _page_link(follows or later[0], folder)
        link.set("class", "tick__next")
        ways.append(link)
        link.tail = " · "
    if items:
        ways.append(_link("Your roadmap", posixpath.relpath("roadmap/index.md", folder)))
    SubElement(box, "p", {"class": "progress__said", "aria-live": "polite"})
    return box


# ---------------------------------------------------------------- what needs what, as a picture

COLUMNS, WIDTH, HEIGHT, GAP_X, GAP_Y = 3, 120, 60, 8, 34


def layout(rows: list[dict]) -> tuple[list[list[str]], list[tuple[str, str]]]:
    """Return the ids in lines from top to bottom, and the arrows (from, to) that are drawn.

    A line holds pages at the same distance from a start, at most three. An arrow is left out where
    others lead the same way round.
    """
    known = {row["id"] for row in rows}
    needs = {row["id"]: [n for n in row["needs"] if n in known] for row in rows}

    @functools.cache
    def above(ident: str) -> frozenset[str]:
        return frozenset(needs[ident]).union(*(above(n) for n in needs[ident]))

    @functools.cache
    def depth(ident: str) -> int:
        return 1 + max((depth(n) for n in needs[ident]), default=-1)

    arrows = [
        (n, ident)
        for ident, before in needs.items()
        for n in before
        if not any(n in above(other) for other in before if other != n)
    ]
    lines: list[list[str]] = []
    for level in range(1 + max(map(depth, needs), default=-1)):
        line = [ident for ident in needs if depth(ident) == level]
        lines += [line[n : n + COLUMNS] for n in range(0, len(line), COLUMNS)]
    # The order within the lines that makes the arrows short, two neighboring lines at a time.
    for upper, lower in 2 * list(pairwise(range(len(lines)))):

        def length(pair, upper=upper, lower=lower) -> float:
            return _length([*lines[:upper], *pair, *lines[lower + 1 :]], arrows)

        best = min(product(permutations(lines[upper]), permutations(lines[lower])), key=length)
        lines[upper], lines[lower] = map(list, best)
    return lines, arrows


def _length(lines: list[list[str]], arrows: list[tuple[str, str]]) -> float:
    at = {ident: _x(line, n) for line in lines for n, ident in enumerate(line)}
    return sum(abs(at[a] - at[b]) for a, b in arrows if a in at and b in at)


def _x(line: list[str], n: int) -> float:
    """Return the middle of a box: lines are centered."""
    full = COLUMNS * WIDTH + (COLUMNS - 1) * GAP_X
    used = len(line) * WIDTH + (len(line) - 1) * GAP_X
    return (full - used) / 2 + n * (WIDTH + GAP_X) + WIDTH / 2


def graph(items: list[dict], folder: str) -> Element:
    """Draw what needs what: links on a drawing of the lines between them, which has no text.

    The links are HTML, because the theme cannot handle links of an SVG.
    """
    of = {row["id"]: row for row in items}
    lines, arrows = layout(roadmap.linked(items))
    place = {
        ident: (_x(line, n), y * (HEIGHT + GAP_Y))
        for y, line in enumerate(lines)
        for n, ident in enumerate(line)
    }
    width = COLUMNS * WIDTH + (COLUMNS - 1) * GAP_X
    height = len(lines) * (HEIGHT + GAP_Y) - GAP_Y
    frame = Element(
        "div", {"class": "needs__graph", "data-search-exclude": "", rendered.MARK: rendered.MADE}
    )
    frame.set("style", f"aspect-ratio: {width} / {height}")
    svg = SubElement(frame, "svg", {"viewBox": f"0 0 {width} {height}", "aria-hidden": "true"})
    for start, end in arrows:
        (x1, y1), (x2, y2) = place[start], place[end]
        y1 += HEIGHT
        middle = (y2 - y1) / 2
        d = f"M{x1:g} {y1:g}c0 {middle:g} {x2 - x1:g} {middle:g} {x2 - x1:g} {y2 - y1:g}"
        SubElement(svg, "path", {"d": d})
    for ident, (x, y) in place.items():
        row = of[ident]
        page = _page_link(row, folder) if row["page"] else Element("span")
        page.text = AtomicString(row["name"])
        page.set("class", "needs__page")
        page.set("data-item", ident)
        where = {
            "left": (x - WIDTH / 2) / width,
            "top": y / height,
            "width": WIDTH / width,
            "height": HEIGHT / height,
        }
        page.set("style", "; ".join(f"{k}: {100 * v:.3f}%" for k, v in where.items()))
        frame.append(page)
    return frame


@functools.lru_cache(maxsize=1)
def _way(source) -> tuple[dict[str, dict], dict[str, Page], list[dict]]:
    """Return the items by their ids, the lessons by their addresses, and the path over them."""
    items = {row["id"]: row for row in roadmap.items(source.root)}
    pages = {known.uri: known for known in source.pages if known.meta.get("kind") == "lesson"}
    # A list of courses stands on the path, and is no lesson.
    order = [row for row in roadmap.path(list(items.values())) if row["page"] in pages]
    return items, pages, order


class LessonPart(Part):
    """Facts, quizzes, exercises, the tick."""

    name = "lesson"

    def extend(self, md, state, stopping) -> None:
        # Before task lists (25) and inline text (20).
        md.treeprocessors.register(Lesson(md, state, stopping), "lockstep-lesson", 30)
        # After inline text (20) has made them, and attributes (8).
        md.treeprocessors.register(Pictures(md, state), "lockstep-pictures", 6)

    def row(self, page: Page, source) -> dict:
        """Where a page of the path stands on it, and what there is to see and to do."""
        if not page.meta.get("roadmap") or not (source.root / roadmap.DATA).is_file():
            return {}
        items, pages, order = _way(source)
        at = next((n for n, row in enumerate(order) if row["page"] == page.uri), None)
        if at is None:
            return {}

        known = {other.uri: other for other in source.pages}

        def url(row: dict) -> str:
            return export.address(known[row["page"]])

        body, follows = page.written or page.body, follows_of(source, page.uri)
        plays = re.findall(r"^\[\[(play|schedule|motion):", body, re.MULTILINE)
        graded = [exercise.load(name, page.root) for name in exercise.named(body)]
        needs = [items[i] for i in page.meta.get("needs", []) if items[i]["page"] in pages]
        return {
            "order": at + 1,
            "requires": list(dict.fromkeys(map(url, needs))),
            "next": url(follows) if follows else None,  # as the page's own box says
            "pictures": len(PICTURE.findall(body)),
            "exercises": {"graded": len(graded), "with_par": sum(bool(e.par) for e in graded)},
            "bets": len(bet.read(body, 1)),
            "recordings": plays.count("play"),
            "schedules": plays.count("schedule"),
            "motions": plays.count("motion"),
        }

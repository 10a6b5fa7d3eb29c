"""The roadmap: every id once, links found from pages, and claims that are wrong refused."""

import re
from pathlib import Path

import markdown
import pytest

from lockstep.page import PageError
from lockstep_site import roadmap
from tests.pages import PAGES

ROOT = Path(__file__).resolve().parents[1]
DATA = """
phases:
- id: first
  title: "Phase 1: First"
  timeline: 0-3 months
  focus: Start
  groups:
  - title: Basics
    items:
    - {id: f-one, title: "One: a_b *and* [c] < d"}
    - {id: f-two, title: "Two"}
questions:
- {id: q-why, title: "Why?"}
"""


@pytest.fixture
def site(tmp_path):
    """A small repository: two items, one question, no page yet."""
    put(tmp_path, "roadmap/roadmap.yml", DATA)
    return tmp_path


def put(root, name, text):
    path = root / "docs" / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def page(ids, extra=""):
    return f"---\ntitle: A page\n{extra}roadmap: {ids}\n---\n# A page\n"


def expand(text, root):
    """Replace the markers of a page, as the site's Markdown extension does."""
    return roadmap.MARKER.sub(lambda m: f"\n{roadmap.render(m[1], root)}\n", text)


def as_html(text):
    return markdown.markdown(text, extensions=["attr_list", "md_in_html", "toc"])


def test_all_items_and_questions_are_on_the_index_exactly_once():
    text = (ROOT / "docs/roadmap/index.md").read_text(encoding="utf-8")
    rendered = as_html(expand(text, ROOT))
    ids = re.findall(r'<li [^>]*id="([^"]+)"', rendered)
    rows = roadmap.items(ROOT)
    assert sum(row["phase"] != "questions" for row in rows) == 51
    assert sum(row["phase"] == "questions" for row in rows) == 14
    assert ids == [row["id"] for row in rows]
    assert len(set(ids)) == 51 + 14


def test_each_phase_page_lists_its_items_exactly_once():
    for phase in roadmap.load(ROOT)["phases"]:
        text = (ROOT / f"docs/roadmap/{phase['id']}/index.md").read_text(encoding="utf-8")
        ids = re.findall(r'<li [^>]*id="([^"]+)"', as_html(expand(text, ROOT)))
        assert ids == [row["id"] for row in roadmap.items(ROOT) if row["phase"] == phase["id"]]


def test_an_item_without_a_page_says_planned_and_is_no_link(site):
    rendered = as_html(roadmap.render("all", site))
    assert "0 of 2 written" in rendered
    assert rendered.count('<span class="item__state">planned</span>') == 2
    assert '<span class="item__title">Two</span>' in rendered
    assert roadmap.items(site)[1]["url"] is None


def test_an_item_with_a_page_is_a_link_relative_to_the_page_that_holds_the_marker(site):
    put(site, "roadmap/first/two.md", page("[f-two]", "minutes: 40\n"))
    put(site, "setup.md", page("[q-why]"))
    assert "[Two](first/two.md)" in roadmap.render("all", site)
    assert "[Two](two.md)" in roadmap.render("first", site)
    assert "[Two](roadmap/first/two.md)" in roadmap.render("first", site, ".")
    assert "[Why?](../setup.md)" in roadmap.render("questions", site)
    rendered = as_html(roadmap.render("all", site))
    assert "1 of 2 written" in rendered
    assert '<span class="item__time">40 min</span>' in rendered
    two = roadmap.items(site)[1]
    assert (two["state"], two["url"]) == ("written", "roadmap/first/two/")


@pytest.mark.parametrize(
    ("name", "url"),
    [("index.md", "."), ("a/index.md", "a/"), ("a/b.md", "a/b/"), ("my-index.md", "my-index/")],
)
def test_addresses_are_those_of_directory_urls(site, name, url):
    put(site, name, page("[f-one]"))
    assert roadmap.items(site)[0]["url"] == url


def test_a_title_renders_as_itself(site):
    assert "One: a_b *and* [c] &lt; d" in as_html(roadmap.render("all", site))


def test_text_around_a_marker_stays_and_a_marker_inside_a_line_is_text(site):
    text = "before\n[[roadmap:questions]]\nafter `[[roadmap:questions]]`\n"
    expanded = expand(text, site)
    assert expanded.startswith("before\n\n<ul")
    assert expanded.endswith("</ul>\n\nafter `[[roadmap:questions]]`\n")


@pytest.mark.parametrize(
    ("ids", "says"),
    [
        ("[f-three]", "the roadmap has no item 'f-three'"),
        ("[f-two, f-two]", "docs/b.md claims the roadmap item 'f-two' already"),
        ("[f-one]", "docs/a.md claims the roadmap item 'f-one' already"),
        ("f-two", "roadmap is not a list. To mend: write roadmap: [f-two]"),
    ],
)
def test_a_wrong_claim_is_refused_with_file_and_mend(site, ids, says):
    put(site, "a.md", page("[f-one]"))
    put(site, "b.md", page(ids))
    with pytest.raises(PageError) as caught:
        roadmap.render("all", site)
    message = str(caught.value)
    assert message.startswith(f"docs/b.md:3: {says}")
    assert re.search(r"To mend: (use|keep|write) ", message)


def test_broken_front_matter_is_refused_with_its_line(site):
    put(site, "a.md", "---\ntitle: A\nroadmap: [f-one\n---\n# A\n")
    with pytest.raises(PageError, match=r"docs/a\.md:[34]: the front matter is not"):
        roadmap.items(site)


def test_a_page_that_changes_is_read_again(site):
    put(site, "a.md", page("[f-one]"))
    assert roadmap.items(site)[0]["state"] == "written"
    put(site, "a.md", page("[]", "minutes: 10\n"))
    assert roadmap.items(site)[0]["state"] == "planned"


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ("id: f-two", "id: f-one", ":11: the id 'f-one' is used twice"),
        ("id: f-two", "id: F Two", ":11: odd id 'F Two'"),
        ("timeline: 0-3 months", "", ":1: 'timeline' is missing"),
        ('title: "Two"', 'titel: "Two"', ":1: 'title' is missing"),
        ("questions:", "questions", ":13: the file is not YAML"),
    ],
)
def test_a_broken_roadmap_file_is_refused(site, old, new, says):
    put(site, "roadmap/roadmap.yml", DATA.replace(old, new))
    with pytest.raises(PageError) as caught:
        roadmap.load(site)
    assert str(caught.value).startswith(f"docs/roadmap/roadmap.yml{says}")


def test_an_unknown_part_is_refused_with_the_known_ones(site):
    with pytest.raises(PageError, match="all, first, questions"):
        expand("[[roadmap:second]]", site)


# Words that a lesson may use twice or more only after the item that teaches them.
TAUGHT = {
    "f-simt": r"\bwarps?\b|thread blocks?",
    "f-latency": r"in flight|Little's law|latency hiding|hides? latency|occupancy",
    "f-parallel": r"race conditions?|data races?|atomics?\b|atomic additions?",
    "f-memory": r"coalesc\w+|\bL2\b|shared memory",
    "f-access": r"bank conflicts?|\d+-way conflicts?|L1's data pipe",
    "f-nccl": r"all-?reduces?|reduce-scatter|all-?gathers?",
    "o-benchmarking": r"warm-?up",
    "o-roofline": r"rooflines?|arithmetic intensity|(?:compute|memory)-bound",
    "o-tiled-gemm": r"tiled (?:kernel|product|matrix)|shared-memory tiles?",
    "o-coarsening": r"register til\w+|coarsen\w+",
    "o-ncu": r"stall reasons?|the profiler counts|long_scoreboard|math_pipe_throttle|lg_throttle",
    "o-boehm": r"cp\.async",
    "o-tensor-cores": r"tensor cores?|mma\.sync",
    "o-hopper": r"wgmma|\bTMA\b|mbarriers?",
    "o-shapes": r"split-K|wave quantization|stream-K",
    "o-fp8": r"\bFP8\b|e4m3|e5m2",
    "o-triton": r"\bTriton\b|\btl\.\w+",
    "o-flash-attention": r"FlashAttention|online softmax",
    "o-simd": r"AVX-?512|auto-vectoriz\w+",
    "d-streams": r"non-blocking streams?|pinned memory",
    "d-multi-gpu": r"NVLink|peer (?:access|memory|copy)",
    "d-mpi": r"GPU-aware MPI|MPI ranks?",
    "d-ddp-fsdp": r"\bDDP\b|\bFSDP2?\b|(?-i:ZeRO)",
    "d-megatron": r"(?:tensor|pipeline) parallel\w*",
    "s-quantization": r"GPTQ|AWQ",
    "s-paged-attention": r"PagedAttention|paged attention|KV caches?",
}
HERE = "the page says what it is, where it first uses it"
TERM = "a term of the glossary, linked where it first stands; no more of it is used"
OTHERS = "the page is about somebody else's, and says how it differs"
# A lesson that uses the words of one that it does not need, and why it does not.
EXPLAINED = {
    ("ampere", "o-boehm"): HERE,
    ("attention-backward", "f-parallel"): TERM,
    ("benchmarking", "f-parallel"): TERM,
    ("cudnn", "o-ncu"): HERE,
    ("flash-attention-numba", "o-flash-attention"): "derived once more, from the formula",
    ("flash-attention-triton", "o-tensor-cores"): TERM,
    ("hopper", "f-parallel"): TERM,
    ("hopper", "o-boehm"): TERM,
    ("hopper", "o-fp8"): HERE,
    ("llm-c", "o-hopper"): "named beside what the page uses",
    ("llm-c", "f-nccl"): TERM,
    ("matmul-shapes", "f-parallel"): TERM,
    ("megatron", "d-multi-gpu"): "the name of a link, whose rate the page gives",
    ("mlir", "f-memory"): OTHERS,
    ("mlir", "o-tensor-cores"): OTHERS,
    ("mlir", "o-triton"): OTHERS,
    ("multi-gpu", "f-latency"): HERE,
    ("nsight-compute", "o-tiled-gemm"): "a row of a table that the page reads",
    ("quantization", "o-fp8"): "the format itself, from its bits",
    ("quantization", "o-tensor-cores"): TERM,
    ("rocm", "f-memory"): OTHERS,
    ("rocm", "o-triton"): OTHERS,
    ("tensor-cores", "o-boehm"): HERE,
    ("tensorrt", "o-triton"): OTHERS,
    ("triton", "o-hopper"): "named beside what the page uses",
    ("triton", "o-tensor-cores"): TERM,
    ("tvm", "o-coarsening"): HERE,
    ("tvm", "o-hopper"): OTHERS,
}


def test_a_lesson_needs_what_its_words_come_from():
    """Directly, or by way of what that needs."""
    items = {row["id"]: row for row in roadmap.items(ROOT)}
    lessons = {p.uri: p for p in PAGES if p.meta["kind"] == "lesson"}
    path = [row["page"] for row in roadmap.path(list(items.values()))]

    def needed(uri):
        direct = lessons[uri].meta.get("needs", []) if uri in lessons else []
        return set(direct).union(*(needed(items[ident]["page"]) for ident in direct))

    wrong = set()
    for uri, lesson in lessons.items():
        prose = re.sub(r"^ *```.*?^ *```$", "", lesson.written, flags=re.DOTALL | re.MULTILINE)
        prose = re.sub(r"!?\[[^\]]*\]\([^)]*\)", "", prose)  # a link leads to what explains it
        prose = re.split(r"^## Sources", prose, flags=re.MULTILINE)[0]
        for ident, words in TAUGHT.items():
            taught = items[ident]["page"]
            if path.index(taught) >= path.index(uri) or ident in needed(uri):
                continue
            if len(re.findall(words, prose, re.IGNORECASE)) >= 2:
                wrong.add((uri.rpartition("/")[2].removesuffix(".md"), ident))
    assert wrong == EXPLAINED.keys(), wrong ^ EXPLAINED.keys()

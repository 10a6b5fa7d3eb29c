"""The promise, page by page: nothing is typed, and what is tested is what is shown."""

import re
from html.parser import HTMLParser

import markdown
import pytest
from mkdocs.config import load_config
from sybil import Document
from sybil.parsers.markdown.lexers import RawFencedCodeBlockLexer

from lockstep import collect, languages
from lockstep.page import MARKER, PageError, find_root, paths, read, section, sections

ROOT = find_root()
PAGES = paths(ROOT)


def name_of(file):
    return file.relative_to(ROOT).as_posix()


every_page = pytest.mark.parametrize("file", PAGES, ids=name_of)


@pytest.fixture(scope="session")
def site():
    """The Markdown converter of the real site, read from mkdocs.yml, less our own extension."""
    config = load_config(str(ROOT / "mkdocs.yml"))
    extensions = [e for e in config.markdown_extensions if e != "lockstep.markdown"]
    configs = {k: v for k, v in config.mdx_configs.items() if k in extensions}
    return markdown.Markdown(extensions=extensions, extension_configs=configs)


class Blocks(HTMLParser):
    """Collect the text of each <pre> of a rendered page."""

    def __init__(self):
        super().__init__()
        self.blocks, self.depth = [], 0

    def handle_starttag(self, tag, attrs):
        if tag == "pre":
            self.depth += 1
            self.blocks.append("")

    def handle_endtag(self, tag):
        self.depth -= tag == "pre"

    def handle_data(self, data):
        if self.depth:
            self.blocks[-1] += data


def plain(page) -> str:
    """The body with our own fence options taken off, which only lockstep.markdown understands."""
    lines = page.body.splitlines()
    for block in page.blocks:
        at = block.page_line - page.body_line
        fence = lines[at][: len(lines[at]) - len(lines[at].lstrip())] + "```"
        lines[at] = f"{fence}{'text' if block.language == 'output' else block.language}"
    return "\n".join(lines) + "\n"


@every_page
def test_a_page_can_be_read(file):
    """One include line a fence, known languages, reasons, front matter: all that `read` checks."""
    try:
        read(file, ROOT)
    except PageError as error:
        pytest.fail(str(error), pytrace=False)


@every_page
def test_our_expansion_is_the_one_the_site_makes(file, site):
    page = read(file, ROOT)
    theirs = site.reset().preprocessors["snippet"].run(page.body.splitlines())
    assert page.expanded == theirs


def check_rendered(page, site):
    """Fail unless every <pre> of the rendered page is a block of it, in order."""
    reader = Blocks()
    reader.feed(site.reset().convert(plain(page)))
    rendered = [block.strip("\n") for block in reader.blocks]
    for text in rendered:
        if text not in {block.text for block in page.blocks}:
            pytest.fail(
                f"{page.path}:{first_line(page, text)}: this page shows code that is in no source "
                f"file:\n{text}\nTo mend: move it to kernels/ or snippets/ and include it "
                "(indented text renders as code, too).",
                pytrace=False,
            )
    assert rendered == [block.text for block in page.blocks]


@every_page
def test_each_rendered_block_is_a_block_of_the_page(file, site):
    """The guarantee that does not trust our reader: look at what the reader's browser gets."""
    check_rendered(read(file, ROOT), site)


@pytest.mark.parametrize(
    "planted", ["    print(1)\n", "- item\n\n        print(1)\n", "??? tip\n\n        print(1)\n"]
)
def test_planted_indented_code_is_refused(planted, site, tmp_path):
    (tmp_path / "mkdocs.yml").write_text("site_name: x\n")
    (tmp_path / "docs").mkdir()
    file = tmp_path / "docs/page.md"
    file.write_text(f"---\ntitle: x\ndescription: x\nkind: other\n---\nText.\n\n{planted}")
    page = read(file, tmp_path)  # our reader sees no fence, so it has nothing to say
    with pytest.raises(pytest.fail.Exception, match=r"docs/page.md:\d+: this page shows code"):
        check_rendered(page, site)


def first_line(page, text):
    wanted = next((line.strip() for line in text.splitlines() if line.strip()), "")
    for number, line in enumerate(page.body.splitlines(), start=page.body_line):
        if wanted and wanted in line:
            return number
    return 1


@every_page
def test_blocks_collected_equal_blocks_on_the_page(file):
    """Sybil collects every block that runs, and another lexer counts the same fences."""
    page = read(file, ROOT)
    document = collect.sybil().parse(file)
    if document.target:
        collected = [example.region.lexemes["block"].index for example in document.examples()]
        assert collected == [block.index for block in page.blocks if block.runs]
    lexer = RawFencedCodeBlockLexer(info_pattern=re.compile(r"[^\n]*\n"))
    fences = list(lexer(Document(page.body, str(file))))
    assert len(fences) == len(page.blocks)


@every_page
def test_the_page_declares_what_needs_a_gpu(file):
    page = read(file, ROOT)
    reasons = languages.gpu_only(page)
    declared = page.meta.get("gpu_only", 0)
    listed = "\n".join(f"  {page.blocks[i].where}: {why}" for i, why in reasons.items())
    assert len(reasons) == declared, (
        f"{page.path}: {len(reasons)} blocks need a GPU, the front matter says {declared}. "
        f"To mend: write gpu_only: {len(reasons)} if that is meant.\n{listed}"
    )


def test_each_section_is_shown_on_some_page():
    shown = set()
    for file in PAGES:
        shown |= {(block.path, block.section) for block in read(file, ROOT).blocks}
    unused = [
        f"{path}: section {name!r} is on no page"
        for path, names in sections(ROOT).items()
        for name in names
        if (path, name) not in shown
    ]
    assert not unused, "\n".join(unused)


def test_each_section_can_be_read():
    wrong = []
    for path, names in sections(ROOT).items():
        for name in names:
            try:
                section(ROOT, path, name)
            except PageError as error:
                wrong.append(str(error))
    assert not wrong, "\n".join(wrong)


def test_each_doctest_of_the_sources_is_on_a_page():
    """An example outside a section would look tested and run nowhere."""
    stray = []
    for path in sections(ROOT):
        if not path.endswith(".py"):
            continue
        inside = 0
        text = (ROOT / path).read_text(encoding="utf-8")
        for number, line in enumerate(text.split("\n"), start=1):
            if marker := MARKER.search(line):
                inside += 1 if marker["kind"] == "start" else -1
            elif line.lstrip().startswith(">>> ") and not inside:
                stray.append(f"{path}:{number}: a doctest outside a section runs nowhere")
    assert not stray, "\n".join(stray)


def test_few_blocks_are_only_shown():
    blocks = [block for file in PAGES for block in read(file, ROOT).blocks]
    shown = [block for block in blocks if "shown" in block.options]
    assert len(shown) <= 0.05 * len(blocks), [f"{b.page}:{b.page_line}" for b in shown]


def test_the_front_matter_shown_to_contributors_is_that_of_a_page():
    shown = (ROOT / "snippets/contribute/front-matter.yml").read_text(encoding="utf-8")
    page = (ROOT / "docs/roadmap/foundation/vector-add.md").read_text(encoding="utf-8")
    assert page.startswith(shown)


RATE = re.compile(
    r"""(?<![A-Za-z0-9])\d[\d.,]*[*_]*(?:\s|&nbsp;|&\w+;|-)?(?:
        (?:[kMGT]i?B|bytes?)(?:/s|\ (?:per|a)\ second)
      | [kMGTP]?FLOP(?:/s|S)
      | [mµμun]s\b | s\b | (?:milli|micro|nano)?seconds?\b
      | (?:times|x)\ +(?:as\ +)?(?:fast|slow|long|short|quick)
    )
    # Of lengths and counts such words are arithmetic; of speed they are a measurement.
    | \b(?i:twice|half|(?:two|three|four|five|six|seven|eight|nine|ten|a\ hundred)\ times)
      \ (?:as\ )?(?:fast|slow|quick)(?:er)?\b""",
    re.VERBOSE,
)


def typed_number(line: str) -> str | None:
    """Return a rate or a time that stands in a line of prose without a source beside it."""
    found = RATE.search(re.sub(r"`[^`]*`", "", line))
    return found[0] if found and "](http" not in line else None


@every_page
def test_no_measured_number_is_typed(file):
    """A rate or a time in prose comes by key. A number of a specification has its source beside it.

    A quiz may invent numbers, and says so by being a quiz.
    """
    page, question = read(file, ROOT), False
    for number, line in enumerate(page.body.splitlines(), start=page.body_line):
        if line and not line.startswith(" "):
            question = line.startswith("??? quiz ")
        typed = None if question else typed_number(line)
        if typed:
            pytest.fail(
                f"{page.path}:{number}: {typed!r} is typed. To mend: pull it by key, "
                "[[bench:ID.FIELD]] or [[micro:ID]], or link the specification that says so.",
                pytrace=False,
            )


def test_typed_numbers_are_seen():
    assert typed_number("It moved 3.07 TB/s in 12 ms.") == "3.07 TB/s"
    assert typed_number("It took 1,250 µs.") == "1,250 µs"
    for typed in ("1.5 seconds", "12\u00a0ms", "900 GiB/s", "5.1 TFLOPS", "3 times as fast", "2 s"):
        assert typed_number(f"It was {typed} there.") == typed
    for typed in ("twice as fast", "three times faster", "half as fast", "Ten times slower"):
        assert typed_number(f"{typed}, it ran.") == typed
    assert not typed_number("The array is read twice, half of it three times as often.")
    assert not typed_number("It moved [[bench:copy.gbps]], by `4.8 TB/s` and 12 threads.")
    assert not typed_number("The [datasheet](https://example.org) says 4.8 TB/s.")

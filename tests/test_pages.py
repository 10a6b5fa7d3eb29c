"""The promise, page by page: the core's own check, which this site calls as any project would."""

import pytest

from lockstep import numbers
from lockstep.check import Checker
from lockstep.page import paths
from tests.houses import settle
from tests.pages import PAGES, ROOT


@pytest.fixture(scope="session")
def checker():
    """The check of this site: its Markdown converter is made once."""
    return Checker(ROOT)


def refuse(mistakes):
    if found := list(mistakes):
        pytest.fail("\n".join(map(str, found)), pytrace=False)


@pytest.mark.parametrize("file", paths(ROOT), ids=lambda file: file.relative_to(ROOT).as_posix())
def test_a_page_keeps_the_promise(file, checker):
    """Read, expanded, rendered, collected, declared, and no number typed: lockstep/check.py."""
    refuse(checker.page(file))


@pytest.fixture(scope="session")
def pages():
    return PAGES


def test_each_section_can_be_read_and_is_on_some_page_and_holds_its_doctests(checker, pages):
    refuse(checker.sources(pages))


def test_few_blocks_are_only_shown(checker, pages):
    refuse(checker.shown(pages))


def test_the_parts_of_the_site_find_nothing_wrong(checker, pages):
    refuse(checker.parts(pages))


# ---------------------------------------------------------------- planted: the check can fail

HEAD = "---\ntitle: x\ndescription: x\nkind: other\n---\n"
CODE = "# --8<-- [start:a]\nx = 1\n# --8<-- [end:a]\n"
FENCE = '```python\n--8<-- "kernels/a.py:a"\n```\n'


@pytest.fixture
def house(tmp_path):
    """Returns a function that writes a page beside one source, and checks everything."""
    settle(tmp_path)
    for folder in ("docs", "kernels", "snippets"):
        (tmp_path / folder).mkdir()

    def check(body, head=HEAD, source=CODE):
        (tmp_path / "docs/page.md").write_text(head + body)
        (tmp_path / "kernels/a.py").write_text(source)
        return [str(mistake) for mistake in Checker(tmp_path).everything()]

    return check


def test_a_page_that_keeps_it_is_left_alone(house):
    assert house(FENCE) == []


def test_a_section_of_imports_or_a_marker_with_nothing_after_it_may_be_on_no_page(house):
    imports = "# --8<-- [start:imports]\nimport re\n# --8<-- [end:imports]\n"
    assert house(FENCE, source=imports + CODE + "# --8<-- [start:b]\n") == []
    for more in (imports.replace("import re", "import re\nre.purge()"), imports[:25]):
        found = house(FENCE, source=more + CODE)
        assert any(said.startswith("kernels/a.py:1: section 'imports'") for said in found), found


@pytest.mark.parametrize(
    "planted", ["    print(1)\n", "- item\n\n        print(1)\n", "??? tip\n\n        print(1)\n"]
)
def test_planted_indented_code_is_refused(planted, house):
    """Our reader sees no fence, so it has nothing to say: the rendered page does."""
    [said] = house(f"Text.\n\n{planted}\n{FENCE}")
    line = 8 + planted.count("\n\n") * 2
    assert said.startswith(f"docs/page.md:{line}: this page shows code that is in no source file")


@pytest.mark.parametrize(
    ("body", "source", "said"),
    [
        (FENCE, CODE + ">>> 1\n", "kernels/a.py:4: a doctest outside a section runs nowhere"),
        (FENCE, CODE + CODE.replace(":a", ":b"), "kernels/a.py:4: section 'b' is on no page"),
        (FENCE + "It took 12 ms.\n", CODE, "docs/page.md:9: '12 ms' is typed"),
        (FENCE.replace("python", 'yaml shown="it is"'), CODE, "docs/page.md:6: 1 of 1 blocks are"),
        (FENCE, CODE.replace("x = 1", "import cupy"), "docs/page.md:1: 1 blocks: needs a GPU, the"),
    ],
)
def test_a_planted_fault_is_named_with_file_line_and_mend(body, source, said, house):
    found = house(body, source=source)
    assert any(line.startswith(said) and "To mend: " in line for line in found), found


def test_a_folder_without_pages_is_an_error(house, tmp_path):
    house(FENCE)
    (tmp_path / "docs/page.md").unlink()
    [mistake] = Checker(tmp_path).everything()
    assert str(mistake).startswith("mkdocs.yml:1: there is no page in docs/")


def test_the_front_matter_shown_to_contributors_is_that_of_a_page():
    shown = (ROOT / "snippets/contribute/front-matter.yml").read_text(encoding="utf-8")
    page = (ROOT / "docs/roadmap/foundation/threads-and-blocks.md").read_text(encoding="utf-8")
    assert page.startswith(shown)


def test_typed_numbers_are_seen():
    """Every page goes through this when the site is built: lockstep/finished.py."""
    assert numbers.typed("It moved 3.07 TB/s in 12 ms.") == ["3.07 TB/s", "12 ms"]
    assert numbers.typed("It took 1,250 µs.") == ["1,250 μs"]
    for typed in ("1.5 seconds", "12\u00a0ms", "900 GiB/s", "5.1 TFLOPS", "3 times as fast", "2 s"):
        assert numbers.typed(f"It was {typed} there.") == [typed.replace("\u00a0", " ")]
    for typed in ("twice as fast", "three times faster", "half as fast", "Ten times slower"):
        assert numbers.typed(f"{typed}, it ran.")
    for plain in (
        "The array is read twice, half of it three times as often.",
        "Blocks of 256 threads, 16 × 16 tiles, 4 KB each, 32 % 2 of them, n - 1 times the time.",
        "CUDA 13.x, 2 S bytes, a factor, 5 strides.",
    ):
        assert numbers.typed(plain) == []

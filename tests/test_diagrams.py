"""The pictures of the pages are those that their scripts draw, from the code as it is now."""

from importlib import import_module
from pkgutil import iter_modules

import pytest

from snippets import diagrams
from snippets.diagrams import bank_conflicts, common, divergence, matmul_warp, sectors
from tests.pages import ROOT

NAMES = [m.name for m in iter_modules(diagrams.__path__) if m.name not in {"common", "__main__"}]


@pytest.mark.parametrize("name", NAMES)
def test_a_picture_is_what_its_script_draws(name, tmp_path):
    draw = import_module(f"snippets.diagrams.{name}").draw
    for path in common.write(name.replace("_", "-"), draw, tmp_path):
        shown = common.FOLDER / path.name
        message = f"{shown.name} is old. To mend: .venv/bin/python -m snippets.diagrams {name}"
        assert path.read_text(encoding="utf-8") == shown.read_text(encoding="utf-8"), message


def test_every_picture_is_shown_in_both_schemes_with_one_text():
    """What a screen reader says is the same for both; a picture that no page shows is left over."""
    shown = "\n".join(p.read_text(encoding="utf-8") for p in (ROOT / "docs").rglob("*.md"))
    for name in NAMES:
        texts = []
        for scheme in ("light", "dark"):
            before, found, _ = shown.partition(f"diagrams/{name.replace('_', '-')}-{scheme}.svg#")
            assert found, f"no page shows {name} in {scheme}"
            texts.append(before.rpartition("![")[2])
        assert texts[0].split("](")[0] == texts[1].split("](")[0], name


def test_the_texts_of_the_lessons_say_what_the_kernels_do():
    """Numbers that a page's words repeat from its pictures."""
    assert [sectors.warp_reads(*row)[0] for row in sectors.ROWS] == [4, 5, 8, 32]
    assert [bank_conflicts.read(shape)[1] for shape in bank_conflicts.SHAPES] == [8, 2]
    assert [len(bank_conflicts.read(shape)[0]) for shape in bank_conflicts.SHAPES] == [4, 31]
    assert [len(divergence.masks(n)) for n in (0, 1)] == [11, 8]
    assert [sum(len(lanes) == 16 for _, lanes in divergence.masks(n)) for n in (0, 1)] == [6, 0]
    assert [[len(p) for p in matmul_warp.places(s)] for s in (False, True)] == [
        [1, 8, 8],
        [8, 1, 8],
    ]

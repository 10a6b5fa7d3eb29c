"""``make check`` runs what concerns a page, and no more: it is to take seconds."""

from types import SimpleNamespace

import pytest

from kernels.reduction import tree
from tests import check, concerns


@pytest.mark.parametrize(("code", "wanted"), [(0, 0), (1, 1), (5, 0)])
def test_a_page_that_no_test_concerns_passes(monkeypatch, code, wanted):
    """pytest ends with 5 where it has nothing to run; the page's rules and its look still count."""
    monkeypatch.setattr(
        check.subprocess, "Popen", lambda *_, **__: SimpleNamespace(wait=lambda: code)
    )
    for name in ("build", "look"):
        monkeypatch.setattr(check, name, lambda page, folder: [])
    monkeypatch.setattr(check, "Checker", lambda root: SimpleNamespace(page=lambda file: []))
    monkeypatch.setattr(check.site, "site", lambda root: SimpleNamespace(records=None))
    assert check.main("docs/contribute/recipes.md") == wanted


def kernel_tests(monkeypatch, module):
    monkeypatch.setattr(concerns.run_here, "programs", lambda page: [])
    blocks = [SimpleNamespace(path=module)]
    page = SimpleNamespace(path="docs/patterns/page.md", blocks=blocks, written="", body="")
    return [file for file in concerns.files(page) if "/test_kernels_" in file]


def test_a_module_beside_the_folders_concerns_its_own_tests_alone(monkeypatch):
    assert kernel_tests(monkeypatch, "kernels/lone_module.py") == []
    own = kernel_tests(monkeypatch, "kernels/elementwise/plain.py")
    assert "tests/test_kernels_elementwise.py" in own and len(own) < 8


def test_a_wrong_kernel_that_no_page_shows_concerns_the_page_of_its_test(monkeypatch, tmp_path):
    monkeypatch.setattr(concerns, "ROOT", tmp_path)
    (tmp_path / "tests").mkdir()
    test = tmp_path / "tests/test_kernels_sums.py"
    test.write_text("from kernels.sums import tree\nfrom kernels.wrong.sums_odd import sum_odd\n")
    blocks = [SimpleNamespace(path="kernels/sums/tree.py")]
    page = SimpleNamespace(path="docs/sums.md", uri="sums.md", blocks=blocks, written="", body="")
    monkeypatch.setattr(concerns.run_here, "programs", lambda page: [])
    assert concerns.wrong(page) == {"sums_odd"}
    assert {"sums_odd", "kernels/wrong/sums_odd.py"} <= set(concerns.words(page))
    page.blocks = [SimpleNamespace(path="kernels/another/tree.py")]
    assert concerns.wrong(page) == set()


def helper(load):
    return load("kernels.reduction.warps")


def reached(function, **params):
    item = SimpleNamespace(function=function, callspec=SimpleNamespace(params=params))
    item._fixtureinfo = SimpleNamespace(name2fixturedefs={})
    return concerns.reached(item)


def test_a_test_reaches_what_its_code_its_helpers_and_its_parameters_name():
    def plain():
        return tree.sum_tree, [helper(len) for _ in range(2)]

    def by_parameter(kernel):
        return len(kernel)

    def program():
        return "from kernels.scan import blelloch; print(blelloch)"

    assert reached(plain) == {"kernels.reduction.tree", "kernels.reduction.warps"}
    assert reached(by_parameter, kernel=("kernels/wrong/no_guard.py",)) == {
        "kernels.wrong.no_guard"
    }
    assert reached(program) == {"kernels.scan"}
    assert reached(lambda: 1 + 1) == set()


def test_what_reaches_another_module_is_left_out_and_what_reaches_none_is_run():
    ours = {"kernels.reduction.tree"}
    assert concerns.concerned({"kernels.reduction.tree"}, ours)
    assert concerns.concerned({"kernels.reduction"}, ours)
    assert concerns.concerned(set(), ours)
    assert not concerns.concerned({"kernels.reduction.warps", "kernels.red"}, ours)

"""A page that said that something did not run still says so, or brings what shows that it did."""

import subprocess

import pytest

from lockstep.evidence import denials
from lockstep.page import read_all
from tests.houses import settle

START = "---\ntitle: A page\ndescription: Words.\nkind: other\n---\n\n# A page\n\n"
WHEELS = "Numba has wheels for two more systems, so the lessons need no other. "
SLOTS = "That fills most of the slots, and so it should be a gain for all of them. "
TURNED = (
    (WHEELS + "We have run neither.", WHEELS + "Phase 1 is fine on both."),
    (WHEELS + "We have run neither.", WHEELS),
    (WHEELS + "We have not run this on Colab; try it.", WHEELS + "It is good for Colab; try it."),
    (SLOTS + "(Only the second was timed: it is not on record.)", SLOTS + "(The cure is a gain.)"),
    (SLOTS + "The trials are not on record.", SLOTS + "The trials are all like that."),
    (SLOTS + "That was never measured.", SLOTS + "That is as it was measured."),
)
KEPT = (
    (WHEELS + "We have run neither.", WHEELS + "We have tried neither of the two."),
    (WHEELS + "We have run neither.", "Another paragraph, written anew."),
    (WHEELS + "We have run neither.", WHEELS + "Both take [[micro:copy]]."),
    (WHEELS + "We have run neither.", WHEELS + "Both ran, as [the log](log.md) says."),
    (SLOTS + "The trials are not on record.", SLOTS + "Whether it is one is open."),
    (SLOTS + "The trials are not on record.", ""),
)


@pytest.mark.parametrize(("before", "after"), TURNED)
def test_a_denial_that_is_turned_around_is_found(before, after):
    found = [*denials._gone(["# A page", "", before], ["# A page", "", "More.", "", after])]
    assert [at for at, _ in found] == [4]


@pytest.mark.parametrize(("before", "after"), KEPT)
def test_what_is_still_said_or_has_its_proof_passes(before, after):
    assert [*denials._gone(["# A page", "", before], ["# A page", "", after])] == []


def test_a_branch_is_compared_with_where_it_began(tmp_path):
    git = ["git", "-c", "user.name=x", "-c", "user.email=x@example.org"]
    git += ["-c", "init.defaultBranch=main"]
    settle(tmp_path)
    page = tmp_path / "docs/page.md"
    page.parent.mkdir()
    page.write_text(START + TURNED[0][0] + "\n")
    for words in (("init", "-q"), ("add", "-A"), ("commit", "-qm", "x"), ("switch", "-qc", "b")):
        subprocess.run([*git, *words], cwd=tmp_path, check=True)
    assert [*denials.check(tmp_path, read_all(tmp_path))] == []
    page.write_text(START + TURNED[0][1] + "\n")
    subprocess.run([*git, "commit", "-qam", "y"], cwd=tmp_path, check=True)
    (said,) = map(str, denials.check(tmp_path, read_all(tmp_path)))
    assert said.startswith("docs/page.md:9: this paragraph said 'We have run neither.'")
    assert "say it still" in said and not [*denials.check(tmp_path, read_all(tmp_path), {"x"})]

"""A lab's notebook has the cells of its script, and what they printed on a GPU.

Between them there may be kernels of the site, which the cells use.
"""

import html
import json
import re

import nbformat
import pytest

from lockstep import evidence, export
from lockstep.evidence import Proof
from lockstep.page import find_root, read
from tests.pages import url_of
from tests.records import all_records

ROOT = find_root()
PRE = re.compile(r"<pre>(.*?)</pre>", re.DOTALL)
LABS = [file for file in sorted((ROOT / "docs/labs").glob("*.md")) if file.stem != "index"]


@pytest.fixture(params=LABS, ids=lambda file: file.stem)
def lab(request):
    return read(request.param, ROOT)


def cells(script):
    """Return the cells of a percent script, without the markers of its sections."""
    _, *parts = re.split(r"(?m)^# %%.*$", script)
    return ["\n".join(ln for ln in p.split("\n") if "# --8<--" not in ln).strip() for p in parts]


def test_a_lab_has_kind_lab_and_stands_in_the_list(lab):
    assert lab.meta["kind"] == "lab"
    assert f"({lab.path.rpartition('/')[2]})" in (ROOT / "docs/labs/index.md").read_text()


def test_the_notebook_has_the_cells_of_the_script(lab):
    script = f"snippets/labs/{lab.path.rpartition('/')[2].removesuffix('.md')}.py"
    runs = [block for block in lab.blocks if block.runs]
    assert not [b for b in runs if b.path != script and b.path.startswith("snippets/labs/")]
    source = export.Source(ROOT, [lab], evidence.Evidence(ROOT), draft=True)
    book = export.notebook(lab, source)
    code = ["".join(c["source"]).strip() for c in book["cells"] if c["cell_type"] == "code"]
    own = [text for block, text in zip(runs, code, strict=True) if block.path == script]
    assert own == cells((ROOT / script).read_text(encoding="utf-8"))


# Folders of kernels that the site's picture has and the lab has not, each with the reason. The lab
# has to run on a GPU to take them in; a folder whose kernels it has come to hold is refused here.
NOT_IN_THE_LAB = {
    "benchmarks/wgsl/": "what the compiler to WGSL makes of kernels that are there already",
    "benchmarks/quantization.py": "no ceiling of FP8 was measured",
    "kernels/ampere/torch_sparse.py": "the lab has Numba and CuPy alone",
    "kernels/batched/": "the lab has not measured it yet; its own page has the figures",
    "kernels/matvec/": "the lab has not measured it yet; its own page has the figures",
    "kernels/nbody/": "the lab has not measured it yet; its own page has the figures",
    "kernels/convolution/": "the lab has not measured it yet; its own page has the figures",
    "kernels/in_cute/": "the lab has Numba and CuPy alone",
    "kernels/gpt/matmul.py": "the lab has not measured it yet; its own page has the figures",
    "kernels/hopper/multistage.py": "it is the product that the lab has, without specialization",
    "kernels/paging/": "the lab has not measured it yet; its own page has the figures",
    "snippets/paging/": "the lab has not measured it yet; its own page has the figures",
    "kernels/pmpp_15_20/": "the lab has not measured it yet; its own page has the figures",
    "kernels/quantization/": "the lab has not measured it yet; its own page has the figures",
    "kernels/attention/": "the lab has not measured it yet; its own page has the figures",
    "kernels/elementwise/": "the lab has not measured it yet; its own page has the figures",
    "kernels/in_cutile/": "the lab has Numba and CuPy alone",
    "kernels/in_triton/": "the lab has Numba and CuPy alone",
    "kernels/reduction/": "the lab has not measured it yet; its own page has the figures",
    "kernels/tensor_cores/fp8.py": "no ceiling of FP8 was measured",
    "kernels/tensor_cores/shapes.py": "it is the product that the lab has, at other shapes",
}


def test_the_roofline_has_every_kernel_that_the_site_places():
    """The file of each benchmark with operations and bytes is in the lab; not each of its sizes."""
    lab = read(ROOT / "docs/labs/roofline.md", ROOT)
    shown = {block.path for block in lab.blocks}
    shown.add("benchmarks/vector_add.py")  # an ElementwiseKernel of CuPy's, as in cupy_add.py
    rows = all_records().benchmarks.values()
    placed = {row["kernel"] for row in rows if row.get("flops") and row.get("bytes")}
    missing = placed - shown
    excused = {path for path in missing if path.startswith(tuple(NOT_IN_THE_LAB))}
    assert all(any(path.startswith(name) for path in excused) for name in NOT_IN_THE_LAB)
    assert placed and missing == excused, (
        "To mend: include the kernel in docs/labs/roofline.md, measure it in"
        " snippets/labs/roofline.py, and run the page on a GPU."
    )
    printed = [block.text for block in lab.blocks if block.language == "output"]
    assert not [text for text in printed if "left out" in text], "the record is of a lesser GPU"


def test_what_a_run_printed_is_the_output_of_its_cell(lab, monkeypatch):
    records = evidence.Evidence(ROOT)
    source = export.Source(ROOT, [lab], records, draft=True)

    def outputs():
        found = [c.get("outputs") for c in export.notebook(lab, source)["cells"]]
        return ["".join(out[0]["text"]) for out in found if out]

    recorded = [block.text + "\n" for block in lab.blocks if block.language == "output"]
    assert recorded
    monkeypatch.setattr(
        records, "proofs", lambda page: [Proof("gpu", runs=[{}])] * len(page.blocks)
    )
    assert outputs() == recorded
    monkeypatch.setattr(records, "proofs", lambda page: [Proof("awaiting")] * len(page.blocks))
    assert outputs() == []


def printed_below(cell):
    return ["".join(out["text"]) for out in cell.get("outputs", [])]


def test_the_page_of_a_lab_shows_its_notebook(lab, built):
    """Code, and what it printed, are those of the file that the page offers."""
    book = json.loads((built / f"{lab.name}.ipynb").read_text(encoding="utf-8"))
    nbformat.validate(nbformat.from_dict(book))
    told = [
        text
        for cell in book["cells"]
        if cell["cell_type"] == "code"
        for text in [re.sub(r"\A%%.*\n", "", "".join(cell["source"])), *printed_below(cell)]
    ]
    page = (built / lab.name / "index.html").read_text(encoding="utf-8")
    shown = [html.unescape(re.sub("<[^>]*>", "", pre)) for pre in PRE.findall(page)]
    assert [text.strip("\n") for text in shown] == [text.strip("\n") for text in told]
    assert "<style" not in page and "jp-" not in page, "mkdocs-jupyter's own template"


def test_a_lab_offers_its_notebook_above_its_title(lab, built, context, server):
    tab = context.new_page()
    tab.goto(url_of(lab, server))
    link = tab.get_by_role("link", name="Download the notebook")
    assert link.bounding_box()["y"] < tab.locator("h1").bounding_box()["y"]
    with tab.expect_download() as started:
        link.click()
    assert started.value.suggested_filename == f"{lab.name.rpartition('/')[2]}.ipynb"
    assert started.value.path().read_bytes() == (built / f"{lab.name}.ipynb").read_bytes()

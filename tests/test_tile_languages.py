"""The machine code that cuTile and CuTe DSL made: what the page says of it."""

import base64
from pathlib import Path

import pytest

from benchmarks import sass

KERNELS = Path(__file__).resolve().parent.parent / "kernels"


@pytest.mark.parametrize(
    ("name", "spills"),
    [
        ("in_cutile/matmul_128x128x64", False),
        ("in_cutile/matmul_64x256x64", False),
        ("in_cutile/matmul_128x256x64", True),
        ("in_cute/matmul_128x256x64", False),
    ],
)
def test_it_multiplies_on_tensor_cores_and_spills_where_the_page_says(name, spills):
    code = sass.disassemble(base64.decodebytes((KERNELS / f"{name}.txt").read_bytes()))
    assert "HGMMA.64x" in code and "UTMALDG.2D" in code
    assert ("STL" in code) == spills


def test_no_product_of_cute_dsl_waits_for_the_one_before():
    text = (KERNELS / "in_cute/matmul_128x256x64.txt").read_bytes()
    code = sass.disassemble(base64.decodebytes(text))
    assert code.count("HGMMA") == 8 and code.count("WARPGROUP.DEPBAR") == 2

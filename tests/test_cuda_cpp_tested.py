"""Every kernel in CUDA C++ of a page is in a test: in test_kernels_cuda_cpp.py, or elsewhere.

Apart from that file: what compute-sanitizer saw of it stays seen when a list here grows.
"""

import ast

import pytest

from tests.pages import ROOT

# Folders with tests of their own, since one launch of arrays and sizes does not fit them.
ELSEWHERE = {
    "gemm": "tests/test_kernels_gemm.py",
    "microbenchmarks": "tests/test_kernels_microbenchmarks.py",
    "tensor_cores": "tests/test_kernels_tensor_cores.py",
    "pairs": "tests/test_kernels_pairs.py",
    "hopper": "tests/test_kernels_hopper.py",
    "ampere": "tests/test_kernels_ampere.py",
    "rocm": "tests/test_kernels_rocm.py",
    "inline_ptx": "tests/test_kernels_inline_ptx.py",
    "multi_gpu": "tests/test_kernels_multi_gpu.py",
    "compilers": "tests/test_kernels_compilers.py",
    "paging": "tests/test_kernels_paging.py",
    "gpt": "its pages compare it with PyTorch; tests/test_kernels_gpt_matmul.py has the product",
    "pmpp_15_20": "tests/test_kernels_pmpp_launches.py",
    "torch_extension": "its page builds it, runs it and compares it with PyTorch",
}


@pytest.fixture(scope="module")
def kernels():
    """The kernels' own test, which has to be collected before it is imported here."""
    from tests import test_kernels_cuda_cpp

    return test_kernels_cuda_cpp


def kernels_made(kernels, path):
    """Return the names that a file gives to kernels that it makes with CuPy."""
    names = set()
    for statement in kernels.statements(path):
        assert isinstance(statement, ast.Assign), f"{path}:{statement.lineno}: no plain assignment"
        makers = kernels.names_in(statement.value) & (kernels.MAKERS | {"get_function"})
        if makers != {"RawModule"}:  # a kernel
            names |= {target.id for target in statement.targets}
    return names


def test_no_cuda_cpp_file_is_forgotten(kernels):
    files = [p for p in (ROOT / "snippets").rglob("*.cu") if not ELSEWHERE.keys() & set(p.parts)]
    assert {p.relative_to(ROOT).as_posix() for p in files} == kernels.FILES.keys()


def test_no_kernel_that_a_page_makes_is_forgotten(kernels):
    files = [p for p in (ROOT / "kernels").rglob("*.py") if not ELSEWHERE.keys() & set(p.parts)]
    files = [p.relative_to(ROOT).as_posix() for p in files]
    made = {path: kernels_made(kernels, path) for path in files if kernels.statements(path)}
    assert {(path, name) for path, names in made.items() for name in names} == kernels.MADE.keys()
    assert made.keys() == {path for path, _ in kernels.MADE}

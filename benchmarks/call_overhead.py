"""What a call of an operator costs the host: PyTorch, C++, Numba, CuPy and Triton, 32 elements."""

import os
import shutil
import tempfile

import cupy as cp
import torch

from benchmarks.harness import ROOT, BenchmarkError, WallTimer, rounded

OPERATOR, OTHERS = "kernels/torch_extension/operator.py", "kernels/torch_extension/others.py"
BINDING = "snippets/torch_extension/binding.cpp"
METHOD = "wall clock for one of 100 calls in a row, GPU idle before, not waited for"


def run(bench):
    with bench.part("32 elements"):
        calls(bench, 32)
    with bench.part("2^26 elements"):
        large(bench, 2**20 if bench.quick else 2**26)


def ways():
    """Build the extension from its sources in a folder of its own; return all ways by name."""
    folder, here = tempfile.mkdtemp(), os.getcwd()
    for name in ("swiglu.cu", "binding.cpp"):
        shutil.copy(ROOT / "snippets/torch_extension" / name, folder)
    try:
        os.chdir(folder)  # the page's sources stand in its folder
        from kernels.torch_extension import operator, others
    finally:
        os.chdir(here)
    silu = torch.nn.functional.silu
    return {
        "call-overhead-torch": ("PyTorch, silu and a product", OPERATOR, lambda g, u: silu(g) * u),
        "call-overhead-compile": (
            "torch.compile of the same",
            OPERATOR,
            torch.compile(lambda g, u: silu(g) * u, dynamic=False),
        ),
        "call-overhead-extension": ("C++ extension, torch.ops", BINDING, operator.swiglu),
        "call-overhead-numba": ("Numba on tensors", OTHERS, others.swiglu_numba),
        "call-overhead-custom-op": ("torch.library.custom_op, Numba inside", OTHERS,
                                    others.swiglu_python),
        "call-overhead-cupy": ("CuPy RawKernel, by DLPack", OTHERS, others.swiglu_cupy),
        "call-overhead-triton": ("Triton", OTHERS, others.swiglu_triton),
    }  # fmt: skip


def checked(gate, up):
    right = torch.nn.functional.silu(gate.double()) * up
    found = ways()
    for id, (_, _, call) in found.items():
        error = ((call(gate, up) - right).norm() / right.norm()).item()
        if not error < 1e-6:
            raise BenchmarkError(f"{id}: error {error:.1e}")
    return found


def calls(bench, n):
    gate, up = torch.randn(2, n, device="cuda")
    found = checked(gate, up)
    timed = {id: lambda call=call: call(gate, up) for id, (_, _, call) in found.items()}
    out = torch.empty_like(gate)
    timed["call-overhead-empty-like"] = lambda: torch.empty_like(gate)
    timed["call-overhead-dlpack"] = lambda: cp.from_dlpack(gate)
    timed["call-overhead-add"] = lambda: torch.add(gate, up, out=out)
    found |= {
        "call-overhead-empty-like": ("torch.empty_like alone", OTHERS, None),
        "call-overhead-dlpack": ("cp.from_dlpack of one tensor", OTHERS, None),
        "call-overhead-add": ("torch.add with out=", OPERATOR, None),
    }
    with torch.no_grad():
        times = bench.samples(timed, WallTimer(bench.device.synchronize, calls=100, wait=False))
    for id, (title, file, _) in found.items():
        bench.micro(id, f"Call: {title}, {n} float32", times[id], unit="us", method=METHOD,
                    kernel=file)  # fmt: skip
    wants = gate.clone().requires_grad_(), up.clone().requires_grad_()
    graph = {
        "call-overhead-autograd-torch": lambda: found["call-overhead-torch"][2](*wants),
        "call-overhead-autograd-extension": lambda: found["call-overhead-extension"][2](*wants),
    }
    times = bench.samples(graph, WallTimer(bench.device.synchronize, calls=100, wait=False))
    for id, time in times.items():
        title = f"Call that records a gradient: {id.rpartition('-')[2]}, {n} float32"
        bench.micro(id, title, time, unit="us", method=METHOD, kernel=OPERATOR)


def large(bench, n):
    gate, up = torch.randn(2, n, device="cuda")
    found = checked(gate, up)
    ids = {
        "call-overhead-torch": "call-large-torch",
        "call-overhead-compile": "call-large-compile",
        "call-overhead-extension": "call-large-extension",
        "call-overhead-numba": "call-large-numba",
        "call-overhead-cupy": "call-large-cupy",
        "call-overhead-triton": "call-large-triton",
    }
    with torch.no_grad():
        times = bench.samples(
            {id: lambda call=found[of][2]: call(gate, up) for of, id in ids.items()}
        )
    for of, id in ids.items():
        title, file, _ = found[of]
        bench.micro(
            id, f"SwiGLU of {n} float32: {title}", times[id], unit="GB/s", amount=12 * n,
            method="CUDA events around one call, cold L2; 12 bytes for each result", kernel=file,
            extra={"gain": rounded(times["call-large-torch"].median / times[id].median)},
        )  # fmt: skip

"""GPT-2's own products: every layout, ragged sizes, stacks, split sums; and the model with them.

On a CPU ``tests/lanes.py`` runs the kernel's threads, and Numba compiles it for sm_90.
"""

import contextlib
import itertools
import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from kernels.tensor_cores.formats import to_tf32
from tests import lanes, wide

# Read by `python -m lockstep gpu`; the page of these kernels says the same.
NOT_ON = {"numba-cuda-mlir": "the kernels need intrinsics, which it has in another form"}
ROOT = Path(__file__).resolve().parent.parent
SIMULATOR = os.environ.get("NUMBA_ENABLE_CUDASIM") == "1"
SMALL, BY_MATRICES = "64x64", "64x64 ldmatrix"
# m, n, k, the axes of a stack, numbers between the rows, scale, add, parts of the sum
SIZES = {
    "whole tiles": (64, 128, 64, (), 0, 1.0, False, 1),
    "ragged, in fours": (72, 68, 100, (), 0, 0.5, False, 1),
    "ragged and odd": (33, 67, 41, (), 3, 2.0, False, 1),
    "one of each": (1, 1, 1, (), 0, 1.0, False, 1),
    "heads, added": (33, 16, 33, (2, 2), 1, 0.25, True, 1),
    "a split sum, added": (20, 28, 130, (), 4, 0.5, True, 4),
}


@contextlib.contextmanager
def products(tile, parts):
    """Yield ``gemm(a, b, out, scale, add)`` for NumPy's arrays, by our kernels with one tile."""
    if SIMULATOR:
        with lanes.loading() as matmul:
            ours = matmul.Ours()
            ours.choose = lambda *_: (tile, parts)

            def gemm(a, b, out, scale=1.0, add=False):
                lanes.place(a, b, out, ours.space)
                ours.gemm(*(x.view(lanes.Array) for x in (a, b, out)), scale, add)

            yield gemm
        return
    import cupy as cp

    from kernels.gpt.matmul import Ours

    ours = Ours()
    ours.choose = lambda *_: (tile, parts)

    def gemm(a, b, out, scale=1.0, add=False):
        placed = {id(lanes.root(x)): cp.asarray(lanes.root(x)) for x in (a, b, out)}
        views = [
            cp.ndarray(
                x.shape,
                x.dtype,
                placed[id(lanes.root(x))].data + (x.ctypes.data - lanes.root(x).ctypes.data),
                x.strides,
            )
            for x in (a, b, out)
        ]
        ours.gemm(*views, scale, add)
        cp.cuda.Device().synchronize()
        lanes.root(out)[...] = placed[id(lanes.root(out))].get()

    yield gemm


def stored(shape, turned, gap, random):
    """Return a matrix, or a stack, as a view of a larger array that is NaN elsewhere."""
    *stack, rows, columns = shape
    rows, columns = (columns, rows) if turned else (rows, columns)
    whole = np.full((*stack, rows, columns + gap), np.nan, np.float32)
    part = whole[..., :columns]
    part[...] = random.standard_normal(part.shape)
    whole.view(np.uint32)[...] |= 1  # no number is half way between two of TF32's
    return part.swapaxes(-1, -2) if turned else part


@pytest.mark.parametrize("turned", list(itertools.product((False, True), repeat=2)), ids=str)
@pytest.mark.parametrize("size", SIZES)
def test_a_product_is_the_product(size, turned):
    product_of(size, turned, SMALL)


@pytest.mark.parametrize("size", ["whole tiles", "ragged and odd"])
def test_ldmatrix_hands_out_the_same_fragments(size):
    product_of(size, (False, True), BY_MATRICES)


def product_of(size, turned, tile):
    m, n, k, stack, gap, scale, add, parts = SIZES[size]
    random = np.random.default_rng(seed=m + n)
    a, b = (
        stored((*stack, m, k), turned[0], gap, random),
        stored((*stack, k, n), turned[1], gap, random),
    )
    out = stored((*stack, m, n), False, gap, random)
    deep = [to_tf32(np.ascontiguousarray(x)).astype(float) for x in (a, b)]
    right = scale * (deep[0] @ deep[1]) + (out if add else 0)
    outside = lanes.root(out).copy()
    with products(tile, parts) as gemm:
        gemm(a, b, out, scale, add)
    np.testing.assert_allclose(out, right, rtol=1e-4, atol=2e-4)
    np.testing.assert_array_equal(lanes.root(out)[..., n:], outside[..., n:])


def test_an_operand_without_a_unit_step_is_refused():
    a, b, out = (np.zeros((8, 8), np.float32) for _ in range(3))
    with products(SMALL, 1) as gemm, pytest.raises(ValueError, match="no unit step"):
        gemm(np.zeros((16, 16), np.float32)[::2, ::2], b, out)
    with products(SMALL, 1) as gemm, pytest.raises(ValueError, match="transposed"):
        gemm(a, b, out.T)


COMPILE = """
import json
import re
import sys
from types import SimpleNamespace
from cuda.core import Linker, LinkerOptions, ObjectCode
from numba import cuda, types
from numba.cuda import compiler, dispatcher
# A device function asks for the device that it is compiled for: tell it, where there is none.
dispatcher.get_current_device = lambda: SimpleNamespace(compute_capability=(9, 0))
cuda.get_current_device = dispatcher.get_current_device
from kernels.gpt.matmul import TILES, make_matmul
i32, i64 = types.int32, types.int64
three, seven = types.UniTuple(i32, 3), types.UniTuple(i64, 7)
said = {}
for name, *layout in json.loads(sys.argv[1]):
    kernel, threads, shared = make_matmul(*TILES[name], *layout, 4, False, True)
    common = dict(cc=(9, 0), device=False, abi="numba")
    common["launch_bounds"] = kernel.targetoptions["launch_bounds"]
    signature = types.void(i64, i64, i64, three, three, seven, three, types.float32)
    code, _ = compiler.compile(kernel.py_func, signature, output="ltoir", **common)
    made = []
    for wanted in ({"ptx": True}, {"ptxas_options": ["-v"]}):
        options = LinkerOptions(arch="sm_90", link_time_optimization=True, **wanted)
        linker = Linker(ObjectCode.from_ltoir(bytes(code)), options=options)
        linked = linker.link("ptx" if "ptx" in wanted else "cubin")
        made.append(linked.code.decode() if "ptx" in wanted else linker.get_info_log())
    count = len(re.findall(r"(?<![.\\w])mma\\.sync", made[0]))
    said[f"{name} {layout}"] = count, int(re.search(r"(\\d+) bytes spill", made[1])[1]), shared
print(json.dumps(said))
"""


if SIMULATOR:

    def test_numba_compiles_it_for_a_gpu():
        """A warp's 64 x 64 x 8 are 32 products of tensor cores, four times; and nothing spills."""
        wanted = [("128x128", True, False), ("128x128", False, False)]
        done = subprocess.run(
            [sys.executable, "-c", COMPILE, json.dumps(wanted)],
            cwd=ROOT, env=os.environ | {"NUMBA_ENABLE_CUDASIM": "0"}, capture_output=True,
            text=True,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr[-3000:]
        for count, spilled, shared in json.loads(done.stdout).values():
            assert count == 4 * 32
            assert spilled == 0
            assert 2 * (shared + 1024) <= 228 * 1024, "two blocks do not fit on a multiprocessor"

    def test_the_model_has_the_same_gradient_with_our_products():
        found = []
        for own in (False, True):
            with wide.loading() as (load, _):
                model, plain = load("kernels.gpt.model"), load("kernels.gpt.blas").Plain
                gpt = model.GPT(model.Config(1, 2, 8, 5, 11, 2), np, plain.gemm)
                random = np.random.default_rng(seed=1)
                gpt.flat += random.normal(0, 0.3, gpt.flat.size).astype(np.float32)
                gpt.tokens[:], gpt.targets[:] = random.integers(0, 11, (2, 10))
                with products(SMALL, 1) if own else contextlib.nullcontext(plain.gemm) as gpt.gemm:
                    model.forward(gpt)
                    model.loss(gpt)
                    model.backward(gpt)
            found.append((gpt.losses.copy(), gpt.d_flat.copy()))
        (right_losses, right), (losses, gradient) = found
        np.testing.assert_allclose(losses, right_losses, rtol=1e-2)
        assert np.linalg.norm(gradient - right) < 1e-2 * np.linalg.norm(right)
        assert (gradient != right).any(), "ours were not asked"

else:
    import cupy as cp
    import torch

    from kernels.gpt import model as gpt
    from kernels.gpt.choices import build
    from kernels.gpt.in_torch import TorchGPT
    from kernels.gpt.train import record

    WAYS = [("ours", "numba"), ("cublas", "cupy")]
    CONFIGS = [(2, 2, 8, 5, 11, 2), (1, 3, 96, 33, 67, 2)]

    @pytest.mark.parametrize("way", WAYS, ids=" ".join)
    @pytest.mark.parametrize("config", CONFIGS, ids=str)
    def test_gradients_are_those_of_pytorch(config, way):
        config = gpt.Config(*config)
        model, stream = build(config, *way)
        random = np.random.default_rng(seed=0)
        for array in (model.tokens, model.targets):
            array.set(random.integers(0, config.symbols, array.size).astype(np.int32))
        stream.synchronize()
        with stream:
            gpt.forward(model)
            gpt.loss(model)
            gpt.backward(model)
        stream.synchronize()
        reference = TorchGPT(config).cuda().double()
        for name, view in gpt.named(model.flat, config).items():
            reference.named()[name].data.copy_(torch.as_tensor(view))
        arrays = (model.tokens, model.targets)
        shaped = [torch.as_tensor(a).long().view(config.batch, -1) for a in arrays]
        loss = reference(*shaped)
        loss.backward()
        assert float(model.losses.mean()) == pytest.approx(loss.item(), rel=1e-3)
        for name, view in gpt.named(model.d_flat, config).items():
            right = reference.named()[name].grad
            assert (torch.as_tensor(view).double() - right).norm() < 1e-2 * right.norm(), name

    @pytest.mark.parametrize("way", WAYS, ids=" ".join)
    def test_a_step_as_a_graph_is_the_step(way):
        config = gpt.Config(1, 2, 64, 32, 40, 2)
        weights = []
        for graph in (False, True):
            model, stream = build(config, *way)
            with stream:
                model.tokens[:] = cp.arange(model.tokens.size) % 40
                model.targets[:] = cp.arange(model.tokens.size) * 7 % 40
                model.rates[:] = 0
                work = record(stream, lambda m=model: gpt.train_step(m))
                model.first[:], model.second[:] = 0, 0
                for step in range(1, 6):
                    model.rates.set(gpt.rates(step, 1e-3))
                    work.launch(stream) if graph else gpt.train_step(model)
            stream.synchronize()
            weights.append(model.flat.get())
        np.testing.assert_allclose(*weights, atol=1e-5)

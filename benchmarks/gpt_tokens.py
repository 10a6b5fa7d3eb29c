"""GPT-2's training in tokens a second: cuBLAS's products, ours, CuPy's kernels, and PyTorch."""

import cupy as cp
import numpy as np
import torch
from numba import cuda

from benchmarks.gpt import TOLERANCE, TorchStep, right
from benchmarks.harness import Case, Reference, Summary, rounded
from kernels.gpt import model as ours
from kernels.gpt.choices import build
from kernels.gpt.cublas import Cublas
from kernels.gpt.matmul import Ours
from kernels.gpt.train import record

MATMUL, CUPY = "kernels/gpt/matmul.py", "kernels/gpt/cupy_kernels.py"
# The model's kinds of products: what it is, (m, k) and (k, n), is a or b stored transposed?
PRODUCTS = {
    "up": ("up, forward: x @ weight.T", (16384, 384), (384, 1536), (False, True)),
    "down": ("down, forward: x @ weight.T", (16384, 1536), (1536, 384), (False, True)),
    "input": (
        "up, the gradient of its input: d @ weight",
        (16384, 1536),
        (1536, 384),
        (False,) * 2,
    ),
    "weight": (
        "up, the gradient of its weight: d.T @ x",
        (1536, 16384),
        (16384, 384),
        (True, False),
    ),
}


def run(bench):
    layers, batch = (2, 4) if bench.quick else (6, 64)
    config = ours.Config(layers, heads=6, width=384, length=256, symbols=66, batch=batch)
    torch.set_float32_matmul_precision("high")
    random = np.random.default_rng(seed=0)
    numbers = random.integers(0, config.symbols, (2, batch * config.length)).astype(np.int32)
    ways = {
        "cublas": ("our kernels in Numba, products by cuBLAS", "kernels/gpt/model.py", "numba"),
        "ours": ("our kernels in Numba, products by our own kernel", MATMUL, "numba"),
        "cupy": ("our kernels in CuPy, products by cuBLAS", CUPY, "cupy"),
    }
    models, outputs, graphs, products = {}, {}, {}, {}
    with bench.part("recording"):
        for name, (_, _, kernels) in ways.items():
            model, stream = build(config, "ours" if name == "ours" else "cublas", kernels)
            outputs[name] = bench.output(model.flat.size)
            model.d_flat = outputs[name].array
            model.d = ours.named(model.d_flat, config)
            model.tokens.set(numbers[0])
            model.targets.set(numbers[1])
            model.rates.set(np.array([0, 1, 1], np.float32))  # all of a step; the weights stay
            models[name], graphs[name] = model, record(stream, lambda m=model: ours.train_step(m))
            if kernels == "numba":
                model.launch = lambda *arguments: None  # the products alone
                products[name] = record(stream, lambda m=model: ours.train_step(m))
                del model.launch
            stream.synchronize()
    calls = {
        name: (lambda g=graph: g.launch(cp.cuda.Stream.null)) for name, graph in graphs.items()
    }
    tokens, targets = (
        torch.as_tensor(array, device="cuda").long().view(batch, -1) for array in numbers
    )
    expected = right(models["cublas"], tokens, targets)
    with bench.part("a step"):
        cases = [
            Case(f"gpt-step-{name}", f"The training step of gpt-train: {words}", kernel,
                 calls[name], outputs[name])
            for name, (words, kernel, _) in ways.items()
            if name != "cublas"
        ]  # fmt: skip
        reference = Reference(
            "products by cuBLAS, kernels in Numba", calls["cublas"], outputs["cublas"]
        )
        bench.compare(
            cases, reference, expected,
            size=batch * config.length, dtype="float32", unit="ms", tolerance=TOLERANCE,
        )  # fmt: skip
    with bench.part("the products of a step"):
        launches = {
            n: (lambda g=graph: g.launch(cp.cuda.Stream.null)) for n, graph in products.items()
        }
        for name, summary in bench.samples(launches).items():
            bench.micro(
                f"gpt-step-products-{name}",
                f"The products of the training step of gpt-train alone: {ways[name][0]}",
                summary,
                unit="ms",
                method="a graph of the step's products alone; CUDA events",
                kernel=ways[name][1],
            )
    with bench.part("tokens a second"):
        titles = {name: words for name, (words, _, _) in ways.items()}
        titles |= {"eager": "PyTorch without compile, TF32"}
        titles |= {"compiled": 'torch.compile(mode="reduce-overhead"), TF32'}
        calls["eager"] = TorchStep(models["cublas"], tokens, targets)
        calls["compiled"] = TorchStep(models["cublas"], tokens, targets, mode="reduce-overhead")
        for name in ("eager", "compiled"):
            calls[name]()
        for name, summary in bench.samples(calls).items():
            rate = Summary(batch * config.length / summary.median, summary.spread, summary.repeats)
            bench.micro(
                f"gpt-tokens-{name}",
                f"GPT-2's training, {layers} layers of 384, {batch} x 256 tokens: {titles[name]}",
                rate,
                unit="tokens/s",
                method="tokens of a step over its median time; CUDA events",
                kernel=ways[name][1] if name in ways else "kernels/gpt/in_torch.py",
                extra={"ms": rounded(summary.median * 1e3)},
            )
    stream = cp.cuda.Stream(non_blocking=True)
    with stream:
        gemms = {"ours": Ours(cuda.external_stream(stream.ptr)).gemm, "cublas": Cublas(stream).gemm}
    for name, (words, of_a, of_b, turned) in PRODUCTS.items():
        with bench.part(words):
            a, b = (
                bench.random(shape[::-1]).T if turn else bench.random(shape)
                for shape, turn in zip((of_a, of_b), turned, strict=True)
            )
            title = f"A product of gpt-train: {words}"
            compare(bench, f"gpt-matmul-{name}", title, gemms, stream, a, b)
    with bench.part("stacks"):
        q, k, v = (bench.random((384, 256, 64)) for _ in range(3))
        weights = bench.random((384, 256, 256))
        scores = "A product of gpt-train: attention's scores, 384 times 256 x 64 by 64 x 256"
        compare(bench, "gpt-matmul-scores", scores, gemms, stream, q, k.swapaxes(1, 2))
        mixed = "A product of gpt-train: attention's values, 384 times 256 x 256 by 256 x 64"
        compare(bench, "gpt-matmul-values", mixed, gemms, stream, weights, v)


def compare(bench, name, title, gemms, stream, a, b):
    """Add a row for one product, launched as a graph: ours beside cuBLAS, both in TF32."""
    shape = (*a.shape[:-1], b.shape[-1])
    expected = cp.matmul(a.astype(np.float64), b.astype(np.float64))
    cp.cuda.Device().synchronize()
    outputs = {way: bench.output(shape) for way in gemms}
    graphs = {
        way: record(stream, lambda g=gemm, out=outputs[way].array: g(a, b, out))
        for way, gemm in gemms.items()
    }
    calls = {way: (lambda g=graph: g.launch(cp.cuda.Stream.null)) for way, graph in graphs.items()}
    bench.compare(
        [Case(name, title, MATMUL, calls["ours"], outputs["ours"])],
        Reference("cuBLAS, TF32", calls["cublas"], outputs["cublas"]),
        expected,
        size=expected.size,
        dtype="float32",
        unit="TFLOP/s",
        tolerance=1e-3,
        flops=2 * expected.size * a.shape[-1],
        bytes=4 * (a.size + b.size + expected.size),
    )

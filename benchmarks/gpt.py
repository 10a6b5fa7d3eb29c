"""A training step of GPT-2 from our own kernels, as one graph, beside PyTorch's compiled step."""

import cupy as cp
import numpy as np
import torch

from benchmarks.harness import Case, Reference, WallTimer
from kernels.gpt import model as ours
from kernels.gpt.in_torch import TorchGPT
from kernels.gpt.train import on_gpu, record

KERNEL = "kernels/gpt/model.py"
TOLERANCE = 1e-2  # TF32 keeps ten bits; both sides are held to the gradient in float64


def run(bench):
    layers, batch = (2, 4) if bench.quick else (6, 64)
    config = ours.Config(layers, heads=6, width=384, length=256, symbols=66, batch=batch)
    torch.set_float32_matmul_precision("high")
    model, stream = on_gpu(config)
    output = bench.output(model.flat.size)
    model.d_flat, model.d = output.array, ours.named(output.array, config)
    random = np.random.default_rng(seed=0)
    for array in (model.tokens, model.targets):
        array.set(random.integers(0, config.symbols, array.size).astype(np.int32))
    model.rates.set(np.array([0, 1, 1], np.float32))  # all of a step, and the weights stay
    graph = record(stream, lambda: ours.train_step(model))
    stream.synchronize()

    tokens, targets = (
        torch.as_tensor(array, device="cuda").long().view(batch, -1)
        for array in (model.tokens, model.targets)
    )
    expected = right(model, tokens, targets)
    with bench.part("training step"):
        reference = TorchStep(model, tokens, targets, mode="reduce-overhead")
        flops = count(config)
        bench.compare(
            [
                Case(
                    "gpt-train",
                    f"A training step of GPT-2, {layers} layers of 384, {batch} x 256 symbols",
                    KERNEL,
                    lambda: graph.launch(cp.cuda.Stream.null),
                    output,
                )
            ],
            Reference('torch.compile(mode="reduce-overhead"), TF32', reference, reference),
            expected,
            size=batch * config.length,
            dtype="float32",
            unit="ms",
            tolerance=TOLERANCE,
            flops=flops,
        )
    with bench.part("other ways"):
        ways = {
            "gpt-train-eager": (TorchStep(model, tokens, targets), "PyTorch without compile, TF32"),
            "gpt-train-compiled": (
                TorchStep(model, tokens, targets, mode="default"),
                "torch.compile, TF32, each kernel launched",
            ),
            "gpt-train-bfloat16": (
                TorchStep(model, tokens, targets, mode="reduce-overhead", narrow=True),
                'torch.compile(mode="reduce-overhead") with bfloat16 autocast',
            ),
        }
        for step, _ in ways.values():
            step()
        times = bench.samples({name: step for name, (step, _) in ways.items()})
        for name, (_, words) in ways.items():
            title = f"The training step of gpt-train: {words}"
            bench.micro(name, title, times[name], unit="ms", method="CUDA events", kernel=KERNEL)
    with bench.part("products"):
        model.launch = lambda *arguments: None  # what cuBLAS does of a step, and nothing else
        products = record(stream, lambda: ours.train_step(model))
        stream.synchronize()
        del model.launch
        calls = {"gpt-train-products": lambda: products.launch(cp.cuda.Stream.null)}
        bench.micro(
            "gpt-train-products",
            "The products of the training step of gpt-train, without its kernels",
            bench.samples(calls)["gpt-train-products"],
            unit="ms",
            method="a graph of the step's cuBLAS calls alone; CUDA events",
            kernel=KERNEL,
        )
    with bench.part("launches"):
        timer = WallTimer(bench.device.synchronize, calls=2)

        def launched():
            ours.train_step(model)
            stream.synchronize()

        summary = bench.samples({"gpt-train-launches": launched}, timer)["gpt-train-launches"]
        bench.micro(
            "gpt-train-launches",
            "The training step of gpt-train, each kernel launched from Python",
            summary,
            unit="ms",
            method="wall clock, until the GPU is done",
            kernel=KERNEL,
        )


def count(config):
    """Return the operations of a step: six for each weight and symbol, and those of attention."""
    weights = 12 * config.layers * config.width**2 + config.symbols * config.width
    squares = 2 * config.layers * config.length * config.width
    return 6 * config.batch * config.length * (weights + squares)


def torch_model(model, dtype):
    """Return PyTorch's model with the weights of ours, and its parameters in our order."""
    reference = TorchGPT(model.config).cuda().to(dtype)
    parameters = []
    for name, view in ours.named(model.flat, model.config).items():
        p = reference.named()[name]
        p.data.copy_(torch.as_tensor(view, device="cuda"))
        parameters.append(p)
    return reference, parameters


def right(model, tokens, targets):
    """Return the gradient in float64, as one flat array."""
    reference, parameters = torch_model(model, torch.float64)
    reference(tokens, targets).backward()
    return cp.asarray(torch.cat([p.grad.flatten() for p in parameters]))


class TorchStep:
    """PyTorch's step, which is its own output: the gradients that it leaves.

    ``mode`` is one of torch.compile's; "reduce-overhead" replays graphs, as ours does.
    """

    def __init__(self, model, tokens, targets, mode=None, narrow=False):
        self.model, self.parameters = torch_model(model, torch.float32)
        self.optimizer = torch.optim.AdamW(self.parameters, lr=0.0, fused=True)
        self.inputs, self.narrow = (tokens, targets), narrow
        self.loss = torch.compile(self.model, mode=mode) if mode else self.model

    def __call__(self):
        torch.compiler.cudagraph_mark_step_begin()
        self.optimizer.zero_grad(set_to_none=True)
        with torch.autocast("cuda", torch.bfloat16, enabled=self.narrow):
            loss = self.loss(*self.inputs)
        loss.backward()
        self.optimizer.step()

    def poison(self):
        for p in self.parameters:
            p.grad = None

    def error(self, expected):
        found = torch.cat([p.grad.flatten() for p in self.parameters]).double()
        exact = torch.as_tensor(expected, device="cuda")
        return float((found - exact).norm() / exact.norm())

"""GPT-2 on a GPU: the model on CuPy's arrays, a step as one graph, training and sampling."""
# ruff: noqa: I001

import numpy as np
from numba import cuda

import cupy as cp
from kernels.gpt.cublas import Cublas
from kernels.gpt.model import GPT, forward, loss, rates, train_step


# --8<-- [start:start]
def on_gpu(config, seed=0):
    """Return a model on the GPU, and its stream."""
    stream = cp.cuda.Stream(non_blocking=True)
    numba_stream = cuda.external_stream(stream.ptr)

    def view(x):
        return cuda.as_cuda_array(x, sync=False)

    with stream:
        model = GPT(config, cp, Cublas(stream).gemm, view, numba_stream, seed)
    stream.synchronize()
    return model, stream


def record(stream, work):
    """Return a graph of what ``work`` queues: it runs once before, so that all is compiled."""
    with stream:
        work()
        stream.synchronize()
        stream.begin_capture()
        work()
        return stream.end_capture()


# --8<-- [end:start]


# --8<-- [start:train]
def read_text(path):
    """Return the symbols of a text, and the text as their numbers."""
    with open(path, encoding="ascii") as file:
        text = file.read()
    symbols = "".join(sorted(set(text)))
    return symbols, np.array([symbols.index(letter) for letter in text], np.int32)


def train(model, stream, numbers, steps, size=1e-3, held_out=0.1, report=100, seed=1):
    """Train on a text. Print and return (step, loss on it, loss on its held-out end)."""
    c, random = model.config, np.random.default_rng(seed)
    split = int(len(numbers) * (1 - held_out))
    starts = random.integers(0, split - c.length, (steps, c.batch))
    later = random.integers(split, len(numbers) - c.length, c.batch)
    warm = np.minimum(np.arange(1, steps + 1) / 100, 1)  # small steps first, and at the end
    sizes = size * warm * (1 - 0.9 * np.arange(steps) / steps)
    table = np.array([rates(step + 1, s) for step, s in enumerate(sizes)])
    history = []
    with stream:
        model.rates[:] = 0  # the step runs once before it is recorded, and must change no weight
        step_graph = record(stream, lambda: train_step(model))
        model.first[:], model.second[:] = 0, 0
        data, starts, later, table = map(cp.asarray, (numbers, starts, later, table))
        span = cp.arange(c.length)

        def read(starts):
            places = (starts[:, None] + span).ravel()
            cp.take(data, places, out=model.tokens)
            cp.take(data, places + 1, out=model.targets)

        for step in range(steps):
            said = step % report == 0 or step == steps - 1
            if said:
                read(later)
                forward(model)
                loss(model)
                held = float(model.losses.mean())
            read(starts[step])
            model.rates[:] = table[step]
            step_graph.launch(stream)
            if said:
                history.append((step, float(model.losses.mean()), held))
                print("step {:4}   loss {:.2f}   held out {:.2f}".format(*history[-1]))
    return history


# --8<-- [end:train]


# --8<-- [start:sample]
def sample(model, stream, symbols, begin, count, heat=0.8, seed=0):
    """Return ``begin`` and ``count`` more symbols, each drawn from what the model expects."""
    random, text = np.random.default_rng(seed), begin
    with stream:
        ask = record(stream, lambda: forward(model))
        for _ in range(count):
            last = text[-model.config.length :]
            model.tokens[: len(last)] = cp.asarray([symbols.index(s) for s in last], cp.int32)
            ask.launch(stream)
            logits = cp.asnumpy(model.logits[len(last) - 1, : len(symbols)]) / heat
            shares = np.exp(logits - logits.max(), dtype=np.float64)
            text += symbols[random.choice(len(symbols), p=shares / shares.sum())]
    return text


# --8<-- [end:sample]

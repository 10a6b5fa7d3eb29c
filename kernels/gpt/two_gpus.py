"""What the page of GPT-2 on two GPUs runs, in this order, from the page's folder."""
# ruff: noqa: I001

import numpy as np

import cupy as cp
from kernels.gpt.blas import Plain  # noqa: F401
from kernels.gpt.model import GPT, Config, backward, forward, loss  # noqa: F401
from kernels.gpt.parallel import DataParallel, train_on
from kernels.gpt.train import read_text
from kernels.multi_gpu.peers import devices, reach

# --8<-- [start:gradient]
reach(devices)
symbols, numbers = read_text("alice.txt")
shape = {"layers": 4, "heads": 4, "width": 256, "length": 128, "symbols": len(symbols)}
one = DataParallel(Config(**shape, batch=64), devices=[0])
two = DataParallel(Config(**shape, batch=32), devices=[0, 1])
windows = np.random.default_rng(seed=0).integers(0, len(numbers) - 128, 64)[:, None]
windows = windows + np.arange(128)
for gpus in (one, two):
    for rank, mine in enumerate(np.split(windows, len(gpus.devices))):
        with gpus.on(rank) as model:
            model.tokens[:], model.targets[:] = map(
                cp.asarray, (numbers[mine].ravel(), numbers[mine + 1].ravel())
            )
    gpus.step()
    gpus.wait()
mine, theirs, right = (g.get() for g in (*two.gradients, *one.gradients))
off = np.linalg.norm(mine - right) / np.linalg.norm(right)
print(f"loss: one GPU {one.loss():.5f}, two GPUs {two.loss():.5f}")
print(f"averaged gradient against one GPU's: off by {off:.0e}")
print("the same bits on both ranks:", bool((mine == theirs).all()))
assert off < 1e-3 and (mine == theirs).all()
# --8<-- [end:gradient]

# --8<-- [start:losses]
histories, speeds = {}, {}
for words, batch, ranks in (("one GPU", 64, [0]), ("two GPUs", 32, [0, 1])):
    gpus = DataParallel(Config(**shape, batch=batch), ranks)
    histories[words], speeds[words] = train_on(gpus, numbers, steps=401, report=50)
print("step     " + "".join(f"{50 * i:>8}" for i in range(9)))
for words, losses in histories.items():
    print(f"{words:9}" + "".join(f"{value:8.3f}" for value in losses))
apart = max(abs(a - b) for a, b in zip(*histories.values(), strict=True))
print(f"at most {apart:.3f} apart")
first, second = (model.flat.get() for model in gpus.models)
print("after 401 steps, the same weights on both ranks:", bool((first == second).all()))
assert apart < 0.1 and (first == second).all()
# --8<-- [end:losses]

# --8<-- [start:speed]
shape = {"layers": 6, "heads": 6, "width": 384, "length": 256, "symbols": len(symbols)}
for words, batch, ranks in (
    ("one GPU, 64 sequences", 64, [0]),
    ("two GPUs, 32 each", 32, [0, 1]),
    ("two GPUs, 64 each", 64, [0, 1]),
):
    gpus = DataParallel(Config(**shape, batch=batch), ranks)
    _, speed = train_on(gpus, numbers, steps=201, report=200)
    print(f"{words:22} {speed:12,.0f} symbols a second")
    del gpus
# --8<-- [end:speed]


def examples():
    """The mean of two gradients, in the stepper; and a rank that never comes.

    --8<-- [start:mean]
    >>> tiny = {"layers": 1, "heads": 2, "width": 8, "length": 5, "symbols": 11}
    >>> whole = GPT(Config(**tiny, batch=2), np, Plain.gemm)
    >>> halves = [GPT(Config(**tiny, batch=1), np, Plain.gemm) for rank in range(2)]
    >>> tokens, targets = np.random.default_rng(seed=2).integers(0, 11, (2, 2, 5))
    >>> for model, mine in ((whole, slice(None)), (halves[0], 0), (halves[1], 1)):
    ...     model.tokens[:], model.targets[:] = tokens[mine].ravel(), targets[mine].ravel()
    ...     forward(model)
    ...     loss(model)
    ...     backward(model)
    >>> mean = (halves[0].d_flat + halves[1].d_flat) / 2
    >>> np.allclose(mean, whole.d_flat, atol=1e-6), np.allclose(halves[0].d_flat, whole.d_flat)
    (True, False)

    --8<-- [end:mean]

    --8<-- [start:lost]
    >>> gpus = DataParallel(Config(**shape, batch=4), [0, 1], patience=0.5)
    >>> launch = gpus.record()
    >>> launch(only=[0])  # rank 1 has died, say
    >>> gpus.wait()
    Traceback (most recent call last):
      ...
    TimeoutError: rank 0 waited 0.5 s for rank 1; make a new group

    --8<-- [end:lost]
    """

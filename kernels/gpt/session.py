"""What the page does on a GPU: gradients beside PyTorch's, a training run, and a sample."""
# ruff: noqa: I001

import numpy as np

from kernels.gpt.in_torch import TorchGPT, torch
from kernels.gpt.model import Config, backward, forward, loss, named
from kernels.gpt.train import on_gpu, read_text, sample, train

# --8<-- [start:compare]
config = Config(layers=3, heads=6, width=384, length=200, symbols=66, batch=4)
model, stream = on_gpu(config)
random = np.random.default_rng(seed=0)
for array in (model.tokens, model.targets):
    array.set(random.integers(0, config.symbols, array.size).astype(np.int32))
with stream:
    forward(model)
    loss(model)
    backward(model)
stream.synchronize()

reference = TorchGPT(config).cuda().double()
for name, view in named(model.flat, config).items():
    reference.named()[name].data.copy_(torch.as_tensor(view))
tokens, targets = (
    torch.as_tensor(array).long().view(config.batch, -1) for array in (model.tokens, model.targets)
)
reference_loss = reference(tokens, targets)
reference_loss.backward()
print(f"loss: ours {float(model.losses.mean()):.5f}, PyTorch's {reference_loss.item():.5f}")
errors = {}
for name, view in named(model.d_flat, config).items():
    right = reference.named()[name].grad
    errors[name] = float((torch.as_tensor(view).double() - right).norm() / right.norm())
worst = max(errors, key=errors.get)
print(f"gradients of {len(errors)} parameters; the worst, {worst}, is off by {errors[worst]:.0e}")
assert errors[worst] < 1e-2
# --8<-- [end:compare]

# --8<-- [start:run]
symbols, numbers = read_text("alice.txt")
config = Config(layers=4, heads=4, width=256, length=128, symbols=len(symbols), batch=64)
model, stream = on_gpu(config)
print(f"{model.flat.size:,} parameters, {numbers.size:,} characters")
history = train(model, stream, numbers, steps=601)
assert history[-1][1] < 1.5
# --8<-- [end:run]

# --8<-- [start:say]
print(sample(model, stream, symbols, begin="Alice ", count=400, heat=0.5))
# --8<-- [end:say]

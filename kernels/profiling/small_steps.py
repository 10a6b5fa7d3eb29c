"""The tables of the page on PyTorch's profiler, printed."""

import torch

from kernels.profiling.small_model import (
    allocated,
    graphed,
    launches,
    make_model,
    print_table,
    recipe,
    train_step,
)

# --8<-- [start:small]
model, x = make_model(), torch.randn(1, 64, 256, device="cuda")
print_table(recipe(model, x, "small.json"))
# --8<-- [end:small]

# --8<-- [start:large]
large = make_model(layers=6, width=2048, heads=16)
tokens = torch.randn(8, 1024, 2048, device="cuda")
print_table(recipe(large, tokens, "large.json"))
# --8<-- [end:large]

# --8<-- [start:memory]
optimizer = torch.optim.AdamW(large.parameters())
for place, size in allocated(lambda: train_step(large, optimizer, tokens)).most_common(5):
    print(f"{size / 2**20:9.1f} MiB  {place}")
# --8<-- [end:memory]

# --8<-- [start:launches]
by_graph = graphed(model, x)
compiled = torch.compile(model, mode="reduce-overhead")
for name, work in (("eager", model), ("graph", by_graph), ("compiled", compiled)):
    with torch.no_grad():
        kernels, calls, busy = launches(lambda work=work: work(x))
    print(f"{name:9} {kernels:4} kernels  {calls:4} calls that launch them")
# --8<-- [end:launches]

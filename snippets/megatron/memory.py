import json
import sys

import torch
from torch import nn
from torch.nn.functional import cross_entropy, gelu, scaled_dot_product_attention
from torch.utils.checkpoint import checkpoint

LAYERS, WIDTH, HEADS, WORDS, LENGTH = 12, 2048, 16, 32_000, 2048
WAYS = {  # numbers of the layers, sequences, whether layers are computed again in the backward pass
    "bfloat16": (torch.bfloat16, 2, False),
    "bfloat16, recomputed": (torch.bfloat16, 8, True),
    "float32": (torch.float32, 1, False),
}


class Layer(nn.Module):
    def __init__(self):
        super().__init__()
        self.norm_1, self.norm_2 = nn.LayerNorm(WIDTH), nn.LayerNorm(WIDTH)
        self.qkv, self.out = nn.Linear(WIDTH, 3 * WIDTH), nn.Linear(WIDTH, WIDTH)
        self.up, self.down = nn.Linear(WIDTH, 4 * WIDTH), nn.Linear(4 * WIDTH, WIDTH)

    def forward(self, x):
        shape = *x.shape[:2], 3, HEADS, WIDTH // HEADS
        q, k, v = self.qkv(self.norm_1(x)).view(shape).permute(2, 0, 3, 1, 4)
        mixed = scaled_dot_product_attention(q, k, v, is_causal=True)
        x = x + self.out(mixed.transpose(1, 2).reshape(x.shape))
        return x + self.down(gelu(self.up(self.norm_2(x))))


class Model(nn.Module):
    """A language model whose last product uses the embedding's own matrix."""

    def __init__(self, recompute):
        super().__init__()
        self.words, self.recompute = nn.Embedding(WORDS, WIDTH), recompute
        self.layers = nn.ModuleList(Layer() for _ in range(LAYERS))
        self.norm = nn.LayerNorm(WIDTH)

    def forward(self, tokens, targets):
        x = self.words(tokens)
        for layer in self.layers:
            x = checkpoint(layer, x, use_reentrant=False) if self.recompute else layer(x)
        logits = self.norm(x) @ self.words.weight.T
        return cross_entropy(logits.flatten(0, 1).float(), targets.flatten())


def measure(kind, sequences, recompute):
    """Return the GB of a model's state, of what a forward pass keeps, and of the step's peak."""
    start = torch.cuda.memory_allocated()
    with torch.device("cuda"):
        model = Model(recompute).to(kind)
        tokens, targets = torch.randint(WORDS, (2, sequences, LENGTH))
    own = list(model.parameters())
    exact = [p.detach().float() for p in own] if kind != torch.float32 else own
    optimizer = torch.optim.AdamW(exact, lr=1e-4)
    for _ in range(2):  # the first makes the gradients and Adam's moments
        torch.cuda.synchronize()
        torch.cuda.reset_peak_memory_stats()
        before = torch.cuda.memory_allocated()
        loss = model(tokens, targets)
        kept = torch.cuda.memory_allocated() - before
        loss.backward()
        del loss
        peak = torch.cuda.max_memory_allocated() - start
        for p, p_exact in zip(own, exact, strict=True):
            p_exact.grad = p.grad.float()
        optimizer.step()
        if exact is not own:
            for p, p_exact in zip(own, exact, strict=True):
                p.data.copy_(p_exact)
                p_exact.grad = None  # in float32, for the optimizer alone
        for p in own:
            p.grad.zero_()
        found = {"state": torch.cuda.memory_allocated() - start, "kept": kept, "peak": peak}
    return {name: count / 1e9 for name, count in found.items()}


rows = {}
for name, way in WAYS.items():
    rows[name] = measure(*way)
    torch.cuda.empty_cache()
if "json" in sys.argv:
    print(json.dumps(rows))
else:
    for name, row in rows.items():
        shown = ", ".join(f"{words} {size:.2f} GB" for words, size in row.items())
        print(f"{name:22} {shown}")

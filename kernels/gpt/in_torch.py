"""The same GPT-2 in PyTorch: what our gradients and our tokens a second are compared with."""

# --8<-- [start:torch]
import torch
from torch import nn
from torch.nn import functional


class Layer(nn.Module):
    def __init__(self, config):
        super().__init__()
        c, self.heads = config.width, config.heads
        self.norm_1, self.norm_2 = nn.LayerNorm(c), nn.LayerNorm(c)
        self.qkv, self.out = nn.Linear(c, 3 * c), nn.Linear(c, c)
        self.up, self.down = nn.Linear(c, 4 * c), nn.Linear(4 * c, c)

    def forward(self, x):
        batch, length, width = x.shape
        shape = batch, length, 3, self.heads, width // self.heads
        q, k, v = self.qkv(self.norm_1(x)).view(shape).permute(2, 0, 3, 1, 4)
        mixed = functional.scaled_dot_product_attention(q, k, v, is_causal=True)
        x = x + self.out(mixed.transpose(1, 2).reshape(x.shape))
        act = functional.gelu(self.up(self.norm_2(x)), approximate="tanh")
        return x + self.down(act)


class TorchGPT(nn.Module):
    """Parameters go by the same names as ours: ``named`` of one is that of the other."""

    def __init__(self, config):
        super().__init__()
        self.config = config
        self.words = nn.Parameter(torch.empty(config.logits, config.width))
        self.places = nn.Parameter(torch.empty(config.length, config.width))
        self.layers = nn.ModuleList(Layer(config) for _ in range(config.layers))
        self.norm = nn.LayerNorm(config.width)

    def named(self):
        return {name.removeprefix("layers."): p for name, p in self.named_parameters()}

    def forward(self, tokens, targets):
        """Return the mean loss for tokens and targets of shape (batch, length)."""
        x = self.words[tokens] + self.places
        for layer in self.layers:
            x = layer(x)
        logits = self.norm(x) @ self.words.T
        logits = logits[..., : self.config.symbols].flatten(0, 1)
        return functional.cross_entropy(logits, targets.flatten())


# --8<-- [end:torch]

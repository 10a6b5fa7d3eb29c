"""What a GPU must hold and receive for a model that is trained in parallel."""

# --8<-- [start:calculator]
from dataclasses import dataclass


@dataclass(frozen=True)
class Plan:
    """A transformer, and how it is spread: over data * tensor * pipeline GPUs."""

    layers: int
    width: int
    words: int  # of the vocabulary
    length: int  # tokens of a sequence
    sequences: int  # of a micro-batch
    micro_batches: int  # of a step
    data: int = 1
    tensor: int = 1
    pipeline: int = 1
    zero: int = 0
    weight_bytes: int = 2  # bfloat16, and Adam keeps 12 bytes more in float32
    recompute: bool = False  # checkpointing: keep a layer's input, and compute it again

    def parameters(self):
        """Return those of one GPU, before ZeRO: its share of the layers, and of the words."""
        layers = self.layers // self.pipeline
        return (12 * self.width**2 * layers + self.words * self.width) / self.tensor

    def state(self):
        """Return the bytes of weights, gradients and Adam's numbers on one GPU."""
        p, cut = self.parameters(), self.data
        return {
            "weights": self.weight_bytes * p / (cut if self.zero >= 3 else 1),
            "gradients": self.weight_bytes * p / (cut if self.zero >= 2 else 1),
            "adam": (12 if self.weight_bytes == 2 else 8) * p / (cut if self.zero >= 1 else 1),
        }

    def activations(self):
        """Return the bytes that a GPU keeps for backward passes, attention's squares excepted.

        16 numbers for each of a token's in each layer, all of it cut by sequence parallelism. 1F1B
        holds as many micro-batches as there are stages, on the first stage; logits are on the last.
        """
        stream = self.weight_bytes * self.length * self.sequences * self.width / self.tensor
        layers = self.layers // self.pipeline
        batch = stream * layers * (1 if self.recompute else 16)
        end = 2 * stream + 4 * self.length * self.sequences * self.words / self.tensor
        held = min(self.micro_batches, self.pipeline)
        kept = batch + end if self.pipeline == 1 else max(batch * held, batch + end)
        return kept + (16 * stream if self.recompute else 0)  # and the layer that is computed again

    def traffic(self):
        """Return the bytes that one GPU receives in a step, by what for."""
        tokens, layers = self.length * self.sequences, self.layers // self.pipeline
        message = self.weight_bytes * tokens * self.width  # the residual stream of a micro-batch
        reduces = 2 * (6 if self.recompute else 4)  # a ring receives an array nearly twice
        m = self.micro_batches  # ZeRO 2 sends gradients after each, 3 fetches weights twice, too
        times = {2: m + 1, 3: 3 * m}.get(self.zero, 2)
        return {
            "tensor": self.micro_batches * layers * reduces * message * (1 - 1 / self.tensor),
            "pipeline": self.micro_batches * 2 * message / self.tensor * (self.pipeline > 1),
            "data": self.weight_bytes * self.parameters() * times * (1 - 1 / self.data),
        }

    def bubble(self):
        return (self.pipeline - 1) / (self.micro_batches + self.pipeline - 1)


# --8<-- [end:calculator]


def examples():
    """A model of 65.5 billion parameters on 64 GPUs, in four ways.

    --8<-- [start:example]
    >>> model = dict(layers=80, width=8192, words=128_000, length=4096, sequences=1)
    >>> ways = {
    ...     "ZeRO 3": dict(data=64, zero=3, micro_batches=1),
    ...     "tensor 8, data 8": dict(data=8, tensor=8, zero=1, micro_batches=8),
    ...     "tensor 8, pipeline 8": dict(tensor=8, pipeline=8, micro_batches=64),
    ...     "ZeRO 3, recomputed": dict(data=64, zero=3, micro_batches=1, recompute=True),
    ... }
    >>> for name, way in ways.items():
    ...     plan = Plan(**model, **way)
    ...     sent = {kind: round(bytes / 1e9) for kind, bytes in plan.traffic().items()}
    ...     kept = f"{sum(plan.state().values()) / 1e9:3.0f} + {plan.activations() / 1e9:3.0f} GB"
    ...     print(f"{name:20} {kept}, {plan.bubble():.0%} idle", sent)
    ZeRO 3                16 +  88 GB, 0% idle {'tensor': 0, 'pipeline': 0, 'data': 387}
    tensor 8, data 8      45 +  11 GB, 0% idle {'tensor': 301, 'pipeline': 0, 'data': 29}
    tensor 8, pipeline 8  18 +  11 GB, 10% idle {'tensor': 301, 'pipeline': 1, 'data': 0}
    ZeRO 3, recomputed    16 +   9 GB, 0% idle {'tensor': 0, 'pipeline': 0, 'data': 387}

    --8<-- [end:example]
    """

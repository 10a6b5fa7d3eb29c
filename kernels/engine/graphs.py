"""The pass over rows on a GPU, recorded as one CUDA graph for each size of a batch."""
# ruff: noqa: I001

import numpy as np

from kernels.engine.rows import DIM, TABLE, forward_rows
from kernels.paging.pool import PAGE
from kernels.quantization.model import HEADS, LAYERS

# --8<-- [start:imports]
import torch

# --8<-- [end:imports]


# --8<-- [start:graphs]
class OnGPU:
    """The next token after each row, by PyTorch on a GPU; as graphs, or launched each time."""

    def __init__(self, weights, blocks, sizes=(1, 8, 16, 32, 64), graphs=True):
        self.weights = {name: torch.tensor(w, device="cuda") for name, w in weights.items()}
        self.span = torch.arange(PAGE * TABLE, device="cuda")
        shape = LAYERS, 2, blocks + 1, PAGE, HEADS, DIM  # the last block is for padding
        self.cache = torch.full(shape, torch.nan, dtype=torch.float64, device="cuda")
        self.sizes, self.recorded = sizes, {}
        self.filling = [0, 0, blocks * PAGE, *[blocks] * TABLE]  # a row that pads
        if graphs:
            for size in sizes:
                self.record(size)

    def work(self, rows):
        return forward_rows(torch, self.weights, self.cache, rows, self.span).argmax(axis=1)

    def record(self, size):
        """Run the pass once on rows that only pad, then record it."""
        rows = torch.tensor([self.filling] * size, device="cuda")
        side = torch.cuda.Stream()
        with torch.cuda.stream(side):
            self.work(rows)
        side.synchronize()
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            out = self.work(rows)
        self.recorded[size] = rows, graph, out

    def __call__(self, rows):
        size = min(size for size in self.sizes if size >= len(rows))
        padded = np.array([*rows, *[self.filling] * (size - len(rows))])
        if not self.recorded:
            return self.work(torch.tensor(padded, device="cuda"))[: len(rows)].cpu().numpy()
        room, graph, out = self.recorded[size]
        room.copy_(torch.from_numpy(padded))
        graph.replay()
        return out[: len(rows)].cpu().numpy()  # waits for the GPU


# --8<-- [end:graphs]

"""GPT-2 on several GPUs: a model on each, and gradients averaged inside the step's graph."""
# ruff: noqa: I001

import numpy as np

import cupy as cp
from kernels.gpt.model import backward, forward, loss, rates, update
from kernels.gpt.train import on_gpu
from kernels.multi_gpu.all_reduce import Ranks

# --8<-- [start:parallel]
import time
from contextlib import contextmanager

from numba import cuda


class DataParallel:
    """One model on each GPU, all with the same weights; each computes its share of a batch.

    ``config.batch`` is the share. The ranks' step is one graph on each GPU, all-reduce included;
    a rank that waits ``patience`` seconds for another gives up.
    """

    def __init__(self, config, devices, patience=2.0, folder=".", seed=0):
        self.devices, self.ranks = devices, range(len(devices))
        self.models, self.streams = [], []
        for device in devices:
            with cp.cuda.Device(device), cuda.gpus[device]:
                model, stream = on_gpu(config, seed)
            self.models.append(model)
            self.streams.append(stream)
        self.gradients = [model.d_flat for model in self.models]
        self.group, self.all_reduce = None, lambda: None
        if len(devices) > 1:
            size = self.gradients[0].size
            self.group = Ranks(devices, most=size, patience=patience, folder=folder)
            self.group.streams = self.streams
            # In place: what rank r writes of the gradients, nobody but rank r reads
            self.all_reduce = self.group.prepare("two_shot", self.gradients, self.gradients)

    @contextmanager
    def on(self, rank):
        """Make a rank's GPU and stream the current ones: CuPy's, and Numba's."""
        device = self.devices[rank]
        with cp.cuda.Device(device), cuda.gpus[device], self.streams[rank]:
            yield self.models[rank]

    def step(self):
        """Queue a training step on every rank."""
        share = np.float32(1 / len(self.devices))
        for rank in self.ranks:
            with self.on(rank) as model:
                forward(model)
                loss(model)
                backward(model)
                model.d_flat *= share  # the sum of these is the mean over the whole batch
        self.all_reduce()
        for rank in self.ranks:
            with self.on(rank) as model:
                update(model)

    def record(self):
        """Return a function that launches the step, from a graph on each GPU."""
        for rank in self.ranks:
            with self.on(rank) as model:
                model.rates[:] = 0  # the first step compiles, and must change no weight
        self.step()
        self.wait()
        for rank in self.ranks:
            with self.on(rank) as model:
                model.first[:], model.second[:] = 0, 0
        self.wait()
        for rank in self.ranks:
            with self.on(rank):
                self.streams[rank].begin_capture()
        self.step()
        graphs, ranks = [], self.ranks
        for rank in self.ranks:
            with self.on(rank):
                graphs.append(self.streams[rank].end_capture())

        def launch(only=ranks):
            for rank in only:
                with self.on(rank):
                    graphs[rank].launch(self.streams[rank])

        return launch

    def wait(self):
        """Wait for all ranks. Raises TimeoutError where one waited for another in vain."""
        for stream in self.streams:
            stream.synchronize()
        if self.group:
            self.group.wait()

    def loss(self):
        return float(np.mean([model.losses.get().mean() for model in self.models]))


# --8<-- [end:parallel]


# --8<-- [start:train]
def train_on(gpus, numbers, steps, size=1e-3, report=100, seed=1):
    """Train on a text. Return the losses of the reported steps, and symbols a second."""
    c, ranks = gpus.models[0].config, len(gpus.devices)
    random = np.random.default_rng(seed)
    starts = random.integers(0, len(numbers) - c.length, (steps, ranks * c.batch))
    sizes = size * np.minimum(np.arange(1, steps + 1) / 100, 1)
    table = np.array([rates(step + 1, s) for step, s in enumerate(sizes)])
    launch, feeds = gpus.record(), []
    for rank in range(ranks):
        with gpus.on(rank):
            mine = starts[:, rank * c.batch : (rank + 1) * c.batch]
            places = (mine[:, :, None] + np.arange(c.length)).reshape(steps, -1)
            feeds.append(tuple(map(cp.asarray, (numbers, places, places + 1, table))))
            gpus.streams[rank].synchronize()
    losses, began = [], time.perf_counter()
    for step in range(steps):
        for rank, (data, places, after, table) in enumerate(feeds):
            with gpus.on(rank) as model:
                cp.take(data, places[step], out=model.tokens)
                cp.take(data, after[step], out=model.targets)
                model.rates[:] = table[step]
        launch()
        if step % 10 == 9:
            gpus.wait()  # ten steps are queued at most: a lost rank is known after ten patiences
        if step % report == 0 or step == steps - 1:
            gpus.wait()
            losses.append(gpus.loss())
    return losses, steps * ranks * c.batch * c.length / (time.perf_counter() - began)


# --8<-- [end:train]

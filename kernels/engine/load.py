"""Requests that come while others are answered: continuous batching and static, on one clock."""

# --8<-- [start:imports]
import time
from collections import deque

import numpy as np

# --8<-- [end:imports]
from kernels.engine.engine import Serving, answer
from kernels.engine.rows import TABLE, rows_of
from kernels.paging.pool import Pool, Request


# --8<-- [start:requests]
class Timed(Request):
    """A request that comes at a time, makes as many tokens as it asks for, and notes when."""

    def __init__(self, prompt, answer, comes=0.0):
        super().__init__(tuple(int(token) for token in prompt), answer)
        self.comes, self.output, self.times = comes, [], []

    @property
    def tokens(self):
        return (*self.prompt, *self.output)

    def take(self, token, now):
        self.output.append(token)
        self.times.append(now)


def arrivals(count, rate, random, answers=(2, 2, 4, 24)):
    """Return requests that come at random, ``rate`` a second on average; most want little."""
    gaps = random.exponential(1 / rate, count) if rate else np.zeros(count)
    return [
        Timed(random.integers(1, 40, 8), int(random.choice(answers)), comes)
        for comes in np.cumsum(gaps)
    ]


# --8<-- [end:requests]


# --8<-- [start:continuous]
def serve_continuous(model, requests, blocks=1024, budget=64, most=32, clock=time.perf_counter):
    """Answer all requests, each as soon as there is room; return the seconds that it took."""
    scheduler = Serving(Pool(blocks), budget=budget, most=most)
    coming, began = deque(requests), clock()
    while coming or scheduler.waiting or scheduler.running:
        while coming and coming[0].comes <= clock() - began:
            scheduler.submit(coming.popleft())
        work = scheduler.step()
        if not work:
            continue  # nobody is here: look at the clock again
        answers = answer(model, work)
        now = clock() - began
        for (request, _), token in zip(work, answers, strict=True):
            if request.cached == len(request.tokens):
                request.take(token, now)
        scheduler.clear()
    return clock() - began


# --8<-- [end:continuous]


# --8<-- [start:static]
def serve_static(model, requests, budget=64, most=32, clock=time.perf_counter):
    """The same in batches: who comes meanwhile waits until the longest answer is done."""
    coming, began = deque(requests), clock()
    while coming:
        batch = []
        while coming and len(batch) < most and coming[0].comes <= clock() - began:
            batch.append(coming.popleft())
        tables = [range(TABLE * i, TABLE * (i + 1)) for i in range(len(batch))]
        rows, last, answers = [], [], []
        for request, table in zip(batch, tables, strict=True):
            rows += rows_of(request.prompt, 0, len(request.prompt), table)
            last.append(len(rows) - 1)
        for at in range(0, len(rows), budget):
            answers += model(rows[at : at + budget]).tolist()
        answers = [answers[place] for place in last]
        for left in reversed(range(max((r.answer for r in batch), default=0))):
            now = clock() - began
            for request, token in zip(batch, answers, strict=True):
                if len(request.output) < request.answer:
                    request.take(token, now)
            if left:  # whoever is done computes on, for nothing
                rows = []
                for request, table in zip(batch, tables, strict=True):
                    end = len(request.prompt) + len(request.output)
                    rows += rows_of(request.tokens, end - 1, end, table)
                answers = model(rows).tolist()
    return clock() - began


# --8<-- [end:static]


# --8<-- [start:batches]
class InBatches(Serving):
    """Static batching for the engine: who comes meanwhile waits until a batch's last is done."""

    batch = ()

    def step(self):
        if not self.running:
            self.batch = [*self.waiting][: self.most]
        late = [request for request in self.waiting if request not in self.batch]
        self.waiting = deque(request for request in self.waiting if request in self.batch)
        try:
            return super().step()
        finally:
            self.waiting += late


# --8<-- [end:batches]


# --8<-- [start:report]
def report(requests, seconds):
    """Return tokens a second, and of all requests' times to the last token p50 and p99."""
    waits = [request.times[-1] - request.comes for request in requests]
    p50, p99 = np.percentile(waits, [50, 99])
    return sum(len(request.output) for request in requests) / seconds, p50, p99


# --8<-- [end:report]


def examples():
    """The passes of both ways.

    --8<-- [start:example]
    >>> for serve in (serve_static, serve_continuous):
    ...     model, requests = OnCPU(weights, 256), arrivals(128, 0, np.random.default_rng(1))
    ...     settings = {} if serve is serve_static else {"blocks": 256}
    ...     _ = serve(model, requests, most=16, **settings)
    ...     print(serve.__name__, sum(len(r.output) for r in requests), model.passes)
    serve_static 972 200
    serve_continuous 972 71

    --8<-- [end:example]
    """

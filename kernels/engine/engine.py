"""A serving engine: a model whose cache lies in blocks, many requests, one thread that computes."""

# --8<-- [start:imports]
import queue
import threading

import numpy as np

# --8<-- [end:imports]
from kernels.paging.pool import PAGE, Pool, Request, Scheduler
from kernels.quantization.model import (
    HEADS,
    LAYERS,
    LETTERS,
    WIDTH,
    norm,
    softmax,
)


# --8<-- [start:forward]
def new_cache(blocks):
    """Return room for keys and values: (layers, 2, blocks, tokens of a block, heads, numbers)."""
    return np.full((LAYERS, 2, blocks, PAGE, HEADS, WIDTH // HEADS), np.nan)


def forward_paged(weights, cache, work):
    """Return the logits after the last token of each piece of work, and fill the cache.

    A piece is (tokens, first, last, blocks): tokens first to last - 1 are computed, and those
    before are in the blocks. All pieces go through the linear layers together.
    """
    tokens = np.concatenate([known[first:last] for known, first, last, _ in work])
    places = np.concatenate([np.arange(first, last) for _, first, last, _ in work])
    ends = np.cumsum([last - first for _, first, last, _ in work])
    x = weights["letters"][tokens] + weights["places"][places]
    for layer in range(LAYERS):
        qkv = (norm(x) @ weights[f"qkv{layer}"].T).reshape(len(x), 3, HEADS, -1)
        mixed = np.empty((len(x), HEADS, WIDTH // HEADS))
        for (_, first, last, blocks), end in zip(work, ends, strict=True):
            mine, at = slice(end - last + first, end), np.arange(first, last)
            cache[layer, :, np.array(blocks)[at // PAGE], at % PAGE] = qkv[mine, 1:]
            keys, values = cache[layer][:, blocks].reshape(2, -1, HEADS, WIDTH // HEADS)[:, :last]
            scores = np.einsum("qhd,khd->hqk", qkv[mine, 0], keys) * (WIDTH // HEADS) ** -0.5
            scores = np.where(np.arange(last) <= at[:, None], scores, -np.inf)
            mixed[mine] = np.einsum("hqk,khd->qhd", softmax(scores), values)
        x = x + mixed.reshape(len(x), -1) @ weights[f"out{layer}"].T
        up = np.maximum(norm(x) @ weights[f"up{layer}"].T, 0) ** 2
        x = x + up @ weights[f"down{layer}"].T
    return norm(x[ends - 1]) @ weights["head"].T


# --8<-- [end:forward]


# --8<-- [start:engine]
class Answer(Request):
    """A request with real tokens, and a queue from which its client reads letters."""

    def __init__(self, prompt, most):
        super().__init__(tuple(int(token) for token in prompt), most)
        self.letters, self.output, self.gone = queue.Queue(), [], False

    @property
    def tokens(self):
        return self.prompt + tuple(self.output)


class Serving(Scheduler):
    """A scheduler that keeps the blocks of a finished request until its last token is computed."""

    leaving = ()

    def release(self, request):
        if request.made == request.answer and request.blocks:
            self.leaving = (*self.leaving, request)
        else:
            super().release(request)

    def clear(self):
        for request in self.leaving:
            super().release(request)
        self.leaving = ()


class Engine:
    """One thread that computes, for as many clients as come."""

    def __init__(self, weights, blocks=64, most_waiting=64):
        self.weights, self.cache = weights, new_cache(blocks)
        self.scheduler, self.most_waiting = Serving(Pool(blocks)), most_waiting
        self.changed, self.open = threading.Condition(), True
        self.steps = self.computed = 0
        self.thread = threading.Thread(target=self.work, daemon=True)
        self.thread.start()

    def submit(self, prompt, most):
        """Queue a request and return it. Raises OverflowError where too many wait already."""
        request = Answer(prompt, most)
        with self.changed:
            if len(self.scheduler.waiting) >= self.most_waiting:
                raise OverflowError(f"{self.most_waiting} requests are waiting")
            self.scheduler.submit(request)
            self.changed.notify()
        return request

    def work(self):
        scheduler = self.scheduler
        while True:
            with self.changed:
                while self.open and not (scheduler.waiting or scheduler.running):
                    self.changed.wait()
                if not self.open:
                    return
                for request in [r for r in (*scheduler.running, *scheduler.waiting) if r.gone]:
                    self.forget(request)
                step = scheduler.step()
            if step:
                self.compute(step)
            with self.changed:
                scheduler.clear()

    def compute(self, step):
        pieces = [(r.tokens, r.cached - count, r.cached, r.blocks) for r, count in step]
        logits = forward_paged(self.weights, self.cache, pieces)
        self.steps, self.computed = self.steps + 1, self.computed + sum(n for _, n in step)
        for (request, _), row in zip(step, logits, strict=True):
            if request.cached < len(request.tokens):
                continue  # a chunk of a prompt: there is nothing to say yet
            token = int(row.argmax())
            request.output.append(token)
            request.letters.put(LETTERS[token])
            if token == 0 and request.made < request.answer:  # the end of a name
                with self.changed:
                    self.forget(request)
            if token == 0 or request.made == request.answer:
                request.letters.put(None)

    def forget(self, request):
        """Take a request out before it is done: it has ended early, or its client is gone."""
        if request in self.scheduler.running:
            self.scheduler.running.remove(request)
        if request in self.scheduler.waiting:
            self.scheduler.waiting.remove(request)
        self.scheduler.release(request)

    def close(self):
        with self.changed:
            self.open = False
            self.changed.notify()
        self.thread.join()


# --8<-- [end:engine]

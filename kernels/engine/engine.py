"""A serving engine: a model whose cache lies in blocks, many requests, one thread that computes."""

# --8<-- [start:imports]
import queue
import threading

# --8<-- [end:imports]
from kernels.engine.rows import rows_of
from kernels.paging.pool import Pool, Request, Scheduler
from kernels.quantization.model import LETTERS


# --8<-- [start:serving]
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


def answer(model, work):
    """Return the next token of each request of the scheduler's work, in one pass of the model."""
    rows, last = [], []
    for request, count in work:
        first, end = request.cached - count, request.cached
        rows += rows_of(request.tokens, first, end, request.blocks)
        last.append(len(rows) - 1)
    return model(rows)[last].tolist()


# --8<-- [end:serving]


# --8<-- [start:engine]
class Answer(Request):
    """A request with real tokens, and a queue from which its client reads letters."""

    def __init__(self, prompt, most):
        super().__init__(tuple(int(token) for token in prompt), most)
        self.letters, self.output, self.gone = queue.Queue(), [], False
        self.error = None  # what ended it, if a pass has failed

    @property
    def tokens(self):
        return self.prompt + tuple(self.output)


class Engine:
    """One thread that computes, for as many clients as come."""

    def __init__(self, model, blocks=64, most_waiting=64, scheduler=Serving, **steps):
        self.model, self.most_waiting = model, most_waiting
        self.empty = lambda: scheduler(Pool(blocks), **steps)
        self.scheduler, self.inside = self.empty(), set()  # all who wait or run
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
            self.inside.add(request)
            self.changed.notify()
        return request

    def work(self):
        while True:
            with self.changed:
                while self.open and not self.inside:
                    self.changed.wait()
                if not self.open:
                    return
            failed = None
            try:
                self.turn()
            except Exception as error:  # of a model, its GPU or the scheduler: this thread goes on
                failed = error
            if failed:
                self.fail(failed)

    def turn(self):
        with self.changed:
            for request in [request for request in self.inside if request.gone]:
                self.forget(request)
            step = self.scheduler.step()
        if step:
            self.compute(step)
        with self.changed:
            self.scheduler.clear()

    def compute(self, step):
        tokens = answer(self.model, step)
        self.steps, self.computed = self.steps + 1, self.computed + sum(n for _, n in step)
        for (request, _), token in zip(step, tokens, strict=True):
            if request.cached < len(request.tokens):
                continue  # a chunk of a prompt: there is nothing to say yet
            request.output.append(token)
            request.letters.put(LETTERS[token])
            if token == 0 or request.made == request.answer:  # 0 is the end of a name
                with self.changed:
                    if request.made < request.answer:
                        self.forget(request)
                    self.inside.discard(request)
                request.letters.put(None)

    def fail(self, error):
        """End who runs, or all if nobody does: no block can be trusted. Who waits, waits on."""
        with self.changed:
            waiting = self.scheduler.waiting
            lost = self.inside.difference(waiting) or set(waiting)
            self.scheduler, self.inside = self.empty(), self.inside - lost
            self.scheduler.waiting.extend(r for r in waiting if r not in lost)
            for request in (*lost, *waiting):
                request.blocks, request.cached = [], 0
        for request in lost:
            request.error = error
            request.letters.put(None)

    def forget(self, request):
        """Take a request out before it is done: it has ended early, or its client is gone."""
        for place in (self.scheduler.running, self.scheduler.waiting):
            if request in place:
                place.remove(request)
        self.scheduler.release(request)
        self.inside.discard(request)

    def close(self):
        with self.changed:
            self.open = False
            self.changed.notify()
        self.thread.join()


# --8<-- [end:engine]

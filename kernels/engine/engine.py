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

    def __init__(self, model, blocks=64, most_waiting=64, **steps):
        self.model = model
        self.scheduler, self.most_waiting = Serving(Pool(blocks), **steps), most_waiting
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
            failed = None
            try:
                if step:
                    self.compute(step)
            except Exception as error:  # whatever a model or its GPU raises: the others wait
                failed = error
            if failed:
                self.fail(step, failed)
            with self.changed:
                scheduler.clear()

    def compute(self, step):
        tokens = answer(self.model, step)
        self.steps, self.computed = self.steps + 1, self.computed + sum(n for _, n in step)
        for (request, _), token in zip(step, tokens, strict=True):
            if request.cached < len(request.tokens):
                continue  # a chunk of a prompt: there is nothing to say yet
            request.output.append(token)
            request.letters.put(LETTERS[token])
            if token == 0 and request.made < request.answer:  # the end of a name
                with self.changed:
                    self.forget(request)
            if token == 0 or request.made == request.answer:
                request.letters.put(None)

    def fail(self, step, error):
        """End what was in a failed pass, and what runs beside it: no block can be trusted now."""
        scheduler = self.scheduler
        with self.changed:
            lost = {*(request for request, _ in step), *scheduler.running}
            scheduler.pool = Pool(len(scheduler.pool.users))
            scheduler.running.clear()
            scheduler.leaving = ()
        for request in lost:
            request.blocks, request.error = [], error
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

"""Blocks of a cache: given, shared, and taken back; and requests that wait for them."""

# --8<-- [start:imports]
from collections import OrderedDict, deque
from dataclasses import dataclass, field

# --8<-- [end:imports]


# --8<-- [start:pool]
PAGE = 4  # tokens of a block, as the examples have it; vLLM's default is 16


class Pool:
    """Blocks, how many requests use each, and what the full ones hold."""

    def __init__(self, blocks):
        self.free = OrderedDict.fromkeys(range(blocks))  # used longest ago first
        self.users = [0] * blocks
        self.by_prefix, self.prefix = {}, {}  # all tokens up to a block's end, and back

    def take(self):
        """Return a free block. What it held is forgotten only now."""
        block, _ = self.free.popitem(last=False)
        self.by_prefix.pop(self.prefix.pop(block, None), None)
        self.users[block] = 1
        return block

    def share(self, block):
        self.free.pop(block, None)
        self.users[block] += 1

    def give_back(self, block):
        self.users[block] -= 1
        if self.users[block] == 0:
            self.free[block] = None

    def remember(self, block, tokens):
        """Say that a full block holds the last of these tokens, after all before them."""
        if tuple(tokens) not in self.by_prefix:
            self.by_prefix[tuple(tokens)], self.prefix[block] = block, tuple(tokens)

    def known(self, tokens):
        """Return the blocks that hold the beginning of some tokens, all but the last token."""
        found = []
        for end in range(PAGE, len(tokens), PAGE):
            block = self.by_prefix.get(tuple(tokens[:end]))
            if block is None:
                break
            found.append(block)
        return found


# --8<-- [end:pool]


# --8<-- [start:scheduler]
@dataclass(eq=False)  # two that ask the same are two
class Request:
    prompt: tuple
    answer: int  # tokens to make; a real engine learns it when the model says so
    blocks: list = field(default_factory=list)
    cached: int = 0  # tokens whose keys and values are in the blocks
    made: int = 0

    @property
    def tokens(self):  # what was made stands for itself here: no model is asked
        return self.prompt + tuple(("made", id(self), i) for i in range(self.made))


class Scheduler:
    """Decide, step by step, which request computes how many tokens: continuous batching."""

    def __init__(self, pool, budget=16, most=8):
        self.pool, self.budget, self.most = pool, budget, most  # tokens and requests of a step
        self.waiting, self.running = deque(), []

    def submit(self, request):
        """Queue a request; refuse one that could never run."""
        length, room = len(request.prompt) + request.answer, PAGE * len(self.pool.users)
        if length > room:
            raise ValueError(f"{length} tokens, and the whole cache holds {room}")
        self.waiting.append(request)

    def step(self):
        """Return [(request, tokens)] for one pass of the model, and do the bookkeeping."""
        left, work = self.budget, []
        for request in list(self.running):  # those that run first: one token, or a chunk
            if request in self.running:  # a block for another may have sent it back
                left -= self.give(request, left, work)
        while self.waiting and left and len(self.running) < self.most:
            request = self.waiting[0]
            shared = self.pool.known(request.tokens)
            for block in shared:
                self.pool.share(block)
            request.blocks, request.cached = shared, PAGE * len(shared)
            needed = -(-min(left, len(request.tokens) - request.cached) // PAGE)
            if needed > len(self.pool.free):
                self.release(request)
                break
            self.running.append(self.waiting.popleft())
            left -= self.give(request, left, work)
        for request, count in work:
            full, request.cached = request.cached // PAGE, request.cached + count
            for end in range(PAGE * (full + 1), request.cached + 1, PAGE):  # blocks full by now
                self.pool.remember(request.blocks[end // PAGE - 1], request.tokens[:end])
            if request.cached == len(request.tokens):  # the last token's logits make the next
                request.made += 1
                if request.made == request.answer:
                    self.running.remove(request)
                    self.release(request)
        return work

    def give(self, request, left, work):
        """Give a request room for up to ``left`` tokens; return for how many."""
        count = min(left, len(request.tokens) - request.cached)
        while len(request.blocks) * PAGE < request.cached + count:
            if not self.pool.free:  # the youngest waits once more, and computes again later
                youngest = self.running.pop()
                self.release(youngest)
                self.waiting.appendleft(youngest)
                work[:] = [(other, n) for other, n in work if other is not youngest]
                return 0 if youngest is request else self.give(request, left, work)
            request.blocks.append(self.pool.take())
        if count:
            work.append((request, count))
        return count

    def release(self, request):
        for block in reversed(request.blocks):  # the end of a prompt is reused least
            self.pool.give_back(block)
        request.blocks, request.cached = [], 0


# --8<-- [end:scheduler]


# --8<-- [start:static]
def continuous(requests, **settings):
    """Return the steps, and the tokens computed, until all requests are answered."""
    scheduler = Scheduler(Pool(256), **settings)
    for request in requests:
        scheduler.submit(request)
    steps = tokens = 0
    while scheduler.waiting or scheduler.running:
        work = scheduler.step()
        steps, tokens = steps + 1, tokens + sum(count for _, count in work)
    return steps, tokens


def static(requests, most=8):
    """The same in batches that begin and end together: the longest answer decides."""
    steps = tokens = 0
    for first in range(0, len(requests), most):
        batch = requests[first : first + most]
        longest = max(len(r.prompt) for r in batch)
        steps += -(-longest * len(batch) // 16) + max(r.answer for r in batch) - 1
        tokens += len(batch) * (longest + max(r.answer for r in batch) - 1)  # padding, too
    return steps, tokens


# --8<-- [end:static]


def examples():
    """The examples.

    --8<-- [start:pool_example]
    >>> pool = Pool(6)
    >>> scheduler = Scheduler(pool)
    >>> question = tuple("you are a helpful ")
    >>> first, second = Request(question + tuple("cat"), 3), Request(question + tuple("dog"), 3)
    >>> scheduler.submit(first)
    >>> [(count, request.blocks) for request, count in scheduler.step()]  # 16 tokens a step
    [(16, [0, 1, 2, 3])]
    >>> [(count, request.blocks) for request, count in scheduler.step()]
    [(5, [0, 1, 2, 3, 4, 5])]
    >>> scheduler.submit(second)
    >>> [count for request, count in scheduler.step()]  # no room for the second yet
    [1]
    >>> [count for request, count in scheduler.step()], len(pool.free)
    ([1], 6)
    >>> [(count, request.blocks) for request, count in scheduler.step()]  # 16 tokens are there
    [(5, [0, 1, 2, 3, 5, 4])]

    --8<-- [end:pool_example]

    --8<-- [start:full_example]
    >>> scheduler = Scheduler(Pool(5))
    >>> for name in "ab":
    ...     scheduler.submit(Request(tuple(name * 7), 8))
    >>> held = []
    >>> while scheduler.waiting or scheduler.running:
    ...     _ = scheduler.step()
    ...     held.append([len(request.blocks) for request in scheduler.running])
    >>> held
    [[2, 2], [2, 2], [3], [3], [3], [3], [4], [], [3], [3], [3], [3], [4], []]

    --8<-- [end:full_example]

    --8<-- [start:load_example]
    >>> import random
    >>> draw = random.Random(7)
    >>> requests = [
    ...     Request(tuple(draw.choices(range(1000), k=draw.randrange(4, 12))), answer)
    ...     for answer in draw.choices([2, 4, 8, 120], k=64)
    ... ]
    >>> static(requests), continuous(requests)  # steps, tokens
    ((774, 6504), (260, 1961))

    --8<-- [end:load_example]
    """

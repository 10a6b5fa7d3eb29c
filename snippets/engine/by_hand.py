"""The engine, slow enough to watch: a model that computes a pass when you say so."""

# --8<-- [start:model]
import queue

import openai


class ByHand:
    """A model that stops before each pass until somebody puts something into ``go``."""

    def __init__(self, model):
        self.model, self.asked, self.go = model, queue.Queue(), queue.Queue()

    def __call__(self, rows):
        self.asked.put(rows)  # what the engine wants of this pass
        self.go.get()
        return self.model(rows)


def stream(url, prompt, most):
    """Ask for a stream with OpenAI's client; return before its first letter is there."""
    client = openai.OpenAI(base_url=url, api_key="none", max_retries=0)
    return client.completions.create(model="names", prompt=prompt, max_tokens=most, stream=True)


def letter(answer):
    """Wait for the next letter of a stream."""
    return next(answer).choices[0].text


# --8<-- [end:model]


def _session():
    """
    --8<-- [start:first]
    >>> hand = ByHand(OnCPU(weights, blocks=16))
    >>> engine = Engine(hand, blocks=16, most_waiting=1)
    >>> slow = Server(engine)
    >>> a = stream(slow.url, "GREEK SMALL ", 20)
    >>> len(hand.asked.get())
    12

    --8<-- [end:first]

    --8<-- [start:second]
    >>> b = stream(slow.url, "GREEK SIGN", 4)
    >>> hand.go.put("on")
    >>> letter(a)
    'L'
    >>> for token, place, slot, *table in hand.asked.get():
    ...     print(repr(LETTERS[token]), place, slot, table[:4])
    'L' 12 12 [0, 1, 2, 3]
    'K' 4 16 [0, 4, 5, 0]
    ' ' 5 17 [0, 4, 5, 0]
    'S' 6 18 [0, 4, 5, 0]
    'I' 7 19 [0, 4, 5, 0]
    'G' 8 20 [0, 4, 5, 0]
    'N' 9 21 [0, 4, 5, 0]

    --8<-- [end:second]

    --8<-- [start:refused]
    >>> c = stream(slow.url, "GREEK SIGMA", 4)
    >>> stream(slow.url, "RUNIC ", 4)
    Traceback (most recent call last):
    openai.RateLimitError: Error code: 429 - 1 requests are waiting

    --8<-- [end:refused]

    --8<-- [start:both]
    >>> for _ in range(4):
    ...     hand.go.put("on")
    ...     print(repr(letter(a)), repr(letter(b)), len(hand.asked.get()))
    'E' 'G' 5
    'T' ' ' 3
    'T' 'S' 3
    'E' 'M' 2

    --8<-- [end:both]

    --8<-- [start:killed]
    >>> killed = engine.scheduler.running[0]
    >>> a.close()
    >>> while len(engine.scheduler.pool.free) < 16:
    ...     hand.go.put("on")
    ...     time.sleep(0.05)
    >>> len(killed.output) < 20
    True
    >>> "".join(part.choices[0].text for part in c)
    'LL L'
    >>> slow.close()

    --8<-- [end:killed]
    """

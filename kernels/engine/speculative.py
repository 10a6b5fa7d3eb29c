"""Speculative decoding: a cheap draft guesses some tokens, and one pass verifies them all."""

# --8<-- [start:imports]
from collections import Counter, defaultdict

# --8<-- [end:imports]
from kernels.engine.rows import rows_of
from kernels.quantization.model import CONTEXT


# --8<-- [start:draft]
class Letters:
    """A draft that counts: which letter came most often after the last few."""

    def __init__(self, text, order=4):
        counts = [defaultdict(Counter) for _ in range(order + 1)]
        text = tuple(int(token) for token in text)
        for i, token in enumerate(text):
            for size in range(min(order, i) + 1):
                counts[size][text[i - size : i]][token] += 1
        self.order = order
        self.next = [
            {before: after.most_common(1)[0][0] for before, after in by_size.items()}
            for by_size in counts
        ]

    def __call__(self, tokens, count):
        """Return the ``count`` tokens that it expects next."""
        known = list(tokens)
        for _ in range(count):
            size = min(self.order, len(known))
            while tuple(known[len(known) - size :]) not in self.next[size]:
                size -= 1  # never seen: look at fewer letters
            known.append(self.next[size][tuple(known[len(known) - size :])])
        return known[len(tokens) :]


# --8<-- [end:draft]


# --8<-- [start:speculate]
def speculate(step, draft, prompt, most, blocks, guesses=4):
    """Return the tokens after a prompt, the passes, and how many guesses were made and right.

    ``step`` is the large model (rows to next tokens), and ``blocks`` hold CONTEXT tokens.
    """
    tokens, cached, passes, made, right = list(prompt), 0, 0, 0, 0
    end = len(prompt) + most
    while len(tokens) < end:
        room = min(guesses, end - len(tokens) - 1, CONTEXT - len(tokens))
        guessed = draft(tokens, room)
        answers = step(rows_of(tokens + guessed, cached, len(tokens) + room, blocks))
        answers = [int(token) for token in answers[len(answers) - room - 1 :]]
        accepted = 0
        while accepted < room and guessed[accepted] == answers[accepted]:
            accepted += 1
        cached = len(tokens) + accepted  # behind it lie keys of wrong guesses: written over
        tokens += answers[: accepted + 1]  # after the last right guess the model goes on itself
        passes, made, right = passes + 1, made + room, right + accepted
    return tokens[len(prompt) :], passes, made, right


# --8<-- [end:speculate]


def examples():
    """The examples.

    --8<-- [start:example]
    >>> lines = names()
    >>> cut = len(lines) * 9 // 10
    >>> text = as_text(lines[:cut])
    >>> weights, draft = train(text, steps=150), Letters(text)
    >>> prompt, blocks = [int(token) for token in encode("GREEK SMALL ")], range(TABLE)
    >>> alone, passes, *_ = speculate(OnCPU(weights, TABLE), draft, prompt, 20, blocks, guesses=0)
    >>> decode(alone), passes
    ('LETTER LETTER SIN SI', 20)
    >>> tokens, passes, made, right = speculate(OnCPU(weights, TABLE), draft, prompt, 20, blocks)
    >>> tokens == alone, passes, made, right
    (True, 8, 22, 12)

    --8<-- [end:example]

    --8<-- [start:gpu_example]
    >>> on_gpu = OnGPU(weights, TABLE, sizes=(1, 5, 16))
    >>> speculate(on_gpu, draft, prompt, 20, blocks)[0] == alone
    True

    --8<-- [end:gpu_example]
    """

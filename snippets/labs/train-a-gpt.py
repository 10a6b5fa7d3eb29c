"""Lab: train a GPT. The cells of the page docs/labs/train-a-gpt.md that are its own.

Before them the page shows the model and its kernels, which are sections of other files. So this
file does not run by itself: take the notebook or the script from the page's end.
"""
# The page defines the model (F821), and its parts use what they import themselves.
# ruff: noqa: E402, F401, F821

# %%
# --8<-- [start:text]
import textwrap
import time
from itertools import zip_longest

symbols, numbers = read_text("alice.txt")
print(f"{numbers.size:,} characters, {len(symbols)} different ones:", "".join(symbols).strip())
# --8<-- [end:text]

# %%
# --8<-- [start:model]
config = Config(layers=4, heads=4, width=256, length=128, symbols=len(symbols), batch=64)
model, stream = on_gpu(config)
print(f"{model.flat.size:,} parameters on an {cuda.get_current_device().name}")
# --8<-- [end:model]


# %%
# --8<-- [start:training]
class Training:
    """A run that stops where you want, so that you can look, and goes on."""

    def __init__(self, model, stream, numbers, steps, size=1e-3, held_out=0.1, seed=1):
        c, random = model.config, np.random.default_rng(seed)
        self.model, self.stream, self.step, self.history = model, stream, 0, []
        split = int(len(numbers) * (1 - held_out))
        self.seen = random.integers(0, split - c.length, c.batch)  # to measure the loss at
        self.later = random.integers(split, len(numbers) - c.length, c.batch)
        warm = np.minimum(np.arange(1, steps + 1) / 100, 1)  # small steps first, and at the end
        sizes = size * warm * (1 - 0.9 * np.arange(steps) / steps)
        self.table = np.array([rates(step + 1, s) for step, s in enumerate(sizes)], np.float32)
        with stream:
            model.rates[:] = 0  # recording runs a step, which must change no weight
            self.train = record(stream, lambda: train_step(model))
            self.ask = record(stream, lambda: (forward(model), loss(model)))
            model.first[:], model.second[:] = 0, 0
            self.data, self.span = cp.asarray(numbers), cp.arange(c.length)
            self.starts = cp.asarray(random.integers(0, split - c.length, (steps, c.batch)))
            self.table = cp.asarray(self.table)
            self.history.append((0, self.loss(self.seen), self.loss(self.later)))

    def read(self, starts):
        places = (cp.asarray(starts)[:, None] + self.span).ravel()
        cp.take(self.data, places, out=self.model.tokens)
        cp.take(self.data, places + 1, out=self.model.targets)

    def loss(self, starts):
        self.read(starts)
        self.ask.launch(self.stream)
        return float(self.model.losses.mean())

    def go(self, until, every=20):
        """Train up to a step. Every 20 steps note both losses."""
        with self.stream:
            while self.step < until:
                self.read(self.starts[self.step])
                self.model.rates[:] = self.table[self.step]
                self.train.launch(self.stream)
                self.step += 1
                if self.step % every == 0:
                    self.history.append((self.step, self.loss(self.seen), self.loss(self.later)))


# --8<-- [end:training]

# %%
# --8<-- [start:run]
run, samples = Training(model, stream, numbers, steps=600), {}
for stop in (0, 100, 300, 600):
    run.go(stop)
    samples[stop] = sample(model, stream, symbols, "Alice ", count=300, heat=0.5)
columns = [[f"step {stop}", "", *textwrap.wrap(samples[stop], 23)[:12]] for stop in samples]
for lines in zip_longest(*columns, fillvalue=""):
    print("  ".join(line.ljust(23) for line in lines).rstrip())
# --8<-- [end:run]

# %%
# --8<-- [start:curve]
high, wide = 16, 61
steps, seen, later = np.array(run.history).T
canvas = [[" "] * wide for _ in range(high + 1)]
top = max(seen.max(), later.max())
for letter, losses in (("t", seen), ("h", later)):
    for step, value in zip(steps, losses, strict=True):
        row, column = round(high * (1 - value / top)), round((wide - 1) * step / steps[-1])
        canvas[row][column] = "*" if canvas[row][column] not in (" ", letter) else letter
for row, line in enumerate(canvas):
    print(f"{top * (1 - row / high):5.2f} |{''.join(line).rstrip()}")
print(f"      0{'step':>{wide // 2}}{steps[-1]:>{wide - wide // 2 - 1}.0f}")
print("t: on the text it trains on, h: on the part held out, *: both")
best = int(steps[np.argmin(later)])
print(f"held out, the loss is lowest at step {best}: {later.min():.2f}; at the end {later[-1]:.2f}")
assert later[0] > 4 and later.min() < 2.5 and seen[-1] < 1, "it has not learned"
# --8<-- [end:curve]

# %%
# --8<-- [start:copied]
text = "".join(symbols[i] for i in numbers)
for stop, written in samples.items():
    pieces = [written[i : i + 20] for i in range(len(written) - 20)]
    share = np.mean([piece in text for piece in pieces])
    print(f"step {stop:3}: {share:4.0%} of its pieces of 20 characters stand in the book")
# --8<-- [end:copied]

# %%
# --8<-- [start:speed]
tokens = config.batch * config.length
for words, work in (
    ("as one graph", lambda: run.train.launch(stream)),
    ("launched from Python", lambda: train_step(model)),
):
    times = []
    with stream:
        run.model.rates[:] = 0  # the weights stay
        for _ in range(12):
            stream.synchronize()
            began = time.perf_counter()
            for _ in range(10):
                work()
            stream.synchronize()
            times.append((time.perf_counter() - began) / 10)
    middle = sorted(times[2:])[5]
    print(f"a step {words}: {middle * 1e3:.2f} ms, {tokens / middle:,.0f} tokens a second")
# --8<-- [end:speed]

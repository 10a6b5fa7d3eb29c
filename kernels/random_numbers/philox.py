"""Random numbers from a counter: Philox 4x32 with ten rounds."""

# --8<-- [start:imports]
import math

import numpy as np
from numba import cuda, float32, uint32, uint64

# --8<-- [end:imports]


# --8<-- [start:philox]
@cuda.jit(device=True)
def philox(counter, key):
    """Return four random uint32 that belong to a 64-bit counter and a 64-bit key."""
    a, b = uint32(counter & uint64(0xFFFFFFFF)), uint32(counter >> uint64(32))
    c, d = uint32(0), uint32(0)
    k, m = uint32(key & uint64(0xFFFFFFFF)), uint32(key >> uint64(32))
    for _ in range(10):
        p, q = uint64(a) * uint64(0xD2511F53), uint64(c) * uint64(0xCD9E8D57)
        a, b, c, d = (
            uint32(uint32(q >> uint64(32)) ^ b ^ k),
            uint32(q & uint64(0xFFFFFFFF)),
            uint32(uint32(p >> uint64(32)) ^ d ^ m),
            uint32(p & uint64(0xFFFFFFFF)),
        )
        k, m = uint32(k + uint32(0x9E3779B9)), uint32(m + uint32(0xBB67AE85))
    return a, b, c, d


# --8<-- [end:philox]


# --8<-- [start:dropout]
@cuda.jit
def dropout_kernel(x, drop, seed, out):
    """Set elements to zero with probability ``drop``, and scale the others to keep the mean."""
    i = uint32(cuda.grid(1))
    first = uint32(4 * i)  # one counter serves four elements
    if first < x.size:
        below = uint64(float32(drop) * float32(4294967296.0))
        scale = float32(1) / (float32(1) - float32(drop))
        numbers = philox(uint64(i), uint64(seed))
        for j in range(4):
            at = uint32(first + j)
            if at < x.size:
                out[at] = x[at] * scale if numbers[j] >= below else float32(0)


# --8<-- [end:dropout]


# --8<-- [start:option]
STEP = float32(2.0**-32)
TWO_PI = float32(2 * math.pi)


@cuda.jit
def option_kernel(spot, strike, drift, spread, paths, seed, total):
    """Add the payoffs of a European call: what a share's price exceeds ``strike`` by, if it does.

    The logarithm of the price is normal: log(spot) + drift, with standard deviation ``spread``.
    Each counter gives four paths. ``total`` is one float64.
    """
    payoff = 0.0
    for i in range(cuda.grid(1), paths // 4, cuda.gridsize(1)):
        a, b, c, d = philox(uint64(i), uint64(seed))
        for j in range(2):
            u, v = (a, b) if j == 0 else (c, d)
            radius = math.sqrt(float32(-2) * math.log((float32(u) + float32(0.5)) * STEP))
            angle = TWO_PI * (float32(v) * STEP)
            for normal in (radius * math.cos(angle), radius * math.sin(angle)):
                price = spot * math.exp(drift + spread * normal)
                payoff += max(price - strike, float32(0))
    for hop in (16, 8, 4, 2, 1):
        payoff += cuda.shfl_down_sync(0xFFFFFFFF, payoff, hop)
    if cuda.threadIdx.x % 32 == 0:
        cuda.atomic.add(total, 0, payoff)


# --8<-- [end:option]


# --8<-- [start:host]
def dropout(x, drop, seed, threads=128):
    """Return a float32 array with elements set to zero with probability ``drop``.

    --8<-- [start:example]
    >>> x = np.ones(10, np.float32)
    >>> once = dropout(x, 0.5, seed=7, threads=32)
    >>> sorted(set(once.tolist()))
    [0.0, 2.0]
    >>> np.array_equal(once, dropout(x, 0.5, seed=7, threads=32))  # the same seed, the same mask
    True
    >>> np.array_equal(once, dropout(x, 0.5, seed=8, threads=32))
    False

    --8<-- [end:example]
    """
    d_x = cuda.to_device(x)
    out = cuda.device_array_like(d_x)
    dropout_kernel[-(-x.size // (4 * threads)), threads](d_x, np.float32(drop), seed, out)
    return out.copy_to_host()


def call_price(spot, strike, rate, volatility, years, paths, seed, blocks=1024, threads=128):
    """Return the price of a European call by simulation, and what the formula says.

    ``paths`` is a multiple of four.

    --8<-- [start:option_example]
    >>> simulated, exact = call_price(100, 110, 0.03, 0.2, 1, 4096, seed=1, blocks=2, threads=32)
    >>> round(exact, 3), abs(simulated / exact - 1) < 0.1
    (5.293, True)

    --8<-- [end:option_example]
    """
    drift = (rate - volatility**2 / 2) * years
    spread = volatility * math.sqrt(years)
    total = cuda.to_device(np.zeros(1))
    given = (np.float32(number) for number in (spot, strike, drift, spread))
    option_kernel[blocks, threads](*given, paths, seed, total)
    simulated = float(total.copy_to_host()[0]) / paths * math.exp(-rate * years)
    ahead = (math.log(spot / strike) + drift + spread**2) / spread

    def normal(x):
        return 0.5 * math.erfc(-x / math.sqrt(2))

    exact = spot * normal(ahead) - strike * math.exp(-rate * years) * normal(ahead - spread)
    return simulated, exact


# --8<-- [end:host]

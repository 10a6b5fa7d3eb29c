"""55 Numba kernels of public courses and libraries, with launches and NumPy references of ours.

Chosen for what they use before any of them was tried: a course's first steps and its shared-memory
puzzles, reductions, tiles, dynamic shared memory, atomics, random numbers, warp operations, grids
that wait for themselves, complex fields, device functions that call one another, signatures,
generalized functions. A kernel that really has a fault is listed with it (``faults``): then the
stepper is right if it finds that, and nothing else.
"""

import math
from dataclasses import dataclass, field

import numpy as np

from simulator.foreign.cases import Case, Launch

F, D, N, L, C = np.float32, np.float64, np.int32, np.int64, np.complex128


@dataclass
class NumbaCase(Case):
    """A Numba kernel in a public repository."""

    also: tuple[str, ...] = ()  # files of its repository that hold what it calls
    given: dict = field(default_factory=dict)  # names that it has from elsewhere
    inside: tuple | None = None  # ``kernel`` is a function that makes it, with these arguments
    nth: int = -1  # which one, where a notebook defines the name more than once
    faults: dict[str, str] = field(default_factory=dict)  # kind of finding -> why it is one
    stops: dict[str, str] = field(default_factory=dict)  # the same, of one that ends the launch


def random(seed=0):
    return np.random.default_rng(seed)


def floats(*shape, seed=0, dtype=F):
    return random(seed).standard_normal(shape).astype(dtype)


def complexes(*shape, seed=0):
    r = random(seed)
    return r.standard_normal(shape) + 1j * r.standard_normal(shape)


# ------------------------------------------------------------------ GPU puzzles, solved

PUZZLES = ("rm-wu/GPU-Puzzles", "01edfcc7e106bdd4a2386d4d16560c3686d7aca8")
CUDA = object()  # stands for the module numba.cuda, which a puzzle is handed


def puzzle(number, kernel, launch, **more):
    return NumbaCase(*PUZZLES, f"solutions/puzzle_{number:02}.py", kernel, launch,
                     inside=(CUDA,), **more)  # fmt: skip


def squares():
    a = np.arange(25).reshape(5, 5)
    return Launch((2, 2), (3, 3), [np.zeros((5, 5)), a, 5], {0: a + 10.0})


def shared():
    a = np.arange(8)
    return Launch(2, 4, [np.zeros(8), a, 8], {0: a + 10.0})


def pooled():
    a = np.arange(8)
    wanted = np.array([a[max(i - 2, 0) : i + 1].sum() for i in range(8)], D)
    return Launch(1, 8, [np.zeros(8), a, 8], {0: wanted})


def puzzle_dot():
    a, b = np.arange(8), random().integers(0, 9, 8)
    return Launch(1, 8, [np.zeros(1), a, b, 8], {0: np.array([a @ b], D)})


def puzzle_convolution():
    a, b = np.arange(15), np.arange(4)
    wanted = np.convolve(a, b[::-1])[3:] + 0.0
    return Launch(2, 8, [np.zeros(15), a, b, 15, 4], {0: wanted})


def puzzle_sum():
    a = np.arange(24)
    return Launch(3, 8, [np.zeros(3), a, 24], {0: a.reshape(3, 8).sum(1) + 0.0})


def axis_sum():
    a = np.arange(24).reshape(4, 6)
    return Launch((1, 4), 8, [np.zeros((4, 1)), a, 6], {0: a.sum(1, keepdims=True) + 0.0})


def puzzle_product():
    a = np.arange(64).reshape(8, 8)
    return Launch((3, 3), (3, 3), [np.zeros((8, 8)), a, a.T.copy(), 8], {0: a @ a.T + 0.0})


RETURNS = {
    "divergent-barrier": "threads return from the loop, and others come to its barrier once more"
}
OVERTAKES = {
    "missing-syncwarp": "nothing keeps a thread from loading the next tile while others still read",
    "uninitialized": "threads beyond the matrix multiply what nobody loaded",
}
PUZZLE_CASES = [
    puzzle(7, "map_block2D_test", squares),
    puzzle(8, "shared_test", shared),
    puzzle(9, "pool_test", pooled),
    puzzle(10, "dot_test", puzzle_dot),
    puzzle(11, "conv_test", puzzle_convolution),
    puzzle(12, "sum_test", puzzle_sum, faults=RETURNS),
    puzzle(13, "axis_sum_test", axis_sum, faults=RETURNS),
    puzzle(14, "mm_oneblock_test", puzzle_product, faults=OVERTAKES),
]

# ------------------------------------------------------------------ soft dynamic time warping

WARPING = ("Maghoumi/pytorch-softdtw-cuda", "fbedc3b655bb7a60c0b111621ddef910e9b6e5ef")


def soft_table(distances, gamma):
    batch, n, m = distances.shape
    table = np.full((batch, n + 2, m + 2), np.inf)
    table[:, 0, 0] = 0
    for i in range(1, n + 1):
        for j in range(1, m + 1):
            before = np.stack([table[:, i - 1, j - 1], table[:, i - 1, j], table[:, i, j - 1]])
            low = before.min(0)
            soft = low - gamma * np.log(np.exp(-(before - low) / gamma).sum(0))
            table[:, i, j] = distances[:, i - 1, j - 1] + soft
    return table


def warping_forward():
    gamma, distances = 0.5, floats(2, 9, 7, dtype=D) ** 2
    table = np.full((2, 11, 9), np.inf)
    table[:, 0, 0] = 0
    return Launch(2, 9, [distances, gamma, 0.0, 9, 7, 17, table],
                  {6: soft_table(distances, gamma)}, 1e-9, read=finite)  # fmt: skip


def warping_backward():
    gamma, n = 0.5, 8
    distances = floats(2, n, n, dtype=D) ** 2
    table = soft_table(distances, gamma)
    wide = np.zeros((2, n + 2, n + 2))
    wide[:, 1 : n + 1, 1 : n + 1] = distances
    table[:, :, -1] = table[:, -1, :] = -np.inf
    table[:, -1, -1] = table[:, -2, -2]
    made = np.zeros((2, n + 2, n + 2))
    made[:, -1, -1] = 1
    # The gradient by differences: E[i, j] is how the end of the table depends on a distance.
    wanted, step = made.copy(), 1e-6
    for i in range(n):
        for j in range(n):
            ends = []
            for sign in (1, -1):
                moved = distances.copy()
                moved[:, i, j] += sign * step
                ends.append(soft_table(moved, gamma)[:, n, n])
            wanted[:, i + 1, j + 1] = (ends[0] - ends[1]) / (2 * step)
    return Launch(2, n, [wide, table, 1 / gamma, 0.0, n, n, 2 * n - 1, made], {7: wanted}, 1e-6)


def finite(a):
    """Infinities as a number that no result comes near, so that they can be compared."""
    return np.where(np.isposinf(a), 1e6, a)


# ------------------------------------------------------------------ boxes that overlap

SECOND = ("traveller59/second.pytorch", "1b2b58bec1c535a06d7785043664c0fc2ee375f9")
SECOND_FILE = "second/core/non_max_suppression/nms_gpu.py"
BOXES = ("liltommy142/cuda-nms-numba", "114df94ff8a6a3f17eef96c51c35584b52407473")


def boxes_of(count, seed=0):
    corner = random(seed).uniform(0, 60, (count, 2))
    size = random(seed + 1).uniform(8, 40, (count, 2))
    return np.concatenate([corner, corner + size], 1).astype(F)


def overlaps(a, b, one=0.0):
    """Intersection over union of all pairs; ``one`` is 1 where the last pixel belongs to a box."""
    a, b = a.astype(D), b.astype(D)
    low = np.maximum(a[:, None, :2], b[None, :, :2])
    high = np.minimum(a[:, None, 2:4], b[None, :, 2:4])
    inner = np.clip(high - low + one, 0, None).prod(-1)
    areas = [(x[:, 2:4] - x[:, :2] + one).prod(-1) for x in (a, b)]
    return inner / (areas[0][:, None] + areas[1][None] - inner)


def bits_of(over):
    """64 later boxes in a word: which of them each box suppresses."""
    n = len(over)
    later = over & (np.arange(n)[None] > np.arange(n)[:, None])
    words = np.zeros((n, -(-n // 64)), np.uint64)
    for j in range(n):
        words[:, j // 64] |= later[:, j].astype(np.uint64) << np.uint64(j % 64)
    return words


def suppression(flat):
    boxes, limit = np.concatenate([boxes_of(70), np.ones((70, 1), F)], 1), F(0.35)
    masks = np.zeros(70 * 2, np.uint64)
    # Blocks of earlier columns are not looked at by who reads the masks; they hold all the same
    # what the kernel finds there.
    over = overlaps(boxes, boxes, 1.0) > limit
    wanted = bits_of(over)
    wanted[64:, 0] = np.array([sum(1 << j for j in range(64) if over[i, j]) for i in range(64, 70)],
                              np.uint64)  # fmt: skip
    given = boxes.ravel().copy() if flat else boxes
    return Launch((2, 2), 64, [70, limit, given, masks], {3: wanted.ravel()})


def corners(box):
    x, y, width, height, angle = (float(v) for v in box[:5])
    at = np.array([[-width, -height], [-width, height], [width, height], [width, -height]]) / 2
    c, s = math.cos(angle), math.sin(angle)
    return at @ np.array([[c, -s], [s, c]]) + [x, y]


def polygon_area(points):
    if len(points) < 3:
        return 0.0
    x, y = np.array(points).T
    return 0.5 * abs(x @ np.roll(y, -1) - y @ np.roll(x, -1))


def clipped(polygon, window):
    """The part of one convex polygon inside another (Sutherland and Hodgman, 1974)."""
    turn = np.roll(window, -1, 0) - window
    if (turn[0][0] * turn[1][1] - turn[0][1] * turn[1][0]) < 0:
        window = window[::-1]
    points = list(polygon)
    for a, b in zip(window, np.roll(window, -1, 0), strict=True):
        inside = [(b[0] - a[0]) * (p[1] - a[1]) - (b[1] - a[1]) * (p[0] - a[0]) for p in points]
        kept = []
        for k, p in enumerate(points):
            q, here, there = points[k - 1], inside[k], inside[k - 1]
            if (here >= 0) != (there >= 0):
                kept.append(q + (p - q) * there / (there - here))
            if here >= 0:
                kept.append(p)
        points = kept
    return points


def turned_boxes(count, seed=0):
    r = random(seed)
    return np.column_stack([r.uniform(0, 20, (count, 2)), r.uniform(3, 12, (count, 2)),
                            r.uniform(-3, 3, count)]).astype(F)  # fmt: skip


def turned_overlap():
    a, b = turned_boxes(9), turned_boxes(7, 3)
    wanted = np.zeros((9, 7), F)
    for i, p in enumerate(a):
        for j, q in enumerate(b):
            inner = polygon_area(clipped(corners(p), corners(q)))
            wanted[i, j] = inner / (float(p[2] * p[3]) + float(q[2] * q[3]) - inner)
    return Launch(1, 64, [9, 7, a.ravel().copy(), b.ravel().copy(), np.zeros(63, F)],
                  {4: wanted.ravel()}, 2e-4)  # fmt: skip


def box_matrix():
    boxes = boxes_of(37)
    return Launch((3, 3), (16, 16), [boxes, np.zeros((37, 37), F)], {1: overlaps(boxes, boxes)},
                  1e-5)  # fmt: skip


def box_columns():
    boxes = boxes_of(37)
    columns = [c.copy() for c in boxes.T]
    return Launch((3, 3), (16, 16), [*columns, np.zeros((37, 37), F)],
                  {4: overlaps(boxes, boxes)}, 1e-5)  # fmt: skip


def box_bits():
    boxes, limit = boxes_of(70), F(0.35)
    wanted = bits_of(overlaps(boxes, boxes) > limit).T.copy()
    arguments = [*(c.copy() for c in boxes.T), np.zeros((2, 70), np.uint64), 70, limit]
    return Launch((2, 2), 64, arguments, {4: wanted})


def box_worst():
    boxes = boxes_of(40)
    over = np.where(np.tri(40, k=-1, dtype=bool), overlaps(boxes, boxes), 0)
    return Launch(40, 256, [*(c.copy() for c in boxes.T), np.zeros(40, F), 40],
                  {4: over.max(1).astype(F)}, 1e-5)  # fmt: skip


def box_decay():
    boxes, sigma = boxes_of(40), 0.5
    over = np.where(np.tri(40, k=-1, dtype=bool), overlaps(boxes, boxes), 0)
    worst = over.max(1)
    scores = np.sort(random(5).uniform(0.1, 1, 40).astype(F))[::-1].copy()
    decay = np.exp((worst[None] ** 2 - over**2) / sigma)
    decay = np.where((over > 0) & (over > worst[None]), decay, 1.0).min(1)
    return Launch(40, 256, [*(c.copy() for c in boxes.T), scores, worst.astype(F), 40, 1, F(sigma)],
                  {4: (scores * decay).astype(F)}, 1e-5)  # fmt: skip


# ------------------------------------------------------------------ courses

TUTORIAL = ("vargalg/CUDA-Python-tutorial", "2a1a98a2805960e6bd9cc6203ccfca23b710d63d")
HUB = ("NVIDIA/accelerated-computing-hub", "a776efdfc2fba159a0aecced3e7c0dfafaf81b8b")
MODE = ("gpu-mode/lectures", "7cb40f67ad68f59a7c13e9a8c4d8a816a3c68e7a")
ENCCS = ("ENCCS/gpu-programming", "87fab1cb29329f6fcf5bf592b96b22ca1c61cec6")
GTC = ("ContinuumIO/gtc2018-numba", "99e73d72b5c05e0d469b1e08574ea97d8ceb0800")
NUMBAPRO = ("ContinuumIO/numbapro-examples", "43d09b24775af8707bd620803166f8ff133a86a1")
EXAMPLES = ("numba/numba-examples", "c423f5419a459f5ab8874fda6d39bb5ea05d04b2")
RELEASE_53 = "notebooks/Numba_053_CUDA_Release_Demo.ipynb"
RELEASE_54 = "notebooks/Numba_054_CUDA_Release_Demo.ipynb"


def sines():
    x, y = np.meshgrid(np.arange(20), np.arange(18))
    wanted = np.sin(2 * np.pi * 5.0 * x / 20) * np.sin(2 * np.pi * 5.0 * y / 18)
    return Launch((2, 2), (16, 16), [np.zeros((18, 20), F), 5.0], {0: wanted.astype(F)}, 1e-6)


def julia():
    width, height, c, most = 24, 18, (-0.7, 0.27015), 40
    wanted = np.zeros((height, width), N)
    for y in range(height):
        for x in range(width):
            z = complex(1.5 * (x - width / 2) / (0.5 * width), (y - height / 2) / (0.5 * height))
            count = 0
            while z.real * z.real + z.imag * z.imag < 4 and count < most:
                z = complex(z.real * z.real - z.imag * z.imag + c[0], 2.0 * z.real * z.imag + c[1])
                count += 1
            wanted[y, x] = count
    arguments = [np.zeros((height, width), N), width, height, 1.0, 0.0, 0.0, *c, most]
    return Launch((2, 2), (16, 16), arguments, {0: wanted})


def dots(partial, threads=256):
    a, b, blocks_ = floats(3000), floats(3000, seed=1), 2
    product, span = a.astype(D) * b, blocks_ * threads
    by_thread = np.zeros(span)
    np.add.at(by_thread, np.arange(3000) % span, product)
    wanted = by_thread.reshape(blocks_, threads).sum(1) if partial == "block" else by_thread
    wanted = np.array([product.sum()]) if partial == "all" else wanted
    return Launch(blocks_, threads, [a, b, np.zeros(wanted.size, F)], {2: wanted.astype(F)}, 1e-5)


def dot_that_races():
    a, b = floats(64), floats(64, seed=1)
    return Launch(2, 32, [a, b, np.zeros(1, F)], {})


def copied():
    a = random().integers(0, 99, 512)
    return Launch(4, 32, [a, np.zeros_like(a), 4], {1: a})


def book():
    text = random().integers(0, 128, 1024, dtype=np.uint8)
    return Launch(4, 32, [text, np.zeros(256, N)], {1: np.bincount(text, minlength=256).astype(N)})


def gray():
    image = random().random((20, 13, 4)).astype(F)
    wanted = image.copy()
    wanted[..., :3] = image[..., :3].mean(-1, keepdims=True)
    return Launch((2, 1), (16, 16), [image, np.zeros_like(image)], {1: wanted}, 1e-6)


def products(shape):
    m, k, n = shape
    a, b, c = floats(m, k, dtype=D), floats(k, n, seed=1, dtype=D), floats(m, n, seed=2, dtype=D)
    grid = (-(-m // 16), -(-n // 16))
    return Launch(grid, (16, 16), [0.9, a, b, 1.1, c], {4: 0.9 * (a @ b) + 1.1 * c}, 1e-12)


def dynamic_product():
    a, b = floats(9, 10), floats(10, 13, seed=1)
    return Launch((2, 2), (8, 8), [a, b, np.zeros((9, 13), F), 8], {2: a @ b}, 1e-5,
                  {"shared": 2 * 8 * 8 * 4})  # fmt: skip


def attention():
    q, k, v = (floats(32, 8, seed=s) for s in range(3))
    scores = q.astype(D) @ k.T * 0.5
    top = scores.max(1, keepdims=True)
    weights = np.exp(scores - top)
    total = weights.sum(1, keepdims=True)
    sums = (top + np.log(total)).ravel().astype(F)
    arguments = [q, k, v, 0.5, np.zeros(32, F), np.zeros((32, 8), F), 32, 32]
    return Launch(4, (8, 8), arguments,
                  {4: sums, 5: (weights @ v / total).astype(F)}, 1e-5)  # fmt: skip


def heat():
    before, a, dt, dx2, dy2 = floats(12, 11, dtype=D), 0.5, 0.1, 0.01, 0.04
    wanted, p = before.copy(), before
    wanted[1:-1, 1:-1] += (
        a
        * dt
        * (
            (p[2:, 1:-1] - 2 * p[1:-1, 1:-1] + p[:-2, 1:-1]) / dx2
            + (p[1:-1, 2:] - 2 * p[1:-1, 1:-1] + p[1:-1, :-2]) / dy2
        )
    )
    return Launch((1, 1), (16, 16), [before.copy(), before, a, dt, dx2, dy2], {0: wanted}, 1e-12)


def matrices():
    a, b = floats(3, 5, dtype=D), floats(5, 4, seed=1, dtype=D)
    return Launch(None, None, [a, b, np.zeros((3, 4))], {2: a @ b}, 1e-12)


def norms():
    a = floats(7, 5)
    wanted = np.sqrt((a.astype(D) ** 2).sum(1)).astype(F)
    return Launch(None, None, [a, np.zeros(7, F)], {1: wanted}, 1e-6)


def many_matrices():
    a, b = floats(4, 3, 5), floats(4, 5, 2, seed=1)
    return Launch(None, None, [a, b, np.zeros((4, 3, 2), F)], {2: a @ b}, 1e-5)


def tiles():
    a = random().integers(0, 999, (64, 96)).astype(N)
    return Launch((3, 2), (32, 8), [a, np.zeros((96, 64), N)], {1: a.T.copy()})


def splitmix(seed, count):
    """States of xoroshiro128+, each a jump of 2**64 further (Blackman and Vigna)."""
    word = (1 << 64) - 1
    # Numba fills both halves with one step of splitmix.
    x = (seed + 0x9E3779B97F4A7C15) & word
    x = ((x ^ x >> 30) * 0xBF58476D1CE4E5B9) & word
    x = ((x ^ x >> 27) * 0x94D049BB133111EB) & word
    states = [(x ^ x >> 31,) * 2]
    for _ in range(count - 1):
        low, high = 0, 0
        s = list(states[-1])
        for jump in (0xBEAC0467EBA5FACB, 0xD86B048B86AA9922):
            for bit in range(64):
                if jump >> bit & 1:
                    low, high = low ^ s[0], high ^ s[1]
                step_of(s)
        states.append((low, high))
    return states


def step_of(s):
    """One step of xoroshiro128+; returns its 64 bits."""
    word = (1 << 64) - 1
    turn = lambda x, k: (x << k | x >> 64 - k) & word  # noqa: E731
    result = (s[0] + s[1]) & word
    other = s[0] ^ s[1]
    s[0] = (turn(s[0], 55) ^ other ^ other << 14) & word
    s[1] = turn(other, 36)
    return result


STATES = np.dtype([("s0", np.uint64), ("s1", np.uint64)], align=True)


def pi_by_chance():
    threads, rounds = 64, 20
    states = splitmix(1, threads)
    wanted = np.zeros(threads, F)
    for t in range(threads):
        s, inside = list(states[t]), 0
        for _ in range(rounds):
            x, y = (F((step_of(s) >> 11) * (1.0 / (1 << 53))) for _ in range(2))
            inside += F(x * x) + F(y * y) <= F(1)
        wanted[t] = 4.0 * inside / rounds
    return Launch(2, 32, [np.array(states, STATES), rounds, np.zeros(threads, F)], {2: wanted})


def laplace():
    a = floats(64, 96, dtype=D)
    a_new, error = a.copy(), np.zeros_like(a)
    mean = 0.25 * (a[1:-1, 2:] + a[1:-1, :-2] + a[:-2, 1:-1] + a[2:, 1:-1])
    wanted, differs = a.copy(), error.copy()
    wanted[1:-1, 1:-1] = mean
    differs[1:-1, 1:-1] = mean - a[1:-1, 1:-1]
    return Launch((3, 2), (32, 32), [a, a_new, error], {1: wanted, 2: differs}, 1e-12)


def largest():
    a = random().permutation(20).astype(N)
    return Launch(4, 5, [a, np.zeros(4, N)], {1: a.reshape(4, 5).max(1)})


def big_product():
    a, b = floats(64, 64), floats(64, 64, seed=1)
    return Launch((2, 2), (32, 32), [a, b, np.zeros((64, 64), F)], {2: a @ b}, 1e-5)


def histogram_of():
    x = random().normal(size=500).astype(F)
    low, high = F(-2), F(2)
    wanted = np.histogram(x[(x >= low) & (x <= high)], 10, (-2, 2))[0].astype(N)
    # What lies outside has no bin: the device function returns None there.
    x = x[(x >= low) & (x <= high)]
    return Launch(4, 32, [x, low, high, np.zeros(10, N)], {3: wanted})


def extremes():
    x = random().normal(size=500).astype(F)
    start = np.array([np.finfo(F).max, np.finfo(F).min], F)
    return Launch(4, 32, [x, start], {1: np.array([x.min(), x.max()], F)})


def options():
    r = random()
    price, strike, years = (r.uniform(a, b, 100) for a, b in ((5, 30), (1, 100), (0.25, 10)))
    rate, risk = 0.02, 0.3
    root = risk * np.sqrt(years)
    d1 = (np.log(price / strike) + (rate + 0.5 * risk**2) * years) / root
    below = lambda d: 0.5 * np.array([math.erfc(-v / math.sqrt(2)) for v in d])  # noqa: E731
    late = strike * np.exp(-rate * years)
    call = price * below(d1) - late * below(d1 - root)
    put = late * (1 - below(d1 - root)) - price * (1 - below(d1))
    return Launch(4, 32, [np.zeros(100), np.zeros(100), price, strike, years, rate, risk],
                  {0: call, 1: put}, 1e-6)  # fmt: skip


def rows_in_turn():
    count = 64
    wanted = np.repeat(np.arange(count, dtype=N)[:, None], count, 1)
    return Launch(2, 32, [np.zeros((count, count), N)], {0: wanted})


def kept():
    x = random().normal(size=300)
    x[random(1).random(300) < 0.4] = 0
    found = np.zeros(300)
    wanted = np.zeros(300)
    positive = np.sort(x[x > 0])
    wanted[: positive.size] = positive
    return Launch(3, 128, [found, np.zeros(1, np.uint32), x],
                  {0: wanted, 1: np.array([positive.size], np.uint32)}, read=in_order)  # fmt: skip


def in_order(a):
    """What is not zero, in order, then zeros: threads come in any order."""
    a = np.asarray(a)
    return np.concatenate([np.sort(a[a != 0]), a[a == 0]])


def magnitudes():
    x, y = random().random(32), random(1).random(32)
    return Launch(1, 32, [np.zeros(32), (x, y)], {0: np.hypot(x, y)}, 1e-12)


def nested():
    return Launch(1, 1, [np.ones(6, L), ((6, 5, 4), 7)], {0: np.array([2, 3, 6, 5, 4, 7])})


# ------------------------------------------------------------------ a plasma code

FBPIC = ("fbpic/fbpic", "3e9f181e6cbfdd7830060bbe541a046d80ff3c45")
LIGHT, CHARGE = 299792458.0, 1.602176634e-19
EPS, MU = 8.8541878128e-12, 1.25663706212e-06
CONSTANTS = {"c": LIGHT, "e": CHARGE, "epsilon_0": EPS, "mu_0": MU, "c2": LIGHT**2,
             "cuda_installed": True}  # fmt: skip


def fbpic(path, kernel, launch, *also):
    return NumbaCase(*FBPIC, f"fbpic/{path}", kernel, launch,
                     also=tuple(f"fbpic/{a}" for a in also), given=CONSTANTS)  # fmt: skip


def vay(u, inverse, e, b, q, m, dt):
    """The pusher of Vay (2008) for arrays of vectors, in its own form with cross products."""
    tau = 0.5 * q * dt / m * b
    prime = u + q * dt / (m * LIGHT) * e + inverse * np.cross(u.T, tau.T).T
    tau2, along = (tau**2).sum(0), (prime * tau).sum(0)
    sigma = 1 + (prime**2).sum(0) - tau2
    gamma = np.sqrt((sigma + np.sqrt(sigma**2 + 4 * (tau2 + along**2))) / 2)
    t = tau / gamma
    u = prime + (prime * t).sum(0) * t + np.cross(prime.T, t.T).T
    return u / (1 + (t**2).sum(0)), 1 / gamma


def push_p():
    u, e, b = (floats(3, 40, seed=s, dtype=D) for s in range(3))
    e, b, m, dt = e * 1e9, b * 10, 9.1093837e-31, 1e-12
    inverse = 1 / np.sqrt(1 + (u**2).sum(0))
    wanted, gamma = vay(u, inverse, e, b, -CHARGE, m, dt)
    arguments = [*u.copy(), inverse, *e, *b, -CHARGE, m, 40, dt]
    return Launch(2, 32, arguments, {0: wanted[0], 1: wanted[1], 2: wanted[2], 3: gamma}, 1e-9)


def cells():
    x, y, z = floats(3, 50, dtype=D)
    at_z, at_r = np.ceil(4 * (z + 2) - 0.5).astype(int), np.ceil(5 * np.hypot(x, y) - 0.5)
    at_z = np.where(at_z < 0, at_z + 16, np.where(at_z > 15, at_z - 16, at_z))
    wanted = np.minimum(at_r, 8).astype(int) + at_z * 9
    arguments = [np.zeros(50, N), np.zeros(50, N), x, y, z, 4.0, -2.0, 16, 5.0, 0.0, 8]
    return Launch(2, 32, arguments, {0: wanted.astype(N), 1: np.arange(50, dtype=N)})


def prefix():
    cell = np.sort(random().integers(0, 30, 50)).astype(N)
    sums, wanted = np.full(30, -1, N), np.full(30, -1, N)
    for k in range(cell[0], cell[-1]):
        wanted[k] = (cell <= k).sum()
    return Launch(2, 32, [cell, sums], {1: wanted})


def currents():
    shape = (9, 7)
    before, after, plus, minus, along = (complexes(*shape, seed=s) for s in range(5))
    kz, kr, inv = floats(3, *shape, seed=7, dtype=D)
    f = -inv * ((after - before) * 2.5 + 1j * kz * along + kr * (plus - minus))
    wanted = {2: plus + 0.5 * kr * f, 3: minus - 0.5 * kr * f, 4: along - 1j * kz * f}
    return Launch((1, 1), (16, 8), [before, after, plus, minus, along, kz, kr, inv, 2.5, *shape],
                  wanted, 1e-12)  # fmt: skip


def fields():
    shape, dt = (9, 7), 1e-3
    ep, em, ez, bp, bm, bz, jp, jm, jz, old, new = (complexes(*shape, seed=s) for s in range(11))
    bp, bm, bz = bp / LIGHT, bm / LIGHT, bz / LIGHT
    old_of, new_of, j_of, cos, sin, kr, kz = floats(7, *shape, seed=20, dtype=D)
    sin = sin / LIGHT
    rho = new_of * new - old_of * old
    c2 = LIGHT**2
    wanted = {
        0: cos * ep + 0.5 * kr * rho + c2 * sin * (-0.5j * kr * bz + kz * bp - MU * jp),
        1: cos * em - 0.5 * kr * rho + c2 * sin * (-0.5j * kr * bz - kz * bm - MU * jm),
        2: cos * ez - 1j * kz * rho + c2 * sin * (1j * kr * (bp + bm) - MU * jz),
        3: cos * bp - sin * (-0.5j * kr * ez + kz * ep) + j_of * (-0.5j * kr * jz + kz * jp),
        4: cos * bm - sin * (-0.5j * kr * ez - kz * em) + j_of * (-0.5j * kr * jz - kz * jm),
        5: cos * bz - sin * 1j * kr * (ep + em) + j_of * 1j * kr * (jp + jm),
    }
    pushed = [ep, em, ez, bp, bm, bz]
    arguments = [*pushed, jp, jm, jz, old, new, old_of, new_of, j_of, cos, sin, kr, kz, dt, True]
    return Launch((1, 1), (16, 8), [*arguments, *shape], wanted, 1e-12)


def gathered():
    nz, nr, m = 8, 6, 1
    x, y, z = floats(3, 40, dtype=D)
    z = z % 2.0
    grids = [complexes(nz, nr, seed=s) for s in range(6)]
    start = [floats(40, seed=30 + s, dtype=D) for s in range(6)]
    wanted = [s.copy() for s in start]
    r, phase = np.hypot(x, y), (x - 1j * y) / np.hypot(x, y)
    for p in range(40):
        if r[p] >= 1.5:
            continue
        rc, zc = 4 * r[p] - 0.5, 4 * z[p] - 0.5
        r0, z0 = math.floor(rc), math.floor(zc)
        for kind in (0, 3):
            total = np.zeros(3, C)
            for dz in (0, 1):
                for dr in (0, 1):
                    weight = (1 - abs(zc - z0 - dz)) * (1 - abs(rc - r0 - dr))
                    ring, sign = r0 + dr, np.ones(3)
                    if ring < 0:
                        # Below the axis lies the ring of the other side, turned by half a circle.
                        ring, sign = 0, np.array([-1, -1, 1]) * (-1.0) ** m
                    ring = min(ring, nr - 1)
                    total += (
                        weight * sign * [g[(z0 + dz) % nz, ring] for g in grids[kind : kind + 3]]
                    )
            fr, ft, fz = 2 * (total * phase[p]).real
            c, s = x[p] / r[p], y[p] / r[p]
            wanted[kind][p] += c * fr - s * ft
            wanted[kind + 1][p] += s * fr + c * ft
            wanted[kind + 2][p] += fz
    arguments = [x, y, z, 1.5, 4.0, 0.0, nz, 4.0, 0.0, nr, *grids, m, *start]
    return Launch(2, 32, arguments, {17 + k: w for k, w in enumerate(wanted)}, 1e-11)


def deposited():
    nz, nr, m = 8, 6, 1
    x, y, z = floats(3, 40, dtype=D)
    z, w, q = z % 2.0, random(4).random(40), -1.5
    ruyten = random(5).random(nr + 1) * 0.1
    wanted = np.zeros((nz, nr), C)
    r = np.hypot(x, y)
    for p in range(40):
        rc, zc = 4 * r[p] - 0.5, 4 * z[p] - 0.5
        ir, iz = min(math.ceil(rc), nr), math.ceil(zc)
        u, s = rc - (math.ceil(rc) - 1), math.ceil(zc) - zc
        inner = (1 - u) + ruyten[ir] * (1 - u) * u
        weights = [inner, 1 - inner]
        if math.ceil(rc) - 1 < 0:
            weights[0] *= (-1) ** m
        rings = [ir - 1 if ir > 0 else -ir, min(ir, nr - 1)]
        for ring, of_ring in zip(rings, weights, strict=True):
            for at, of_z in (((iz - 1) % nz, s), (iz % nz, 1 - s)):
                wanted[at, ring] += of_ring * of_z * q * w[p] * (x[p] + 1j * y[p]) / r[p]
    arguments = [x, y, z, w, q, 4.0, 0.0, nz, 4.0, 0.0, nr, np.zeros((nz, nr), C), m, ruyten]
    return Launch(2, 32, arguments, {11: wanted}, 1e-12)


def shifted():
    field_, turn = complexes(6, 5), np.exp(1j * random().random(6))
    return Launch((1, 1), (8, 8), [field_, turn, -3], {0: field_ * turn[:, None] ** -3}, 1e-12)


# ------------------------------------------------------------------ more libraries

SPATIAL = ("rapidsai/cuspatial", "2ea9d2b8d426064d1fe0a6f90bb869e27c8db8be")
DRIVE = ("salesforce/warp-drive", "bac017ebb481714bee8f6b0ec75a67d3a2e034d3")


def bits():
    values, width = random().integers(0, 2**10, 40), 12
    wanted = (values[:, None] >> np.arange(width - 1, -1, -1) & 1).astype(np.int8)
    return Launch(2, 32, [values, np.zeros((40, width), np.int8), width], {1: wanted})


def pole():
    state = (random().uniform(-0.05, 0.05, (6, 1, 4))).astype(F)
    action = random(1).integers(0, 2, (6, 1, 1)).astype(N)
    x, v, angle, spin = state[:, 0].astype(D).T
    force = np.where(action[:, 0, 0] > 0, 10.0, -10.0)
    temp = (force + 0.05 * spin**2 * np.sin(angle)) / 1.1
    turning = (9.8 * np.sin(angle) - np.cos(angle) * temp) / (
        0.5 * (4 / 3 - 0.1 * np.cos(angle) ** 2 / 1.1)
    )
    faster = temp - 0.05 * turning * np.cos(angle) / 1.1
    after = np.stack(
        [x + 0.02 * v, v + 0.02 * faster, angle + 0.02 * spin, spin + 0.02 * turning], 1
    )
    after = after.astype(F)[:, None]
    arguments = [state, action, np.zeros(6, N), np.zeros((6, 1), F), np.zeros_like(state), 9.8, 0.1,
                 1.1, 0.5, 0.05, 10.0, 0.02, 0.2095, 2.4, np.zeros(6, N), 500]  # fmt: skip
    return Launch(6, 1, arguments, {0: after, 3: np.ones((6, 1), F), 4: after,
                                    14: np.ones(6, N)}, 1e-5)  # fmt: skip


def chosen():
    envs, agents, count = 3, 4, 5
    share = random().random((envs, agents, count)).astype(F)
    share /= share.sum(-1, keepdims=True)
    states = splitmix(7, envs * agents)
    sums, taken = np.zeros_like(share), np.zeros((envs, agents, 1), N)
    for k, s in enumerate(states):
        p = F((step_of(list(s)) >> 11) * (1.0 / (1 << 53)))
        e, a = divmod(k, agents)
        total = F(0)
        for i in range(count):
            total = share[e, a, i] if i == 0 else F(share[e, a, i] + total)
            sums[e, a, i] = total
        taken[e, a, 0] = min(np.searchsorted(sums[e, a], p), count - 1)
    arguments = [np.array(states, STATES), share, np.zeros((envs, agents, 1), N),
                 np.zeros_like(share), count, 0]  # fmt: skip
    return Launch(envs, agents, arguments, {2: taken, 3: sums})


GUARDED = "a barrier that only thread 0 reaches: the others never wait for it"
CASES = [
    *PUZZLE_CASES,
    NumbaCase(*WARPING, "soft_dtw_cuda.py", "compute_softdtw_cuda", warping_forward),
    NumbaCase(*WARPING, "soft_dtw_cuda.py", "compute_softdtw_backward_cuda", warping_backward),
    NumbaCase(*SECOND, SECOND_FILE, "nms_kernel", lambda: suppression(True)),
    NumbaCase(*SECOND, SECOND_FILE, "nms_kernel_v2", lambda: suppression(False)),
    NumbaCase(*SECOND, SECOND_FILE, "rotate_iou_kernel", turned_overlap),
    NumbaCase(*BOXES, "src/gpu_v1.py", "_iou_matrix_kernel", box_matrix),
    NumbaCase(*BOXES, "src/gpu_v2.py", "_nms_bitmask_kernel", box_bits,
              faults={"divergent-barrier": "threads beyond the boxes return before the barrier"}),
    NumbaCase(*BOXES, "src/gpu_v3.py", "_iou_max_kernel", box_worst),
    NumbaCase(*BOXES, "src/gpu_v3.py", "_decay_scores_kernel", box_decay),
    NumbaCase(*TUTORIAL, "02_Block_structure/0202_2dGrid.py", "generate_sine_wave", sines),
    NumbaCase(*TUTORIAL, "02_Block_structure/0203_Julia_set.py", "julia_kernel", julia),
    NumbaCase(*TUTORIAL, "03_Shared_memory/0302_DotProductGPUNaive.py", "dot_kernel",
              dot_that_races,
              faults={"global-race": "all add to one element without an atomic operation"}),
    NumbaCase(*TUTORIAL, "03_Shared_memory/0304_DotProductGPUSharedMem.py", "dot_kernel",
              lambda: dots("block")),
    NumbaCase(*TUTORIAL, "04_Atomics/0401_DotProductGPUSharedAtomics.py", "dot_kernel",
              lambda: dots("all")),
    NumbaCase(*HUB, "tutorials/accelerated-python/notebooks/kernels/solutions/"
              "40__kernel_authoring__copy__SOLUTION.ipynb", "copy_optimized", copied),
    NumbaCase(*HUB, "tutorials/accelerated-python/notebooks/kernels/solutions/"
              "41__kernel_authoring__book_histogram__SOLUTION.ipynb", "histogram_global", book,
              given={"items_per_thread": 8}),
    NumbaCase(*HUB, "tutorials/accelerated-python/notebooks/kernels/solutions/"
              "43__kernel_authoring__black_and_white__SOLUTION.ipynb", "black_white", gray),
    NumbaCase(*HUB, "tutorials/floating-point-emulation/notebooks/02-Matmul-Fundamentals/"
              "02.01-MatmulFundamentals.ipynb", "get_2_2_dgemm_kernel_solution",
              lambda: products((32, 48, 16)), inside=()),
    NumbaCase(*MODE, "lecture_005/matmul_l5.ipynb", "matmul_k_numba", dynamic_product),
    NumbaCase(*MODE, "lecture_012/flash_attention.ipynb", "flash_attention_numba",
              attention, given={"d": 8, "B_r_over_dim_y": 1, "d_over_dim_x": 1}, faults={
                  "shared-race": "nothing keeps a thread from loading the next values of V while "
                  "others still multiply with these"}),
    NumbaCase(*ENCCS, "content/examples/stencil/python-numba/core_cuda.py", "_evolve_kernel", heat),
    NumbaCase(*ENCCS, "content/examples/numba/matmul_numba_gpu.py", "matmul_numba_gpu", matrices),
    NumbaCase(*GTC, "6 - Extra Topics.ipynb", "tile_transpose", tiles),
    NumbaCase(*GTC, "6 - Extra Topics.ipynb", "compute_pi", pi_by_chance),
    NumbaCase(*GTC, "6 - Extra Topics.ipynb", "l2_norm", norms),
    NumbaCase(*NUMBAPRO, "webinars/2014_06_17/intro_to_gpu_python.ipynb", "batch_matrix_mult",
              many_matrices),
    NumbaCase(*NUMBAPRO, "laplace2d/laplace2d-numba-gpu-smem.py", "jocabi_relax_core", laplace,
              stops={"out-of-bounds": "the last column reads the one after it"}),
    NumbaCase(*NUMBAPRO, "cudajit/max.py", "max_kernel", largest,
              stops={"divergent-barrier": GUARDED}),
    NumbaCase(*NUMBAPRO, "cudajit/matmul_smem.py", "cu_square_matrix_mul", big_product,
              given={"n": 64, "bpg": 2}),
    NumbaCase(*EXAMPLES, "examples/density_estimation/histogram/gpu.py", "histogram", histogram_of),
    NumbaCase(*EXAMPLES, "examples/density_estimation/histogram/gpu.py", "min_max", extremes,
              faults={"global-race": "threads read the result before others have updated it"}),
    NumbaCase(*EXAMPLES, "examples/finance/blackscholes/blackscholes_cuda.py",
              "black_scholes_cuda_kernel", options),
    NumbaCase(*EXAMPLES, RELEASE_53, "sequential_rows", rows_in_turn),
    NumbaCase(*EXAMPLES, RELEASE_53, "extract_nested", nested),
    NumbaCase(*EXAMPLES, RELEASE_53, "vector_magnitudes_soa", magnitudes),
    NumbaCase(*EXAMPLES, RELEASE_54, "filter_k", kept),
    fbpic("particles/push/cuda_methods.py", "push_p_gpu", push_p,
          "particles/push/inline_functions.py"),
    fbpic("fields/cuda_methods.py", "cuda_push_eb_standard", fields),
    fbpic("particles/gathering/cuda_methods_one_mode.py", "gather_field_gpu_linear_one_mode",
          gathered, "particles/gathering/inline_functions.py"),
    fbpic("particles/deposition/cuda_methods_unsorted.py", "deposit_rho_gpu_unsorted", deposited,
          "particles/deposition/particle_shapes.py"),
    fbpic("fields/cuda_methods.py", "cuda_correct_currents_curlfree_standard", currents),
    fbpic("boundaries/moving_window.py", "shift_spect_array_gpu", shifted),
    fbpic("particles/utilities/cuda_sorting.py", "get_cell_idx_per_particle", cells),
    fbpic("particles/utilities/cuda_sorting.py", "incl_prefix_sum", prefix),
    NumbaCase(*SPATIAL, "python/cuspatial/cuspatial/utils/join_utils.py", "binarize", bits),
    NumbaCase(*DRIVE, "example_envs/single_agent/classic_control/cartpole/cartpole_step_numba.py",
              "NumbaClassicControlCartPoleEnvStep", pole),
    NumbaCase(*DRIVE, "warp_drive/numba_includes/core/random.py", "sample_actions", chosen),
]  # fmt: skip

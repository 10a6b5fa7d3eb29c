"""Lab: a wind tunnel. The cells of the page docs/labs/wind-tunnel.md that are its own.

Between them the page shows the kernels that they launch, which are sections of other files. So
this file does not run by itself: take the notebook or the script from the page's end.
"""
# The page defines the kernels (F821), and they use what the first cell imports (F401).
# ruff: noqa: E402, F401, F821

# %%
# --8<-- [start:imports]
import cupy as cp
import numpy as np
from numba import cuda

properties = cp.cuda.runtime.getDeviceProperties(0)
print(f"{properties['name'].decode()}, {properties['multiProcessorCount']} multiprocessors")


def view(array):
    """Return Numba's view of a CuPy array: the same memory, and a launch that waits for nothing."""
    return cuda.as_cuda_array(array, sync=False)


def seconds(call, repeats=11):
    """Return the median time of a call by the GPU's own clock."""
    times = []
    for turn in range(-2, repeats):
        start, end = cp.cuda.Event(), cp.cuda.Event()
        start.record()
        call()
        end.record()
        end.synchronize()
        if turn >= 0:
            times.append(cp.cuda.get_elapsed_time(start, end) / 1e3)
    return sorted(times)[repeats // 2]


# --8<-- [end:imports]


# %%
# --8<-- [start:tunnel]
class Tunnel:
    """A wind tunnel with a cylinder in it, or with other walls.

    ``reynolds`` is wind times diameter over viscosity; all lengths are in cells, and the wind is in
    cells a step, well below the speed of sound, which is 0.58.
    """

    def __init__(self, rows, columns, diameter, reynolds, wind=0.1, walls=None):
        self.shape, self.diameter, self.wind = (rows, columns), diameter, wind
        self.x, self.y = columns // 5, rows // 2
        viscosity = wind * diameter / reynolds
        self.omega = np.float32(1 / (3 * viscosity + 0.5))
        if walls is None:
            walls = disk(rows, columns, self.x, self.y, diameter)
        solid = cp.asarray(walls).reshape(-1)
        self.solid, self.solid_fours = view(solid), view(solid.view(cp.uint32))
        # A wind that is not quite even: without that, the flow stays symmetric for long.
        u = np.full(self.shape, wind)
        v = 0.01 * wind * np.sin(2 * np.pi * np.arange(columns) / columns) + 0 * u
        self.populations = cp.asarray(at_wind(u, v)).reshape(-1)
        self.others = cp.empty_like(self.populations)
        self.f, self.out = view(self.populations), view(self.others)

    def step(self, kernel=None):
        """Do a step, with four cells a thread unless another kernel is given."""
        rows, columns = self.shape
        rest = rows, columns, self.omega, np.float32(self.wind), self.out
        if kernel is None:
            blocks = -(-columns // 128), -(-rows // 4)
            fours_kernel[blocks, (32, 4)](self.f, self.solid_fours, *rest)
        else:
            kernel[(-(-columns // 128), rows), (128, 1)](self.f, self.solid, *rest)
        self.f, self.out = self.out, self.f


# --8<-- [end:tunnel]

# %%
# --8<-- [start:speed]
large = Tunnel(2048, 4096, diameter=100, reynolds=100)
cells = 2048 * 4096
copied = seconds(lambda: cp.copyto(large.others, large.populations))
limit = cells / copied / 1e6  # a copy moves the same 72 bytes for each cell
print(f"a copy of the populations: {limit:.0f} million updates a second are the limit")
for name, kernel in (("a cell a thread", lattice_kernel), ("four cells a thread", None)):
    rate = cells / seconds(lambda k=kernel: large.step(k)) / 1e6
    print(f"{name:20} {rate:8.0f} million updates a second, {rate / limit:.0%} of the limit")
del large
# --8<-- [end:speed]

# %%
# --8<-- [start:run]
tunnel = Tunnel(640, 1280, diameter=32, reynolds=100)
rows, columns = tunnel.shape
count, every = 60_000, 20
# Four diameters behind the cylinder: how fast the air moves up and down.
behind = tunnel.y * columns + tunnel.x + 4 * tunnel.diameter
record = cp.zeros(count // every, cp.float32)
beats = view(record)
start, end = cp.cuda.Event(), cp.cuda.Event()
start.record()
for turn in range(count):
    tunnel.step()
    if turn % every == 0:
        probe_kernel[1, 1](tunnel.f, rows * columns, behind, beats, turn // every)
end.record()
end.synchronize()
took = cp.cuda.get_elapsed_time(start, end) / 1e3
print(f"{count} steps of {rows} x {columns} cells in {took:.1f} s:", end=" ")
print(f"{rows * columns * count / took / 1e6:.0f} million updates a second")
# --8<-- [end:run]

# %%
# --8<-- [start:strouhal]
late = record.get()[count // every // 2 :]  # once the vortices come regularly
late = late - late.mean()
up = np.flatnonzero((late[:-1] < 0) & (late[1:] >= 0))  # where it starts to move up
crossing = up - late[up] / (late[up + 1] - late[up])
period = every * np.diff(crossing).mean()
strouhal = tunnel.diameter / (period * tunnel.wind)
expected = 0.1816 - 3.3265 / 100 + 1.6e-4 * 100
shortest, longest = every * np.diff(crossing).min(), every * np.diff(crossing).max()
print(f"{len(crossing) - 1} periods of {period:.0f} steps, {shortest:.0f} to {longest:.0f}")
print(f"Strouhal number {strouhal:.3f}; of a long cylinder in a wide tunnel: {expected:.3f}")
assert abs(strouhal / expected - 1) < 0.1, "the flow is not what physics says"
# --8<-- [end:strouhal]

# %%
# --8<-- [start:draw]
u, v = (cp.empty(rows * columns, cp.float32) for _ in range(2))
velocity_kernel[-(-u.size // 128), 128](tunnel.f, rows, columns, view(u), view(v))
u, v = u.reshape(rows, columns), v.reshape(rows, columns)
spin = cp.gradient(v, axis=1) - cp.gradient(u, axis=0)
wide, high = 8, 16  # cells behind a letter
down, right = slice(rows // 2 - 12 * high, rows // 2 + 12 * high), slice(180, 180 + 110 * wide)
solid = cp.asarray(disk(rows, columns, tunnel.x, tunnel.y, tunnel.diameter)).astype(cp.float32)
spin, walls = (
    a[down, right].reshape(24, high, 110, wide).mean(axis=(1, 3)).get() for a in (spin, solid)
)
levels = np.clip(np.rint(spin / (0.02 * tunnel.wind)), -2, 2).astype(int) + 2
for line, wall in zip(levels, walls, strict=True):
    letters = ["#" if w > 0.4 else "=- +*"[level] for level, w in zip(line, wall, strict=True)]
    print("".join(letters).rstrip())
# --8<-- [end:draw]


# %%
# --8<-- [start:lift]
def coefficients(tunnel, count=10_000, every=10):
    """Return the mean drag and lift of some more steps, as coefficients."""
    rows, columns = tunnel.shape
    force = cp.zeros(2, cp.float32)
    blocks = -(-columns // 32), -(-rows // 8)
    for turn in range(count):
        tunnel.step()
        if turn % every == 0:
            force_kernel[blocks, (32, 8)](tunnel.f, tunnel.solid, rows, columns, view(force))
    return force.get() * every / count / (0.5 * tunnel.wind**2 * tunnel.diameter)


print("the cylinder: drag {:.2f}, lift {:.2f}".format(*coefficients(tunnel)))
rows, columns, chord = 640, 1280, 128
lifts = {}
for degrees in (-10, 0, 10):
    walls = wing(rows, columns, columns // 5, rows // 2, chord, degrees)
    flight = Tunnel(rows, columns, chord, reynolds=1000, walls=walls)
    for _ in range(20_000):
        flight.step()
    drag, lifts[degrees] = coefficients(flight)
    print(f"the wing, tilted by {degrees:3}: drag {drag:.2f}, lift {lifts[degrees]:.2f}")
assert lifts[10] > 0.2 and abs(lifts[0]) < 0.05, "this wing does not fly"
assert abs(lifts[10] + lifts[-10]) < 0.1 * lifts[10], "up and down are not alike"
# --8<-- [end:lift]

# %%
# --8<-- [start:draw_wing]
u, v = (cp.empty(rows * columns, cp.float32) for _ in range(2))
velocity_kernel[-(-u.size // 128), 128](flight.f, rows, columns, view(u), view(v))
u, v = u.reshape(rows, columns), v.reshape(rows, columns)
spin = cp.gradient(v, axis=1) - cp.gradient(u, axis=0)
down, right = slice(rows // 2 - 10 * high, rows // 2 + 10 * high), slice(160, 160 + 90 * wide)
solid = cp.asarray(walls).astype(cp.float32)
spin, walls = (
    a[down, right].reshape(20, high, 90, wide).mean(axis=(1, 3)).get() for a in (spin, solid)
)
levels = np.clip(np.rint(spin / (0.02 * flight.wind)), -2, 2).astype(int) + 2
for line, wall in list(zip(levels, walls, strict=True))[::-1]:  # the last row on top
    letters = ["#" if w > 0.4 else "=- +*"[level] for level, w in zip(line, wall, strict=True)]
    print("".join(letters).rstrip())
# --8<-- [end:draw_wing]

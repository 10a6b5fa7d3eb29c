"""What the page of four GPUs runs: on all GPUs of a machine, from the page's folder."""

import cupy as cp
import numpy as np

from kernels.multi_gpu.peers import on_each, reach
from kernels.multi_gpu.rotated import RotatedRanks

# --8<-- [start:rotated]
gpus = list(range(min(8, cp.cuda.runtime.getDeviceCount())))
if len(gpus) < 2:
    raise RuntimeError("two GPUs at least, each of which reaches the others' memory")
reach(gpus)
group = RotatedRanks(gpus, most=2**20)
for size in (4, 1000, 65_540, 2**20):
    x = on_each(lambda r, n=size: cp.random.default_rng(r).random(n, dtype=cp.float32), gpus)
    exact = sum(array.get().astype(np.float64) for array in x)
    for order in ("two_shot", "rotated"):
        y = on_each(lambda r, n=size: cp.full(n, cp.nan, dtype=cp.float32), gpus)
        group.prepare(order, x, y)()
        group.wait()
        first, *others = (array.get() for array in y)
        assert np.allclose(first, exact, rtol=1e-6), (order, size)
        assert all((first == other).all() for other in others), (order, size)
# --8<-- [end:rotated]

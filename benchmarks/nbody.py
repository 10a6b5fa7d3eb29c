"""All pairs of stars: pulls a second, by Numba and by CUDA C++ with a tile in shared memory."""

from functools import partial

import cupy as cp
import numpy as np

from benchmarks.harness import Case, Reference, rounded
from kernels.nbody.plain import pull_plain_kernel, pull_tile_kernel
from kernels.nbody.registers import cut, pull_launch

PLAIN, REGISTERS = "kernels/nbody/plain.py", "kernels/nbody/registers.py"
SOFT = np.float32(0.01)
TILED = r"""
extern "C" __global__ void pull(const float4* stars, int n, float soft, float4* out) {
  extern __shared__ float4 tile[];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float4 me = stars[min(i, n - 1)];
  float ax = 0, ay = 0, az = 0;
  for (int first = 0; first < n; first += blockDim.x) {
    int k = first + threadIdx.x;
    tile[threadIdx.x] = k < n ? stars[k] : make_float4(0, 0, 0, 0);
    __syncthreads();
    #pragma unroll 32
    for (int j = 0; j < blockDim.x; ++j) {
      float4 star = tile[j];
      float dx = star.x - me.x, dy = star.y - me.y, dz = star.z - me.z;
      float inverse = rsqrtf(dx * dx + dy * dy + dz * dz + soft);
      float strength = star.w * inverse * inverse * inverse;
      ax += strength * dx;
      ay += strength * dy;
      az += strength * dz;
    }
    __syncthreads();
  }
  if (i < n) out[i] = make_float4(ax, ay, az, 0);
}
"""
IDS = {65_536: "nbody", 262_144: "nbody-262144"}


def run(bench):
    for n, id in IDS.items():
        with bench.part(id):
            pulls(bench, id, 2048 if bench.quick else n)
        bench.xp.get_default_memory_pool().free_all_blocks()


def expected(stars):
    """Return the accelerations in float64, some stars at a time."""
    wide = stars.astype(cp.float64)
    right = cp.zeros((len(stars), 4))
    for start in range(0, len(stars), 512):
        d = [wide[None, :, c] - wide[start : start + 512, None, c] for c in range(3)]
        strength = wide[:, 3] / (d[0] ** 2 + d[1] ** 2 + d[2] ** 2 + float(SOFT)) ** 1.5
        for c in range(3):
            right[start : start + 512, c] = (strength * d[c]).sum(axis=1)
    return right


def pulls(bench, id, n):
    stars, output = bench.random((n, 4)), bench.output((n, 4))
    stars[:, 3] = cp.abs(stars[:, 3])
    numba = bench.device.numba
    d_stars, flat, out = numba(stars), numba(stars.reshape(-1)), numba(output.array)
    parts = numba(cp.empty(cut(n)[0] * 4 * n, cp.float32))
    ours = partial(pull_launch, flat, n, SOFT, parts, numba(output.array.reshape(-1)))
    title = f"{n} stars pull on each other, float32"
    cases = [Case(id, f"{title}: four a thread, Numba", REGISTERS, ours, output)]
    if id == "nbody":
        plain, tile = (
            partial(kernel[-(-n // 128), 128], d_stars, SOFT, out)
            for kernel in (pull_plain_kernel, pull_tile_kernel)
        )
        fourth = output.array[:, 3]

        def with_zeros(launch):
            launch()
            fourth.fill(0)  # these kernels write three numbers of each star

        cases += [
            Case("nbody-plain", f"{title}: a star a thread, Numba", PLAIN,
                 partial(with_zeros, plain), output),
            Case("nbody-tile", f"{title}: a tile in shared memory, Numba", PLAIN,
                 partial(with_zeros, tile), output),
        ]  # fmt: skip
    raw = cp.RawKernel(TILED, "pull")

    def library():
        raw((-(-n // 512),), (512,), (stars, np.int32(n), SOFT, output.array), shared_mem=8192)

    rows = bench.compare(
        cases,
        Reference("CUDA C++, a star a thread, tile of 512, rsqrtf", library, output),
        expected(stars),
        size=n,
        dtype="float32",
        unit="TFLOP/s",
        tolerance=1e-4,
        bytes=32 * n,
        flops=20 * n * n,
    )
    for row in rows:
        row["gpulls"] = rounded(n * n / row["us"] / 1e3)

"""Two shots in another order: each rank begins with its own array, and no two ask one GPU at once.

The kernel stands behind snippets/multi_gpu/peers.cu, whose barrier and structs it uses.
"""

import cupy as cp

from kernels.multi_gpu.all_reduce import PEERS, Ranks, struct

# --8<-- [start:kernel]
ROTATED = r"""
// two_shot, except that rank r loads from r first, then from r + 1, and so on around.
extern "C" __global__ void two_shot_rotated(Peers p, Group g, size_t n) {
    unsigned call = g.calls[blockIdx.x];
    size_t part = (n + g.ranks - 1) / g.ranks, end = min(n, (g.rank + 1) * part);
    size_t first = g.rank * part + blockIdx.x * blockDim.x + threadIdx.x;
    size_t step = (size_t)gridDim.x * blockDim.x;
    if (!meet(p, g, call + 1)) return;  // all inputs are there
    for (size_t i = first; i < end; i += BATCH * step) {
        float4 sum[BATCH] = {};
        for (int r = 0; r < g.ranks; r++)
#pragma unroll
            for (int k = 0; k < BATCH; k++)
                if (i + k * step < end)
                    sum[k] = sum[k] + p.x[(g.rank + r) % g.ranks][i + k * step];
        for (int r = 0; r < g.ranks; r++)
#pragma unroll
            for (int k = 0; k < BATCH; k++)
                if (i + k * step < end) p.out[(g.rank + r) % g.ranks][i + k * step] = sum[k];
    }
    if (!meet(p, g, call + 2)) return;  // all parts have arrived
    if (threadIdx.x == 0) g.calls[blockIdx.x] = call + 2;
}
"""
# --8<-- [end:kernel]


# --8<-- [start:ranks]
class RotatedRanks(Ranks):
    """The lesson's ranks, which know one kernel more: ``prepare("rotated", x, out)``."""

    def __init__(self, devices, most, folder=".", **settings):
        super().__init__(devices, most, folder=folder, **settings)
        with open(f"{folder}/peers.cu") as source:
            module = cp.RawModule(code=source.read() + ROTATED, options=("-std=c++17",))
        self.kernels["rotated"] = module.get_function("two_shot_rotated")
        for rank, device in enumerate(devices):  # load it now, as the others: each GPU alone
            alone = struct(PEERS, flags=[self.flags[rank].data.ptr])
            self._queue("rotated", rank, self._arguments("rotated", 0, 1, rank, alone, 0, 0, 0))
            self.streams[rank].synchronize()
            with cp.cuda.Device(device):
                self.flags[rank].fill(0)
                self.calls["peers"][rank].fill(0)
                cp.cuda.get_current_stream().synchronize()


# --8<-- [end:ranks]

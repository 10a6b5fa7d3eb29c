"""The loss of GPT-2, read after its logits were overwritten by their gradient."""

import math

from numba import cuda, float32

from kernels.gpt.forward import LOWEST, my_row, warp_max, warp_sum


# --8<-- [start:kernel]
@cuda.jit
def loss_late_kernel(logits, targets, symbols, losses):
    """Wrong: the target's logit is read when its gradient already stands there."""
    row, lane = my_row(), cuda.threadIdx.x
    if row < logits.shape[0]:
        target = targets[row]
        largest = LOWEST
        for c in range(lane, symbols, 32):
            largest = max(largest, logits[row, c])
        largest = warp_max(largest)
        total = float32(0)
        for c in range(lane, symbols, 32):
            total += math.exp(logits[row, c] - largest)
        total = warp_sum(total)
        share = float32(1) / float32(logits.shape[0])  # the loss is a mean over rows
        for c in range(lane, logits.shape[1], 32):
            gradient = float32(0)
            if c < symbols:
                gradient = math.exp(logits[row, c] - largest) / total
                if c == target:
                    gradient -= float32(1)
            logits[row, c] = gradient * share
        if lane == 0:
            losses[row] = math.log(total) + largest - logits[row, target]


# --8<-- [end:kernel]

"""What naive-matmul.md counts by hand, counted by the stepper: L1's wavefronts for a step of k."""

import numpy as np
import pytest

from simulator.loading import stepping
from simulator.stepper import Stepper

STEPS, WARPS = 16, 8
MATMUL, SWAPPED = "kernels.naive_matmul.matmul", "matmul_swapped_kernel"
BLOCKS = [  # module, kernel, floats in a row of a, threads of a block, wavefronts of a and of b
    (MATMUL, "matmul_kernel", 4096, (32, 8), (1, 1)),
    (MATMUL, SWAPPED, 4096, (32, 8), (32, 1)),
    (MATMUL, SWAPPED, 4097, (32, 8), (8, 1)),  # no conflict, but 32 lines
    (MATMUL, "matmul_kernel", 4096, (8, 32), (4, 1)),
    ("kernels.naive_matmul.transposed", "matmul_transposed_kernel", 4096, (32, 8), (1, 32)),
]


@pytest.mark.parametrize(("module", "name", "row", "threads", "wavefronts"), BLOCKS)
def test_a_step_takes_the_wavefronts_of_the_page(module, name, row, threads, wavefronts):
    stepper = Stepper(mode="check")
    with stepping(stepper) as load:
        kernel = getattr(load(module), name)
    shapes = (32, row), (32, 4096), (32, 4096)
    a, b, c = (stepper.cuda.to_device(np.ones(shape, np.float32)) for shape in shapes)
    b = b[:, :STEPS] if "transposed" in name else b[:STEPS, :32]
    kernel[(1, 1), threads](a[:, :STEPS], b, c[:, :32])
    loads = [x for x in stepper.launches[-1].counts.accesses.values() if x.kind == "load"]
    found = {x.array[0]: x.wavefronts / STEPS / WARPS for x in loads}
    assert found == {"a": wavefronts[0], "b": wavefronts[1]}

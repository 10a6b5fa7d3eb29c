"""Compile the product for Hopper, without a GPU: ``python -m kernels.in_cutile.export``.

Needs cuda-tile[tileiras] and 150 MB of wheels. The machine code runs without any of it, under a
driver of CUDA 13; benchmarks/cutile_product.py launches it.
"""

import base64
import subprocess
from pathlib import Path

import cuda.tile as ct
import nvidia.cu13
from cuda.tile.compilation import (
    ArrayConstraint,
    CallingConvention,
    KernelSignature,
    export_kernel,
)

from kernels.in_cutile.matmul import matmul_kernel

TILES = ((128, 128, 64), (64, 256, 64), (128, 256, 64))  # rows, columns, depth; powers of 2


def matrix():
    """Describe a matrix of bfloat16 in rows; sizes are multiples of eight, for TMA."""
    return ArrayConstraint(
        ct.bfloat16,
        2,
        index_dtype=ct.int32,
        stride_lower_bound_incl=0,
        alias_groups=(),
        may_alias_internally=False,
        stride_constant=(None, 1),
        stride_divisible_by=(8, 1),
        shape_divisible_by=(8, 8),
        base_addr_divisible_by=16,
    )


def export(tile, path):
    """Compile for one tile. Without line information, which would name this machine's folders."""
    parameters = [matrix(), matrix(), matrix(), *tile]
    convention = CallingConvention.cutile_python_v2()
    signature = KernelSignature(parameters, convention, symbol="matmul_kernel")
    code = path.with_suffix(".bytecode")
    export_kernel(
        matmul_kernel, [signature], code, gpu_code="sm_90", output_format="tileir_bytecode"
    )
    compiler = Path(nvidia.cu13.__path__[0]) / "bin/tileiras"
    made = path.with_suffix(".cubin")
    subprocess.run([compiler, code, "-o", made, "--gpu-name", "sm_90", "-O3"], check=True)
    path.write_bytes(base64.encodebytes(made.read_bytes()))  # text, as all that a record binds
    code.unlink()
    made.unlink()


if __name__ == "__main__":
    for tile in TILES:
        export(tile, Path(__file__).with_name("matmul_{}x{}x{}.txt".format(*tile)))

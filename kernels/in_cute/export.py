"""Compile the product for Hopper, without a GPU: ``python -m kernels.in_cute.export``.

Needs nvidia-cutlass-dsl[cu13]==4.8.1, 100 MB of wheels. The machine code runs without any of it:
benchmarks/cute_product.py launches it, and tests/test_tile_languages.py reads it.
"""

import base64
import os
import tempfile
from pathlib import Path

if __name__ == "__main__":
    folder = Path(tempfile.mkdtemp())
    os.environ |= {
        "CUTE_DSL_ARCH": "sm_90a",
        "CUTE_DSL_KEEP_CUBIN": "1",
        "CUTE_DSL_DUMP_DIR": str(folder),
    }  # read where cutlass is imported

    import cutlass
    import cutlass.cute as cute
    from cutlass.cute.runtime import make_fake_compact_tensor, make_fake_stream

    from kernels.in_cute.matmul import matmul

    def matrix(*shape):
        return make_fake_compact_tensor(
            cutlass.BFloat16, shape, stride_order=(1, 0), assumed_align=16
        )

    m, n, k = (cute.sym_int(divisibility=64) for _ in range(3))
    cute.compile(matmul, matrix(m, k), matrix(n, k), matrix(m, n), make_fake_stream())
    [made] = folder.glob("*.cubin")
    text = base64.encodebytes(made.read_bytes())  # as all that a record binds
    Path(__file__).with_name("matmul_128x256x64.txt").write_bytes(text)

"""On a GPU the engine's pass, launched and as graphs, gives what it gives on a CPU."""

import os

import pytest

# Read by `python -m lockstep gpu`: PyTorch launches its own kernels, and so once is enough.
NOT_ON = {"numba-cuda-mlir": "PyTorch launches these kernels, whichever Numba there is"}
SIMULATOR = os.environ.get("NUMBA_ENABLE_CUDASIM") == "1"

if not SIMULATOR:
    from kernels.engine.graphs import OnGPU
    from kernels.engine.load import serve_continuous
    from kernels.engine.rows import TABLE
    from kernels.engine.speculative import speculate
    from tests.test_engine_rows import PROMPT, WEIGHTS, plain, requests, wrong

    @pytest.mark.parametrize("graphs", [True, False])
    def test_a_gpu_answers_as_a_cpu(graphs):
        asked = requests(count=9)
        model = OnGPU(WEIGHTS, 64, sizes=(4, 16), graphs=graphs)
        serve_continuous(model, asked, blocks=64, budget=16, most=5)
        for request in asked:
            assert request.output == plain(request.prompt, request.answer)
        tokens, *_ = speculate(model, wrong, PROMPT, 6, list(range(TABLE)), 3)
        assert tokens == plain(PROMPT, 6)

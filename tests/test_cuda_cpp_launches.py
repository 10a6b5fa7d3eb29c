"""Launches from a kernel in the stand-in for CUDA C++: children, tails, refused ones, and races."""

from pathlib import Path

import numpy as np
import pytest

from kernels.pmpp_15_20.bfs import by_rows
from kernels.pmpp_15_20.escape import escape_steps
from simulator import cuda_cpp, hosts
from simulator.hosts import HostError

FOLDER = Path(__file__).resolve().parent.parent / "snippets/pmpp_15_20"
# How many launches may wait to begin: the default, and so few that most are refused.
PENDING = [None, 1, 3]
pytestmark = pytest.mark.skipif(hosts.compiler() is None, reason=hosts.WHY_NOT)


def limited(pending):
    name = "cudaLimitDevRuntimePendingLaunchCount"
    return {} if pending is None else {"symbols": {name: np.uint32(pending)}}


@pytest.mark.parametrize("pending", PENDING)
@pytest.mark.parametrize("backwards", [False, True])
def test_squares_on_a_cpu(pending, backwards):
    unit, side, most = cuda_cpp.read(FOLDER / "mandelbrot.cu"), 128, 40
    view = [np.int32(side), *np.float32([-2, 1.25, 2.5 / side]), np.int32(most)]
    out, counts = np.full((side, side), -1, np.int32), np.zeros(2, np.int32)
    options = limited(pending) | {"backwards": backwards}
    arguments = [out, *view, *np.int32([0, 0, 64]), counts]
    cuda_cpp.launch(unit, "squares", (2, 2), 32, arguments, **options)
    np.testing.assert_array_equal(out, escape_steps(side, most))
    assert counts.sum() == 4
    assert counts[1] == (4 - pending if pending else 0)


def test_all_pixels_and_lists_on_a_cpu():
    unit, side, most = cuda_cpp.read(FOLDER / "mandelbrot.cu"), 128, 40
    view = [np.int32(side), *np.float32([-2, 1.25, 2.5 / side]), np.int32(most)]
    right = escape_steps(side, most)
    out = np.full((side, side), -1, np.int32)
    cuda_cpp.launch(unit, "all_pixels", (8, 8), (16, 16), [out, *view])
    np.testing.assert_array_equal(out, right)
    out[:] = -1
    here, size = np.array([[0, 0], [64, 0], [0, 64], [64, 64]], np.int32), 64
    while len(here):
        there, count = np.zeros((16, 2), np.int32), np.zeros(1, np.int32)
        arguments = [out, *view, np.int32(size), here, there, count]
        cuda_cpp.launch(unit, "listed_squares", len(here), 32, arguments)
        here, size = there[: count[0]], size // 2
    np.testing.assert_array_equal(out, right)


@pytest.fixture(scope="module")
def graphs():
    """Those of the kernels' own test, which has to be collected before it is imported here."""
    from tests import test_kernels_pmpp_15_20

    return test_kernels_pmpp_15_20


@pytest.mark.parametrize("most", [2**31 - 1, 2, 0])
@pytest.mark.parametrize("number", range(7))
def test_search_on_a_cpu(number, most, graphs):
    assert len(graphs.GRAPHS) == 7
    sources, targets, n = list(graphs.GRAPHS.values())[number]
    starts, _, tails = by_rows(np.asarray(sources), np.asarray(targets), n)
    unit = cuda_cpp.read(FOLDER / "levels.cu")
    for first, pending in ((0, None), (n - 1, 2)):
        level, (here, there) = np.full(n, -1, np.int32), np.zeros((2, n), np.int32)
        level[first], here[0] = 0, first
        counts = np.array([1, 0, 0], np.int32)
        arguments = [starts, tails, level, np.int32(0), here, there, counts, np.int32(most)]
        cuda_cpp.launch(unit, "search", 1, 1, arguments, **limited(pending))
        assert counts[2] == 0
        np.testing.assert_array_equal(level, graphs.distances(sources, targets, n, first))


def run(body, check="bounds"):
    """Run a kernel ``parent`` of one block of 32 threads on 64 integers."""
    unit, x = cuda_cpp.read("k.cu", body), np.zeros(64, np.int32)
    cuda_cpp.launch(unit, "parent", 1, 32, [x], check=check)
    return x


def test_a_tail_comes_after_the_children_of_children():
    x = run("""
__global__ void note(int *x, int what) { x[1 + atomicAdd(x, 1)] = what; }
__global__ void child(int *x) {
    if (threadIdx.x || threadIdx.y) return;
    note<<<1, 1, 0, cudaStreamTailLaunch>>>(x, 3);
    note<<<1, 1, 0, cudaStreamFireAndForget>>>(x, 2);
    x[1 + atomicAdd(x, 1)] = 1;
}
__global__ void parent(int *x) {
    if (threadIdx.x) return;
    note<<<1, 1, 0, cudaStreamTailLaunch>>>(x, 4);
    note<<<1, 1, 0, cudaStreamTailLaunch>>>(x, 5);
    child<<<1, dim3(4, 2), 0, cudaStreamFireAndForget>>>(x);
}
""")
    assert x[:6].tolist() == [5, 1, 2, 3, 4, 5]


def test_children_that_write_one_place_race_and_a_tail_does_not():
    body = """
__global__ void child(int *x, int what) { x[threadIdx.x] += what; }
__global__ void parent(int *x) {
    if (threadIdx.x) return;
    child<<<1, 32, 0, FIRST>>>(x, 1);
    child<<<1, 32, 0, cudaStreamTailLaunch>>>(x, 2);
}
"""
    x = run(body.replace("FIRST", "cudaStreamFireAndForget"), check="races")
    assert x.tolist() == [3] * 32 + [0] * 32
    both = body.replace("cudaStreamTailLaunch", "cudaStreamFireAndForget")
    with pytest.raises(HostError, match="k.cu:2: data race"):
        run(both.replace("FIRST", "cudaStreamFireAndForget"), check="races")


def test_a_child_has_the_shared_memory_of_its_launch():
    x = run("""
__global__ void child(int *x) {
    extern __shared__ int part[];
    part[threadIdx.x] = threadIdx.x;
    __syncthreads();
    x[threadIdx.x] = part[31 - threadIdx.x];
}
__global__ void parent(int *x) {
    if (threadIdx.x == 0) child<<<1, 32, 32 * sizeof(int)>>>(x);
}
""")
    assert x[:32].tolist() == list(range(31, -1, -1))

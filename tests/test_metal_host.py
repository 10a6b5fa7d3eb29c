"""The stand-ins that run Metal and CUDA C++ on a CPU: what they compute, and what they catch."""

import ast
import re
import textwrap
import types

import numpy as np
import pytest

from lockstep import running
from lockstep.mistakes import Failed
from simulator import cuda_cpp, hosts, metal, pairs
from simulator.hosts import HostError

HEAD = "#include <metal_stdlib>\nusing namespace metal;\n"


@pytest.fixture(scope="module", autouse=True)
def compiler():
    if hosts.compiler() is None:
        pytest.skip(hosts.WHY_NOT)


def source(text):
    """Return a Metal source under the name k.metal, with the two lines that begin each."""
    return metal.read("k.metal", HEAD + textwrap.dedent(text))


def u32(*values):
    return np.array(values, dtype=np.uint32)


# ---------------------------------------------------------------- what it computes


def test_positions_of_threads_and_groups_cut_to_size():
    """Every attribute, in a grid of 5 x 3 x 2 threads whose groups are 4 x 2 x 1."""
    unit = source("""
        kernel void where(device uint *out [[buffer(0)]],
                          uint3 p [[thread_position_in_grid]],
                          uint3 l [[thread_position_in_threadgroup]],
                          uint3 g [[threadgroup_position_in_grid]],
                          uint3 n [[threads_per_threadgroup]],
                          uint3 full [[dispatch_threads_per_threadgroup]],
                          uint3 groups [[threadgroups_per_grid]],
                          uint3 grid [[threads_per_grid]],
                          uint number [[thread_index_in_threadgroup]],
                          uint lane [[thread_index_in_simdgroup]],
                          uint simd [[simdgroup_index_in_threadgroup]],
                          uint simds [[simdgroups_per_threadgroup]],
                          uint width [[threads_per_simdgroup]]) {
          device uint *o = out + 28 * ((p.z * grid.y + p.y) * grid.x + p.x);
          for (uint i = 0; i < 3; i++) {
            o[i] = p[i]; o[3 + i] = l[i]; o[6 + i] = g[i]; o[9 + i] = n[i];
            o[12 + i] = full[i]; o[15 + i] = groups[i]; o[18 + i] = grid[i];
          }
          o[21] = number; o[22] = lane; o[23] = simd; o[24] = simds; o[25] = width;
        }
    """)
    out = np.zeros((2, 3, 5, 28), np.uint32)
    metal.dispatch_threads(unit, "where", [out], (5, 3, 2), (4, 2, 1))
    for z, y, x in np.ndindex(2, 3, 5):
        group, local = (x // 4, y // 2, z), (x % 4, y % 2, 0)
        size = (1 if x == 4 else 4, 1 if y == 2 else 2, 1)
        number = local[1] * size[0] + local[0]
        parts = [(x, y, z), local, group, size, (4, 2, 1), (2, 2, 2), (5, 3, 2)]
        expected = [*np.concatenate(parts), number, number, 0, 1, 32]
        assert out[z, y, x, :26].tolist() == expected, (x, y, z)


def test_groups_are_whole_when_groups_are_dispatched():
    unit = source("""
        kernel void count(device uint *out [[buffer(0)]], uint i [[thread_position_in_grid]],
                          uint n [[threads_per_grid]]) { out[i] = n; }
    """)
    out = np.zeros(96, np.uint32)
    metal.dispatch_threadgroups(unit, "count", [out], 3, 32)
    assert (out == 96).all()


def test_simd_functions():
    """40 threads: one whole SIMD-group, and one of 8."""
    names = {
        "simd_sum(x)": lambda v, i: v.sum(),
        "simd_product(1 + x % 2)": lambda v, i: 2 ** (v % 2).sum(),
        "simd_max(x)": lambda v, i: v.max(),
        "simd_min(x)": lambda v, i: v.min(),
        "simd_or(x)": lambda v, i: np.bitwise_or.reduce(v),
        "simd_and(x)": lambda v, i: np.bitwise_and.reduce(v),
        "simd_xor(x)": lambda v, i: np.bitwise_xor.reduce(v),
        "simd_broadcast(x, 5)": lambda v, i: v[5],
        "simd_broadcast_first(x)": lambda v, i: v[0],
        "simd_shuffle(x, 3)": lambda v, i: v[3],
        "simd_shuffle_down(x, 4)": lambda v, i: v[i + 4] if i + 4 < len(v) else None,
        "simd_shuffle_up(x, 3)": lambda v, i: v[i - 3] if i >= 3 else v[i],
        "simd_shuffle_xor(x, 1)": lambda v, i: v[i ^ 1],
        "simd_prefix_inclusive_sum(x)": lambda v, i: v[: i + 1].sum(),
        "simd_prefix_exclusive_sum(x)": lambda v, i: v[:i].sum(),
        "uint(simd_vote::vote_t(simd_ballot(x & 1)))": lambda v, i: sum(
            1 << n for n, x in enumerate(v) if x & 1
        ),
        "uint(simd_all(x < 500))": lambda v, i: (v < 500).all(),
        "uint(simd_any(x > 900))": lambda v, i: (v > 900).any(),
        "uint(simd_is_first())": lambda v, i: i == 0,
    }
    lines = "\n".join(f"out[{n} * 40 + i] = {call};" for n, call in enumerate(names))
    unit = source(f"""
        kernel void all(device const uint *in [[buffer(0)]], device uint *out [[buffer(1)]],
                        uint i [[thread_position_in_grid]]) {{
          uint x = in[i];
          {lines}
        }}
    """)
    x = np.random.default_rng(0).integers(0, 1000, 40).astype(np.uint32)
    out = np.zeros((len(names), 40), np.uint32)
    metal.dispatch_threads(unit, "all", [x, out], 40, 64)
    for (call, expected), got in zip(names.items(), out, strict=True):
        for i in range(40):
            lanes, lane = (x[:32], i) if i < 32 else (x[32:], i - 32)
            value = expected(lanes.astype(np.int64), lane)
            if value is None and len(lanes) == 32:
                value = lanes[lane]  # the upper lanes keep their own
            # From a lane that is not there, the value is undefined: here, poison.
            assert got[i] == (0xFFFFFFFF if value is None else int(value) & 0xFFFFFFFF), (call, i)


TWO_WAYS = {
    "a helper in both branches": "if (i % 32 < 16) x[i] = total(1); else x[i] = total(100);",
    "twice in one line": "x[i] = i % 32 < 16 ? simd_sum(1u) : simd_sum(100u);",
    "a barrier in a helper": "if (i % 32 < 16) { meet(); } else { meet(); } x[i] = 1;",
}


@pytest.mark.parametrize("name", TWO_WAYS)
def test_the_same_line_by_two_ways_is_two_calls(name):
    unit = source(f"""
        uint total(uint v) {{ return simd_sum(v); }}
        void meet() {{ threadgroup_barrier(mem_flags::mem_device); }}
        kernel void ways(device uint *x [[buffer(0)]], uint i [[thread_position_in_grid]]) {{
          {TWO_WAYS[name]}
        }}
    """)
    with pytest.raises(metal.HostError, match="in line \\d+, by another way"):
        metal.dispatch_threads(unit, "ways", [np.zeros(32, np.uint32)], 32, 32)


def test_a_lane_past_the_edge_is_not_there():
    """Down leaves a lane its own value; a lane that is named and not there gives poison."""
    unit = source("""
        kernel void edge(device uint *x [[buffer(0)]], uint i [[thread_position_in_grid]]) {
          x[i] = simd_shuffle(i, i + 5);
          x[32 + i] = simd_shuffle_down(i, 5);
        }
    """)
    x = np.zeros(64, np.uint32)
    metal.dispatch_threads(unit, "edge", [x], 32, 32)
    lanes = np.arange(32, dtype=np.uint32)
    assert (x[:32] == np.where(lanes < 27, lanes + 5, 0xFFFFFFFF)).all()
    assert (x[32:] == np.where(lanes < 27, lanes + 5, lanes)).all()


def test_atomics_vectors_and_select():
    unit = source("""
        kernel void mixed(device atomic_uint *total [[buffer(0)]],
                          device atomic_float *sum [[buffer(1)]],
                          device atomic_int *largest [[buffer(2)]],
                          device const float4 *v [[buffer(3)]],
                          device float *dots [[buffer(4)]],
                          device packed_float3 *packed [[buffer(5)]],
                          constant float2 &scale [[buffer(6)]],
                          uint i [[thread_position_in_grid]]) {
          atomic_fetch_add_explicit(total, i, memory_order_relaxed);
          atomic_fetch_add_explicit(sum, 0.5f, memory_order_relaxed);
          atomic_fetch_max_explicit(largest, int(i) - 3, memory_order_relaxed);
          float4 w = scale.x * v[i] + 1.0f;
          dots[i] = select(dot(w, w), scale.y, i == 2);
          packed[i] = float3(w.x, w.y, w.z);
        }
    """)
    v = np.arange(20, dtype=np.float32).reshape(5, 4)
    total, sums = u32(1), np.zeros(1, np.float32)
    largest, dots = np.array([-9], np.int32), np.zeros(5, np.float32)
    packed, scale = np.zeros((5, 3), np.float32), np.float32([2, -1])
    metal.dispatch_threads(unit, "mixed", [total, sums, largest, v, dots, packed, scale], 5, 4)
    w = 2 * v + 1
    assert (total[0], sums[0], largest[0]) == (11, 2.5, 1)
    assert dots.tolist() == [*(w[:2] ** 2).sum(1), -1, *(w[3:] ** 2).sum(1)]
    assert (packed == w[:, :3]).all()


def test_half_is_that_of_numpy_for_all_values():
    unit = source("""
        kernel void to_float(device const half *h [[buffer(0)]], device float *f [[buffer(1)]],
                             device half *back [[buffer(2)]], device half *square [[buffer(3)]],
                             device half *third [[buffer(4)]],
                             uint i [[thread_position_in_grid]]) {
          f[i] = h[i]; back[i] = half(f[i]); square[i] = h[i] * h[i] + h[i]; third[i] = h[i] / 3.0h;
        }
    """)
    h = np.arange(65536, dtype=np.uint16).view(np.float16)
    f = np.zeros(65536, np.float32)
    back, square, third = (np.zeros_like(h) for _ in range(3))
    metal.dispatch_threads(unit, "to_float", [h, f, back, square, third], 65536, 1024)
    with np.errstate(all="ignore"):
        np.testing.assert_array_equal(f, h.astype(np.float32))
        np.testing.assert_array_equal(back, h)
        np.testing.assert_array_equal(square, h * h + h)
        np.testing.assert_array_equal(third, h / np.float16(3))


def test_a_number_without_a_suffix_is_a_float_and_one_with_h_is_a_half():
    unit = source("""
        kernel void numbers(device const float *x [[buffer(0)]], device float *out [[buffer(1)]],
                            uint i [[thread_position_in_grid]]) {
          out[4 * i] = x[i] * 0.1 + 1e-3;  // in double, 0.1 would round at the end only
          out[4 * i + 1] = max(x[i], .5) / 3.F + 2.;
          out[4 * i + 2] = float(1.1h + half(x[i]) * 2.5e-1H);
          out[4 * i + 3] = sizeof(0.1) + sizeof(0.1h) * 10 + 0x1e5;
        }
    """)
    x = np.random.default_rng(1).random(1000, dtype=np.float32)
    out = np.zeros((1000, 4), np.float32)
    metal.dispatch_threads(unit, "numbers", [x, out], 1000, 256)
    f, h = np.float32, np.float16
    np.testing.assert_array_equal(out[:, 0], x * f(0.1) + f(1e-3))
    doubles = x.astype(float) * 0.1 + 1e-3
    assert (out[:, 0] != doubles.astype(f)).any(), "these numbers do not tell the two apart"
    np.testing.assert_array_equal(out[:, 1], np.maximum(x, f(0.5)) / f(3) + f(2))
    np.testing.assert_array_equal(out[:, 2], (h(1.1) + x.astype(h) * h(0.25)).astype(f))
    assert (out[:, 3] == 4 + 20 + 0x1E5).all()


def test_kernels_of_mlx_and_pytorch():
    """The two Metal strings that no page's run hands to a compiler, with the signature of each."""
    [body] = [
        keyword.value.value
        for node in ast.walk(ast.parse((hosts.ROOT / "snippets/metal/mlx_train.py").read_text()))
        if isinstance(node, ast.Call)
        for keyword in node.keywords
        if keyword.arg == "source"
    ]
    [shader] = [
        node.args[0].value
        for node in ast.walk(ast.parse((hosts.ROOT / "snippets/metal/torch_shader.py").read_text()))
        if isinstance(node, ast.Call) and getattr(node.func, "attr", "") == "compile_shader"
    ]
    # MLX writes the signature: `const constant` below eight elements, and `const device`.
    unit = source(f"""
        kernel void saxpy(const constant float *alpha [[buffer(0)]],
                          const device float *x [[buffer(1)]],
                          const device float *y [[buffer(2)]],
                          device float *out [[buffer(3)]],
                          uint3 thread_position_in_grid [[thread_position_in_grid]]) {{ {body} }}
    """)
    x, y, out = (np.arange(37, dtype=np.float32) + n for n in range(3))
    metal.dispatch_threads(unit, "saxpy", [np.float32([2]), x, y, out], 37, 32)
    assert (out == 2 * x + y).all()
    # Metal numbers the buffers that have no number.
    numbered = shader.replace("x,", "x [[buffer(0)]],").replace("factor,", "factor [[buffer(1)]],")
    x = np.arange(5, dtype=np.float32)
    metal.dispatch_threads(source(numbered), "scale", [x, np.float32(2)], 5, 32)
    assert x.tolist() == [0, 2, 4, 6, 8]


@pytest.mark.parametrize("name", ["barrier_falls", "barrier_stands"])
def test_a_barrier_of_the_other_memory_does_no_harm_here(name):
    """Trap 4 says so of both: this is what the stand-in cannot see."""
    unit = metal.read(hosts.ROOT / f"snippets/metal/{name}.metal")
    x = np.random.default_rng(2).random(100, dtype=np.float32)
    for check in hosts.CHECKS:
        out = np.zeros_like(x)
        metal.dispatch_threads(unit, "pass_on", [x, np.zeros_like(x), out], 100, 100, check=check)
        assert (out == np.roll(x, -1)).all()


def test_threadgroup_memory_as_an_argument_and_through_a_function():
    unit = source("""
        static void reverse(threadgroup uint *tile, uint i, uint n, thread uint &out) {
          out = tile[n - 1 - i];
        }
        kernel void turn(device uint *x [[buffer(0)]], threadgroup uint *tile [[threadgroup(0)]],
                         uint i [[thread_position_in_threadgroup]],
                         uint n [[threads_per_threadgroup]]) {
          tile[i] = x[i];
          threadgroup_barrier(mem_flags::mem_threadgroup);
          uint mine;
          reverse(tile, i, n, mine);
          x[i] = mine;
        }
    """)
    x = np.arange(50, dtype=np.uint32)
    room = {"threadgroup_memory": {0: 200}}
    for check in hosts.CHECKS:
        x = np.arange(50, dtype=np.uint32)
        metal.dispatch_threads(unit, "turn", [x], 50, 50, check=check, **room)
        assert (x == np.arange(50)[::-1]).all()


def test_function_constants():
    unit = source("""
        constant float scale [[function_constant(3)]];
        kernel void f(device float *x [[buffer(0)]], uint i [[thread_position_in_grid]]) {
          x[i] *= scale;
        }
    """)
    x = np.ones(3, np.float32)
    metal.dispatch_threads(unit, "f", [x], 3, 32, constants={3: np.float32(2.5)})
    assert (x == 2.5).all()
    with pytest.raises(HostError, match=r"function constant 3, scale, has no value"):
        metal.dispatch_threads(unit, "f", [x], 3, 32)


def test_messages_are_repeatable():
    """The order of threads is fixed: two runs of a wrong kernel leave the same garbage."""
    text = no(pairs.PAIRS["matmul_tile"], BARRIER)
    pair, problem = pairs.PAIRS["matmul_tile"], pairs.PAIRS["matmul_tile"].problems()[1]
    one, two = (pairs.on_metal_host(pair, problem, text)["c"] for _ in range(2))
    np.testing.assert_array_equal(one, two)


# ---------------------------------------------------------------- what it catches

BARRIER = "threadgroup_barrier(mem_flags::mem_threadgroup);"


def no(pair, old, new="", times=1, file="kernel.metal"):
    """Return a pair's source with something made wrong, at its first ``times`` places."""
    text = (pair.folder / file).read_text(encoding="utf-8")
    assert old in text, f"{pair.name} holds no {old!r}"
    return text.replace(old, new, times)


# pair, what is replaced by what, how it is run, what must be said
PLANTED = {
    "no barrier after the loads": (
        *("matmul_tile", BARRIER, "", "races"),
        r"kernel\.metal:\d+: data race in matmul: one thread writes here, another reads",
    ),
    "no barrier after the products": (
        *("matmul_tile", f"    }}\n    {BARRIER}", "    }", "races"),
        r"kernel\.metal:\d+: data race in matmul",
    ),
    "a barrier that orders nothing": (
        *("transpose", "mem_flags::mem_threadgroup", "mem_flags::mem_none", "races"),
        r"kernel\.metal:22: data race in transpose.* reads here, another writes .*kernel\.metal:16",
    ),
    "no barrier between the sums": ("reduction", BARRIER, "", "races", r"data race in block_sums"),
    "an addition that is not atomic": (
        *("histogram", "atomic_fetch_add_explicit(&local[x[i]], 1, memory_order_relaxed)"),
        *("((threadgroup uint *)local)[x[i]] += 1", "races"),
        r"kernel\.metal:17: data race in histogram",
    ),
    "no barrier before the bins are added": (
        *("histogram", f"{BARRIER}\n  if (l < BINS) {{\n    uint", "if (l < BINS) {\n    uint"),
        *("bounds", r"snippets/pairs/histogram: x, n = \d+: counts\[\d+\] is"),
    ),
    "a distance for each lane": (
        "reduction",
        "simd_sum(i < n ? x[i] : 0.0f)",
        "simd_shuffle_down(i < n ? x[i] : 0.0f, lane % 2)",
        "bounds",
        r"kernel\.metal:\d+: lane 0 calls simd_shuffle_down with 0 and lane 1 with 1; Metal wants",
    ),
    "a global without constant": (
        *("histogram", "constant uint BINS", "const uint BINS", "bounds"),
        r"kernel\.metal:4: 'BINS' is outside of all functions and not in constant memory\. To mend",
    ),
    "a reference into nowhere": (
        *("stencil", "load_or_zero(device const int *x", "load_or_zero(int const &x", "bounds"),
        r"kernel\.metal:7: 'int const &x' has no address space\. To mend",
    ),
    "a position in one number beside one in two": (
        *("index_2d", "uint2 size [[", "uint size [[", "bounds"),
        r"kernel\.metal:\d+: mirror: parameter 'uint size' has another number of components than",
    ),
    "a tile with an initial value": (
        *("transpose", "];", "] = {};", "bounds"),
        r"kernel\.metal:\d+: 'tile' is in threadgroup memory and has an initial value.* To mend",
    ),
    "an early return before a barrier": (
        *("matmul_tile", "float sum = 0.0f;", "float sum = 0.0f; if (row >= m) return;", "bounds"),
        r"waits at threadgroup_barrier, and thread \(\d+, \d+, 0\) .*has returned without reaching",
    ),
    "a barrier in a branch": (
        *("transpose", BARRIER, f"if (row < rows) {{ {BARRIER} }}", "bounds"),
        r"has returned without reaching it",
    ),
    "half of a SIMD-group": (
        "reduction",
        "float value = simd_sum(i < n ? x[i] : 0.0f);",
        "float value = 0; if (lane < 16) value = simd_sum(i < n ? x[i] : 0.0f);",
        "bounds",
        r"kernel\.metal:13: .* waits at simd_sum, while thread .* waits at threadgroup_barrier",
    ),
    "a guard that lets one too many in": (
        *("saxpy", "i < n", "i <= n", "bounds"),
        r"kernel\.metal:10: saxpy reads 4 bytes outside of every buffer, 0 bytes from it",
    ),
    "a tile without its halo": (
        *("stencil", "tile[GROUP + 2 * RADIUS];", "tile[GROUP];", "bounds"),
        r"kernel\.metal:\d+: stencil: index \d+ out of bounds|outside of every buffer",
    ),
    "two buffers exchanged": (
        *("saxpy", "*x [[buffer(1)]]", "*x [[buffer(2)]]", "bounds"),
        r"buffer\(2\) is taken by another parameter",
    ),
    "a buffer that nobody binds": (
        *("add", "[[buffer(2)]]", "[[buffer(5)]]", "bounds"),
        r"has no buffer\(2\): its indices are \[0, 1, 5\]",
    ),
    "rows for columns": ("index_2d", "position.x;", "position.y;", "bounds", r"mirror|index_2d"),
    "double": ("mandelbrot", "float x = 0.0f", "double x = 0.0f", "bounds", r"Metal has no double"),
    "a pointer into nowhere": (
        *("stencil", "load_or_zero(device const int *x", "load_or_zero(const int *x", "bounds"),
        r"kernel\.metal:7: 'int \*x' has no address space",
    ),
    "what is no C++": ("add", "a[i] + b[i]", "a[i] b[i]", "bounds", r"kernel\.metal:8:\d+: error"),
    "an unknown attribute": (
        *("add", "thread_position_in_grid", "thread_position", "bounds"),
        r"unknown attribute thread_position\. To mend: use one of",
    ),
}


@pytest.mark.parametrize("name", PLANTED)
def test_planted_fault_is_caught(name):
    which, old, new, check, said = PLANTED[name]
    pair = pairs.PAIRS[which]
    text = no(pair, old, new)
    with pytest.raises(HostError, match=said):
        for problem in pair.problems(small=check == "races"):
            pairs.check(pair, problem, pairs.on_metal_host(pair, problem, text, check=check), "x")


def test_a_wrong_binding_shows_in_the_result():
    """The indices of x and y exchanged, in a kernel that reads both: no rule is broken."""
    pair = pairs.PAIRS["saxpy"]
    text = no(pair, "*x [[buffer(1)]]", "*x [[buffer(9)]]")
    text = text.replace("*y [[buffer(2)]]", "*y [[buffer(1)]]").replace("buffer(9)", "buffer(2)")
    problem = pair.problems()[1]
    with pytest.raises(
        HostError, match=r"snippets/pairs/saxpy: x, n = 255: y\[0\] is .*255 of 255"
    ):
        pairs.check(pair, problem, pairs.on_metal_host(pair, problem, text), "x")


def test_threads_where_groups_are_meant():
    """The number of elements given as a number of groups: threads run past the end."""
    pair = pairs.PAIRS["add"]
    unit, problem = metal.read(pair.folder / "kernel.metal"), pair.problems()[1]
    arguments = list(problem.copies().values())
    with pytest.raises(HostError, match=r"kernel\.metal:8: add reads 4 bytes outside"):
        metal.dispatch_threadgroups(unit, "add", arguments, problem.threads, problem.group)


def test_groups_where_threads_are_meant():
    """The number of groups given as a number of threads: elements stay as they were."""
    pair = pairs.PAIRS["add"]
    unit, problem = metal.read(pair.folder / "kernel.metal"), pair.problems()[1]
    buffers = problem.copies()
    metal.dispatch_threads(unit, "add", list(buffers.values()), problem.grid(), problem.group)
    with pytest.raises(HostError, match=r"out\[4\] is nan"):
        pairs.check(pair, problem, buffers, "x")


def test_a_loop_that_waits_ends_with_a_message():
    unit = source("""
        kernel void spin(device atomic_uint *flag [[buffer(0)]],
                         uint i [[thread_position_in_grid]]) {
          if (i == 1) atomic_store_explicit(flag, 1, memory_order_relaxed);
          while (atomic_load_explicit(flag, memory_order_relaxed) == 0) {}
        }
    """)
    with pytest.raises(HostError, match=r"k\.metal:4: spin did not end in 1 s"):
        metal.dispatch_threads(unit, "spin", [u32(0)], 2, 2, seconds=1)


def test_a_race_between_two_groups():
    unit = source("""
        kernel void last(device uint *out [[buffer(0)]],
                         uint l [[thread_position_in_threadgroup]]) {
          if (l == 0) out[0] += 1;
        }
    """)
    with pytest.raises(HostError, match=r"k\.metal:6: data race in last"):
        metal.dispatch_threadgroups(unit, "last", [u32(0)], 2, 32, check="races")


def test_threadgroup_memory_is_garbage_at_first_and_has_a_limit():
    unit = source("""
        kernel void read(device float *out [[buffer(0)]],
                         uint i [[thread_position_in_threadgroup]]) {
          threadgroup float tile[4];
          out[i] = tile[i];
        }
        kernel void large(device float *out [[buffer(0)]],
                          uint i [[thread_position_in_threadgroup]]) {
          threadgroup float one[4096];
          threadgroup float two[4097];
          one[i] = two[i] = 0;
          out[i] = one[i] + two[i];
        }
    """)
    out = np.zeros(4, np.float32)
    metal.dispatch_threads(unit, "read", [out], 4, 4)
    assert np.isnan(out).all()
    with pytest.raises(HostError, match=r"large needs 32772 bytes of threadgroup memory"):
        metal.dispatch_threads(unit, "large", [out], 4, 4)


def test_what_is_wrong_with_a_launch_is_said():
    unit = metal.read(pairs.PAIRS["add"].folder / "kernel.metal")
    a = np.zeros(4, np.float32)
    for arguments, group, said in (
        ([a, a.astype(np.float64), a], 4, r"buffer\(1\) is float, the array holds float64"),
        ([a, a], 4, r"reads buffer 2, and none was set there"),
        ([a, a, a], 2048, r"1024 is the most"),
        ([a, a, a], 0, r"a size below 1"),
    ):
        with pytest.raises(HostError, match=said):
            metal.dispatch_threads(unit, "add", arguments, 4, group)
    with pytest.raises(HostError, match=r"there is no kernel sub \(there are: add\)"):
        metal.dispatch_threads(unit, "sub", [a], 4, 4)


CUDA_PLANTED = {
    "no barrier": ("matmul_tile", "__syncthreads();", "", "races", r"kernel\.cu:\d+: data race"),
    "a guard": ("saxpy", "i < n", "i <= n", "bounds", r"kernel\.cu:4: saxpy reads 4 bytes outside"),
    "an early return": (
        *("transpose", "__syncthreads();", "if (row >= rows) return; __syncthreads();", "bounds"),
        r"waits at __syncthreads, and thread .* has returned",
    ),
    "a mask": (
        *("reduction", "0xffffffff, value, step", "0xffff, value, step", "bounds"),
        r"lane 16 calls __shfl_down_sync with a mask, 0xffff, that does not name it",
    ),
}


@pytest.mark.parametrize("name", CUDA_PLANTED)
def test_planted_fault_in_cuda_cpp_is_caught(name):
    which, old, new, check, said = CUDA_PLANTED[name]
    pair = pairs.PAIRS[which]
    text = no(pair, old, new, file="kernel.cu")
    with pytest.raises(HostError, match=said):
        for problem in pair.problems(small=check == "races"):
            pairs.check(pair, problem, pairs.on_cuda_host(pair, problem, text, check=check), "x")


def test_cuda_cpp_shuffles_and_ballot():
    text = textwrap.dedent("""
        extern "C" __global__ void f(const int *x, int *out) {
          unsigned i = threadIdx.x;
          out[i] = __shfl_up_sync(0xffffffff, x[i], 1);
          out[32 + i] = __shfl_xor_sync(0xffffffff, x[i], 3);
          out[64 + i] = __shfl_down_sync(0xffffffff, x[i], 2, 8);
          out[96 + i] = __shfl_sync(0xffffffff, x[i], 9, 8);
          out[128 + i] = (int)__ballot_sync(0xffffffff, x[i] > 15);
          out[160 + i] = atomicAdd(&out[192], 1);
        }
    """)
    x = np.arange(32, dtype=np.int32)
    out = np.zeros(193, np.int32)
    cuda_cpp.launch(cuda_cpp.read("k.cu", text), "f", 1, 32, [x, out])
    lane = np.arange(32)
    assert out[:32].tolist() == [0, *range(31)]
    assert (out[32:64] == lane ^ 3).all()
    assert (out[64:96] == np.where(lane % 8 < 6, lane + 2, lane)).all()
    assert (out[96:128] == lane // 8 * 8 + 1).all()
    assert (out[128:160].view(np.uint32) == 0xFFFF0000).all()
    assert out[192] == 32 and sorted(out[160:192]) == list(range(32))


def test_a_metal_block_of_a_page_is_run_or_compiled(monkeypatch, tmp_path):
    """What a page's run does with a Metal block: of a pair, of no pair, wrong, without g++."""

    def run(path, text):
        block = types.SimpleNamespace(
            language="metal", options={"file": "k.metal"}, path=path, text=text
        )
        return running.run_block(block, {}, tmp_path, hosts.ROOT, "simulator")

    pair, path = pairs.PAIRS["add"], "snippets/pairs/add/kernel.metal"
    text = (pair.folder / "kernel.metal").read_text(encoding="utf-8")
    assert run(path, text) == {"outcome": "stand-in"}
    assert (tmp_path / "k.metal").read_text(encoding="utf-8") == text + "\n"
    assert run("snippets/other.metal", text) == {"outcome": "compiled"}
    with pytest.raises(Failed, match=r"pairs/add: Metal on a CPU, n = 1: out\[0\] is"):
        run(path, text.replace("a[i] + b[i]", "a[i] - b[i]"))
    with pytest.raises(Failed, match=r"snippets/other\.metal:8:\d+: error"):
        run("snippets/other.metal", text.replace("a[i] + b[i]", "a[i] b[i]"))
    monkeypatch.setattr(hosts, "compiler", lambda: None)
    assert run(path, text) == {"outcome": "written"}


def test_every_message_names_a_line():
    """Of each planted fault that the tests above expect, the message starts with file and line."""
    pair = pairs.PAIRS["transpose"]
    with pytest.raises(HostError) as caught:
        pairs.on_metal_host(pair, pair.problems(small=True)[0], no(pair, BARRIER), check="races")
    assert re.match(r"snippets/pairs/transpose/kernel\.metal:\d+: ", str(caught.value))
    assert "To mend: put a barrier" in str(caught.value)

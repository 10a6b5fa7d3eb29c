"""Our compiler of element-wise expressions against NumPy, on expressions that nobody chose."""

from pathlib import Path

import numpy as np
import pytest
from numba import cuda

from kernels.compilers.equal_zeros import share_equal
from kernels.compilers.fuse import (
    build,
    compiled,
    fold,
    fuse,
    generate,
    keep,
    optimize,
    share,
    trace,
)
from kernels.compilers.normalize import normalize, traffic
from kernels.compilers.several import generate_several
from kernels.compilers.simplify import simplify

NAMES = ("float32", "float64", "int32", "int64", "bool")
SHAPES = [(), (1,), (7,), (3, 1), (3, 7), (1, 7), (2, 1, 1), (2, 3, 7), (0,), (0, 7)]
UNARY = ("negative", "absolute", "sqrt", "exp", "sin", "cos", "tanh")
BINARY = ("add", "subtract", "multiply", "divide", "maximum", "minimum")
BINARY += ("less", "less_equal", "greater", "greater_equal", "equal", "not_equal")
LOGICAL = ("logical_and", "logical_or")


def array(r, name, shape):
    """Numbers from -2 to 2, some of them special where the type has such."""
    if name == "bool":
        return r.integers(0, 2, shape).astype(bool)
    if name.startswith("int"):
        return r.integers(-3, 4, shape).astype(name)
    special = r.choice([0.0, -0.0, 1.0, np.inf, np.nan], shape)
    return np.where(r.random(shape) < 0.15, special, r.uniform(-2, 2, shape)).astype(name)


def domain(function, x):
    """Keep to what Python's math can compute, as the simulator does: no root of -1, no sin(inf)."""
    if function in {"sin", "cos", "exp", "tanh"}:
        return np.minimum(np.maximum(np.where(x == x, x, 0.5), -3.0), 3.0)
    return np.absolute(x) if function == "sqrt" else x


def expression(seed):
    """Return a function of arrays, and arrays for it."""
    r = np.random.default_rng(seed)
    shapes = [SHAPES[k] for k in r.integers(1, 8, r.integers(1, 4))]
    if seed % 10 == 0:
        shapes = [SHAPES[r.integers(8, 10)], ()]
    inputs = [array(r, NAMES[r.integers(len(NAMES))], shape) for shape in shapes]
    names = (*UNARY, *BINARY, *BINARY, *LOGICAL, "where", "where", "number")
    numbers = [0.0, -0.0, 0.5, 3, -1, np.float32(1.5), np.int64(2), np.inf]
    steps = [
        (names[r.integers(len(names))], *r.integers(0, 99, 3), numbers[r.integers(len(numbers))])
        for _ in range(r.integers(1, 10))
    ]

    def function(*arrays):
        values = list(arrays)
        for name, *at, number in steps:
            a, b, c = (values[k % len(values)] for k in at)
            if name == "where":
                values.append(np.where(a > 0, b, c))
            elif name == "number":
                values.append(number * (a if kind(a) != "bool" else np.where(a, 1.0, 0.0)))
            elif name in UNARY:
                values.append(getattr(np, name)(domain(name, as_number(a))))
            elif name in LOGICAL:
                values.append(getattr(np, name)(a, b))
            elif name in BINARY[:6]:
                values.append(getattr(np, name)(as_number(a), as_number(b)))
            else:
                values.append(getattr(np, name)(a, b))
        return values[-1]

    return function, inputs


def kind(value):
    dtype = value.ops[value.at].dtype if hasattr(value, "ops") else value.dtype
    return str(dtype)


def as_number(value):
    return np.where(value, 1.0, 0.0) if kind(value) == "bool" else value


@pytest.mark.parametrize("seed", range(60))
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_a_random_expression_is_what_numpy_says(seed):
    function, inputs = expression(seed)
    with np.errstate(all="ignore"):
        expected = function(*inputs)
        got = fuse(function)(*inputs)
    assert (got.dtype, got.shape) == (expected.dtype, expected.shape)
    if got.dtype.kind != "f":
        # A comparison right at a rounded value may go either way.
        assert np.mean(got != expected) < 0.1 if got.size else True
        return
    tolerance = 1e-5 if "32" in "".join(str(a.dtype) for a in inputs) else 1e-12
    np.testing.assert_allclose(got, expected, rtol=tolerance, atol=tolerance, equal_nan=True)


@pytest.mark.parametrize("kind", ["uint32", "int64"])
@pytest.mark.parametrize(("size", "each"), [(1, 4), (86, 2), (257, 4), (1023, 1)])
def test_several_elements_a_thread_are_computed_once_each_and_none_past_the_end(size, each, kind):
    x = np.random.default_rng(size).normal(size=(size, 3)).astype(np.float32)
    row = np.array([0.5, -2.0, 3.0], np.float32)
    ops = optimize(trace(lambda a, b: np.maximum(a * b, -a), x, row))
    guarded = cuda.to_device(np.full(3 * size + 8, 77, np.float32))
    blocks = -(-3 * size // (256 * each))
    out = guarded[: 3 * size]
    build(generate_several(ops, each, kind))[blocks, 256](cuda.to_device(x.ravel()), row, out)
    np.testing.assert_array_equal(out.copy_to_host(), np.maximum(x * row, -x).ravel())
    assert (guarded.copy_to_host()[3 * size :] == 77).all()


# ---------------------------------------------------------------- the passes


def operations(ops):
    return [op.name for op in ops]


def test_what_is_constant_is_computed_before_the_kernel_is_made():
    def mix(x, y, alpha):
        return x * (1 - alpha) + y * (1 - alpha)

    x = np.ones(4, np.float32)
    ops = trace(mix, x, x, np.float32(0.25))
    assert operations(ops).count("subtract") == 2
    ops = optimize(ops)
    assert operations(ops) == ["load", "load", "const", "multiply", "multiply", "add"]
    assert ops[2].value == np.float32(0.75)


def test_what_is_written_twice_is_computed_once():
    def twice(x, y):
        return np.sqrt(x * y) + np.sqrt(y * x)

    x = np.ones(4, np.float32)
    ops = optimize(trace(twice, x, x))
    assert operations(ops) == ["load", "load", "multiply", "sqrt", "add"]
    assert ops[-1].args == (3, 3)


def test_two_zeros_that_are_equal_are_not_the_same():
    def signs(x):
        return 1 / (x * 0.0) - 1 / (x * -0.0)

    x = np.array([1.0], np.float32)
    with np.errstate(divide="ignore"):
        assert fuse(signs)(x) == signs(x) == np.inf


def test_what_nobody_needs_is_dropped():
    def waste(x, y):
        np.exp(y)
        return x + 1

    x = np.ones(4, np.float32)
    ops = optimize(trace(waste, x, x))
    assert operations(ops) == ["load", "const", "add"]
    assert compiled(waste, x, x).used == [0]


def test_each_pass_alone_leaves_the_answer():
    r = np.random.default_rng(0)
    x = r.normal(size=(3, 5)).astype(np.float32)
    columns = [r.random(5).astype(np.float32) for _ in range(4)]
    ops = trace(normalize, x, *columns)
    alone = {"none": ops, "fold": fold(ops), "share": share(ops), "keep": keep(ops, len(ops) - 1)}
    sources = {name: generate(changed) for name, changed in alone.items()}
    for source in sources.values():
        assert source.count(" = ") == len(ops) + 2  # nothing to gain here, nothing may be lost
    np.testing.assert_allclose(
        fuse(normalize)(x, *columns), normalize(x, *columns), rtol=1e-5, atol=1e-6
    )


def test_a_kernel_is_compiled_once_for_each_set_of_types_and_shapes():
    add = fuse(lambda x, y, z: x + y * z)
    ones = np.ones(3, np.float32)
    for arguments in [(ones, ones, np.float32(1)), (ones, 2 * ones, np.float32(1))]:
        add(*arguments)
    assert len(add.ready) == 1
    add(ones, ones, np.float32(2))  # a constant of the program
    add(np.ones((2, 3), np.float32), ones, np.float32(1))
    add(ones.astype(np.float64), ones, np.float32(1))
    assert len(add.ready) == 4


@pytest.mark.parametrize(
    ("function", "says"),
    [
        (lambda x: x if x > 0 else -x, "write np.where in place of if"),
        (lambda x: x + np.ones(3), "an array that is no argument"),
        (lambda x: np.sum(x), "add: no element-wise operation|sum: no element-wise operation"),
        (lambda x: np.floor(x), "floor: no element-wise operation"),
        (lambda x: (x > 0) + (x < 1), "add of truth values"),
        (lambda x: 3, "returns no array"),
        (lambda x: np.add(x, x, out=x), "add: no element-wise operation"),
    ],
)
def test_what_it_cannot_compile_it_says(function, says):
    with pytest.raises(TypeError, match=says):
        trace(function, np.ones(3, np.float32))


def test_a_type_that_it_does_not_have_is_named():
    with pytest.raises(TypeError, match="argument 0 is complex128: this compiler has float32"):
        trace(lambda x: x, np.ones(3, complex))


def test_shapes_that_do_not_fit_are_refused_as_numpy_does():
    with pytest.raises(ValueError, match="shape mismatch|could not be broadcast"):
        trace(lambda x, y: x + y, np.ones(3, np.float32), np.ones(4, np.float32))


def test_a_pass_that_takes_equal_zeros_for_one_is_caught():
    def signs(x):
        return 1 / (x * 0.0) - 1 / (x * -0.0)

    x = np.ones(1, np.float32)
    out = cuda.device_array(1, np.float32)
    build(generate(share_equal(trace(signs, x))))[1, 1](cuda.to_device(x), out)
    with np.errstate(divide="ignore"):
        assert out.copy_to_host()[0] != signs(x)[0]


@pytest.mark.parametrize(
    ("function", "left"),
    [
        (lambda x: x * 1, ["load"]),
        (lambda x: 1 * x / 1 - 0.0, ["load"]),
        (lambda x: x + 0.0, ["load", "const", "add"]),
        (lambda x: x - -0.0, ["load", "const", "subtract"]),
        (lambda x: 1 / x, ["const", "load", "divide"]),
        (lambda x: 0 - x, ["const", "load", "subtract"]),
        (lambda x: x * np.float64(1), ["load", "cast"]),
    ],
)
def test_what_changes_no_bit_is_dropped_and_nothing_else(function, left):
    x = np.array([-0.0, 0.0, 2.5, np.nan], np.float32)
    ops = simplify(optimize(trace(function, x)))
    assert sorted(operations(ops)) == sorted(left)
    with np.errstate(divide="ignore"):
        expected = function(x)
    if operations(ops) != ["load"]:
        out = cuda.device_array(4, expected.dtype)
        build(generate(ops))[1, 4](cuda.to_device(x), out)
        assert (np.signbit(out.copy_to_host()) == np.signbit(expected)).all()


def test_bytes_are_those_of_the_large_arrays():
    rows, columns = 100, 8
    table, column = np.ones((rows, columns), np.float32), np.ones(columns, np.float32)
    fused, each = traffic(optimize(trace(normalize, table, column, column, column, column)))
    assert fused == 2 * 4 * rows * columns + 4 * 4 * columns
    assert 5 * 8 * rows * columns < each < 5 * 8 * rows * columns + 10 * 4 * columns


def test_the_compiler_has_two_hundred_lines():
    lines = Path(fuse.__code__.co_filename).read_text(encoding="utf-8").splitlines()
    assert sum(bool(line.strip()) and not line.startswith("# --8<--") for line in lines) <= 200


@pytest.mark.parametrize("name", ["maximum", "minimum", "not_equal", "equal", "less"])
def test_nan_is_what_it_is_in_numpy(name):
    x = np.array([np.nan, np.nan, 1.0, -0.0], np.float32)
    y = np.array([np.nan, 1.0, np.nan, 0.0], np.float32)
    function = getattr(np, name)
    np.testing.assert_array_equal(fuse(lambda a, b: function(a, b))(x, y), function(x, y))

"""The stand-in for NumPy gives what NumPy gives, to the last character of its text."""

import random
import subprocess
import sys

import numpy as np
import pytest

from simulator.stepper import lite
from tests.pages import ROOT

LITE = lite.modules()["numpy"]

EXPRESSIONS = """
np.arange(5)
np.arange(10,dtype=np.float32)
np.arange(12.).reshape(3,4)
np.arange(24).reshape(2,3,4)
np.arange(9).reshape(3,3)[np.tril_indices(3)]
np.zeros((2,2),np.int32)
np.ones(3,np.float32)*1.5
np.array([1,2.5,3])
np.array([0.1,0.2,0.3],np.float32)
np.array([1e-5,1,1000.])
np.array([1e10,1])
np.array([1e10,1],np.float32)
np.array([np.nan,1,-np.inf])
np.arange(1001)
np.arange(2000.).reshape(40,50)
np.array([True,False])
np.arange(40)
np.arange(40,dtype=np.float32)/3
np.array([1,-2,3],np.int32)+1
np.array([1,-2,3],np.int32)*0.5
np.array([1,-2,3],np.int32)/2
np.array([1,-2,3],np.int32)//2
np.array([1,-2,3],np.int8)+np.array([1,2,3],np.uint8)
np.float32(0.1)
np.float32(0.1)+1
np.float32(0.1)*np.float64(3)
np.int32(5)//2
np.int32(5)/np.int32(2)
np.arange(6).reshape(2,3).sum(axis=0)
np.arange(6).reshape(2,3).sum()
np.arange(6,dtype=np.float32).mean()
np.arange(6,dtype=np.float32).max()
np.arange(6)[::-2]
np.arange(12).reshape(3,4)[1:,::2]
np.arange(12).reshape(3,4).T
np.arange(12).reshape(3,4)[:,1]
np.arange(6)[np.array([0,3])]
np.arange(6)[np.arange(6)%2==0]
np.random.default_rng(0).random(5)
np.random.default_rng(7).random((2,3),dtype=np.float32)
np.random.default_rng(3).integers(0,10,8)
np.random.default_rng(3).integers(0,10,8,dtype=np.int32)
np.random.default_rng(12345678901234567890).integers(-5,2**40,4)
np.full((2,2),7.)
np.full(3,2)
np.linspace(0,1,5)
np.eye(3)
np.concatenate([np.arange(3),np.arange(2.)])
np.stack([np.arange(3),np.arange(3)])
np.array_split(np.arange(7),3)
np.where(np.arange(4)>1,1.5,0)
np.bincount(np.array([1,1,3]))
np.arange(4)@np.arange(4)
np.arange(6).reshape(2,3)@np.arange(6).reshape(3,2)
np.allclose([1,2],[1,2.0000001])
np.sqrt(np.arange(4,dtype=np.float32))
np.maximum(np.arange(4),2)
np.cumsum(np.arange(5))
np.empty(0,np.float32)
np.arange(3,dtype=np.uint8)-5
np.array([[1,2],[3,4]]).tolist()
np.array([1.5,2.25,100],np.float32)
np.array([123456.789,0.5])
np.array([1.0,1e-3])
np.array([16777216,1],np.float32)
np.array([100000000.0])
np.array([5,8,3,9],dtype=np.int32)
np.dtype(np.float32)
np.arange(6.).reshape(2,3).flags.c_contiguous
np.float32([0,1.5,3])
np.iinfo(np.int32).min
np.iinfo(np.uint8).max
np.finfo(np.float32).max
np.finfo(np.float64).eps
(np.arange(6,dtype=np.float32)/7).round(3)
np.arange(18.).reshape(2,3,3)@np.arange(18.).reshape(2,3,3)
np.arange(9.).reshape(3,3)@np.arange(18.).reshape(2,3,3)
np.arange(30,dtype=np.int32).reshape(3,10)
np.arange(10)**2
-np.arange(3)
np.abs(np.array([-1.5,2],np.float32))
np.array([3,1,2]).argmax()
np.median(np.array([3,1,2]))
np.zeros(4,np.float16)+np.float32(0.1)
np.array([[0.5,1/3],[2/3,1e-2]],np.float32)
str(np.arange(3,dtype=np.float32))
np.outer(np.arange(3),np.arange(2))
np.round(np.array([0.123456,2.5]),2)
"""


def outcome(f, module):
    """The text of a result, or the name of the error."""
    try:
        result = f(module)
    except Exception as error:
        return type(error).__name__, ""
    return repr(result), str(result)


@pytest.mark.parametrize("expression", EXPRESSIONS.strip().splitlines())
def test_an_expression_has_the_text_that_numpy_gives_it(expression):
    def f(module):
        return eval(expression, {"np": module})

    expected = outcome(f, np)
    assert expected[1], f"NumPy itself fails: {expected[0]}"
    assert outcome(f, LITE) == expected


def changed_views(np):
    a = np.arange(12).reshape(3, 4)
    b = a[1]
    b[:] = 9
    a[:, 0] = np.array([7, 8, 9])
    a[2, 3] += 5
    a *= 2
    c = a.T
    c[3, 0] = -1
    a[a > 30] = 0
    return a


def records(np):
    p = np.zeros(2, np.dtype([("x", np.float32), ("y", np.float32)]))
    p["x"] = [1, 2]
    p["y"][1] = 5
    return p["x"] + p["y"]


def broadcast_error(np):
    return np.zeros((2, 3)) + np.zeros((2, 4))


def ambiguous(np):
    return bool(np.arange(3) == 1)


def one_too_far(np):
    return np.arange(3)[3]


def not_close(np):
    np.testing.assert_allclose(np.ones(3), [1, 1, 1.1])


def nearly(np):
    np.testing.assert_allclose(np.ones(3), [1, 1, 1.1], rtol=0.2)
    np.testing.assert_array_equal(np.arange(3), [0, 1, 2])
    return [int(x) for x in np.random.default_rng(5).integers(0, 2**33, 20)]


@pytest.mark.parametrize(
    "f", [changed_views, records, broadcast_error, ambiguous, one_too_far, not_close, nearly]
)
def test_views_records_and_errors(f):
    assert outcome(f, LITE) == outcome(f, np)


def test_random_arrays_have_numpys_text():
    pick = random.Random(1)
    for _ in range(300):
        kind = pick.choice(["float32", "float64", "float16"])
        scale = [0, 0, 1, 2, -1, -3] + ([5, 9] if kind != "float16" else [])
        values = [
            pick.choice([1, 1, -1]) * pick.random() * 10 ** pick.choice(scale)
            for _ in range(pick.randint(1, 40))
        ]
        if pick.random() < 0.5:
            values = [round(v, 2) for v in values]
        for f in (
            lambda m, v=values, k=kind: m.array(v, k),
            lambda m, v=values, k=kind: m.array(v, k)[0],
        ):
            assert outcome(f, LITE) == outcome(f, np), values


def test_random_numbers_are_numpys():
    for seed in (0, 1, 2**40, 12345678901234567890):
        a, b = np.random.default_rng(seed), LITE.random.default_rng(seed)
        assert a.random(5).tolist() == b.random(5).tolist()
        assert a.random(5, np.float32).tolist() == b.random(5, LITE.float32).tolist()
        assert a.integers(0, 1000, 7).tolist() == b.integers(0, 1000, 7).tolist()
        assert a.integers(-5, 2**50, 7).tolist() == b.integers(-5, 2**50, 7).tolist()
        assert a.uniform(-1, 2, 3).tolist() == b.uniform(-1, 2, 3).tolist()


def test_what_is_missing_says_so():
    with pytest.raises(AttributeError, match=r"cannot run `np.fft`: the stand-in for NumPy has no"):
        LITE.fft  # noqa: B018
    with pytest.raises(AttributeError, match=r"`np.random.rand`"):
        LITE.random.rand(3)
    with pytest.raises(AttributeError, match=r"`.partition` of an array"):
        LITE.zeros(3).partition(1)
    assert not hasattr(LITE.zeros(3), "copy_to_host")
    with pytest.raises(AttributeError, match="standard_normal"):
        LITE.random.default_rng(0).standard_normal(3)


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("import numpy.linalg", "`import numpy.linalg`"),
        ("from numpy.fft import fft", "`import numpy.fft`"),
        ("from numpy import linalg", "`from numpy import linalg`: it has no `linalg`"),
        ("from numpy.random import rand", "`from numpy.random import rand`"),
    ],
)
def test_an_import_of_what_the_stand_in_lacks_is_refused_by_name(line, said):
    """In a process of its own, which finds no NumPy."""
    code = (
        "import sys\nsys.path.insert(0, 'simulator')\nsys.modules['numpy'] = None\nimport stepper\n"
        f"result = stepper.run_script({line!r}, mode='check')\nprint(result.line, result.message)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT)
    assert done.stdout.startswith(f"1 the stepper cannot run {said}"), done.stdout + done.stderr

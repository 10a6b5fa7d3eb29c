"""What numba-cuda's tests import beside ``numba.cuda``: its test support, without a driver.

Decorators that skip a test on Numba's simulator let it run here, because the stepper claims to do
what they are about; those that ask for a version of the hardware are fulfilled.
"""

import sys
import unittest
from importlib import import_module
from importlib.machinery import ModuleSpec, PathFinder
from types import ModuleType


class Absent:
    """A name that the stepper does not have: importing it is allowed, using it is refused."""

    def __init__(self, name):
        self.__name__ = name

    def __call__(self, *args, **kwargs):
        raise ImportError(f"the stepper has no `{self.__name__}`", name=self.__name__)

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return Absent(f"{self.__name__}.{name}")

    def __mro_entries__(self, bases):
        return ()

    def __iter__(self):
        self()

    __getitem__ = __iter__


class Support(ModuleType):
    """A module that has the names given, and refuses all others when they are used."""

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return Absent(f"{self.__name__}.{name}")


def keep(*args):
    """A decorator that changes nothing, with or without a reason."""
    if len(args) == 1 and callable(args[0]):
        return args[0]
    return lambda test: test


def skip(*args):
    """A decorator that skips a test, with or without a reason."""
    if len(args) == 1 and callable(args[0]):
        return unittest.skip("it asks for something that is not here")(args[0])
    return unittest.skip(args[0] if args else "")


class ForeignArray:
    """An array of another library: it offers nothing but the interface."""

    def __init__(self, arr):
        self._arr = arr
        self.__cuda_array_interface__ = arr.__cuda_array_interface__


# Of numba.cuda itself: what makes or inspects machine code, and what steers compilation.
ABSENT = ("launchconfig", "compile_all", "ldca", "ldcg", "ldcs", "ldlu", "ldcv", "stcg", "stcs",
          "stwb", "stwt")  # fmt: skip


# Settings of numba-cuda's that Numba does not have; tests set them and put them back.
CONFIG = ("ENABLE_CUDASIM", "CUDA_LOW_OCCUPANCY_WARNINGS", "CUDA_ENABLE_NRT", "CUDA_DEBUG_POLY",
          "CUDA_DEBUG_POLY_USE_TYPED_CONST", "CUDA_WARN_ON_IMPLICIT_COPY", "CUDA_NRT_STATS",
          "DISABLE_PERFORMANCE_WARNINGS")  # fmt: skip


class Finder:
    """Finds the modules of numba-cuda's tests, and puts an empty one for those of its inside."""

    @classmethod
    def find_spec(cls, name, path=None, target=None):
        if name.startswith("numba.cuda.tests."):
            return PathFinder.find_spec(name, path, target)
        if name.startswith("numba.cuda."):
            return ModuleSpec(name, cls, is_package=True)
        return None

    @staticmethod
    def create_module(spec):
        return Support(spec.name)

    @staticmethod
    def exec_module(module):
        pass


def beside(name, *names):
    """Names of a module of Numba's own, as far as it has them: helpers of tests, no kernels."""
    module = import_module(name)
    return {n: getattr(module, n) for n in names or vars(module) if hasattr(module, n)}


def put(folder):
    """Put ``numba.cuda.testing`` and ``numba.cuda.tests`` (the tests in ``folder``) in place."""
    import numba.core.config
    import numba.core.errors
    import numba.core.utils
    import numba.tests.support as upstream
    from numba import cuda

    class CUDATestCase(upstream.TestCase):
        FLOAT16_RTOL = 0.0009765625

        def run(self, result=None):
            return super().run(result)

    def module(name, **names):
        made = sys.modules[name] = Support(name)
        vars(made).update(names)
        parent, _, last = name.rpartition(".")
        setattr(sys.modules[parent], last, made)
        return made

    config = numba.core.config
    for name in CONFIG:
        setattr(config, name, 0)
    cuda.HAS_NUMBA = True
    keeping = (
        "skip_on_cudasim", "skip_on_standalone_numba_cuda", "skip_unless_cc_50",
        "skip_unless_cc_53", "skip_unless_cc_60", "skip_unless_cc_75", "skip_unless_cc_90",
        "skip_if_external_memmgr", "skip_under_cuda_memcheck", "skip_on_arm", "skip_on_wsl2",
        "skip_if_cudadevrt_missing", "skip_on_nvjitlink_13_1_sm_120", "skip_with_nvdisasm",
    )  # fmt: skip
    skipping = (
        "skip_unless_cudasim", "skip_without_nvdisasm", "skip_if_nvjitlink_missing",
        "skip_unless_conda_cudatoolkit", "skip_if_cuda_includes_missing",
        "skip_if_curand_kernel_missing",
    )  # fmt: skip
    module(
        "numba.cuda.testing",
        unittest=unittest,
        CUDATestCase=CUDATestCase,
        ForeignArray=ForeignArray,
        ContextResettingTestCase=CUDATestCase,
        cc_X_or_above=lambda major, minor: True,
        xfail_unless_cudasim=unittest.expectedFailure,
        test_data_dir=folder / "data",
        numba_cuda_dir=folder.parent,
        **dict.fromkeys(keeping, keep),
        **dict.fromkeys(skipping, skip),
    )
    module("numba.cuda.core", __path__=[])
    for name, value in {"config": config, "errors": numba.core.errors}.items():
        sys.modules[f"numba.cuda.core.{name}"] = value
        setattr(sys.modules["numba.cuda.core"], name, value)
    module("numba.cuda.utils", PYVERSION=sys.version_info[:2])
    module("numba.cuda.np", __path__=[])
    module("numba.cuda.np.numpy_support", **beside("numba.np.numpy_support"))
    module("numba.cuda.typing", __path__=[], **beside("numba.core.typing", "signature"))
    module("numba.cuda.typing.typeof", **beside("numba.core.typing.typeof", "typeof"))
    given = type(cuda.InOut(None))
    module(
        "numba.cuda.args",
        wrap_arg=lambda value, default: value if isinstance(value, given) else default(value),
    )
    for name in ABSENT:
        setattr(cuda, name, Absent(f"numba.cuda.{name}"))
    extending = module("numba.cuda.extending")
    extending.typeof_impl = Absent("numba.cuda.extending.typeof_impl")
    for name in ("register_model", "make_attribute_wrapper", "type_callable"):
        setattr(extending, name, lambda *args, **kwargs: keep)
    extending.typeof_impl.register = lambda *args, **kwargs: keep
    module("numba.cuda.cudaimpl", lower=lambda *args, **kwargs: keep)
    module("numba.cuda.misc", __path__=[])
    module("numba.cuda.misc.special", **beside("numba.misc.special", "literal_unroll"))
    cuda.CUSource = lambda *args: Absent("numba.cuda.CUSource")
    sys.meta_path.insert(0, Finder)
    tests = module("numba.cuda.tests", __path__=[str(folder)])
    for part in ("cudapy", "doc_examples"):
        module(f"numba.cuda.tests.{part}", __path__=[str(folder / part)])
    support = module("numba.cuda.tests.support")
    vars(support).update({k: v for k, v in vars(upstream).items() if not k.startswith("__")})
    return tests

"""``@vectorize`` and ``@guvectorize`` for the GPU: a function of elements as one of arrays."""

from . import types
from .faults import Unsupported
from .host import DeviceArray, Kernel, as_cuda_array
from .source import remember

try:
    import numpy as np
except ImportError:  # no NumPy here (a browser): this package's own few pages of it
    from . import lite as np


def add_to(cuda, stepper):
    """Give ``vectorize`` and ``guvectorize`` to a ``cuda`` module."""
    cuda.vectorize = lambda *args, **options: vectorize(stepper, *args, **options)
    cuda.guvectorize = lambda *args, **options: guvectorize(stepper, *args, **options)


def check_options(options):
    """Refuse what Numba refuses."""
    if options.pop("nopython", True) is not True:
        raise TypeError("nopython flag must be True")
    unknown = set(options) - {"target", "cache", "fastmath", "writable_args", "debug", "inline"}
    if unknown:
        names = ", ".join(repr(o) for o in sorted(unknown))
        raise TypeError(f"The following target options are not supported: {names}")


def resident(array):
    """An argument, as a device array where it tells that it is one."""
    return as_cuda_array(array) if hasattr(array, "__cuda_array_interface__") else array


def made(stepper, text, function, name, namespace):
    """The kernel of a generated source text that calls ``function``."""
    filename = f"<{name} {function.__name__} {id(function)}>"
    remember(filename, text)
    namespace |= {"cuda": stepper.cuda, "__name__": filename}
    exec(compile(text, filename, "exec"), namespace)
    return Kernel(stepper, namespace[name], {})


VECTORIZED = """
def vectorized({inputs}, out):
    i = cuda.grid(1)
    if i < out.size:
        out[i] = function({elements})
"""


class vectorize:  # noqa: N801 - Numba's name
    """``@vectorize(target="cuda")``: a function of numbers as one of arrays, element by element."""

    def __init__(self, stepper, signatures=(), **options):
        check_options(options)
        self.stepper = stepper
        given = [signatures] if not isinstance(signatures, list | tuple) else signatures
        self.results = [types.result_of(s) for s in given]

    def __call__(self, function):
        function = getattr(function, "py_func", function)
        device = Kernel(self.stepper, function, {"device": True})
        names = device.source.params
        text = VECTORIZED.format(
            inputs=", ".join(f"_{n}" for n in names),
            elements=", ".join(f"_{n}[i]" for n in names),
        )
        kernel = made(self.stepper, text, function, "vectorized", {"function": device})
        return Vectorized(kernel, function, self.results)


class Vectorized:
    """What ``@vectorize(target="cuda")`` makes of a function."""

    def __init__(self, kernel, function, results):
        self.kernel, self.py_func, self.results = kernel, function, results
        self.__name__, self.__doc__ = function.__name__, function.__doc__

    def __call__(self, *args, out=None, stream=0):
        on_device = any(isinstance(a, DeviceArray) for a in args)
        args = [resident(a) for a in args]
        hosts = [a.copy_to_host() if isinstance(a, DeviceArray) else np.asarray(a) for a in args]
        shape = np.broadcast_shapes(*(h.shape for h in hosts))
        want = [np.result_type(*(h.dtype for h in hosts))]
        for inputs, result in self.results:
            kinds = [np.dtype(t.name) for t in inputs]
            if len(kinds) == len(hosts) and all(
                np.can_cast(h.dtype, k, "safe") for h, k in zip(hosts, kinds, strict=True)
            ):
                hosts = [h.astype(k) for h, k in zip(hosts, kinds, strict=True)]
                want = [np.dtype((result or self.inferred(inputs)).name)]
                break
        flat = [np.ascontiguousarray(np.broadcast_to(h, shape)).ravel() for h in hosts]
        result = DeviceArray.empty(flat[0].shape, want[0])
        if flat[0].size:
            self.kernel.forall(flat[0].size)(*(DeviceArray.of(f) for f in flat), result)
        result = result.reshape(shape)
        if out is not None:
            if isinstance(out, DeviceArray):
                out.copy_to_device(result)
            else:
                result.copy_to_host(out)
            return out
        if on_device:
            return result
        return result.copy_to_host() if shape else result.copy_to_host()[()]

    def inferred(self, inputs):
        """The type that the function returns for these inputs, where its signature does not say."""
        out = types.complex128 if any(t.kind == "c" for t in inputs) else types.float64
        program = self.kernel.program(
            tuple(types.Array(t, 1, "C") for t in (*inputs, out)), instrumented=False
        )
        return next(
            f.returns_type for (f_of, _), f in program.functions.items() if f_of is self.py_func
        )

    def reduce(self, array, stream=0):
        """The function applied to all elements of an array of one dimension, pair by pair."""
        left = array.copy_to_host() if isinstance(array, DeviceArray) else np.asarray(array)
        if left.ndim != 1 or not left.size:
            raise TypeError("reduce() takes an array of one dimension with an element in it")
        while left.size > 1:
            half = left.size // 2
            made = self(
                np.ascontiguousarray(left[:half]), np.ascontiguousarray(left[half : 2 * half])
            )
            left = np.concatenate((made, left[2 * half :]))
        return left[0]


def layout_of(text):
    """``"(m,n),(n)->()"`` as ([("m", "n"), ("n",)], [()])."""
    sides = text.replace(" ", "").split("->")
    if len(sides) != 2 or not all(s.startswith("(") and s.endswith(")") for s in sides):
        raise ValueError(f"invalid layout {text!r}: write it as in (m,n),(n)->(m)")
    return [
        [tuple(n for n in part.split(",") if n) for part in s[1:-1].split("),(")] for s in sides
    ]


class guvectorize:  # noqa: N801 - Numba's name
    """``@guvectorize(signatures, "(n)->()", target="cuda")``."""

    def __init__(self, stepper, signatures, layout, **options):
        check_options(options)
        self.stepper, self.layout = stepper, layout_of(layout)
        given = [signatures] if not isinstance(signatures, list) else signatures
        for s in given:
            result = getattr(s, "return_type", None) or getattr(s, "result", None)
            if result is not None and str(result) not in ("none", "void"):
                raise TypeError(
                    f"guvectorized functions cannot return values: signature {s} specifies "
                    f"{result} return type"
                )
        self.signatures = [types.from_numba(s).args for s in given]

    def __call__(self, function):
        return Generalized(self, getattr(function, "py_func", function))


class Generalized:
    """What ``@guvectorize(target="cuda")`` makes of a function: each thread takes one call."""

    def __init__(self, made_by, function):
        self.stepper, self.signatures = made_by.stepper, made_by.signatures
        self.inputs, self.outputs = made_by.layout
        self.py_func, self.kernels = function, {}
        self.__name__, self.__doc__ = function.__name__, function.__doc__
        self.device = Kernel(self.stepper, function, {"device": True})

    def kernel(self, signature):
        """The kernel that calls the function for one row of each argument in each thread."""
        if signature not in self.kernels:
            names = [f"_{k}" for k in range(len(signature))]
            parts = []
            for name, dims, kind in zip(names, self.inputs + self.outputs, signature, strict=True):
                if dims:
                    parts.append(f"{name}[i, {', '.join(':' * len(dims))}]")
                else:
                    parts.append(
                        f"{name}[i:i + 1]" if isinstance(kind, types.Array) else f"{name}[i]"
                    )
            text = (
                f"\ndef generalized({', '.join(names)}):\n    i = cuda.grid(1)\n"
                f"    if i < {names[-1]}.shape[0]:\n        function({', '.join(parts)})\n"
            )
            self.kernels[signature] = made(
                self.stepper, text, self.py_func, "generalized", {"function": self.device}
            )
        return self.kernels[signature]

    def __call__(self, *args, out=None, stream=0):
        few, many = len(self.inputs), len(self.inputs) + len(self.outputs)
        if len(args) not in (few, many):
            raise TypeError(
                f"gufunc accepts {few} positional arguments (when no output is given) or {many} "
                f"positional arguments. Got {len(args)} positional "
                f"argument{'s' * (len(args) != 1)}."
            )
        given = [out] if out is not None and not isinstance(out, tuple) else list(out or ())
        if len(args) == many:
            if given:
                raise ValueError("cannot specify argument 'out' as both positional and keyword")
            given = list(args[few:])
        args = [resident(a) for a in args[:few]]
        on_device = any(isinstance(a, DeviceArray) for a in (*args, *given))
        hosts = [a.copy_to_host() if isinstance(a, DeviceArray) else np.asarray(a) for a in args]
        signature = self.fitting(hosts)
        hosts = [h.astype(t.dtype.name if isinstance(t, types.Array) else t.name)
                 for h, t in zip(hosts, signature, strict=False)]  # fmt: skip
        sizes, loops = {}, []
        for host, dims in zip(hosts, self.inputs, strict=True):
            if host.ndim < len(dims):
                raise ValueError(f"an argument of {self.__name__} has fewer dimensions than {dims}")
            split = host.ndim - len(dims)
            loops.append(host.shape[:split])
            for name, n in zip(dims, host.shape[split:], strict=True):
                if sizes.setdefault(name, n) != n:
                    raise ValueError(f"the dimension {name} is {sizes[name]} and {n}")
        loop = np.broadcast_shapes(*loops)
        rows = 1
        for n in loop:
            rows *= n
        places = []
        for host, dims in zip(hosts, self.inputs, strict=True):
            core = tuple(sizes[d] for d in dims)
            flat = np.ascontiguousarray(np.broadcast_to(host, loop + core)).reshape((rows, *core))
            places.append(DeviceArray.of(flat))
        results = []
        for k, dims in enumerate(self.outputs):
            unknown = [d for d in dims if d not in sizes]
            if unknown and not given:
                raise Unsupported(f"an output dimension {unknown[0]} that no input has")
            if unknown:
                sizes.update(zip(dims, given[k].shape[len(loop) :], strict=True))
            core = tuple(sizes[d] for d in dims)
            place = DeviceArray.empty((rows, *core), signature[few + k].dtype.name)
            if given:
                was = given[k].copy_to_host() if isinstance(given[k], DeviceArray) else given[k]
                place.fill_from(np.ascontiguousarray(was).reshape((rows, *core)))
            results.append((place, loop + core))
        if rows:
            self.kernel(signature).forall(rows)(*places, *(p for p, _ in results))
        done = []
        for k, (place, shape) in enumerate(results):
            result = place.reshape(shape) if shape != place.shape else place
            if given and isinstance(given[k], DeviceArray):
                given[k].copy_to_device(result)
                result = given[k]
            elif given:
                np.copyto(given[k], result.copy_to_host())
                result = given[k]
            elif not on_device:
                result = result.copy_to_host() if shape else result.copy_to_host()[()]
            done.append(result)
        return done[0] if len(done) == 1 else tuple(done)

    def fitting(self, hosts):
        """The first declared signature that takes these inputs without loss, or the first."""
        for signature in self.signatures:
            kinds = [
                np.dtype((t.dtype if isinstance(t, types.Array) else t).name)
                for t in signature[: len(hosts)]
            ]
            if all(np.can_cast(h.dtype, k, "safe") for h, k in zip(hosts, kinds, strict=True)):
                return signature
        return self.signatures[0]  # as Numba does, which casts

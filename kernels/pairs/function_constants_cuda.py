"""A polynomial of a degree known in advance: the CUDA C++ side of the pair, launched with CuPy."""

# ruff: noqa: F821  (the page has defined x, the host function and NumPy)
# --8<-- [start:run]
import cupy as cp

module = cp.RawModule(
    code=open("polynomial.cu").read(),
    options=("-std=c++17",),
    name_expressions=("polynomial<2, false>", "polynomial<2, true>"),
)
out = cp.empty(x.size, dtype=cp.float32)
for clamp, name in ((False, "polynomial<2, false>"), (True, "polynomial<2, true>")):
    arguments = (cp.asarray(coefficients), cp.asarray(x), out, np.uint32(x.size))
    module.get_function(name)((2,), (4,), arguments)
    assert np.array_equal(out.get(), polynomial(coefficients, x, clamp, threads=4))

# --8<-- [end:run]

"""The kernel in CUDA C++ on the example of Numba's."""

# ruff: noqa: F821  (the page has defined the inputs, the function, and what Numba made of them)
# --8<-- [start:run]
cuda_text = open("paged_decode.cu").read()
np.testing.assert_allclose(
    paged_attention_cuda(cuda_text, q, keys, values, tables, lengths, 32), out, rtol=1e-5, atol=1e-6
)
# --8<-- [end:run]
